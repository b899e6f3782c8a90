"""The commands that make worlds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.origin.scale import SCALES, Scale


def build(out: Path, *more: str) -> Result:
    return CliRunner().invoke(main, ["world", "build", "--seed", "9", "--out", str(out), *more])


def test_small_builds_the_mini_world_and_both_chains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line for each thing that was made, nothing else in the folder, and nothing is written over."""
    monkeypatch.setitem(SCALES, "small", Scale("small", 12, 1, 1, 4))
    done = build(tmp_path)
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cassettes", "chain_snapshots"]
    chains = sorted(path.name for path in (tmp_path / "chain_snapshots").iterdir())
    assert len(chains) == 3 and "mini" in chains
    told = done.output.splitlines()
    assert [line for line in told if "ledger and chain agree" in line] == told[3:5] and len(told) == 6
    assert sorted(path.name for path in (tmp_path / "cassettes").iterdir()) == ["economy-6", "mini-6"]
    assert "6 tasks" in told[5] and "two tools agree on" in told[5]
    again = build(tmp_path)
    assert again.exit_code == 2 and "never written over" in again.output


def test_larger_sizes_build_the_economy_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two snapshots and their world, without mini-6; a size nobody knows is refused."""
    monkeypatch.setitem(SCALES, "quarter", Scale("quarter", 12, 1, 1, 4))
    done = build(tmp_path, "--size", "quarter")
    assert done.exit_code == 0, done.output
    assert [path.name for path in (tmp_path / "cassettes").iterdir()] == ["economy-6"]
    assert len(list((tmp_path / "chain_snapshots").iterdir())) == 2 and len(done.output.splitlines()) == 3
    assert build(tmp_path, "--size", "huge").exit_code == 2
