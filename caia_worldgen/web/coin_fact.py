"""What an article may say of a coin and of its chain at a moment: slots for phrases, each with its claim.

Prices hold for an hour, so moments are cut to the hour. Figures of protocols and ranks are those of the midnight
before, the daily snapshot; they are worked out once a day.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.price import FUNDING_S, Candle
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.event import Fact, FactSheet
from caia_worldgen.web.page import Told
from caia_worldgen.web.place import board, docs, home, link
from caia_worldgen.web.truth import ROLES, Form, Truth, dollars, mistaken, stale

HOUR_S: Final = 3_600
_UP: Final = (("rose", "rising", "gain"), ("gained", "gaining", "gain"), ("climbed", "climbing", "climb"),
              ("advanced", "advancing", "advance"), ("firmed", "firming", "rise"))  # fmt: skip
_DOWN: Final = (("fell", "falling", "fall"), ("slipped", "slipping", "slide"), ("dropped", "dropping", "drop"),
                ("declined", "declining", "decline"), ("lost", "losing", "loss"))  # fmt: skip
_STALE_PERCENT: Final = 8
_MISTAKEN_PERCENT: Final = 3
"""Of the prices told of a page's main coin; not every page tells it."""


class Almanac:
    """The facts of coins and days, ready for phrases. Read-only; remembers what it worked out of a day."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self._ranks: dict[int, dict[str, int]] = {}
        self._chain: dict[int, FactSheet] = {}
        self._days: dict[tuple[str, int], Candle] = {}

    def hour(self, moment: int) -> int:
        """The hour of a moment, within the story."""
        last = self.truth.midnight(self.truth.days) - HOUR_S
        return max(self.truth.begun, min(last, moment // HOUR_S * HOUR_S))

    def rank(self, id: str, moment: int) -> int | None:
        """The place by market cap at the snapshot before a moment; None for a coin that was not listed."""
        midnight = self._snapshot(moment)
        if midnight not in self._ranks:
            ranking = self.truth.book.ranking(midnight)
            self._ranks[midnight] = {coin.id: place for place, coin in enumerate(ranking, start=1)}
        return self._ranks[midnight].get(id)

    def coin(self, id: str, moment: int, rng: Rng, tag: str = "", slips: bool = False) -> FactSheet:
        """A coin's slots, each name with ``tag`` behind it. ``slips``: its price may be an old or a wrong one."""
        truth, subject, at = self.truth, self.truth.subjects[id], self.hour(moment)
        found: dict[str, Fact] = {"name": subject.name, "ticker": subject.ticker}
        found["about"] = subject.about[:1].lower() + subject.about[1:]
        if subject.role in ROLES or subject.role.startswith("outsider"):
            found |= {"home": link(rng.one((subject.site, "its site", "project site")), home(subject)),
                      "tokenomics": link(rng.one(("tokenomics page", "token documentation", "published token terms")),
                                         docs(subject, "tokenomics"))}  # fmt: skip
        if subject.role in truth.scene.assets and subject.role in ROLES and subject.role != "native":
            found["address"] = lambda: truth.address(subject.role)
        if at >= subject.listed_at:
            found |= self._priced(id, at, rng, slips)
        return FactSheet(found).tagged(tag)

    def _priced(self, id: str, at: int, rng: Rng, slips: bool) -> dict[str, Fact]:
        truth, subject = self.truth, self.truth.subjects[id]
        places = rng.number(1, 2)
        found: dict[str, Fact] = {
            "price": self._price(id, at, rng) if slips else partial(truth.price, id, at),
        }
        if truth.circulates(id, at):
            found |= {"cap": lambda: truth.cap(id, at, dollar_form(places)), "supply": lambda: truth.supply(id, at)}
        for name, hours in (("", 24), ("_week", 168)):
            moved = truth.change_ppm(id, at, hours) if at - hours * HOUR_S >= truth.begun else None
            if moved is not None:
                verb, part, noun = rng.one(_UP if moved >= 0 else _DOWN)
                found |= {f"change{name}": number.percent(moved).words, f"moved{name}": verb, f"moving{name}": part,
                          f"gain{name}": noun, f"updown{name}": "up" if moved >= 0 else "down",
                          ("rose" if moved >= 0 else "fell") + name: ""}  # fmt: skip
        if at - DAY_S >= max(subject.listed_at, truth.begun):
            found |= {"high": lambda: _usd(self._day(id, at).high_e8), "low": lambda: _usd(self._day(id, at).low_e8),
                      "turnover": lambda: _short_usd(self._day(id, at).quote_e8)}  # fmt: skip
        if at >= max(subject.listed_at, self._snapshot(at)) and subject.listed_at <= self._snapshot(at):
            found |= {"rank": lambda: ordinal(self.rank(id, at) or 0), "place": lambda: str(self.rank(id, at))}
        if truth.coin(id).traded and at - truth.begun > FUNDING_S:
            found |= self._futures(id, at)
        return found

    def _futures(self, id: str, at: int) -> dict[str, Fact]:
        truth, coin, paid = self.truth, self.truth.coin(id), at // FUNDING_S * FUNDING_S
        hour = (at - truth.begun) // HOUR_S

        def funding() -> str:
            rate = truth.book.derivatives.funding_e8(coin, paid)
            return ("" if rate >= 0 else "-") + number.exact(Fraction(abs(rate), 10**6), 4).around(after="%").words

        def interest() -> str:
            held = truth.book.derivatives.positions(coin, hour)
            return _short_usd(held.open_interest_e8 * held.mark_e8 // 10**8)

        return {"funding": funding, "interest": interest,
                "funded_at": f"{number.clock_time(paid)} on {number.day(paid)}",
                "longs": lambda: number.percent(truth.book.derivatives.positions(coin, hour).long_ppm).words,
                }  # fmt: skip

    def _day(self, id: str, at: int) -> Candle:
        if (id, at) not in self._days:
            self._days = {(id, at): self.truth.book.day(self.truth.coin(id), at)}
        return self._days[id, at]

    def _snapshot(self, moment: int) -> int:
        return max(self.truth.begun + HOUR_S, moment // DAY_S * DAY_S)

    def _price(self, id: str, at: int, rng: Rng) -> Told:
        drawn, then = rng.number(1, 100), at - rng.number(2, 9) * DAY_S - rng.number(0, 20) * HOUR_S
        if drawn <= _STALE_PERCENT and then >= max(self.truth.begun, self.truth.subjects[id].listed_at):
            old = self.truth.price(id, then)
            return old if old.words == self.truth.price(id, at).words else stale(old)
        told = self.truth.price(id, at)
        if _STALE_PERCENT < drawn <= _STALE_PERCENT + _MISTAKEN_PERCENT:
            return mistaken(told, _dollar_price, rng)
        return told

    def chain(self, moment: int) -> FactSheet:
        """Slots of the main chain and its protocols at the snapshot before a moment; few on the first day."""
        truth = self.truth
        day = min(truth.days - 1, max(0, (moment - truth.begun) // DAY_S))
        if day not in self._chain:
            native, midnight = truth.subject("native"), truth.midnight(day)
            found: dict[str, Fact] = {"network": native.name, "network_ticker": native.ticker}
            found["rollup"] = truth.scene.networks["rollup"].name
            if day:
                found |= {"snap": number.day(midnight), "chain_tvl": lambda: truth.chain_tvl("main", midnight),
                          "rollup_tvl": lambda: truth.chain_tvl("rollup", midnight),
                          "block": lambda: truth.block("main", midnight),
                          "network_price": lambda: truth.price(native.id, midnight)}  # fmt: skip
                for role, name in (("exchange", "exchange"), ("lend", "lender")):
                    one = truth.subject(role)
                    found |= {name: one.name, f"{name}_tvl": partial(truth.tvl, one.id, midnight),
                              f"{name}_board": link("dashboard", board(truth, one.id))}  # fmt: skip
                swap = truth.subject("exchange")
                found |= {"exchange_volume": lambda: truth.volume(swap.id, midnight),
                          "exchange_fees": lambda: truth.fees(swap.id, midnight),
                          "volume_day": number.day(midnight - DAY_S)}  # fmt: skip
            self._chain[day] = FactSheet(found)
        return self._chain[day]

    def when(self, moment: int, tag: str = "") -> dict[str, str]:
        """How a moment is named: day, short day, weekday, clock time and both together."""
        said = {"day": number.day(moment), "date": number.short_day(moment), "weekday": number.weekday(moment),
                "clock": number.clock_time(moment), "month": number.month(moment),
                "stamp": f"{number.clock_time(moment)} on {number.day(moment)}"}  # fmt: skip
        return {name + tag: words for name, words in said.items()}


def ordinal(place: int) -> str:
    """``1st``, ``12th``, ``23rd``."""
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def _dollar_price(value: Fraction) -> number.Written:
    return number.price(value).around("$")


def _usd(worth_e8: int) -> str:
    return number.price(Fraction(worth_e8, 10**8)).around("$").words


def _short_usd(worth_e8: int) -> str:
    return number.short(Fraction(worth_e8, 10**8)).around("$").words


def coins_of(amount: int, decimals: int = 18, places: int = 0) -> str:
    """Smallest units as whole coins with commas."""
    return number.exact(Fraction(amount, 10**decimals), places).words


def dollar_form(places: int) -> Form:
    """``$12.4 million`` with so many decimals."""
    return dollars(lambda value: number.short(value, places))
