"""What the recorder asks about an economy at a moment: what is the case then, and what vendors' own examples ask.

Prices, rankings and totals change with every moment at which tasks stand. For every listed coin and market there is
what makes histories end at the moment: the price of now and the candles that are open. What vendors' examples ask of
the largest coins alone (order books, trades, five minutes, half hours) is recorded of the largest coins alone: it is
long, and tells of nothing but its moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from caia_replay.core.provider import HttpRequest
from caia_worldgen.calendar import DAY_S
from caia_worldgen.economy_question import (
    COINGECKO,
    FLOWS,
    FUTURES,
    LLAMA,
    LLAMA_COINS,
    LLAMA_DATASETS,
    LLAMA_PRO,
    SPOT,
    currencies,
    explorer,
    get,
    is_in_story,
    markets,
    symbol_of,
)
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.metric import Metrics
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage
from caia_worldgen.venue import HOUR_S

LARGEST: Final = 3
"""How many coins, and how many of those that have a market, examples are about."""
OPENING_S: Final = 2 * DAY_S
"""How long after a coin is listed its first day is told for certain."""
_PAST_DAYS: Final = (90, 364)
"""How far back from then a coin is shown to have no prices: by hours, and by days."""
_LISTS: Final = ("coins/categories", "coins/categories/list", "exchanges", "exchanges/list", "exchange_rates",
                 "global/decentralized_finance_defi")  # fmt: skip
_STATIC: Final = (
    *(f"{COINGECKO}/{path}" for path in ("ping", "asset_platforms", "simple/supported_vs_currencies")),
    f"{SPOT}/ping",
    f"{FUTURES}/fapi/v1/ping",
)
"""What is so at any moment, and is asked at the first one."""


def largest(book: MarketBook, now: int) -> list[Coin]:
    """The largest coins of a moment, the largest first."""
    return list(book.ranking(now)[:LARGEST])


def largest_traded(book: MarketBook, now: int) -> list[Coin]:
    """The largest coins of a moment that the venue trades."""
    return [coin for coin in book.ranking(now) if coin.traded][:LARGEST]


def opening_questions(book: MarketBook, listed_at: int) -> list[HttpRequest]:
    """What is asked shortly after some coins were listed: that they had no price before, and what never changes."""
    now = listed_at + OPENING_S
    hours, days = _PAST_DAYS
    charts = [f"{COINGECKO}/coins/{coin.id}/market_chart/range" for coin in book.coins if coin.listed_at == listed_at]
    return [
        *(get(url) for url in _STATIC if listed_at == book.prices.first),
        *(get(url, vs_currency="usd", **{"from": now - hours * DAY_S}, to=now) for url in charts),
        *(get(url, vs_currency="usd", **{"from": now - days * DAY_S}, to=now, interval="daily") for url in charts),
    ]


def moment_questions(scene: Scene, metrics: Metrics, now: int) -> list[HttpRequest]:
    """What is asked at a moment: what is the case then, without the histories that lead there."""
    book, listed = metrics.book, metrics.book.listed(now)
    asked = [
        get(f"{COINGECKO}/coins/markets", vs_currency="usd", per_page=250, page=1,
            price_change_percentage="1h,24h,7d"),
        get(f"{COINGECKO}/coins/list", include_platform="true"),
        get(f"{COINGECKO}/search/trending"),
        get(f"{COINGECKO}/global"),
        get(f"{COINGECKO}/simple/price", ids=",".join(coin.id for coin in listed),
            vs_currencies=f"usd,eur,{currencies(book)[-1]}", include_market_cap="true", include_24hr_vol="true",
            include_24hr_change="true"),
        *(get(f"{FUTURES}/fapi/v1/openInterest", symbol=symbol_of(book, coin)) for coin in markets(book, now)),
        get(f"{SPOT}/ticker/24hr"),
        get(f"{SPOT}/ticker/price"),
        get(f"{SPOT}/ticker/bookTicker"),
        get(f"{FUTURES}/fapi/v1/premiumIndex"),
        get(f"{FUTURES}/fapi/v1/ticker/24hr"),
        get(f"{LLAMA}/protocols"),
        get(f"{LLAMA}/v2/chains"),
        get(f"{LLAMA_PRO}/activeUsers"),
        get(f"{LLAMA_COINS}/prices/current/" + ",".join(f"coingecko:{coin.id}" for coin in listed)),
    ]  # fmt: skip
    return asked + supply_questions(scene, book, scene.main, now) + supply_questions(scene, book, scene.rollup, now)


def supply_questions(scene: Scene, book: MarketBook, stage: Stage, now: int) -> list[HttpRequest]:
    """How much there is of each coin on a chain. That changes with every block, so it is asked at each chain's own."""
    homes = [dict(coin.platforms).get(scene.networks[stage.name].id) for coin in book.listed(now) if is_in_story(coin)]
    return [
        explorer(stage, "stats", "ethsupply"),
        *(explorer(stage, "stats", "tokensupply", contractaddress=home) for home in homes if home is not None),
    ]


def as_told_questions(metrics: Metrics, now: int) -> list[HttpRequest]:
    """What is asked at a moment as it is, because anything wider is long: totals of today without the days of each
    protocol, the open candle of each market, the newest price of each coin, and what examples ask."""
    return [*_totals(), *_plans(metrics, now), *_open(metrics.book, now), *_examples(metrics.book, now)]


def _totals() -> Iterator[HttpRequest]:
    without = {"excludeTotalDataChartBreakdown": "true"}
    for overview, _ in FLOWS:
        yield get(f"{LLAMA}/overview/{overview}", **without)
    yield get(f"{LLAMA}/overview/fees", dataType="dailyRevenue", **without)


def _plans(metrics: Metrics, now: int) -> Iterator[HttpRequest]:
    """The calendars that there are none of: that is so at its moment alone."""
    slugs = [*(coin.id for coin in metrics.book.listed(now)), *(one.slug for one in metrics.protocols)]
    for slug in dict.fromkeys(slugs):
        found = metrics.emissions.of(slug)
        if found is None or found.known_at > now:
            yield get(f"{LLAMA_DATASETS}/emissions/{quote(slug, safe='')}")


def _open(book: MarketBook, now: int) -> Iterator[HttpRequest]:
    for path in _LISTS:
        yield get(f"{COINGECKO}/{path}")
    for coin in book.listed(now):
        yield get(f"{COINGECKO}/coins/{coin.id}/market_chart", vs_currency="usd", days=1, interval="daily")
    yield from (get(url) for url in (f"{SPOT}/time", f"{FUTURES}/fapi/v1/time"))
    for coin in markets(book, now - HOUR_S):
        yield get(f"{SPOT}/klines", symbol=symbol_of(book, coin), interval="1h", limit=1)


def _examples(book: MarketBook, now: int) -> Iterator[HttpRequest]:
    for rank, coin in enumerate(largest(book, now)):
        page = f"{COINGECKO}/coins/{coin.id}"
        yield from (get(page), get(f"{page}/tickers"), get(f"{COINGECKO}/search", query=coin.id))
        yield get(f"{page}/ohlc", vs_currency="usd", days=1)
        if not rank:  # a day of five minutes is long
            yield get(f"{page}/market_chart/range", vs_currency="usd", **{"from": now - DAY_S}, to=now)
    for symbol in (symbol_of(book, coin) for coin in largest_traded(book, now)):
        yield from (get(f"{SPOT}/{path}", symbol=symbol) for path in ("avgPrice", "depth", "trades", "aggTrades"))
        yield get(f"{SPOT}/klines", symbol=symbol, interval="15m", limit=1)
