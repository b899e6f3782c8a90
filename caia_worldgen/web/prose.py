"""Sentences out of phrase books: alternatives drawn like cards, words varied by chance, slots filled with facts.

A phrase book is a TOML file of passages, each a list of alternatives:

    opening = [
      "{ticker} [closed|ended] the day at {price}, [after|following] a [quiet|slow] session.",
      ...
    ]

``[a|b]`` is one of its parts, nested if need be; an empty part is allowed. ``{slot}`` is a fact. An alternative can be
used only where all its slots are known, so a book may have sentences for what is not always the case.

Alternatives of a passage are dealt, not drawn: none comes again before all others that could be used have come.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.store.plain import read_toml
from caia_worldgen.rng import Rng
from caia_worldgen.web.page import Claim, Told

FOLDER: Final = Path(__file__).parent / "phrases"
_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")
_SLOT: Final = re.compile(r"\{([a-z_0-9]+)\}")
_ODD_SPACE: Final = re.compile(r"[ \t]+([,.;:!?])|[ \t]{2,}")

Slots = Mapping[str, Told | str]
Phrases = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Written:
    """Finished text and what it claims, in the order it is claimed."""

    text: str
    claims: tuple[Claim, ...]


class PhraseBook:
    """The passages of one kind of page. One for each writer: it remembers what was dealt."""

    def __init__(self, name: str, seed: int, folder: Path = FOLDER) -> None:
        """Read ``<name>.toml``. Raises ``BadInput`` when it is no table of lists of texts."""
        self._name = name
        self._phrases = read_phrases(name, folder)
        self._decks: dict[str, list[str]] = {}
        self._seed = seed

    @property
    def passages(self) -> Sequence[str]:
        """The names of all passages, in file order."""
        return tuple(self._phrases)

    def has(self, passage: str, slots: Slots) -> bool:
        """Whether any alternative of a passage can be used with these slots."""
        return any(_known(phrase, slots) for phrase in self._phrases.get(passage, ()))

    def say(self, passage: str, slots: Slots, rng: Rng) -> Written:
        """One alternative of a passage, filled. Raises ``BadInput`` when none can be used."""
        if passage not in self._phrases:
            raise BadInput(f"phrase book {self._name!r} has no passage {passage!r}")
        deck = self._decks.get(passage)
        if deck is None:
            whole = self._phrases[passage]
            deck = self._decks[passage] = Rng(f"web/{self._seed}/{self._name}/{passage}").some(whole, len(whole))
        for at, phrase in enumerate(deck):
            if _known(phrase, slots):
                deck.append(deck.pop(at))
                return fill(vary(phrase, rng), slots)
        raise BadInput(f"no alternative of {self._name}/{passage} can be told with {', '.join(sorted(slots))}")

    def tell(self, passages: Sequence[str], slots: Slots, rng: Rng, between: str = "\n\n") -> Written:
        """Passages after one another; those that cannot be told with these slots are left out."""
        return join([self.say(one, slots, rng) for one in passages if self.has(one, slots)], between)


def read_phrases(name: str, folder: Path = FOLDER) -> Phrases:
    """A phrase book's passages. Raises ``BadInput`` for a malformed one."""
    path = folder / f"{name}.toml"
    found: dict[str, tuple[str, ...]] = {}
    for passage, phrases in read_toml(path).items():
        if not (isinstance(phrases, list) and phrases and all(isinstance(one, str) and one for one in phrases)):
            raise BadInput(f"passage {passage!r} must be a list of texts", where=path)
        if len(set(phrases)) != len(phrases):
            raise BadInput(f"passage {passage!r} says something twice", where=path)
        found[passage] = tuple(phrases)
    return found


def join(parts: Sequence[Written], between: str = "\n\n") -> Written:
    """Texts after one another, empty ones left out, and all their claims."""
    return Written(
        between.join(part.text for part in parts if part.text), tuple(claim for part in parts for claim in part.claims)
    )


def vary(phrase: str, rng: Rng) -> str:
    """Every ``[a|b]`` replaced by one of its parts, inner ones first."""
    while found := _CHOICE.search(phrase):
        phrase = phrase[: found.start()] + rng.one(found[1].split("|")) + phrase[found.end() :]
    return phrase


def fill(phrase: str, slots: Slots) -> Written:
    """Every ``{slot}`` replaced by its words. Raises ``BadInput`` for an unknown one."""
    claims: list[Claim] = []

    def told(found: re.Match[str]) -> str:
        if found[1] not in slots:
            raise BadInput(f"nothing is known of {found[1]!r}")
        one = slots[found[1]]
        if isinstance(one, str):
            return one
        if one.claim is not None:
            claims.append(one.claim)
        return one.words

    text = _ODD_SPACE.sub(lambda odd: odd[1] or " ", _SLOT.sub(told, phrase)).strip()
    return Written(text[:1].upper() + text[1:], tuple(claims))


def _known(phrase: str, slots: Slots) -> bool:
    return all(name in slots for name in _SLOT.findall(phrase))


Cell = Told | str
LINES: Final = ("{}: {}", "- {}: {}", "{} | {}", "{} — {}", "* {} = {}", "• {}  {}", "| {} | {} |", "{}\t{}")
"""How a label and its value stand on a line."""
GRIDS: Final = (
    ("| ", " | ", " |"),
    ("", " | ", ""),
    ("", "\t", ""),
    ("- ", ", ", ""),
    ("", "; ", ""),
    ("> ", " / ", ""),
)
"""What stands before, between and after the cells of a row."""


def listing(rows: Sequence[tuple[str, Cell]], style: str) -> Written:
    """A line for every label and value; ``style`` is one of ``LINES``."""
    lines = [style.format(label, _words(value)) for label, value in rows]
    return Written("\n".join(lines), _claims([value for _, value in rows]))


def grid(head: Sequence[str], rows: Sequence[Sequence[Cell]], style: tuple[str, str, str]) -> Written:
    """A row for the names of the columns, unless there are none, and one for each of ``rows``; ``style`` is one of
    ``GRIDS``."""
    before, between, after = style
    lines = [before + between.join(map(_words, row)) + after for row in ([head] if head else []) + list(rows)]
    return Written("\n".join(lines), _claims([cell for row in rows for cell in row]))


def plain(text: str) -> Written:
    """A text that claims nothing."""
    return Written(text, ())


def _words(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.words


def _claims(cells: Sequence[Cell]) -> tuple[Claim, ...]:
    return tuple(cell.claim for cell in cells if not isinstance(cell, str) and cell.claim is not None)
