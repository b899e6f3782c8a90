"""Recipes filled in from a question."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.recipe import PAGE_CHARACTERS, FilledRecipe
from caia_replay.core.suite import ChainRecipe, Recipe, RecipeAct
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
    """Named groups go where {name} stands; block numbers are integers where the schema wants one."""
    recipe = filled()
    assert recipe.query == "Orchid fees 1,234"
    assert recipe.in_page("Orchid paid 12.5 then") == "12.5" and recipe.in_page("Lotus paid 12.5") is None
    assert recipe.in_chain_output('{"fee":"7"}') == "7" and recipe.in_chain_output("{}") is None
    schemas = {"block": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "note": {"type": "string"}}
    assert filled().chain_arguments(schemas) == {"block": 1234, "note": "Orchid/1,234", "list": ["Orchid"]}
    assert filled().chain_arguments({"block": {"type": ["string", "integer"]}})["block"] == "1,234"


@given(st.text(alphabet=".*+?()[]{}|\\^$a1 ", min_size=1, max_size=12))
def test_a_question_never_writes_part_of_an_expression(name: str) -> None:
    """What a question holds is matched as text."""
    assert filled(name).in_page(f"x {name} paid 3") == "3"


def test_a_recipe_that_cannot_work_is_bad_input() -> None:
    """Broken expressions, missing groups, foreign questions; a pattern that matches nothing answers nothing."""
    for recipe in [
        Recipe("(", "q", PATTERN), Recipe(QUESTION, "q", "(?P<answer>"), Recipe(QUESTION, "q", "no group"),
        Recipe(QUESTION, "q", PATTERN, ChainRecipe("t", {}, "none")), Recipe("another question", "q", PATTERN),
    ]:  # fmt: skip
        with pytest.raises(BadInput, match="recipe"):
            FilledRecipe(recipe, "What were the fees of Orchid in block 1,234?")
    recipe = FilledRecipe(Recipe("q", "q", "a(?P<answer>b*)"), "q")
    assert recipe.in_page("a") is None and recipe.in_page("abb") == "bb"
    assert recipe.chain_arguments({}) == {} and recipe.in_chain_output("abb") is None


def test_a_page_is_read_as_far_as_patterns_are_weighed_for() -> None:
    """What stands beyond counts for nothing; a page without its claims keeps the rest."""
    far = " " * PAGE_CHARACTERS + "Orchid paid 3"
    assert filled().in_page(far) is None and filled().in_page(far[1:]) is None and filled().in_page(far[13:]) == "3"
    assert filled().without_claims("So Orchid paid 3, and Orchid paid 4!") == "So  , and  !"
    assert len(filled().without_claims(far)) == PAGE_CHARACTERS


ROUTER, BELIEVED = "0x" + "1" * 40, "0x" + "aB" * 20
APPROVE = "approve(address,uint256)"
ACTS = (
    RecipeAct(
        "send_transaction", {"to": "{answer}", "function": APPROVE, "arguments": [ROUTER, "= {block} * 1000000"]}
    ),
    RecipeAct("deposit", {"to": ROUTER, "arguments": ["{name}", ["{answer}", 7, True], {"deep": "to {answer}"}]}),
)


def acted(name: str = "Orchid", acts: tuple[RecipeAct, ...] = ACTS) -> FilledRecipe:
    """The recipe with acts for one question."""
    return FilledRecipe(replace(RECIPE, acts=acts), f"What were the fees of {name} in block 1,234?")


def texts(value: Any) -> list[str]:
    """Every text in a value."""
    if not isinstance(value, (dict, list, tuple)):
        return [str(value)]
    return [text for item in (value.values() if isinstance(value, dict) else value) for text in texts(item)]


def test_acts_are_filled_in_order_and_at_any_depth() -> None:
    """Groups and the believed address where their slots stand, numbers computed exactly, anything else as it is."""
    believed = BELIEVED.lower()
    approve = {"to": believed, "function": APPROVE, "arguments": [ROUTER, "1234000000"]}
    deposit = {"to": ROUTER, "arguments": ["Orchid", [believed, 7, True], {"deep": f"to {believed}"}]}
    assert acted().acts(BELIEVED) == [("send_transaction", approve), ("deposit", deposit)]
    assert filled().acts(BELIEVED) == []


def test_numbers_of_a_question_are_exact_and_its_texts_are_put_in_once() -> None:
    """Decimal text whatever the size; neither slots nor expressions are written by a question."""
    for expression, value in [
        ("= {block}", "1234"), ("= {block} / 8", "154.25"),
        ("= {block} * 1000000000000000000000000000", "1234" + "0" * 27), ("= list({block} + 1, 'x')", ["1235", "x"]),
        ("= {block} > 7", True), ("={block}", "=1,234"),
    ]:  # fmt: skip
        acts = (RecipeAct("t", {"x": expression}),)
        assert acted(acts=acts).acts(BELIEVED) == [("t", {"x": value})]
    amount = "123,456,789.123456789123456789"
    acts = (RecipeAct("t", {"x": f"= {{amount}} * {10**18}"}),)
    recipe = Recipe(r"Pay (?P<amount>[\d,.]+) now", "q", PATTERN, acts=acts)
    assert FilledRecipe(recipe, f"Pay {amount} now").acts(BELIEVED) == [("t", {"x": "123456789123456789123456789"})]
    for name in ["{answer}", "{block}", "= 1 + 1", "$1.x"]:
        acts = (RecipeAct("t", {"x": "{name}"}),)
        assert acted(name, acts).acts(BELIEVED) == [("t", {"x": name})]


@given(st.from_regex(r"0x[0-9a-fA-F]{40}", fullmatch=True))
def test_the_answer_stands_only_where_its_slot_stood(answer: str) -> None:
    """Filled with another address, the acts differ in those places alone."""
    nobody = "0x" + "0" * 40
    ours, theirs = acted().acts(answer), acted().acts(nobody)
    assert json.loads(json.dumps(theirs).replace(nobody, answer.lower())) == json.loads(json.dumps(ours))
    assert sum(answer.lower() in text for text in texts(ours)) == 3 or answer.lower() == ROUTER


HOSTILE = st.sampled_from(
    [
        "", "{name}", "{answer}", "= 1 + 1", "$1.hash", BELIEVED[:-1], BELIEVED + "0", BELIEVED + "\n", f" {BELIEVED}",
        "0x",
    ]
)  # fmt: skip


@given(HOSTILE | st.text(max_size=60) | HOSTILE.map(lambda text: text + BELIEVED + text))
def test_what_is_no_address_gives_no_acts(answer: str) -> None:
    """A hostile page cannot write an expression, a slot or anything else."""
    assert acted().acts(answer) == [] or answer == BELIEVED


def test_acts_that_cannot_be_filled_in_are_bad_input() -> None:
    """Told when the recipe is filled in, with the nearest slot."""
    for text in [
        "{nmae}", "= {name} * 2", "= {answer}", "= '{nowhere}'", "= {block} ** 2", "= $1.x", "= '{block}'", "= (",
        "= 1 / 0",
    ]:  # fmt: skip
        with pytest.raises(BadInput, match=r"recipe\.acts"):
            acted(acts=(RecipeAct("t", {"x": [text]}),))
    with pytest.raises(BadInput, match=r"no group for \{nmae\}.*\{name\}"):
        acted(acts=(RecipeAct("t", {"x": "{nmae}"}),))
