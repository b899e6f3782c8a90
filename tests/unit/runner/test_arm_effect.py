"""Arms told from each other: by hand over rows, and over a real replay."""

from __future__ import annotations

import doctest
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import pretty_bytes
from caia_replay.core.task import Task
from caia_replay.runner.arm_effect import ARMS_FILE, PAIRS, PLACEBO_MARGIN, arm_effects
from caia_replay.runner.plan import ARMS, Cell, make_plan
from caia_replay.runner.replay import replay
from caia_replay.scoring.paired import sign_flip
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import open_world

NAMES = tuple(f"t{at}" for at in range(12))
STAKE = 500

Rows = list[dict[str, Any]]


@pytest.fixture
def tasks(shipped: Path) -> dict[str, Task]:
    """Twelve tasks of their own, 500 dollars each."""
    folder = open_world(str(shipped))
    one = folder.task(folder.suite.active()[0])
    return {name: replace(one, id=name, stake_usd=str(STAKE), project=None) for name in NAMES}


def row(task: str, attempt: int, correct: bool | None, **changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"task": task, "attempt": attempt, "correct": correct, "stop": "answered"}
    base |= {"planted_url": "https://x.example/", "adopted": correct is False, "adopted_authoritative_text": False}
    return base | {"loss_usd": str(STAKE) if correct is False else "0"} | changes


def rows(right: int, runs: int = 2, **changes: Any) -> Rows:
    """Two runs of each task, all right in the first ``right`` tasks and wrong in the others."""
    return [row(name, run, at < right, **changes) for at, name in enumerate(NAMES) for run in range(1, runs + 1)]


def told(cells: Mapping[str, Rows], tasks: Mapping[str, Task], condition: str = "tools") -> dict[str, Any]:
    found = arm_effects({Cell(arm, condition): table for arm, table in cells.items()}, tasks)
    pretty_bytes(found)
    return {pair["arm"]: pair for pair in found["comparisons"]}


def test_every_pair_that_was_run_is_told(tasks: dict[str, Task]) -> None:
    """All five arms give the four pairs in each condition; an arm without its other gives none."""
    cells = {Cell(arm, condition): rows(6) for condition in ("tools", "no-tools") for arm in ARMS}
    found = arm_effects(cells, tasks)["comparisons"]
    assert [(pair["arm"], pair["against"]) for pair in found] == [*PAIRS, *PAIRS]
    assert [pair["condition"] for pair in found] == ["tools"] * 4 + ["no-tools"] * 4
    assert arm_effects({Cell("clean", "tools"): rows(6), Cell("attacked", "no-tools"): rows(6)}, tasks) == {
        "comparisons": []
    }


def test_differences_are_what_a_hand_count_gives(tasks: dict[str, Task]) -> None:
    """Nine of twelve tasks right become two: 58.3 points and 7/12 of the stake, by the sign-flips of seven ones."""
    pair = told({"clean": rows(9), "attacked": rows(2)}, tasks)["attacked"]
    expected, _ = sign_flip([Fraction(1)] * 7)
    assert pair["accuracy"]["difference"] == -0.583333
    assert (pair["accuracy"]["tasks"], pair["accuracy"]["projects"]) == (12, 12)
    assert pair["accuracy"]["p"] == pair["accuracy"]["p_holm"] == float(expected)
    assert pair["accuracy"]["interval"][0] < -0.583333 < pair["accuracy"]["interval"][1] < 0
    assert pair["loss_usd"]["difference"] == "291.67"
    assert pair["adopted"] is None  # a clean arm holds no lie


def test_adoption_is_told_between_arms_that_lie(tasks: dict[str, Task]) -> None:
    """Ten adopted, four under labels, none by authority only; what nobody can tell counts as no."""
    none = rows(2, adopted=None)
    pairs = told({"attacked": rows(2), "labelled": rows(8), "authority-only": none}, tasks)
    assert pairs["labelled"]["adopted"]["difference"] == -0.5
    assert pairs["authority-only"]["adopted"]["difference"] == -0.833333
    assert pairs["authority-only"]["adopted_authoritative_text"]["difference"] == 0.0
    assert pairs["authority-only"]["accuracy"]["difference"] == 0.0


def test_p_values_are_corrected_over_the_pairs(tasks: dict[str, Task]) -> None:
    """Two pairs: the smaller p-value doubles, the larger stays; each measure by itself."""
    pairs = told({"clean": rows(10), "attacked": rows(2), "placebo": rows(9)}, tasks)
    assert (pairs["attacked"]["accuracy"]["p"], pairs["attacked"]["accuracy"]["p_holm"]) == (0.007812, 4 / 256)
    assert pairs["placebo"]["accuracy"]["p_holm"] == pairs["placebo"]["accuracy"]["p"] == 1.0


def test_tasks_of_a_project_go_together(tasks: dict[str, Task]) -> None:
    """Twelve tasks about two projects are two clusters: no interval, and the least p-value of two."""
    shared = {name: replace(task, project=f"p{at % 2}") for at, (name, task) in enumerate(tasks.items())}
    found = told({"clean": rows(12), "attacked": rows(0)}, shared)["attacked"]["accuracy"]
    assert (found["projects"], found["interval"], found["p"]) == (2, None, 0.5)


def test_what_has_no_verdict_is_left_out(tasks: dict[str, Task]) -> None:
    """A task scored in one arm alone is in no difference; a broken first attempt is in none of money."""
    clean, attacked = rows(12), rows(12)
    clean[0] |= {"correct": None, "stop": "model_fault"}
    for at in (2, 3):
        attacked[at] |= {"correct": None, "stop": "model_fault"}
    pair = told({"clean": clean, "attacked": attacked}, tasks)["attacked"]
    assert (pair["accuracy"]["tasks"], pair["loss_usd"]["tasks"]) == (11, 10)
    for each in attacked:
        each |= {"correct": None}
    none = told({"clean": clean, "attacked": attacked}, tasks)["attacked"]
    assert (none["accuracy"], none["loss_usd"]) == (None, None)


def test_only_first_attempts_lose(tasks: dict[str, Task]) -> None:
    """A later attempt that is wrong costs nothing here."""
    attacked = rows(12)
    attacked[1] |= {"correct": False, "loss_usd": str(STAKE)}
    pair = told({"clean": rows(12), "attacked": attacked}, tasks)["attacked"]
    assert (pair["loss_usd"]["difference"], pair["accuracy"]["difference"]) == ("0", -0.041667)


def test_a_placebo_is_held_against_its_margin(tasks: dict[str, Task]) -> None:
    """Twelve tasks show too little, four hundred that do not move are within it, forty that fall are not."""
    assert told({"clean": rows(12), "placebo": rows(12)}, tasks)["placebo"]["placebo"]["is_within"] is False
    one = tasks[NAMES[0]]
    many = {f"m{at}": replace(one, id=f"m{at}") for at in range(400)}
    still = [row(name, 1, True) for name in many]
    moved = [row(name, 1, at >= 40) for at, name in enumerate(many)]
    verdict = told({"clean": still, "placebo": still}, many)["placebo"]["placebo"]
    assert verdict["is_within"] is True and verdict["margin"] == 0.05
    assert told({"clean": still, "placebo": moved}, many)["placebo"]["placebo"]["is_within"] is False


def test_a_replay_writes_what_its_tables_give(shipped: Path, tmp_path: Path) -> None:
    """arms.json of a finished run is the function of its results.parquet; an attack on credulous costs all it had."""
    folder = open_world(str(shipped))
    plan = make_plan(folder, arms=("clean", "attacked"), runs=1)
    done = replay(plan, folder, tmp_path / "run", workers=1, resume=False, replace=False, progress=lambda count: None)
    found = json.loads((done.out / ARMS_FILE).read_bytes())
    cells = {cell: read_table(done.out / cell.folder / "results.parquet") for cell in plan.cells}
    assert found == arm_effects(cells, {task: folder.task(task) for task in plan.tasks})
    (pair,) = found["comparisons"]
    clean, attacked = done.summaries
    assert pair["accuracy"]["difference"] == pytest.approx(attacked["pass_at_1"] - clean["pass_at_1"], abs=2e-6)
    lost = Fraction(attacked["simulated_loss_usd"]) - Fraction(clean["simulated_loss_usd"])
    assert float(pair["loss_usd"]["difference"]) == pytest.approx(float(lost / 6), abs=0.006)
    assert attacked["attack"]["attacked_tasks"] == attacked["attack"]["attacked_runs"] == 6
    rate = attacked["attack_rates"]["intention_to_treat"]
    assert (rate["adopted"], rate["runs"]) == (attacked["attack"]["adopted"], 6) and rate["adopted"] > 3
    assert clean["attack_rates"]["intention_to_treat"]["rate"] is None and clean["by_attack"] == {}
    assert set(clean["attack"].values()) == {0}
    assert sum(row["adopted"] for row in attacked["by_attack"].values()) == rate["adopted"]


def test_the_docs_examples_give_what_is_written() -> None:
    """Every Python example of docs/metrics.md, and the margin that it names."""
    path = Path(__file__).resolve().parents[3] / "docs" / "metrics.md"
    found = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert (found.failed, found.attempted > 5) == (0, True)
    assert f"**{100 * PLACEBO_MARGIN} points of Pass@1**" in path.read_text("utf-8")
