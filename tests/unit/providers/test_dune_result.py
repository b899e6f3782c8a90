import json
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.dune_question import question_of
from caia_replay.providers.dune_result import Page, page_from, page_of

BASE = "https://api.dune.com/api/v1/execution/E/results"
PATH = "/api/v1/execution/E/results"


def read(query: str, body: bytes, path: str = BASE, **headers: str) -> Page | None:
    """A recorded page."""
    request = HttpRequest("GET", f"{path}?{query}")
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    return page_of(question_of(request), Recorded(request, HttpReply(200, told, body)))


def rows(first: int, last: int, total: int = 9, after: int | None = None, **more: Any) -> bytes:
    """A JSON page."""
    metadata = {
        "column_names": ["n"],
        "total_row_count": total,
        "row_count": last - first,
        "datapoint_count": last - first,
    }
    body = {"is_execution_finished": True, "state": "QUERY_STATE_COMPLETED", "execution_id": "E",
            "result": {"rows": [{"n": at} for at in range(first, last)], "metadata": metadata}}  # fmt: skip
    return json.dumps(body | ({} if after is None else {"next_offset": after}) | more).encode()


def test_pages_join_and_are_cut_anew() -> None:
    """Where they touch; the way to the next page is made for the page that is asked for, the key left out."""
    pages = [page for page in (read("limit=5", rows(0, 5, after=5)), read("limit=5&offset=5", rows(5, 9))) if page]
    asked = question_of(HttpRequest("GET", f"{BASE}?limit=4&offset=3&api_key=secret"))
    body = json.loads(page_from(pages, asked, PATH, "w").body)
    assert [row["n"] for row in body["result"]["rows"]] == [3, 4, 5, 6] and body["next_offset"] == 7
    assert "secret" not in body["next_uri"] and body["result"]["metadata"]["datapoint_count"] == 4
    last = json.loads(page_from(pages, question_of(HttpRequest("GET", f"{BASE}?limit=5&offset=6")), PATH, "w").body)
    assert "next_offset" not in last and last["result"]["metadata"]["row_count"] == 3
    for query in ("limit=6", "limit=3&offset=x"):
        with pytest.raises(Miss):
            page_from(pages, question_of(HttpRequest("GET", f"{BASE}?{query}")), PATH, "w")
    with pytest.raises(Miss):
        page_from(pages[1:], asked, PATH, "w")


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


def test_pages_that_contradict_each_other_prove_nothing() -> None:
    """Two tellings of one row, or of how many there are."""
    whole = read("limit=9", rows(0, 9))
    for other in (rows(0, 9).replace(b'"n": 3', b'"n": 4'), rows(0, 8, total=8)):
        page = read("limit=9", other)
        assert whole is not None and page is not None
        with pytest.raises(Miss):
            page_from([whole, page], question_of(HttpRequest("GET", f"{BASE}?limit=1")), PATH, "w")


def test_csv_keeps_its_rows_as_they_are_written() -> None:
    """Line breaks in quotes and other separators are part of a cell; a full page without a way on is no last one."""
    text = b'a,b\n1,"x\ny"\n2,"q""\xe2\x80\xa8"\n'
    page = read("limit=5", text, BASE + "/csv")
    assert page is not None and (len(page.rows), page.total) == (2, 2)
    asked = question_of(HttpRequest("GET", f"{BASE}/csv?limit=1&offset=1"))
    assert page_from([page], asked, PATH, "w").body == b'a,b\n2,"q""\xe2\x80\xa8"\n'
    first = page_from([page], question_of(HttpRequest("GET", f"{BASE}/csv?limit=1")), PATH, "w")
    assert first.headers["x-dune-next-offset"] == "1"
    full = read("limit=2", text, BASE + "/csv")
    assert full is not None and full.total is None
    with pytest.raises(Miss):
        page_from([full], question_of(HttpRequest("GET", f"{BASE}/csv?limit=2")), PATH, "w")
    cut = read("limit=2", text, BASE + "/csv", x_dune_next_offset="2")
    assert cut is not None and page_from([cut], question_of(HttpRequest("GET", f"{BASE}/csv?limit=2")), PATH, "w")
    for bad in (b"", b"\n", b"a", b'a\n"', b"\xff\n"):
        assert read("limit=2", bad, BASE + "/csv") is None
    assert read("limit=2", text, BASE + "/csv", x_dune_next_offset="x") is None
