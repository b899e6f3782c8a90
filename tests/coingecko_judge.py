"""Who judges the CoinGecko API beside ourselves: real replies, the vendor's SDK, and a third party's client."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from coingecko_sdk import Coingecko, NotFoundError
from pycoingecko import CoinGeckoAPI

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.origin.market.book import MarketBook
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.vcr_file import read_vcr

DAY = 86_400
_SPANS = "1h,24h,7d,14d,30d,200d,1y"
HELD: list[tuple[str, str, dict[str, str]]] = [
    ("coins/list", "/coins/list", {}),
    ("coins/markets", "/coins/markets", {"vs_currency": "usd", "price_change_percentage": _SPANS}),
    ("coins/bitcoin/", "/coins/{id}/", {"localization": "false", "tickers": "false", "sparkline": "true"}),
    ("simple/price", "/simple/price", {"ids": "", "vs_currencies": "usd", "include_market_cap": "true"}),
    ("search/trending", "/search/trending", {}),
    ("global?", "/global", {}),
    ("global/decentralized", "/global/decentralized_finance_defi", {}),
    ("exchanges?", "/exchanges", {"per_page": "250"}),
    ("exchanges/binance/tickers", "/exchanges/outside-venue/tickers", {}),
    ("exchange_rates", "/exchange_rates", {}),
    ("derivatives", "/derivatives", {}),
]
"""Recorded endpoints that are served: what their real address has in it, and our path and parameters."""

DEVIATIONS = {
    "coins/bitcoin/": {
        "coingecko_rank", "coingecko_score", "developer_score", "community_score", "liquidity_score",
        "public_interest_score", "public_interest_stats", "community_data.twitter_followers",
        "market_data.sparkline_7d", "market_data.max_supply",
    },
    "search/trending": {"exchanges"},
    "exchanges?": {"[].trade_volume_24h_btc_normalized"},
}  # fmt: skip
"""Where our replies are not as real ones were in 2022: docs/providers/coingecko.md gives each its reason."""

_BY_NAME = {"coins/bitcoin/": ("platforms", "description"), "simple/price": ("",), "exchange_rates": ("rates",),
            "global?": ("data.market_cap_percentage",)}  # fmt: skip
_CURRENCIES = ("usd", "eur")


@lru_cache(maxsize=1)
def real_recordings(real_data: Path) -> tuple[Recorded, ...]:
    """Every readable exchange with the API in the real cassettes, bodies decoded, header names in lower case."""
    found = []
    for path in sorted((real_data / "http-cassettes" / "openbb").rglob("*.yaml")):
        if "api.coingecko.com" not in path.read_text("utf-8"):
            continue
        for item in read_vcr(path):
            if "://api.coingecko.com/" in item.uri and item.status == 200:
                headers = {name.lower(): lines[-1] for name, lines in item.headers.items()}
                body = decoded(item.body, [headers[name] for name in ("content-encoding",) if name in headers])
                found.append(Recorded(HttpRequest("GET", item.uri), HttpReply(item.status, headers, body)))
    return tuple(found)


def real_exchanges(real_data: Path) -> list[tuple[str, Any]]:
    """Address (with a question mark behind its path) and content of real exchanges."""
    made = []
    for found in real_recordings(real_data):
        url = found.request.url if "?" in found.request.url else found.request.url + "?"
        made.append((url, json.loads(found.reply.body)))
    return made


def shape_faults(ours: Any, real: Iterable[Any], name: str) -> set[str]:
    """Places where our reply lacks a real key, or has a type that no real sample has there."""
    return set(_faults([ours], list(real), "", _BY_NAME.get(name, ())))


def _kind(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(type(value).__name__)
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _faults(ours: list[Any], real: list[Any], at: str, by_name: tuple[str, ...]) -> Iterable[str]:
    kinds = {_kind(value) for value in real}
    if any(_kind(value) not in kinds for value in ours):
        yield at
        return
    if "list" in kinds:
        lists = [[item for part in side if isinstance(part, list) for item in part] for side in (ours, real)]
        yield from _faults(*lists, f"{at}[]", by_name) if all(lists) else ()
    if "dict" not in kinds:
        return
    mine, theirs = ([part for part in side if isinstance(part, dict)] for side in (ours, real))
    names = {key for part in theirs for key in part}
    if at in by_name or {"btc", "aed", "zar"} <= names:  # one value for each currency, coin or platform
        yield from _faults(*([value for part in side for value in part.values()] for side in (mine, theirs)),
                           f"{at}.*".lstrip("."), by_name)  # fmt: skip
        return
    for key in sorted(names):
        place = f"{at}.{key}".lstrip(".")
        # A key that only some real samples have may be absent here too.
        if mine and all(key in part for part in theirs) and not all(key in part for part in mine):
            yield place
        else:
            sides = ([part[key] for part in side if key in part] for side in (mine, theirs))
            yield from _faults(*sides, place, by_name)


def ask_sdk(url: str, book: MarketBook, now: int) -> list[list[float]]:
    """Ask the vendor's SDK for a bit of everything; the prices of the last week."""
    native = next(coin for coin in book.coins if coin.role == "native").id
    network, address = next(coin.platforms[0] for coin in book.coins if coin.role == "lend")
    address_of_api, key = f"{url}/api/v3", "CG-synthetic"
    with Coingecko(
        base_url=address_of_api, demo_api_key=key, max_retries=0, _strict_response_validation=True
    ) as client:
        assert client.ping.get().gecko_says
        assert client.coins.get_id(native).name
        assert client.coins.markets.get(vs_currency="usd", per_page=5)[0].id
        assert client.coins.history.get(native, date="02-04-2024").market_data
        assert client.coins.ohlc.get(native, vs_currency="usd", days="7")
        assert client.simple.price.get(ids=native, vs_currencies="usd")[native].usd
        assert client.coins.contract.get(address, id=network).id
        assert client.search.trending.get().coins and client.search.get(query="net").coins
        assert client.global_.get().data and client.asset_platforms.get() and client.coins.list.get()
        assert client.exchanges.get()[0].id and client.exchanges.get_id("outside-venue").name
        with pytest.raises(NotFoundError):
            client.coins.get_id("absent")
        chart = client.coins.market_chart.get_range(native, vs_currency="usd", from_=str(now - 7 * DAY), to=str(now))
        return [list(point) for point in chart.prices or ()]


def ask_pycoingecko(url: str, book: MarketBook, now: int) -> list[list[float]]:
    """Ask a third party's client for a bit of everything; the prices of the last week."""
    native = next(coin for coin in book.coins if coin.role == "native").id
    network, address = next(coin.platforms[0] for coin in book.coins if coin.role == "lend")
    client = CoinGeckoAPI()
    client.api_base_url = f"{url}/api/v3/"
    assert client.ping()["gecko_says"]
    assert client.get_price(native, "usd")[native]["usd"]
    assert client.get_coins_markets("usd")[0]["market_cap_rank"] == 1
    assert client.get_coin_by_id(native)["id"] == native
    assert client.get_coin_history_by_id(native, "02-04-2024")["market_data"]["current_price"]["usd"]
    assert client.get_coin_info_from_contract_address_by_id(network, address)["contract_address"] == address
    assert client.get_search_trending()["coins"] and client.get_global()["active_cryptocurrencies"]
    assert client.get_exchanges_list()[0]["id"] and client.get_coins_list() and client.get_asset_platforms()
    with pytest.raises(ValueError, match="coin not found"):
        client.get_coin_by_id("absent")
    chart = client.get_coin_market_chart_range_by_id(native, "usd", now - 7 * DAY, now)
    return [list(point) for point in chart["prices"]]
