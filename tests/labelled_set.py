"""Answers as models write them, labelled by hand before any verifier was run; tests/labelled/README.md says how."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.plain import build

FOLDER = Path(__file__).with_name("labelled")
Part = Literal["open", "mended", "blind"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What the verifiers were written against, a part they were mended by after one blind check, and what was kept from
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


def labelled(part: Part) -> Iterator[Labelled]:
    """Every answer of one part, by file and place in it."""
    for path in sorted((FOLDER / part).glob("*.toml")):
        for number, case in enumerate(_cases(path), start=1):
            spec = build(AnswerSpec, case["spec"], path, f"case {number}")
            for answer in case["answers"]:
                yield Labelled(f"{path.stem} {number}", case["question"], spec, **answer)


def mistaken(answers: list[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """The wrong answers that are accepted, and the right ones that are rejected."""
    verdicts = [(answer, verify(answer.spec, answer.says).correct) for answer in answers]
    accepted = [answer for answer, correct in verdicts if not answer.right and correct is not False]
    rejected = [answer for answer, correct in verdicts if answer.right and correct is not True]
    return accepted, rejected


def misjudged(spec: AnswerSpec, right: bool, answers: Iterable[str]) -> list[str]:
    """The answers of a table whose verdict is not the wanted one."""
    return [answer for answer in answers if verify(spec, answer).correct is not right]


def most_likely_rate(wrong: int, of: int, confidence: float = 0.95) -> float:
    """The upper end of the exact (Clopper-Pearson) one-sided interval of an error rate."""
    from scipy.stats import beta

    return 1.0 if wrong == of else float(beta.ppf(confidence, wrong + 1, of - wrong))


def _cases(path: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["case"]
    return cases
