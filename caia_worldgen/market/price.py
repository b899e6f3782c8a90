"""What a coin was worth and how much of it was traded, hour by hour, in whole numbers of a hundred-millionth.

The venue's price of an hour holds at its first second and until the next: a candle opens at its hour's price and
closes at the next hour's. Tokens that are traded in a pool alone have the pool's price at the end of the newest block,
and the pool's swaps as their volume. What contracts on a coin pay and hold follows from the same hours.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caia_worldgen.economy import crash_hour
from caia_worldgen.event import done
from caia_worldgen.market.coin import Coin, pooled
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.venue import HOUR_S, Shock, Temper, walk
from caia_worldgen.view import ViewCall

E8: Final = 10**8
_PPM: Final = 1_000_000
_WICK_PPM: Final = 3_500


@dataclass(frozen=True, slots=True)
class Candle:
    """One hour of one coin. Prices in dollars, ``volume`` in whole coins, ``quote`` in dollars, all times 10^8.

    ``taker_*`` is the part in which the buyer took the offer.
    """

    open_e8: int
    high_e8: int
    low_e8: int
    close_e8: int
    volume_e8: int
    quote_e8: int
    trades: int
    taker_volume_e8: int
    taker_quote_e8: int


class Prices:
    """Prices and candles of every coin of a told story."""

    def __init__(self, scene: Scene, coins: tuple[Coin, ...]) -> None:
        self.first = scene.main.calendar.times[0]
        self.hours = scene.scale.days * 24
        self._seed = scene.seed
        self._walks: dict[str, tuple[int, ...]] = {}
        self._swapped: dict[str, dict[int, tuple[int, int, int]]] = {}
        pools = pooled(scene)
        for coin in coins:
            if coin.role in pools:
                self._walks[coin.id] = _pool_walk(scene, coin, pools[coin.role], self.hours)
                self._swapped[coin.id] = _pool_swaps(scene, coin, pools[coin.role], self._walks[coin.id])
            elif coin.role == "dollar":
                self._walks[coin.id] = (E8,) * self.hours
            elif coin.role.startswith("outsider"):
                self._walks[coin.id] = _outside_walk(scene.seed, coin.role, self.hours)
            else:
                self._walks[coin.id] = scene.venue.hourly("native" if coin.role == "wrapped" else coin.role)
        self._candles: dict[tuple[str, int], Candle] = {}

    @property
    def end(self) -> int:
        """The first moment that has no price any more."""
        return self.first + self.hours * HOUR_S

    def hour_of(self, moment: int) -> int:
        """Which hour of the story a moment is in. Raises ``ValueError`` outside the story."""
        hour = (moment - self.first) // HOUR_S
        if not 0 <= hour < self.hours:
            raise ValueError(f"{moment} is outside the story, which goes from {self.first} to {self.end}")
        return hour

    def price_e8(self, coin: Coin, moment: int) -> int | None:
        """A coin's price in dollars times 10^8; None before it was listed. Raises ``ValueError`` outside the story."""
        hour = self.hour_of(moment)
        return None if moment < coin.listed_at else self._walks[coin.id][hour]

    def candle(self, coin: Coin, hour: int) -> Candle:
        """One hour, the story's first being 0. Raises ``ValueError`` for an hour in which the coin had no market."""
        if not self.hour_of(coin.listed_at) <= hour < self.hours:
            raise ValueError(f"{coin.id} has no hour {hour}")
        found = self._candles.get((coin.id, hour))
        if found is None:
            found = self._candles[coin.id, hour] = self._drawn(coin, hour)
        return found

    def _drawn(self, coin: Coin, hour: int) -> Candle:
        prices = self._walks[coin.id]
        opened, closed = prices[hour], prices[min(hour + 1, self.hours - 1)]
        if coin.id in self._swapped:
            volume, quote, trades = self._swapped[coin.id].get(hour, (0, 0, 0))
            return Candle(
                opened, max(opened, closed), min(opened, closed), closed, volume, quote, trades, volume // 2, quote // 2
            )
        rng = Rng(f"market/{self._seed}/{coin.role}/{hour}")
        high = max(opened, closed) * (_PPM + rng.number(0, _WICK_PPM)) // _PPM
        low = min(opened, closed) * (_PPM - rng.number(0, _WICK_PPM)) // _PPM
        deep = Rng(f"market/{self._seed}/{coin.role}/depth").number(2_000, 400_000)
        # A busy hour is one in which the price moves.
        busy = 60 + abs(closed - opened) * 40_000 // max(1, opened) + rng.number(0, 80)
        volume = deep * busy * rng.number(70, 130) // 10_000 * E8 * E8 // max(1, (opened + closed) // 2)
        volume -= volume % 10_000
        quote = volume * ((opened + closed) // 2) // E8
        taken = rng.number(360, 640)
        takers = volume * taken // 1_000 // 10_000 * 10_000
        return Candle(
            opened, high, max(1, low), closed, volume, quote, 20 + quote // E8 // rng.number(180, 420),
            takers, takers * ((opened + closed) // 2) // E8,
        )  # fmt: skip


def _outside_walk(seed: int, role: str, hours: int) -> tuple[int, ...]:
    rng, crash = Rng(f"market/{seed}/{role}/temper"), crash_hour(seed, hours)
    first = rng.odd(10**4, 4 * 10**5) if rng.happens(25) else rng.odd(4 * 10**6, 6 * 10**9)
    temper, fall = Temper(first, rng.number(3_500, 17_000), rng.number(-140, 170)), rng.number(90_000, 360_000)
    return walk(f"{seed}/{role}", temper, hours, (Shock(crash, -fall), Shock(crash + 6, fall // 5)))


def _pool_walk(scene: Scene, coin: Coin, pool: str, hours: int) -> tuple[int, ...]:
    """The pool's price in dollars at the end of the newest block of each hour's first second; 0 before it had one."""
    views, times, first = scene.main.views, scene.main.calendar.times, scene.main.calendar.times[0]
    question = ViewCall(pool, "getReserves")
    heights, prices = list(views.heights(question)), []
    for hour in range(hours):
        block = bisect_right(times, max(first + hour * HOUR_S, coin.listed_at)) - 1
        at = bisect_right(heights, block)
        if not at or first + (hour + 1) * HOUR_S <= coin.listed_at:
            prices.append(0)
            continue
        other = scene.venue.price_e8("native", first + hour * HOUR_S) if pool.endswith("/native") else E8
        prices.append(_spot_e8(scene, coin, pool, heights[at - 1], other))
    return tuple(prices)


def _spot_e8(scene: Scene, coin: Coin, pool: str, block: int, other_price_e8: int) -> int:
    first, second, _ = scene.main.views.answer(ViewCall(pool, "getReserves"), block)
    other = scene.assets["native" if pool.endswith("/native") else "dollar"]
    own, against = (first, second) if coin.platforms[0][1] < other.address else (second, first)
    return max(1, against * coin.unit * other_price_e8 // (own * other.unit)) if own else 0


def _pool_swaps(scene: Scene, coin: Coin, pool: str, prices: tuple[int, ...]) -> dict[int, tuple[int, int, int]]:
    """Hour -> what was swapped in it: coins and dollars (times 10^8), and how often."""
    first, found = scene.main.calendar.times[0], dict[int, tuple[int, int, int]]()
    for deed in done(scene.main.deeds, "swapped", pool):
        hour = (scene.main.calendar.times[deed.block] - first) // HOUR_S
        sold = dict(deed.figures)["sold"] == coin.role
        amount = deed.figure("amount_in" if sold else "amount_out") * E8 // coin.unit
        volume, quote, trades = found.get(hour, (0, 0, 0))
        found[hour] = (volume + amount, quote + amount * prices[hour] // E8, trades + 1)
    return found


def sum_of(parts: Sequence[Candle]) -> Candle:
    """Several hours in a row as one candle. Raises ``ValueError`` for none."""
    if not parts:
        raise ValueError("no candle at all")
    return Candle(
        parts[0].open_e8, max(part.high_e8 for part in parts), min(part.low_e8 for part in parts), parts[-1].close_e8,
        sum(part.volume_e8 for part in parts), sum(part.quote_e8 for part in parts), sum(part.trades for part in parts),
        sum(part.taker_volume_e8 for part in parts), sum(part.taker_quote_e8 for part in parts),
    )  # fmt: skip


FUNDING_S: Final = 8 * HOUR_S
_FUNDING_PPM: Final = 1_000_000
_MOST_E8: Final = 300_000
"""0.3 per cent of the position in eight hours, either way."""


@dataclass(frozen=True, slots=True)
class Positions:
    """An hour of a perpetual future. ``long_ppm`` is the share of longs: of accounts, of top accounts, of their size.

    ``open_interest_e8`` is in whole coins times 10^8.
    """

    mark_e8: int
    index_e8: int
    open_interest_e8: int
    long_ppm: int
    top_long_ppm: int
    top_size_long_ppm: int


class Derivatives:
    """Perpetual futures of the coins that the outside venue trades."""

    def __init__(self, seed: int, prices: Prices) -> None:
        self._seed = seed
        self._prices = prices

    def positions(self, coin: Coin, hour: int) -> Positions:
        """The positions at the first second of an hour of the story. Raises ``ValueError`` where there is no price."""
        price = self._price(coin, hour)
        rng = Rng(f"derivative/{self._seed}/{coin.role}/{hour}")
        deep = Rng(f"derivative/{self._seed}/{coin.role}/depth").number(300_000, 9_000_000)
        lean = self._momentum_ppm(coin, hour)
        mark = price * (_FUNDING_PPM + rng.number(-500, 500)) // _FUNDING_PPM
        size = deep * E8 * (900 + rng.number(0, 200)) // 1_000 * E8 // max(1, price)
        shares = [min(780_000, max(220_000, 500_000 + lean * 2 + rng.number(-45_000, 45_000))) for _ in range(3)]
        return Positions(mark, price, size - size % 10_000, *shares)

    def funding_e8(self, coin: Coin, moment: int) -> int:
        """The rate that longs pay shorts at ``moment``, a multiple of ``FUNDING_S``, as a fraction times 10^8."""
        if moment % FUNDING_S:
            raise ValueError(f"no funding is paid at {moment}")
        hour = self._prices.hour_of(moment)
        rng = Rng(f"derivative/{self._seed}/{coin.role}/funding/{hour}")
        rate = 10_000 + self._momentum_ppm(coin, hour) + rng.number(-9_000, 9_000)
        return max(-_MOST_E8, min(_MOST_E8, rate))

    def _momentum_ppm(self, coin: Coin, hour: int) -> int:
        """By how much the price moved in the eight hours before, in millionths."""
        now, first = self._price(coin, hour), self._prices.hour_of(coin.listed_at)
        before = self._price(coin, max(first, hour - 8))
        return (now - before) * _FUNDING_PPM // max(1, before)

    def _price(self, coin: Coin, hour: int) -> int:
        price = self._prices.price_e8(coin, self._prices.first + hour * HOUR_S) if coin.traded else None
        if price is None:
            raise ValueError(f"{coin.id} has no perpetual future at hour {hour}")
        return price
