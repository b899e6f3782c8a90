"""Dashboards: protocols, chains, coins, holders, the treasury, vesting, pairs and lending desks, in labelled lines.

Pages are undated: each shows what was the case when it came to be. Some were never refreshed, and do not say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.protocol import Protocol
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.dashboard_register import Registers
from caia_worldgen.web.page import Told, WebPage
from caia_worldgen.web.prose import GRIDS, LINES, Cell, PhraseBook, Written, grid, join, listing
from caia_worldgen.web.reading import LEAD_DAYS, Facts, Reading, flow_form, money_form
from caia_worldgen.web.truth import ROLES, Subject, Truth, mistaken, stale

_MONTH: Final = 28
_PROTOCOL_KEYS: Final[tuple[str, ...]] = (
    "tvl", "volume", "fees", "staked", "yield", "users", "transactions", "category", "chains",
)  # fmt: skip
_COIN_KEYS: Final[tuple[str, ...]] = (
    "price", "cap", "supply", "rank", "day_move", "week_move", "month_move", "holders", "address", "pool",
    "pool_dollars", "unlocked", "staked",
)  # fmt: skip
_POOL_KEYS: Final = ("pool_coins", "pool_dollars", "pool_depth", "price", "pool", "address", "block")
_STALE_PERCENT, _WRONG_PERCENT = 8, 2


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every dashboard: the first screen's boards, then chains, snapshots and registers."""
    return _Boards(truth).pages()


class _Boards:
    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._reading = Reading(truth)
        self._book = PhraseBook("dashboard_page", truth.seed)
        self._months = range(LEAD_DAYS + 12, truth.days - 2, _MONTH)
        self._tails = _tails([truth.midnight(month) for month in self._months])

    def pages(self) -> Iterator[WebPage]:
        truth, screens = self._truth, self._truth.cast.screens
        for one in truth.metrics.protocols:
            yield self._protocol(one, place.board(truth, one.slug), "board", 24, self._rng(f"board/{one.slug}"))
        for at, screen in enumerate(screens):
            for chain in ("main", "rollup"):
                for month, tail in zip(self._months, self._tails) if at else ((self._months[0], ""),):
                    path = (chain, tail) if at else (chain,)
                    yield self._chain(chain, screen.url("chain", *path), month, self._rng(f"{screen.id}/{path}"))
        for screen in screens[1:]:
            for one in truth.metrics.protocols:
                for month, tail in zip(self._months, self._tails):
                    rng = self._rng(f"{screen.id}/{one.slug}/{tail}")
                    yield self._protocol(one, screen.url("p", one.slug, tail), "protocol", month, rng)
        for at, screen in enumerate(screens[1:]):
            for subject in truth.subjects.values():
                yield from self._coins(subject, at, screen.url("coin", subject.id))
        yield from self._registers()

    def _rng(self, name: str) -> Rng:
        return self._truth.rng(f"dashboard/{name}")

    def _coins(self, subject: Subject, screen: int, address: str) -> Iterator[WebPage]:
        known, taken = subject.role in ROLES, set[str]()
        for at, month in enumerate(self._months):
            if not known and at % 2 != screen:
                continue
            rng = self._rng(f"{address}/{month}")
            moment = self._moment(month, rng)
            if subject.listed_at < moment - 2 * DAY_S:
                slots = self._reading.facts(subject, moment, rng)
                rows = [key for key in _COIN_KEYS if key in slots]
                rows = rng.some(rows, min(len(rows), rng.number(6, 9)))
                past = self._history(moment, rng, ("price", "cap"), self._coin_fact(subject))
                day = number.iso_day(moment)
                tail = day if day[:7] in taken else day[:7]
                taken.add(tail)
                yield self._page(f"{address}/{tail}", "coin", ("coin", "coin", "coin"), slots, rows, past, moment, rng,
                                 partial(self._reading.facts, subject))  # fmt: skip

    def _protocol(self, one: Protocol, url: str, kind: str, day: int, rng: Rng) -> WebPage:
        moment = self._moment(day, rng)
        slots = self._protocol_slots(one, moment, rng)
        rows = [key for key in _PROTOCOL_KEYS if key in slots]
        rows += [key for key in ("price", "cap", "week_move", "address") if key in slots and rng.happens(45)]
        past = self._history(
            moment, rng, ("volume", "fees", "tvl") if "tvl" in slots else ("fees",), self._protocol_fact(one)
        )
        refresh = partial(self._protocol_slots, one)
        return self._page(url, kind, (kind, "board", "protocol"), slots, rng.some(rows, len(rows)), past, moment, rng,
                          refresh)  # fmt: skip

    def _protocol_slots(self, one: Protocol, moment: int, rng: Rng) -> Facts:
        truth, midnight = self._truth, moment // DAY_S * DAY_S
        subject = truth.subject(one.role or "native")
        slots = self._reading.facts(subject, moment, rng)
        if not one.role:
            slots = {key: slots[key] for key in slots if key not in ("price", "cap", "week_move", "address", "ticker")}
            for name, fact in (("volume", truth.volume), ("fees", truth.fees)):
                try:
                    slots[name] = fact(one.slug, midnight, flow_form(rng))
                except KeyError:
                    continue
            if truth.metrics.tvl.value_e8(one, midnight):
                slots["tvl"] = truth.tvl(one.slug, midnight, money_form(rng))
        use = truth.metrics.activity.daily(one)[(midnight - truth.begun) // DAY_S - 1]
        chains = ", ".join(truth.scene.networks[chain].name for chain in one.chains)
        return slots | {"name": one.name, "words": one.words, "category": one.category, "chains": chains,
                        "users": str(use.users), "transactions": str(use.transactions)}  # fmt: skip

    def _chain(self, chain: str, url: str, day: int, rng: Rng) -> WebPage:
        truth, moment = self._truth, self._moment(day, rng)
        slots = self._chain_slots(chain, moment, rng)
        past = self._history(moment, rng, ("tvl",), lambda _, then: truth.chain_tvl(chain, then))
        refresh = partial(self._chain_slots, chain)
        rows = rng.some(("tvl", "block", "transactions"), 3)
        return self._page(url, "chain", ("chain", "chain", "protocol"), slots, rows, past, moment, rng, refresh)

    def _chain_slots(self, chain: str, moment: int, rng: Rng) -> Facts:
        truth, midnight = self._truth, moment // DAY_S * DAY_S
        stage = truth.scene.main if chain == "main" else truth.scene.rollup
        day = (midnight - truth.begun) // DAY_S - 1
        sent = sum(stage.calendar.day_of(block) == day for block, _, _ in stage.sent)
        slots = self._reading.facts(truth.subject("native"), moment, rng)
        return {key: slots[key] for key in ("iso", "time", "date", "day", "weekday", "month", "rollup", "flow_day")} | {
            "name": truth.scene.networks[chain].name, "tvl": truth.chain_tvl(chain, midnight, money_form(rng)),
            "block": truth.block(chain, moment), "transactions": f"{sent:,}",
        }  # fmt: skip

    def _registers(self) -> Iterator[WebPage]:
        truth = self._truth
        for at, role in enumerate(ROLES):
            if role == "native":
                continue
            screen, rng = truth.cast.screens[at % 3], self._rng(f"holders/{role}")
            moment = self._moment(rng.number(30, truth.days - 4), rng)
            yield self._register(screen.url("holders", truth.subject(role).id), "holders", role, moment, rng)
            if (role, "dollar") in truth.scene.markets:
                rng = self._rng(f"pool/{role}")
                moment = self._moment(rng.number(24, truth.days - 4), rng)
                slots = self._reading.facts(truth.subject(role), moment, rng)
                rows = [key for key in _POOL_KEYS if key in slots]
                past = self._history(moment, rng, ("price",), self._coin_fact(truth.subject(role)))
                yield self._page(screen.url("pair", truth.subject(role).id), "pool", ("pool", "pool", "coin"), slots,
                                 rng.some(rows, len(rows)), past, moment, rng,
                                 partial(self._reading.facts, truth.subject(role)))  # fmt: skip
        for made in truth.metrics.emissions.all():
            for at, month in enumerate(self._months):
                rng = self._rng(f"vesting/{made.slug}/{month}")
                url = truth.cast.screens[at % 3].url("vesting", made.slug, str(at + 1))
                yield self._register(url, "vesting", made.role, self._moment(month, rng), rng)
        for at, month in enumerate(self._months):
            rng = self._rng(f"treasury/{month}")
            url = truth.cast.screens[at % 3].url("treasury", str(at + 1))
            yield self._register(url, "treasury", "exchange", self._moment(month, rng), rng)
            for market in ("native", "exchange"):
                rng = self._rng(f"desk/{market}/{month}")
                url = truth.cast.screens[(at + 1) % 3].url("lending", f"{market}-{at + 1}")
                yield self._register(url, "desk", "lend", self._moment(month, rng), rng, market)

    def _register(self, url: str, kind: str, role: str, moment: int, rng: Rng, market: str = "native") -> WebPage:
        truth = self._truth
        slots = self._reading.facts(truth.subject(role), moment, rng)
        slots["coin"] = truth.subject(market).ticker
        tables = Registers(truth, self._reading)
        if kind == "holders":
            head = tuple(self._book.say(f"head_{one}", slots, rng).text for one in ("holder", "amount"))
            table = tables.holders(role, moment, head, rng)
        elif kind == "desk":
            table = tables.desk(market, moment, rng)
        else:
            table = tables.treasury(moment, rng) if kind == "treasury" else tables.vesting(role, moment, rng)
        keys = [key for key in ("supply", "price", "unlocked", "block") if key in slots and rng.happens(60)]
        keys = [] if kind in ("treasury", "desk") else keys
        return self._page(url, kind, (kind, kind, "coin"), slots, keys, table, moment, rng, None)

    def _history(self, moment: int, rng: Rng, keys: Sequence[str], fact: Callable[[str, int], Told]) -> Written | None:
        days = sorted(rng.some(range(1, 21), rng.number(3, 6)), reverse=rng.happens(50))
        rows: list[list[Cell]] = []
        for back in days:
            then = moment // DAY_S * DAY_S - back * DAY_S
            if then > self._truth.midnight(2):
                try:
                    rows.append([_day(then, days[0]), *(fact(key, then) for key in keys)])
                except KeyError:
                    keys = [key for key in keys if self._holds(fact, key, then)]
                    if not keys:
                        return None
                    rows.append([_day(then, days[0]), *(fact(key, then) for key in keys)])
        if len(rows) < 2 or rng.happens(25):
            return None
        empty: Facts = {"ticker": "", "flow_day": "", "dollar": ""}
        head = [self._book.say("head_date", empty, rng).text]
        plain = {"price": "Price", "cap": "Cap", "tvl": "Locked", "volume": "Volume", "fees": "Fees"}
        return grid([*head, *(plain[key] for key in keys)], [row[: len(keys) + 1] for row in rows], rng.one(GRIDS))

    def _holds(self, fact: Callable[[str, int], Told], key: str, then: int) -> bool:
        try:
            fact(key, then)
        except KeyError:
            return False
        return True

    def _coin_fact(self, subject: Subject) -> Callable[[str, int], Told]:
        facts = {"price": self._truth.price, "cap": self._truth.cap}
        return lambda key, then: facts[key](subject.id, then)

    def _protocol_fact(self, one: Protocol) -> Callable[[str, int], Told]:
        facts = {"tvl": self._truth.tvl, "volume": self._truth.volume, "fees": self._truth.fees}
        return lambda key, then: facts[key](one.slug, then)

    def _moment(self, day: int, rng: Rng) -> int:
        last = self._truth.midnight(self._truth.days) - 4_000
        return min(last, self._truth.midnight(day + rng.number(0, 3)) + rng.number(600, DAY_S - 600))

    def _page(
        self,
        url: str,
        kind: str,
        books: tuple[str, str, str],
        slots: Facts,
        rows: Sequence[str],
        table: Written | None,
        moment: int,
        rng: Rng,
        refresh: Callable[[int, Rng], Facts] | None,
    ) -> WebPage:
        say, chance = self._book.say, rng.number(1, 100)
        stamp = "stamp" if rng.happens(70) else "stamp_none"
        if refresh is not None and chance <= _STALE_PERCENT and moment - 25 * DAY_S > self._truth.midnight(9):
            then = moment - rng.number(12, 25) * DAY_S
            slots, stamp = _aged(refresh(then, rng), slots), rng.one(("stamp_none", "stamp"))
            rows = [key for key in rows if key in slots]
        elif chance <= _STALE_PERCENT + _WRONG_PERCENT:
            rows_wrong = [key for key in rows if key in ("price", "tvl", "supply")]
            for key in rows_wrong[:1]:
                told = slots[key]
                form = number.exact if key == "supply" else lambda value: number.price(value).around("$")
                slots = slots | {key: mistaken(told, form, rng)} if isinstance(told, Told) else slots
        lines = [(say(f"label_{key}", slots, rng).text, slots[key]) for key in rows]
        top = [say(stamp, slots, rng)] if rng.happens(85) else []
        intro = [say(f"intro_{books[1]}", slots, rng)] if rng.happens(90) else []
        body = [listing(lines, rng.one(LINES))] if lines else []
        if table is not None:
            headed = [say("heading", slots, rng)] if kind not in ("holders", "treasury", "vesting", "desk") else []
            body.append(join([*headed, table], "\n"))
        notes = ["note_general"] * rng.number(1, 2) + [f"note_{books[2]}"] * rng.number(1, 2)
        told_notes = [say(one, slots, rng) for one in rng.some(notes, len(notes))]
        foot = [say("nav", {"links": self._links(rng)}, rng)] if rng.happens(65) else []
        opening = rng.some([*top, *intro], len(top) + len(intro))
        text = join([*opening, *rng.some(body, len(body)), *told_notes, *foot])
        title = say(f"title_{books[0]}", slots, rng).text
        claims = tuple(dict.fromkeys(text.claims))
        page = Page(url.lower(), title, text.text, None, language="en", first_seen=moment)
        return WebPage(page, f"dashboard/{kind}", claims)

    def _links(self, rng: Rng) -> str:
        chosen = rng.some(self._truth.metrics.protocols, rng.number(2, 3))
        return ", ".join(place.link(one.name, place.board(self._truth, one.slug)) for one in chosen)


def _tails(moments: Sequence[int]) -> list[str]:
    """The month of each moment, and its day where a month has a second one: 28 days fit into one twice."""
    days = [number.iso_day(moment) for moment in moments]
    return [day if day[:7] in [one[:7] for one in days[:at]] else day[:7] for at, day in enumerate(days)]


def _day(moment: int, taste: int) -> str:
    """A day as a table prints it; one table keeps to one way."""
    return (number.iso_day, number.short_day, number.day)[taste % 3](moment)


def _aged(old: Facts, new: Facts) -> Facts:
    """Old figures as if they were of the new moment, whose date stands beside them."""
    figures = {key: stale(told) for key, told in old.items() if isinstance(told, Told) and told.claim is not None}
    kept = {key: told for key, told in old.items() if key not in figures}
    dates = {key: new[key] for key in ("iso", "date", "day", "time", "weekday", "month", "flow_day") if key in new}
    return kept | {key: replace(told) for key, told in figures.items()} | dates
