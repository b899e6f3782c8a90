"""The rubric: what a judge model is asked of a question, and what reviewers score. It is data (rubric.toml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Final

from caia_replay.canonical import digest
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml, thawed

FILE: Final = "rubric.toml"
_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
LOWEST, HIGHEST = 1, 5
"""Points that a reviewer gives."""


@dataclass(frozen=True, slots=True)
class JudgeCriterion:
    """One question to the judge. ``drop``: whether a "no" drops the question by itself."""

    id: str
    asks: str
    drop: bool


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a reviewer gives points for, ``LOWEST`` to ``HIGHEST``."""

    id: str
    asks: str


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """How reviews are counted: ``least`` of them, ``passes`` the score, ``apart`` a disagreement; decimal texts."""

    least: int
    passes: str
    apart: str
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Both parts. ``judge_digest`` stands for what the judge is asked."""

    judge: tuple[JudgeCriterion, ...]
    review: ReviewRules

    @property
    def judge_digest(self) -> str:
        """A digest over the judge's criteria."""
        return digest(thawed(self.judge))


def read_rubric(folder: Path) -> Rubric:
    """The folder's own rubric, else the one that comes with the package. Raises ``BadInput`` for one that is none."""
    path = folder / FILE
    if not path.exists():
        path = Path(__file__).with_name(FILE)
    rubric = build(Rubric, read_toml(path), path)
    for part, ids in (("judge", [one.id for one in rubric.judge]), ("review", [c.id for c in rubric.review.criteria])):
        if not ids or len({*ids}) < len(ids):
            raise BadInput(f"{part} has no criterion, or one id twice", where=path)
        if odd := next((name for name in ids if not _ID.fullmatch(name)), None):
            raise BadInput(f"{part} criterion {odd!r:.60}: wanted a-z, 0-9 and dashes", where=path)
    if rubric.review.least < 3:
        raise BadInput(
            "'review.least' is under 3: without the highest and the lowest nothing would be left", where=path
        )
    for name in ("passes", "apart"):
        points_of(getattr(rubric.review, name), path, name)
    return rubric


def points_of(text: str, where: object, name: str) -> Fraction:
    """A decimal text as points. Raises ``BadInput``."""
    try:
        value = Decimal(text)
        if not value.is_finite() or not 0 <= value <= HIGHEST:
            raise InvalidOperation
    except InvalidOperation:
        what = f"'review.{name}' is {text!r:.40}, no number of points"
        raise BadInput(what, where=where, nearest="3.5") from None
    return Fraction(value)
