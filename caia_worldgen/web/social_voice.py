"""How an account writes: in lower case or not, with short words, with which signs. The same in every post it makes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Account
from caia_worldgen.web.number import Written as Amount
from caia_worldgen.web.page import Claim
from caia_worldgen.web.truth import Form, Truth

_SHORT: Final = (("because", "bc"), ("people", "ppl"), ("right now", "rn"), ("with", "w/"), ("without", "w/o"),
                 ("you", "u"), ("your", "ur"), ("please", "pls"), ("about", "abt"), ("before", "b4"),
                 ("tomorrow", "tmrw"), ("really", "rly"), ("though", "tho"), ("thanks", "thx"),
                 ("I don't know", "idk"), ("are", "r"))  # fmt: skip
_SIGNS: Final = ("📉", "📈", "👀", "🔥", "😅", "🙃", "🫡", "📊", "☕", "🧵", "🤷", "😬", "🚀", "🐸", "💀")
_GUARDED: Final = re.compile(r"https?://\S+|[@#$]\w+|0x[0-9a-fA-F]+")
_TOKEN: Final = re.compile(r"(?:https?://|[@#]|0x)\S*$")
_CASUAL: Final = frozenset({"trader", "holder"})
_SPOKEN: Final = frozenset({"analyst", "trader", "builder", "holder"})


@dataclass(frozen=True, slots=True)
class Voice:
    """``bare`` leaves out the last full stop; ``lines`` puts each part on a line; ``signs`` are an account's own few,
    added in ``signs_percent`` of its posts. ``wakes`` is the UTC hour its day begins at, ``chatty`` how often it
    speaks compared with others. ``money`` and ``coins`` are how it writes amounts."""

    lower: bool
    bare: bool
    lines: bool
    short: tuple[tuple[str, str], ...]
    signs: tuple[str, ...]
    signs_percent: int
    wakes: int
    chatty: int
    price: Form
    money: Form
    coins: Form

    def finish(self, parts: Sequence[str], claims: Sequence[Claim], rng: Rng) -> str:
        """A post's text out of its parts; claims' words, addresses and names keep their letters."""
        text = ("\n" if self.lines else " ").join((*map(_closed, parts[:-1]), *parts[-1:]))
        if self.lower or self.short:
            words = sorted({claim.words for claim in claims}, key=lambda one: (-len(one), one))
            text = "".join(part if kept else self._said(part) for kept, part in _guarded(text, words))
        if self.bare and text.endswith(".") and not _GUARDED.search(text[-4:]):
            text = text[:-1]
        if self.signs and rng.happens(self.signs_percent):
            text += f" {rng.one(self.signs)}"
        return text

    def _said(self, text: str) -> str:
        for long, brief in self.short:
            if long in text:
                text = re.sub(rf"\b{long}\b", brief, text)
        return text.lower() if self.lower else text


def voice_of(truth: Truth, account: Account) -> Voice:
    """An account's habits: a pure function of the seed, its handle and its manner."""
    rng, casual = truth.rng(f"social/voice/{account.handle}"), account.manner in _CASUAL
    speaks = account.manner in _SPOKEN
    lower = rng.happens(38 if casual else 16) and speaks
    bare = rng.happens(45 if casual else 20) and speaks
    lines = rng.happens(22)
    short = tuple(rng.some(_SHORT, rng.number(4, 9))) if rng.happens(24 if casual else 5) and speaks else ()
    signs = tuple(rng.some(_SIGNS, rng.number(1, 4))) if rng.happens(34 if speaks else 12) else ()
    if account.manner == "bot":
        signs = ()
    return Voice(
        lower, bare, lines, short, signs, rng.number(12, 45), rng.number(0, 23), rng.number(1, 5),
        rng.one((brief_price, brief_price, full_price)),
        rng.one((_dollar_letters, _dollar_short, _dollar_fine)),
        rng.one((number.exact, number.letters, _fine_letters, number.short)),
    )  # fmt: skip


def _guarded(text: str, words: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """The pieces of a text in order: claims' words, addresses and names (True) and what may be said otherwise."""
    parts = [(False, text)]
    for word in words:
        split: list[tuple[bool, str]] = []
        for kept, part in parts:
            if kept:
                split.append((kept, part))
                continue
            for place, piece in enumerate(part.split(word)):
                split += [(True, word), (False, piece)] if place else [(False, piece)]
        parts = split
    for kept, part in parts:
        at = 0
        for hit in () if kept else _GUARDED.finditer(part):
            yield False, part[at : hit.start()]
            yield True, hit.group()
            at = hit.end()
        yield kept, part[at:]


def _closed(part: str) -> str:
    """A part that something follows."""
    return part if part[-1] in ".!?:," or _TOKEN.search(part) else f"{part}."


def brief_price(value: Fraction) -> Amount:
    """A price as people say it, three digits or so: ``$5.80``, ``$412``, ``$0.000512``."""
    if value >= 1:
        return number.exact(value, 0 if value >= 1_000 else 1 if value >= 100 else 2).around("$")
    decimals, size = 3, abs(value)
    while decimals < 8 and size and size < Fraction(1, 10):
        decimals, size = decimals + 1, size * 10
    return number.exact(value, decimals).around("$")


def full_price(value: Fraction) -> Amount:
    """A price with all its telling digits."""
    return number.price(value).around("$")


def _dollar_letters(value: Fraction) -> Amount:
    return number.letters(value).around("$")


def _dollar_short(value: Fraction) -> Amount:
    return number.short(value).around("$")


def _dollar_fine(value: Fraction) -> Amount:
    return number.letters(value, 2).around("$")


def _fine_letters(value: Fraction) -> Amount:
    return number.letters(value, 2)
