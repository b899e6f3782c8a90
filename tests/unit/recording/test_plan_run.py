"""Two dry runs of a task in a world of stand-ins, what of them differs, and how a plan is told."""

from __future__ import annotations

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
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.recording.live_search import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_chain import KNOWN, PlanChain, PlanFork
from caia_replay.recording.plan_compare import WINDOW, Planned, compared, template_of
from caia_replay.recording.plan_report import duration_text, plan_lines
from caia_replay.recording.plan_run import UNTOLD, DryRun, StepRun, chains_of, dry_run
from caia_replay.recording.plan_stand_in import GAP, MARK, StandIn, without_marks
from caia_replay.recording.plan_task import PlannedTask
from caia_replay.recording.plan_terms import NODE, read_terms, terms_of
from caia_replay.recording.plan_world import Asked, PlanWorld
from caia_replay.tools.signature import decode_outputs, parse_signature
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


def test_a_plan_stands_on_the_chains_that_it_names() -> None:
    """The anchor's and those that steps name; an unknown moment is a stand-in."""
    unknown, block = Anchor("ethereum", 19_560_000, -1), ("block_query", {})
    assert run(block).now == NOW
    assert UNTOLD < run(block, anchor=unknown).now != run(block, anchor=unknown, letter="b").now
    steps = (("block_query", {"chain": "Base"}), ("supply_query", {"asset": "UNI", "chain": "$1.chain"}))
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
        ("/a", "/a?x=1", f"/a?x={GAP}"),
        ("/a/b/c", "/a/b", f"/{GAP}"),
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
    assert LINES[-1].startswith("in all 6 calls (5 requests, 5 different), ")
    assert "1.00 USD, without archive node; terms as of 20" in LINES[-1]
    assert all(line.isprintable() for line in plan_lines(plan_tasks([replace(POSTS, note="\x1b[2J\u202e")])))
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


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.coingecko.com/api/v3/coins/{…}/market_chart/range?from=1", "CoinGecko charts"),
        ("https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&page=1", "CoinGecko markets"),
        (
            "https://api.etherscan.io/v2/api?chainid=8453&module=account&action=txlist",
            "Etherscan on chains of paid plans",
        ),
        ("https://api.etherscan.io/v2/api?chainid=8453&module=contract&action=getabi", "Etherscan"),
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


def planned_world(anchor: Anchor | None = None, chains: tuple[str, ...] = ("ethereum", "base")) -> PlanWorld:
    return PlanWorld(anchor or Anchor("ethereum", -1, NOW), NOW, StandIn("a"), chains, 30_000_000)


def test_searches_are_the_recorders_own() -> None:
    """The search API and the archive are asked as a recording asks them; what cannot be read is refused before."""
    found = planned_world()
    found.search("unlock dates", 7, tbs="qdr:w")
    assert found.asked[0] == (web_question("unlock dates", "qdr:w", NOW), True)
    listings, pages = found.asked[1::2], found.asked[2::2]
    assert len(listings) == len(pages) == FIRST_RESULTS
    assert all("web.archive.org/cdx" in one.request.url for one in listings)
    found.search_posts("unlock", 5)
    assert found.asked[-1] == (posts_question("unlock", NOW), False)
    found.post("17")
    assert found.asked[-1].request == posts_question("conversation:17", NOW)
    found = planned_world()
    count = len(found.asked)
    with pytest.raises(ToolError, match="is no window"):
        found.search("a", 5, tbs="next tuesday")
    with pytest.raises(ToolError):
        found.page("not an address")
    assert len(found.asked) == count
    found.page("https://web.archive.org/web/20250101000000id_/https://a.example/")
    assert [one.is_wide for one in found.asked[count:]] == [True]


def test_forks_stand_up_to_the_newest_block() -> None:
    """A recorded height is the newest one; of a moment the newest is a stand-in above all that the steps name."""
    assert planned_world(Anchor("ethereum", 19_560_000, -1)).newest("ethereum") == 19_560_000
    found = planned_world()
    assert found.newest("ethereum") > 30_000_000 != found.newest("base")
    with found.fork(7, "base") as fork:
        assert (fork.block, fork.snapshot.name) == (7, "base")
    with pytest.raises(ToolError, match="does not exist"), found.fork(found.newest("base") + 1, "base"):
        pass


def chain(name: str = "ethereum", newest: int = 22_000_000) -> PlanChain:
    return PlanChain(name, newest, NOW, StandIn("a"))


@given(st.sampled_from([*KNOWN, "nobody's"]), st.integers(0, 10**9), st.lists(st.integers(0, 10**9), min_size=2))
def test_blocks_stand_in_the_order_of_time(name: str, newest: int, heights: list[int]) -> None:
    """A later block is never earlier, the newest is of the task's moment, and none is older than any chain."""
    found = chain(name, newest)
    times = [found.time(height) for height in sorted(min(height, newest) for height in heights)]
    assert times == sorted(times) and found.time(newest) == NOW and times[0] >= 1_438_000_000


def test_a_view_function_returns_its_types() -> None:
    """What a call's hint or a standard names decodes; anything else is refused or a miss, made up for nobody."""
    found = chain()
    own = parse_signature("quote(uint256)(uint256,address,string)")
    found.hint.functions.append(own)
    fork = PlanFork(found, found.newest)
    for signature in (own, parse_signature("decimals()(uint8)"), parse_signature("symbol()(string)")):
        data = "0x" + signature.hash[:4].hex()
        assert decode_outputs(signature, fork.rpc("eth_call", [{"to": USDC, "data": data}, "latest"]))
    with pytest.raises(ToolError, match="not known before"):
        fork.rpc("eth_call", [{"to": USDC, "data": "0x12345678"}, "latest"])
    assert found.counts["eth_getCode"] > 0 and found.counts["eth_getStorageAt"] > 0
    found = chain()
    for wrong in (
        lambda: PlanFork(found, 1).rpc("eth_sendRawTransaction", ["0x"]),
        lambda: found.account(bytes(20), 1),
        lambda: found.code(bytes(32)),
        lambda: found.storage(bytes(20), bytes(32), 1),
        lambda: found.header(found.newest + 1),
    ):
        with pytest.raises(Miss):
            wrong()
