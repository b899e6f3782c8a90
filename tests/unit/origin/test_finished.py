"""What every finished world must satisfy, each check seen to fail."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.cassette.side_file import side_name, write_side_files
from caia_replay.errors import CheckFailed
from caia_replay.origin.finished import check_gold, check_lint
from caia_replay.origin.mini.build import MiniReport
from caia_replay.runner.campaign import planned_over
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="module")
def world(built: MiniReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as opened:
        yield opened


def test_a_sound_world_passes(built: MiniReport, world: FrozenWorld) -> None:
    """Ledger and tools agree with and without the campaign, and lint finds nothing."""
    tasks = [world.folder.task(name) for name in world.folder.suite.active()]
    check_gold(world, tasks)
    check_gold(world, tasks, planned_over(world, "seo-heavy").overlay)
    check_lint((built.world, built.snapshot))


@pytest.mark.parametrize("at", range(6))
def test_a_ledger_that_says_otherwise_is_caught(world: FrozenWorld, at: int) -> None:
    """For each task, another truth than the tools' fails the build and both are named."""
    task = world.folder.task(world.folder.suite.active()[at])
    wrong = replace(task, answer=replace(task.answer, values=("7",)))
    with pytest.raises(CheckFailed, match=f"{task.id}: the ledger says '7', the tools '"):
        check_gold(world, [wrong])


def test_a_finding_is_counted_and_named(built: MiniReport, tmp_path: Path) -> None:
    """One stray file, sealed with the rest, fails the check, wherever in the list its folder stands."""
    shutil.copytree(built.world.parent.parent, tmp_path, dirs_exist_ok=True)
    world, snapshot = (tmp_path / path.relative_to(built.world.parent.parent) for path in (built.world, built.snapshot))
    stray = b"\xfe"
    write_side_files(world / "http", [stray])
    seal_world(world)
    with pytest.raises(CheckFailed, match=f"1 findings, the first: .*{side_name(stray)}"):
        check_lint((snapshot, world))
