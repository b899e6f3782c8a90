"""Calls of the market tools, of coins and moments that are in a world; one in six asks for what is not, or nearly so.

``INSIDE`` draws of what an economy records alone, so that none of it may be a miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from caia_replay.tools.argument import DAY_S
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld
from tests.tool_draw.technical import begun, intervals, listed, traded
from tests.tool_law import Draw

FINE = ("1m", "15m", "1M")


def price(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``price_feed``."""
    story, others, native = _coins(world)
    outside = not inside and rng.random() < 1 / 6
    coin = rng.choice(story)
    quote, interval = rng.choice([(None, None), ("usd", "hourly"), ("eur", "daily"), ("cny", "daily"), (native, None)])
    source = rng.choice(["coingecko", "coingecko", "binance"])
    if source == "binance":
        kept = intervals(world, coin)
        usual = None if "1h" in kept else "1d"
        other = rng.choice(traded(world)[1])
        coin, interval = rng.choice([(coin, rng.choice(kept)), (other, "1d"), (coin, usual)])
        quote = None
    if outside:
        coin = rng.choice([*story, *others, {"symbol": "nosuch", "id": "id:no-such", "name": "No Such"}])
        quote, interval = rng.choice(["usd", "gbp", "eur"]), rng.choice(["5m", "hourly", "daily", "weekly"])
    asked: dict[str, Any] = {"asset": _spelt(rng, coin), "quote": quote, "interval": interval, "source": source}
    match rng.randrange(3):
        case 0:  # other currencies than the dollar and the native coin are recorded by the day alone
            return {**asked, "interval": None, "quote": quote if outside or quote == native else None}
        case 1:
            return {**asked, "at": _moment(rng, world, outside)}
    start, end = sorted((_second(rng, world, outside), _second(rng, world)))
    return {**asked, "start": utc_text(start), "end": utc_text(end), "limit": rng.choice([1, 50, 500])}


def ranking(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``ranking_query``."""
    story, others, _ = _coins(world)
    figures = ["market_cap", "volume_24h", "change_1h", "change_24h", "change_7d", "price", "fully diluted valuation"]
    some = [_spelt(rng, coin) for coin in rng.sample([*story, *others], 3)]
    return {
        "by": rng.choice(figures if inside else [*figures, "sharpe"]),
        "order": rng.choice(["descending", "ascending", "asc"]),
        "limit": rng.choice([1, 5, 100]),
        "offset": rng.choice([0, 0, 3, 28, 40]),
        "symbols": rng.choice([None, some, [*some, "nosuch"]]),
        "among": rng.choice([250, 5, 29, 300]),
    }


def positioning(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``positioning_analysis``."""
    story, others, native = _coins(world)
    outside = not inside and rng.random() < 1 / 6
    metric = rng.choice(["now", "funding", "open_interest", "long_short_ratio", "taker_ratio"])
    coin = rng.choice([*story, *others] if outside else story)
    period = rng.choice(["4h", "1d"] if coin["symbol"] == native else ["1d"])
    if outside:
        period = rng.choice(["5m", "1h", "1d", "3d"])
    asked: dict[str, Any] = {"asset": _spelt(rng, coin), "metric": metric, "period": period}
    if metric == "now" or (rng.random() < 0.2 and world.clock.now - begun(world) > 8 * DAY_S):
        return asked
    first = None if metric == "funding" or outside else world.clock.now - 30 * DAY_S
    start, end = sorted(_second(rng, world, outside, first) for _ in range(2))
    return {**asked, "start": utc_text(start), "end": utc_text(end), "limit": rng.choice([1, 30, 500])}


def volatility(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``volatility_alerts``."""
    story, others = traded(world)
    outside = not inside and rng.random() < 1 / 6
    coin = rng.choice(story)
    coin, interval = rng.choice([(coin, rng.choice(intervals(world, coin))), (rng.choice(others), "1d")])
    if outside:
        interval = rng.choice([*FINE, "1h"])
    start, end = sorted((_second(rng, world, outside), _second(rng, world)))
    return {
        "asset": _spelt(rng, coin),
        "threshold_percent": rng.choice([1, 2.5, "4%", "8"]),
        "interval": interval,
        "window": rng.choice([None, "1d", "2 days"]),
        "direction": rng.choice(["both", "up", "down"]),
        "order": rng.choice(["time", "size"]),
        "start": utc_text(start),
        "end": utc_text(end),
        "limit": rng.choice([1, 20, 200]),
    }


def _coins(world: TaskWorld) -> tuple[list[Any], list[Any], str]:
    """Those of the story that a venue trades at, the others, and the native coin's ticker."""
    view = ToolContext(world)
    coins = listed(world)
    ranked = view.ask(f"{COINGECKO}/coins/markets", vs_currency="usd", per_page=250, page=1)
    older = {row["id"] for row in ranked if row["price_change_percentage_24h"] is not None}
    native = next(coin["symbol"] for coin in coins if coin["id"] in view.chains)
    story = [coin for coin in traded(world)[0] if coin["platforms"]]
    # Of a coin that was listed today no day's candle is over.
    others = [coin for coin in coins if not coin["platforms"] and coin["id"] in older]
    return story, others, native


def _spelt(rng: Random, coin: Mapping[str, Any]) -> str:
    return str(rng.choice([coin["symbol"], coin["symbol"].upper(), coin["name"], coin["id"], f"id:{coin['id']}"]))


def _second(rng: Random, world: TaskWorld, outside: bool = False, first: int | None = None) -> int:
    return rng.randint(max(begun(world) - (60 * DAY_S if outside else 0), first or 0), world.clock.now)


def _moment(rng: Random, world: TaskWorld, outside: bool) -> str | int:
    """A moment, written as people do."""
    second = _second(rng, world, outside)
    if second // DAY_S * DAY_S < begun(world):
        return second
    return rng.choice([second, utc_text(second), utc_text(second)[:10], "1 day ago", "now"])


DRAWS: Mapping[str, Draw] = {
    "price_feed": price,
    "ranking_query": ranking,
    "positioning_analysis": positioning,
    "volatility_alerts": volatility,
}
INSIDE: Mapping[str, Draw] = {name: partial(draw, inside=True) for name, draw in DRAWS.items()}
