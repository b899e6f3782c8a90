"""CAIA's files, and files that only look like them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import MAX_BYTES, question_digest, read_rows

HEAD = "id,question,answer,category\n"


def written(tmp_path: Path, text: str | bytes) -> Path:
    """A file of these bytes."""
    path = tmp_path / "file"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rows_text(*rows: tuple[str, ...]) -> str:
    """A CSV of these rows."""
    out = io.StringIO()
    csv.writer(out).writerows([("id", "question", "answer", "category"), *rows])
    return out.getvalue()


def refused(path: Path) -> str:
    """The one line that a file is refused with."""
    with pytest.raises(BadInput) as told:
        read_rows(path)
    assert "\n" not in str(told.value) and len(str(told.value)) <= 600
    return str(told.value)


def test_rows_are_read_in_order_with_our_names(tmp_path: Path) -> None:
    """Numbers get three digits, categories our spelling, languages their name."""
    path = written(
        tmp_path, rows_text(("7", "Who, then?", "A, b", "onchain analysis"), ("8", "谁", "甲", "Tokenomics"))
    )
    first, second = read_rows(path)
    assert (first.id, first.task_id, first.question, first.answer) == ("7", "caia-007", "Who, then?", "A, b")
    assert (first.category, first.language, second.category, second.language) == (
        "on-chain analysis",
        "en",
        "tokenomics",
        "zh",
    )


def test_the_older_json_has_levels_and_no_answers(tmp_path: Path) -> None:
    """Its ids are kept."""
    item = {"task_id": "9a-1", "question": "Who?", "level": 2, "category": "overlap"}
    (row,) = read_rows(written(tmp_path, json.dumps([item])))
    assert (row.task_id, row.answer, row.level) == ("caia-9a-1", None, 2)


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    """Spreadsheets write one."""
    assert len(read_rows(written(tmp_path, "\ufeff" + rows_text(("1", "q", "a", "overlap"))))) == 1


def test_a_formula_is_text(tmp_path: Path) -> None:
    """Nothing is computed, whatever a field begins with."""
    (row,) = read_rows(written(tmp_path, rows_text(("1", "=HYPERLINK(1)", "@SUM(A1)", "overlap"))))
    assert (row.question, row.answer) == ("=HYPERLINK(1)", "@SUM(A1)")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "column"),
        (HEAD.encode(), "no task"),
        (b"[]", "no task"),
        (b"id,question,category\n1,q,overlap\n", "'answer'"),
        (b"id,id,question,answer,category\n", "2 columns"),
        (b"id,question,answer,category\n1,q,a\n", "3 cells"),
        (b"id,question,answer,category\n1,q,a,overlap,x\n", "5 cells"),
        (b'id,question,answer,category\n1,"q,a,overlap\n', "CSV"),
        (b'id,question,answer,category\n1,"q"x,a,overlap\n', "CSV"),
        (HEAD.encode("utf-16"), "UTF-8"),
        (b"id,question,answer,category\n1,\xff,a,overlap\n", "UTF-8"),
        (b"id,question,answer,category\n1,q,a,biology\n", "category"),
        (b"id,question,answer,category\n1,,a,overlap\n", "'question' is empty"),
        (b"id,question,answer,category\n1,q\x00,a,overlap\n", "NUL"),
        (b"id,question,answer,category\n../../x,q,a,overlap\n", "folder"),
        (b"id,question,answer,category\n/etc,q,a,overlap\n", "folder"),
        (b"id,question,answer,category\na/../../b,q,a,overlap\n", "folder"),
        (b"id,question,answer,category\na,q,a,overlap\nA,q,a,overlap\n", "two rows"),
        ("id,question,answer,category\n\u0661,q,a,overlap\n".encode(), "folder"),
        (b"id,question,answer,category\n1,q,a,overlap\n001,q,a,overlap\n", "two rows"),
        (b"id,question,answer,category\nA,q,a,overlap\na,q,a,overlap\n", "two rows"),
        (b"id,question,answer,category\n1,q," + b"x" * 131_073 + b",overlap\n", "CSV"),
        (b"id,question,answer,category\n1," + b"x" * 30_000 + b",a,overlap\n", "characters"),
        (b"id,question,answer,category\n" + b"1,q,a,overlap\n" * 10_001, "rows"),
        (b'{"task_id": "1"}', "list"),
        (b"[1]", "object"),
        (b'[{"task_id": 1, "question": "q", "level": 1, "category": "overlap"}]', "no text"),
        (b'[{"task_id": "1", "question": "q", "level": true, "category": "overlap"}]', "level"),
        (b'[{"task_id": "1", "question": "q", "level": 0, "category": "overlap"}]', "level"),
        (b'[{"task_id": "1", "question": "q\\ud800", "level": 1, "category": "overlap"}]', "surrogate"),
        (b'[{"task_id": "1", "task_id": "2"}]', "JSON"),
        (b"[NaN]", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'[{"taskid": "1"}]', "task_id"),
    ],
)
def test_anything_else_is_one_line(tmp_path: Path, data: bytes, told: str) -> None:
    """Never a traceback, and never half a list."""
    assert told in refused(written(tmp_path, data))


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    """Missing, a folder, or too large to be CAIA's."""
    assert "cannot be read" in refused(tmp_path / "none")
    assert "cannot be read" in refused(tmp_path)
    assert "bytes" in refused(written(tmp_path, b"x" * (MAX_BYTES + 1)))


@pytest.mark.parametrize(
    ("one", "other", "same"), [("a  b\n", " a b", True), ("a b", "A b", False), ("a b", "a b?", False)]
)
def test_a_digest_stands_for_the_question(one: Any, other: Any, same: bool) -> None:
    """White space is no part of it, everything else is."""
    assert (question_digest(one) == question_digest(other)) is same
