"""An article of a Chinese newsroom, or any Chinese page: passages of phrase books, put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.prose import PhraseBook, Slots, Written, join
from caia_worldgen.web.truth import Truth

_GAP: Final = re.compile(r"(?<=[\u4e00-\u9fff）。，：]) +(?=[\u4e00-\u9fff（])|(?<=[）。，：]) +")
EMPTY: Final = Written("", ())


@dataclass(frozen=True, slots=True)
class Piece:
    """What an article is made of. ``name`` is unique within its writer: chance and address follow from it.

    ``middle`` are passages of which ``count`` come, in any order; ``last`` come at the end; those that cannot be told
    are left out. ``table`` stands after the first paragraph."""

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
    table: Written = field(default_factory=lambda: EMPTY)


class ChinesePress:
    """Prints the pages of one writer from its phrase books."""

    def __init__(self, truth: Truth, writer: str, books: Sequence[str]) -> None:
        self.truth = truth
        self._writer = writer
        self._books = [PhraseBook(name, truth.seed) for name in books]
        self.last_moment = truth.midnight(truth.days) - 3_600
        """Nothing is published later."""

    def rng(self, name: str) -> Rng:
        """The chance of one page."""
        return self.truth.rng(f"{self._writer}/{name}")

    def article(self, outlet: Outlet, piece: Piece) -> WebPage | None:
        """The page, of one of those who write as the outlet does; None when it would come after the story's end."""
        if piece.published > self.last_moment:
            return None
        rng = self.rng(f"page/{piece.name}/{outlet.id}")
        outlet = self.truth.cast.house(outlet, piece.name)
        slots = FactSheet(piece.slots, {outlet.manner: "", "outlet": outlet.name})
        title, lede = self.say(piece.title, slots, rng), self.say(piece.lede, slots, rng)
        told = self.told(rng.some(piece.middle, min(piece.count, len(piece.middle))), slots, rng)
        last = self.told(piece.last, slots, rng)
        text = join([lede, piece.table, paragraphs(told, rng), *last])
        if outlet.manner == "wire":
            head = rng.one((f"【{outlet.name} 快讯】", f"{outlet.name} 消息，", f"据 {outlet.name}，", ""))
            text = Written(head + text.text, text.claims)
        stamp = number.iso_day(piece.published).replace("-", "")
        url = outlet.url(piece.section, f"{stamp}-{slug(piece.name)}")
        claims = tuple(dict.fromkeys((*title.claims, *text.claims)))
        page = Page(url, title.text, text.text, piece.published, author=rng.one(outlet.authors), language="zh")
        return WebPage(page, piece.kind, claims)

    def told(self, passages: Sequence[str], slots: Slots, rng: Rng) -> list[Written]:
        """Those of the passages that can be told."""
        return [self.say(one, slots, rng) for one in passages if self.has(one, slots)]

    def has(self, passage: str, slots: Slots) -> bool:
        """Whether any book can tell a passage with these slots."""
        return any(book.has(passage, slots) for book in self._books)

    def say(self, passage: str, slots: Slots, rng: Rng) -> Written:
        """A passage from the first book that can tell it. Raises ``BadInput`` when none can."""
        book = next((one for one in self._books if one.has(passage, slots)), self._books[-1])
        said = book.say(passage, slots, rng)
        return Written(closed(said.text), said.claims)


def closed(text: str) -> str:
    """The text without the blanks that slots leave between Chinese characters, where nobody writes any."""
    return _GAP.sub("", text)


def paragraphs(told: Sequence[Written], rng: Rng) -> Written:
    """Sentences in paragraphs of one to three; Chinese sentences need no blank between them."""
    left, made = list(told), []
    while left:
        size = rng.number(1, 3)
        made.append(join(left[:size], ""))
        left = left[size:]
    return join(made)


def slug(name: str) -> str:
    """A name as it stands in an address."""
    return "-".join("".join(one if one.isascii() and one.isalnum() else " " for one in name.lower()).split())
