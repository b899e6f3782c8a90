"""What recording tasks would ask, told without asking anybody: the table of what tools ask, filled with their steps."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.plain_http.provider import NAME as PLAIN_HTTP
from caia_replay.recording import plan
from caia_replay.recording.page_source import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import affordable, duration_text, plan_lines
from caia_replay.recording.plan_table import CHAIN_ID, GAP, MOMENT, PLACE, PlannedTask, TaskPlan, calls_table, terms_of
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.every_provider import providers_over
from tests.hostile_arguments import WILD

NOW = 1_746_143_999
TODAY = 1_796_000_000
"""A day of November 2026: what was asked of the spring before last is older than a year."""
ETHEREUM = Anchor("ethereum", -1, NOW)
AT_BLOCK = Anchor("ethereum", 19_560_000, -1)
USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
PROVIDERS = providers_over({})
Step = tuple[str, dict[str, Any]]


def planned(steps: list[Step], anchor: Anchor = ETHEREUM, **more: Any) -> PlannedTask:
    told = {"anchor_kind": "date", "moment": "fixed", **more}
    gold = GoldChain(tuple(GoldStep(tool, arguments) for tool, arguments in steps), "$1.x" if steps else "")
    return PlannedTask("task-1", anchor, gold=gold, **told)


def plan_of(*steps: Step, anchor: Anchor = ETHEREUM, **more: Any) -> TaskPlan:
    return plan_tasks([planned(list(steps), anchor, **more)], TODAY)[0]


def urls(plan: TaskPlan) -> list[str]:
    return [request.url for request in plan.requests]


def node_calls(plan: TaskPlan) -> dict[str, int]:
    return {call.method: call.calls for call in plan.chain_calls}


def test_rows_are_of_known_tools_and_vendors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is of a tool, its address has a provider of its own and terms; a plan names a tool without rows."""
    table = calls_table()
    assert table.rows.keys() <= CATALOG.keys()
    assert [tool for tool, rows in table.rows.items() if not rows] == ["code_execution"]
    for row in (row for rows in table.rows.values() for row in rows if row.url):
        url = PLACE.sub("1", row.url).replace(GAP, "1")
        assert provider_of(PROVIDERS, HttpRequest("GET", url)).name != PLAIN_HTTP, url
        assert terms_of(row.url).name != "other addresses", url
    monkeypatch.setattr(plan, "calls_table", lambda: replace(table, rows={}))
    told = plan_of(("balance_query", {"address": "0x" + "00" * 20}))
    assert told.follows == ("step 1 (balance_query) asks what plan_calls.toml does not say",) and not told.chain_calls


def test_rows_rest_on_what_their_tools_take() -> None:
    """Each asks one thing; its patterns can be read, and its names are arguments of its tool or places that are."""
    table = calls_table()
    for tool, rows in table.rows.items():
        known = {*CATALOG[tool].arguments.model_fields, "now"}
        for row in rows:
            assert sum(map(bool, (row.url, row.ask, row.node))) == 1, (tool, row)
            assert len(row.blocks) in (0, 2) and len(row.days) in (0, 2), (tool, row)
            for one in row.alternatives:
                assert {name for names in one for name in names.split("|")} <= known, (tool, one)
                assert all(isinstance(wanted, bool) or re.compile(wanted) for wanted in one.values())
            assert {row.each, *(MOMENT.fullmatch(text)[1] for text in row.blocks)} <= {*known, ""}, (tool, row)
            for name, _, _, form in PLACE.findall(row.url + row.text):
                of = {name} if form else known if name == CHAIN_ID else {*table.places[name].of}
                assert of & known, (tool, name)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(CATALOG)), st.integers(0, 10**6))
def test_whatever_a_chain_says_it_is_planned(tool: str, seed: int) -> None:
    """Arguments that no tool takes end in a plan too, the same one every time; nobody is asked."""
    rng = Random(seed)
    names = list(CATALOG[tool].arguments.model_fields)
    chosen = rng.sample(names, rng.randrange(len(names) + 1))
    arguments = {name: rng.choice([*WILD, "$1.x", "= $9.y + 1", "= )("]) for name in chosen}
    steps = [(tool, arguments), ("no_such_tool", {}), (tool, {name: "$1.a.0" for name in chosen})]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "socket", lambda *given, **more: pytest.fail("somebody was asked"))
        told = [plan_of(*steps) for _ in range(2)]
    assert told[0] == told[1] and told[0].refusals
    assert told[0].reason and "\n" not in told[0].reason


def test_what_is_known_is_exact_and_asked_once() -> None:
    """What a step says is exact, widened and planned once; the rest is a gap that follows its step."""
    known = plan_of(("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"}))
    assert urls(known)[0] == "https://api.coingecko.com/api/v3/coins/list?include_platform=true"
    assert "/coins/ethereum/market_chart/range?" in urls(known)[1] and all(one.exact for one in known.requests)
    ticker = plan_of(("price_feed", {"asset": "ETH", "at": "2025-04-01"})).requests[1]
    assert not ticker.exact and f"/coins/{GAP}/market_chart/range?" in ticker.url
    assert ticker.follows == "follows earlier replies of step 1"
    plan = plan_of(
        ("block_query", {"block": 7}), ("price_feed", {"asset": "id:a", "at": "$1.time_utc"}), anchor=AT_BLOCK
    )
    assert f"from={GAP}&to={GAP}" in plan.requests[1].url and plan.requests[1].follows == "follows step 1"
    assert plan.requests[0].exact and plan.follows == ("step 2 (price_feed) follows step 1",)
    steps: list[Step] = [("price_feed", {"asset": "id:ethereum"}), ("price_feed", {"asset": "id:bitcoin"})]
    both = urls(plan_of(*steps))
    assert len(both) == len(set(both)) == 3
    assert urls(plan_of(*steps, requests=(HttpRequest("GET", both[0]),))) == both
    names = plan_of(("price_feed", {"asset": "ETH"}), ("price_feed", {"asset": "BTC"})).requests
    assert [one.calls for one in names] == [1, 2] and GAP in names[1].url
    wanted = HttpRequest("POST", "https://api.dune.com/api/v1/sql/execute", b'{"sql":"SELECT 1"}')
    (request,) = plan_of(why_not="no provider", needs=("SQL",), requests=(wanted,)).requests
    assert (request.body, request.provider, request.exact) == ('{"sql":"SELECT 1"}', "dune", True)


@pytest.mark.parametrize(("step", "told"), [
    (("no_tool", {}), "no tool is called 'no_tool'"),
    (("price_feed", {"asset": "ETH", "coin": "ETH"}), "'coin' is no argument"),
    (("price_feed", {}), "asset: Field required"),
    (("price_feed", {"asset": "ETH", "limit": "many"}), "limit: "),
])  # fmt: skip
def test_what_a_schema_refuses_is_told_and_asks_nobody(step: Step, told: str) -> None:
    """An unknown tool, an unknown, missing or mistyped argument; what an earlier step will tell may be anything."""
    plan = plan_of(step)
    assert plan.status == "needs provider" and told in plan.refusals[0] and not plan.requests
    assert plan_of(("price_feed", {"asset": "ETH", "limit": "$1.x", "at": "= $1.y"})).refusals == ()
    assert plan_of(("balance_query", {"address": ["$1.x", USDC]})).refusals == ()
    assert plan_of(("code_execution", {"code": "1"})).follows == ("step 1 (code_execution) asks nobody",)


def test_searches_are_the_recorders_own() -> None:
    """The search API, the archive and the social network are asked as a recording asks them."""
    search, listing, reader = plan_of(("web_search", {"query": "unlock dates", "past": "week"})).requests
    assert search.body.encode() == web_question("unlock dates", "qdr:w1", NOW).body
    assert (listing.calls, reader.calls) == (FIRST_RESULTS, FIRST_RESULTS)
    assert "web.archive.org/cdx" in listing.url and reader.url.startswith(
        "https://r.jina.ai/https://web.archive.org/web/"
    )
    (post,) = plan_of(("twitter_search", {"query": "unlock from:a"})).requests
    assert post.url == provider_of(PROVIDERS, asked := posts_question("unlock from:a", NOW)).widen(asked, NOW)[0].url
    handles = plan_of(("social_stream", {"handles": ["@a", "b"], "limit": 5}))
    assert ["from%3Aa+from%3Ab" in urls(handles)[0], "usernames=a" in urls(handles)[1]] == [True, True]
    archived = "https://web.archive.org/web/20250101000000id_/https://a.example/"
    assert urls(plan_of(("url_fetching", {"url": archived}))) == [f"https://r.jina.ai/{archived}"]
    unknown = plan_of(("web_search", {"query": "a"}), anchor=AT_BLOCK).requests
    assert strict_json(unknown[0].body)["tbs"] == GAP and not any(request.exact for request in unknown)


def test_blocks_of_a_range_are_counted() -> None:
    """By heights, by days at the chain's pace, and never more than there are; chains without a fork have no node."""
    tables = ("data_query", {"sql": "SELECT 1 FROM blocks", "from_block": 10, "to_block": 19})
    assert node_calls(plan_of(tables)) == {"eth_getBlockByNumber": 10, "eth_getBlockReceipts": 10}
    day = {"sql": "SELECT 1 FROM blocks", "from_block": "2025-05-01", "to_block": "2025-05-01"}
    assert node_calls(plan_of(("data_query", day)))["eth_getBlockReceipts"] == 7_200
    assert node_calls(plan_of(("data_query", {**day, "chain": "10"})))["eth_getBlockReceipts"] == 43_200
    young = Anchor("mini", 55, NOW)
    assert node_calls(plan_of(("data_query", day), anchor=young))["eth_getBlockReceipts"] == 56
    assert node_calls(plan_of(("data_query", {**day, "to_block": "$1.x"})))["eth_getBlockReceipts"] == 1
    holders = plan_of(("balance_query", {"address": [USDC, "0x" + "1" * 40]}))
    assert node_calls(holders)["eth_getBalance"] == 2
    assert plan_of(("block_query", {"block": 7}), anchor=Anchor("solana", -1, NOW)).chain_calls == ()


POSTS = planned([("twitter_search", {"query": "unlock"})], why_not="needs judgement", note="a note\nof two lines")
WRITTEN = (
    planned([("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"})]), POSTS,
    planned([("block_query", {"block": 7})]),
    planned([], why_not="no provider", needs=("an index",), note="why",
            requests=(HttpRequest("GET", "https://a.example/x"),)),
    planned([("price_feed", {"asset": "id:a", "on": "1999"})]),
)  # fmt: skip
LINES = plan_lines(plan_tasks([replace(one, id=f"caia-00{at}") for at, one in enumerate(WRITTEN, 1)], TODAY))


def test_a_task_is_one_line() -> None:
    """A task is one line that no note breaks or colours; the summary tells strangers, refusals, keys, time, cost."""
    assert [line.split(":")[0] for line in LINES[:5]] == [
        "caia-001 recordable", "caia-002 recordable", "caia-003 recordable", "caia-004 needs provider",
        "caia-005 needs provider",
    ]  # fmt: skip
    assert not [line for line in LINES if "\n" in line]
    assert "a note of two lines" in LINES[1] and LINES[1].endswith("1 call, 1 s, 0.50 USD; X_BEARER_TOKEN")
    text = "\n".join(LINES[5:])
    assert LINES[5] == "5 tasks: 3 recordable, 0 will miss, 2 needs provider, 0 unanchored"
    assert "no provider speaks for: a.example (caia-004)" in LINES
    assert "refused by the tools as they are written: caia-005 step 1 (price_feed)" in text
    assert LINES[-1].startswith("in all 5 calls (4 requests, 4 different), ")
    assert "0.50 USD, without archive node; terms as of 20" in LINES[-1]
    assert all(line.isprintable() for line in plan_lines(plan_tasks([replace(POSTS, note="\x1b[2J\u202e")], TODAY)))
    lengths = {"0": "0 s", "0.4": "0 s", "119": "119 s", "120": "2 min", "7199": "120 min", "9000": "2.5 h"}
    assert {seconds: duration_text(Decimal(seconds)) for seconds in lengths} == lengths


def test_what_a_later_reply_cannot_tell_will_miss() -> None:
    """Figures of the day of recording prove nothing of the moment; names, histories and marked calendars do."""
    lost = plan_of(("supply_query", {"asset": "id:a"}))
    assert lost.status == "will miss" and "coins/markets tells nothing of its moment" in lost.reason
    assert ["coins/markets?" in request.url for request in lost.requests if request.is_lost] == [True]
    kept: dict[str, dict[str, Any]] = {
        "supply_query": {"asset": "id:a", "time": "2025-04-01"},
        "release_schedule": {"asset": "id:a"},
        "protocol_metrics": {"protocol": "slug:a", "at": "2025-04-01"},
        "web_search": {"query": "a"},
    }
    assert {plan_of(step).status for step in kept.items()} == {"recordable"}


def test_a_statement_is_recordable_where_its_own_words_end_its_time() -> None:
    """By the task's moment: an open one, and one that reads beyond it, will miss; chain tables are a node's."""
    day = datetime.fromtimestamp(NOW, UTC).date()
    closed = f"SELECT count(*) FROM dex.trades WHERE block_date < DATE '{day}'"
    plan = plan_of(("data_query", {"sql": closed}))
    assert (plan.status, plan.keys, [one.provider for one in plan.requests]) == (
        "recordable", ("DUNE_API_KEY",), ["dune", "dune"]
    )  # fmt: skip
    assert strict_json(plan.requests[0].body)["sql"] == closed and not plan.chain_calls
    for sql in ("SELECT count(*) FROM dex.trades", closed.replace("<", "=").replace(str(day), "2031-01-01")):
        assert plan_of(("data_query", {"sql": sql})).status == "will miss"
    assert plan_of(("data_query", {"sql": "SELECT count(*) FROM blocks"})).requests == ()
    (asked,) = plan_of(("transaction_query", {"hash": "5k" * 43, "chain": "solana"})).requests
    assert (asked.provider, strict_json(asked.body)["params"][0]) == ("solana", "5k" * 43)


def test_a_budget_pays_a_plan_once_and_the_cheapest_tasks_first() -> None:
    """What needs no money is within every budget; a vendor's month is paid by the first task that needs it."""
    chart = planned([("price_feed", {"asset": "id:a", "at": "2025-04-01"})])
    node, index = planned([("block_query", {"block": 7})]), planned([("network_activity", {"protocol": "slug:a"})])
    tasks = {"node": node, "one": chart, "two": chart, "posts": POSTS, "index": index}
    plans = plan_tasks([replace(task, id=name) for name, task in tasks.items()], TODAY)
    bought = {usd: " ".join(one.id for one in affordable(plans, Decimal(usd))[0]) for usd in ("0", "1", "36", "1000")}
    assert bought == {"0": "node", "1": "node posts", "36": "node one two posts", "1000": "node one two posts index"}
    assert affordable(plans, Decimal(36))[1] == Decimal("35.501")
    assert [plan.grade for plan in plans] == ["rule", "rule", "rule", "judge", "rule"]


def test_log_queries_are_counted_in_pieces() -> None:
    """A free node takes ten blocks a call."""
    asked = {
        "contract": USDC,
        "event": "Transfer(address,address,uint256)",
        "from_block": 1,
        "to_block": 95,
        "limit": 0,
    }
    assert node_calls(plan_of(("data_query", asked)))["eth_getLogs"] == 10


def test_what_is_paid_for_stands_before_what_is_free() -> None:
    """On the same host the first row of terms that fits counts."""
    coins, scan = "https://api.coingecko.com/api/v3/coins/", "https://api.etherscan.io/v2/api?chainid=1&module="
    for url, name in (
        (f"{coins}{GAP}/history?date=1", "CoinGecko charts of a year"), (f"{coins}markets?ids=a", "CoinGecko"),
        (f"{scan}account&action=balancehistory", "Etherscan PRO"), (f"{scan}contract&action=getabi", "Etherscan"),
    ):  # fmt: skip
        assert terms_of(url).name == name
    with pytest.raises(BadInput, match="no terms are known"):
        terms_of("ftp://a.example/")


@pytest.mark.parametrize(("day", "terms", "usd"), [
    ("2026-11-01", "CoinGecko charts of a year", "0"), ("2025-04-01", "CoinGecko charts", "0.0005"),
    ("2024-11-25", "CoinGecko charts of all years", "0.0005"),
])  # fmt: skip
def test_how_far_back_a_question_goes_says_which_plan_answers_it(day: str, terms: str, usd: str) -> None:
    """A year of prices is free, two are Basic's, all are Analyst's, by the narrow question and not by its wide form."""
    plan = plan_of(("price_feed", {"asset": "id:a", "at": day}), anchor=Anchor("ethereum", -1, TODAY - 90_000))
    (chart,) = [one for one in plan.requests if "market_chart" in one.url]
    assert (plan.status, chart.terms, str(plan.dollars)) == ("recordable", terms, usd)


def test_what_no_plan_keeps_will_miss() -> None:
    """Statistics of futures end thirty days before a recording; a day later the same task is lost, and why is told."""
    step = ("positioning_analysis", {"asset": "BTC", "metric": "oi", "start": "2026-10-10", "end": "2026-10-12"})
    task = planned([step], Anchor("ethereum", -1, 1_791_900_000))
    assert plan_tasks([task], 1_791_590_400 + 30 * 86_400)[0].status == "recordable"
    (plan,) = plan_tasks([task], 1_791_590_400 + 31 * 86_400)
    assert plan.status == "will miss"
    assert "Binance statistics end 30 days before a recording, and https://fapi.binance.com/futures" in plan.reason
