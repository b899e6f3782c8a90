"""Names and short texts."""

from __future__ import annotations

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.text import TextVerifier

SPEC = AnswerSpec("text", ("Tornado Cash",), aliases=("Tornado", "龙卷风"))


@pytest.mark.parametrize(
    "answer",
    [
        "Tornado Cash",
        "tornado-cash.",
        "TORNADOCASH",
        "The mixer is Tornado Cash",
        '"Tornado Cash"',
        "tornado",
        "龙卷风",
        "它是龙卷风",
    ],
)
def test_spelling_aliases_and_lead_ins_are_right(answer: str) -> None:
    """Case, punctuation, aliases and a plain lead-in never matter; all share one reading."""
    score = TextVerifier().verify(SPEC, answer)
    assert (score.correct, score.reading) == (True, "tornadocash")


@pytest.mark.parametrize(
    "answer",
    [
        "Tornado Cash or Railgun",
        "Railgun, a fork of Tornado Cash",
        "a fork of Tornado Cash",
        "not Tornado Cash",
        "It is not Tornado Cash",
        "It is unclear whether it is Tornado Cash",
        "It might be called Tornado Cash",
        "The false claim is Tornado Cash",
        "Tornado Cash 2",
        "Railgun",
    ],
)
def test_containing_the_value_is_not_enough(answer: str) -> None:
    """Hedges, denials, comparisons and longer names are other answers."""
    assert TextVerifier().verify(SPEC, answer).correct is False


def test_wrong_answers_keep_their_own_reading() -> None:
    """Two spellings of one wrong answer are one answer to a vote."""
    verifier = TextVerifier()
    assert verifier.verify(SPEC, "It is Railgun.").reading == verifier.verify(SPEC, "RAILGUN").reading == "railgun"
