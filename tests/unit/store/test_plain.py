import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import ChainRecipe, Recipe, Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml, thawed, toml_text


@dataclass(frozen=True)
class Small:
    name: str
    kind: Literal["a", "b"]
    count: int = 0
    note: str | None = None
    parts: tuple[str, ...] = ()


TEXT = st.text(max_size=30)
ARGUMENT = st.recursive(
    TEXT | st.integers(-(2**63), 2**63 - 1) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
TASKS = st.builds(
    Task,
    id=TEXT,
    question=TEXT,
    category=st.sampled_from(["overlap", "tokenomics"]),
    language=TEXT,
    shape=TEXT,
    anchor=st.builds(Anchor, TEXT, st.integers(0, 10**9), st.integers(0, 10**10)),
    answer=st.builds(AnswerSpec, st.just("number"), st.lists(TEXT, min_size=1, max_size=3).map(tuple)),
    gold=st.builds(
        GoldChain,
        st.lists(st.builds(GoldStep, TEXT, st.dictionaries(TEXT, ARGUMENT, max_size=3)), min_size=1, max_size=3).map(
            tuple
        ),
        TEXT,
    ),
    stake_usd=TEXT,
    stake_reason=TEXT,
    tags=st.lists(TEXT, max_size=2).map(tuple),
)


@given(TASKS)
def test_tasks_survive_the_way_to_disk_and_back(task: Task) -> None:
    """A task written as TOML and read back is the same task, whatever its texts hold."""
    assert thawed(build(Task, tomllib.loads(toml_text(thawed(task))), "t")) == thawed(task)


def test_suites_with_recipes_survive_too() -> None:
    """Nested tables below a mapping keep their place."""
    recipe = Recipe("block (?P<n>\\d+)", "gas {n}", "(?P<answer>.+)", ChainRecipe("block_query", {"block": "{n}"}, "x"))
    suite = Suite("s", "1", (SuiteEntry("t", "2026-01-01"),), {"shape one": recipe, "b": recipe})
    assert thawed(build(Suite, tomllib.loads(toml_text(thawed(suite))), "s")) == thawed(suite)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ({"name": "x", "kind": "a", "cuont": 1}, "nearest: count"),
        ({"kind": "a"}, "'name' is missing"),
        ({"name": "x", "kind": "c"}, "not one of a, b"),
        ({"name": "x", "kind": "a", "count": "1"}, "not a whole number"),
        ({"name": "x", "kind": "a", "count": True}, "not a whole number"),
        ({"name": "x", "kind": "a", "parts": "abc"}, "not a list"),
        ({"name": "x", "kind": "a", "parts": [1]}, "parts[0]"),
        ([], "a table"),
    ],
)
def test_a_wrong_field_is_named_in_one_line(data: object, word: str) -> None:
    """Unknown, missing and mistyped fields are refused, naming the field and what was wanted."""
    with pytest.raises(BadInput) as caught:
        build(Small, data, "file.toml")
    assert word in str(caught.value)
    assert "file.toml" in str(caught.value)


def test_files_that_are_no_toml_are_named(tmp_path: Path) -> None:
    """A missing file, bytes that are no UTF-8 and broken TOML are one line each."""
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "broken.toml").write_text("a = ")
    for name in ("missing.toml", "bytes.toml", "broken.toml"):
        with pytest.raises(BadInput, match=name):
            read_toml(tmp_path / name)
