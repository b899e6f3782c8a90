import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.search_api import SearchApiProvider, result_links, search_request


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
    """Ten recorded results do not answer a question for eleven; the list of its own length is handed out as it is."""
    provider, request = SearchApiProvider(), search_request("q", 10)
    recording = Recorded(request, live("q", 10))
    assert provider.narrow([recording], request, 0) is recording.reply
    with pytest.raises(Miss, match="no list that long"):
        provider.narrow([recording], search_request("q", 11), 0)
    with pytest.raises(Miss):
        provider.family(HttpRequest("POST", request.url, b"[]"))


def test_links_come_in_rank_order_and_other_shapes_are_misses() -> None:
    """A result list gives its addresses; an error body gives a miss, not an empty list."""
    assert result_links(live("q", 3)) == tuple(f"https://a.example/{at}" for at in (1, 2, 3))
    for reply in (HttpReply(429, {}, b'{"organic": []}'), HttpReply(200, {}, b'{"message": "no"}')):
        with pytest.raises(Miss):
            result_links(reply)


def test_only_search_posts_are_its_own() -> None:
    """The provider matches its endpoint and nothing else."""
    assert SearchApiProvider().match(search_request("q", 1))
    assert not SearchApiProvider().match(search_request("q", 1).__class__("GET", "https://google.serper.dev/search"))
