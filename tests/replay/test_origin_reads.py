"""Forks of a captured chain against the living chain: a sample of the soak, and proof that it can say no."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.claim import Claims
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, write_snapshot

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


def test_the_scenario_holds_what_is_hard(living: Any) -> None:
    """Three types of transactions, failures, logs with every number of topics."""
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


def lost_contracts(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.accounts = [row for row in rows.accounts if row.to_block < BLOCKS or row.nonce == 0]


def other_balances(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.accounts = [replace(row, balance=row.balance + 1) for row in rows.accounts]


def zero_slots(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.storage = [replace(row, value=bytes(32)) for row in rows.storage]


def other_log_data(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.logs = [{**log, "data": log["data"] + "00"} for log in rows.logs]


def lost_slots(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.storage = rows.storage[::2]


def no_claims(info: SnapshotInfo, rows: SnapshotRows) -> SnapshotInfo:
    return replace(info, claims=Claims.of(claim for claim in info.claims if claim.table not in ("accounts", "storage")))


@pytest.mark.parametrize(
    ("lie", "kind"),
    [
        (lost_contracts, "wrong"),
        (lost_slots, "wrong"),
        (no_claims, "missed_inside"),
        (other_balances, "wrong"),
        (zero_slots, "wrong"),
        (other_log_data, "wrong"),
    ],
)
def test_a_false_capture_is_found_out(
    living: Any,
    folder: Path,
    origin_reads: ModuleType,
    tmp_path: Path,
    lie: Callable[[SnapshotInfo, SnapshotRows], SnapshotInfo | None],
    kind: str,
) -> None:
    """Lost rows of claimed state are wrong answers, as changed rows are; lost claims are misses inside coverage."""
    info: SnapshotInfo
    info, rows = read_snapshot(folder)
    write_snapshot(tmp_path / "false", lie(info, rows) or info, rows)
    tally = origin_reads.Reader(living, seed=12).sweep(tmp_path / "false", 80)
    assert getattr(tally, kind), tally.words()
