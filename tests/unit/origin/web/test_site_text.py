"""Layouts of passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.origin.dice import Dice
from caia_replay.origin.web.site_text import Voice, slug

PHRASES = {"say": ("One.", "Two.", "Three.", "Four {x}."), "head": ("Heading",), "gap": ("Only {unknown}.",)}


@given(st.integers(1, 40))
def test_no_alternative_is_told_far_more_often(pages: int) -> None:
    """After any number of pages two alternatives that could be told differ by one at most."""
    voice = Voice(PHRASES)
    for page in range(pages):
        voice.say("say", {"x": "5"}, Dice(f"page {page}"))
    often = [voice.told.get(("say", at), 0) for at in range(4)]
    assert sum(often) == pages and max(often) - min(often) <= 1


@given(st.integers(0, 200))
def test_a_page_says_nothing_twice(seed: int) -> None:
    """Parts of one layout never repeat an alternative, and run out instead."""
    text = Voice(PHRASES).lay(("say*2", "say*2", "say"), {}, Dice(f"{seed}")).text
    assert sorted(text.replace("\n\n", " ").split()) == ["One.", "Three.", "Two."]


def test_a_heading_without_text_is_left_out() -> None:
    """What stands under a heading decides whether it is there."""
    voice, dice = Voice(PHRASES), Dice("x")
    assert voice.lay(("#head", "gap"), {}, dice).text == ""
    assert voice.lay(("#head", "=as it is"), {}, dice).text == "## Heading\n\nas it is"


def test_unknown_passages_and_unknown_facts_are_refused() -> None:
    """A passage that no book has, and one that cannot be told, say so."""
    voice = Voice(PHRASES)
    with pytest.raises(BadInput, match="nothing"):
        voice.say("nothing", {}, Dice("x"))
    with pytest.raises(BadInput, match="gap"):
        voice.say("gap", {}, Dice("x"))
    assert not voice.has("gap", {}) and voice.has("gap", {"unknown": "1"})


@given(st.text(max_size=30))
def test_slugs_are_lower_case_words(words: str) -> None:
    """A slug has no spaces, no capitals, and is its own slug."""
    made = slug(words)
    assert " " not in made and slug(made) == made == made.lower()
