"""Worths in any quote currency, as CoinGecko writes them: exact fractions, turned into one JSON number at the end.

    usd          the book's own currency
    eur, cny ... units per dollar, drawn from the seed once for each day of the story
    native coin  its ticker in lower case; the rate is the coin's own price of the hour

Every number is one whole number divided by another, correctly rounded, so it is the same on every machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8
from caia_worldgen.rng import Rng
from caia_worldgen.venue import HOUR_S

DAY_S: Final = 86_400
_PPM: Final = 1_000_000
_FIAT_E6: Final = {"eur": 921_000, "gbp": 787_000, "cny": 7_190_000, "jpy": 149_700_000, "krw": 1_372_000_000}
"""Units per dollar, times 10^6, about which a day's rate is drawn."""
_DAILY_PPM: Final = 9_000
_PRECISIONS: Final = tuple(str(places) for places in range(19))

Number = int | float


@dataclass(frozen=True, slots=True)
class Extreme:
    """The highest or lowest price up to some moment, and the first hour that had it."""

    price: Fraction
    moment: int


class Money:
    """Prices, caps and volumes of a book's coins in every quote currency. Read-only; remembers what it worked out."""

    def __init__(self, book: MarketBook) -> None:
        self.book = book
        self.native = next(coin for coin in book.coins if coin.role == "native")
        self.currencies = ("usd", *_FIAT_E6, self.native.symbol)
        self._fiat: dict[tuple[str, int], Fraction] = {}
        self._volumes: dict[tuple[str, int], int] = {}
        self._caps: dict[tuple[str, int], int] = {}
        self._records: dict[tuple[str, str, bool], tuple[list[int], list[Fraction]]] = {}

    def rate(self, currency: str, moment: int) -> Fraction:
        """Units of a currency per dollar. Raises ``KeyError`` for a currency that is not quoted."""
        if currency == "usd":
            return Fraction(1)
        if currency == self.native.symbol:
            return Fraction(E8, self.book.prices.price_e8(self.native, moment) or 1)
        key = (currency, moment // DAY_S)
        if key not in self._fiat:
            moved = Rng(f"coingecko/{self.book.seed}/rate/{currency}/{key[1]}").number(-_DAILY_PPM, _DAILY_PPM)
            self._fiat[key] = Fraction(_FIAT_E6[currency] * (_PPM + moved) // _PPM, _PPM)
        return self._fiat[key]

    def price(self, coin: Coin, currency: str, moment: int) -> Fraction | None:
        """A coin's price; None before it was listed."""
        price = self.book.prices.price_e8(coin, moment)
        return None if price is None else Fraction(price, E8) * self.rate(currency, moment)

    def cap(self, coin: Coin, currency: str, moment: int) -> Fraction:
        """Market cap: the book's whole dollars, converted."""
        key = (coin.id, moment)
        if key not in self._caps:
            self._caps[key] = self.book.cap_usd(coin, moment)
        return self._caps[key] * self.rate(currency, moment)

    def volume(self, coin: Coin, currency: str, moment: int) -> Fraction:
        """What was traded in the 24 hours before the hour of ``moment``."""
        key = (coin.id, self.book.prices.hour_of(moment))
        if key not in self._volumes:
            self._volumes[key] = self.book.day(coin, moment).quote_e8
        return Fraction(self._volumes[key], E8) * self.rate(currency, moment)

    def change(self, coin: Coin, currency: str, moment: int, hours: int) -> Number | None:
        """By how many per cent the price moved, in ten-thousandths cut down; None when it was not listed that long."""
        before = moment - hours * HOUR_S
        if before < coin.listed_at:
            return None
        then, now = self.price(coin, currency, before), self.price(coin, currency, moment)
        return None if not then or now is None else percent(now, then)

    def record(self, coin: Coin, currency: str, moment: int, high: bool) -> Extreme:
        """The all-time high, or low, of a listed coin, over the prices of whole hours."""
        hours, prices = self._record(coin, currency, high)
        first = self.book.prices.hour_of(coin.listed_at)
        at = max(0, bisect_right(hours, max(first, self.book.prices.hour_of(moment))) - 1)
        return Extreme(prices[at], max(coin.listed_at, self.book.prices.first + hours[at] * HOUR_S))

    def _record(self, coin: Coin, currency: str, high: bool) -> tuple[list[int], list[Fraction]]:
        """The hours at which a record was broken, and the prices of those hours."""
        key = (coin.id, currency, high)
        if key not in self._records:
            prices, hours, found = self.book.prices, list[int](), list[Fraction]()
            for hour in range(prices.hour_of(coin.listed_at), prices.hours):
                price = self.price(coin, currency, max(coin.listed_at, prices.first + hour * HOUR_S))
                assert price is not None
                if not found or (price > found[-1] if high else price < found[-1]):
                    hours.append(hour)
                    found.append(price)
            self._records[key] = hours, found
        return self._records[key]


def number(worth: Fraction) -> Number:
    """A worth as JSON has it: a whole number where it is one."""
    return worth.numerator if worth.denominator == 1 else worth.numerator / worth.denominator


def percent(now: Fraction, then: Fraction) -> Number:
    """The change from one worth to another in per cent, cut down to ten-thousandths. ``then`` is not 0."""
    return number(Fraction((now - then) * _PPM // then, 10_000))


def rounder(precision: str | None) -> Callable[[Fraction], Number]:
    """How prices are written: in full, or with ``precision`` (0 to 18) places, halves up.

    Raises ``ValueError`` for anything else.
    """
    if precision in (None, "full"):
        return number
    if precision not in _PRECISIONS:
        raise ValueError(f"no precision {precision}")
    places = 10 ** int(precision)
    return lambda worth: number(Fraction((2 * worth * places + 1) // 2, places))
