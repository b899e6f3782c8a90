"""True sentences in the words of claims: what honest pages say, and what a twin says in a lie's place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.task import AnswerSpec
from caia_replay.core.world import Page, Post
from caia_worldgen.questions.catalogue import makers
from caia_worldgen.questions.claim import Cell, cell_of, claims
from caia_worldgen.questions.draw import Drawn
from caia_worldgen.questions.expression import Composed, Language, Words, both
from caia_worldgen.questions.known import Known, pages_of
from caia_worldgen.questions.wording import said
from caia_worldgen.rng import Rng
from caia_worldgen.web.truth import Truth

_LONG: Final = 1_000
_DECIMALS: Final = 4
_TRIES: Final = 400
_WORD: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")


def statement(made: Composed, language: Language, times: Fraction = Fraction(1)) -> str:
    """What an expression comes to, as its form's claim. Figures are printed ``times`` as large as they are."""
    return claimed(made.form, made.slots, made.answer, language, times)


def claimed(form: str, slots: Mapping[str, Words], answer: AnswerSpec, language: Language,
            times: Fraction = Fraction(1)) -> str:  # fmt: skip
    """An answer in the words of a form's claim, as ``statement``."""
    claim = claims()[form]
    cell = cell_of(answer, claim.get("cell"))
    if answer.kind == "text_list":
        cell = Cell("; ".join(answer.values), "text_list")
    words = {**slots, "row": both(cell.row), "cell": both(cell.name), "planted": both(_shown(cell, times))}
    return said(claim[language], {name: told[language] for name, told in words.items()}, language)


def _shown(cell: Cell, times: Fraction) -> str:
    """An answer as a page has it: long numbers with commas, rounded to what people write."""
    if cell.kind != "number":
        return cell.value
    value = Fraction(cell.value) * times
    places = 0 if abs(value) >= _LONG and value.denominator != 1 else min(_DECIMALS, len(cell.value.partition(".")[2]))
    return f"{round(Decimal(value.numerator) / Decimal(value.denominator), places):,f}"


class Besides:
    """Finds true sentences beside what is asked: in the same form, of something else, as near to it in words as draws
    come. A page that holds such a sentence ranks much as one that holds the claim does."""

    def __init__(self, truth: Truth, pages: tuple[Page, ...], posts: tuple[Post, ...], seed: int) -> None:
        self._truth, self._pages, self._posts, self._seed = truth, pages_of(pages), posts, seed
        self._makers = list(makers())

    def of(self, one: Drawn) -> tuple[str, ...]:
        """The nearest such sentence; none where draws come to nothing."""
        asked = one.composed
        claim = _words(statement(asked, one.language))
        alike = [maker for maker in self._makers if maker.kind == (asked.category, asked.source)]
        ours = [maker for maker in alike if maker.name.startswith(f"{asked.form.replace('_', '-')}-")] or alike
        rng = Rng(f"questions/{self._seed}/beside/{one.question}")
        known = Known(self._truth, self._pages, self._posts, one.anchor.timestamp, rng)
        found: dict[str, Fraction] = {}
        for _ in range(_TRIES):
            try:
                made = rng.one(ours).make(known)
            except (KeyError, ValueError):
                continue
            if made is None or made.form != asked.form or made.over > known.now or made.answer == asked.answer:
                continue
            told = statement(made, one.language)
            if not says_answer(told, asked.answer):
                words = _words(told)
                found.setdefault(told, Fraction(len(words & claim), len(words | claim)))
        return (max(found, key=lambda told: (found[told], told)),) if found else ()


def _words(text: str) -> frozenset[str]:
    """Of Chinese its characters."""
    return frozenset(_WORD.findall(text.casefold()))
