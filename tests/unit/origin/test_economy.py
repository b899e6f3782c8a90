"""The economy as a whole: the same for a seed, another for another; built in parts, never written over."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.origin import build
from caia_replay.origin.build import ChainReport, build_chains
from caia_replay.origin.economy import MAIN_CHAIN_ID, ROLLUP_CHAIN_ID, economy, tell
from caia_replay.origin.scale import Scale

pytestmark = pytest.mark.check
SHORT = Scale("short", 12, 2, 1, 4)


def played(seed: int) -> dict[str, Any]:
    """Everything of a short economy that another seed must not have, and its last blocks."""
    with economy(seed, SHORT) as scene:
        tell(scene)
        heads = [stage.ask("eth_getBlockByNumber", "latest", False)["hash"] for stage in (scene.main, scene.rollup)]
        return {
            "heads": heads,
            "addresses": {contract.address for contract in scene.main.contracts.values()}
            | {person.address for person in scene.people.crowd},
            "names": {project.name for project in scene.projects.values()},
            "tickers": {project.ticker for project in scene.projects.values()},
            "figures": {one.amount for one in scene.main.ledger.movements if len(str(one.amount).rstrip("0")) > 3}
            | {price for asset in scene.venue.assets for price in scene.venue.hourly(asset)[:1]},
            "ids": {MAIN_CHAIN_ID + seed, ROLLUP_CHAIN_ID + seed},
        }


@pytest.fixture(scope="module")
def first() -> dict[str, Any]:
    """Seed 3, once."""
    return played(3)


def test_a_seed_gives_the_same_blocks(first: dict[str, Any]) -> None:
    """Told again, both chains end in the same block hashes, which stand for every transaction and state before them."""
    assert played(3) == first


def test_two_seeds_share_nothing(first: dict[str, Any]) -> None:
    """No address, name, ticker, chain id or figure of one is in the other; 7 coins and 120 coins are nobody's."""
    other = played(4)
    for kind in ("addresses", "names", "tickers", "ids"):
        assert not first[kind] & other[kind], kind
    shared = first["figures"] & other["figures"]
    assert not shared, sorted(shared)[:5]
    assert first["heads"] != other["heads"]


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
