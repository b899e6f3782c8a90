"""Yes and no."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.boolean import BooleanVerifier


def right(value: str, answer: str) -> bool | None:
    """The verdict alone."""
    return BooleanVerifier().verify(AnswerSpec("boolean", (value,)), answer).correct


def read(answer: str) -> str | None:
    """How an answer is read where a plain yes or no is asked for."""
    score = BooleanVerifier().verify(AnswerSpec("boolean", ("yes",)), answer)
    assert score.correct is (score.reading == "yes")
    assert right("no", answer) is (score.reading == "no")
    return score.reading


@pytest.mark.parametrize(
    "answer",
    [
        "Yes",
        "yes, it did not fail",
        "TRUE",
        "**Yes.**",
        "是",
        "是的",
        "The claim is true.",
        "That is correct",
        "支持",
        "It does.",
        "Sí",
        "Yes, no doubt about it.",
        '{"answer": true}',
    ],
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
        "不支持",
        "It did not.",
        "No, it's not true",
        "not true",
    ],
)
def test_no_in_its_words(answer: str) -> None:
    """No, its equals, and a denied yes."""
    assert read(answer) == "no"


@pytest.mark.parametrize(
    "answer",
    [
        "yes and no",
        "Yes or no",
        "No/Yes",
        "maybe",
        "true for some, false for others",
        "?",
        "Yes. Actually, no.",
        "Yes\nNo",
        "Yes for v1, no for v2",
        "yes, but the answer is no",
        "It might be true",
        "No transactions reverted",
        "不，答案是肯定的",
        "either yes or no",
    ],
)
def test_undecided_is_no_reading(answer: str) -> None:
    """Both at once is neither."""
    assert read(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "False premise",
            "The premise is false.",
            "This never happened.",
            "No such transaction exists.",
            "前提不成立",
        ),
        *("There was no such event.", "The premise does not hold: the token was never launched.", "该交易不存在"),
        *(
            "No, this event did not happen.",
            "It assumes an upgrade that didn't happen.",
            "The question is based on a false premise.",
        ),
        "I could not find such a transaction because it does not exist.",
    ],
)
def test_a_false_premise_is_told_in_its_words(answer: str) -> None:
    """Saying that it never was is the answer, and it is no yes."""
    assert right("false premise", answer) is True and right("yes", answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Yes",
            "No",
            "no, it used other keys",
            "The premise is true",
            "The premise is not false",
            "The premise may be false",
        ),
        *(
            "It is not clear whether the premise is false",
            "I cannot tell whether this never happened",
            "There is no data available.",
        ),
        *(
            "Yes, this never happened before",
            "Yes, what never happened in May happened in June",
            "There is no doubt that it happened",
            "No, the claim is false",
            "前提成立",
        ),
        "If the premise is false, then no",
    ],
)
def test_a_plain_or_doubting_answer_accepts_the_premise(answer: str) -> None:
    """A yes, a no and a perhaps do not say that the premise is false."""
    assert right("false premise", answer) is False


def test_a_premise_denied_is_neither_yes_nor_no() -> None:
    """ "No" told of the premise does not answer a question whose premise holds."""
    assert right("no", "The premise is false: no such token exists.") is False
    assert right("no", "No, the premise is false.") is True


@settings(max_examples=60)
@given(
    st.sampled_from(["yes", "no", "false premise"]),
    st.sampled_from([str.upper, str.lower, str.title]),
    st.sampled_from(["{}.", "**{}**", " {}\n"]),
)
def test_case_and_markdown_never_matter(value: str, case: Callable[[str], str], form: str) -> None:
    """Each value said plainly is right for itself and wrong for the others."""
    for wanted in ("yes", "no", "false premise"):
        assert right(wanted, form.format(case(value))) is (value == wanted)
