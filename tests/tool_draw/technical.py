"""Calls of the technical, release and trend tools, of things that are in a world; one in six asks for what is not.

``INSIDE`` draws of what an economy records alone, so that none of it may be a miss.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import COINGECKO, SPOT
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld
from tests.tool_law import Draw

HOURS: Mapping[str, int] = {"1h": 1, "2h": 2, "4h": 4, "6h": 6, "8h": 8, "12h": 12, "1d": 24}
"""Candles that hours make up, and how many."""
AT_MOST: Mapping[str, int] = {
    **{"sma": 1, "bollinger": 1, "vwap": 1, "stochastic": 2, "ema": 7},
    **{"macd": 12, "rsi": 12, "atr": 12},
}
"""How many times its longest period an indicator may use of candles, and half a dozen more."""
USUAL: Mapping[str, int] = {"rsi": 14, "atr": 14, "macd": 26, "stochastic": 14}


def indicator(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``indicator_analysis``; candles of the story's markets are recorded from its first hour."""
    story, others = traded(world)
    outside = not inside and rng.random() < 1 / 6
    name = rng.choice(list(AT_MOST))
    if outside:
        return {
            "asset": _spelt(rng, rng.choice([*story, *others])),
            "indicator": rng.choice([name, name.upper(), "momentum"]),
            "interval": rng.choice(["1m", "15m", "1h", "1d", "1w", "1M", "3d"]),
            "period": rng.choice([None, 1, 5, 200, [12, 26], 900]),
            "at": rng.choice([None, "2021-05-01", "tomorrow", utc_text(world.clock.now + DAY_S), "40 days ago"]),
            "count": rng.choice([1, 100, 101]),
        }
    first = begun(world) // DAY_S * DAY_S
    at = rng.randint(max(first + DAY_S, world.clock.now - 20 * DAY_S), world.clock.now)
    count, hours = rng.choice([1, 3, 10]), (at - first) // HOUR_S - 1
    if rng.random() < 0.25:
        # Days of a coin outside the story are recorded from long before it.
        longest = max(2, hours // 24 - 2)
        period = None if name in USUAL else rng.randint(2, longest)
        coin, interval = rng.choice(others), "1d"
        if name in USUAL and longest < USUAL[name]:
            name, period = "sma", 2
    else:
        coin = rng.choice(story)
        interval = rng.choice([name for name in HOURS if name in intervals(world, coin)])
        room = (hours // HOURS[interval] - count - 12) // AT_MOST[name]
        period = None if room >= USUAL.get(name, 20) and rng.random() < 0.5 else room
        if room < 2 or (name in ("macd", "stochastic") and period is not None):
            coin = rng.choice([one for one in story if "1h" in intervals(world, one)])
            name, interval, period, count = "vwap", "1h", rng.randint(2, 9), 1
    period = period if period is None else min(period, rng.randint(2, 60)) if period > 2 else period
    return {
        "asset": _spelt(rng, coin),
        "indicator": rng.choice([name, name.upper()]),
        "interval": interval,
        "period": rng.choice([period, None if period is None else [period]]),
        "at": rng.choice([at, utc_text(at)]),
        "count": count,
        "deviations": rng.choice([None, 1, 2.5]),
    }


def release(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``release_schedule``; calendars are recorded of the projects that vest."""
    story, others = traded(world)
    outside = not inside and rng.random() < 1 / 6
    known = calendars(world)
    named = [coin for coin in story if coin["id"] in known]
    # In a world's first days no project of the story is listed yet.
    coin = rng.choice([*story, *others] if outside else named or listed(world))
    slug = rng.random() < 0.2
    now = world.clock.now
    length = rng.choice([40, 400, 900])
    moments = sorted(rng.randint(now - 9 * DAY_S, now + length * DAY_S) for _ in range(2))
    start, end = [rng.choice([moment, utc_text(moment), utc_text(moment)[:10]]) for moment in moments]
    steps = [None, "month", "Month", "week", "day"][: 5 if length == 40 else 3]
    if rng.random() < 0.3 or moments[0] // DAY_S == moments[1] // DAY_S:
        start, end = rng.choice([(None, None), (None, utc_text(now + 40 * DAY_S))])
        steps = [None, "month"]
    if outside:
        start, steps = rng.choice([start, "2020-01-01"]), [*steps, "day", "year"]
    return {
        "asset": f"slug:{coin['id']}" if slug and coin["id"] in _protocols(world) else _spelt(rng, coin),
        "at": rng.choice([None, None, utc_text(now - rng.randint(0, 5) * DAY_S), utc_text(moments[1])]),
        "start": start,
        "end": end,
        "step": rng.choice(steps),
        "limit": rng.choice([1, 3, 20]),
        "offset": rng.choice([0, 0, 2]),
    }


def trend(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``trend_detection``."""
    del world
    outside = not inside and rng.random() < 1 / 6
    return {
        "part": rng.choice(["all", "trending", "Gainers", "losers", "volume", *(["whales"] if outside else [])]),
        "period": rng.choice(["1h", "24h", "7d", "1d", "a week", *(["30d"] if outside else [])]),
        "limit": rng.choice([1, 5, 50, *([51] if outside else [])]),
        "largest": rng.choice([10, 17, 250, 251, 1_000]),
        "min_volume_usd": rng.choice([None, None, 0, "1m", 25_000_000]),
    }


def traded(world: TaskWorld) -> tuple[list[Any], list[Any]]:
    """Coins of the story that the spot venue trades for a day at least, and the others it trades as long."""
    view = ToolContext(world)
    markets = {row["symbol"].lower() for row in view.ask(f"{SPOT}/ticker/price")}
    ranked = view.ask(f"{COINGECKO}/coins/markets", vs_currency="usd", per_page=250, page=1)
    older = {row["id"] for row in ranked if row["price_change_percentage_24h"] is not None}
    coins = listed(world)
    tickers = [coin["symbol"] for coin in coins]
    traded = [
        coin
        for coin in coins
        if coin["id"] in older
        and tickers.count(coin["symbol"]) == 1
        and any(coin["symbol"] + quote in markets for quote in tickers)
    ]
    story = [coin for coin in traded if coin["platforms"] or coin["id"] in view.chains]
    return story, [coin for coin in traded if coin not in story]


def _spelt(rng: Random, coin: Mapping[str, Any]) -> str:
    return str(rng.choice([coin["symbol"].upper(), coin["symbol"], f"id:{coin['id']}"]))


def begun(world: TaskWorld) -> int:
    """When the story began."""
    return int(world.world.snapshots[world.anchor.chain].header(0)["timestamp"], 16)


def listed(world: TaskWorld) -> list[dict[str, Any]]:
    """All coins."""
    return [dict(coin) for coin in ToolContext(world).ask(f"{COINGECKO}/coins/list", include_platform="true")]


def calendars(world: TaskWorld) -> frozenset[str]:
    """The slugs of the calendars that are in the world's cassettes."""
    http = world.world.folder.path / "http"
    return _calendars(http / "defillama.json") | _calendars(http / "now.json")


@lru_cache(maxsize=4)
def _calendars(cassette: Path) -> frozenset[str]:
    told = [one for one in json.loads(cassette.read_text())["interactions"] if one["response"]["status"]["code"] == 200]
    return frozenset(uri.rpartition("/")[2] for one in told if "/emissions/" in (uri := one["request"]["uri"]))


def intervals(world: TaskWorld, coin: Mapping[str, Any]) -> tuple[str, ...]:
    """The intervals whose candles are in the world's cassette of the spot venue, or are made up of such ones."""
    steps = _steps(world.world.folder.path / "http" / "binance_spot.json")
    symbol = coin["symbol"].upper()
    (finest,) = {step for market, step in steps.items() if market.startswith(symbol)}
    return tuple(name for name, hours in HOURS.items() if hours % HOURS[finest] == 0)


@lru_cache(maxsize=4)
def _steps(cassette: Path) -> Mapping[str, str]:
    """The interval of each market's candles."""
    asked = [urlsplit(entry["request"]["uri"]).query for entry in json.loads(cassette.read_text())["interactions"]]
    return {one["symbol"]: one["interval"] for one in map(dict, map(parse_qsl, asked)) if "interval" in one}


def _protocols(world: TaskWorld) -> set[str]:
    return {row["slug"] for row in ToolContext(world).ask("https://api.llama.fi/protocols")}


DRAWS: Mapping[str, Draw] = {"indicator_analysis": indicator, "release_schedule": release, "trend_detection": trend}
INSIDE: Mapping[str, Draw] = {name: partial(draw, inside=True) for name, draw in DRAWS.items()}
