"""CoinGecko's listings, prices and pages: what is joined, cut, and told too little."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.provider import CoinGeckoProvider

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
    """Each with those made within a minute of it; a hole, a double row or an old page makes none."""
    whole = [listing(3, 1), listing(3, 2), listing(3, 3)]
    assert narrow(whole, "/coins/markets?vs_currency=usd&per_page=5&page=1") == ROWS[:5]
    assert narrow(whole, "/coins/markets?vs_currency=usd&per_page=5&page=2") == ROWS[5:]
    assert narrow(whole, "/coins/markets?vs_currency=usd&per_page=5&page=9") == []
    assert narrow(whole[1:], "/coins/markets?vs_currency=usd&per_page=4&page=2") == ROWS[4:]
    double = found("/coins/markets?vs_currency=usd&per_page=3&page=2", ROWS[2:5])
    for broken in ([whole[0], whole[2]], [whole[0], double], [whole[0], listing(3, 2, AT - 300)]):
        with pytest.raises(Miss, match="recorded rows"):
            narrow(broken, "/coins/markets?vs_currency=usd&per_page=5&page=1")
    recorded = [page(number, many(250 * (number - 1), 250), AT + 40 * number - 200) for number in range(1, 5)]
    for asked in (1, 2, 3):
        both = f"{MARKETS}&per_page=50&page={5 * asked}", f"{MARKETS}&ids=c{250 * asked - 1},c{250 * asked}"
        assert len(narrow(recorded, both[0])) == 50 and len(narrow(recorded, both[1])) == 2
    with pytest.raises(Miss):
        narrow(recorded, f"{MARKETS}&ids=c0,c999")


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


MARKETS = "/coins/markets?vs_currency=usd"


def many(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": f"c{number}"} for number in range(first, first + count)]


def page(number: int, rows: list[dict[str, Any]], at: int = AT) -> Recorded:
    return found(f"{MARKETS}&per_page=250&page={number}", rows, at)


def test_a_short_page_before_others_is_no_end() -> None:
    """No places in it and none after the last, but its coins are told; a page with a row twice is no page."""
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
    twice = [found(f"{MARKETS}&per_page=250&page=1", [{"id": "a"}, {"id": "a"}, {"id": "z"}])]
    for tail in ("&ids=a,b", "&ids=a", "&per_page=2"):
        with pytest.raises(Miss):
            narrow(twice, MARKETS + tail)


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
    """A flag that was off cannot be turned on; a limit told with status 200, or another coin's page, is no page."""
    page = {"id": "a", "tickers": [1], "market_data": {"x": 1, "sparkline_7d": [2]}, "else": None}
    whole = [found("/coins/a?sparkline=true", page)]
    assert narrow(whole, "/coins/a?tickers=false") == {"id": "a", "market_data": {"x": 1}, "else": None}
    bare = [found("/coins/a?tickers=false", page)]
    for tail in ("/coins/a", "/coins/a?tickers=false&sparkline=true", "/coins/a?tickers=no"):
        with pytest.raises(Miss):
            narrow(bare, tail)
    coins = [found("/coins/list?include_platform=true", [{"id": "a", "platforms": {}}])]
    assert narrow(coins, "/coins/list") == [{"id": "a"}]
    for page in ({"status": {"error_code": 429, "error_message": "limit"}}, {"id": "b", "tickers": []},
                 {"tickers": []}):  # fmt: skip
        with pytest.raises(Miss):
            narrow([found("/coins/a?sparkline=true", page)], "/coins/a?tickers=false")


def test_prices_stamped_later_are_not_told() -> None:
    """Neither with their stamp nor without it; another coin's price of then is."""
    rows = {"a": {"usd": 1, "last_updated_at": AT + 300}, "b": {"usd": 2, "last_updated_at": AT}}
    flags = "vs_currencies=usd&include_last_updated_at="
    whole = [found(f"/simple/price?ids=a,b&{flags}true", rows, AT + 600)]
    for asked in (f"ids=a&{flags}true", f"ids=a&{flags}false", f"ids=a,b&{flags}true"):
        with pytest.raises(Miss):
            narrow(whole, f"/simple/price?{asked}")
    assert narrow(whole, f"/simple/price?ids=b&{flags}false") == {"b": {"usd": 2}}
