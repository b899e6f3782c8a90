"""What recording tasks would ask, told without asking anybody: two dry runs in a world of stand-ins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput, ToolError
from caia_replay.providers.endpoint import provider_of
from caia_replay.recording.live_search import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_chain import KNOWN, PlanChain
from caia_replay.recording.plan_compare import template_of
from caia_replay.recording.plan_report import duration_text, plan_lines
from caia_replay.recording.plan_run import DryRun, dry_run
from caia_replay.recording.plan_stand_in import GAP, MARK, StandIn, without_marks
from caia_replay.recording.plan_task import PlannedRequest, PlannedTask, TaskPlan
from caia_replay.recording.plan_terms import terms_of
from caia_replay.recording.plan_world import PlanWorld
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
        "POST", '{"sql":"SELECT 1"}', "plain_http", True,
    )  # fmt: skip
    steps = [("price_feed", {"asset": "id:ethereum"}), ("price_feed", {"asset": "id:bitcoin"})]
    urls = [request.url for request in plan_of(steps).requests]
    assert len(urls) == len(set(urls)) == 3
    beside = plan_of(steps, requests=(HttpRequest("GET", urls[0]),))
    assert [request.url for request in beside.requests] == urls


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
            speakers = [(own, provider_of(providers, own)) for own in asked]
            wide = [one for own, who in speakers for one in who.widen(own, task.anchor.timestamp)]
            count += len(wide)
            unplanned += [one.url for one in wide if not any(fits(each, one) for each in requests)]
    assert unplanned == [] and count > 15


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
    yield "positioning_analysis", {"asset": coin, "metric": "funding"}
    yield "ranking_query", {}
    yield "release_schedule", {"asset": coin}
    yield "protocol_metrics", {"protocol": f"slug:{protocols[0]['slug']}", "at": "2024-05-20"}
    yield "revenue_analysis", {"protocol": protocols[0]["name"], "measure": "revenue", "start": "2024-05-20"}
    yield "exchange_summary", {"exchange": exchanges["protocols"][0]["name"]}
    yield "exchange_overview", {}


def run(*steps: tuple[str, dict[str, Any]]) -> DryRun:
    return dry_run(planned(list(steps)), StandIn("a"))


def urls(found: DryRun) -> list[str]:
    return [asked.request.url for step in found.steps for asked in step.asked]


def test_what_a_step_tells_is_what_the_next_one_asks() -> None:
    """References are evaluated on stand-in replies; unknown tools, arguments and values are refusals."""
    found = run(("web_search", {"query": "a"}), ("url_fetching", {"url": "$1.results.0.url"}))
    assert [step.fault for step in found.steps] == ["", ""] and found.steps[1].depends == (1,)
    assert len(found.steps[1].asked) == 2
    priced = ("price_feed", {"asset": "id:a", "at": "$1.time_utc"})
    found = run(("balance_query", {"address": USDC, "time": "2025-04-01"}), priced)
    (last,) = [parse_qs(urlsplit(url).query)["to"][0] for url in urls(found) if "range" in url]
    assert abs(int(last) - 1_743_465_600) < 86_400
    code = ("code_execution", {"code": "while True: pass"})
    found = run(("no_tool", {}), ("price_feed", {"asset": "ETH", "coin": "ETH"}), ("balance_query", {"address": "0x1"}))
    assert [step.is_refusal for step in found.steps] == [True, True, True]
    assert "no tool is called" in found.steps[0].fault and "is no argument" in found.steps[1].fault
    (step,) = run(code).steps
    assert step.asked == () and not step.is_refusal and "code" in step.fault


ONE, OTHER = StandIn("a"), StandIn("b")


def get(url: str) -> HttpRequest:
    return HttpRequest("GET", url)


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("/a/1/b", "/a/2/b", f"/a/{GAP}/b"),
        ("/a?x=1&y=2", "/a?y=2&x=3", f"/a?x={GAP}&y=2"),
        ("/a?x=1,2,3", "/a?x=1,5,3", f"/a?x=1,{GAP},3"),
        ("/a", "/a?x=1", f"/a?x={GAP}"),
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


POSTS = planned([("twitter_search", {"query": "unlock"})], why_not="needs judgement", note="a note\nof two lines")
WRITTEN = (
    planned([("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"})]), POSTS,
    planned([("block_query", {"block": 7})]),
    planned([], why_not="no provider", needs=("an index",), note="why",
            requests=(HttpRequest("GET", "https://a.example/x"),)),
    planned([("price_feed", {"asset": "id:a", "at": "1999"})]),
)  # fmt: skip
LINES = plan_lines(plan_tasks([replace(one, id=f"caia-00{at}") for at, one in enumerate(WRITTEN, 1)]))


def test_a_task_is_one_line() -> None:
    """A task is one line that no note breaks or colours; the summary tells strangers, refusals, keys, time, cost."""
    assert [line.split(":")[0] for line in LINES[:5]] == [
        "caia-001 recordable", "caia-002 recordable", "caia-003 recordable", "caia-004 needs provider",
        "caia-005 needs provider",
    ]  # fmt: skip
    assert not [line for line in LINES if "\n" in line]
    assert "a note of two lines" in LINES[1] and LINES[1].endswith("2 calls, 2 s, 1.00 USD; X_BEARER_TOKEN")
    text = "\n".join(LINES[5:])
    assert LINES[5] == "5 tasks: 3 recordable, 2 needs provider, 0 unanchored"
    assert "no provider speaks for: a.example (caia-004)" in LINES
    assert "refused by the tools as they are written: caia-005 step 1 (price_feed)" in text
    assert LINES[-1].startswith("in all 6 calls (5 requests, 5 different), ")
    assert "1.00 USD, without archive node; terms as of 20" in LINES[-1]
    assert all(line.isprintable() for line in plan_lines(plan_tasks([replace(POSTS, note="\x1b[2J\u202e")])))
    lengths = {"0": "0 s", "0.4": "0 s", "119": "119 s", "120": "2 min", "7199": "120 min", "9000": "2.5 h"}
    assert {seconds: duration_text(Decimal(seconds)) for seconds in lengths} == lengths


def test_what_is_paid_for_stands_before_what_is_free() -> None:
    """On the same host the first row of terms that fits counts."""
    coins, scan = "https://api.coingecko.com/api/v3/coins/", "https://api.etherscan.io/v2/api?chainid=1&module="
    for url, name in (
        (f"{coins}{GAP}/market_chart/range?from=1", "CoinGecko charts"), (f"{coins}markets?ids=a", "CoinGecko"),
        (f"{scan}account&action=balancehistory", "Etherscan PRO"), (f"{scan}contract&action=getabi", "Etherscan"),
    ):  # fmt: skip
        assert terms_of(url).name == name
    with pytest.raises(BadInput, match="no terms are known"):
        terms_of("ftp://a.example/")


def stand_in_world(anchor: Anchor | None = None, chains: tuple[str, ...] = ("ethereum", "base")) -> PlanWorld:
    return PlanWorld(anchor or Anchor("ethereum", -1, NOW), NOW, StandIn("a"), chains, 30_000_000)


def test_searches_are_the_recorders_own() -> None:
    """The search API and the archive are asked as a recording asks them; what cannot be read is refused before."""
    found = stand_in_world()
    found.search("unlock dates", 7, tbs="qdr:w")
    assert found.asked[0] == (web_question("unlock dates", "qdr:w", NOW), True)
    listings, pages = found.asked[1::2], found.asked[2::2]
    assert len(listings) == len(pages) == FIRST_RESULTS
    assert all("web.archive.org/cdx" in one.request.url for one in listings)
    found.search_posts("unlock", 5)
    assert found.asked[-1] == (posts_question("unlock", NOW), False)
    found.post("17")
    assert found.asked[-1].request == posts_question("conversation:17", NOW)
    found = stand_in_world()
    count = len(found.asked)
    with pytest.raises(ToolError, match="is no window"):
        found.search("a", 5, tbs="next tuesday")
    with pytest.raises(ToolError):
        found.page("not an address")
    assert len(found.asked) == count
    found.page("https://web.archive.org/web/20250101000000id_/https://a.example/")
    assert [one.is_wide for one in found.asked[count:]] == [True]


def chain(name: str = "ethereum", newest: int = 22_000_000) -> PlanChain:
    return PlanChain(name, newest, NOW, StandIn("a"))


@given(st.sampled_from([*KNOWN, "nobody's"]), st.integers(0, 10**9), st.lists(st.integers(0, 10**9), min_size=2))
def test_blocks_stand_in_the_order_of_time(name: str, newest: int, heights: list[int]) -> None:
    """A later block is never earlier, the newest is of the task's moment, and none is older than any chain."""
    found = chain(name, newest)
    times = [found.time(height) for height in sorted(min(height, newest) for height in heights)]
    assert times == sorted(times) and found.time(newest) == NOW and times[0] >= 1_438_000_000
