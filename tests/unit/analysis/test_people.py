"""What people scored together: how many they are, how sure it is, and how far they agree, in figures and in words."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.people import people_of
from caia_replay.store.world_folder import open_world
from tests.cli_shell import Shell
from tests.finished_run import finished_run

Rows = list[dict[str, Any]]


def rows(answers: dict[str, bool | None], attempt: int = 1) -> Rows:
    """Rows of results.parquet as far as they are read."""
    common = {"category": "overlap", "reading": "1", "stop": "answered", "served_miss": 0, "project": None}
    return [{"task": task, "correct": right, "attempt": attempt, **common} for task, right in answers.items()]


def alpha_by_hand(units: list[list[int]]) -> Fraction | None:
    """Krippendorff's alpha by the coincidence matrix of nominal values, as in his textbook."""
    pairs: Counter[tuple[int, int]] = Counter()
    for unit in units:
        for at, one in enumerate(unit):
            for other in unit[:at] + unit[at + 1 :]:
                pairs[one, other] += Fraction(1, len(unit) - 1)  # type: ignore[assignment]
    each: Counter[int] = Counter()
    for (one, _), weight in pairs.items():
        each[one] += weight
    whole = sum(each.values())
    expected = sum(each[one] * each[two] for one in each for two in each if one != two)
    observed = sum(weight for (one, two), weight in pairs.items() if one != two)
    return 1 - (whole - 1) * Fraction(observed) / expected if expected else None


@pytest.mark.parametrize("seed", range(8))
def test_agreement_and_score_are_those_by_hand(seed: int) -> None:
    """Of random answers of four people, some tasks left out by some: alpha over right and wrong, and the mean."""
    draw = random.Random(seed)
    given = {
        f"human/p{at}": {f"t{n}": draw.random() < 0.6 for n in range(12) if draw.random() < 0.8} for at in range(4)
    }
    found = people_of([*((name, rows(own)) for name, own in given.items()), ("policy/oracle", rows({"t0": True}))])
    assert found is not None
    by_task = {task: [own[task] for own in given.values() if task in own] for task in (f"t{n}" for n in range(12))}
    units = [[int(one) for one in unit] for unit in by_task.values() if unit]
    alpha = alpha_by_hand([unit for unit in units if len(unit) > 1])
    assert alpha is not None and found.alpha == round(float(alpha), 6)
    assert found.pass_at_1 == round(float(sum(Fraction(sum(unit), len(unit)) for unit in units) / len(units)), 6)
    assert (found.names, found.answers) == (("p0", "p1", "p2", "p3"), sum(map(len, units)))
    assert (found.tasks, found.shared) == (len(units), sum(len(unit) > 1 for unit in units))
    assert found.interval is not None and found.interval[0] < found.pass_at_1 < found.interval[1]


def test_small_numbers_say_so() -> None:
    """Four tasks have no interval, one person no agreement; what is not scored is no answer; no person is nothing."""
    alone = people_of([("human/ana", rows({f"t{n}": n > 0 for n in range(4)}))])
    assert alone is not None
    assert (alone.interval, alone.alpha, alone.shared, alone.pass_at_1) == (None, None, 0, 0.75)
    twice = people_of([("human/ana", rows({"t": True})), ("human/ana", rows({"t": False}, 2))])
    assert twice is not None and (twice.shared, twice.answers, twice.names) == (0, 2, ("ana",))
    lost = people_of([("human/ana", rows({"t": None, "u": True}))])
    assert lost is not None and (lost.answers, lost.tasks) == (1, 1)
    assert people_of([("policy/oracle", rows({"t": True}))]) is None


def test_people_stand_in_the_terminal_as_what_they_are(shell: Shell, mini: Path) -> None:
    """The report's last lines, the run list, one run and the audit say person, and count no tokens of theirs."""
    world = mini / "cassettes" / "mini-6"
    folder = open_world(str(world))
    names, right = folder.suite.active(), {task: folder.task(task).answer.values[0] for task in folder.suite.active()}
    for name, wrong in (("ana", names[:1]), ("ben", names[:2])):
        said = [(task, 1, "0" if task in wrong else right[task]) for task in names]
        finished_run(mini / "runs" / name, world, said, model=f"human/{name}")
    code, out, err = shell("report", "runs/ana", "runs/ben", "--out", "r.html")
    assert (code, err) == (0, ""), err
    line = next(one for one in out.splitlines() if one.startswith("clean: "))
    assert line.startswith("clean: 2 people (ana, ben), no model: 75.0 % right in 12 answers to 6 tasks (95 %: ")
    assert line.endswith("Krippendorff's alpha over 6 shared tasks 0.59")  # 1 - 11 * 2 / (2 * 3 * 9)
    _, out, _ = shell("runs", "runs")
    assert out.count("none: a person") == 2
    _, out, _ = shell("show", "runs/ana")
    assert "a person, not a model" in out and "tokens and cost: none, a person answered" in out
