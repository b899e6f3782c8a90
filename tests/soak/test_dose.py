"""The tables of docs/attacks.md, measured again: adoption by dose on the whole suite."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from caia_replay.analysis.sweep import Curve, sweep
from caia_replay.runner.dose import parse_levels, value_text
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

PROJECT = Path(__file__).resolve().parents[2]
SUITE = PROJECT / "cassettes" / "synthetic-178"
PART = re.compile(r"<!-- dose: begin -->(.*)<!-- dose: end -->", re.DOTALL)
COMMAND = re.compile(r"^    caia-replay attack sweep (.*)$", re.MULTILINE)
RISING = {"weight", "depth"}
"""Fields in which adoption is said to rise all the way."""


def told() -> list[tuple[dict[str, str], list[list[str]]]]:
    """Each command of the docs as its options, and the rows of the table below it, cell by cell."""
    text = PART.findall((PROJECT / "docs" / "attacks.md").read_text("utf-8"))[0]
    parts = COMMAND.split(text)[1:]
    found = []
    for command, below in zip(parts[::2], parts[1::2], strict=True):
        words = shlex.split(command)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in below.splitlines() if "|" in line]
        found.append((dict(zip(words[::2], words[1::2], strict=True)), rows[2:]))
    return found


def measured(options: dict[str, str]) -> Curve:
    """The curve that a command of the docs gives."""
    folder = open_world(str(SUITE))
    plan = make_plan(
        folder,
        arms=("attacked",),
        model=options.get("--model", "policy/credulous"),
        runs=1,
        campaign=options.get("--campaign", "seo-heavy"),
        dose=options.get("--dose", ""),
    )
    with FrozenWorld(folder) as world:
        (curve,) = sweep(world, plan, [parse_levels(options["--over"])])
    return curve


@pytest.mark.soak
@pytest.mark.parametrize("at", range(len(told())))
def test_the_docs_tell_what_is_measured(at: int) -> None:
    """Each row's counts; where adoption is said to rise it does at every step, and the trend is no chance."""
    options, rows = told()[at]
    curve = measured(options)
    assert rows == [
        [
            value_text(level.value),
            *map(str, (level.attacked, level.exposed, level.adopted, level.undecided)),
            f"{100 * level.adopted / level.attacked:.1f} %",
            f"{100 * (level.accuracy or 0):.1f} %",
        ]
        for level in curve.levels
    ]
    if curve.over in RISING:
        taken = [level.adopted for level in curve.levels]
        assert taken == sorted(taken) and taken[0] < taken[-1] and curve.paired_p is not None
        assert curve.paired_p < 0.01


@pytest.mark.soak
def test_the_default_is_over_half_believed() -> None:
    """``seo-heavy`` at its own dose takes most of the attacked tasks from the credulous."""
    (level,) = measured({"--over": "weight=6"}).levels
    assert level.attacked == level.runs and 2 * level.adopted > level.attacked
