import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.world import Page, Ranked
from caia_replay.errors import Miss
from caia_replay.providers.search_api.provider import (
    SearchApiProvider,
    SearchRequest,
    question_of,
    result_links,
    result_list,
    search_request,
)
from caia_replay.search.window import moment_of


def live(query: str, limit: int) -> HttpReply:
    """A search engine that always knows 100 pages."""
    organic = [{"title": f"{query} {at}", "link": f"https://a.example/{at}", "position": at} for at in range(1, 101)]
    body = {"searchParameters": {"q": query, "num": limit}, "organic": organic[:limit]}
    return HttpReply(200, {}, json.dumps(body).encode())


@given(st.text(min_size=1, max_size=20), st.integers(1, 100))
def test_a_narrowed_recording_equals_the_live_answer(query: str, limit: int) -> None:
    """narrow(record(widen(q)), q) is what the engine would have answered to q."""
    provider, request = SearchApiProvider(), search_request(query, limit)
    (wide,) = provider.widen(request, 0)
    asked = json.loads(wide.body)
    recording = Recorded(wide, live(asked["q"], asked["num"]))
    assert provider.family(wide) == provider.family(request) and provider.follow(wide, recording.reply) is None
    assert json.loads(provider.narrow([recording], request, 0).body) == json.loads(live(query, limit).body)


def test_a_list_that_is_too_short_is_a_miss() -> None:
    """Ten results do not answer for eleven; addresses come in rank order, and an error body is a miss."""
    provider, request = SearchApiProvider(), search_request("q", 10)
    recording = Recorded(request, live("q", 10))
    assert provider.narrow([recording], request, 0) is recording.reply
    with pytest.raises(Miss, match="no list that long"):
        provider.narrow([recording], search_request("q", 11), 0)
    with pytest.raises(Miss):
        provider.family(HttpRequest("POST", request.url, b"[]"))
    assert result_links(live("q", 3)) == tuple(f"https://a.example/{at}" for at in (1, 2, 3))
    for reply in (HttpReply(429, {}, b'{"organic": []}'), HttpReply(200, {}, b'{"message": "no"}')):
        with pytest.raises(Miss):
            result_links(reply)
    assert SearchApiProvider().match(search_request("q", 1))
    assert not SearchApiProvider().match(search_request("q", 1).__class__("GET", "https://google.serper.dev/search"))


def test_page_window_and_kind_make_another_family_and_the_length_does_not() -> None:
    """A later page is never read off a longer list, and a list of later tells nothing of now."""
    provider, plain = SearchApiProvider(), search_request("q", 10)
    others = [search_request("q", 10, page=2), search_request("q", 10, tbs="qdr:d"),
              search_request("q", 10, kind="news"), search_request("p", 10)]  # fmt: skip
    assert len({provider.family(request) for request in (plain, *others)}) == 5
    said = HttpRequest("POST", plain.url, b'{"q": "q", "page": 1, "tbs": ""}')
    assert provider.family(said) == provider.family(plain) == provider.family(search_request("q", 99))
    (wide,) = provider.widen(others[0], 0)
    assert json.loads(wide.body) == {"q": "q", "num": 10, "page": 2}
    long = Recorded(search_request("q", 100, page=2), live("q", 100))
    with pytest.raises(Miss):
        provider.narrow([long], others[0], 0)
    provider, request = SearchApiProvider(), search_request("q", 3)
    late = Recorded(request, HttpReply(200, {"date": "Thu, 01 Jan 1970 00:00:10 GMT"}, live("q", 3).body))
    assert provider.narrow([late], request, 10) is late.reply
    with pytest.raises(Miss):
        provider.narrow([late], request, 9)


@given(st.integers(1, 200), st.integers(1, 9), st.sampled_from(["", "qdr:w"]), st.sampled_from(["search", "news"]))
def test_a_request_is_read_as_it_was_written(limit: int, page: int, tbs: str, kind: Any) -> None:
    """Limits end at 100, and a page starts where the one before it ended."""
    asked = question_of(search_request("q", limit, page, tbs, kind))
    assert (asked.query, asked.limit, asked.page, asked.tbs, asked.kind) == ("q", min(limit, 100), page, tbs, kind)
    assert asked.offset == (page - 1) * asked.limit


NOW = 1_745_000_000
WEEK = 7 * 86_400


@given(st.integers(0, 3 * WEEK) | st.none(), st.booleans())
def test_ages_are_told_for_a_week_and_days_from_then_on(age: int | None, news: bool) -> None:
    """Of a page without a date nothing is told; news bear their source, www. left out."""
    page = Page("https://www.a.example/x", "T", "C", None if age is None else NOW - age)
    asked = SearchRequest("q", kind="news" if news else "search")
    (row,) = result_list(asked, [Ranked(1, page, "s")], NOW)[asked.kind if news else "organic"]
    assert ("date" in row) == (age is not None) and row.get("source") == ("a.example" if news else None)
    if age is not None:
        assert row["date"].endswith(" ago") == (age < WEEK)
        first, last = moment_of(row["date"], NOW) or (0, 0)
        assert first <= NOW - age <= last
    days = result_list(asked, [Ranked(1, page, "s")], None, {"a.example": "The A"})
    assert not json.dumps(days).count(" ago") and ("The A" in json.dumps(days)) == news
