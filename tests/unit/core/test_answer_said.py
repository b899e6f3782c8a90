from __future__ import annotations

import pytest

from caia_replay.core.answer_said import says_answer
from caia_replay.core.task import AnswerSpec


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it 1,234 or less?", AnswerSpec("number", ("1234",))),
        ("1234.", AnswerSpec("number", ("1234",))),
        ("总量是1234吗?", AnswerSpec("number", ("1234",))),
        ("Which is larger, usdc or DAI?", AnswerSpec("text", ("USDC",))),
        ("Is Lake, Ltd the issuer?", AnswerSpec("text", ("Lake, Ltd",))),
        ("Who besides 0xAB holds it?", AnswerSpec("text_set", ("0xcd", "0xab"))),
    ],
)
def test_an_answer_that_is_said_is_seen(question: str, answer: AnswerSpec) -> None:
    """In either language, with commas in numbers or in names, whatever the letter case; one of several is enough."""
    assert says_answer(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are there 12345 or 1234.5 or v1234?", AnswerSpec("number", ("1234",))),
        ("Answer yes or no.", AnswerSpec("boolean", ("yes",))),
        ("How many?", AnswerSpec("text", ("", " , "))),
        ("How many (a|b)*?", AnswerSpec("text", ("(x|y)*",))),
    ],
)
def test_what_only_looks_like_it_is_not(question: str, answer: AnswerSpec) -> None:
    """Parts of other numbers, the words of a yes-or-no question, an empty value, and marks that patterns use."""
    assert not says_answer(question, answer)
