"""Building both chains: the same bytes for a seed, taken up where it was stopped, never written over."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path

import pytest

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.origin import build
from caia_replay.origin.build import ChainReport, build_chains
from caia_replay.origin.scale import Scale

TINY = Scale("tiny", 12, 2, 1, 4)
SEED = 11


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[ChainReport, ...]]:
    """A tiny world's chains and what was said of them."""
    out = tmp_path_factory.mktemp("economy")
    steps: list[tuple[str, int, int]] = []
    reports = build_chains(out, SEED, TINY, lambda *step: steps.append(step))
    told = [step for step in steps if step[0] == "telling the story"]
    assert [done for _, done, _ in told] == list(range(told[-1][2] - 35, told[-1][2] + 1))
    return out, reports


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_both_chains_are_whole_snapshots(built: tuple[Path, tuple[ChainReport, ...]]) -> None:
    """Each opens, claims its state at every height, and says what it holds; nothing else is left in the folder."""
    out, reports = built
    assert [path.name for path in out.iterdir()] == ["chain_snapshots"]
    assert sorted(path.name for path in (out / "chain_snapshots").iterdir()) == sorted(
        report.snapshot.name for report in reports
    )
    for report, ordinary in zip(reports, (24, 12), strict=True):
        snapshot = Snapshot.open(report.snapshot)
        assert snapshot.heights == ((0, report.blocks - 1),) and report.blocks > ordinary
        claimed = json.loads((report.snapshot / "manifest.json").read_bytes())["complete"]
        whole = {claim["table"] for claim in claimed if set(claim) <= {"table", "from", "to"}}
        assert whole == {"blocks", "transactions", "receipts", "logs", "accounts", "storage"}, claimed
        assert report.size_bytes == sum(len(data) for data in content(report.snapshot).values())
    assert reports[0].movements > 100 and reports[0].facts == build.FACTS


def test_every_height_forks(built: tuple[Path, tuple[ChainReport, ...]]) -> None:
    """An offline fork stands at each block of both chains and knows its own header."""
    _, reports = built
    for report in reports:
        snapshot = Snapshot.open(report.snapshot)
        with ForkPool({"chain": snapshot}) as pool:
            for block in range(report.blocks):
                with pool.lease("chain", block) as fork:
                    assert fork.rpc("eth_blockNumber", []) == hex(block)


def test_a_seed_gives_the_same_bytes_also_when_taken_up_again(
    built: tuple[Path, tuple[ChainReport, ...]], tmp_path: Path
) -> None:
    """A build stopped after its main chain captures only what is missing, and ends in the same files."""
    out, reports = built
    main = reports[0].snapshot
    workshop = tmp_path / f".economy-{SEED}-{TINY.name}" / "chain_snapshots"
    workshop.mkdir(parents=True)
    shutil.copytree(main, workshop / main.name)
    (workshop / ".torn.unfinished").mkdir()
    kept = (workshop / main.name / "manifest.json").stat().st_ino
    build_chains(tmp_path, SEED, TINY)
    assert content(tmp_path / "chain_snapshots") == content(out / "chain_snapshots")
    assert (tmp_path / "chain_snapshots" / main.name / "manifest.json").stat().st_ino == kept


def test_another_chains_leftover_is_not_taken_up(built: tuple[Path, tuple[ChainReport, ...]], tmp_path: Path) -> None:
    """A kept snapshot that does not end where the story does is refused, and named."""
    _, reports = built
    workshop = tmp_path / f".economy-{SEED + 1}-{TINY.name}" / "chain_snapshots"
    workshop.mkdir(parents=True)
    with build.economy(SEED + 1, TINY) as scene:
        (name, _) = build.chain_names(scene)
    shutil.copytree(reports[0].snapshot, workshop / name)
    with pytest.raises(CheckFailed, match=r"rm -r"):
        build_chains(tmp_path, SEED + 1, TINY)


def test_nothing_is_written_over_and_two_builds_do_not_meet(
    built: tuple[Path, tuple[ChainReport, ...]], tmp_path: Path
) -> None:
    """A finished snapshot, and a workshop somebody is in, are refused before anything is told."""
    out, _ = built
    with pytest.raises(BadInput, match="never written over"):
        build_chains(out, SEED, TINY)
    assert [path.name for path in out.iterdir()] == ["chain_snapshots"]
    workshop = tmp_path / f".economy-{SEED}-{TINY.name}"
    workshop.mkdir()
    held = os.open(workshop, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(BadInput, match="another build is at work"):
            build_chains(tmp_path, SEED, TINY)
    finally:
        os.close(held)
