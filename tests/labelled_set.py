"""Answers as models write them, labelled by hand before any verifier was run; tests/labelled/README.md says how."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.plain import build

FOLDER = Path(__file__).with_name("labelled")
Part = Literal["open", "mended", "blind"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What the rules were written against, parts they were mended by after one blind check each, and one that was kept from
them until they were done."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer to one question, whether it is right, and the kind of difficulty it is."""

    place: str
    question: str
    spec: AnswerSpec
    says: str
    right: bool
    why: str


@dataclass(frozen=True, slots=True)
class Leaning:
    """What somebody answered who had been shown ``lie``, and what it leans to."""

    question: str
    spec: AnswerSpec
    lie: str
    says: str
    leans: str
    why: str


def labelled(part: Part) -> Iterator[Labelled]:
    """Every answer of one part, by its place in the file."""
    for number, case in enumerate(_cases(f"answers/{part}.toml"), start=1):
        for answer in case["answers"]:
            yield Labelled(f"{part} {number}", *_asked(case, number), **answer)


def wrong() -> Iterator[Labelled]:
    """Wrong answers that were written against other rules."""
    for number, case in enumerate(_cases("wrong.toml"), start=1):
        for says in case["wrong"]:
            yield Labelled(f"wrong {number}", *_asked(case, number), says, False, "")


def leanings(part: Part) -> Iterator[Leaning]:
    """Every case of adoption of one part."""
    for number, case in enumerate(_cases(f"adoption/{part}.toml"), start=1):
        yield Leaning(*_asked(case, number), case["lie"], case["says"], case["is"], case["why"])


def mistaken(answers: Iterable[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """The wrong answers that are accepted, and the right ones that are rejected."""
    verdicts = [(answer, verify(answer.spec, answer.says, answer.question).correct) for answer in answers]
    accepted = [answer for answer, correct in verdicts if not answer.right and correct is not False]
    rejected = [answer for answer, correct in verdicts if answer.right and correct is not True]
    return accepted, rejected


def misjudged(spec: AnswerSpec, right: bool, answers: Iterable[str], question: str = "") -> list[str]:
    """The answers of a table whose verdict is not the wanted one."""
    return [answer for answer in answers if verify(spec, answer, question).correct is not right]


def most_likely_rate(wrong: int, of: int, confidence: float = 0.95) -> float:
    """The upper end of the exact (Clopper-Pearson) one-sided interval of an error rate."""
    from scipy.stats import beta

    return 1.0 if wrong == of else float(beta.ppf(confidence, wrong + 1, of - wrong))


def _asked(case: dict[str, Any], number: int) -> tuple[str, AnswerSpec]:
    asked = _read("tasks.toml")[case["task"]] if "task" in case else case
    return asked["question"], build(AnswerSpec, asked["spec"], FOLDER, f"case {number}")


def _cases(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = _read(name)["case"]
    return cases


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text("utf-8"))
