from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.chain.completeness import bloom, check_claims
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, reseal
from caia_replay.errors import BadInput

if TYPE_CHECKING:
    from caia_replay.chain.snapshot_schema import SnapshotRows as Rows

TABLES = ("transactions", "receipts", "logs")


@pytest.fixture(scope="module")
def shipped_rows() -> tuple[SnapshotInfo, Rows]:
    """The shipped chain's rows."""
    return read_snapshot(Path(__file__).parents[3] / "chain_snapshots" / "mini")


def claim(info: SnapshotInfo, rows: SnapshotRows, **changes: Any) -> None:
    tables = {name: changes.get(name, getattr(rows, name)) for name in ("blocks", *TABLES)}
    check_claims(info, **tables)


def test_a_whole_chain_keeps_its_claims(shipped_rows: tuple[SnapshotInfo, Rows]) -> None:
    """The shipped snapshot's headers agree with all its rows, every bloom included."""
    info, rows = shipped_rows
    claim(info, rows)
    assert all(
        bloom(log for log in rows.logs if log["blockNumber"] == b["number"]) == b["logsBloom"] for b in rows.blocks
    )


@pytest.mark.parametrize("table", TABLES)
def test_a_lost_row_breaks_the_claim(shipped_rows: tuple[SnapshotInfo, Rows], table: str) -> None:
    """Losing the only, the first or any row of a block is seen, and named by table and block."""
    info, rows = shipped_rows
    whole = getattr(rows, table)
    for at in range(0, len(whole), max(1, len(whole) // 25)):
        lost = whole[:at] + whole[at + 1 :]
        if table == "logs" and bloom(x for x in lost if x["blockNumber"] == whole[at]["blockNumber"]) == bloom(
            x for x in whole if x["blockNumber"] == whole[at]["blockNumber"]
        ):
            continue  # a twin of a log that stayed: a bloom cannot tell
        with pytest.raises(BadInput, match=f"block {int(whole[at]['blockNumber'], 16)} "):
            claim(info, rows, **{table: lost})
    with pytest.raises(BadInput, match=table):
        claim(info, rows, **{table: []})


def test_a_lost_header_breaks_the_claim(shipped_rows: tuple[SnapshotInfo, Rows]) -> None:
    """A complete blocks table has every height."""
    info, rows = shipped_rows
    with pytest.raises(BadInput, match="block 7 has no header"):
        claim(info, rows, blocks=rows.blocks[:7] + rows.blocks[8:])


@pytest.mark.parametrize("table", ["logs", "transactions", "receipts", "accounts"])
def test_sealing_never_blesses_a_missing_table(mini: Path, table: str) -> None:
    """A table file that is gone is refused by lint and by --seal, which both say how to bring it back."""
    folder = mini / "chain_snapshots" / "mini"
    next(folder.glob(f"*__{table}__*.parquet")).unlink()
    for act in (Snapshot.open, reseal):
        with pytest.raises(BadInput, match=r"missing.*git checkout"):
            act(folder)
