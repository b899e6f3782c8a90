from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot, write_snapshot
from caia_replay.chain.sql_query import SqlRange, run_sql
from caia_replay.chain.sql_table import TABLES, create_from, number_casts, number_columns, sql_table
from caia_replay.errors import Miss, ToolError


@pytest.fixture(scope="module")
def mini(shipped: Path) -> Path:
    """The shipped small chain's folder."""
    return shipped.parents[1] / "chain_snapshots" / "mini"


def rebuilt(mini: Path, folder: Path, **changes: Any) -> Snapshot:
    """The chain with other rows, or another manifest."""
    info, rows = read_snapshot(mini)
    told = {name: changes.pop(name) for name in ("claims", "reconstructed") if name in changes}
    write_snapshot(folder / "chain", replace(info, **told), replace(rows, **{k: v(rows) for k, v in changes.items()}))
    return Snapshot.open(folder / "chain")


def test_every_table_has_the_columns_its_papers_name(mini: Path, tmp_path: Path) -> None:
    """Keys, times, and a 256-bit number three times, with the types that are told."""
    chain, engine = Snapshot.open(mini), duckdb.connect(":memory:")
    columns: dict[str, dict[str, str]] = {}
    for name in TABLES:
        made = sql_table(name, chain, 0, 50, tmp_path)
        assert (made.absent, made.wide) == (frozenset(), frozenset())
        engine.execute(made.create)
        columns[name] = {row[0]: row[1] for row in engine.execute(f"DESCRIBE {name}").fetchall()}
        assert columns[name]["block_time"] == "TIMESTAMP" and columns[name]["timestamp"] == "BIGINT"
    for name, number in (("transactions", "value"), ("erc20_transfers", "value"), ("erc721_transfers", "token_id")):
        kinds = [columns[name][column] for column in (number, f"{number}_string", f"{number}_f64")]
        assert kinds == ["HUGEINT", "VARCHAR", "DOUBLE"]
    assert columns["transactions"]["success"] == "BOOLEAN" and "status" not in columns["transactions"]
    assert {"erc20", "from_address", "to_address"} <= columns["erc20_transfers"].keys()


def test_columns_that_were_not_recorded_are_a_miss_and_the_others_answer(mini: Path, tmp_path: Path) -> None:
    """A computed time, receipts that are not whole, a value no column holds: named, a miss; else the table serves."""
    chain = rebuilt(
        mini,
        tmp_path,
        claims=Claims.of([Claim(name, 0, 50) for name in ("transactions", "logs")]),
        reconstructed={5: ("timestamp", "gasUsed")},
        receipts=lambda rows: rows.receipts[1:],
        transactions=lambda rows: [{**row, "gas": "0x00ffff"} for row in rows.transactions],
    )
    over = SqlRange(chain, 0, 20)
    found = run_sql("SELECT count(*) FROM transactions", over, limit=1)
    assert found.rows[0][0] > 0
    assert {"gas_used", "success", "timestamp", "block_time", "gas_limit"} <= set(found.absent["transactions"])
    for text in (
        "SELECT sum(gas_used) FROM transactions",
        "SELECT timestamp FROM blocks",
        "SELECT gas_used FROM blocks",
    ):
        with pytest.raises(Miss, match="in all blocks from 0 to 20"):
            run_sql(text, over, limit=1)
    with pytest.raises(ToolError, match="nosuch"):
        run_sql("SELECT nosuch FROM transactions", over, limit=1)


def test_numbers_too_wide_for_the_engine_stay_exact_as_text(tmp_path: Path) -> None:
    """Up to 127 bits a number is one; beyond, its column is left out and the text and the double stay."""
    engine = duckdb.connect(":memory:")
    edge, most = (1 << 127) - 1, (1 << 256) - 1
    for at, values in enumerate(([0, edge, None], [most, 1, None])):
        columns, wide = number_columns("value", values)
        assert wide == (frozenset() if at == 0 else {"value"})
        casts = {name: cast for name, cast in number_casts(["value"]).items() if name in columns}
        engine.execute(create_from(f"t{at}", pa.table(columns), tmp_path, "1", casts))
        exact = engine.execute(f"SELECT value_string, value_f64 FROM t{at}").fetchall()
        assert sorted(exact, key=str) == sorted(
            ((None, None) if value is None else (str(value), float(value)) for value in values), key=str
        )
    assert engine.execute("SELECT sum(value) FROM t0").fetchone() == (edge,)
    with pytest.raises(duckdb.BinderException):
        engine.execute("SELECT value FROM t1")


def test_a_range_with_too_many_rows_is_told(mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table, its rows and what to do."""
    monkeypatch.setattr("caia_replay.chain.sql_table.MOST_ROWS", 5)
    with pytest.raises(ToolError, match=r"logs has [0-9]+ rows from block 0 to 50; one statement reads 5"):
        sql_table("logs", Snapshot.open(mini), 0, 50, tmp_path)
