"""What recording tasks would ask, told without asking anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.interop.planned import planned_tasks
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_stand_in import GAP, MARK
from caia_replay.recording.plan_task import PlannedRequest, PlannedTask, TaskPlan
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.every_provider import providers_over
from caia_replay.world.world import FrozenWorld, TaskWorld
from tests.hostile_arguments import WILD

NOW = 1_746_143_999
ETHEREUM = Anchor("ethereum", -1, NOW)
AT_BLOCK = Anchor("ethereum", 19_560_000, -1)
USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
HASH = "0x" + "5b" * 32
CHAINS: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "block": [("block_query", {"block": 19_560_000})],
    "block then price": [
        ("block_query", {"block": 19_000_000}),
        ("price_feed", {"asset": "id:ethereum", "at": "$1.time_utc"}),
    ],
    "candles of a name": [("volatility_alerts", {"asset": "id:solana", "interval": "4h", "start": "2025-04-01"})],
    "searched then read": [
        ("web_search", {"query": "airdrop date"}),
        ("url_fetching", {"url": "$1.results.0.url"}),
        ("block_query", {"time": "= match($2.text, '[A-Z][a-z]+ [0-9]+, [0-9]{4}')"}),
    ],
    "posts": [("social_stream", {"handles": ["uniswap"], "limit": 5}), ("twitter_search", {"query": "unlock"})],
    "token": [("release_schedule", {"asset": "ARB"}), ("supply_query", {"asset": "UNI"})],
    "protocols": [
        ("protocol_metrics", {"protocol": "slug:aave-v3", "chain": "Ethereum", "at": "2025-04-01"}),
        ("exchange_summary", {"exchange": "Uniswap V3", "start": "2025-04-01", "end": "2025-04-30"}),
        ("network_activity", {"protocol": "Lido"}),
    ],
    "contract": [
        ("data_query", {"contract": USDC, "about": "creation"}),
        ("data_query", {"contract": USDC, "event": "Transfer", "where": ["to=" + USDC], "from_block": "$1.block"}),
        ("balance_query", {"address": "$2.events.0.arguments.from", "token": USDC, "block": "$1.block"}),
        ("transaction_query", {"hash": "$1.transaction"}),
    ],
    "transaction": [("transaction_query", {"hash": HASH, "include_internal": True, "chain": "base"})],
    "tables": [("data_query", {"sql": "SELECT 1 FROM blocks", "from_block": 10, "to_block": 19}),
               ("code_execution", {"code": "1"})],
    "market": [("ranking_query", {"among": 1000}), ("trend_detection", {}), ("positioning_analysis", {"asset": "BTC"})],
}  # fmt: skip


def planned(steps: list[tuple[str, dict[str, Any]]], anchor: Anchor = ETHEREUM, **more: Any) -> PlannedTask:
    told = {"anchor_kind": "date", "moment": "fixed", **more}
    gold = GoldChain(tuple(GoldStep(tool, arguments) for tool, arguments in steps), "$1.x" if steps else "")
    return PlannedTask("task-1", anchor, gold=gold, **told)


def plan_of(steps: list[tuple[str, dict[str, Any]]], anchor: Anchor = ETHEREUM, **more: Any) -> TaskPlan:
    return plan_tasks([planned(steps, anchor, **more)])[0]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from (*texts(name), *texts(one))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from texts(one)
    else:
        yield str(value)


def shape(plan: TaskPlan) -> Any:
    """All of a plan but how often something is asked, which is an estimate wherever it follows."""
    asked = [(one.method, one.url, one.body, one.exact, one.follows, one.terms) for one in plan.requests]
    return plan.status, plan.keys, plan.paid, plan.follows, plan.refusals, asked


@pytest.mark.parametrize("anchor", [ETHEREUM, AT_BLOCK, Anchor("solana", -1, NOW)], ids=lambda one: one.chain)
@pytest.mark.parametrize("name", CHAINS)
def test_no_stand_in_is_in_a_plan(name: str, anchor: Anchor) -> None:
    """Whatever the stand-ins are, the plan is the same one, and no marked value of theirs is in it."""
    task = planned(CHAINS[name], anchor)
    plans = [plan_tasks([task], runs)[0] for runs in (("a", "b"), ("c", "d"), ("q", "z"))]
    assert shape(plans[0]) == shape(plans[1]) == shape(plans[2])
    assert not [text for plan in plans for text in texts(plan.plain()) if MARK.search(text)]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(CATALOG)), st.integers(0, 10**6))
def test_whatever_a_chain_says_it_is_planned(tool: str, seed: int) -> None:
    """Arguments that no tool takes end in a plan too, and in the same one for any stand-ins."""
    dice = Random(seed)
    names = list(CATALOG[tool].arguments.model_fields)
    chosen = dice.sample(names, dice.randrange(len(names) + 1))
    arguments = {name: dice.choice([*WILD, "$1.x", "= $9.y + 1", "= )("]) for name in chosen}
    steps = [(tool, arguments), ("no_such_tool", {}), (tool, {name: "$1.a.0" for name in chosen})]
    told = [plan_tasks([planned(steps)], runs)[0] for runs in (("a", "b"), ("c", "d"))]
    assert shape(told[0]) == shape(told[1])
    assert told[0].reason and "\n" not in told[0].reason


def test_what_both_runs_ask_alike_is_exact() -> None:
    """What both runs ask alike is exact and planned once; the rest follows its step; a row's own request is kept."""
    known = plan_of([("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"})])
    urls = [request.url for request in known.requests]
    assert urls[0] == "https://api.coingecko.com/api/v3/coins/list?include_platform=true"
    assert "/coins/ethereum/market_chart/range?" in urls[1] and all(request.exact for request in known.requests)
    ticker = plan_of([("price_feed", {"asset": "ETH", "at": "2025-04-01"})]).requests[1]
    assert not ticker.exact and f"/coins/{GAP}/market_chart/range?" in ticker.url
    assert ticker.follows == "follows earlier replies of step 1"
    plan = plan_of(CHAINS["block then price"], AT_BLOCK)
    charts = [request for request in plan.requests if "market_chart" in request.url]
    assert charts and all(f"from={GAP}" in one.url and one.follows == "follows step 1" for one in charts)
    assert plan.requests[0].exact and plan.follows == ("step 2 (price_feed) follows step 1",)
    wanted = HttpRequest("POST", "https://api.dune.com/api/v1/sql/execute", b'{"sql":"SELECT 1"}')
    (request,) = plan_of([], why_not="no provider", needs=("SQL",), requests=(wanted,)).requests
    assert (request.method, request.body, request.provider, request.exact) == (
        "POST", '{"sql":"SELECT 1"}', "dune", True,
    )  # fmt: skip
    steps = [("price_feed", {"asset": "id:ethereum"}), ("price_feed", {"asset": "id:bitcoin"})]
    urls = [request.url for request in plan_of(steps).requests]
    assert len(urls) == len(set(urls)) == 3
    beside = plan_of(steps, requests=(HttpRequest("GET", urls[0]),))
    assert [request.url for request in beside.requests] == urls


def test_a_step_that_the_tool_refuses_is_told() -> None:
    """In the tool's own words what no answer can mend; not what is unknown yet or estimated of a chain's blocks."""
    plan = plan_of([("price_feed", {"asset": "id:ethereum", "at": "2019-01-01"})])
    assert "CoinGecko goes back 365 days" in plan.refusals[0] and plan.refusals[0] in plan.reason
    assert plan_of([("price_feed", {"assets": "ETH"})]).refusals
    follows = [("code_execution", {"code": "1"}), ("price_feed", {"asset": "$1.coin", "at": "2019-01-01"})]
    assert plan_of(follows).refusals == ()
    days = plan_of([("network_activity", {"chain": "base", "start": "2025-04-01", "end": "2025-04-10"})])
    assert days.refusals == () and days.chain_calls


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ({"why_not": "no provider", "needs": ("a Solana index",), "note": "why"}, "needs provider", "a Solana index"),
        ({"moment": "anchor", "anchor_kind": "assumed"}, "unanchored", "the moment is assumed"),
        ({"moment": "fixed", "anchor_kind": "assumed"}, "recordable", "1 call"),
        ({"why_not": "not anchored", "note": "why"}, "unanchored", "why"),
        ({"why_not": "needs judgement", "note": "why"}, "recordable", "needs a judge; why"),
    ],
)
def test_every_status_has_its_reason(more: dict[str, Any], status: str, words: str) -> None:
    """No provider, no moment, or recordable; what a judge must add is said in the reason."""
    plan = plan_of(CHAINS["block"], **more)
    assert (plan.status, words in plan.reason) == (status, True), plan.reason


def test_keys_tiers_time_and_cost_are_the_terms() -> None:
    """One search of X's archive is two full pages; a chart is paid; a page of the reader needs no key."""
    posts = plan_of([("twitter_search", {"query": "unlock"})])
    assert (posts.keys, posts.paid, str(posts.dollars)) == (("X_BEARER_TOKEN",), ("X search",), "1.0")
    page = plan_of([("url_fetching", {"url": "https://docs.example/a"})])
    assert (page.keys, page.optional_keys, page.paid, str(page.seconds)) == ((), ("JINA_API_KEY",), (), "5.5")
    listing, capture = page.requests
    assert listing.exact and listing.url.startswith("https://web.archive.org/cdx/search/cdx?url=https%3A%2F%2Fdocs")
    assert "to=20250501235959" in listing.url
    assert capture.url == f"https://r.jina.ai/https://web.archive.org/web/{GAP}/https://docs.example/a"
    chart = plan_of([("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"})])
    assert chart.keys == ("COINGECKO_PRO_API_KEY",) and "CoinGecko charts" in chart.paid
    assert plan_of([("ranking_query", {})]).calls == 70  # every page of the list of coins
    nothing = plan_of([])
    assert (nothing.status, nothing.calls) == ("needs provider", 0)
    assert nothing.reason.startswith("no gold chain is known")


def fits(request: PlannedRequest, asked: HttpRequest) -> bool:
    """Whether a planned request is the one that was asked, whatever its gaps stand for."""
    told = [".*".join(map(re.escape, text.split(GAP))) for text in (request.url, request.body)]
    real = (asked.url, asked.body.decode())
    return all(re.fullmatch(*pair) for pair in zip(told, real, strict=True))


@pytest.mark.check
def test_what_tools_really_ask_is_in_the_plan() -> None:
    """Over a recorded world every API request of a call, widened, is one of those that were planned for it."""
    folder = open_world("synthetic-178")
    providers, unplanned, count = providers_over({}), [], 0
    with FrozenWorld(folder) as frozen:
        task = max(map(folder.task, folder.suite.active()), key=lambda one: one.anchor.timestamp)
        for tool, arguments in real_calls(frozen.task(task)):
            world, asked = frozen.task(task), list[HttpRequest]()
            listen(world, asked)
            with WorldToolset(world) as toolset:
                toolset.call(tool, json.dumps(arguments))
            requests = plan_of([(tool, arguments)], task.anchor).requests
            speakers = [(own, who) for own in asked for who in providers if who.match(own)]
            wide = [one for own, who in speakers for one in who.widen(own, task.anchor.timestamp)]
            count += len(wide)
            unplanned += [one.url for one in wide if not any(fits(each, one) for each in requests)]
    assert unplanned == [] and count > 20


def listen(world: TaskWorld, asked: list[HttpRequest]) -> None:
    answer = world.answer

    def noting(request: HttpRequest) -> Any:
        asked.append(request)
        return answer(request)

    world.answer = noting  # type: ignore[method-assign]


def real_calls(world: TaskWorld) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of things that the world lists."""
    coins, protocols, exchanges = (
        json.loads(world.answer(HttpRequest("GET", url))[0].body)
        for url in (
            "https://api.coingecko.com/api/v3/coins/list?include_platform=true",
            "https://api.llama.fi/protocols",
            "https://api.llama.fi/overview/dexs",
        )
    )
    coin = f"id:{coins[1]['id']}"
    yield "price_feed", {"asset": coin}
    yield "price_feed", {"asset": coins[1]["symbol"], "start": "2024-05-01", "interval": "daily"}
    yield "indicator_analysis", {"asset": coin, "indicator": "rsi", "interval": "1d"}
    yield "positioning_analysis", {"asset": coin, "metric": "funding"}
    yield "ranking_query", {}
    yield "release_schedule", {"asset": coin}
    yield "supply_query", {"asset": coin}
    yield "protocol_metrics", {"protocol": f"slug:{protocols[0]['slug']}", "at": "2024-05-20"}
    yield "revenue_analysis", {"protocol": protocols[0]["name"], "measure": "revenue", "start": "2024-05-20"}
    yield "exchange_summary", {"exchange": exchanges["protocols"][0]["name"]}
    yield "exchange_overview", {}


@pytest.mark.check
@pytest.mark.real
def test_all_real_tasks_are_planned(real_data: Path) -> None:
    """178 of 178 rows have a status and a reason, and no stand-in is in any."""
    plans = plan_tasks(planned_tasks(real_data / "caia" / "benchmark_178.csv"))
    assert len(plans) == 178 and all(plan.reason for plan in plans)
    assert not [text for plan in plans for text in texts(plan.plain()) if MARK.search(text)]
