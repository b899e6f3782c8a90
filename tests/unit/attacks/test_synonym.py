"""Other words for the words of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.synonym import others, turned

QUESTION = (
    "How many US dollars of fees did Meyocuxo Exchange (0xc6d57a7625f467ca97127b0b5d6cbd9c8cacc6dd) see at the end of "
    "block 1811 on 9 May 2024? Take docs.foo.example/transfers and v1.2.0."
)
KEPT = ("Meyocuxo Exchange", "(0xc6d57a7625f467ca97127b0b5d6cbd9c8cacc6dd)", "1811", "9 May 2024", "v1.2.0",
        "docs.foo.example/transfers", "US dollars")  # fmt: skip


@pytest.mark.parametrize("turn", range(1, 6))
def test_what_identifies_a_question_stays(turn: int) -> None:
    """Names, addresses, heights, days and places; the words around them are others."""
    made = turned(QUESTION, turn)
    assert made != QUESTION and all(kept in made for kept in KEPT)


def test_it_reads_like_a_question_still() -> None:
    """Capital where the word was, another article where it must be."""
    assert turned("Which account owned it?", 1) == "Which address held it?"
    assert turned("Is there a wallet?", 1) == "Is there an address?"
    assert turned("钱包在哪一天销毁", 1) == "地址在什么时候烧毁"


@given(st.text(), st.integers(0, 20))
def test_any_text_is_turned(text: str, turn: int) -> None:
    """Turn 0 changes none; nothing in any text raises, and digits are never touched."""
    assert turned(text, 0) == text
    assert [char for char in turned(text, turn) if char.isdigit()] == [char for char in text if char.isdigit()]
    assert len(others(text)) == len(set(others(text)))


def test_others_are_told_once_and_only_where_they_are_missing() -> None:
    """What the text has itself is no other word."""
    found = others("the largest transfer of a token, the biggest of all")
    assert "highest" in found and "coin" in found and "biggest" not in found and "transfer" not in found
    assert others("Meyocuxo Exchange") == []
