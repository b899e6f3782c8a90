"""Prices and pages written by hand."""

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


def found(tail: str, content: Any, at: int = AT) -> Recorded:
    headers = {"date": formatdate(at, usegmt=True)}
    return Recorded(HttpRequest("GET", API + tail), HttpReply(200, headers, json.dumps(content).encode()))


def narrow(recorded: list[Recorded], tail: str) -> Any:
    return json.loads(CoinGeckoProvider().narrow(recorded, HttpRequest("GET", API + tail), AT).body)


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


def test_a_page_is_the_page_of_its_coin() -> None:
    """A limit told with status 200, or another coin's page, makes no page."""
    for page in (
        {"status": {"error_code": 429, "error_message": "limit"}},
        {"id": "b", "tickers": []},
        {"tickers": []},
    ):
        with pytest.raises(Miss):
            narrow([found("/coins/a?sparkline=true", page)], "/coins/a?tickers=false")


def test_a_list_with_a_row_that_is_no_coin_is_none() -> None:
    """And does not spoil the one beside it."""
    tail = "/coins/list?include_platform=true"
    bad, good = (
        found(tail, [{"id": "a", "platforms": {}}, None], AT),
        found(tail, [{"id": "a", "platforms": {}}], AT - 9),
    )
    with pytest.raises(Miss):
        narrow([bad], "/coins/list")
    assert narrow([bad, good], "/coins/list") == [{"id": "a"}]


def test_prices_stamped_later_are_not_told() -> None:
    """Neither with their stamp nor without it; another coin's price of then is."""
    rows = {"a": {"usd": 1, "last_updated_at": AT + 300}, "b": {"usd": 2, "last_updated_at": AT}}
    flags = "vs_currencies=usd&include_last_updated_at="
    whole = [found(f"/simple/price?ids=a,b&{flags}true", rows, AT + 600)]
    for asked in (f"ids=a&{flags}true", f"ids=a&{flags}false", f"ids=a,b&{flags}true"):
        with pytest.raises(Miss):
            narrow(whole, f"/simple/price?{asked}")
    assert narrow(whole, f"/simple/price?ids=b&{flags}false") == {"b": {"usd": 2}}


def test_numbers_that_no_float_holds_are_a_miss() -> None:
    """A price of 1e400 is no price, and does not spoil the one beside it."""
    good = found("/simple/price?ids=a,b&vs_currencies=usd", {"a": {"usd": 1}})
    bad = Recorded(good.request, HttpReply(200, good.reply.headers, b'{"a":{"usd":1e400}}'))
    with pytest.raises(Miss):
        narrow([bad], "/simple/price?ids=a&vs_currencies=usd")
    assert narrow([bad, good], "/simple/price?ids=a&vs_currencies=usd") == {"a": {"usd": 1}}
