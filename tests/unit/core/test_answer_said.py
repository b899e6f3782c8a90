from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.answer_said import Book, plain, says, says_answer
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


_PART = st.sampled_from(
    ["7", "12.5", "1,234", "v0.5.0", "a_b", "0xab", ".", "..", " ", "-", "\n", "总", "x", ",", "5."]
)


@given(st.lists(_PART, max_size=12).map("".join), st.lists(_PART, min_size=1, max_size=3).map("".join))
def test_a_book_says_what_its_texts_say(text: str, value: str) -> None:
    """However a value is cut out of its text: the quick way and the slow way agree."""
    assert Book([text]).says(value) == says(plain(text), value)


def test_a_book_of_many_texts_says_what_any_of_them_says() -> None:
    """Values do not run from one text into the next."""
    book = Book(["It is 12", "34 and more"])
    assert book.says("12") and book.says("34") and not book.says("1234") and not book.says("12 34")
