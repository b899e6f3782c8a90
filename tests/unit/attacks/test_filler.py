"""Sentences that say nothing."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.filler import ORDER, SENTENCES, VOICES, filler


@pytest.mark.parametrize("language", SENTENCES)
def test_no_two_voices_share_more_than_a_sentence(language: str) -> None:
    """As no two lines of a plane share more than a point."""
    voices = [frozenset(filler(language, voice)) for voice in range(VOICES)]
    assert {len(voice) for voice in voices} == {ORDER}
    assert max(len(one & other) for one, other in combinations(voices, 2)) == 1


@given(st.integers(0, 10**9))
def test_every_number_is_a_voice(voice: int) -> None:
    """They repeat after the last."""
    assert filler("en", voice) == filler("en", voice % VOICES)


@pytest.mark.parametrize("language", SENTENCES)
def test_no_sentence_holds_what_could_be_an_answer(language: str) -> None:
    """No digit, no yes or no by itself, no slot but one; and none is another's copy."""
    sentences = SENTENCES[language]
    assert len(set(sentences)) == ORDER * ORDER
    for sentence in sentences:
        assert not re.search(r"\d|\b(yes|no|true|false)\b(?=[.,:])", sentence) and "\n" not in sentence
        assert not re.search(r"[{}]", sentence.replace("{query}", ""))
