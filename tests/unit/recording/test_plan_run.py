"""Two dry runs of a task with different stand-ins, what of them differs, and how a plan is told."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput
from caia_replay.recording.api_key import HOSTS, KEYS
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_compare import WINDOW, Planned, compared, speaker, template_of
from caia_replay.recording.plan_report import duration_text, plan_json, plan_lines
from caia_replay.recording.plan_run import UNTOLD, DryRun, StepRun, chains_of, dry_run
from caia_replay.recording.plan_stand_in import GAP, MARK, StandIn, without_marks
from caia_replay.recording.plan_task import PlannedRequest, PlannedTask, TaskPlan
from caia_replay.recording.plan_terms import NODE, all_terms, read_terms, terms_of
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
    """No clock and no chance is in a run; the chains are the anchor's and those that steps name."""
    steps = [("price_feed", {"asset": "ETH"}), ("web_search", {"query": "a"})]
    assert run(*steps) == run(*steps) != run(*steps, letter="b")
    unknown, block = Anchor("ethereum", 19_560_000, -1), ("block_query", {})
    assert run(block).now == NOW
    assert UNTOLD < run(block, anchor=unknown).now != run(block, anchor=unknown, letter="b").now
    steps = (
        ("block_query", {"chain": "Base"}),
        ("protocol_metrics", {"chain": "Blast"}),
        ("supply_query", {"asset": "UNI", "chain": "$1.chain"}),
        ("time_conversion", {"chain": "all"}),
    )
    assert chains_of(task(*steps)) == ("ethereum", "base")


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
    """The plan shows what is recorded, each once, with who speaks for it and how often; a moving window is a gap."""
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
    series = f"{SPOT}/klines?symbol=ETHUSDT&interval=1d&endTime=1740614400000&startTime="
    urls = [f"{series}{start}" for start in (1_740_009_600_000, 1_740_096_000_000)]
    (found,) = plans(dry([urls[0]]), dry([urls[1]]))
    assert not found.template.exact
    assert all(f"{name}={GAP}" in found.template.url for name in WINDOW & {"startTime"})
    assert "symbol=ETHUSDT" in found.template.url


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


PRICE = PlannedTask(
    "caia-001", Anchor("ethereum", -1, NOW), "date",
    GoldChain((GoldStep("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"}),), "$1.price"), "fixed",
)  # fmt: skip
POSTS = replace(
    PRICE, id="caia-002", gold=GoldChain((GoldStep("twitter_search", {"query": "unlock"}),), ""),
    why_not="needs judgement", note="a note\nof two lines",
)  # fmt: skip
CHAIN = replace(PRICE, id="caia-003", gold=GoldChain((GoldStep("block_query", {"block": 7}),), "$1.number"))
NOTHING = replace(
    PRICE, id="caia-004", gold=GoldChain((), ""), why_not="no provider", needs=("an index",), note="why",
    requests=(HttpRequest("GET", "https://a.example/x"),),
)  # fmt: skip
WRONG = replace(PRICE, id="caia-005", gold=GoldChain((GoldStep("price_feed", {"asset": "id:a", "at": "1999"}),), "$1"))
PLANS = plan_tasks([PRICE, POSTS, CHAIN, NOTHING, WRONG])
LINES = plan_lines(PLANS)


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
    assert "key X_BEARER_TOKEN: 1 task: caia-002" in LINES
    assert "key COINGECKO_DEMO_API_KEY, for a better pace: 1 task: caia-001" in LINES
    assert "paid X search: reading posts is paid by the post, the full archive included: 2 calls, 1.00 USD" in text
    assert "archive node" in text and "no price by the call is published" in text
    assert LINES[-1].startswith("in all 6 calls (5 requests, 5 different), ")
    assert "1.00 USD, without archive node; terms as of 20" in LINES[-1]
    many = plan_lines(plan_tasks([replace(POSTS, id=f"caia-{at:03d}", note="\x1b[2J\u202e") for at in range(200)]))
    assert all(f"caia-{at:03d}" in next(line for line in many if line.startswith("key X_")) for at in range(200))
    assert all(line.isprintable() for line in many)


def test_the_json_says_what_the_lines_say() -> None:
    """The same tasks in the same order with every field under its name, and sums that are the tasks' own."""
    told = json.loads(json.dumps(plan_json(PLANS)))
    assert [task["id"] for task in told["tasks"]] == [plan.id for plan in PLANS]
    for task in told["tasks"]:
        assert set(task) == set(TaskPlan.__slots__)
        assert all(set(one) == set(PlannedRequest.__slots__) for one in task["requests"])
    assert told["tasks"][2]["chain_calls"] == {"ethereum": {"eth_getBlockByNumber": 1}}
    assert told["summary"]["statuses"] == {"recordable": 3, "needs provider": 2, "unanchored": 0}
    assert told["summary"]["calls"] == sum(task["calls"] for task in told["tasks"])
    assert Decimal(told["summary"]["seconds"]) == sum(Decimal(task["seconds"]) for task in told["tasks"])
    assert told["summary"]["paid"]["X search"]["source"].startswith("https://docs.x.com/")
    assert plan_lines(())[0] == "0 tasks: 0 recordable, 0 needs provider, 0 unanchored"
    assert len(plan_lines(())) == 2 and plan_lines(())[-1].startswith("in all 0 calls")
    lengths = {"0": "0 s", "0.4": "0 s", "119": "119 s", "120": "2 min", "7199": "120 min", "9000": "2.5 h"}
    assert {seconds: duration_text(Decimal(seconds)) for seconds in lengths} == lengths


ROW = """[[terms]]
name = "a"
match = "^https://a"
tier = "free"
tells = "now"
seconds = 0.1
source = "here"
date = "2026-01-01"
"""


def test_every_row_says_where_it_is_from() -> None:
    """Names are told once, paid rows say for what, keys are the recorder's own, and each of its hosts has terms."""
    terms = all_terms()
    assert len({one.name for one in terms}) == len(terms)
    assert {one.key for one in terms} <= {key.variable for key in KEYS} | {"CAIA_REPLAY_RPC_URL", ""}
    for one in terms:
        assert one.source and len(one.date) == len("2026-01-01") and one.seconds > 0 and one.pages >= 1
        assert one.why if one.tier == "paid" else one.usd_per_call == 0, one.name
    for host in sorted(HOSTS):
        path = "2/tweets" if host == "api.x.com" else "v2/api?action=x"
        assert terms_of(f"https://{host}/{path}").name != "other addresses", host
    with pytest.raises(BadInput, match="no terms are known"):
        terms_of("ftp://a.example/")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.coingecko.com/api/v3/coins/{…}/market_chart/range?from=1", "CoinGecko charts"),
        ("https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&page=1", "CoinGecko markets"),
        ("https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&ids=a", "CoinGecko"),
        ("https://api.etherscan.io/v2/api?chainid=1&module=account&action=balancehistory", "Etherscan PRO"),
        (
            "https://api.etherscan.io/v2/api?chainid=8453&module=account&action=txlist",
            "Etherscan on chains of paid plans",
        ),
        ("https://api.etherscan.io/v2/api?chainid=8453&module=contract&action=getabi", "Etherscan"),
        ("https://api.etherscan.io/v2/api?chainid=1&module=contract&action=getabi&address=0x1", "Etherscan"),
        ("https://pro-api.llama.fi/SCRUBBED/api/userData/users/1", "DefiLlama users"),
        ("https://r.jina.ai/https://web.archive.org/web/2025id_/https://a.example/", "reader of captures"),
        (NODE + "base", "archive node"),
    ],
)
def test_the_first_row_that_fits_counts(url: str, name: str) -> None:
    """What is paid for stands before what is free on the same host."""
    assert terms_of(url).name == name


@pytest.mark.parametrize(
    ("row", "words"),
    [(ROW.replace("seconds = 0.1\n", ""), "has no 'seconds'"), (ROW + "price = 1\n", "'price' is no field"),
     (ROW.replace('"free"', '"cheap"'), "tier is free or paid")],
)  # fmt: skip
def test_a_wrong_row_is_refused_by_its_number(row: str, words: str) -> None:
    """The row and the field are named; a figure is the decimal that was written, a paid row may be unpriced."""
    with pytest.raises(BadInput, match=f"row 1: .*{words}"):
        read_terms(row)
    free, paid = read_terms(ROW + ROW.replace('"free"', '"paid"'))
    assert (free.seconds, free.usd_per_call, paid.usd_per_call) == (Decimal("0.1"), 0, None)
