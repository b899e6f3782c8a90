"""Run folders of shards, put together: what one machine would have left."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.diff import first_difference
from caia_replay.analysis.finished_run import open_run
from caia_replay.analysis.merge import merge
from caia_replay.errors import BadInput
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import WorldFolder
from tests.cli_shell import Shell
from tests.finished_run import edited, rewritten
from tests.trajectories import without

SHARDS = 3


def played(plan: RunPlan, folder: WorldFolder, out: Path) -> Path:
    return replay(plan, folder, out, workers=1, resume=False, replace=False).out


@pytest.fixture(scope="module")
def runs(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A whole run of four tasks in two arms, and its three shards."""
    top = tmp_path_factory.mktemp("merge")
    plan = make_plan(folder, tasks=folder.suite.active()[:4], runs=2)
    shards = [played(plan.shard(at, SHARDS), folder, top / f"part-{at}") for at in range(SHARDS)]
    return [played(plan, folder, top / "whole"), *shards]


@pytest.fixture
def parts(runs: list[Path], tmp_path: Path) -> list[Path]:
    """Copies of the shards that are free to be rewritten."""
    return [Path(shutil.copytree(run, tmp_path / run.name)) for run in runs[1:]]


def test_shards_merged_in_any_order_are_the_whole_run(runs: list[Path], tmp_path: Path) -> None:
    """The same certificates, summaries, tables and records; a folder of some shards is a run of their tasks."""
    whole, *shards = runs
    for at, order in enumerate(permutations(shards)):
        out = tmp_path / str(at)
        merge(order, out, Path.cwd())
        assert first_difference(whole, out) is None
    merge(shards[:2], tmp_path / "some", Path.cwd())
    merge([tmp_path / "some", shards[2]], tmp_path / "all", Path.cwd())
    assert first_difference(whole, tmp_path / "all") is None
    assert len(open_run(tmp_path / "some", Path.cwd()).plan.tasks) == 3


@pytest.mark.parametrize(("harm", "said"), [
    (lambda parts: parts.append(parts[0]), "is in .*part-0 too; next: leave one out"),
    (lambda parts: parts.__delitem__(slice(1, None)), "takes two run folders or more"),
    (lambda parts: rewritten(parts[1], header={"seed": 7}, seed=7), "part-1: seed is 7, and .*part-0 has 0"),
    (lambda parts: rewritten(parts[1], model="gpt-5"), "part-1: model is 'gpt-5', and .* has 'policy/credulous'"),
    (lambda parts: rewritten(parts[2], header={"prompts": "sha256:00"}), "prompts is 'sha256:00', and "),
    (lambda parts: rewritten(parts[2], header={"world": "sha256:00"}), "is not here as it was played"),
    (lambda parts: edited(parts[1] / "clean-tools" / "summary.json", calls=9), "summary.json: calls is 9"),
    (lambda parts: shutil.rmtree(parts[1]), "not a finished run folder"),
], ids=["twice", "one", "seed", "model", "prompts", "world", "forged", "gone"])  # fmt: skip
def test_what_is_no_part_of_one_run_is_refused(
    parts: list[Path], tmp_path: Path, harm: Callable[[list[Path]], object], said: str
) -> None:
    """In one line, and nothing is left at the new place."""
    harm(parts)
    with pytest.raises(BadInput, match=said) as fault:
        merge(parts, tmp_path / "out", Path.cwd())
    assert "\n" not in str(fault.value) and not list(tmp_path.glob("out*"))


def test_what_is_broken_or_missing_is_told(
    folder: WorldFolder, parts: list[Path], tmp_path: Path, shell: Shell
) -> None:
    """Runs that are to be played again by their part, with exit code 3; shards that are not here by their numbers."""
    for at, part in enumerate(parts, start=1):
        edited(part / "run.json", shard=f"{at}/{SHARDS}")
    done = merge(parts, tmp_path / "all", Path.cwd())
    assert (done.missing, done.broken) == ((), {})
    assert merge(parts[:2], tmp_path / "two", Path.cwd()).missing == ("3/3",)

    def broken(record: dict[str, Any]) -> None:
        score = {"correct": None, "reason": "not scored: model_fault", "reading": None}
        if record["attempt"] == 2:
            record.update(stop="model_fault", detail="rate_limit: busy", answer=None, score=score)

    rewritten(parts[2], broken)
    code, out, err = shell("merge", *parts[1:], "--out", tmp_path / "broken")
    assert code == 3, err
    assert "not here: shard 1/3" in out and "first: rate_limit: busy" in out
    assert err.startswith("to be played again: 2 runs in ") and "next: that replay with --resume" in err


def test_a_part_without_a_run_is_refused(parts: list[Path], tmp_path: Path) -> None:
    """A record that is missing is told where it should be."""
    found = open_run(parts[0], Path.cwd())
    without(parts[0] / "clean-tools", f"{found.plan.tasks[0]}/1.json")
    with pytest.raises(BadInput, match=r"trajectories\.zip/.*/1\.json: cannot be read: there is no such run"):
        merge(parts, tmp_path / "out", Path.cwd())


def test_the_commands_shard_and_merge(shell: Shell, mini: Path) -> None:
    """Each shard has a default folder of its own; what is no shard is one line."""
    base = ("replay", "--suite", "mini-6", "--arm", "clean", "--runs", "1", "--model", "policy/oracle")
    for shard in ("1/2", "2/2"):
        assert shell(*base, "--shard", shard)[0] == 0
    folders = [mini / "runs" / f"policy-oracle-{at}-of-2" for at in (1, 2)]
    code, out, _ = shell("merge", *folders, "--out", "runs/all")
    assert code == 0 and out.endswith("run folder: runs/all\n")
    for wrong, said in (("0/2", "is no shard"), ("3/2", "is no shard"), ("x", "is no shard"), ("7/7", "has no task")):
        code, _, err = shell(*base, "--shard", wrong)
        assert code == 2 and said in err and "--shard" in err and err.count("\n") == 1
