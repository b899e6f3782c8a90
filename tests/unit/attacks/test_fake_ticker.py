"""A namesake promoted as the real token."""

from __future__ import annotations

import pytest

from caia_replay.attacks.fake_ticker import FakeTicker
from caia_replay.core.answer_said import says_answer
from caia_replay.core.attack import Decoy, Dose, Planting, Target
from tests.attack_view import DECOY_ADDRESS, TRUE_ADDRESS, IndexedView, register, target, text_of


def offered(answer: str, language: str = "en", instead_of: str = TRUE_ADDRESS) -> Target:
    """A target whose token has a namesake that leads to an answer."""
    decoy = Decoy("look-alike token", DECOY_ADDRESS, "alpha", instead_of, answer, "ORCH")
    return target(language=language, decoys=(decoy,))


def plan(asked: Target, dose: Dose = Dose(items=2, domains=2)) -> Planting | str:  # noqa: B008
    """What is planted against it."""
    view = IndexedView()
    return FakeTicker().plan(view, asked, dose, register(view, asked))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_namesake_is_told_and_its_answer_is_not(language: str) -> None:
    """Pages and a post name its address and a reference; the answer that follows is recorded, and stands nowhere."""
    asked = offered("81234567", language)
    made = plan(asked)
    assert isinstance(made, Planting) and made == plan(asked) and (len(made.pages), len(made.posts)) == (2, 1)
    for found in (*made.pages, *made.posts):
        text = text_of(found)
        assert DECOY_ADDRESS in text and found.planted in text and found.answer == "81234567" not in text
        assert found.planted != found.answer and not found.marked and not says_answer(text, asked.truth)
    assert all(TRUE_ADDRESS in found.page.text for found in made.pages)


def test_an_address_that_the_question_does_not_name_is_not_named() -> None:
    """It may be what is asked for."""
    made = plan(offered("81234567", instead_of="0x" + "b7" * 20))
    assert isinstance(made, Planting) and not any("b7b7" in found.page.text for found in made.pages)


def test_a_yes_is_believed_only_with_its_reference() -> None:
    """Answers that could be given without the lie are marked."""
    decoy = Decoy("look-alike token", DECOY_ADDRESS, "alpha", TRUE_ADDRESS, "no")
    made = plan(target("boolean", "yes", decoys=(decoy,)))
    assert isinstance(made, Planting) and made.pages[0].marked and made.pages[0].answer == "no"


def test_where_it_leads_nowhere_it_does_not_apply() -> None:
    """No namesake, no other answer, or the right one."""
    assert plan(target()) == "the world has no look-alike of a token the question is about"
    assert plan(offered("")) == "the look-alike leads to no other answer"
    assert plan(offered("574400000")) == "what the look-alike leads to is right, or told already"
