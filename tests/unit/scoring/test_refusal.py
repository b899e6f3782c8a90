"""Refusals told from answers that doubt, search or talk of something else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import is_refusal
from caia_replay.scoring.refusal import fruitless, withholds
from caia_replay.scoring.verifiers import verify

REFUSING = (
    *("I refuse", "I refuse to answer", "I decline to say", "I cannot determine this", "I can't tell", "Cannot answer"),
    *("I don't know", "I do not know the answer", "I won't answer that", "I am unable to answer", "I could not say"),
    *(
        "I'd rather not say",
        "No idea",
        "I have no idea",
        "No answer",
        "The answer is unknown",
        "It cannot be determined",
    ),
    *(
        "无法确定",
        "我不知道",
        "不知道答案",
        "拒绝回答",
        "无法回答这个问题",
        "Ich weiß es nicht",
        "No lo sé",
        "Je ne sais pas",
    ),
)
BESIDE = (
    "{}. 42",
    "{}; 42",
    "{}: 42",
    "{} (42)",
    "{}, 42",
    "42. {}.",
    "42; {}",
    "42 ({})",
    "42 - {}",
    "{}, but 42",
    "**{}**\n42",
)


@pytest.mark.parametrize("words", REFUSING)
def test_what_refuses_refuses_whatever_it_names(words: str) -> None:
    """A value beside refusing words does not make an answer of them, on either side and in any punctuation."""
    assert is_refusal(words)
    for form in BESIDE:
        answer = form.format(words)
        assert verify(AnswerSpec("number", ("42",)), answer).reason == "refused to answer", answer


@pytest.mark.parametrize(
    "answer", ["N/A (42)", "Unknown. 42", "unknown (42)", "42 (unknown)", "42 or N/A", "未知；42", "Not known: 42"]
)
def test_no_value_beside_a_value(answer: str) -> None:
    """A mark for a missing value refuses where it opens an answer, and where it ends one in a place of its own."""
    assert verify(AnswerSpec("number", ("42",)), answer).correct is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "42. I could not verify it on Etherscan",
            "I could not verify it on Etherscan, but it is 42",
            "42 (date: N/A)",
        ),
        *("42; I was unable to confirm it with a second source", "42. I don't know why.", "42 for the N/A category"),
        *("I don't know of any other source; 42", "The unknown sender made 42 transfers", "42. I can't say more."),
        *(
            "I cannot say more than that the answer is 42",
            "42, though I cannot determine who sent them",
            "42, sender unknown",
        ),
        *(
            "I cannot determine it from the explorer, but the node says 42",
            "无法确定发送者，但共有42笔",
            "我不知道原因，但答案是42",
        ),
        *("42 - I could not determine the sender", "The sender is unknown. 42 transfers", "I can say it is 42"),
    ],
)
def test_words_about_something_else_refuse_nothing(answer: str) -> None:
    """With another object, or where a search that failed is passed over, they leave the answer standing."""
    assert not is_refusal(answer)
    assert verify(AnswerSpec("number", ("42",)), answer).correct is True


@pytest.mark.parametrize(
    "name", ["Unknown(uint256)", "noAnswer()", "I cannot answer: the premise is false", "No answer: no such token"]
)
def test_names_of_code_and_false_premises_are_answers(name: str) -> None:
    """A fragment of code that reads like a refusal is none, nor is calling the premise false."""
    assert not is_refusal(name)


def test_a_search_in_vain_may_go_on() -> None:
    """Whether it looked in vain, and whether it goes on, are told apart."""
    assert fruitless("I could not find it") == (True, False)
    assert fruitless("I could not find it, but it is 42") == (True, True)
    assert fruitless("It is 42") == (False, False)
    assert withholds("n/a", "na") and not withholds("42", "42")


@settings(max_examples=150)
@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    """No text breaks the reader."""
    assert isinstance(withholds(text, text.casefold()), bool) and len(fruitless(text)) == 2
