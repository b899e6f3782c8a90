from dataclasses import replace

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.recording.lint_pattern import gold_pattern_faults, recipe_faults
from caia_replay.store.world_folder import open_world

BOMB = "(?:[a-z ]+)+#"


@pytest.fixture
def task(shipped):
    return open_world(str(shipped)).task("mini6-supply")


def _chain(result="$1.text", **arguments):
    return GoldChain((GoldStep("url_fetching", arguments),), result)


def test_each_pattern_of_a_recipe_is_weighed(task):
    """The question's, the page's and the chain's; a good recipe that reads the question has no fault."""
    good = Recipe("total supply of (?P<ticker>[A-Z]+)", "q", "stands at (?P<answer>[0-9]+)",
                  ChainRecipe("data_query", {}, "(?P<answer>[0-9]+)"))  # fmt: skip
    assert list(recipe_faults(good, task)) == []
    bad_chain = replace(good, chain=replace(good.chain, pattern=BOMB))
    for recipe, field in (
        (replace(good, question=BOMB), "question"),
        (replace(good, pattern=BOMB), "pattern"),
        (bad_chain, "chain.pattern"),
        (replace(good, pattern="["), "pattern: no pattern"),
    ):
        (found,) = recipe_faults(recipe, task)
        assert found.startswith("recipe of shape 'supply', ") and field in found
    assert list(recipe_faults(replace(good, question="no such words"), task)) == [
        "recipe of shape 'supply' does not read this question"
    ]


@pytest.mark.parametrize(
    "chain",
    [
        _chain(f"match($1.text, '{BOMB}')"),
        _chain(f'1 + count(unique(match($1.text, "{BOMB}")))'),
        _chain("$1", url=f"= match($1.text, '{BOMB}')"),
        _chain("$1", deep={"in": [1, {"a": f"= lower(match('x', '{BOMB}'))"}]}),
    ],
)
def test_patterns_of_match_are_found_wherever_they_stand(chain):
    """In the result and in arguments at any depth."""
    (found,) = gold_pattern_faults(chain)
    assert found.startswith(f"gold matches {BOMB!r}: ")


@pytest.mark.parametrize("result", ["match($1.text, $1.title)", "match($1.text, lower('A'))", "match($1.a, 7)"])
def test_a_pattern_that_is_computed_is_told(result):
    """What came out of a page is nobody's pattern."""
    (found,) = gold_pattern_faults(_chain(result))
    assert "not written in the task" in found


@pytest.mark.parametrize(
    "result", ["match($1.text, 'at most ([0-9.]+)%')", "$1.text", "match(", "'match($1, $2)'", "("]
)
def test_other_expressions_are_left_alone(result):
    """Tame patterns, none, texts that only look like a call, and what does not parse, which running it will tell."""
    assert list(gold_pattern_faults(_chain(result, url="match($1, 'x*)*')"))) == []


def test_a_pattern_may_be_too_slow_for_the_pages_there_are():
    """What is fine for a page of ordinary length is a finding where a page of megabytes is recorded."""
    chain = _chain("match($1.text, 'a.*b')")
    assert not list(gold_pattern_faults(chain))
    assert list(gold_pattern_faults(chain, 10_000_000))
