"""The commands that make worlds: what they make, the lines they print, and what they refuse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_worldgen import economy_world
from caia_worldgen.calendar import Scale
from caia_worldgen.economy_world import EconomyReport
from tests.short_economy import SHORT, ShortEconomy

pytestmark = pytest.mark.check  # builds the short economy


@pytest.fixture
def sizes(short_economy: ShortEconomy, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sizes of economies that were asked for; each is what a build of 48 days made, for a real one takes minutes.

    The build itself is tests/unit/worldgen/test_economy_world.py's; CI runs the command in earnest.
    """
    asked: list[str] = []
    made = short_economy.report

    def build_economy(out: Path, seed: int, scale: Scale, progress: object) -> EconomyReport:
        if (out / "cassettes" / made.world.name).exists():
            raise BadInput("a world is never written over", where=str(out))
        asked.append(scale.name)
        shutil.copytree(made.world.parent.parent, out, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))
        return made

    monkeypatch.setattr(economy_world, "build_economy", build_economy)
    return asked


def build(out: Path, *more: str) -> Result:
    return CliRunner().invoke(main, ["world", "build", "--seed", "9", "--out", str(out), *more])


def test_small_builds_mini_6_and_both_chains(tmp_path: Path, sizes: list[str], short_economy: ShortEconomy) -> None:
    """One line for each thing that was made, nothing else in the folder, and nothing is written over."""
    done = build(tmp_path)
    assert done.exit_code == 0, done.output
    assert sizes == ["small"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cassettes", "chain_snapshots"]
    chains = sorted(path.name for path in (tmp_path / "chain_snapshots").iterdir())
    assert len(chains) == 3 and "mini" in chains
    told = done.output.splitlines()
    assert [line for line in told if "ledger and chain agree" in line] == told[:2]
    assert len(told) == 7
    assert sorted(path.name for path in (tmp_path / "cassettes").iterdir()) == ["mini-6", f"synthetic-{SHORT.tasks}"]
    assert (
        f"{SHORT.tasks} tasks" in told[2] and f"two tools agree on {short_economy.report.audit.total} facts" in told[2]
    )
    assert f"its web: {len(short_economy.pages)} pages" in told[3]
    assert f"pages and tools agree on {short_economy.report.page_audit.total} facts" in told[3]
    again = build(tmp_path)
    assert again.exit_code == 2 and "never written over" in again.output
