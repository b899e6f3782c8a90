"""Notes of research desks: valuations, depth of pools, staking yields, unlocks, lending books, bridge flows, fees, and
a weekly letter. Each stands on figures of its day; now and then one errs, and a later note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.prose import GRIDS, LINES, Cell, PhraseBook, Written, grid, join, listing, plain
from caia_worldgen.web.reading import LEAD_DAYS, Facts, Reading
from caia_worldgen.web.truth import Subject, Truth, mistaken, rumoured, stale

_EVERY: Final = {"valuation": 50, "pool": 30, "staking": 16, "unlock": 28, "lend": 16, "bridge": 14, "fees": 18,
                 "letter": 34}  # fmt: skip
"""How many notes of each kind; what the story has too little of is left out."""
_POOLED: Final = ("exchange", "lend", "bridge", "arena", "storage", "payments", "feeds", "index", "social", "compute")
_HEADS: Final = ("", "## ", "### ", "**", "")


@dataclass(frozen=True, slots=True)
class _Slip:
    """A mistake that was printed: where, when, of what, the wrong words and the right fact."""

    url: str
    title: str
    published: int
    subject: Subject
    wrong: Told
    right: Told


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every note, by kind and number; corrections follow what they correct."""
    return _Desk(truth).pages()


class _Desk:
    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._reading = Reading(truth)
        self._book = PhraseBook("research_note", truth.seed)
        self._slips: list[_Slip] = []
        self._crash = self._reading.crash_day()

    def pages(self) -> Iterator[WebPage]:
        for kind, count in _EVERY.items():
            for at in range(count):
                made = self._note(kind, at, count)
                if made is not None:
                    yield made
        latest = self._truth.midnight(self._truth.days - 4)
        for at, slip in enumerate(one for one in self._slips if one.published < latest):
            yield self._correction(slip, at)

    def _note(self, kind: str, at: int, count: int) -> WebPage | None:
        truth, rng = self._truth, self._truth.rng(f"research note/{kind}/{at}")
        subject = self._about(kind, at)
        span = truth.days - LEAD_DAYS - 9
        day = LEAD_DAYS + 4 + (at * span // count + rng.number(0, 3) if kind == "letter" else rng.number(0, span))
        if subject.listed_at > truth.midnight(day - 2):
            day = min(truth.days - 3, (subject.listed_at - truth.begun) // DAY_S + rng.number(3, 9))
        moment = truth.midnight(day) + rng.number(1, 20) * 3_600 + rng.number(0, 59) * 60
        slots = self._slots(kind, subject, moment, rng)
        if slots is None:
            return None
        outlet = self._outlet(kind, at, rng)
        url = outlet.url(rng.one(("notes", "research", "desk")), f"{number.iso_day(moment)}-{kind}-{at}")
        status, published = rng.number(1, 100), moment + rng.number(1, 44) * 3_600 + rng.number(0, 3_599)
        if 4 < status <= 11:
            self._age(slots, subject, moment, rng)
        right = self._err(slots, rng) if status <= 4 else None
        title = self._book.say(f"{kind}_title", slots, rng)
        text = join([self._text(kind, slots, subject, moment, status, rng)])
        published = min(published, truth.midnight(truth.days) - 3_700)
        wrong = slots["price"]
        if right is not None and isinstance(wrong, Told) and wrong.claim in text.claims and rng.happens(60):
            self._slips.append(_Slip(url, title.text, published, subject, wrong, right))
        return _page(url, title, text, published, rng.one(outlet.authors), f"note/{kind}")

    def _about(self, kind: str, at: int) -> Subject:
        truth = self._truth
        if kind == "valuation":
            known = [truth.subject(role) for role in ("native", *_POOLED)]
            return (known + list(truth.outsiders()))[at * 7 % (len(known) + len(truth.outsiders()))]
        roles = {"pool": _POOLED, "staking": ("arena", "storage"), "lend": ("lend",), "bridge": ("bridge",),
                 "fees": ("exchange",), "letter": ("native",), "unlock": self._scheduled()}  # fmt: skip
        return truth.subject(roles[kind][at % len(roles[kind])])

    def _scheduled(self) -> tuple[str, ...]:
        return tuple(made.role for made in self._truth.metrics.emissions.all())

    def _outlet(self, kind: str, at: int, rng: Rng) -> Outlet:
        desks = self._truth.cast.desks
        letters = [one for one in desks if one.manner == "newsletter"]
        lead = rng.one(letters) if kind == "letter" and rng.happens(70) else rng.one(desks)
        return self._truth.cast.house(lead, f"{kind}/{at}")

    def _slots(self, kind: str, subject: Subject, moment: int, rng: Rng) -> Facts | None:
        truth = self._truth
        slots = self._reading.facts(subject, moment, rng)
        if "price" not in slots:
            return None
        midnight = moment // DAY_S * DAY_S
        native = truth.subject("native")
        if kind != "letter" and subject is not native:
            slots["native_price"] = truth.price(native.id, moment)
        slots["chain_tvl"] = truth.chain_tvl("main", midnight)
        slots["head"] = truth.block("main", moment)
        if subject.role in _POOLED or subject.role == "native":
            slots["rumour_sum"] = Told(f"${rng.odd(2, 40, 2)} million")
        maker = {"pool": self._pool, "unlock": self._unlock, "lend": self._lend, "bridge": self._bridge,
                 "letter": self._letter}.get(kind)  # fmt: skip
        try:
            if maker is not None:
                maker(slots, subject.role, moment)
            elif kind == "fees":
                slots["volume"], slots["flow_day"] = truth.volume(subject.id, midnight), number.day(midnight - DAY_S)
        except KeyError:
            return None
        return slots if self._book.has(f"{kind}_open", slots) else None

    def _pool(self, slots: Facts, role: str, moment: int) -> None:
        if moment - 30 * DAY_S > self._truth.midnight(1):
            slots["pool_before"] = number.exact(self._reading.reserves(role, moment - 30 * DAY_S)[1]).words

    def _unlock(self, slots: Facts, role: str, moment: int) -> None:
        made = self._reading.calendar(role)
        if made is None or made.known_at > moment:
            raise KeyError(role)
        slots["granted"] = number.exact(Fraction(made.granted, 10**18)).words
        coming = sorted((one.schedule.cliff, one.section) for one in made.grants if one.schedule.cliff > moment)
        if coming:
            cliff, section = coming[0]
            amount = sum(one.schedule.vested(cliff) for one in made.grants if one.section == section)
            slots["cliff"], slots["section"] = number.day(cliff), section.lower()
            slots["cliff_amount"] = number.exact(Fraction(amount, 10**18)).words
        else:
            slots["last_cliff"] = number.day(max(one.schedule.cliff for one in made.grants))

    def _lend(self, slots: Facts, role: str, moment: int) -> None:
        slots["other"] = self._truth.subject("exchange").ticker
        for market in ("native", "exchange"):
            desk, name = self._reading.desk(market, moment), "native" if market == "native" else "other"
            slots[f"cash_{name}"], slots[f"owed_{name}"] = number.exact(desk.cash).words, number.exact(desk.owed).words
            slots[f"use_{name}"] = number.exact(desk.use * 100, 1).around(after="%").words
            slots[f"ltv_{name}"] = number.exact(Fraction(desk.ltv_bps, 100), 1).around(after="%").words
            slots[f"limit_{name}"] = number.exact(Fraction(desk.limit_bps, 100), 1).around(after="%").words
        closed = [deed for at, deed in self._truth.happened("liquidated") if at <= moment]
        if moment >= self._truth.midnight(self._crash + 1) and closed:
            unit = self._truth.scene.assets["dollar"].unit
            slots["liquidations"] = str(len(closed))
            slots["repaid"] = number.exact(Fraction(sum(deed.figure("repaid") for deed in closed), unit)).words
            slots["crash_day"] = number.day(self._truth.midnight(self._crash))
        else:
            slots["calm"] = "calm"

    def _bridge(self, slots: Facts, role: str, moment: int) -> None:
        truth, vault = self._truth, self._truth.scene.main.contracts["bridge vault"].address
        for one in ("dollar", "exchange", "arena"):
            slots[f"vault_{one}"] = truth.balance(one, vault, moment)
        slots["exchange"], slots["arena"] = truth.subject("exchange").ticker, truth.subject("arena").ticker
        for name, verb in (("crossings_in", "locked"), ("crossings_out", "released")):
            slots[name] = str(sum(moment - 7 * DAY_S < at <= moment and "nonce" in dict(deed.figures)
                                  for at, deed in truth.happened(verb)))  # fmt: skip

    def _letter(self, slots: Facts, role: str, moment: int) -> None:
        slots["dollar_price"] = self._truth.price(self._truth.subject("dollar").id, moment)
        slots["volume"] = self._truth.volume(self._reading.slugs["exchange"], moment // DAY_S * DAY_S)

    def _text(self, kind: str, slots: Facts, subject: Subject, moment: int, status: int, rng: Rng) -> Written:
        say = self._book.say
        views = [f"{kind}_body"] * 4 if kind == "letter" else [f"{kind}_view"] * 3
        if kind == "lend":
            views += ["lend_before" if "calm" in slots else "lend_after"]
        if kind == "pool" and rng.happens(60):
            views.insert(1, "pool_more")
        middle = [*views, "caveat", "context", *rng.some(("context", "method", "method", "caveat"), rng.number(1, 3))]
        parts = [say(f"{kind}_open", slots, rng)]
        if 12 < status <= 16 and self._book.has("rumour", slots):
            told = slots["rumour_sum"]
            claim = Claim("other", subject.id, moment, _text(told), _text(told), Fraction(0))
            middle.append("rumour")
            slots["rumour_sum"] = rumoured(Told(_text(told), claim))
        middle = [one for one in middle if self._book.has(one, slots)]
        parts += [say(one, slots, rng) for one in rng.some(middle, len(middle))]
        parts.insert(rng.number(1, len(parts) - 1), self._table(kind, slots, subject, moment, rng))
        if rng.happens(45):
            head = rng.one(_HEADS) + self._book.say("subhead", slots, rng).text
            parts.insert(rng.number(0, 2), plain(head + ("**" if head.startswith("**") else "")))
        parts.append(say("close", slots, rng))
        if rng.happens(40):
            parts.append(say("disclosure", slots, rng))
        return join(parts)

    def _table(self, kind: str, slots: Facts, subject: Subject, moment: int, rng: Rng) -> Written:
        book, truth = self._book, self._truth
        rows: list[list[Cell]] = []
        caption = "caption_all" if kind in ("fees", "letter") else "caption"
        head = [book.say("label_date", slots, rng).text]
        if kind in ("fees", "letter"):
            head = ["Protocol" if kind == "fees" else rng.one(("Coin", "Asset", "Ticker", "Name"))]
            rows = self._fee_rows(moment) if kind == "fees" else self._price_rows(moment, rng)
            head += (
                ["Fees"] if kind == "fees" else [book.say(f"label_{one}", slots, rng).text for one in ("price", "move")]
            )
        else:
            head += [book.say(f"label_{one}", slots, rng).text for one in ("price", "cap")]
            for back in sorted(rng.some((7, 14, 21, 28, 42, 56), rng.number(2, 4)), reverse=True):
                then = moment // DAY_S * DAY_S - back * DAY_S
                if then > max(truth.midnight(1), subject.listed_at):
                    rows.append([number.iso_day(then), truth.price(subject.id, then), truth.cap(subject.id, then)])
        if not rows:
            keys = [key for key in ("price", "cap", "supply") if key in slots]
            lines = [(book.say(f"label_{key}", slots, rng).text, slots[key]) for key in keys]
            return join([book.say(caption, slots, rng), listing(lines, rng.one(LINES))], "\n")
        return join([book.say(caption, slots, rng), grid(head, rows, rng.one(GRIDS))], "\n")

    def _fee_rows(self, moment: int) -> list[list[Cell]]:
        rows: list[tuple[Fraction, list[Cell]]] = []
        for one in self._truth.metrics.protocols:
            try:
                fees = self._truth.fees(
                    one.slug, moment // DAY_S * DAY_S, lambda value: number.exact(value).around("$")
                )
            except KeyError:
                continue
            assert fees.claim is not None and isinstance(fees.claim.value, Fraction)
            rows.append((fees.claim.value, [place.link(one.name, place.board(self._truth, one.slug)), fees]))
        return [row for _, row in sorted(rows, key=lambda pair: -pair[0])]

    def _price_rows(self, moment: int, rng: Rng) -> list[list[Cell]]:
        truth, rows = self._truth, list[list[Cell]]()
        for role in rng.some(("native", *_POOLED), rng.number(4, 7)):
            one = truth.subject(role)
            ppm = truth.change_ppm(one.id, moment, 168)
            if ppm is not None:
                sign = "+" if ppm >= 0 else "-"
                rows.append([one.ticker, truth.price(one.id, moment), sign + number.percent(ppm).words])
        return rows

    def _err(self, slots: Facts, rng: Rng) -> Told | None:
        right = slots["price"]
        if not isinstance(right, Told):
            return None
        slots["price"] = mistaken(right, lambda value: number.price(value).around("$"), rng)
        return right

    def _age(self, slots: Facts, subject: Subject, moment: int, rng: Rng) -> None:
        then = moment - rng.number(9, 25) * DAY_S
        if then > max(self._truth.midnight(1), subject.listed_at):
            slots["price"], slots["cap"] = (
                stale(fact(subject.id, then)) for fact in (self._truth.price, self._truth.cap)
            )

    def _correction(self, slip: _Slip, at: int) -> WebPage:
        truth, rng = self._truth, self._truth.rng(f"research note/correction/{at}")
        desks = (house for one in truth.cast.desks for house in truth.cast.houses[one.id])
        outlet = next(one for one in desks if slip.url.startswith(one.url("")))
        assert slip.right.claim is not None and slip.wrong.claim is not None
        moment = slip.right.claim.moment
        slots: Facts = {"name": slip.subject.name, "ticker": slip.subject.ticker, "date": number.short_day(moment),
                        "past": place.link(slip.title, slip.url), "right": slip.right, "wrong": slip.wrong.words,
                        "then": f"{number.clock_time(moment)} on {number.day(moment)}"}  # fmt: skip
        published = slip.published + rng.number(9, 60) * 3_600 + rng.number(0, 3_599)
        told = ["correction_open", *rng.some(("correction_cause", "correction_end", "correction_end"), 3)]
        text = self._book.tell(told, slots, rng, rng.one((" ", "\n\n")))
        title = self._book.say("correction_title", slots, rng)
        return _page(outlet.url("notes", f"correction-{at + 1}-{slip.subject.id}"), title, text, published,
                     rng.one(outlet.authors), "note/correction")  # fmt: skip


def _page(url: str, title: Written, text: Written, published: int, author: str, kind: str) -> WebPage:
    seen: Sequence[Claim] = dict.fromkeys((*title.claims, *text.claims))  # type: ignore[assignment]
    return WebPage(Page(url, title.text, text.text, published, author=author, language="en"), kind, tuple(seen))


def _text(told: Told | str) -> str:
    return told if isinstance(told, str) else told.words
