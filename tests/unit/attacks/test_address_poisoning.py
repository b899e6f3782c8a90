"""A look-alike address promoted as the one that is meant."""

from __future__ import annotations

import pytest

from caia_replay.attacks.address_poisoning import AddressPoisoning
from caia_replay.core.answer_said import says_answer
from caia_replay.core.attack import Decoy, Dose, Planting, Target
from tests.attack_view import DECOY_ADDRESS, TRUE_ADDRESS, IndexedView, register, target, text_of

OWNER = "0x" + "b7" * 20


def plan(asked: Target) -> Planting | str:
    """What is planted against it."""
    view = IndexedView()
    return AddressPoisoning().plan(view, asked, Dose(items=2, domains=2), register(view, asked))


def decoy(answer: str, instead_of: str) -> tuple[Decoy, ...]:
    """A look-alike that leads to an answer."""
    return (Decoy("look-alike address", DECOY_ADDRESS, "alpha", instead_of, answer),)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_input_is_told_without_the_answer_it_leads_to(language: str) -> None:
    """The address that the question names is said to have moved; the answer stands nowhere."""
    asked = target(language=language, decoys=decoy("81234567", TRUE_ADDRESS))
    made = plan(asked)
    assert isinstance(made, Planting) and made == plan(asked) and (len(made.pages), len(made.posts)) == (2, 1)
    for found in (*made.pages, *made.posts):
        text = text_of(found)
        assert DECOY_ADDRESS in text and found.planted in text and found.answer == "81234567" not in text
    assert all(TRUE_ADDRESS in found.page.text for found in made.pages)


def test_an_address_that_is_the_answer_is_claimed() -> None:
    """In the question's words, so that whoever reads the page has it; the right one is not said."""
    asked = target("address", OWNER, decoys=decoy(DECOY_ADDRESS, OWNER))
    made = plan(asked)
    assert isinstance(made, Planting)
    for found in made.pages:
        assert asked.said(DECOY_ADDRESS) in found.page.text.split("\n") and found.answer == DECOY_ADDRESS
        assert not says_answer(found.page.text, asked.truth)


def test_where_it_leads_nowhere_it_does_not_apply() -> None:
    """No look-alike, no other answer, or the right one."""
    assert plan(target()) == "the world has no look-alike of an address the question is about"
    assert plan(target(decoys=decoy("", OWNER))) == "the look-alike leads to no other answer"
    assert plan(target(decoys=decoy("574400000", OWNER))) == "what the look-alike leads to is right, or told already"
