from pathlib import Path

import pytest

from caia_replay.bench.lookup import look_up, rows, write_storage
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot, reseal
from caia_replay.errors import CheckFailed


def test_the_larger_snapshot_is_measured_beside_the_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded and absent slots at p50 and p99, and memory, all positive and named by both sizes."""
    monkeypatch.setattr("caia_replay.bench.lookup._SIZES", (200, 10**6))
    monkeypatch.setattr("caia_replay.bench.lookup._LOOKUPS", 50)
    measured = list(rows(9_000))
    assert [row.name for row in measured] == [
        f"{what}, 9,000 rows beside 200"
        for what in ("recorded slot p50", "recorded slot p99", "absent slot p50", "absent slot p99", "lookup memory")
    ]
    assert all(row.value > 0 and row.floor > 0 and row.limit is None for row in measured)
    assert [row.unit for row in measured] == ["us"] * 4 + ["MB"]


def test_the_synthetic_snapshot_is_an_ordinary_one(tmp_path: Path) -> None:
    """It has the rows asked for, opens verified, and sealing it anew changes no byte."""
    write_storage(tmp_path / "bench", 9_001)
    Snapshot.open(tmp_path / "bench")
    assert len(read_snapshot(tmp_path / "bench")[1].storage) == 9_001
    before = {path.name: path.read_bytes() for path in (tmp_path / "bench").iterdir()}
    reseal(tmp_path / "bench")
    assert {path.name: path.read_bytes() for path in (tmp_path / "bench").iterdir()} == before


def test_a_wrong_answer_is_no_figure(tmp_path: Path) -> None:
    """A snapshot that lacks rows it should have ends the measurement."""
    write_storage(tmp_path / "bench", 200)
    with pytest.raises(CheckFailed, match="found 0x0000"):
        look_up(tmp_path / "bench", 400, 50)
