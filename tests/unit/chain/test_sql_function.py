import duckdb

from caia_replay.chain.sql_function import FUNCTIONS, HIDDEN_CALLS, PADDING, TABLE_FUNCTIONS


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
