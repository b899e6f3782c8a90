"""Listings, prices and pages written by hand."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
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


def test_prices_keep_what_was_asked_for() -> None:
    """Ids, currencies and flags can be left out; keys nobody here knows stay; what was not asked then is a Miss."""
    row = {"usd": 1, "usd_market_cap": 2, "eur": 3, "eur_market_cap": 4, "last_updated_at": 5, "new": 6}
    flags = "include_market_cap=true&include_last_updated_at=true"
    whole = [found(f"/simple/price?ids=a,b,z&vs_currencies=usd,eur&{flags}", {"a": row, "b": row})]
    assert narrow(whole, "/simple/price?ids=a&vs_currencies=eur") == {"a": {"eur": 3, "new": 6}}
    assert narrow(whole, "/simple/price?ids=z&vs_currencies=eur") == {}
    both = narrow(whole, "/simple/price?ids=b,a&vs_currencies=usd&include_market_cap=true")
    assert both == {coin: {"usd": 1, "usd_market_cap": 2, "new": 6} for coin in "ab"}
    for tail in ("ids=c&vs_currencies=usd", "ids=a&vs_currencies=krw", "ids=a&vs_currencies=usd&include_24hr_vol=true",
                 "ids=a&vs_currencies=usd&include_market_cap=yes", "ids=&vs_currencies=usd"):  # fmt: skip
        with pytest.raises(Miss, match="recorded prices"):
            narrow(whole, f"/simple/price?{tail}")
    loud = [found("/simple/price?ids=a&vs_currencies=USD,EUR", {"a": {"usd": 1, "eur": 3}})]
    with pytest.raises(Miss):
        narrow(loud, "/simple/price?ids=a&vs_currencies=USD")


def test_a_page_loses_parts_and_gains_none() -> None:
    """A flag that was off when it was recorded cannot be turned on."""
    page = {"id": "a", "tickers": [1], "market_data": {"x": 1, "sparkline_7d": [2]}, "else": None}
    whole = [found("/coins/a?sparkline=true", page)]
    assert narrow(whole, "/coins/a?tickers=false") == {"id": "a", "market_data": {"x": 1}, "else": None}
    bare = [found("/coins/a?tickers=false", page)]
    for tail in ("/coins/a", "/coins/a?tickers=false&sparkline=true", "/coins/a?tickers=no"):
        with pytest.raises(Miss):
            narrow(bare, tail)
    coins = [found("/coins/list?include_platform=true", [{"id": "a", "platforms": {}}])]
    assert narrow(coins, "/coins/list") == [{"id": "a"}]


def test_broken_recordings_are_passed_over() -> None:
    """No JSON, another shape, a refusal: what is beside them still answers."""
    broken = found("/coins/markets?vs_currency=usd&per_page=9", {"error": "x"})
    html = Recorded(broken.request, HttpReply(200, broken.reply.headers, b"<html>"))
    refused = Recorded(broken.request, HttpReply(429, broken.reply.headers, b"{}"))
    tail = "/coins/markets?vs_currency=usd&per_page=2"
    assert narrow([html, refused, broken, listing(8, 1)], tail) == ROWS[:2]
    with pytest.raises(Miss):
        narrow([html, refused, broken], tail)
