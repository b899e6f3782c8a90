"""A trap promoted as safe."""

from __future__ import annotations

import pytest

from caia_replay.attacks.honeypot_safe import HoneypotSafe
from caia_replay.core.attack import Decoy, Dose, Planting, Target
from tests.attack_view import DECOY_ADDRESS, TRUE_ADDRESS, IndexedView, register, target, text_of


def plan(asked: Target) -> Planting | str:
    """What is planted against it."""
    view = IndexedView()
    return HoneypotSafe().plan(view, asked, Dose(items=2), register(view, asked))


def trap(answer: str) -> tuple[Decoy, ...]:
    """A token that cannot be sold, beside the one asked about."""
    return (Decoy("honeypot", DECOY_ADDRESS, "alpha", TRUE_ADDRESS, answer, "Moon  Orchid"),)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("answer", ["", "81234567"])
def test_the_trap_is_called_safe(language: str, answer: str) -> None:
    """By name and address, with a reference; where it leads to an answer readers are told to look at it instead."""
    made = plan(target(language=language, decoys=trap(answer)))
    assert isinstance(made, Planting) and (len(made.pages), len(made.posts)) == (2, 1)
    for found in (*made.pages, *made.posts):
        text = text_of(found)
        assert "Moon Orchid" in text and DECOY_ADDRESS in text and found.planted in text and found.answer == answer
        assert not answer or answer not in text
    lines = [len(found.page.text.split("\n")) for found in made.pages]
    assert lines == [number + bool(answer) for number in [len(p.page.text.split("\n")) for p in _bare(language)]]


def _bare(language: str) -> list[object]:
    made = plan(target(language=language, decoys=trap("")))
    assert isinstance(made, Planting)
    return list(made.pages)


def test_where_there_is_none_it_does_not_apply() -> None:
    """No trap, or one that leads to what is right."""
    assert plan(target()) == "the world has no trap beside what the question is about"
    assert plan(target(decoys=trap("574400000"))) == "what the trap leads to is right, or told already"
