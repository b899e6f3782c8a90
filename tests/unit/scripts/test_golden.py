"""scripts/golden.py: what it asks, and how it tells a difference."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.tools.catalog import CATALOG, WALLET


@pytest.fixture(scope="module")
def golden(loaded: Callable[[str], ModuleType]) -> ModuleType:
    """The script as a module."""
    return loaded("golden")


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        ({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 2]}, None),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, 'part > a > b: golden "x", now "y"'),
        ({"a": [1, 2, 3]}, {"a": [1, 5, 6]}, "part > a > 1: golden 2, now 5"),
        ({"a": [1, 2]}, {"a": [1]}, "part > a > 1: is gone"),
        ({"a": 1}, {"a": 1, "z": 2}, "part > z: is not in the golden set"),
        ({"a": 1, "b": 2}, {"b": 3}, "part > a: is gone"),
        ({"a": {"b": 1}}, {"a": None}, 'part > a: golden {"b": 1}, now null'),
        ({"a": True}, {"a": 1}, "part > a: golden true, now 1"),
    ],
)
def test_the_first_difference_is_told_with_both_sides(
    golden: ModuleType, then: Any, now: Any, said: str | None
) -> None:
    """A changed, missing or added value is named by its way from the part down; equal trees have none."""
    assert golden.first_difference(then, now, "part") == said


def test_the_calls_ask_every_tool(golden: ModuleType) -> None:
    """Four hundred calls over all tools and suites, and in the golden set every class of reply to them."""
    calls = [json.loads(line) for line in Path(golden.CALLS).read_text("utf-8").splitlines()]
    assert len(calls) == 400 and {call["suite"] for call in calls} == set(golden.SUITES)
    assert len({*CATALOG, *WALLET} & {call["tool"] for call in calls}) >= 26  # the set may lag behind a new tool
    kept = json.loads(Path(golden.GOLDEN).read_text("utf-8"))["tools"].values()
    replies = [text for suite in kept for task in suite.values() for text in task.get("replies", {}).values()]
    classes = {text.split()[0] for text in replies}
    assert len(replies) == 400 and classes == {"HIT", "DERIVED", "FORK", "RANKED", "COMPUTED", "MISS", "ERROR"}
