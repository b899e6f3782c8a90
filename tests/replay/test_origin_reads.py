"""Forks of a captured chain against the living chain: a sample of the soak, and proof that it can say no."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.claim import Claims
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, write_snapshot

pytestmark = pytest.mark.check

BLOCKS, TRANSACTIONS, READS = 25, 250, 300


@pytest.fixture(scope="module")
def living(origin_reads: ModuleType) -> Iterator[Any]:
    """The origin after a short scenario, still running."""
    with origin_reads.living_origin(BLOCKS, TRANSACTIONS, seed=11) as origin:
        yield origin


@pytest.fixture(scope="module")
def folder(living: Any, origin_reads: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its capture."""
    captured: Path = origin_reads.captured(living, tmp_path_factory.mktemp("capture") / "origin")
    return captured


def test_random_reads_agree_with_the_living_chain(living: Any, folder: Path, origin_reads: ModuleType) -> None:
    """No answer differs, nothing that a transaction touched is a miss, and every kind of question is asked."""
    tally = origin_reads.Reader(living, seed=12).sweep(folder, READS)
    print(f"{living.words()}\n{tally.words()}")
    assert tally.faults() == []
    assert tally.reads == READS and tally.inside >= 0.7 * READS and tally.telling >= READS / 3
    assert len(tally.methods) == 12 and min(tally.methods.values()) > 0
    assert tally.missed_outside > 0 and tally.future > 0 and tally.refused > 0
    # Three types of transactions, failures, logs with every number of topics.
    wanted = {"type 0", "type 1", "type 2", "failed", "succeeded", *(f"{count} topics" for count in range(5))}
    assert wanted <= {name for name, count in living.record.outcomes.items() if count > 0}
    assert (living.record.head, len(living.record.transactions)) == (BLOCKS, TRANSACTIONS)


def test_equal_seeds_give_equal_chains(living: Any, origin_reads: ModuleType) -> None:
    """Every block hash; another seed gives another chain."""
    with origin_reads.living_origin(BLOCKS, TRANSACTIONS, seed=11) as again:
        assert again.record.hashes == living.record.hashes
        assert again.record.touched == living.record.touched
    with origin_reads.living_origin(5, 50, seed=12) as other:
        assert other.record.hashes[-1] not in living.record.hashes


def test_what_nobody_can_name_is_a_miss(origin_reads: ModuleType, tmp_path: Path) -> None:
    """An account and a slot that a chain was born with never read as nothing; made contracts stay whole."""
    with origin_reads.living_origin(12, 120, seed=13, hidden=True) as origin:
        folder = origin_reads.captured(origin, tmp_path / "origin")
        tally = origin_reads.Reader(origin, seed=14).sweep(folder, READS)
    print(f"{origin.words()}\n{tally.words()}")
    assert tally.faults() == []
    assert tally.inside >= 0.7 * READS and tally.missed_outside >= 10


def changed(info: SnapshotInfo, rows: SnapshotRows, lie: str) -> SnapshotInfo:
    """A capture with rows of claimed state lost or changed, or with claims lost."""
    if lie == "lost contracts":
        rows.accounts = [row for row in rows.accounts if row.to_block < BLOCKS or row.nonce == 0]
    elif lie == "other balances":
        rows.accounts = [replace(row, balance=row.balance + 1) for row in rows.accounts]
    elif lie == "zero slots":
        rows.storage = [replace(row, value=bytes(32)) for row in rows.storage]
    elif lie == "other log data":
        rows.logs = [{**log, "data": log["data"] + "00"} for log in rows.logs]
    elif lie == "lost slots":
        rows.storage = rows.storage[::2]
    else:
        kept = Claims.of(claim for claim in info.claims if claim.table not in ("accounts", "storage"))
        return replace(info, claims=kept)
    return info


@pytest.mark.parametrize(
    "lie", ["lost contracts", "lost slots", "other balances", "zero slots", "other log data", "no claims"]
)
def test_a_false_capture_is_found_out(
    living: Any, folder: Path, origin_reads: ModuleType, tmp_path: Path, lie: str
) -> None:
    """Lost rows of claimed state are wrong answers, as changed rows are; lost claims are misses inside coverage."""
    info, rows = read_snapshot(folder)
    write_snapshot(tmp_path / "false", changed(info, rows, lie), rows)
    tally = origin_reads.Reader(living, seed=12).sweep(tmp_path / "false", 80)
    assert tally.missed_inside if lie == "no claims" else tally.wrong, tally.words()
