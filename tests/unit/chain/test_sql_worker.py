import json
import subprocess
import sys
from typing import Any

ASKED = {"sql": "SELECT x FROM t", "tables": ["t"], "memory_bytes": 4 << 30, "cpu_s": 60}
ORDER = {"create": ["CREATE TABLE t AS SELECT 7 AS x"], "limit": 10, "offset": 0}


def told(*lines: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """What a worker says to these lines, and its exit code."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    command = [sys.executable, "-m", "caia_replay.chain.sql_worker"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def test_it_names_the_tables_then_answers() -> None:
    """Two lines each way."""
    answer = {"columns": [{"name": "x", "type": "INTEGER"}], "rows": [[7]], "total": 1, "counted": True}
    assert told(ASKED, ORDER) == ([{"tables": ["t"]}, answer], 0)


def test_a_statement_that_may_not_run_is_refused_before_any_table_is_made() -> None:
    """One line, and the process ends."""
    replies, code = told({**ASKED, "sql": "SELECT now() FROM t"})
    assert (len(replies), code) == (1, 0) and "'now' is not available" in replies[0]["refused"]


def test_text_is_whole_or_refused() -> None:
    """A NUL or half a character in the statement is refused, by a process that lives; one in the data stays."""
    for text in ("SELECT 'a\0b'", "SELECT '\ud800'", f"SELECT lpad('x', {'9' * 5_000}, 'y')"):
        replies, code = told({**ASKED, "sql": text})
        assert (list(replies[0]), code) == (["refused"], 0)
    text = "SELECT x, length(x), [x], x || '!' FROM t"
    order = {**ORDER, "create": ["CREATE TABLE t AS SELECT 'a' || chr(0) || 'b' AS x"]}
    assert told({**ASKED, "sql": text}, order)[0][1]["rows"] == [["a\0b", 3, "[a\0b]", "a\0b!"]]


def test_a_column_that_is_not_there_is_named() -> None:
    """So that whoever asked can say why it is not there."""
    replies, _ = told({**ASKED, "sql": "SELECT nosuch FROM t"}, ORDER)
    assert replies[1]["column"] == "nosuch" and "LINE" not in replies[1]["refused"]


def test_a_table_that_cannot_be_made_is_no_fault_of_the_statement() -> None:
    """The process dies of it."""
    replies, code = told(ASKED, {**ORDER, "create": ["CREATE TABLE t AS SELECT nosuch"]})
    assert replies == [{"tables": ["t"]}] and code != 0


def test_a_value_that_outgrows_the_memory_is_refused() -> None:
    """The system holds the limit where the engine does not."""
    text = "WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r) SELECT max(length(s)) FROM r"
    replies, code = told({**ASKED, "sql": text, "memory_bytes": 1 << 30}, {**ORDER, "create": []})
    assert "more memory" in replies[1]["refused"] and code == 0
