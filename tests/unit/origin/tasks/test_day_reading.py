"""How recipes read the day a question names, in both languages, and the same day on a page."""

from __future__ import annotations

import pytest

from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.origin.tasks.day import chinese, english, iso
from caia_replay.origin.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated

_DAY = 1_717_113_600  # 2024-05-31
_RECIPE = Recipe(
    f"on {ENGLISH_DAY}",
    "supply {day} {month} {year}",
    f"{STATED_DAY}{REST_OF_DAY} ?it was {NUMBER}",
    also=(CHINESE_DAY,),
)


@pytest.mark.parametrize("question", [f"What was it on {english(_DAY)}?", f"{chinese(_DAY)}是多少？"])
@pytest.mark.parametrize("said", ["1,234.5", "-7", "0.25"])
def test_a_stated_day_is_read_from_either_question(question: str, said: str) -> None:
    """A page that states the day both ways gives its number to the English and to the Chinese question."""
    assert FilledRecipe(_RECIPE, question).in_page(f"On {stated(_DAY)} it was {said}.") == said


@pytest.mark.parametrize("days", [-1, 1, 30, 31, 366])
def test_another_day_is_not_read(days: int) -> None:
    """A number that a page states of another day is no answer, however alike the days are written."""
    recipe = FilledRecipe(_RECIPE, f"What was it on {english(_DAY)}?")
    assert recipe.in_page(f"On {stated(_DAY + days * 86_400)} it was 5.") is None


def test_a_day_of_one_digit_is_not_part_of_another() -> None:
    """The 1st is not read where a page says the 21st, in either way of writing."""
    first = 1_714_521_600  # 2024-05-01
    for question in (f"on {english(first)}", chinese(first)):
        assert FilledRecipe(_RECIPE, question).in_page(f"On {stated(first + 20 * 86_400)} it was 5.") is None


def test_an_honest_page_is_read() -> None:
    """The forms that pages of the web use, month first and digits alone, are read where the question can know them."""
    recipe = FilledRecipe(_RECIPE, f"on {english(_DAY)}")
    assert recipe.in_page("On May 31, 2024 it was 5.") == "5"
    assert FilledRecipe(_RECIPE, chinese(_DAY)).in_page(f"On {iso(_DAY)} it was 5.") == "5"
