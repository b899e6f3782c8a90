"""Two runs on a suite and on its twin: what is compared, and every reason why they are not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.twin_gap import SuiteGap, suite_gap
from caia_replay.errors import BadInput, SealBroken
from caia_replay.runner.certificate import judged
from caia_replay.scoring.contamination import twin_gap
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import WorldFolder, open_world, save_task, seal_world
from tests.finished_run import edited, rewritten
from tests.trajectories import entries, without, write_entries
from tests.twin_runs import replayed, reseeded

BOTH = ("tools", "no-tools")
CELL, COUNT = "clean-tools", "mini6-event-count"


@pytest.fixture(scope="module")
def played(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run folders ``original`` and ``twin``, the twin's world below ``world``, and one run in each of other kinds."""
    root = tmp_path_factory.mktemp("twins")
    world = reseeded(shipped, root / "world", 2)
    for name, place in (("original", shipped), ("twin", world)):
        replayed(place, root / name, model="policy/known-rate", conditions=BOTH)
    task = open_world(str(shipped)).suite.active()[0]
    for name, changed in (
        ("agent", {"agent": "caia"}),
        ("tasks", {}),
        ("attempts", {"runs": 1}),
        ("seed", {"seed": 7}),
        ("limits", {"turns": 9}),
        ("attacked", {"arms": ("attacked",)}),
    ):
        quick: dict[str, Any] = {"tasks": (task,), "conditions": ("no-tools",)}
        replayed(world, root / name, model="policy/known-rate", **quick, **changed)
    return root


@pytest.fixture
def twins(played: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Both runs, the twin's a copy that is free to be broken."""
    return played / "original", Path(shutil.copytree(played / "twin", tmp_path / "twin"))


def scored(run: Path, world: Path) -> list[ScoredRun]:
    """A run's rows as metrics need them."""
    folder = open_world(str(world))
    return [
        ScoredRun(row["task"], task.category, row["attempt"], row["correct"], row["reading"], row["stop"])
        for row in read_table(run / CELL / "results.parquet")
        for task in (folder.task(row["task"]),)
    ]


def ended(run: dict[str, Any], world: WorldFolder, answer: str | None, stop: str = "answered") -> None:
    """Give a record of the cell with tools another end."""
    if run["condition"] == "tools":
        score = judged(world.task(run["task"]), stop, answer)
        told = {"correct": score.correct, "reason": score.reason, "reading": score.reading}
        run.update(answer=answer, stop=stop, score=told, loss_usd="0")


def answered_by(run: dict[str, Any], name: str) -> None:
    """Let a server call the model ``name`` in a record of the cell with tools."""
    if run["condition"] == "tools":
        run["served_as"] = {name: 1}


def test_every_cell_both_have_is_compared(played: Path, tmp_path: Path) -> None:
    """Cells in the original's order, the probe marked, figures those of the pure gap, seeds those of the worlds."""
    found = suite_gap(played / "original", played / "twin", tmp_path)
    assert [(cell.folder, cell.is_probe) for cell in found.cells] == [(CELL, False), ("clean-no-tools", True)]
    assert (found.seeds, found.attempts, found.suite, found.is_policy, found.comparable) == (
        (1, 2), 2, "mini-6", True, False,
    )  # fmt: skip
    world = played / "world" / "cassettes" / "mini-6"
    sides = [scored(played / "original", world), scored(played / "twin", world)]
    assert found.cells[0].gap == twin_gap(*sides) and found.notes == ()


@pytest.mark.parametrize(("name", "said"), [
    ("agent", "the runs differ in agent: 'react' and 'caia'"),
    ("tasks", "task mini6-base-fee-bound was not played here"),
    ("attempts", "the runs differ in runs: 2 and 1"), ("seed", "the runs differ in seed: 0 and 7"),
    ("limits", "the runs differ in limits"), ("original", "both runs were played in one world, of seed 1"),
    ("attacked", "no arm and condition in common: the original has clean-tools, clean-no-tools; nearest: attacked-"),
])  # fmt: skip
def test_runs_of_another_plan_are_refused(played: Path, tmp_path: Path, name: str, said: str) -> None:
    """Another agent, task, number of attempts, seed, budget or arm, and the same world: one line with the folder."""
    with pytest.raises(BadInput) as caught:
        suite_gap(played / "original", played / name, tmp_path)
    assert said in str(caught.value) and str(played / name) in str(caught.value)
    assert "next: caia-replay " in str(caught.value) and "\n" not in str(caught.value)


def test_a_tape_is_known_by_what_its_server_called_the_model(twins: tuple[Path, Path], tmp_path: Path) -> None:
    """Another name of the server's under one live name is told; a tape may bear any name, but not another's or none."""
    run = Path(shutil.copytree(twins[1], tmp_path / "copy"))
    rewritten(run, lambda record: answered_by(record, "known-rate-2"))
    (note,) = suite_gap(twins[0], run, tmp_path).notes
    assert note == "clean-tools: the original was answered by policy/known-rate, the twin by known-rate-2"
    with pytest.raises(BadInput, match="model is 'recorded/mine', and certificate"):
        suite_gap(twins[0], rewritten(Path(shutil.copytree(run, tmp_path / "tape")), model="recorded/mine"), tmp_path)
    stated = {"name": "known-rate", "parameters": {}, "price": None}
    rewritten(twins[1], model="recorded/mine", header={"model": stated})
    assert len(suite_gap(*twins, tmp_path).cells) == 2
    for served in ("another", "unknown"):
        rewritten(twins[1], lambda record: answered_by(record, served))  # noqa: B023
        with pytest.raises(BadInput, match=r"differ in model: 'policy/known-rate .*recorded/mine"):
            suite_gap(*twins, tmp_path)


def resealed(run: Path, world: Path) -> None:
    """A world sealed again, and certificates that name it."""
    seal_world(world)
    rewritten(run, header={"world": open_world(str(world)).seal.digest_without_overlays})


def with_world(twins: tuple[Path, Path], shipped: Path, root: Path, seed: int | None) -> Path:
    """The twin's run, as if it had been played in a world of this seed; that world."""
    world = reseeded(shipped, root, seed)
    run = json.loads((twins[1] / "run.json").read_text())
    edited(twins[1] / "run.json", plan=run["plan"] | {"world": str(world)})
    resealed(twins[1], world)
    return world


@pytest.mark.parametrize(("seed", "said"), [
    (1, "both worlds grew from one seed, of seed 1; next: caia-replay world build --seed 2"),
    (None, "grew from no seed, and a twin is the same suite from another seed"),
    (3, "differ in the number of tasks in overlap: 1 and 2"),
])  # fmt: skip
def test_no_twins_are_refused(
    twins: tuple[Path, Path], shipped: Path, tmp_path: Path, seed: int | None, said: str
) -> None:
    """A world that differs in bytes and not in seed, one that no seed is known of, and another mixture of questions."""
    world = with_world(twins, shipped, tmp_path / "other", seed)
    if seed == 1:
        (world / "suite.toml").write_text((world / "suite.toml").read_text() + "\n")
    if seed == 3:
        folder = open_world(str(world))
        task = next(found for found in map(folder.task, folder.suite.active()) if found.category == "tokenomics")
        save_task(world, replace(task, category="overlap"))
    resealed(twins[1], world)
    with pytest.raises(BadInput) as caught:
        suite_gap(*twins, tmp_path)
    assert said in str(caught.value)


def test_a_world_that_is_gone_or_changed_is_refused(twins: tuple[Path, Path], shipped: Path, tmp_path: Path) -> None:
    """Another world of its name is never taken; moved with its run it is found; one edited unsealed is told."""
    world = with_world(twins, shipped, tmp_path / "other", 3)
    assert suite_gap(*twins, tmp_path).seeds == (1, 3)
    shutil.copytree(world.parent.parent, tmp_path / "moved")
    run = shutil.copytree(twins[1], tmp_path / "moved" / "runs")
    (world / "suite.toml").write_text((world / "suite.toml").read_text() + "\n")
    with pytest.raises(SealBroken):
        suite_gap(*twins, tmp_path)
    seal_world(world)
    with pytest.raises(BadInput, match=r"was played is not here, .*; nearest: .*has changed since"):
        suite_gap(*twins, tmp_path)
    shutil.rmtree(world)
    with pytest.raises(BadInput, match=r"was played is not here, .*; nearest: .*cassettes/mini-6, which is another"):
        suite_gap(*twins, shipped.parent.parent)
    assert suite_gap(twins[0], Path(run), shipped.parent.parent).seeds == (1, 3)
    with pytest.raises(BadInput, match="was played is not here, and its seed"):
        suite_gap(*twins, tmp_path)


Damage = Callable[[Path], object]


def _certificate(**facts: Any) -> Damage:
    return lambda run: edited(run / CELL / "certificate.json", **facts)


@pytest.mark.parametrize(("damage", "said"), [
    (lambda run: edited(run / CELL / "summary.json", majority=0.25), "summary.json: majority is 0.25, and its runs "),
    (lambda run: (run / CELL / "certificate.json").write_text("[]"), "certificate.json: is no JSON object"),
    (lambda run: (run / CELL / "results.parquet").write_text("PAR1"), "results.parquet"),
    (_certificate(digest="sha256:other"), "certificate.json: digest is 'sha256:other', and the trajectories give "),
    (_certificate(arm=["clean"]), "certificate.json: arm is \"['clean']-tools\", and it stands in 'clean-tools'"),
    (_certificate(tasks=None), "clean-no-tools/certificate.json: tasks is ["),
    (_certificate(prompts="sha256:other"), "prompts is "),
    (lambda run: rewritten(run, header={"prompts": "sha256:other"}), "the runs differ in prompts: "),
    (lambda run: rewritten(run, header={"suite_version": "1.1.0"}), "in suite_version: '1.0.0' and '1.1.0'"),
    (lambda run: without(run / CELL, f"{COUNT}/2.json"), f"{COUNT}/2.json: cannot be read"),
    (lambda run: write_entries(run / CELL, entries(run / CELL) | {f"{COUNT}/3.json": b""}), "3.json: is of no run "),
    (lambda run: edited(run / "index.json", cells=[{"folder": "a/b"}]), "is no list of the run folder's cells"),
    (lambda run: edited(run / "index.json", cells=[]), "'cells' is empty"),
    (lambda run: (run / "index.json").unlink(), "twin: not a finished run folder"),
], ids=range(14))  # fmt: skip
def test_a_damaged_run_is_one_line(twins: tuple[Path, Path], tmp_path: Path, damage: Damage, said: str) -> None:
    """Whatever does not fit together is bad input that names the file, whichever side it is on."""
    damage(twins[1])
    for sides in (twins, twins[::-1]):
        with pytest.raises(BadInput) as caught:
            suite_gap(*sides, tmp_path)
        assert sides == twins[::-1] or said in str(caught.value)


def test_an_uncertified_cell_is_told_and_an_unfinished_run_refused(
    played: Path, twins: tuple[Path, Path], tmp_path: Path
) -> None:
    """Runs that the clock of one machine ended: figures stand, with a note; a journal is named as the nearest."""
    world = open_world(str(played / "world" / "cassettes" / "mini-6"))
    rewritten(twins[1], lambda run: ended(run, world, None, "wall_limit") if run["attempt"] == 1 else None)
    found: SuiteGap = suite_gap(*twins, tmp_path)
    assert [note.partition(":")[0] for note in found.notes] == ["not scored in clean-tools", "not certified"]
    (twins[1] / "index.json").unlink()
    twins[1].rename(tmp_path / "twin.partial")
    with pytest.raises(BadInput, match=r"not a finished run folder; nearest: .*twin\.partial, which is unfinished"):
        suite_gap(*twins, tmp_path)


def test_unscored_and_wrong_runs_show(played: Path, twins: tuple[Path, Path], tmp_path: Path) -> None:
    """The twin wrong throughout: the gap is the original's own figure; a cell without a verdict has no figures."""
    world = open_world(str(played / "world" / "cassettes" / "mini-6"))
    rewritten(twins[1], lambda run: ended(run, world, "nobody knows") if run["attempt"] == 1 else None)
    rewritten(twins[1], lambda run: ended(run, world, None, "model_fault") if run["attempt"] == 2 else None)
    found = suite_gap(*twins, tmp_path)
    gap = found.cells[0].gap
    assert gap is not None and (gap.pass_at_1.twin, gap.majority) == (0, None)  # no task of the twin is whole
    assert gap.pass_at_1.points == pytest.approx(100 * gap.pass_at_1.original, abs=1e-4) and gap.pass_at_1.points > 0
    assert found.cells[0].unscored == (0, 6)
    assert found.notes == ("not scored in clean-tools: 0 runs of the original, 6 of the twin",)
    rewritten(twins[1], lambda run: ended(run, world, None, "model_fault"))
    cell = suite_gap(*twins, tmp_path).cells[0]
    assert (cell.gap, dict(cell.by_category)) == (None, {})
