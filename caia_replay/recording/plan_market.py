"""Stand-in replies of CoinGecko and Binance: a listed coin for every one the call names, points on their grids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from caia_replay.providers.binance.interval import STEPS_MS, Interval
from caia_replay.recording.plan_ask import DAY_S, Ask

_TICKER: Final = re.compile(r"[A-Z0-9.]{1,8}")
_HOUR_S: Final = 3_600
_HOURLY_S: Final = 90 * DAY_S
_MOST_POINTS: Final = 2_400
_FUNDING_MS: Final = 8 * _HOUR_S * 1_000
_PERIODS_S: Final[Mapping[str, int]] = {
    "5m": 300, "15m": 900, "30m": 1_800, "1h": 3_600, "2h": 7_200, "4h": 14_400, "6h": 21_600, "12h": 43_200,
    "1d": DAY_S,
}  # fmt: skip


def coin(ask: Ask, text: str) -> dict[str, Any]:
    """The coin that ``text`` means: an id is known, of a ticker, a name or an address the id is a stand-in."""
    folded = text.lower()
    if folded.startswith("id:"):
        known = folded.removeprefix("id:").strip()
        return _listed(known, ask.stand.word(f"ticker of {known}"), ask.stand.word(f"name of {known}"), ask)
    if folded.startswith("0x"):
        found = _listed(
            ask.stand.word(f"coin {folded}"), ask.stand.word(f"ticker {folded}"), ask.stand.word(folded), ask
        )
        return {**found, "platforms": dict.fromkeys(ask.chains, folded)}
    # Whether it is the ticker, the name or the id, the list of coins tells; capitals are meant as a ticker.
    symbol = folded if _TICKER.fullmatch(text) else ask.stand.word(f"ticker {folded}")
    return _listed(ask.stand.word(f"coin {folded}"), symbol, text, ask)


def coins(ask: Ask) -> list[dict[str, Any]]:
    """Every coin of the call, and of each that is named by its id a namesake: then its market must be looked at."""
    found = {one["id"]: one for one in (coin(ask, text) for text in ask.assets)}
    for text in ask.assets:
        if text.lower().startswith("id:"):
            own = coin(ask, text)
            other = ask.stand.word(f"namesake {own['id']}")
            found[other] = {"id": other, "symbol": own["symbol"], "name": other, "platforms": {}}
    return list(found.values())


def coingecko(ask: Ask) -> Any:
    """What CoinGecko might say to ``ask``."""
    parts = ask.parts[2:]
    match parts:
        case ["coins", "list"]:
            return coins(ask)
        case ["simple", "price"]:
            return {one: _price(ask) for one in ask.query.get("ids", "").split(",")}
        case ["coins", _, *_, "range"]:
            return _chart(ask)
        case ["coins", "markets"]:
            ids = ask.query.get("ids")
            named = [{"id": one} for one in ids.split(",")] if ids else coins(ask)
            filled = [{"id": ask.stand.word(f"market {at}")} for at in range(0 if ids else 20)]
            return [_market(ask, one) for one in (*named, *filled)]
        case ["search", "trending"]:
            items = [{"id": ask.stand.word(f"trend {at}"), "symbol": "x", "name": "x"} for at in range(15)]
            return {"coins": [{"item": item} for item in items], "categories": []}
    return {}


def binance(ask: Ask) -> Any:
    """What Binance, spot or futures, might say to ``ask``."""
    kind, symbol = ask.last, ask.query.get("symbol", "")
    if kind == "exchangeInfo":
        quote = (ask.text("quote") or ask.stand.word("quote")).upper()
        bases = dict.fromkeys(str(one["symbol"]).upper() for one in coins(ask))
        rows = [{"symbol": base + quote, "baseAsset": base, "quoteAsset": quote} for base in bases]
        return {"symbols": [{**row, "contractType": "PERPETUAL"} for row in rows]}
    if kind == "klines":
        return _candles(ask)
    names: tuple[str, ...]
    now_ms, price, figure = ask.now * 1_000, _usd(ask), str(ask.stand.number(f"{kind} {symbol}"))
    if kind == "24hr":
        names = ("openPrice", "highPrice", "lowPrice", "volume", "quoteVolume", "priceChangePercent")
        return {"symbol": symbol, "closeTime": now_ms, "lastPrice": str(price), **dict.fromkeys(names, figure)}
    if kind in ("premiumIndex", "openInterest"):
        names = ("markPrice", "indexPrice", "lastFundingRate", "openInterest")
        return {"symbol": symbol, "time": now_ms, "nextFundingTime": now_ms, **dict.fromkeys(names, figure)}
    first, last = ask.whole("startTime", now_ms - 86_400_000), ask.whole("endTime", now_ms)
    if kind == "fundingRate":
        opened = range(-(-first // _FUNDING_MS) * _FUNDING_MS, last + 1, _FUNDING_MS)[: ask.whole("limit", 100)]
        return [{"symbol": symbol, "fundingTime": at, "fundingRate": "0.0001", "markPrice": figure} for at in opened]
    step = _PERIODS_S.get(ask.query.get("period", "1d"), DAY_S) * 1_000
    names = ("sumOpenInterest", "sumOpenInterestValue", "longShortRatio", "longAccount", "shortAccount", "buySellRatio",
             "buyVol", "sellVol")  # fmt: skip
    told = range(-(-first // step) * step, last + 1, step)[: ask.whole("limit", 30)]
    return [{"symbol": symbol, "timestamp": at, **dict.fromkeys(names, figure)} for at in told]


def _listed(name: str, symbol: str, title: str, ask: Ask) -> dict[str, Any]:
    platforms = {chain: ask.stand.address(f"{name} on {chain}") for chain in ask.chains}
    return {"id": name, "symbol": symbol, "name": title, "platforms": platforms}


def _usd(ask: Ask) -> float:
    # One price for all: a coin's market is looked for by its price.
    return ask.stand.number("dollars") / 10**7


def _price(ask: Ask) -> dict[str, Any]:
    names = [name.lower() for name in ask.query.get("vs_currencies", "usd").split(",")]
    told: dict[str, Any] = {"last_updated_at": ask.now}
    for name in names:
        told |= {name: _usd(ask), f"{name}_market_cap": 1.0, f"{name}_24h_vol": 1.0, f"{name}_24h_change": 1.0}
    return told


def _chart(ask: Ask) -> dict[str, Any]:
    first, last = ask.whole("from", ask.now - DAY_S), ask.whole("to", ask.now)
    daily = ask.query.get("interval") == "daily" or last - first > _HOURLY_S
    step = DAY_S if daily else _HOUR_S
    moments = range(-(-first // step) * step, last + 1, step)[-_MOST_POINTS:]
    rows = [[at * 1_000, _usd(ask) + at % 997] for at in moments]
    return {"prices": rows, "market_caps": rows, "total_volumes": rows}


def _market(ask: Ask, one: Mapping[str, Any]) -> dict[str, Any]:
    figures = ("current_price", "market_cap", "market_cap_rank", "fully_diluted_valuation", "total_volume",
               "circulating_supply", "total_supply", "max_supply", *(f"price_change_percentage_{length}_in_currency"
               for length in ("1h", "24h", "7d")))  # fmt: skip
    number = ask.stand.number(f"market of {one['id']}")
    told = {"id": one["id"], "symbol": one.get("symbol", one["id"]), "name": one.get("name", one["id"])}
    return told | dict.fromkeys(figures, number)


def _candles(ask: Ask) -> list[list[Any]]:
    name = ask.query.get("interval", "1h")
    if name not in STEPS_MS:
        return []
    grid, rows = Interval(name), list[list[Any]]()
    now_ms, most = ask.now * 1_000, ask.whole("limit", 500)
    opened, last = grid.ceil(ask.whole("startTime", now_ms - 86_400_000)), min(ask.whole("endTime", now_ms), now_ms)
    price = str(_usd(ask))
    while opened <= last and len(rows) < most:
        following = grid.next(opened)
        rows.append([opened, price, price, price, price, "1", following - 1, "1", 1, "1", "1", "0"])
        opened = following
    return rows
