"""SQL over recorded tables: it counts what the snapshot counts, and reaches nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot, write_snapshot
from caia_replay.chain.sql_query import SqlAnswer, SqlRange, run_sql
from caia_replay.chain.sql_table import TABLES, create_from, number_casts, number_columns, sql_table
from caia_replay.errors import BadInput, ForkFault, Miss, ToolError, WallLimit

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
REFUSED_WHEN_RUN = [
    "SELECT nosuch FROM blocks", "SELECT 1 // 0", "SELECT 170141183460469231731687303715884105727 + 1",
    "SELECT 'now'::TIMESTAMP", "SELECT sum(from_address) FROM transactions", "SELECT * FROM read_csv('/etc/passwd')",
    "COPY blocks TO '/tmp/caia-replay-x.csv'",
    pytest.param(
        "WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r) SELECT max(length(s)) FROM r",
        marks=pytest.mark.check,
    ),
]  # fmt: skip
COUNTED = """
SELECT (SELECT count(*) FROM transactions),
  (SELECT coalesce(sum(value), 0) FROM transactions),
  (SELECT coalesce(sum(gas_used::HUGEINT * effective_gas_price), 0) FROM transactions),
  (SELECT count(*) FILTER (success) FROM transactions),
  (SELECT count(contract_address) FROM transactions),
  (SELECT count(DISTINCT from_address) FROM transactions),
  (SELECT count(*) FROM logs),
  (SELECT count(DISTINCT address) FROM logs),
  (SELECT count(topic1) FROM logs),
  (SELECT count(*) FROM erc20_transfers),
  (SELECT coalesce(sum(value), 0) FROM erc20_transfers)
"""
LONG = [
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "SELECT sum(i % 7) FROM range(1000000000000) a(i)",
]


@pytest.fixture(scope="module")
def chain(shipped: Path) -> Snapshot:
    """The shipped chain's snapshot."""
    (folder,) = (path for path in (shipped.parents[1] / "chain_snapshots").iterdir() if path.name.startswith("mini"))
    return Snapshot.open(folder)


def over(chain: Snapshot, first: int = 0, last: int | None = None) -> SqlRange:
    return SqlRange(chain, first, chain.heights[-1][1] if last is None else last)


def ask(chain: Snapshot, text: str, first: int = 0, last: int | None = None, **more: Any) -> SqlAnswer:
    return run_sql(text, over(chain, first, last), **{"limit": 100, **more})


def test_counts_sums_and_rows_are_the_snapshots_own(chain: Snapshot) -> None:
    """Over random ranges transactions, values, fees, logs, tokens; and each block and transaction in chain order."""
    rng, end = Random(8), chain.heights[-1][1]
    for _ in range(2):
        first, last = sorted((rng.randint(0, end), rng.randint(0, end)))
        bodies = [row for number in range(first, last + 1) for row in chain.transactions(number)]
        receipts = [row for number in range(first, last + 1) for row in chain.receipts(number)]
        fees = sum(int(row["gasUsed"], 16) * int(row["effectiveGasPrice"], 16) for row in receipts)
        logs = chain.logs(first, last, LogFilter())
        moved = [log for log in logs if log["topics"][:1] == [TRANSFER] and len(log["topics"]) == 3]
        assert ask(chain, COUNTED, first, last).rows[0] == [
            len(bodies),
            str(sum(int(body["value"], 16) for body in bodies)),
            str(fees),
            sum(int(receipt["status"], 16) for receipt in receipts),
            sum(receipt.get("contractAddress") is not None for receipt in receipts),
            len({body["from"] for body in bodies}),
            len(logs),
            len({log["address"] for log in logs}),
            sum(len(log["topics"]) > 1 for log in logs),
            len(moved),
            str(sum(int(log["data"], 16) for log in moved)),
        ]
    end = chain.heights[-1][1]
    blocks = ask(
        chain, "SELECT block_number, block_hash, timestamp, gas_used, epoch(block_time) FROM blocks", limit=1_000
    )
    headers = [chain.header(number) for number in range(end + 1)]
    assert blocks.rows == [
        [number, head["hash"], int(head["timestamp"], 16), int(head["gasUsed"], 16), int(head["timestamp"], 16)]
        for number, head in enumerate(headers)
    ]
    told = ask(chain, "SELECT block_number, transaction_index, transaction_hash, to_address, value_string FROM "
               "transactions", limit=1_000).rows  # fmt: skip
    bodies = [row for number in range(end + 1) for row in chain.transactions(number)]
    assert told == [
        [int(row["blockNumber"], 16), int(row["transactionIndex"], 16), row["hash"], row["to"],
         str(int(row["value"], 16))] for row in bodies
    ]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED_WHEN_RUN)
def test_what_cannot_be_run_is_told_in_one_line(chain: Snapshot, text: str) -> None:
    """Names that are not there, numbers that overflow, files, and values or answers that outgrow the memory."""
    with pytest.raises(ToolError) as caught:
        ask(chain, text)
    assert str(caught.value) and "\n" not in str(caught.value)
    assert not Path("/tmp/caia-replay-x.csv").exists()


@pytest.mark.check
@pytest.mark.parametrize("text", LONG)
def test_what_runs_for_ever_ends_at_the_limit(chain: Snapshot, text: str) -> None:
    """A limit of real time is no fault that a model is told of."""
    with pytest.raises(WallLimit, match=r"the SQL statement took longer than 1\.5 s"):
        ask(chain, text, limit_s=1.5)


def test_a_statement_that_nests_too_deeply_is_told_in_one_line(chain: Snapshot) -> None:
    """However many operators it has, it is answered or refused, and the engine lives."""
    for count in (100, 450, 600, 2_000):
        try:
            assert ask(chain, "SELECT " + "+".join("1" * count)).rows == [[count]]
        except ToolError as fault:
            assert "\n" not in str(fault)


def test_rows_come_in_an_order_that_leaves_nothing_open(chain: Snapshot) -> None:
    """Ties of an ORDER BY, groups and limits without one: by the columns from the left, nulls last."""
    grouped = ask(chain, "SELECT from_address, count(*) FROM transactions GROUP BY 1").rows
    assert grouped == sorted(grouped) and len(grouped) > 3
    tied = ask(chain, "SELECT transaction_type, transaction_hash FROM transactions ORDER BY transaction_type").rows
    assert tied == sorted(tied)
    assert (
        ask(chain, "SELECT transaction_hash FROM transactions LIMIT 3").rows
        == sorted([row[1]] for row in ask(chain, "SELECT 1, transaction_hash FROM transactions", limit=1_000).rows)[:3]
    )
    falling = ask(chain, "SELECT block_time, block_number FROM blocks ORDER BY block_number DESC").rows
    assert [row[1] for row in falling] == sorted((row[1] for row in falling), reverse=True)
    assert ask(chain, "SELECT * FROM (VALUES (NULL), (2), (1)) t(x)").rows == [[1], [2], [None]]
    united = "SELECT 2 AS x UNION ALL SELECT 1 UNION ALL SELECT 3 ORDER BY ALL DESC LIMIT 2"
    assert ask(chain, united).rows == [[3], [2]]


def test_an_answer_is_cut_openly_or_refused(chain: Snapshot) -> None:
    """Parts add up to the whole and say how many there are; equal statements agree; too long rows are refused."""
    text = "SELECT log_index, address FROM logs"
    whole = ask(chain, text, limit=1_000)
    parts = [ask(chain, text, limit=200, offset=at) for at in range(0, whole.total, 200)]
    assert [row for part in parts for row in part.rows] == whole.rows
    assert {(part.total, part.counted) for part in parts} == {(len(whole.rows), True)}
    counted = ask(chain, "SELECT i FROM range(3000000) t(i)", limit=1)
    assert (counted.counted, counted.total, counted.rows) == (False, 1_000_000, [[0]])
    text = "SELECT from_address, sum(value_f64 / 1e18), avg(gas_used), stddev(gas_used) FROM transactions GROUP BY ALL"
    first = ask(chain, text)
    assert ask(chain, text) == first and ask(chain, text.lower()).rows == first.rows
    with pytest.raises(ToolError, match="at most 100000 are told at once"):
        ask(chain, "SELECT input, input, input, input FROM transactions", limit=1_000)


def test_values_come_as_exact_json(chain: Snapshot) -> None:
    """Wide integers and decimals as text, what is no number by its name, times in UTC, bytes and lists as text."""
    told = ask(
        chain,
        "SELECT 1::DOUBLE, 10::HUGEINT * 10::HUGEINT, 1.50::DECIMAL(10, 2), 9007199254740993, 0.1::DOUBLE, "
        "0.0 / 0, 1e308 * 10, -1e308 * 10, true, NULL, TIMESTAMP '2024-05-31 14:00:00', DATE '2024-05-31', [1, 2], "
        "from_hex('00ff'), '2024-05-31 14:00:00+02'::TIMESTAMPTZ, 'a', 'infinity'::TIMESTAMP",
    ).rows
    assert told == [
        [1.0, "100", "1.50", "9007199254740993", 0.1, "NaN", "Infinity", "-Infinity", True, None,
         "2024-05-31T14:00:00Z", "2024-05-31", "[1, 2]", "0x00ff", "2024-05-31 12:00:00+00", "a", "infinity"]
    ]  # fmt: skip


def test_a_range_ends_where_it_ends(chain: Snapshot) -> None:
    """Nothing outside can be seen; past the last recorded block the miss names table and range."""
    text = " UNION ALL ".join(
        f"SELECT min(block_number), max(block_number) FROM {table}"
        for table in ("blocks", "transactions", "logs", "erc20_transfers")
    )
    for first, last in ((7, 7), (20, 41)):
        for row in ask(chain, text, first, last).rows:
            assert row == [None, None] or first <= row[0] <= row[1] <= last
    end = chain.heights[-1][1]
    for table in ("blocks", "transactions", "logs"):
        with pytest.raises(Miss) as caught:
            ask(chain, f"SELECT count(*) FROM {table}", 3, end + 1)
        assert f"of blocks 3 to {end + 1}" in caught.value.detail.wanted


def test_the_engine_is_an_extra_and_its_death_a_fault_of_the_world(
    chain: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer is no answer, and never an empty one."""
    monkeypatch.setattr("caia_replay.chain.sql_query.MEMORY_BYTES", 1 << 20)
    with pytest.raises(ForkFault, match="without an answer"):
        ask(chain, "SELECT 1")
    monkeypatch.setattr("caia_replay.chain.sql_query.find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"pip install duckdb"):
        ask(chain, "SELECT 1")


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
