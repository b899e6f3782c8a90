"""The outside venue: what an asset was worth, hour by hour, in a market the chain does not see.

Prices are whole numbers of a hundred-millionth of a dollar (``price_e8``). They walk by the seed alone, in integers,
so that equal seeds give equal prices on every machine. Traders who know both markets bring the chain's pools near
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from caia_worldgen.rng import Rng

HOUR_S: Final = 3_600
_STEPS: Final = 1_000_000
"""Moves are drawn in millionths."""


@dataclass(frozen=True, slots=True)
class Temper:
    """How an asset behaves. ``hourly_ppm`` is the largest ordinary move in an hour, in millionths."""

    first_price_e8: int
    hourly_ppm: int
    drift_ppm: int = 0


@dataclass(frozen=True, slots=True)
class Shock:
    """From ``hour`` of the story on, within one hour, the price moves by ``ppm`` millionths of itself."""

    hour: int
    ppm: int


class Venue:
    """Hourly prices of every asset of a world from its first midnight on."""

    def __init__(self, first_moment: int, prices_e8: Mapping[str, tuple[int, ...]]) -> None:
        self._first = first_moment
        self._prices = dict(prices_e8)

    @property
    def assets(self) -> list[str]:
        """Every asset's ticker, sorted."""
        return sorted(self._prices)

    def price_e8(self, asset: str, moment: int) -> int:
        """The price of the hour that ``moment`` is in. Raises ``ValueError`` outside the story."""
        hour, prices = (moment - self._first) // HOUR_S, self._prices[asset]
        if not 0 <= hour < len(prices):
            raise ValueError(f"no price of {asset} at {moment}: the story has hours 0 to {len(prices) - 1}, not {hour}")
        return prices[hour]

    def hourly(self, asset: str) -> tuple[int, ...]:
        """Every price of an asset, hour by hour."""
        return self._prices[asset]


def walk(name: str, temper: Temper, hours: int, shocks: tuple[Shock, ...] = ()) -> tuple[int, ...]:
    """An asset's hourly prices. ``name`` seeds it; quiet and busy days follow each other; no price falls below 1."""
    rng, shocked = Rng(f"venue/{name}"), {shock.hour: shock.ppm for shock in shocks}
    price, prices, mood = temper.first_price_e8, [], 100
    for hour in range(hours):
        if hour % 24 == 0:
            mood = rng.number(35, 165)
        if hour:
            reach = temper.hourly_ppm * mood // 100
            move = rng.number(-reach, reach) + temper.drift_ppm + shocked.get(hour, 0)
            price = max(1, price * (_STEPS + max(move, 1 - _STEPS)) // _STEPS)
        prices.append(price)
    return tuple(prices)
