"""Listings written by hand: pages that are joined, and those that tell too little."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers import coingecko_reply
from caia_replay.providers.coingecko import CoinGeckoProvider

API = "https://api.coingecko.com/api/v3"
AT = 1_720_000_800
ROWS = [{"id": name, "rank": rank} for rank, name in enumerate("abcdefg", start=1)]


def found(tail: str, content: Any, at: int = AT) -> Recorded:
    headers = {"date": formatdate(at, usegmt=True)}
    return Recorded(HttpRequest("GET", API + tail), HttpReply(200, headers, json.dumps(content).encode()))


def narrow(recorded: list[Recorded], tail: str) -> Any:
    return json.loads(CoinGeckoProvider().narrow(recorded, HttpRequest("GET", API + tail), AT).body)


def listing(size: int, page: int, at: int = AT) -> Recorded:
    rows = ROWS[(page - 1) * size : page * size]
    return found(f"/coins/markets?vs_currency=usd&per_page={size}&page={page}", rows, at)


def test_pages_that_follow_each_other_are_one_listing() -> None:
    """Two pages of three and a short one make all seven rows; a hole, a double row or an old page makes none."""
    whole = [listing(3, 1), listing(3, 2), listing(3, 3)]
    assert narrow(whole, "/coins/markets?vs_currency=usd&per_page=5&page=1") == ROWS[:5]
    assert narrow(whole, "/coins/markets?vs_currency=usd&per_page=5&page=2") == ROWS[5:]
    assert narrow(whole, "/coins/markets?vs_currency=usd&per_page=5&page=9") == []
    assert narrow(whole[1:], "/coins/markets?vs_currency=usd&per_page=4&page=2") == ROWS[4:]
    double = found("/coins/markets?vs_currency=usd&per_page=3&page=2", ROWS[2:5])
    for broken in ([whole[0], whole[2]], [whole[0], double], [whole[0], listing(3, 2, AT - 300)]):
        with pytest.raises(Miss, match="recorded rows"):
            narrow(broken, "/coins/markets?vs_currency=usd&per_page=5&page=1")


def test_a_full_last_page_is_not_known_to_be_the_end() -> None:
    """Seven rows asked for by sevens may be the first of more."""
    assert narrow([listing(8, 1)], "/coins/markets?vs_currency=usd&per_page=5&page=2") == ROWS[5:]
    with pytest.raises(Miss):
        narrow([listing(7, 1)], "/coins/markets?vs_currency=usd&per_page=5&page=2")


def test_ids_need_their_rows_not_the_whole_listing() -> None:
    """Rows of any page that has them all; who is in no page may exist, unless the recording asked for that id."""
    assert narrow([listing(3, 2)], "/coins/markets?vs_currency=usd&ids=f,d") == [ROWS[3], ROWS[5]]
    for ids in ("f,a", "d,z"):
        with pytest.raises(Miss):
            narrow([listing(3, 2)], f"/coins/markets?vs_currency=usd&ids={ids}")
    asked = found("/coins/markets?vs_currency=usd&ids=d,f,z", [ROWS[3], ROWS[5]])
    assert narrow([asked], "/coins/markets?vs_currency=usd&ids=z,d") == [ROWS[3]]
    assert narrow([asked], "/coins/markets?vs_currency=usd&ids=d,f,z&per_page=1&page=2") == [ROWS[5]]
    with pytest.raises(Miss):
        narrow([asked], "/coins/markets?vs_currency=usd&per_page=2")


def test_changes_that_are_not_asked_for_are_left_out() -> None:
    """Rows recorded with the changes over more spans answer for fewer, never for others, and keep the plain one."""
    key, changes = (
        "price_change_percentage",
        {f"price_change_percentage_{span}_in_currency": 1 for span in ("1h", "7d")},
    )
    rows = [{**row, **changes, "price_change_percentage_24h": 2} for row in ROWS]
    recorded = [found(f"/coins/markets?vs_currency=usd&per_page=8&{key}=7d,1h", rows)]
    tail = "/coins/markets?vs_currency=usd&per_page=2"
    assert narrow(recorded, f"{tail}&{key}=1h,7d") == rows[:2]
    for spans, gone in ((f"&{key}=1h", {f"{key}_7d_in_currency"}), ("", set(changes))):
        assert narrow(recorded, tail + spans) == [{k: v for k, v in row.items() if k not in gone} for row in rows[:2]]
    for spans in ("1h,30d", "30d"):
        with pytest.raises(Miss):
            narrow(recorded, f"{tail}&{key}={spans}")


def test_broken_recordings_are_passed_over() -> None:
    """No JSON, another shape, a refusal: what is beside them still answers."""
    broken = found("/coins/markets?vs_currency=usd&per_page=9", {"error": "x"})
    html = Recorded(broken.request, HttpReply(200, broken.reply.headers, b"<html>"))
    refused = Recorded(broken.request, HttpReply(429, broken.reply.headers, b"{}"))
    tail = "/coins/markets?vs_currency=usd&per_page=2"
    assert narrow([html, refused, broken, listing(8, 1)], tail) == ROWS[:2]
    with pytest.raises(Miss):
        narrow([html, refused, broken], tail)


MARKETS = "/coins/markets?vs_currency=usd"


def many(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": f"c{number}"} for number in range(first, first + count)]


def page(number: int, rows: list[dict[str, Any]], at: int = AT) -> Recorded:
    return found(f"{MARKETS}&per_page=250&page={number}", rows, at)


def test_a_short_page_before_others_is_no_end() -> None:
    """Nobody knows which row was left out of it: no places in it and none after the last, but its coins are told."""
    recorded = [page(1, many(0, 249)), page(2, many(250, 250))]
    for asked in ("per_page=100&page=6", "per_page=50&page=5", "per_page=50&page=1", "per_page=100&page=3"):
        with pytest.raises(Miss, match="recorded rows"):
            narrow(recorded, f"{MARKETS}&{asked}")
    assert narrow(recorded, f"{MARKETS}&per_page=50&page=6") == many(250, 50)
    assert narrow(recorded, f"{MARKETS}&ids=c3,c248") == [{"id": "c3"}, {"id": "c248"}]
    assert narrow(recorded[:1], f"{MARKETS}&per_page=100&page=6") == []
    longer = found(f"{MARKETS}&per_page=100&page=3", many(200, 60))
    assert narrow([recorded[0], longer], f"{MARKETS}&per_page=50&page=5") == many(200, 50)
    with pytest.raises(Miss):
        narrow([recorded[0], longer], f"{MARKETS}&per_page=50&page=2")


def test_a_page_with_a_row_twice_is_no_page() -> None:
    """Neither for its places nor for coins of which one is not in it."""
    twice = [found(f"{MARKETS}&per_page=250&page=1", [{"id": "a"}, {"id": "a"}, {"id": "z"}])]
    for tail in ("&ids=a,b", "&ids=a", "&per_page=2"):
        with pytest.raises(Miss):
            narrow(twice, MARKETS + tail)


def test_of_two_listings_the_nearest_answers() -> None:
    """What was made before the clock rather than after it, though that was nearer."""
    before, after = page(1, many(0, 250), AT - 60), page(1, many(5, 250), AT + 30)
    for recorded in ([before, after], [after, before]):
        assert narrow(recorded, f"{MARKETS}&per_page=2") == many(0, 2)


def test_pages_recorded_slowly_are_joined_where_they_are_near() -> None:
    """Each with those made within a minute of it, though the first and the last were made further apart."""
    recorded = [page(number, many(250 * (number - 1), 250), AT + 40 * number - 200) for number in range(1, 5)]
    for asked in (1, 2, 3):
        both = f"{MARKETS}&per_page=50&page={5 * asked}", f"{MARKETS}&ids=c{250 * asked - 1},c{250 * asked}"
        assert len(narrow(recorded, both[0])) == 50 and len(narrow(recorded, both[1])) == 2
    with pytest.raises(Miss):
        narrow(recorded, f"{MARKETS}&ids=c0,c999")


def test_every_page_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many follow each other."""
    read = []
    once = coingecko_reply.content_of
    monkeypatch.setattr(coingecko_reply, "content_of", lambda reply: read.append(reply) or once(reply))
    recorded = [page(number + 1, many(250 * number, 250)) for number in range(30)]
    assert narrow(recorded, f"{MARKETS}&per_page=100&page=3") == many(200, 100)
    assert len(read) == len(recorded)


def test_numbers_beyond_all_bounds_are_a_miss() -> None:
    """Pages and sizes of thousands of digits, or in the digits of another script."""
    recorded = [page(1, many(0, 250))]
    for tail in (f"&page={'9' * 5_000}&per_page=10", f"&page=1&per_page={'9' * 5_000}", "&per_page=\u0663"):
        with pytest.raises(Miss):
            narrow(recorded, MARKETS + tail)
