"""What the English outlets write of prices: flashes, daily wraps, portraits, session notes, weekly reviews, the crash.

Each outlet has a rhythm and a phrase book of its own. The moment of a page is a full hour of the story; it is
published minutes later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.economy import crash_hour
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.article import Plan, Press
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.coin_fact import HOUR_S, Almanac
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.prose import Written
from caia_worldgen.web.truth import Truth

_COIN: Final = ("coin_price", "coin_cap", "coin_supply", "coin_turnover", "coin_futures", "coin_about")
_CHAIN: Final = ("chain_state", "chain_swaps", "chain_lender")
_WEEK_H: Final = 168


@dataclass(frozen=True, slots=True)
class _Habit:
    """How an outlet writes of prices. In ``percent`` of all days ``times`` pages at ``hours``; ``lead`` says which
    coin comes first: native, swing (the day's largest change) or turn (one after another)."""

    book: str
    manner: str
    nth: int
    percent: int
    times: int
    hours: tuple[int, int]
    lead: str
    middle: tuple[str, ...]
    last: tuple[str, ...]
    counts: tuple[int, int]
    tables: int


_HABITS: Final = (
    _Habit("market_wire", "wire", 0, 100, 2, (0, 23), "turn",
           ("range", "week", "others", "others", *_COIN[1:], *_CHAIN), ("close",), (5, 7), 0),
    _Habit("market_daily", "daily", 0, 88, 1, (6, 21), "native",
           ("winner", "loser", "between", "between", "mood", "coin_cap", *_CHAIN), ("close",), (5, 8), 25),
    _Habit("market_focus", "daily", 1, 78, 1, (7, 20), "turn",
           ("second", "second", "second", "peer", "peer", "coin_address", *_COIN, *_CHAIN), ("judge", "close"),
           (5, 8), 15),
    _Habit("market_tape", "markets", 0, 96, 1, (5, 22), "swing",
           ("levels", "perps", "perps", "board", "board", "coin_cap", "coin_turnover", *_CHAIN), ("view", "close"),
           (6, 9), 60),
    _Habit("market_blog", "blog", 0, 27, 1, (9, 23), "turn",
           ("ramble", "ramble", "ramble", "coin_cap", "coin_supply", "coin_about", *_CHAIN), ("musing", "close"),
           (5, 8), 12),
)  # fmt: skip
_WEEKLY: Final = _Habit("market_weekly", "magazine", 0, 100, 1, (8, 18), "native",
                        ("long_view", "long_view", "long_view", "essay", "essay", "coin_cap", *_CHAIN, "coin_futures"),
                        ("close",), (6, 9), 75)  # fmt: skip
_HEADS: Final = (("Coin", "Price", "24 h"), ("Ticker", "Last", "Change"), ("Name", "USD", "Day"),
                 ("", "Level", "d/d"), ("Asset", "Dollars", "Since yesterday"))  # fmt: skip


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every article on prices, outlet by outlet and in order of time."""
    almanac = Almanac(truth)
    for habit in _HABITS:
        yield from _Series(truth, almanac, habit).days()
    yield from _Series(truth, almanac, _WEEKLY).weeks()
    yield from _crash(truth, almanac)


def english(truth: Truth, manner: str) -> Sequence[Outlet]:
    """The English newsrooms of one manner, "" for all, in the order of the cast."""
    return [one for one in truth.cast.newsrooms if one.language == "en" and manner in ("", one.manner)]


class _Series:
    """All that one outlet writes of prices."""

    def __init__(self, truth: Truth, almanac: Almanac, habit: _Habit) -> None:
        self._truth, self._almanac, self._habit = truth, almanac, habit
        self._outlet = english(truth, habit.manner)[habit.nth]
        self._press = Press(truth, habit.book, (habit.book, "news_context"))
        self._coins = sorted(id for id, one in truth.subjects.items() if one.role not in ("dollar", "wrapped"))
        start = truth.rng(habit.book).number(0, len(self._coins) - 1)
        self._coins = self._coins[start:] + self._coins[:start]
        self._turn = 0

    def days(self) -> Iterator[WebPage]:
        """A page or two on most days; on the first there is no change to tell of."""
        for day in range(1, self._truth.days):
            rng = self._press.rng(f"day {day}")
            for time in range(self._habit.times if rng.happens(self._habit.percent) else 0):
                at = self._truth.midnight(day) + rng.number(*self._habit.hours) * HOUR_S
                if (page := self._told(f"{day}/{time}", at, rng, 24)) is not None:
                    yield page

    def weeks(self) -> Iterator[WebPage]:
        """A page at the end of each week."""
        for day in range(7, self._truth.days, 7):
            rng = self._press.rng(f"week {day}")
            at = self._truth.midnight(day) + rng.number(*self._habit.hours) * HOUR_S
            if (page := self._told(f"week {day}", at, rng, _WEEK_H)) is not None:
                yield page

    def _told(self, name: str, at: int, rng: Rng, hours: int) -> WebPage | None:
        truth, almanac, habit = self._truth, self._almanac, self._habit
        moved = movers(truth, at, hours)
        if len(moved) < 5:
            return None
        lead = self._lead(moved, at)
        rest = [id for id in moved if id != lead]
        tags = ("_b", rest[0]), ("_w", rest[-1]), ("_c", rng.one(rest[1:-1])), ("_n", truth.subject("native").id)
        slots = FactSheet(almanac.chain(at), almanac.when(at), almanac.coin(lead, at, rng, slips=True),
                          *(almanac.coin(id, at, rng, tag) for tag, id in tags))  # fmt: skip
        table = Written("", ())
        if rng.happens(habit.tables):
            shown = [lead, rest[0], *rng.some(rest[1:-1], rng.number(2, 6)), rest[-1]]
            table = _table(truth, shown, at, hours, rng)
        published = at + rng.number(2, 55) * 60 + rng.number(0, 59)
        section = {"wire": "flash", "markets": "sessions", "magazine": "review", "blog": "notes"}
        plan = Plan(name, "market", section.get(habit.manner, "markets"), published, slots, "title", "lede",
                    habit.middle, rng.number(*habit.counts), habit.last if rng.happens(70) else (),
                    table=table)  # fmt: skip
        return self._press.article(truth.cast.house(self._outlet, f"{habit.book}/{name}"), plan)

    def _lead(self, moved: Sequence[str], at: int) -> str:
        if self._habit.lead == "native":
            return self._truth.subject("native").id
        if self._habit.lead == "swing":
            hours = {id: self._truth.change_ppm(id, at, 24) or 0 for id in moved}
            return max(moved, key=lambda id: (abs(hours[id]), id))
        for _ in self._coins:
            self._turn += 1
            id = self._coins[self._turn % len(self._coins)]
            if id in moved:
                return id
        return moved[0]


def movers(truth: Truth, at: int, hours: int) -> list[str]:
    """The coins that had a price for so long, by change within the hours, best first; no dollars, no wrapped coins."""
    found = []
    for id, one in sorted(truth.subjects.items()):
        if one.role in ("dollar", "wrapped") or at - hours * HOUR_S < max(one.listed_at, truth.begun):
            continue
        if (change := truth.change_ppm(id, at, hours)) is not None:
            found.append((-change, id))
    return [id for _, id in sorted(found)]


def _table(truth: Truth, ids: Sequence[str], at: int, hours: int, rng: Rng) -> Written:
    head = list(rng.one(_HEADS))
    if hours == _WEEK_H:
        head[2] = rng.one(("Week", "7 d", "Since last review"))
    first = rng.one(("{name}", "{ticker}", "{name} ({ticker})"))
    rows, claims = [f"| {' | '.join(head)} |", "| --- | ---: | ---: |"], []
    for id in dict.fromkeys(ids):
        price, moved = truth.price(id, at), truth.change_ppm(id, at, hours) or 0
        one = truth.subjects[id]
        name = first.format(name=one.name, ticker=one.ticker)
        rows.append(f"| {name} | {price.words} | {'+' if moved >= 0 else '-'}{number.percent(moved).words} |")
        if price.claim is not None:
            claims.append(price.claim)
    note = rng.one(("Prices at {}.", "As of {}.", "Hourly prices, {}.", "Table: {}.", "({})"))
    stamp = f"{number.clock_time(at)} on {number.day(at)}"
    return Written("\n".join(rows) + "\n\n" + note.format(stamp), tuple(claims))


def _crash(truth: Truth, almanac: Almanac) -> Iterator[WebPage]:
    """What every outlet writes of the hour in which everything fell, in the day and a half after it."""
    at = truth.begun + crash_hour(truth.seed, truth.days * 24) * HOUR_S
    press = Press(truth, "market_crash", ("market_crash", "news_context"))
    native = truth.subject("native").id
    coins = [coin.id for coin in truth.book.coins if coin.traded and coin.listed_at <= at - HOUR_S]
    fall = {id: 1 - truth.price_usd(id, at) / truth.price_usd(id, at - HOUR_S) for id in coins}
    order = [id for id in sorted(coins, key=lambda id: (-fall[id], id)) if fall[id] > 0]
    if len(order) < 5:
        return
    leads = press.rng("leads").some(order, len(order))
    for outlet in english(truth, ""):
        count = {"wire": 6, "daily": 4, "markets": 5, "magazine": 1, "blog": 2, "syndicate": 1}[outlet.manner]
        for time in range(count):
            rng = press.rng(f"{outlet.id}/{time}")
            id = native if time == 0 else leads.pop() if leads else rng.one(order)
            slots = FactSheet(almanac.chain(at), almanac.when(at), {"crash": almanac.when(at)["stamp"]})
            others = [one for one in order if one != id]
            for tag, one in (("", id), ("_w", others[0]), ("_b", others[-1]), ("_c", rng.one(others[1:-1])),
                             ("_n", native)):  # fmt: skip
                lost = number.exact(fall.get(one, Fraction(0)) * 100, 1).around(after="%").words
                slots = FactSheet(slots, almanac.coin(one, at, rng, tag),
                                  {f"before{tag}": truth.price(one, at - HOUR_S), f"drop{tag}": lost})  # fmt: skip
            published = press.delayed(outlet, at, rng)
            then = at + 9 * HOUR_S
            if published > then:
                when = almanac.when(then)
                slots = FactSheet(slots, {"later_price": truth.price(id, then), "later_stamp": when["stamp"],
                                          "later_clock": when["clock"]})  # fmt: skip
            middle = ("around", "around", "around", "why", "why", "later", "coin_cap", "chain_state", "chain_lender")
            plan = Plan(str(time), "market", "crash", published, slots, "title", "lede", middle, rng.number(5, 8),
                        ("close",))  # fmt: skip
            if (page := press.article(truth.cast.house(outlet, plan.name), plan)) is not None:
                yield page
