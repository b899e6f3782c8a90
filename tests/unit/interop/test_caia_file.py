"""CAIA's files and files that only look like them, findings about questions, and the times a block can have."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.interop.caia_anchor import find_anchor
from caia_replay.interop.caia_answer import guess_answer
from caia_replay.interop.caia_format import MAX_BYTES, CaiaRow, question_digest, read_rows
from caia_replay.interop.caia_lint import (
    GENESIS,
    KNOWN,
    SLOT_S,
    Entry,
    Finding,
    bounds,
    contradiction,
    lint_tasks,
    normal_form,
)

HEAD = b"id,question,answer,category\n"


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
    """Ids get three digits, categories our spelling; a byte order mark is no column, a formula is text."""
    rows = (("7", "Who, then?", "A, b", "onchain analysis"), ("8", "谁", "=SUM(A1)", "Tokenomics"))
    for mark in ("", "\ufeff"):
        first, second = read_rows(written(tmp_path, mark + rows_text(*rows)))
        assert (first.id, first.task_id, first.question, first.answer) == ("7", "caia-007", "Who, then?", "A, b")
        assert (first.category, first.language) == ("on-chain analysis", "en")
        assert (second.category, second.language, second.answer) == ("tokenomics", "zh", "=SUM(A1)")
    item = {"task_id": "9a-1", "question": "Who?", "level": 2, "category": "overlap"}
    (row,) = read_rows(written(tmp_path, json.dumps([item])))
    assert (row.task_id, row.answer, row.level) == ("caia-9a-1", None, 2)
    digests = [question_digest(text) for text in ("a  b\n", " a b", "A b", "a b?")]
    assert digests[0] == digests[1] and len(set(digests)) == 3


@pytest.mark.parametrize(("data", "told"), [
    (b"", "column"), (HEAD, "no task"), (b"[]", "no task"), (b"id,question,category\n1,q,overlap\n", "'answer'"),
    (b"id,id,question,answer,category\n", "2 columns"), (HEAD + b"1,q,a\n", "3 cells"),
    (HEAD + b"1,q,a,overlap,x\n", "5 cells"), (HEAD + b'1,"q,a,overlap\n', "CSV"),
    (HEAD.decode().encode("utf-16"), "UTF-8"), (HEAD + b"1,\xff,a,overlap\n", "UTF-8"),
    (HEAD + b"1,q\x00,a,overlap\n", "NUL"), (HEAD + b"../../x,q,a,overlap\n", "folder"),
    (HEAD + "\u0661,q,a,overlap\n".encode(), "folder"), (HEAD + b"a,q,a,overlap\nA,q,a,overlap\n", "two rows"),
    (HEAD + b"1,q,a,overlap\n001,q,a,overlap\n", "two rows"), (HEAD + b"1,q," + b"x" * 131_073 + b",overlap\n", "CSV"),
    (HEAD + b"1," + b"x" * 30_000 + b",a,overlap\n", "characters"), (HEAD + b"1,q,a,overlap\n" * 10_001, "rows"),
    (b'{"task_id": "1"}', "list"), (b"[1]", "object"), (b'[{"task_id": "1", "task_id": "2"}]', "JSON"),
    (b'[{"task_id": 1, "question": "q", "level": 1, "category": "overlap"}]', "no text"),
    (b'[{"task_id": "1", "question": "q", "level": 0, "category": "overlap"}]', "level"),
    (b'[{"task_id": "1", "question": "q\\ud800", "level": 1, "category": "overlap"}]', "surrogate"),
    (b"[NaN]", "JSON"), (b"[" * 100_000, "JSON"), (b'[{"taskid": "1"}]', "task_id"), (b"x" * (MAX_BYTES + 1), "bytes"),
], ids=range(28))  # fmt: skip
def test_anything_else_is_one_line(tmp_path: Path, data: bytes, told: str) -> None:
    """Never a traceback, and never half a list; what is no plain file cannot be read."""
    assert told in refused(written(tmp_path, data))
    assert "cannot be read" in refused(tmp_path / "none") and "cannot be read" in refused(tmp_path)


HASH = "0x" + "12" * 32
# 2025-04-11T07:14:35Z is the second of the header of block 22244135; +1,206,000 s fits 100,000 blocks later
LATER = "2025-04-25T06:14:35"


def entries(*pairs: tuple[str, str | None]) -> list[Entry]:
    """Questions with their answers, as an import makes them; ids from 1."""
    found = []
    for at, (question, answer) in enumerate(pairs, start=1):
        row = CaiaRow(str(at), f"caia-{at:03d}", question, answer, "overlap")
        found.append(Entry(row, find_anchor(question), guess_answer(question, answer)))
    return found


def of(kind: str, *pairs: tuple[str, str | None]) -> list[Finding]:
    """The findings of one kind."""
    return [finding for finding in lint_tasks(entries(*pairs)) if finding.kind == kind]


@pytest.mark.parametrize(("one", "other", "same"), [
    ("Get the timestamp of Ethereum block 19,000,001", "What's Ethereum block 19000001's block timestamp?", True),
    ("What is the TVL of Arda on 2024-05-01?", "the TVL of Arda, on 2024-05-01", True),
    (f"The sender of transaction {HASH}", f"Who initiated tx {HASH.upper().replace('X', 'x')}?", True),
    ("The timestamp of Ethereum block 19000001", "The timestamp of Ethereum block 19000002", False),
    ("The timestamp of Ethereum block 19000001", "The gas of Ethereum block 19000001", False),
])  # fmt: skip
def test_the_same_question_in_other_words_is_a_duplicate(one: str, other: str, same: bool) -> None:
    """By the subject and the asked field, or by the words that carry meaning; near is not equal."""
    pairs = [("caia-001", "caia-002")] if same else []
    assert [finding.tasks for finding in of("duplicate", (one, "1"), (other, "1"))] == pairs
    first, second = entries(("Lend 1,000 LNT", "1"), ("lend 1000 lnt.", "1"))
    assert normal_form(first.row, first.found) == normal_form(second.row, second.found)


def test_duplicates_whose_answers_exclude_each_other_contradict() -> None:
    """Equal ones in other forms do not, nor do those of which one rule, differently wide, accepts the other."""
    asked = ("The timestamp of Ethereum block 19,000,001", "Give Ethereum block 19000001's timestamp.")
    agree = of("contradiction", (asked[0], "2024-01-13 20:01:23 UTC"), (asked[1], "Jan-13-2024 08:01:23 PM +UTC"))
    differ = of("contradiction", (asked[0], "2024-01-13 20:01:23 UTC"), (asked[1], "Jan-13-2024 08:01:23 AM +UTC"))
    assert [finding.tasks for finding in agree if len(finding.tasks) > 1] == []
    assert ("caia-001", "caia-002") in [finding.tasks for finding in differ]
    asked = ("What is the TVL of Arda on 2024-05-01?", "the TVL of Arda, on 2024-05-01")
    wide = (asked[0], "$100 with 2% fault tolerance")
    assert [len(of("contradiction", wide, (asked[1], answer))) for answer in ("$103", "$130")] == [0, 1]


def test_one_transaction_is_found_and_its_answers_compared() -> None:
    """A block and a time that no chain can have together are told, and so is a clock that can be read both ways."""
    time, block = f"The timestamp of transaction {HASH}", f"The block number of transaction {HASH} on Ethereum"
    fits = lint_tasks(entries((time, f"{LATER} UTC"), (block, "22344135")))
    assert [finding.kind for finding in fits].count("same-transaction") == 1
    assert [finding for finding in fits if finding.kind == "contradiction"] == []
    (never,) = of("contradiction", (time, "2025-05-25 06:14:35 UTC"), (block, "22344135"))
    assert "late" in never.what and "agree" not in never.what
    (either,) = of("contradiction", (time, "2025-04-25T06:14:35PM UTC"), (block, "22347680"))
    assert "they agree" in either.what and "ISO 8601" in either.what


def test_a_block_with_a_time_it_cannot_have_is_told() -> None:
    """Within one row, either way round."""
    (finding,) = of("contradiction", ("The timestamp of Ethereum block 19,000,001", "2020-01-01 00:00:00 UTC"))
    assert finding.tasks == ("caia-001",)
    asked = "What block number had Ethereum at 2025-04-25 06:14:35 UTC?"
    assert of("contradiction", (asked, "22344135")) == []
    assert len(of("contradiction", (asked, "20344135"))) == 1


@pytest.mark.parametrize(("kind", "question", "answer"), [
    ("no-anchor", "Who leads Arda?", "Bresk"), ("no-answer", "Who leads Arda on 2024-01-02?", None),
    ("year-assumed", "Arda's TVL on May 5th", "$1"), ("date-left-out", "Arda's TVL on 2025-02-30", "$1"),
    ("grader-note", "Arda's TVL", "$1 with 2% fault tolerance"), ("malformed-number", "Arda's fee", "0.0.00123 ETH"),
    ("malformed-number", "Arda's fees", "| 2024-01-02 | 109* |"), ("alternatives", "Arda's fee", "$5M or $6M"),
    ("escape-remnant", "Arda's fee", "a\\nb"), ("escape-remnant", 'Arda\'s function \\"lend""', "a"),
    ("ambiguous-time", "When?", "2024-01-02T03:04:05PM"),
])  # fmt: skip
def test_each_fault_is_found_alone(kind: str, question: str, answer: str | None) -> None:
    """One finding of its kind, and none for a plain row."""
    assert len(of(kind, (question, answer))) == 1
    assert of(kind, ("The TVL of Arda on 2024-05-01?", "$12")) == []


@pytest.mark.parametrize(("block", "second"), KNOWN)
def test_a_known_block_has_its_own_time_and_no_other(block: int, second: int) -> None:
    """The references bound themselves to the second."""
    assert bounds(block) == (second, second)
    assert contradiction(block, second) is None
    assert contradiction(block, second + SLOT_S) is not None
    assert contradiction(block, second - SLOT_S) is not None


@given(st.integers(KNOWN[0][0], 40_000_000))
def test_later_blocks_are_later(block: int) -> None:
    """Both bounds grow by a slot at least, and the earliest is never after the latest."""
    low, high = bounds(block) or (1, 0)
    next_low, next_high = bounds(block + 1) or (0, 0)
    assert low <= high and next_low >= low and next_high >= high + SLOT_S


def test_a_time_outside_or_between_slots_is_told() -> None:
    """Half a day early is impossible; a second beside the grid is no slot's; before the merge nothing is said."""
    block, second = KNOWN[1][0] + 100_000, KNOWN[1][1] + 1_206_000
    on_grid = second - (second - GENESIS) % SLOT_S
    assert contradiction(block, on_grid) is None
    for apart, told in ((-43_200, "early"), (432_000, "late"), (5, "no slot")):
        assert told in (contradiction(block, on_grid + apart) or "")
    assert bounds(KNOWN[0][0] - 1) is None and contradiction(1, 0) is None
