"""An outlet's article: its address, its author, and a body put together from passages of phrase books.

Passages of an event are named after its topic: ``<topic>_title``, ``<topic>_lede``, ``<topic>_more``. A slot named
after the outlet's manner is known, and empty, so that an alternative can be kept for wires or for blogs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.prose import PhraseBook, Slots, Written, join
from caia_worldgen.web.truth import Truth

_LONGEST: Final = 9
"""Words of a title that its address keeps."""
_SHORTEST: Final = 70
"""Words between lede and close, at least, as long as there is something left to say."""
_MINUTE_S: Final = 60
DELAYS: Final = {"wire": (4, 80), "markets": (20, 200), "daily": (70, 620), "blog": (180, 2_300),
                 "syndicate": (90, 900), "magazine": (900, 4_000)}  # fmt: skip
"""How many minutes after it happened an outlet of a manner writes of something."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an article is made of. ``name`` is unique within its writer: chance follows from it.

    ``lede`` and ``title`` are passages; ``sure`` passages that come next, where they can be told, and ``last`` ones at
    the end; between them ``count`` of ``middle`` in any order, each as often as it is named, and the ``table``."""

    name: str
    kind: str
    section: str
    published: int
    slots: Slots
    title: str
    lede: str
    middle: Sequence[str]
    count: int
    last: Sequence[str] = ()
    sure: Sequence[str] = ()
    table: Written = field(default_factory=lambda: Written("", ()))


class Press:
    """Prints the articles of one writer: knows the phrase books, and the addresses that are given away."""

    def __init__(self, truth: Truth, writer: str, books: Sequence[str]) -> None:
        self.truth = truth
        self._writer = writer
        self._books = [PhraseBook(name, truth.seed) for name in books]
        self._taken: set[str] = set()
        self.last_moment = truth.midnight(truth.days) - 3_600
        """Nothing is published later."""

    def rng(self, name: str) -> Rng:
        """The chance of one article."""
        return self.truth.rng(f"{self._writer}/{name}")

    def delayed(self, outlet: Outlet, moment: int, rng: Rng) -> int:
        """When an outlet writes of what happened at a moment."""
        low, high = DELAYS[outlet.manner]
        return moment + rng.number(low, high) * _MINUTE_S + rng.number(0, _MINUTE_S - 1)

    def article(self, outlet: Outlet, plan: Plan) -> WebPage | None:
        """The page; None when it would come after the story's end."""
        if plan.published > self.last_moment:
            return None
        rng = self.rng(f"{plan.name}/{outlet.id}")
        slots = FactSheet(plan.slots, {outlet.manner: "", "outlet": outlet.name})
        title, lede = self.say(plan.title, slots, rng), self.say(plan.lede, slots, rng)
        told = [self._skipping(one, slots, rng) for one in plan.sure if self.has(one, slots)]
        length = sum(len(one.text.split()) for one in told)
        for count, one in enumerate(rng.some(plan.middle, len(plan.middle))):
            if count >= plan.count and length >= _SHORTEST:
                break
            if self.has(one, slots):
                told.append(self.say(one, slots, rng))
                length += len(told[-1].text.split())
        last = [self.say(one, slots, rng) for one in plan.last if self.has(one, slots)]
        body = _paragraphs([lede, *told], plan.table, rng)
        text = join([_dated(outlet, plan.published, rng), body, *last])
        return self.page(outlet, plan.kind, plan.section, plan.published, title, text, rng.one(outlet.authors))

    def page(
        self, outlet: Outlet, kind: str, section: str, published: int, title: Written, text: Written, author: str,
        copy_of: str = "",
    ) -> WebPage:  # fmt: skip
        """A page with an address of its own, and every claim once."""
        slug = _slug(title.text)
        url = first = outlet.url(section, f"{number.iso_day(published)}-{slug}")
        count = 1
        while url in self._taken:
            count += 1
            url = f"{first}-{count}"
        self._taken.add(url)
        claims: tuple[Claim, ...] = tuple(dict.fromkeys((*title.claims, *text.claims)))
        page = Page(url, title.text, text.text, published, author=author, language="en")
        return WebPage(page, kind, claims, copy_of)

    def _skipping(self, passage: str, slots: Slots, rng: Rng) -> Written:
        """A passage after passing over some of its alternatives, or neighbours would always be dealt together."""
        for _ in range(rng.number(0, 2)):
            self.say(passage, slots, rng)
        return self.say(passage, slots, rng)

    def has(self, passage: str, slots: Slots) -> bool:
        """Whether any book can tell a passage with these slots."""
        return any(book.has(passage, slots) for book in self._books)

    def say(self, passage: str, slots: Slots, rng: Rng) -> Written:
        """A passage from the first book that can tell it. Raises ``BadInput`` when none can."""
        for book in self._books[:-1]:
            if book.has(passage, slots):
                return book.say(passage, slots, rng)
        return self._books[-1].say(passage, slots, rng)


def other(words: str, subject: str, moment: int) -> Told:
    """Something that stands on the web alone."""
    return Told(words, Claim("other", subject, moment, words, words, Fraction(0)))


def _paragraphs(told: Sequence[Written], table: Written, rng: Rng) -> Written:
    """Sentences in paragraphs of one to three, the table after the first or the last of them."""
    left, made = list(told), []
    while left:
        size = rng.number(1, 3)
        made.append(join(left[:size], " "))
        left = left[size:]
    made.insert(1 if rng.happens(50) else len(made), table)
    return join(made)


def _dated(outlet: Outlet, published: int, rng: Rng) -> Written:
    """What a manner puts before its text; mostly nothing."""
    name, day = outlet.name.upper(), number.short_day(published)
    if outlet.manner == "wire":
        return Written(rng.one((f"{name}, {day}", f"{day} / {outlet.name}", f"({outlet.name})", "")), ())
    if outlet.manner == "markets" and rng.happens(40):
        return Written(f"{number.weekday(published)}, {day}", ())
    return Written("", ())


def _slug(title: str) -> str:
    words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in title.lower()).split()
    return "-".join(words[:_LONGEST])
