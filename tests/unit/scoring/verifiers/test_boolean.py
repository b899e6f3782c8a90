"""Yes and no."""

from __future__ import annotations

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.boolean import BooleanVerifier


def read(answer: str) -> str | None:
    """How an answer is read."""
    score = BooleanVerifier().verify(AnswerSpec("boolean", ("yes",)), answer)
    assert score.correct is (score.reading == "yes")
    return score.reading


@pytest.mark.parametrize(
    "answer", ["Yes", "yes, it did not fail", "TRUE", "**Yes.**", "是", "是的", "The claim is true.", "That is correct"]
)
def test_yes_in_its_words(answer: str) -> None:
    """Yes and its equals, whatever the explanation repeats."""
    assert read(answer) == "yes"


@pytest.mark.parametrize(
    "answer",
    [
        "No",
        "no, it is not true that it is correct",
        "False",
        "It is not true",
        "The statement is false",
        "否",
        "不是",
        "It isn't correct",
    ],
)
def test_no_in_its_words(answer: str) -> None:
    """No, its equals, and a denied yes."""
    assert read(answer) == "no"


@pytest.mark.parametrize(
    "answer", ["yes and no", "Yes or no", "No/Yes", "maybe", "true for some, false for others", "?"]
)
def test_undecided_is_no_reading(answer: str) -> None:
    """Both at once is neither."""
    assert read(answer) is None
