"""Recipes filled in from a question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.recipe import PAGE_CHARACTERS, FilledRecipe
from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.errors import BadInput

QUESTION = r"fees of (?P<name>.+) in block (?P<block>[\d,]+)\?"
PATTERN = r"{name} paid (?P<answer>[\d.]{1,9})"
CHAIN = ChainRecipe(
    "block_query", {"block": "{block}", "note": "{name}/{block}", "list": ["{name}"]}, r'"fee":"(?P<answer>\d+)"'
)
RECIPE = Recipe(QUESTION, "{name} fees {block}", PATTERN, CHAIN)


def filled(name: str = "Orchid") -> FilledRecipe:
    """The recipe for one question."""
    return FilledRecipe(RECIPE, f"What were the fees of {name} in block 1,234?")


def test_groups_fill_query_pattern_and_arguments() -> None:
    """Named groups go where {name} stands; regular expression braces stay."""
    recipe = filled()
    assert recipe.query == "Orchid fees 1,234"
    assert recipe.in_page("Orchid paid 12.5 then") == "12.5" and recipe.in_page("Lotus paid 12.5") is None
    assert recipe.in_chain_output('{"fee":"7"}') == "7" and recipe.in_chain_output("{}") is None


def test_a_slot_becomes_a_number_where_the_schema_wants_one() -> None:
    """Block numbers are integers for the tool, texts stay texts."""
    schemas = {"block": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "note": {"type": "string"}}
    assert filled().chain_arguments(schemas) == {"block": 1234, "note": "Orchid/1,234", "list": ["Orchid"]}
    assert filled().chain_arguments({"block": {"type": ["string", "integer"]}})["block"] == "1,234"


@settings(max_examples=100)
@given(st.text(alphabet=".*+?()[]{}|\\^$a1 ", min_size=1, max_size=12))
def test_a_question_never_writes_part_of_an_expression(name: str) -> None:
    """What a question holds is matched as text."""
    assert filled(name).in_page(f"x {name} paid 3") == "3"


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe("(", "q", PATTERN),
        Recipe(QUESTION, "q", "(?P<answer>"),
        Recipe(QUESTION, "q", "no group"),
        Recipe(QUESTION, "q", PATTERN, ChainRecipe("t", {}, "none")),
        Recipe("another question", "q", PATTERN),
    ],
)
def test_a_recipe_that_cannot_work_is_bad_input(recipe: Recipe) -> None:
    """Broken expressions, missing groups and foreign questions are told, not skipped."""
    with pytest.raises(BadInput, match="recipe"):
        FilledRecipe(recipe, "What were the fees of Orchid in block 1,234?")


def test_an_empty_group_is_no_answer() -> None:
    """A pattern that matches nothing answers nothing."""
    recipe = FilledRecipe(Recipe("q", "q", "a(?P<answer>b*)"), "q")
    assert recipe.in_page("a") is None and recipe.in_page("abb") == "bb"
    assert recipe.chain_arguments({}) == {} and recipe.in_chain_output("abb") is None


def test_a_page_is_read_as_far_as_patterns_are_weighed_for() -> None:
    """What stands beyond counts for nothing; a page without its claims keeps the rest."""
    far = " " * PAGE_CHARACTERS + "Orchid paid 3"
    assert filled().in_page(far) is None and filled().in_page(far[1:]) is None and filled().in_page(far[13:]) == "3"
    assert filled().without_claims("So Orchid paid 3, and Orchid paid 4!") == "So  , and  !"
    assert len(filled().without_claims(far)) == PAGE_CHARACTERS
