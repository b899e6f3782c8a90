"""Dune's provider: the law against a living Dune, executions, pages, and what is no answer."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.dune import DuneProvider
from caia_replay.providers.dune_question import question_of
from caia_replay.providers.dune_result import Page, page_from, page_of
from tests.adapter_law import record, replayed, survives
from tests.living_dune import DAY_S, MOST, RUNS_S, Dune

BASE = "https://api.dune.com/api/v1"
PROVIDER, DUNE = DuneProvider(), Dune()
NOW = 1_700_000_000
NIGHT = NOW // DAY_S * DAY_S
LATER = NIGHT + DAY_S - 60


def get(path: str, **told: Any) -> HttpRequest:
    """A reading request."""
    query = urlencode({name.replace("__", "."): value for name, value in told.items()})
    return HttpRequest("GET", f"{BASE}/{path}{'?' if query else ''}{query}", headers={"X-Dune-Api-Key": "k" * 20})


def execute(query: int = 60, **parameters: Any) -> HttpRequest:
    """A request for a new execution."""
    body = json.dumps({"query_parameters": parameters}).encode()
    return HttpRequest("POST", f"{BASE}/query/{query}/execute", body, {"X-Dune-Api-Key": "k" * 20})


def plain(reply: HttpReply) -> Any:
    """A reply without the size in bytes, which no other page tells."""
    if reply.body[:1] != b"{":
        return reply.status, reply.body, reply.headers.get("x-dune-next-offset")
    body = json.loads(reply.body)
    body["next_uri"] = sorted(parse_qsl(body.get("next_uri", "").partition("?")[2]))
    body.get("result", {}).get("metadata", {}).pop("result_set_bytes", None)
    return reply.status, body


limits = {"limit": st.integers(1, MOST), "offset": st.integers(0, 70)}
places = st.sampled_from([f"execution/E60T{NIGHT}/results", f"execution/E7T{NIGHT}/results", "query/60/results"])
questions = st.builds(
    lambda place, csv, told: get(place + csv, **told),
    places,
    st.sampled_from(["", "/csv"]),
    st.fixed_dictionaries({"limit": limits["limit"]}, optional={"offset": limits["offset"]}),
)


@given(questions, st.sampled_from([NOW, LATER]))
def test_any_page_of_a_recorded_execution_is_the_living_one(asked: HttpRequest, made: int) -> None:
    """Pages of other sizes and places join; a query's latest execution is told of until the next one is over."""
    reply = replayed(PROVIDER, record(DUNE, PROVIDER, [asked], made), asked, NOW)
    # CSV does not say when its execution was over: it is known by its recording alone.
    if made == NOW or "/csv" not in asked.url:
        assert reply is not None
    if reply is not None:
        assert plain(reply) == plain(DUNE(asked, NOW))


def test_an_execution_is_found_by_its_query_polled_once_and_read() -> None:
    """A replay passes over polls that found it running; what it started when recorded is what it starts again."""
    start = execute(at="2023-11-14")
    started = Recorded(start, DUNE(start, NOW))
    number = json.loads(started.reply.body)["execution_id"]
    status, results = get(f"execution/{number}/status"), get(f"execution/{number}/results", limit=10)
    polls = [Recorded(status, DUNE(status, NOW + at)) for at in (1, 5, RUNS_S)]
    told = [started, *polls, *record(DUNE, PROVIDER, [results], NOW + 60)]
    assert replayed(PROVIDER, told, start, NOW) is started.reply
    assert replayed(PROVIDER, told, status, NOW) is polls[-1].reply
    assert replayed(PROVIDER, polls[:2], status, NOW) is None
    reply = replayed(PROVIDER, told, results, NOW)
    assert reply is not None and len(json.loads(reply.body)["result"]["rows"]) == 10
    assert replayed(PROVIDER, told, execute(at="2023-11-15"), NOW) is None
    early = Recorded(results, DUNE(results, NOW + 1))
    assert replayed(PROVIDER, [started, early], results, NOW) is None


def test_an_execution_of_later_is_a_miss_unless_its_query_is_bounded() -> None:
    """What was executed after the world's moment may tell what nobody knew; a declared bound says that it does not."""
    start = execute(until="2023-11-01 00:00:00", name="x")
    made = NOW + 30 * DAY_S
    number = json.loads(DUNE(start, made).body)["execution_id"]
    status, results = get(f"execution/{number}/status"), get(f"execution/{number}/results", limit=3)
    told = [Recorded(start, DUNE(start, made)), Recorded(status, DUNE(status, made + RUNS_S)),
            *record(DUNE, PROVIDER, [results], made + RUNS_S)]  # fmt: skip
    for asked in (start, status, results):
        assert replayed(PROVIDER, told, asked, NOW) is None
        assert replayed(DuneProvider({"60": "until"}), told, asked, NOW) is not None
        assert replayed(DuneProvider({"60": "name"}), told, asked, NOW) is None
        assert replayed(DuneProvider({"60": "until"}), told, asked, NOW - 300 * DAY_S) is None


def test_refusals_are_of_their_moment_and_later_is_none() -> None:
    """An unknown query is told of when it was; a limit, a fault or what the API never sends is no answer at all."""
    asked = get("query/9/results", limit=5)
    for status, now, is_told in ((404, NOW, True), (404, NOW + 3_600, False), (401, NOW + 3_600, True),
                                 (429, NOW, False), (500, NOW, False)):  # fmt: skip
        found = Recorded(asked, HttpReply(status, DUNE(asked, NOW).headers, b'{"error": "x"}'))
        assert (replayed(PROVIDER, [found], asked, now) is found.reply) == is_told
    asked = [execute(), get("query/60/results", limit=5), get("query/60/results/csv", limit=5),
             get(f"execution/E60T{NIGHT}/status"), get(f"execution/E60T{NIGHT}/results", limit=5)]  # fmt: skip
    # The poll that follows the execution at once finds it running: later, and no answer.
    survives(PROVIDER, record(DUNE, PROVIDER, asked, NOW, most_unproven=1), asked, NOW)
    with pytest.raises(Miss):
        PROVIDER.family(HttpRequest("GET", f"{BASE}/query/1/results?limit=1&limit=2"))
    for url in ("https://api.dune.com/api/v2/x", "http://api.dune.com/api/v1/x", "https://dune.com/api/v1/x"):
        assert not PROVIDER.match(HttpRequest("GET", url))


PAGE_BASE = "https://api.dune.com/api/v1/execution/E/results"
PATH = "/api/v1/execution/E/results"


def read(query: str, body: bytes, path: str = PAGE_BASE, **headers: str) -> Page | None:
    """A recorded page."""
    request = HttpRequest("GET", f"{path}?{query}")
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    return page_of(question_of(request), Recorded(request, HttpReply(200, told, body)))


def rows(first: int, last: int, total: int = 9, after: int | None = None, **more: Any) -> bytes:
    """A JSON page."""
    metadata = {"column_names": ["n"], "total_row_count": total, "row_count": last - first,
                "datapoint_count": last - first}  # fmt: skip
    body = {"is_execution_finished": True, "state": "QUERY_STATE_COMPLETED", "execution_id": "E",
            "result": {"rows": [{"n": at} for at in range(first, last)], "metadata": metadata}}  # fmt: skip
    return json.dumps(body | ({} if after is None else {"next_offset": after}) | more).encode()


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("limit=3", rows(0, 5, after=5)),
        ("limit=5", rows(0, 5, after=6)),
        ("limit=5", rows(0, 5)),
        ("limit=9", rows(0, 9, total=8)),
        ("limit=9", rows(0, 9, state="QUERY_STATE_FAILED")),
        ("limit=9", rows(0, 9, is_execution_finished=False)),
        ("limit=9", rows(0, 9, result=[])),
        ("limit=9", rows(0, 9, next_offset="9")),
        ("limit=x", rows(0, 9)),
    ],
)
def test_pages_that_contradict_themselves_are_none(query: str, body: bytes) -> None:
    """More rows than asked for, ends that are none, executions that failed or still run."""
    assert read(query, body) is None


def test_csv_keeps_its_rows_as_they_are_written() -> None:
    """Line breaks in quotes and other separators are part of a cell; a full page without a way on is no last one."""
    text = b'a,b\n1,"x\ny"\n2,"q""\xe2\x80\xa8"\n'
    page = read("limit=5", text, PAGE_BASE + "/csv")
    assert page is not None and (len(page.rows), page.total) == (2, 2)
    asked = question_of(HttpRequest("GET", f"{PAGE_BASE}/csv?limit=1&offset=1"))
    assert page_from([page], asked, PATH, "w").body == b'a,b\n2,"q""\xe2\x80\xa8"\n'
    first = page_from([page], question_of(HttpRequest("GET", f"{PAGE_BASE}/csv?limit=1")), PATH, "w")
    assert first.headers["x-dune-next-offset"] == "1"
    full = read("limit=2", text, PAGE_BASE + "/csv")
    assert full is not None and full.total is None
    with pytest.raises(Miss):
        page_from([full], question_of(HttpRequest("GET", f"{PAGE_BASE}/csv?limit=2")), PATH, "w")
    cut = read("limit=2", text, PAGE_BASE + "/csv", x_dune_next_offset="2")
    assert cut is not None and page_from([cut], question_of(HttpRequest("GET", f"{PAGE_BASE}/csv?limit=2")), PATH, "w")
    for bad in (b"", b"\n", b"a", b'a\n"', b"\xff\n"):
        assert read("limit=2", bad, PAGE_BASE + "/csv") is None
    assert read("limit=2", text, PAGE_BASE + "/csv", x_dune_next_offset="x") is None
