from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, write_snapshot
from caia_replay.chain.table import BLOCKS, LOGS, RECEIPTS, TRANSACTIONS
from caia_replay.chain.whole_range import computed_columns, unfit_columns, whole_range
from caia_replay.errors import Miss

TABLES = (BLOCKS, TRANSACTIONS, RECEIPTS, LOGS)


@pytest.fixture(scope="module")
def recorded(shipped: Path) -> tuple[SnapshotInfo, SnapshotRows]:
    """The shipped small chain as rows, with headers that list their transactions."""
    info, rows = read_snapshot(shipped.parents[1] / "chain_snapshots" / "mini")
    hashes: dict[str, list[str]] = {row["number"]: [] for row in rows.blocks}
    for row in sorted(rows.transactions, key=lambda row: int(row["transactionIndex"], 16)):
        hashes[row["blockNumber"]].append(row["hash"])
    return info, replace(rows, blocks=[{**row, "transactions": hashes[row["number"]]} for row in rows.blocks])


def opened(folder: Path, info: SnapshotInfo, rows: SnapshotRows) -> Snapshot:
    write_snapshot(folder / "chain", info, rows)
    return Snapshot.open(folder / "chain")


def test_claims_and_headers_prove_the_same_rows(recorded: tuple[SnapshotInfo, SnapshotRows], tmp_path: Path) -> None:
    """A range that is claimed, and the same looked at block by block, give one table in one order."""
    info, rows = recorded
    claimed = opened(tmp_path / "a", info, rows)
    unclaimed = opened(tmp_path / "b", replace(info, claims=Claims()), rows)
    for table in TABLES:
        for first, last in ((0, 50), (7, 7)):
            found = whole_range(claimed, table, first, last)
            assert found.schema == table.schema and found.num_rows > 0
            assert set(found["block_number"].to_pylist()) <= set(range(first, last + 1))
            assert whole_range(unclaimed, table, first, last).to_pylist() == found.to_pylist()


def test_a_hole_is_a_miss_that_names_table_and_range(
    recorded: tuple[SnapshotInfo, SnapshotRows], tmp_path: Path
) -> None:
    """One transaction or header less and nothing claimed: no answer for a range that holds it."""
    info, rows = recorded
    lost = next(row for row in rows.transactions if int(row["blockNumber"], 16) == 7)
    fewer = replace(
        rows,
        transactions=[row for row in rows.transactions if row is not lost],
        blocks=[row for row in rows.blocks if int(row["number"], 16) != 9],
    )
    holed = opened(tmp_path, replace(info, claims=Claims.of([Claim("logs", 0, 20)])), fewer)
    for table, first, last in ((TRANSACTIONS, 3, 8), (BLOCKS, 8, 10), (RECEIPTS, 7, 7)):
        with pytest.raises(Miss, match=f"all {table.name} of blocks {first} to {last}"):
            whole_range(holed, table, first, last)
    assert whole_range(holed, LOGS, 0, 20).num_rows > 0
    assert whole_range(holed, TRANSACTIONS, 3, 6).num_rows > 0


def test_what_no_column_holds_and_what_was_computed_is_named(
    recorded: tuple[SnapshotInfo, SnapshotRows], tmp_path: Path
) -> None:
    """A value that a node wrote unusually is not null, and a computed time is none that was recorded."""
    info, rows = recorded
    info = replace(info, claims=Claims.of(claim for claim in info.claims if claim.table != "blocks"))
    odd = [{**row, "gas": "0x00ffff"} if at == 3 else row for at, row in enumerate(rows.transactions)]
    chain = opened(tmp_path, replace(info, reconstructed={5: ("timestamp",)}), replace(rows, transactions=odd))
    assert unfit_columns(TRANSACTIONS, whole_range(chain, TRANSACTIONS, 0, 50)) == {"gas_limit"}
    assert unfit_columns(RECEIPTS, whole_range(chain, RECEIPTS, 0, 50)) <= {"block_timestamp"}
    assert (computed_columns(chain, 0, 5), computed_columns(chain, 6, 50)) == ({"timestamp"}, frozenset())
