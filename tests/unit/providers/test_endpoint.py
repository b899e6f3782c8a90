"""Requests taken apart, and the moment of a recording."""

from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, content_of, derived, endpoint_of, is_of_now, utc

NOON = 1_714_564_800


def dated(text: str | None) -> Recorded:
    headers = {"content-type": "application/json"} | ({"date": text} if text is not None else {})
    return Recorded(HttpRequest("GET", "https://a.example/"), HttpReply(200, headers, b'{"a":1}'))


def test_an_address_is_taken_apart_whatever_the_order_of_its_parameters() -> None:
    """Equal words for equal questions in one spelling; a parameter given twice or an unreadable address is a miss."""
    left = endpoint_of(HttpRequest("GET", "https://A.example/x%20y/z?b=2&a=&page=3"))
    right = endpoint_of(HttpRequest("GET", "https://a.example/x%20y/z?page=4&a=&b=2"))
    assert left.words("page") == right.words("page") != right.words()
    assert left.segments() == ["x y", "z"] and left.without("b") == {"a": "", "page": "3"}
    for url in ("https://a.example/?a=1&a=2", "https://[half"):
        with pytest.raises(Miss):
            endpoint_of(HttpRequest("GET", url))
    asked = endpoint_of(HttpRequest("GET", "https://a.example/x/../%6Blines?apikey=mine%20only&n=1"))
    assert (asked.path, asked.parameters) == ("/klines", {"apikey": "mine only", "n": "1"})


def test_a_recording_tells_what_is_now_only_when_it_was_made_now() -> None:
    """A quarter of an hour either way, never without a readable date; odd moments are told as their number."""
    noon = dated("Wed, 01 May 2024 12:00:00 GMT")
    assert answered_at(noon.reply) == NOON and utc(NOON) == "2024-05-01 12:00:00Z"
    assert is_of_now(noon, NOON + AS_OF_NOW_S) and is_of_now(noon, NOON - AS_OF_NOW_S)
    assert not is_of_now(noon, NOON + AS_OF_NOW_S + 1)
    assert answered_at(dated("Wed, 01 May 2024 14:00:00 +0200").reply) == NOON
    for text in (None, "", "yesterday", "Wed, 99 May 2024 12:00:00 GMT", "Wed, 01 May 2024 21:00:00 JST"):
        assert answered_at(dated(text).reply) is None and not is_of_now(dated(text), NOON)
    assert utc(1_714_564_800_000) == "1714564800000"
    assert utc(10**6000) == utc(-(10**20)) == "a moment beyond all calendars"


def test_what_is_derived_bears_no_date_and_what_is_no_json_is_a_miss() -> None:
    """A derived reply was never sent at any moment; a body that cannot be read contains nothing."""
    made = derived({"b": 2}, dated("Wed, 01 May 2024 12:00:00 GMT").reply)
    assert (made.status, made.headers, made.body) == (200, {"content-type": "application/json"}, b'{"b":2}')
    assert content_of(made) == {"b": 2}
    with pytest.raises(Miss):
        content_of(HttpReply(200, {}, b"<html>"))
