"""What SQL may say, held against the engine's own parser and functions."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.sql_statement import (
    AGGREGATES,
    CALLED_BY_TEXT,
    FUNCTIONS,
    HIDDEN_CALLS,
    MOST_CHARS,
    PADDING,
    TABLE_FUNCTIONS,
    Statement,
)
from caia_replay.errors import ToolError

KNOWN = frozenset(("blocks", "logs", "transactions"))
HOSTILE = [
    # not one SELECT
    "", ";", "SELECT 1; SELECT 2", "PRAGMA threads=4", "SET threads = 4", "ATTACH '/tmp/x.db'",
    "COPY blocks TO '/tmp/caia-replay-x.csv'", "INSTALL httpfs", "INSERT INTO blocks VALUES (1)",
    "CALL pragma_version()", "BEGIN", "EXPLAIN SELECT 1", "DESCRIBE blocks", "SELECT exp(1)", "SELECT 2 ** 0.5",
    "SELECT block_time AT TIME ZONE 'Asia/Tokyo' FROM blocks",
    "SELECT count(*) FROM logs WHERE address = '0x0C0C818F71F685EFC863325FABB46CEF7FAC6704'", "SUMMARIZE blocks",
    "SELECT * FROM (DESCRIBE blocks)", "PREPARE p AS SELECT 1", "SELECT $1", "SELECT ?", "PIVOT blocks ON author",
    # files and machines
    "SELECT * FROM '/etc/passwd'", "SELECT * FROM read_csv('/etc/passwd')",
    "FROM read_parquet('https://example.com/x.parquet')", "SELECT * FROM glob('/*')", "SELECT read_text('/etc/passwd')",
    "SELECT * FROM query('SELECT 1')",
    # the engine's own catalog and settings
    "SELECT * FROM duckdb_settings()", "FROM duckdb_tables", "FROM information_schema.tables",
    "SELECT current_setting('threads')", "FROM main.blocks", "SELECT current_database()", "SELECT user",
    "WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings", "SELECT current_schema",
    "WITH a AS (FROM duckdb_tables), duckdb_tables AS (SELECT 1) FROM a", "SELECT system.main.random()",
    "WITH RECURSIVE duckdb_views(x) AS (SELECT 1 FROM duckdb_views UNION ALL SELECT 2) FROM duckdb_views",
    # clocks and chance
    "SELECT current_timestamp", "SELECT CURRENT_TIME", "SELECT random()", "SELECT age(TIMESTAMP '2024-01-01')",
    "SELECT * FROM blocks USING SAMPLE 3", "SELECT * FROM blocks TABLESAMPLE 10%",
    "SELECT * FROM blocks ORDER BY random()", "SELECT sum(random()) OVER () FROM blocks",
    "SELECT * FROM range(CAST(random() * 9 AS BIGINT))",
    # values without end
    "SELECT repeat('x', 4000000000)", "SELECT lpad('x', 4000000000, 'y')", "SELECT len(range(1000000000))",
    "SELECT lpad('x', (SELECT max(gas_limit) FROM blocks), 'y')", "SELECT format('{:4000000000}', 1)",
    # functions that call another by its name
    "SELECT list_aggr([1, 2], 'Reservoir_Quantile', 0.5)", "SELECT list_aggregate([1], x) FROM (SELECT 'entropy' AS x)",
    "SELECT list_transform(['entropy'], lambda x: list_aggr([1], x))", "SELECT list_aggregate([1, 2], NULL)",
    "SELECT list_aggregate([1, 2])", "SELECT list_aggregate([1, 2], 'entropy'::VARCHAR)", "SELECT list_aggr([1], '')",
    # what is no text, and numbers that no machine reads
    "SELECT 'a\0b'", "SELECT 1 AS \"a\0b\"", "\0", "SELECT 'a\ud800b'", f"SELECT lpad('x', {'9' * 5_000}, 'y')",
    "SELECT lpad('x', 0xff, 'y')", "SELECT lpad('x')",
    "SELECT bar(1, 0, 2, 900)", "SELECT " + "(" * 3_000 + "1" + ")" * 3_000, "SELECT 1" + " " * MOST_CHARS,
]  # fmt: skip
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
    ("SELECT list_aggregate([1], 'SUM'), [1].list_aggr('quantile_cont', 0.5), rpad('7', -1, '0')", []),
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


def test_a_wrong_name_is_told_and_an_order_leaves_nothing_open(engine: duckdb.DuckDBPyConnection) -> None:
    """Functions by their nearest, tables with all there are; a statement's own order, then its columns."""
    with pytest.raises(ToolError, match="nearest: date_trunc"):
        Statement(engine, "SELECT date_trunk('day', block_time) FROM blocks", KNOWN)
    with pytest.raises(ToolError, match="there are: blocks, logs, transactions"):
        Statement(engine, "SELECT * FROM block", KNOWN)
    for text, ordered in [
        ("SELECT 1, 2", "SELECT 1, 2 ORDER BY 1, 2"),
        ("SELECT 1, 2 LIMIT 3", "SELECT 1, 2 ORDER BY 1, 2 LIMIT 3"),
        ("SELECT 1, 2 ORDER BY 2 DESC LIMIT 3", "SELECT 1, 2 ORDER BY 2 DESC, 1, 2 LIMIT 3"),
        ("SELECT DISTINCT 1, 2 LIMIT 3 OFFSET 1", "SELECT DISTINCT 1, 2 ORDER BY 1, 2 LIMIT 3 OFFSET 1"),
        ("SELECT 1, 2 ORDER BY ALL DESC", "SELECT 1, 2 ORDER BY COLUMNS(*) DESC"),
    ]:
        assert Statement(engine, text, KNOWN).ordered(2) == ordered


def test_every_allowed_function_is_there_and_depends_on_its_arguments_alone() -> None:
    """The engine knows each by this name, and calls none of them volatile or changing between statements."""
    engine = duckdb.connect(":memory:")
    told = engine.execute("SELECT function_name, stability FROM duckdb_functions()").fetchall()
    stability: dict[str, set[str]] = {}
    for name, kind in told:
        stability.setdefault(name, set()).add(kind)
    wanted = FUNCTIONS | PADDING | TABLE_FUNCTIONS
    assert wanted - stability.keys() == set()
    assert {name for name in FUNCTIONS if stability[name] - {"CONSISTENT", None}} == set()


def test_every_call_that_looks_like_a_column_is_known() -> None:
    """A bare word that the engine answers without a table is one of the hidden calls."""
    engine = duckdb.connect(":memory:")
    names = {row[0] for row in engine.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()}
    found = set()
    for name in names | HIDDEN_CALLS:
        try:
            engine.execute(f"SELECT {name}" if name.isidentifier() else "SELECT nothing")
        except duckdb.Error:
            continue
        found.add(name)
    assert found <= HIDDEN_CALLS and {"current_date", "current_timestamp"} <= found


CALLS = (
    '"{}"(x)', '(x)."{}"()', '[1, 2]."{}"(y)', '"{}"(x) OVER (PARTITION BY y)', '"{}"(x) FILTER (y > 1)',
    '"{}"(DISTINCT x ORDER BY y)', 'sum(1) OVER (PARTITION BY "{}"(x))', 'abs(lower("{}"(1)))', '"{}"(a := x)',
)  # fmt: skip
BY_TEXT = (
    "list_aggregate(x, '{}')", "LIST_AGGR([1], '{}', 0.5)", "[x].list_aggr('{}')", "list_aggregate(x, $${}$$)",
    "list_sum(list_aggregate([[x]], '{}'))",
)  # fmt: skip
NEVER = (
    'main."{}"(x)', 'system.main."{}"(x)', "aggregate(x, '{}')", "array_aggr(x, '{}')", "x.array_aggregate('{}')",
    "list_aggr(x, '{}' || '')", "list_aggregate(x, lower('{}'))",
)  # fmt: skip
FORMS = (
    (CALLS, FUNCTIONS), (BY_TEXT, AGGREGATES), (NEVER, frozenset[str]()), (('EXISTS (FROM "{}"(1))',), TABLE_FUNCTIONS),
)  # fmt: skip
PLACES = (
    "SELECT {} FROM blocks", "SELECT 1 FROM blocks WHERE {} = 1", "SELECT 1 FROM blocks ORDER BY {}",
    "SELECT 1 FROM blocks GROUP BY ALL HAVING {} > 1", "SELECT 1 FROM blocks QUALIFY {} > 1", "FROM unnest([{}])",
    "SELECT 1 FROM blocks JOIN logs ON {}", "SELECT 1 FROM blocks LIMIT (SELECT {})", "SELECT [{} FOR i IN [1]]",
    "SELECT * REPLACE ({} AS x) FROM blocks", "WITH a AS (SELECT {} AS x) FROM a", "SELECT (SELECT {} FROM blocks)",
    "VALUES (1), ({})", "FROM range({})", "SELECT list_transform([1], lambda i: {})", "SELECT CASE WHEN {} THEN 1 END",
    "SELECT COLUMNS(lambda c: {}) FROM blocks", "SELECT {'a': {}}, TRY({})", "SELECT 1 UNION ALL SELECT {}",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT {} FROM r) FROM r", "SELECT (({})::VARCHAR)[1:2]",
    "SELECT 1 FROM blocks, LATERAL (SELECT {})", "SELECT 1 IN (SELECT {}), EXISTS (SELECT {})",
)  # fmt: skip


@pytest.fixture(scope="module")
def names(engine: duckdb.DuckDBPyConnection) -> set[str]:
    """Every function of the engine whose name is a word, but for those that also look at their arguments."""
    told = engine.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    return {name for (name,) in told if name.isidentifier()} - PADDING - CALLED_BY_TEXT


@given(data=st.data())
def test_no_form_of_a_call_runs_what_is_not_allowed(
    engine: duckdb.DuckDBPyConnection, names: set[str], data: st.DataObject
) -> None:
    """However a call is written and wherever it stands, an allowed function is taken and no other one is."""
    forms, allowed = data.draw(st.sampled_from(FORMS))
    name = data.draw(st.one_of(st.sampled_from(sorted(some)) for some in (names - allowed, names & allowed) if some))
    call = data.draw(st.sampled_from(forms)).format(data.draw(st.sampled_from([name, name.upper()])))
    text = data.draw(st.sampled_from(PLACES)).replace("{}", call)
    if name in allowed:
        Statement(engine, text, KNOWN)
    else:
        with pytest.raises(ToolError, match=r"is not available|such as 'sum'"):
            Statement(engine, text, KNOWN)
