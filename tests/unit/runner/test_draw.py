"""A draw of a suite's tasks: as many as asked, a share of each category and difficulty, each task equally likely."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

import pytest

from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.runner.draw import draw_tasks
from caia_replay.store.world_folder import open_world

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """The 178 tasks of the shipped suite."""
    folder = open_world(str(ROOT / "cassettes" / "synthetic-178"))
    return [folder.task(name) for name in folder.suite.active()]


def chance(seed: int, what: str) -> Fraction:
    """A number of SHA-256, computed here by hand."""
    text = json.dumps(["draw", seed, what], separators=(",", ":"))
    return Fraction(int(hashlib.sha256(text.encode()).hexdigest(), 16), 2**256)


def by_hand(tasks: list[Task], many: int, seed: int) -> set[str]:
    """Systematic sampling, the other way round: each task has a stretch of length many/N on a line; a task is drawn
    where its stretch holds one of the points start, start + 1, start + 2 and so on."""
    line = sorted(tasks, key=lambda one: (one.category, one.difficulty or 0, chance(seed, one.id)))
    each, start, drawn = Fraction(many, len(line)), chance(seed, ""), set()
    for at, task in enumerate(line):
        first = ceil(at * each - start)
        if start + first < (at + 1) * each:
            drawn.add(task.id)
    return drawn


@pytest.mark.parametrize("seed", range(12))
def test_a_tenth_is_drawn_as_by_hand(tasks: list[Task], seed: int) -> None:
    """Eighteen of 178, the same as by an independent computation, and in each stratum its share to within one task."""
    drawn = draw_tasks(tasks, "tenth", seed)
    assert set(drawn) == by_hand(tasks, 18, seed)
    assert len(drawn) == 18
    of = Counter(task.category for task in tasks)
    got = Counter(task.category for task in tasks if task.id in drawn)
    for name, size in of.items():
        share = Fraction(18 * size, len(tasks))
        assert floor(share) <= got[name] <= ceil(share), name


def test_every_task_is_equally_likely(tasks: list[Task]) -> None:
    """Over many seeds each task is drawn about as often as any other, and the order of the suite decides nothing."""
    times = Counter(name for seed in range(600) for name in draw_tasks(tasks, "tenth", seed))
    expected = 600 * 18 / len(tasks)  # 60.7, with a standard deviation of 7.4
    assert len(times) == len(tasks)
    assert all(abs(number - expected) < 5 * 7.4 for number in times.values())
    assert draw_tasks(tasks, "18", 3) == draw_tasks(reversed(tasks), "18", 3)


@pytest.mark.parametrize("how", ["0", "179", "-1", "half", "", "1.5"])
def test_what_is_no_part_is_refused(tasks: list[Task], how: str) -> None:
    """A number of tasks that there are, or a tenth."""
    with pytest.raises(BadInput, match="is no part of 178 tasks"):
        draw_tasks(tasks, how, 0)
