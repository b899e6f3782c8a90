"""Texts as words: one spelling, whatever the markup, and as quick as the text is long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.recording.leak_word import is_half, words_of


@pytest.mark.parametrize(
    "text",
    [
        "Café costs 1,234,567 wei: what's it?",
        "**cafe\u0301** COSTS `1234567` *wei*; what\u2019s _it_",
        "<b>Caf&eacute;</b> costs 1&#44;234&#x2c;567 wei &mdash; what&#39;s&nbsp;it",
        "caf\\u00e9 costs\\n1'234'567 wei\\twhat\\'s it",
        "[Café](https://a.example/b) <a href='/c'>costs</a> [1,234,567 wei](d) what's it",
        "Ca\u00adfé costs １２３４５６７ we\u200bi what s ｉｔ",
    ],
)
def test_a_text_is_the_same_words_in_any_dress(text: str) -> None:
    """Case, accents, widths, entities, escapes, soft hyphens and separators make no other word."""
    assert words_of(text) == ["cafe", "costs", "1234567", "wei", "what", "s", "it"]


def test_only_thousands_are_joined() -> None:
    """Lists, decimals and dates stay what they are."""
    assert words_of("1,234 12,34 1,2345 0.05 2025-05-01") == [
        "1234",
        "12",
        "34",
        "1",
        "2345",
        "0",
        "05",
        "2025",
        "05",
        "01",
    ]


def test_every_character_of_scripts_without_spaces_is_a_word() -> None:
    """Chinese, Japanese and Korean; half a word each, letters among them whole."""
    words = words_of("请问ETH的价格、テスト한국")
    assert words == ["请", "问", "eth", "的", "价", "格", "テ", "ス", "ト", "한", "국"]
    assert [word for word in words if not is_half(word)] == ["eth"]


@given(st.text())
def test_any_text_has_words_without_spaces(text: str) -> None:
    """No word is empty or holds white space, and none is found anew in itself."""
    words = words_of(text)
    assert all(word and not any(char.isspace() for char in word) for word in words)
    assert words_of(" ".join(words)) == words or any(not word.isascii() for word in words)


PIECES = ("e\u0301\u0316", "a", "&", "&#", "&#99999999999999999999;", "\\u", "\\", "1,", "\uff9e", "\ufdfa", "在", "_",
          "\ud800", "<", "<a", "](", "](a", "[x](y")  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=range(len(PIECES)))
def test_hostile_texts_are_read_to_their_end(piece: str) -> None:
    """What normal forms, entities and escapes choke on, 200,000 characters of it."""
    assert isinstance(words_of(piece * (200_000 // len(piece))), list)
