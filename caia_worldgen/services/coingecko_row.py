"""What CoinGecko says of single coins now: market rows, plain prices, and the coin's own page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from caia_worldgen.market.coin import Coin
from caia_worldgen.services.coingecko_chart import Charts, Rounded
from caia_worldgen.services.coingecko_money import Money, Number, number, percent
from caia_worldgen.venue import HOUR_S

SPANS: Final = {"1h": 1, "24h": 24, "7d": 168, "14d": 336, "30d": 720, "60d": 1_440, "200d": 4_800, "1y": 8_760}
"""Hours, by the words for them."""
ROW_SPANS: Final = tuple(span for span in SPANS if span != "60d")
_DAY_HOURS: Final = 24


def iso(moment: int) -> str:
    """A moment as the API writes it: ``2024-05-01T12:00:00.000Z``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def image(coin: Coin, size: str) -> str:
    """Where a coin's picture would be."""
    return f"https://images.example/coins/{coin.id}/{size}.png"


class Rows:
    """What is the case now, coin by coin."""

    def __init__(self, money: Money, charts: Charts) -> None:
        self._money = money
        self._charts = charts
        self._book = money.book

    def rank(self, coin: Coin, now: int) -> int:
        """A listed coin's place by market cap, from 1."""
        return self._book.ranking(now).index(coin) + 1

    def ordered(self, coins: Collection[Coin], order: str, now: int) -> list[Coin]:
        """Coins in an order such as ``market_cap_desc``; equal ones by id. Raises ``ValueError`` for another order."""
        field, _, way = order.rpartition("_")
        keys = {"market_cap": self._money.cap, "volume": self._money.volume}
        if way not in ("asc", "desc") or field not in (*keys, "id"):
            raise ValueError(f"no order {order}")
        found = sorted(coins, key=lambda coin: coin.id, reverse=order == "id_desc")
        if field == "id":
            return found
        sign = -1 if way == "desc" else 1
        return sorted(found, key=lambda coin: sign * keys[field](coin, "usd", now))

    def market(
        self, coin: Coin, rank: int, currency: str, spans: Sequence[str], sparkline: bool, rounded: Rounded, now: int
    ) -> dict[str, Any]:
        """A row of ``/coins/markets``."""
        figures, supply, unit = self._figures(coin, currency, now), self._book.supply(coin, now), coin.unit
        high, low = (self._money.record(coin, currency, now, high) for high in (True, False))
        price = figures["price"]
        row = {
            "id": coin.id,
            "symbol": coin.symbol,
            "name": coin.name,
            "image": image(coin, "large"),
            "current_price": rounded(price),
            "market_cap": number(figures["cap"]),
            "market_cap_rank": rank,
            "fully_diluted_valuation": number(figures["diluted"]),
            "total_volume": number(figures["volume"]),
            "high_24h": rounded(figures["high"]),
            "low_24h": rounded(figures["low"]),
            **self._day_changes(coin, currency, now),
            "circulating_supply": number(Fraction(supply.circulating, unit)),
            "total_supply": number(Fraction(supply.total, unit)),
            "max_supply": None if supply.most is None else number(Fraction(supply.most, unit)),
            "ath": rounded(high.price),
            "ath_change_percentage": _percent(price, high.price),
            "ath_date": iso(high.moment),
            "atl": rounded(low.price),
            "atl_change_percentage": _percent(price, low.price),
            "atl_date": iso(low.moment),
            "roi": None,
            "last_updated": iso(now),
        }
        for span in spans:
            row[f"price_change_percentage_{span}_in_currency"] = self._money.change(coin, currency, now, SPANS[span])
        if sparkline:
            row["sparkline_in_7d"] = {"price": self._charts.sparkline(coin, currency, now)}
        return row

    def simple(
        self, coin: Coin, currencies: Sequence[str], wanted: Collection[str], rounded: Rounded, now: int
    ) -> dict[str, Number | None]:
        """A coin of ``/simple/price``; ``wanted`` are the names of the ``include_`` flags that are set."""
        told: dict[str, Number | None] = {}
        for currency in currencies:
            price = self._money.price(coin, currency, now)
            assert price is not None
            told[currency] = rounded(price)
            if "market_cap" in wanted:
                told[f"{currency}_market_cap"] = number(self._money.cap(coin, currency, now))
            if "24hr_vol" in wanted:
                told[f"{currency}_24h_vol"] = number(self._money.volume(coin, currency, now))
            if "24hr_change" in wanted:
                told[f"{currency}_24h_change"] = self._money.change(coin, currency, now, _DAY_HOURS)
        if "last_updated_at" in wanted:
            told["last_updated_at"] = now
        return told

    def market_data(self, coin: Coin, sparkline: bool, now: int) -> dict[str, Any]:
        """The figures of ``/coins/{id}``: most of them as one value for each quote currency."""
        money, supply, unit = self._money, self._book.supply(coin, now), coin.unit
        figures = {currency: self._figures(coin, currency, now) for currency in money.currencies}
        highs, lows = ({name: money.record(coin, name, now, high) for name in figures} for high in (True, False))
        changes = {name: self._day_changes(coin, name, now) for name in figures}

        def each(part: str) -> dict[str, Number]:
            return {currency: number(figures[currency][part]) for currency in figures}

        def moved(part: str) -> dict[str, Number]:
            return {name: changes[name][part] for name in figures if changes[name][part] is not None}

        told: dict[str, Any] = {
            "current_price": each("price"),
            "total_value_locked": None,
            "mcap_to_tvl_ratio": None,
            "fdv_to_tvl_ratio": None,
            "roi": None,
            "market_cap": each("cap"),
            "market_cap_rank": self.rank(coin, now),
            "fully_diluted_valuation": each("diluted"),
            "market_cap_fdv_ratio": number(Fraction(supply.circulating, supply.most or supply.total or 1)),
            "total_volume": each("volume"),
            "high_24h": each("high"),
            "low_24h": each("low"),
            "total_supply": number(Fraction(supply.total, unit)),
            "max_supply": None if supply.most is None else number(Fraction(supply.most, unit)),
            "max_supply_infinite": supply.most is None,
            "circulating_supply": number(Fraction(supply.circulating, unit)),
            "last_updated": iso(now),
        }
        for name, records in (("ath", highs), ("atl", lows)):
            told[name] = {currency: number(found.price) for currency, found in records.items()}
            told[f"{name}_date"] = {currency: iso(found.moment) for currency, found in records.items()}
            told[f"{name}_change_percentage"] = {
                currency: change
                for currency, found in records.items()
                if (change := _percent(figures[currency]["price"], found.price)) is not None
            }
        for part in ("price_change_24h", "market_cap_change_24h", "market_cap_change_percentage_24h"):
            told[part] = changes["usd"][part] or 0  # the vendor's own word for "not listed that long"
            told[f"{part}_in_currency"] = moved(part)
        for span, hours in SPANS.items():
            by_currency = {name: money.change(coin, name, now, hours) for name in figures}
            if span != "1h":
                told[f"price_change_percentage_{span}"] = by_currency["usd"] or 0
            told[f"price_change_percentage_{span}_in_currency"] = {
                name: change for name, change in by_currency.items() if change is not None
            }
        if sparkline:
            told["sparkline_7d"] = self._charts.sparkline(coin, "usd", now)
        return told

    def _figures(self, coin: Coin, currency: str, now: int) -> Mapping[str, Fraction]:
        rate, day = self._money.rate(currency, now), self._book.day(coin, now)
        price = self._money.price(coin, currency, now)
        assert price is not None
        return {
            "price": price,
            "cap": self._money.cap(coin, currency, now),
            "diluted": self._book.fully_diluted_usd(coin, now) * rate,
            "volume": self._money.volume(coin, currency, now),
            "high": max(price, Fraction(day.high_e8, 10**8) * rate),
            "low": min(price, Fraction(day.low_e8, 10**8) * rate),
        }

    def _day_changes(self, coin: Coin, currency: str, now: int) -> dict[str, Any]:
        """By how much price and cap moved in 24 hours; None where the coin is younger."""
        before = now - _DAY_HOURS * HOUR_S
        names = [f"{part}_change{way}_24h" for part in ("price", "market_cap") for way in ("", "_percentage")]
        if before < coin.listed_at:
            return dict.fromkeys(names)
        worths = [
            (ask(coin, currency, now), ask(coin, currency, before)) for ask in (self._money.price, self._money.cap)
        ]
        told: dict[str, Any] = {}
        for (now_worth, then), (plain, relative) in zip(worths, (names[:2], names[2:]), strict=True):
            assert now_worth is not None and then is not None
            told[plain] = number(now_worth - then)
            told[relative] = _percent(now_worth, then)
        return told


def _percent(now: Fraction, then: Fraction) -> Number | None:
    return percent(now, then) if then else None
