"""Texts of project sites out of phrase books: layouts of passages, of which no two pages get the same cards.

``prose.PhraseBook`` deals each passage in one fixed order, so that two passages of equal length stay in step. Sites
have many pages of few kinds; here each page draws among the alternatives that were told least often so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from caia_replay.core.world import Page
from caia_replay.errors import BadInput
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web.page import Told, WebPage
from caia_worldgen.web.prose import Slots, Written, fill, join, read_phrases, vary
from caia_worldgen.web.truth import Truth

_OFTEN: Final = 60
"""Per cent in which a passage marked as optional is told."""


@dataclass(slots=True)
class Voice:
    """Passages of some phrase books, and how often each alternative was told. One for each call of a writer."""

    phrases: Mapping[str, tuple[str, ...]]
    told: dict[tuple[str, int], int] = field(default_factory=dict)

    @classmethod
    def of(cls, *names: str) -> Voice:
        """The books of these names together. Raises ``BadInput`` for a malformed one."""
        return cls({passage: phrases for name in names for passage, phrases in read_phrases(name).items()})

    def has(self, passage: str, slots: Slots) -> bool:
        """Whether any alternative of a passage can be told with these slots."""
        return bool(self._open(passage, slots))

    def say(self, passage: str, slots: Slots, rng: Rng) -> Written:
        """One alternative of a passage. Raises ``BadInput`` when none can be told."""
        found = self.several(passage, slots, rng, 1)
        if not found:
            raise BadInput(f"no alternative of passage {passage!r} can be told with {', '.join(sorted(slots))}")
        return found[0]

    def several(
        self, passage: str, slots: Slots, rng: Rng, count: int, said: set[tuple[str, int]] | None = None
    ) -> list[Written]:
        """Up to ``count`` different alternatives; fewer where fewer can be told. ``said`` holds what is not to be
        told again, and is added to; figures are repeated only where there is nothing else to say."""
        said = set() if said is None else said
        left = [at for at in self._open(passage, slots) if (passage, at) not in said]
        found: list[Written] = []
        while left and len(found) < count:
            fresh = [at for at in left if said.isdisjoint(self._figures(passage, at, slots))] or left
            least = min(self.told.get((passage, at), 0) for at in fresh)
            at = rng.one([one for one in fresh if self.told.get((passage, one), 0) == least])
            left.remove(at)
            said |= {(passage, at), *self._figures(passage, at, slots)}
            self.told[passage, at] = least + 1
            found.append(fill(vary(self.phrases[passage][at], rng), slots))
        return found

    def lay(self, layout: Sequence[str], slots: Slots, rng: Rng) -> Written:
        """A text of parts, one paragraph each; nothing is said twice in it.

        name      one alternative          name*3    three of them in one paragraph
        #name     a heading                name-4    a list of four lines
        ?name     only sometimes           =words    these words as they are
        """
        said: set[tuple[str, int]] = set()
        parts = [self._part(part, slots, rng, said) for part in layout]
        kept = [part for part, after in zip(parts, [*parts[1:], Written("", ())], strict=True)
                if not part.text.startswith("#") or (after.text and not after.text.startswith("#"))]  # fmt: skip
        return join(kept)

    def _part(self, part: str, slots: Slots, rng: Rng, said: set[tuple[str, int]]) -> Written:
        if part.startswith("="):
            return Written(part[1:], ())
        if part.startswith("?"):
            if not rng.happens(_OFTEN):
                return Written("", ())
            part = part[1:]
        if part.startswith("#"):
            found = self.several(part[1:], slots, rng, 1, said)
            return Written(f"## {found[0].text}", ()) if found else Written("", ())
        name, mark, count = part.partition("*") if "*" in part else part.partition("-")
        found = self.several(name, slots, rng, int(count) if mark else 1, said)
        if mark == "-":
            return join([Written(f"- {one.text}", one.claims) for one in found], "\n")
        return join(found, " ")

    def _figures(self, passage: str, at: int, slots: Slots) -> set[tuple[str, int]]:
        """The slots of an alternative that claim something, marked as what was said."""
        names = (part.partition("}")[0] for part in self.phrases[passage][at].split("{")[1:])
        return {(name, -1) for name in names if isinstance(told := slots.get(name), Told) and told.claim is not None}

    def _open(self, passage: str, slots: Slots) -> list[int]:
        if passage not in self.phrases:
            raise BadInput(f"no phrase book has a passage {passage!r}")
        return [at for at, phrase in enumerate(self.phrases[passage]) if all(
            name.partition("}")[0] in slots for name in phrase.split("{")[1:]
        )]  # fmt: skip


def dated(url: str, kind: str, title: Written, body: Written, published: int, author: str = "") -> WebPage:
    """A page with a date on it."""
    page = Page(url, title.text, body.text, published, author=author, language="en")
    return WebPage(page, kind, (*title.claims, *body.claims))


def undated(url: str, kind: str, title: Written, body: Written, first_seen: int) -> WebPage:
    """A page that is simply there, from ``first_seen`` on."""
    page = Page(url, title.text, body.text, None, language="en", first_seen=first_seen)
    return WebPage(page, kind, (*title.claims, *body.claims))


def in_the_day(rng: Rng, midnight: int) -> int:
    """A moment of that day at which people work, to the minute."""
    return midnight // DAY_S * DAY_S + rng.number(7 * 60, 20 * 60) * 60 + rng.number(0, 59)


def soon_after(truth: Truth, rng: Rng, moment: int, low_h: int = 2, high_h: int = 20) -> int:
    """Some hours after something happened, and not after the story's end."""
    return min(moment + rng.number(low_h * 3_600, high_h * 3_600), last_moment(truth))


def last_moment(truth: Truth) -> int:
    """Nothing is written later than this."""
    return truth.midnight(truth.days) - 3_600


def slug(words: str) -> str:
    """Lower case, words parted by hyphens."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in words.lower()).split())
