"""Governance forums of the story's projects: a front page each, and threads in which people ask, argue, err and are put
right. What a thread is about follows from the story: proposals, dry pools, airdrops, burns, scams, crashes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.forum_occasion import Occasion, occasions
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.prose import PhraseBook, Written, join
from caia_worldgen.web.reading import Facts, Reading
from caia_worldgen.web.truth import Subject, Truth, mistaken, rumoured, stale

_HEADS: Final = (
    "**{who}** · {when}", "{who} wrote on {when}:", "#{number} {who} ({when})", "{when} — {who}", "@{who}, {when}",
    "Post {number} by {who}, {when}", "[{who}] {when}", "> {who} | {when}",
)  # fmt: skip
_AGED_PERCENT, _RUMOUR_PERCENT, _WRONG_PERCENT, _ASIDE_PERCENT, _FACT_PERCENT = 7, 14, 45, 55, 14
_SPEAKERS: Final = frozenset(("analyst", "trader", "builder", "holder"))


@dataclass(slots=True)
class _Thread:
    """A thread while it is written: posts with their moments and authors."""

    moment: int
    head: str
    parts: list[Written] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every thread, project by project, each project's front page after its threads."""
    return _Forums(truth).pages()


class _Forums:
    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._reading = Reading(truth)
        self._book = PhraseBook("forum_thread", truth.seed)
        self._end = truth.midnight(truth.days) - 3_700
        known = {one.handle for one in truth.cast.accounts if one.manner in _SPEAKERS and one.language == "en"}
        self._handles = sorted(known | {one.handle for one in truth.scene.people.crowd})

    def pages(self) -> Iterator[WebPage]:
        by_role: dict[str, list[Occasion]] = {role: [] for role in PROJECTS}
        for one in occasions(self._truth, self._reading):
            if one.moment < self._end - 9 * 3_600:
                by_role[one.role].append(one)
        for role, found in by_role.items():
            subject, made = self._truth.subject(role), list[WebPage]()
            for at, occasion in enumerate(found):
                page = self._thread(subject, occasion, at)
                if page is not None:
                    made.append(page)
                    yield page
            yield self._front(subject, made)

    def _thread(self, subject: Subject, occasion: Occasion, at: int) -> WebPage | None:
        kind, rng = occasion.kind, self._truth.rng(f"forum/{subject.role}/{occasion.kind}/{at}")
        moment = occasion.moment
        slots = self._reading.facts(subject, moment, rng) | dict(occasion.slots)
        for name in ("idea", "trouble", "param"):
            slots[name] = _inner(self._book.say(name, {}, rng).text)
        if kind == "grant" and "supply" in slots:
            slots["grant"] = f"{rng.odd(2_000, 90_000, 2):,}"
        for culprit in ("culprit", "copied", "victim"):
            if culprit in slots:
                trick = str(slots["trick"])
                named = self._book.say(f"scam_{trick}", slots, rng).text
                slots["scam"] = named if trick in ("honeypot", "rug") else _inner(named)
                slots["detail"] = self._book.say(f"scam_{trick}_detail", slots, rng).text
        if rng.happens(_AGED_PERCENT):
            self._age(slots, subject, moment, rng)
        if not self._book.has(f"{kind}_post", slots):
            return None
        thread = _Thread(moment + rng.number(120, 30_000), rng.one(_HEADS))
        title = self._book.say(f"{kind}_title", slots, rng)
        asides = ["aside"] * rng.number(1, 2) + ["fact_aside"] * rng.number(0, 1)
        opening = self._book.tell([f"{kind}_post", *asides], slots, rng, " ")
        self._add(thread, opening, rng, reply=False)
        self._discuss(thread, kind, slots, rng)
        url = place.forum(subject, f"{kind}-{at + 1}")
        claims = tuple(dict.fromkeys((*title.claims, *(claim for part in thread.parts for claim in part.claims))))
        text = join(thread.parts)
        page = Page(url, title.text, text.text, thread.moment, author=thread.authors[0], language="en")
        return WebPage(page, f"forum/{kind}", claims)

    def _discuss(self, thread: _Thread, kind: str, slots: Facts, rng: Rng) -> None:
        own = f"{kind}_reply" if f"{kind}_reply" in self._book.passages else "anyone"
        plan = [own] * rng.number(2, 6) + ["anyone"] * rng.number(1, 3)
        plan = rng.some(plan, len(plan))
        if f"{kind}_wrong" in self._book.passages and rng.happens(_WRONG_PERCENT):
            plan.insert(rng.number(0, 1), f"{kind}_wrong")
            plan.insert(rng.number(2, len(plan)), f"{kind}_right")
        if rng.happens(_RUMOUR_PERCENT) and kind in ("price", "listing", "general", "pool", "grant", "param"):
            sum_usd = f"${rng.odd(1, 60, 2)} million"
            claim = Claim("other", str(slots["name"]), thread.moment, sum_usd, sum_usd, Fraction(0))
            slots["rumour_sum"] = rumoured(Told(sum_usd, claim))
            plan.append("rumour_reply")
        for passage in plan[:11]:
            if passage.endswith("_wrong"):
                if not self._err(slots, kind, rng):
                    continue
            elif passage.endswith("_right") and "erring" not in slots:
                continue
            if self._book.has(passage, slots) and thread.moment < self._end - 300:
                more = ["aside"] if rng.happens(_ASIDE_PERCENT) else []
                more += ["fact_aside"] if rng.happens(_FACT_PERCENT) else []
                self._add(thread, self._book.tell([passage, *more], slots, rng, " "), rng)
                if passage.endswith("_wrong"):
                    slots["erring"] = thread.authors[-1]

    def _err(self, slots: Facts, kind: str, rng: Rng) -> bool:
        """Make a wrong figure to be told by somebody; whether there is one to get wrong."""
        key = {"supply": "supply", "result": "votes"}[kind]
        told = slots.get(key)
        if not isinstance(told, Told) or told.claim is None or not told.claim.value:
            return False
        slots[f"wrong_{key}"] = mistaken(told, number.exact, rng)
        return True

    def _add(self, thread: _Thread, said: Written, rng: Rng, reply: bool = True) -> None:
        if reply:
            pause = rng.one((rng.number(90, 3_000), rng.number(1_800, 30_000), rng.number(9_000, 110_000)))
            thread.moment = min(thread.moment + pause, self._end - rng.number(0, 200))
        before = thread.authors[-1] if thread.authors else ""
        crowd = thread.authors[:-1] if len(thread.authors) > 2 and rng.happens(45) else self._handles
        author = rng.one([one for one in crowd if one != before])
        thread.authors.append(author)
        when = f"{number.short_day(thread.moment)}, {number.clock_time(thread.moment)}"
        head = thread.head.format(who=author, when=when, number=len(thread.authors))
        thread.parts.append(Written(f"{head}\n{said.text}", said.claims))

    def _age(self, slots: Facts, subject: Subject, moment: int, rng: Rng) -> None:
        then = moment - rng.number(8, 30) * DAY_S
        if then > self._truth.midnight(2) and "price" in slots:
            slots["price"] = stale(self._truth.price(subject.id, then))
            slots["cap"] = stale(self._truth.cap(subject.id, then))

    def _front(self, subject: Subject, threads: list[WebPage]) -> WebPage:
        rng = self._truth.rng(f"forum/front/{subject.role}")
        # Early: whoever is led to a thread goes on to the front page.
        day = rng.number(max(1, self._truth.days // 8), max(1, self._truth.days // 6))
        seen = self._truth.midnight(day) + rng.number(900, 80_000)
        slots = self._reading.facts(subject, seen, rng)
        known = sorted((one for one in threads if (one.page.published or seen) < seen),
                       key=lambda one: (-(one.page.published or 0), one.page.url))  # fmt: skip
        rows = []
        for one in known[:14]:
            replies = one.page.text.count("\n\n")
            rows.append(f"- {place.link(one.page.title, one.page.url)} — {replies} replies, {one.page.author}")
        top, foot = self._book.say("front_open", slots, rng), self._book.say("front_foot", slots, rng)
        again = self._book.say("front_foot", slots, rng)
        text = join([top, again, Written("\n".join(rows), ()), foot])
        page = Page(place.forum(subject), f"{subject.name} forum", text.text, None, language="en", first_seen=seen)
        return WebPage(page, "forum/front", tuple(dict.fromkeys(text.claims)))


def _inner(text: str) -> str:
    """A phrase as it stands within a sentence; tickers and "I" keep their capitals."""
    return text if text[:2].isupper() or text.startswith("I ") else text[0].lower() + text[1:]
