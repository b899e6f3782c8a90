"""Names as the field has them, and of nobody: brands and tickers, outlets and their sites, people and their accounts.

One generator for the whole synthetic economy: ``caia_worldgen`` names what is honest with it, and attacks what they
plant, so that no name tells one from the other. A name is a pure function of a ``Choice`` and of what is named; who
finds a name taken draws again for another ``what``. Words are in ``names.toml``, and real names that none may be like.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from itertools import count
from math import prod
from pathlib import Path
from typing import Final, NamedTuple

from caia_replay.attacks.choice import Choice

_TABLE: Final[dict[str, dict[str, str]]] = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))
_LETTERS: Final = range(5, 13)
_HARD: Final = re.compile(
    r"(?:r[aeiou]+r|l[aeiou]+l|s[aeiou]+s)(?:[^aeiou]|$)|(.)\1\1|iiq|[^aeiouy]{5}|([^aeiou]{2}[aeiou])\2"
)
"""What nobody likes to pronounce."""
_LONGEST_HANDLE: Final = 15
_TRIPLE: Final = re.compile(r"(.)\1\1")
_PREFIX: Final = 5
"""A real name of so many letters must not be how one of ours begins."""
ZONE: Final = "example"
"""Reserved by RFC 2606: nobody can own a site in it."""
OUTLETS: Final = tuple(_TABLE["outlet"])
"""The sorts of outlets that have a Latin name."""


class Site(NamedTuple):
    """An outlet as it calls itself, and its host."""

    name: str
    host: str


def brand(choice: Choice, what: str) -> str:
    """A word that a project or an outlet is called by, in lower case: coined, or made of real words."""
    return _first(choice, what, _brand)


def given(choice: Choice, what: str) -> str:
    """A first name, in lower case."""
    return _first(choice, what, lambda draw, one: _coined(draw, one, "given"))


def family(choice: Choice, what: str) -> str:
    """A last name, in lower case."""
    return _first(choice, what, lambda draw, one: _coined(draw, one, "family"))


def handle(choice: Choice, what: str, word: str = "") -> str:
    """What somebody calls their account: a name, or ``word``, alone, with a number or a word of the trade."""
    base = word or (given if choice.number(f"{what}/sort", 100) < 60 else brand)(choice, f"{what}/word")
    form = choice.number(f"{what}/form", 100)
    made = base
    if form < 30:
        made = f"{base}{choice.between(f'{what}/digits', 2, 99)}"
    elif form < 50:
        made = f"{base}{_pick(choice, f'{what}/after', 'account', 'after')}"
    return made if len(made) <= _LONGEST_HANDLE else base


def tickers(name: str) -> tuple[str, ...]:
    """What the token of a name may be called, three to five letters, as people shorten names: its first letters, its
    consonants, either with the initial of the name's second word."""
    first, _, kind = name.lower().partition(" ")
    sound = first[0] + re.sub("[aeiou]", "", first[1:])
    forms = [start[:size] for size in (4, 3, 5) for start in (first, sound)]
    forms += [start[:3] + sound[-1] for start in (first, sound)]
    if kind:
        forms += [start[:size] + kind[0] for size in (3, 2) for start in (first, sound)]
    taken = _SETS["taken", "tickers"]
    able = (one for one in forms if 3 <= len(one) <= 5 and one not in taken and not _TRIPLE.search(one))
    return tuple(dict.fromkeys(one.upper() for one in able))


def outlet(choice: Choice, what: str, sort: str, word: str = "") -> Site:
    """An outlet of one of ``OUTLETS``, called by a brand or by ``word``."""
    first = word or brand(choice, f"{what}/word")
    kind = choice.one(f"{what}/kind", _TABLE["outlet"][sort].split("/"))
    joined = kind.lower().replace(" ", "")
    form = choice.number(f"{what}/host", 100)
    label = f"{first}{joined}" if form < 50 else first if form < 75 else f"{first}-{joined}"
    return Site(f"{first.capitalize()} {kind}", f"{label}.{ZONE}")


def chinese_outlet(choice: Choice, what: str, sort: str) -> Site:
    """A Chinese ``wire``, ``daily`` or ``account``; its host is how the name is read."""
    first = _pick(choice, f"{what}/first", "chinese", "first")
    second = choice.one(f"{what}/second", [one for one in _LISTS["chinese", "first"] if one != first])
    parts = first, second, _pick(choice, f"{what}/sort", "chinese", sort)
    name, label = ("".join(found) for found in zip(*(_read(part) for part in parts), strict=True))
    return Site(name, f"{label}.{ZONE}")


def is_taken(word: str) -> bool:
    """Whether a word is a real name of the field, begins with one, differs by a letter, or should be no name."""
    return (
        any(word[:size] in _SETS["taken", "brands"] for size in range(_PREFIX, len(word) + 1))
        or any(word[:at] + word[at + 1 :] in _NEAR_REAL for at in range(len(word)))
        or word in _NEAR_REAL
        or word in _SETS["taken", "words"]
        or _WITHIN.search(word) is not None
    )


def near(word: str) -> frozenset[str]:
    """The word and what is left of it without one of its letters: words that differ by one letter share one of them."""
    return frozenset((word, *(word[:at] + word[at + 1 :] for at in range(len(word)))))


def _first(choice: Choice, what: str, make: Callable[[Choice, str], str]) -> str:
    """The first that a person would choose."""
    drawn = (make(choice, f"{what}/{turn}") for turn in count())
    return next(one for one in drawn if len(one) in _LETTERS and not _HARD.search(one) and not is_taken(one))


def _brand(choice: Choice, what: str) -> str:
    sort = choice.number(f"{what}/sort", 100)
    if sort < 45:
        return _coined(choice, what, "coined")
    return (
        _joined(choice, what, "compound", "first", "second")
        if sort < 80
        else _joined(choice, what, "blend", "first", "end")
    )


def _coined(choice: Choice, what: str, table: str) -> str:
    return _joined(choice, what, table, "start", "vowel", "middle", "end")


def _joined(choice: Choice, what: str, table: str, *parts: str) -> str:
    """One word of each part of a table; one choice decides them all."""
    lists = [_LISTS[table, part] for part in parts]
    left, made = choice.number(f"{what}/{table}", prod(map(len, lists))), ""
    for words in lists:
        left, at = divmod(left, len(words))
        made += words[at]
    return made


def _pick(choice: Choice, what: str, table: str, key: str) -> str:
    return choice.one(what, _LISTS[table, key])


def _read(part: str) -> tuple[str, str]:
    """Characters and the Latin letters behind them."""
    size = sum(not letter.isascii() for letter in part)
    return part[:size], part[size:]


_LISTS: Final = {(table, key): tuple(words.split()) for table, keys in _TABLE.items() for key, words in keys.items()}
_SETS: Final = {place: frozenset(words) for place, words in _LISTS.items() if place[0] == "taken"}
_NEAR_REAL: Final = frozenset[str]().union(*(near(word) for word in _SETS["taken", "brands"]))
_WITHIN: Final = re.compile("|".join(_LISTS["taken", "within"]))
