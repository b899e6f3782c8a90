"""Two dry runs of a task with different stand-ins, and what of their requests differs."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from eth_abi import abi
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.recording.plan_compare import WINDOW, Planned, compared, speaker, template_of
from caia_replay.recording.plan_run import UNTOLD, DryRun, StepRun, chains_of, dry_run
from caia_replay.recording.plan_stand_in import GAP, MARK, StandIn, without_marks
from caia_replay.recording.plan_task import PlannedTask
from caia_replay.recording.plan_world import Asked
from caia_replay.world.every_provider import providers_over

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
    """No clock and no chance is in it; an anchor's own moment is kept, without one it is another one each time."""
    steps = [("price_feed", {"asset": "ETH"}), ("web_search", {"query": "a"})]
    assert run(*steps) == run(*steps) != run(*steps, letter="b")
    unknown, block = Anchor("ethereum", 19_560_000, -1), ("block_query", {})
    assert run(block).now == NOW
    assert UNTOLD < run(block, anchor=unknown).now != run(block, anchor=unknown, letter="b").now


def test_what_a_step_tells_is_what_the_next_one_asks() -> None:
    """References are evaluated on stand-in replies: the time of a balance of 1 April is one for the price at it."""
    found = run(("web_search", {"query": "a"}), ("url_fetching", {"url": "$1.results.0.url"}))
    assert [step.fault for step in found.steps] == ["", ""] and found.steps[1].depends == (1,)
    assert len(found.steps[1].asked) == 2
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
        ("transaction_query", {"hash": "$1.x"}), ("url_fetching", {"url": "$1.x"}),
        ("web_search", {"query": "$1.x", "limit": "$1.y"}),
        ("data_query", {"contract": "$1.x", "function": "f(address)(uint256)", "arguments": ["$1.a"]}),
        ("twitter_search", {"query": "$1.x", "first_day": "$1.day"}),
    ],
)  # fmt: skip
def test_every_kind_of_argument_has_its_stand_in(tool: str, arguments: dict[str, Any]) -> None:
    """Addresses, hashes, pages, heights and days are of the form that the tool takes."""
    found = run(("code_execution", {"code": "1"}), (tool, arguments))
    assert found.steps[1].fault == "" and (found.steps[1].asked or found.chain_calls)


def test_a_bare_name_has_its_types_guessed() -> None:
    """Functions by their arguments, events by what later steps read of them."""
    found = run(
        ("data_query", {"contract": USDC, "function": "quote", "arguments": [USDC, "7", True, "0x" + "ab" * 32]}),
        ("data_query", {"contract": USDC, "event": "Staked", "from_block": 10, "to_block": 20}),
        ("balance_query", {"address": "$2.events.0.arguments.user", "block": "$2.events.0.block"}),
        ("time_conversion", {"block": "= $2.events.0.arguments.amount // $2.events.0.arguments.amount"}),
    )
    assert [step.fault for step in found.steps] == ["", "", "", ""]


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


PROVIDERS = providers_over({})
ONE, OTHER = StandIn("a"), StandIn("b")
GECKO, SPOT = "https://api.coingecko.com/api/v3", "https://api.binance.com/api/v3"


def get(url: str) -> HttpRequest:
    return HttpRequest("GET", url)


def dry(*steps: list[str], now: int = NOW) -> DryRun:
    return DryRun(
        tuple(StepRun("tool", tuple(Asked(get(url)) for url in urls), "", False, ()) for urls in steps), {}, now
    )


def plans(first: DryRun, second: DryRun) -> list[Planned]:
    return compared(first, second, PROVIDERS)


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("/a/1/b", "/a/2/b", f"/a/{GAP}/b"),
        ("/a?x=1&y=2", "/a?y=2&x=3", f"/a?x={GAP}&y=2"),
        ("/a?x=1,2,3", "/a?x=1,5,3", f"/a?x=1,{GAP},3"),
        ("/a?x=1", "/a", f"/a?x={GAP}"),
        ("/a", "/a?x=1", f"/a?x={GAP}"),
        ("/a/b/c", "/a/b", f"/{GAP}"),
        ("/a?x=&y=a%20b", "/a?x=&y=a%20c", f"/a?x=&y={GAP}"),
        (f"/a?x=ETH{ONE.word('q').upper()}", f"/a?x=ETH{OTHER.word('q').upper()}", f"/a?x=ETH{GAP}"),
        (f"/a/{ONE.word('q')}", f"/a/{ONE.word('q')}", f"/a/{GAP}"),
        (f"/a?u=https%3A%2F%2F{ONE.word('q')}.example%2F", f"/a?u=https%3A%2F%2F{OTHER.word('q')}.example%2F",
         f"/a?u=https://{GAP}/"),
    ],
)  # fmt: skip
def test_what_differs_is_a_gap(first: str, second: str, shown: str) -> None:
    """In paths, parameters and lists; a marked stand-in is one even where both have it."""
    found = template_of(get("https://h.example" + first), get("https://h.example" + second))
    assert (found.url, found.exact) == ("https://h.example" + shown, False)


def test_bodies_are_compared_member_by_member() -> None:
    """A gap stands for a member's value; what is no JSON is compared as text; equal requests are kept to the byte."""

    def posted(first: bytes, second: bytes) -> str:
        return template_of(*(HttpRequest("POST", "https://h.example/", one) for one in (first, second))).body

    assert posted(b'{"a": [1, 2], "b": "x"}', b'{"a": [1, 3], "b": "x"}') == f'{{"a":[1,"{GAP}"],"b":"x"}}'
    assert posted(b"abc", b"abd") == GAP and posted(b"abc", b"abc") == "abc"
    url = "https://h.example/a%20b?z=1&a=%2C,&b="
    assert template_of(get(url), get(url)) == ("GET", url, "", True)


def test_requests_are_widened_as_the_recorder_widens_them() -> None:
    """The plan shows what is recorded, each once over all steps, with who speaks for it, exact or not, how often."""
    ticker, pair = f"{SPOT}/ticker/24hr?symbol=ETHUSDT", [f"{SPOT}/ticker/24hr?symbol={name}" for name in "AB"]
    (found,) = plans(dry([ticker], [ticker]), dry([ticker], [ticker]))
    assert (found.template.url, found.template.exact, found.provider, found.step) == (
        f"{SPOT}/ticker/24hr", True, "binance_spot", 1,
    )  # fmt: skip
    assert plans(dry(pair[:1]), dry(pair[1:]))[0].template.exact  # the list of all symbols is asked for
    (found,) = plans(dry([f"{GECKO}/search/trending"]), dry([]))  # what one run alone asks
    assert (found.template.exact, found.calls) == (False, 1)
    pages = [[f"https://r.jina.ai/https://{stand.word(str(at))}.example/" for at in range(5)] for stand in (ONE, OTHER)]
    (found,) = plans(dry(pages[0]), dry(pages[1]))
    assert (found.calls, found.template.url) == (5, f"https://r.jina.ai/https://{GAP}/")
    assert speaker(PROVIDERS, get("https://h.example/")) is None
    assert plans(dry(["https://h.example/"]), dry(["https://h.example/"]))[0].provider == ""


def test_a_window_that_moves_is_never_exact() -> None:
    """Widening may round two windows to one figure, or to figures of one run alone: the window is a gap."""
    series = f"{SPOT}/klines?symbol=ETHUSDT&interval=1d&endTime=1740614400000&startTime="
    urls = [f"{series}{start}" for start in (1_740_009_600_000, 1_740_096_000_000)]
    (found,) = plans(dry([urls[0]]), dry([urls[1]]))
    assert not found.template.exact
    assert all(f"{name}={GAP}" in found.template.url for name in WINDOW & {"startTime"})
    assert "symbol=ETHUSDT" in found.template.url


def test_a_moment_that_moves_is_never_exact() -> None:
    """Cells counted back from an unknown now are gaps, however many there are."""
    url = f"{GECKO}/coins/ethereum/market_chart/range?vs_currency=usd&from=1740000000&to=1745000000"
    for other in (NOW + 86_400, NOW + 300 * 86_400):
        assert not any(one.template.exact for one in plans(dry([url]), dry([url], now=other)))
    assert all(one.template.exact for one in plans(dry([url]), dry([url])))


RUNS = st.sampled_from("abcdz")


@given(RUNS, st.text(max_size=20), st.text("xyz /.", max_size=5))
def test_every_marked_stand_in_is_found(run: str, what: str, around: str) -> None:
    """In any text and case a word, an address and a hash become gaps; real ones are left as they are."""
    stand = StandIn(run)
    for marked in (stand.word(what), stand.address(what), stand.hash(what)):
        assert MARK.fullmatch(marked)
        assert without_marks(around + marked.upper().replace("0X", "0x") + around) == around + GAP + around
    text = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 standard zqstand"
    assert without_marks(text) == text


@pytest.mark.parametrize(
    "kind",
    ["uint8", "uint256", "int24", "bool", "address", "bytes4", "bytes", "string", "uint256[]", "address[3]",
     "(uint256,address)[]", "(string,(bool,bytes32)[2])", "uint256[][2]"],
)  # fmt: skip
def test_values_are_of_their_type(kind: str) -> None:
    """What is made for a type of Solidity is taken by its encoder, and read back."""
    value = StandIn("a").abi_value(kind)
    assert abi.decode([kind], abi.encode([kind], [value]))


def test_decimals_are_few_and_times_are_uneven() -> None:
    """A token's decimals scale an amount, and no length of time is of whole days."""
    for run in "abcdef":
        assert 6 <= StandIn(run).abi_value("uint8", "decimals") <= 18
        assert StandIn(run).seconds("x", 40, 330) % 86_400
        assert 40 * 86_400 < StandIn(run).seconds("x", 40, 330) < 331 * 86_400


def test_what_is_no_call_is_told() -> None:
    """Unknown tools, arguments and values are refusals in words; code asks nobody and is not run."""
    code = ("code_execution", {"code": "while True: pass"})
    found = run(("no_tool", {}), ("price_feed", {"asset": "ETH", "coin": "ETH"}), ("balance_query", {"address": "0x1"}))
    assert [step.is_refusal for step in found.steps] == [True, True, True]
    assert "no tool is called" in found.steps[0].fault and "is no argument" in found.steps[1].fault
    (step,) = run(code).steps
    assert step.asked == () and not step.is_refusal and "code" in step.fault
