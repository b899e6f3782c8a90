"""The stale-page family."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from caia_replay.attacks.stale_page import StalePage
from caia_replay.core.attack import Dose, Once, Planting, Target
from tests.attack_view import HOUR_S, NOW_S, target
from tests.planted_page_law import ASKED, DOSES, check, plan

FAMILY = StalePage()
THEN_S = NOW_S - 5_000_000


def once(answer: str = "381000000", published: int = THEN_S) -> Target:
    return replace(target(), offer=replace(target().offer, once=Once(answer, published)))


@settings(max_examples=25, deadline=None)
@given(ASKED, DOSES)
def test_it_keeps_the_laws_of_planted_pages(asked: Target, dose: Dose) -> None:
    """Every kind of answer, every dose; only numbers take this earlier answer everywhere."""
    assert check(FAMILY, asked, dose) or asked.truth.kind != "number"


def test_it_is_of_today_and_says_when_its_figure_was_looked_up() -> None:
    """Dated as the dose has it, after the moment that the question asks of; the day of the figure stands below it."""
    made = plan(FAMILY, once(), Dose(age_hours=2))
    assert isinstance(made, Planting)
    (found,) = made.pages
    assert found.page.published is not None and 0 <= NOW_S - found.page.published <= 3 * HOUR_S
    assert found.answer == "381000000" and found.planted != found.answer and not found.marked
    assert f"Last looked up: {datetime.fromtimestamp(THEN_S, UTC).date()}." in found.page.text


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (target(), "no earlier answer"),
        (once(published=NOW_S), "not of before"),
        (once("574400000"), "is right"),
        (once(""), "is right"),
    ],
)
def test_where_nothing_was_otherwise_it_does_not_apply(asked: Target, why: str) -> None:
    """Said in words."""
    assert why in str(plan(FAMILY, asked, Dose()))
