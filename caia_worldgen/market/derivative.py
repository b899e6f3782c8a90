"""The venue's perpetual futures: mark and index prices, funding, open interest, and who is long or short.

Everything follows from the spot price and the seed. Funding is paid every eight hours, and longs pay more when the
price has risen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8, Prices
from caia_worldgen.rng import Rng
from caia_worldgen.venue import HOUR_S

FUNDING_S: Final = 8 * HOUR_S
_PPM: Final = 1_000_000
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
        dice = Rng(f"derivative/{self._seed}/{coin.role}/{hour}")
        deep = Rng(f"derivative/{self._seed}/{coin.role}/depth").number(300_000, 9_000_000)
        lean = self._momentum_ppm(coin, hour)
        mark = price * (_PPM + dice.number(-500, 500)) // _PPM
        size = deep * E8 * (900 + dice.number(0, 200)) // 1_000 * E8 // max(1, price)
        shares = [min(780_000, max(220_000, 500_000 + lean * 2 + dice.number(-45_000, 45_000))) for _ in range(3)]
        return Positions(mark, price, size - size % 10_000, *shares)

    def funding_e8(self, coin: Coin, moment: int) -> int:
        """The rate that longs pay shorts at ``moment``, a multiple of ``FUNDING_S``, as a fraction times 10^8."""
        if moment % FUNDING_S:
            raise ValueError(f"no funding is paid at {moment}")
        hour = self._prices.hour_of(moment)
        dice = Rng(f"derivative/{self._seed}/{coin.role}/funding/{hour}")
        rate = 10_000 + self._momentum_ppm(coin, hour) + dice.number(-9_000, 9_000)
        return max(-_MOST_E8, min(_MOST_E8, rate))

    def _momentum_ppm(self, coin: Coin, hour: int) -> int:
        """By how much the price moved in the eight hours before, in millionths."""
        now, first = self._price(coin, hour), self._prices.hour_of(coin.listed_at)
        before = self._price(coin, max(first, hour - 8))
        return (now - before) * _PPM // max(1, before)

    def _price(self, coin: Coin, hour: int) -> int:
        price = self._prices.price_e8(coin, self._prices.first + hour * HOUR_S) if coin.traded else None
        if price is None:
            raise ValueError(f"{coin.id} has no perpetual future at hour {hour}")
        return price
