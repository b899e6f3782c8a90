"""What SQL may say, held against the engine's own parser, and the order that a statement is given."""

from __future__ import annotations

import duckdb
import pytest

from caia_replay.chain.sql_statement import MOST_CHARS, Statement
from caia_replay.errors import ToolError

KNOWN = frozenset(("blocks", "logs", "transactions"))

HOSTILE = [
    # not one SELECT
    "",
    ";",
    "SELECT 1; SELECT 2",
    "PRAGMA threads=4",
    "SET threads = 4",
    "RESET threads",
    "ATTACH '/tmp/x.db'",
    "COPY blocks TO '/tmp/caia-replay-x.csv'",
    "COPY (SELECT 1) TO '/tmp/caia-replay-x'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CREATE TABLE t AS SELECT 1",
    "INSERT INTO blocks VALUES (1)",
    "DELETE FROM blocks",
    "CALL pragma_version()",
    "DROP TABLE blocks",
    "UPDATE blocks SET gas_used = 0",
    "EXPORT DATABASE '/tmp/x'",
    "BEGIN",
    "CHECKPOINT",
    "EXPLAIN SELECT 1",
    "DESCRIBE blocks",
    "SELECT exp(1)",
    "SELECT 2 ** 0.5",
    "SELECT 2 ^ 0.5",
    "SELECT ln(gas_used) FROM blocks",
    "SELECT block_time AT TIME ZONE 'Asia/Tokyo' FROM blocks",
    "SELECT count(*) FROM logs WHERE address = '0x0C0C818F71F685EFC863325FABB46CEF7FAC6704'",
    "SUMMARIZE blocks",
    "SHOW TABLES",
    "SELECT * FROM (DESCRIBE blocks)",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "SELECT $1",
    "SELECT ?",
    "VACUUM",
    "USE memory",
    "PIVOT blocks ON author",
    # files and machines
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "FROM read_parquet('https://example.com/x.parquet')",
    "SELECT * FROM glob('/*')",
    "FROM read_blob('/etc/passwd')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT read_text('/etc/passwd')",
    "FROM 's3://bucket/x.parquet'",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('blocks')",
    "FROM parquet_metadata('/tmp/x')",
    # the engine's own catalog and settings
    "SELECT * FROM duckdb_settings()",
    "FROM duckdb_tables",
    "FROM information_schema.tables",
    "FROM pg_catalog.pg_class",
    "FROM sqlite_master",
    "SELECT current_setting('threads')",
    "SELECT version()",
    "SELECT getenv('HOME')",
    "FROM main.blocks",
    "SELECT getvariable('x')",
    "SELECT current_database()",
    "SELECT current_user",
    "SELECT user",
    "SELECT pg_backend_pid()",
    "WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings",
    "SELECT current_schema",
    "WITH a AS (FROM duckdb_tables), duckdb_tables AS (SELECT 1) FROM a",
    "SELECT system.main.random()",
    "WITH RECURSIVE duckdb_views(x) AS (SELECT 1 FROM duckdb_views UNION ALL SELECT 2) FROM duckdb_views",
    # clocks and chance
    "SELECT now()",
    "SELECT current_timestamp",
    "SELECT current_date",
    "SELECT today()",
    "SELECT localtime",
    "SELECT CURRENT_TIME",
    "SELECT random()",
    "SELECT gen_random_uuid()",
    "SELECT uuid()",
    "SELECT setseed(0.5)",
    "SELECT age(TIMESTAMP '2024-01-01')",
    "SELECT * FROM blocks USING SAMPLE 3",
    "SELECT * FROM blocks TABLESAMPLE 10%",
    "SELECT * FROM blocks ORDER BY random()",
    "SELECT block_number FROM blocks WHERE random() < 0.5",
    "SELECT sum(random()) OVER () FROM blocks",
    "SELECT txid_current()",
    "SELECT * FROM range(CAST(random() * 9 AS BIGINT))",
    "SELECT nextval('s')",
    "SELECT sleep_ms(1)",
    "SELECT write_log('x')",
    # values without end
    "SELECT repeat('x', 4000000000)",
    "SELECT lpad('x', 4000000000, 'y')",
    "SELECT len(range(1000000000))",
    "SELECT lpad('x', (SELECT max(gas_limit) FROM blocks), 'y')",
    "SELECT format('{:4000000000}', 1)",
    "SELECT bar(1, 0, 2, 900)",
    "SELECT " + "(" * 3_000 + "1" + ")" * 3_000,
    "SELECT 1" + " " * MOST_CHARS,
]

ALLOWED = [
    ("SELECT count(*) FROM blocks", ["blocks"]),
    ("select B.block_number from BLOCKS b where gas_used > 5 order by 1 limit 3", ["blocks"]),
    (
        "WITH big AS (SELECT * FROM logs) SELECT * FROM big JOIN transactions USING (transaction_hash)",
        ["logs", "transactions"],
    ),
    ("WITH blocks AS (SELECT 1 AS x) SELECT * FROM blocks", []),
    ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r", []),
    ("SELECT sum(value) OVER (PARTITION BY from_address ORDER BY block_number) FROM transactions", ["transactions"]),
    (
        "SELECT date_trunc('day', block_time), count(*) FILTER (success) FROM transactions GROUP BY ALL",
        ["transactions"],
    ),
    ("SELECT CASE WHEN gas_used > 1 THEN 'a' ELSE 'b' END, coalesce(NULL, 1), x IN (1, 2) FROM blocks", ["blocks"]),
    (
        "SELECT * FROM blocks WHERE EXISTS (SELECT 1 FROM logs WHERE logs.block_number = blocks.block_number)",
        ["blocks", "logs"],
    ),
    ("VALUES (1, 'a'), (2, 'b')", []),
    ("FROM range(3) SELECT lpad('7', 64, '0'), [x * 2 FOR x IN [1, 2]]", []),
    ("SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3", []),
    ("SELECT block_time, '0xff'::HUGEINT, substr(data, 3, 64) LIKE '0%' FROM logs", ["logs"]),
]


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    """An engine that parses and runs nothing."""
    return duckdb.connect(":memory:")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_sql_may_not_say_is_refused(engine: duckdb.DuckDBPyConnection, text: str) -> None:
    """Everything but one SELECT over the tables: no file, machine, clock, chance or setting, nothing endless."""
    with pytest.raises(ToolError) as caught:
        Statement(engine, text, KNOWN)
    assert str(caught.value) and len(str(caught.value)) < 2 * MOST_CHARS


@pytest.mark.parametrize(("text", "tables"), ALLOWED)
def test_one_select_over_the_tables_is_taken(engine: duckdb.DuckDBPyConnection, text: str, tables: list[str]) -> None:
    """Joins, subqueries, windows, recursion and sets; the tables that it reads are named."""
    assert Statement(engine, text, KNOWN).tables == tables


def test_a_wrong_name_is_told_with_the_nearest(engine: duckdb.DuckDBPyConnection) -> None:
    """A function by its nearest, a table with all there are."""
    with pytest.raises(ToolError, match="nearest: date_trunc"):
        Statement(engine, "SELECT date_trunk('day', block_time) FROM blocks", KNOWN)
    with pytest.raises(ToolError, match="there are: blocks, logs, transactions"):
        Statement(engine, "SELECT * FROM block", KNOWN)


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("SELECT 1, 2", "SELECT 1, 2 ORDER BY 1, 2"),
        ("SELECT 1, 2 LIMIT 3", "SELECT 1, 2 ORDER BY 1, 2 LIMIT 3"),
        ("SELECT 1, 2 ORDER BY 2 DESC LIMIT 3", "SELECT 1, 2 ORDER BY 2 DESC, 1, 2 LIMIT 3"),
        ("SELECT DISTINCT 1, 2 LIMIT 3 OFFSET 1", "SELECT DISTINCT 1, 2 ORDER BY 1, 2 LIMIT 3 OFFSET 1"),
        ("SELECT 1, 2 ORDER BY ALL DESC", "SELECT 1, 2 ORDER BY COLUMNS(*) DESC"),
    ],
)
def test_an_order_leaves_nothing_open(engine: duckdb.DuckDBPyConnection, text: str, ordered: str) -> None:
    """After the statement's own order, or in place of one, come its columns from the left."""
    assert Statement(engine, text, KNOWN).ordered(2) == ordered
