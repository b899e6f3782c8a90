"""What was written after a task's moment is found in one exchange, and nothing else is."""

from __future__ import annotations

import json
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.world import Page
from caia_replay.errors import Miss
from caia_replay.providers.reader import ReaderProvider, page_reply, page_request
from caia_replay.providers.reader_address import capture_url
from caia_replay.providers.search_api import SearchApiProvider, search_request
from caia_replay.recording.hygiene import lateness
from tests.adapter_law import HOSTILE

DAY = 86_400
ANCHOR = 1_746_057_600  # 2025-05-01
BY_THEN, LATER = "20250430000000", "20250502000000"
X = "https://a.example/x"


def made(request: HttpRequest, body: bytes, at: int | None = ANCHOR + 400 * DAY, **headers: str) -> Recorded:
    """An exchange, by default recorded long after the moment."""
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    return Recorded(request, HttpReply(200, dated | told, body))


def read(url: str, published: int | None = None, at: int | None = ANCHOR + 400 * DAY) -> Recorded:
    """The reader's reading of a page."""
    return made(page_request(url), page_reply(Page(url, "T", "x", published)).body, at)


def worded(url: str, published: str, read_at: str = "") -> Recorded:
    """The same of a page that bears its date in these words; ``read_at`` is where the reader says that it was."""
    one = read(url)
    content = json.loads(one.reply.body)
    content["data"] |= {"publishedTime": published, "url": read_at or url}
    return made(one.request, json.dumps(content).encode())


def listed(*dates: str, at: int | None = ANCHOR + 400 * DAY, rows: str = "organic") -> Recorded:
    """A result list with these dates."""
    told = [{"title": "T", "link": X, "snippet": "s", "date": date} for date in dates]
    return made(search_request("fees", 10), json.dumps({rows: told}).encode(), at)


def posted(*moments: str) -> Recorded:
    """The social network's reply with posts of these moments."""
    posts = [{"id": str(at), "text": "t", "author_id": "1", "created_at": when} for at, when in enumerate(moments, 1)]
    body = {"data": posts, "includes": {"users": [{"id": "1", "username": "ada", "name": "Ada"}]}}
    return made(HttpRequest("GET", "https://api.x.com/2/tweets/search/all?query=fees"), json.dumps(body).encode())


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        (read(X, ANCHOR + 1), "dated 2025-05-01 00:00:01Z"),
        (read(X), "without a date"),
        (worded(X, "2025-05-01"), "dated somewhere between"),
        (worded(X, "2025-04-30T13:00:00"), "dated somewhere between"),
        (worded(X, "1970-01-01T00:00:00Z"), "without a date"),
        (worded(capture_url(X, BY_THEN), "2020-01-01", X), "left the archive"),
        (read(X, at=None), "nothing recorded says since when"),
        (read(capture_url(X, LATER)), "captured 2025-05-02 00:00:00Z"),
        (read(capture_url(X, LATER), ANCHOR - DAY), "captured 2025-05-02"),
        (read(capture_url(X, BY_THEN), ANCHOR + DAY), "dated 2025-05-02"),
        (read(f"https://web.archive.org/web/2025/{X}", ANCHOR - DAY), "captured"),
        (listed("Apr 30, 2025", "Jun 3, 2025", at=ANCHOR), "1 of its results"),
        (listed("2 days ago", "2025年5月3日", rows="news", at=None), "1 of its results"),
        (made(HttpRequest("GET", capture_url(X, LATER)), b"x"), "captured 2025-05-02"),
        (made(HttpRequest("GET", capture_url(X, BY_THEN)), b"x", memento_datetime=formatdate(ANCHOR + 1, usegmt=True)),
         "captured 2025-05-01 00:00:01Z"),
    ],
)  # fmt: skip
def test_what_is_of_later_is_dropped(recorded: Recorded, why: str) -> None:
    """Dated later, captured later, undated and not captured, or a list that names what is."""
    found = lateness(recorded, ANCHOR)
    assert found is not None and found.kind == "dropped" and why in found.why and "\n" not in found.what


@pytest.mark.parametrize(
    "recorded",
    [
        read(X, ANCHOR), read(X, at=ANCHOR), worded(X, "2025-04-30"), worded(X, "2025-04-30T12:00:00"),
        worded(capture_url(X, BY_THEN), "2025-04-30"), read(capture_url(X, BY_THEN)),
        read(capture_url(X, BY_THEN), ANCHOR - DAY), listed(), listed("in a day", "1 hour ago", at=None),
        listed("May 1, 2025", "Apr 2024", "last spring", "3 years ago", "9" * 80), posted("2025-05-01T00:00:00.000Z"),
        made(HttpRequest("GET", capture_url(X, BY_THEN)), b"x"),
        made(HttpRequest("GET", "https://web.archive.org/cdx/search/cdx?url=a.example"), b"x"),
        made(HttpRequest("GET", "https://api.coingecko.com/api/v3/ping"), b'{"date": "2030-01-01"}'),
        *(Recorded(one.request, HttpReply(404, one.reply.headers, one.reply.body))
          for one in (read(X), read(capture_url(X, LATER)))),
    ],
)  # fmt: skip
def test_what_was_there_by_then_is_clean(recorded: Recorded) -> None:
    """At the very second too; what tells no time of its own, and a refusal, which holds nothing, are not judged."""
    assert lateness(recorded, ANCHOR) is None


def test_a_list_that_was_made_later_is_marked_alone() -> None:
    """Replay gives it to nobody, and cuts posts off by its clock; how long ago is counted from when it was made."""
    found = lateness(posted("2025-04-30T10:00:00.000Z", "2025-05-01T00:00:01.000Z"), ANCHOR)
    assert found is not None and found.kind == "marked" and "1 of 2 posts" in found.why
    found = lateness(listed("2 days ago", "2025年5月3日", "Apr 30, 2025", rows="news"), ANCHOR)
    assert found is not None and found.kind == "marked" and "2 of its results" in found.why
    assert SearchApiProvider().narrow([listed("x")], listed("x").request, ANCHOR + 400 * DAY).status == 200
    with pytest.raises(Miss):
        SearchApiProvider().narrow([listed("2 days ago")], listed("x").request, ANCHOR)


PLACES = st.sampled_from([X, capture_url(X, BY_THEN), capture_url(X, LATER)])
DATES = st.sampled_from(["", "1970-01-01", "2025-04-29", "2025-04-30", "2025-05-01", "2025-04-30T09:00",
                         "2025-04-30T19:00", "2025-05-01T00:00Z"])  # fmt: skip
DAYS = st.none() | st.integers(-3, 3).map(lambda days: ANCHOR + days * DAY)
SHOWN = st.builds(worded, PLACES, DATES, st.sampled_from(["", X, capture_url(X, LATER)])) | st.builds(
    read, PLACES, DAYS, DAYS
)


@given(SHOWN)
def test_a_page_is_dropped_exactly_when_replay_would_not_show_it(recorded: Recorded) -> None:
    """Hygiene and the reader's own rule are one rule."""
    try:
        ReaderProvider().narrow([recorded], recorded.request, ANCHOR)
    except Miss:
        assert lateness(recorded, ANCHOR) is not None
    else:
        assert lateness(recorded, ANCHOR) is None


@pytest.mark.parametrize(
    "body", [*HOSTILE, b'{"organic": {"date": 1}, "news": [1, {"date": []}]}', b'{"data": {"title": 1}}']
)
def test_nothing_is_found_in_what_is_none(body: bytes) -> None:
    """Replies of another shape, from whomever: nothing, and no fault."""
    for one in (read(X), listed("x"), posted("x"), made(HttpRequest("GET", "https://a.example/"), b"")):
        for headers in ({}, {"date": "x", "memento-datetime": "x"}):
            assert lateness(Recorded(one.request, HttpReply(200, headers, body)), ANCHOR) is None
