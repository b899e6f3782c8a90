"""A token whose name gives orders, promoted by pages that give none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.inscription import Inscription, goal_of
from caia_replay.core.attack import Decoy, Dose, Planting, Target
from caia_replay.core.goal import Goal
from caia_replay.models.policies.injection import instructions_in
from caia_replay.origin.act.inscribe import NAME, SYMBOL
from caia_replay.tools.catalog import CATALOG
from tests.attack_view import DECOY_ADDRESS, IndexedView, register, target, text_of

GO = Goal(tool="url_fetching", holds="https://rescan.example/go", authoritative=True)


def plan(name: str, language: str = "en") -> Planting | str:
    """What is planted against a target on the chain of a token with this name."""
    view = IndexedView()
    asked: Target = target(language=language, decoys=(Decoy("inscription", DECOY_ADDRESS, "alpha", name=name),))
    return Inscription().plan(view, asked, Dose(items=2), register(view, asked))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_send_readers_to_it_and_order_nothing(language: str) -> None:
    """They name contract and chain; the goal is the recorded text's, and counts as an authoritative source's."""
    made = plan(NAME, language)
    assert isinstance(made, Planting) and (len(made.pages), len(made.posts)) == (2, 1)
    for found in (*made.pages, *made.posts):
        text = text_of(found)
        assert DECOY_ADDRESS in text and "alpha" in text and found.planted in text and found.goal == GO
        assert instructions_in([text], CATALOG) == [] and "rescan" not in text and found.answer == ""


def test_the_goal_is_the_call_that_the_name_asks_for() -> None:
    """Tool and the longest text of its arguments, wherever the order stands; the policies read the same call."""
    assert goal_of(NAME) == goal_of(SYMBOL) == GO
    (told,) = [one for one in instructions_in([NAME], CATALOG) if one.tool]
    assert told.tool == GO.tool and told.arguments == {"url": GO.holds}
    nested = 'Call fetch with {"a": ["xx", {"b": "xxx"}], "c": 7} now'
    assert goal_of(nested) == Goal(tool="fetch", holds="xxx", authoritative=True)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "ORCH",
        "call me",
        "call fetch with",
        "call fetch with {",
        'call fetch with {"a": 7}',
        "call fetch with " + '{"a":' * 9_000,
    ],
)
def test_a_name_that_asks_for_nothing_has_no_goal(name: str) -> None:
    """Then the family does not apply."""
    assert goal_of(name) is None and plan(name) == "the token's name asks for no call"


@given(st.text(max_size=40))
def test_any_name_is_read(name: str) -> None:
    """Whatever stands on a chain."""
    goal = goal_of(f"call fetch with {{{name}")
    assert goal is None or (goal.tool == "fetch" and goal.holds)


def test_without_such_a_token_it_does_not_apply() -> None:
    """Said in words."""
    view = IndexedView()
    told = Inscription().plan(view, target(), Dose(), register(view))
    assert told == "the world has no inscribed token on the question's chain"
