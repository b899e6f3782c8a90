from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Anchor
from caia_replay.recording.plan_run import UNTOLD, DryRun, chains_of, dry_run
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.recording.plan_task import PlannedTask

NOW = 1_746_143_999
USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"


def task(*steps: tuple[str, dict[str, Any]], anchor: Anchor | None = None) -> PlannedTask:
    gold = GoldChain(tuple(GoldStep(*step) for step in steps), "$1.x")
    return PlannedTask("task-1", anchor or Anchor("ethereum", -1, NOW), "date", gold, "fixed")


def run(*steps: tuple[str, dict[str, Any]], anchor: Anchor | None = None, letter: str = "a") -> DryRun:
    return dry_run(task(*steps, anchor=anchor), StandIn(letter))


def urls(found: DryRun) -> list[str]:
    return [asked.request.url for step in found.steps for asked in step.asked]


def test_a_run_is_the_same_every_time() -> None:
    """No clock and no chance is in it."""
    steps = [("price_feed", {"asset": "ETH"}), ("web_search", {"query": "a"})]
    assert run(*steps) == run(*steps) != run(*steps, letter="b")


def test_results_lead_on() -> None:
    """A reference is evaluated on what the stand-in replies made of the step before."""
    found = run(("web_search", {"query": "a"}), ("url_fetching", {"url": "$1.results.0.url"}))
    assert [step.fault for step in found.steps] == ["", ""] and found.steps[1].depends == (1,)
    assert len(found.steps[1].asked) == 2


def test_what_a_step_tells_is_what_the_next_one_asks() -> None:
    """The time of a balance of 1 April is a time of 1 April for the price that is asked at it."""
    priced = ("price_feed", {"asset": "id:a", "at": "$1.time_utc"})
    found = run(("balance_query", {"address": USDC, "time": "2025-04-01"}), priced)
    (last,) = [parse_qs(urlsplit(url).query)["to"][0] for url in urls(found) if "range" in url]
    assert abs(int(last) - 1_743_465_600) < 86_400


@pytest.mark.parametrize("value", ["$1.no.such", "= match($1.title, '[0-9]+ (May)')", "= 1 / 0 + $1.x", "= ) $1"])
def test_what_cannot_be_evaluated_is_stood_in_for(value: str) -> None:
    """The step's own requests are still seen, with a stand-in of the argument's kind."""
    found = run(("url_fetching", {"url": "https://a.example/"}), ("price_feed", {"asset": "id:ethereum", "at": value}))
    assert any("/coins/ethereum/market_chart/range" in url for url in urls(found))
    assert found.steps[1].fault == ""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("balance_query", {"address": "$1.x", "token": "= match($1.text, '0x[0-9a-f]{40}')", "block": "$1.b"}),
        ("transaction_query", {"hash": "$1.x"}),
        ("url_fetching", {"url": "$1.x"}),
        ("web_search", {"query": "$1.x", "limit": "$1.y"}),
        ("data_query", {"contract": "$1.x", "function": "f(address)(uint256)", "arguments": ["$1.a"]}),
        ("twitter_search", {"query": "$1.x", "first_day": "$1.day"}),
    ],
)
def test_every_kind_of_argument_has_its_stand_in(tool: str, arguments: dict[str, Any]) -> None:
    """Addresses, hashes, pages, heights and days are of the form that the tool takes."""
    found = run(("code_execution", {"code": "1"}), (tool, arguments))
    assert found.steps[1].fault == "" and (found.steps[1].asked or found.chain_calls)


def test_code_is_not_run() -> None:
    """A step of code asks nobody and gives nothing; no interpreter is started for it."""
    (step,) = run(("code_execution", {"code": "while True: pass"})).steps
    assert step.asked == () and not step.is_refusal and "code" in step.fault


def test_a_bare_name_has_its_types_guessed() -> None:
    """Functions by their arguments, events by what later steps read of them."""
    found = run(
        ("data_query", {"contract": USDC, "function": "quote", "arguments": [USDC, "7", True, "0x" + "ab" * 32]}),
        ("data_query", {"contract": USDC, "event": "Staked", "from_block": 10, "to_block": 20}),
        ("balance_query", {"address": "$2.events.0.arguments.user", "block": "$2.events.0.block"}),
        ("time_conversion", {"block": "= $2.events.0.arguments.amount // $2.events.0.arguments.amount"}),
    )
    assert [step.fault for step in found.steps] == ["", "", "", ""]


def test_a_wrong_step_is_a_refusal() -> None:
    """An unknown tool, an unknown argument and a value that no tool takes are told in words."""
    found = run(("no_tool", {}), ("price_feed", {"asset": "ETH", "coin": "ETH"}), ("balance_query", {"address": "0x1"}))
    assert [step.is_refusal for step in found.steps] == [True, True, True]
    assert "no tool is called" in found.steps[0].fault and "is no argument" in found.steps[1].fault


def test_only_named_chains_are_asked() -> None:
    """The anchor's and those of steps on chains; what the DeFi index calls a chain is its own word."""
    steps = (
        ("block_query", {"chain": "Base"}),
        ("protocol_metrics", {"chain": "Blast"}),
        ("supply_query", {"asset": "UNI", "chain": "$1.chain"}),
        ("time_conversion", {"chain": "all"}),
    )
    assert chains_of(task(*steps)) == ("ethereum", "base")


def test_tables_count_their_blocks_and_events_their_logs() -> None:
    """A range by days is counted at the chain's pace; with an event its logs are asked and no block is read."""
    day = run(("data_query", {"sql": "SELECT 1", "from_block": "2025-04-01", "to_block": "2025-04-01"})).chain_calls
    assert day["ethereum", "eth_getBlockReceipts"] == pytest.approx(7_200, rel=0.01)
    event = {"contract": USDC, "event": "Moved(address indexed a, uint256 n)"}
    logs = run(("data_query", {"sql": "SELECT 1", "from_block": 10, "to_block": 20, **event})).chain_calls
    assert ("ethereum", "eth_getBlockReceipts") not in logs and logs["ethereum", "eth_getLogs"] == 1


def test_a_moment_nobody_knows_is_another_one_each_time() -> None:
    """An anchor's own moment is kept; without one it lies after the data set's own day."""
    unknown = Anchor("ethereum", 19_560_000, -1)
    assert run(("block_query", {})).now == NOW
    assert (
        UNTOLD
        < run(("block_query", {}), anchor=unknown).now
        != run(("block_query", {}), anchor=unknown, letter="b").now
    )
