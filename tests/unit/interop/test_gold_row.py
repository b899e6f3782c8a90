"""Gold chains for CAIA's tasks as data: read strictly, found by id and question, never half."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import CaiaRow, question_digest
from caia_replay.interop.gold_row import GOLD, gold_of, read_gold
from caia_replay.tools.catalog import CATALOG

DIGEST = question_digest("When was block 7?").removeprefix("sha256:")
CHAIN = f"""
[[row]]
id = "7"
question = "{DIGEST}"
moment = "fixed"
result = "$1.timestamp_utc"
steps = [{{ tool = "block_query", arguments = {{ block = 7 }} }}]
"""


def folder(tmp_path: Path, text: str, name: str = "rows_a.toml") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def row(question: str = "When was block 7?") -> CaiaRow:
    return CaiaRow("7", "caia-007", question, "then", "on-chain analysis")


def test_a_chain_is_found_by_id_and_question(tmp_path: Path) -> None:
    """White space aside, another wording is another question, and its chain is not used."""
    rows = read_gold(folder(tmp_path, CHAIN))
    found = gold_of(row("When  was\nblock 7?"), rows)
    assert found is not None and found.chain.result == "$1.timestamp_utc" and found.confirmation == "unverified"
    assert found.tags == ("gold:chain", "moment:fixed")
    assert gold_of(row("When was block 8?"), rows) is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('result = "$1.timestamp_utc"', "", "needs a result or a why_not"),
        ('moment = "fixed"', 'moment = "fixed"\nwhy_not = "no provider"', "needs a result or a why_not"),
        ('result = "$1.timestamp_utc"', 'why_not = "needs judgement"', "no note"),
        ('result = "$1.timestamp_utc"', 'why_not = "no provider"\nnote = "x"', "names what it needs"),
        ('moment = "fixed"', 'moment = "fixed"\nneeds = ["an index"]', "names what it needs"),
        (DIGEST, "abc", "no digest"),
        ('moment = "fixed"', 'moment = "now"', "not one of"),
        ('moment = "fixed"', 'moment = "fixed"\nrequests = [{ method = "PUT", url = "https://a.io" }]', "no request"),
        ('moment = "fixed"', 'moment = "fixed"\nanswer = "42"', "unknown field"),
        ("steps = [{ tool", "steps = []\nunused = [{ tool", "unknown field"),
    ],
)  # fmt: skip
def test_a_row_that_is_neither_chain_nor_reason_is_one_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    """What is wrong is said with file and row."""
    assert old in CHAIN
    with pytest.raises(BadInput, match=told) as fault:
        read_gold(folder(tmp_path, CHAIN.replace(old, new)))
    assert "rows_a.toml" in str(fault.value)


def test_one_id_twice_over_all_files_is_refused(tmp_path: Path) -> None:
    """Which of two chains is meant, nobody could say."""
    folder(tmp_path, CHAIN)
    with pytest.raises(BadInput, match="twice"):
        read_gold(folder(tmp_path, CHAIN, "rows_b.toml"))


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    """A mistyped --gold is no reason to import without chains."""
    with pytest.raises(BadInput, match="no rows_"):
        read_gold(tmp_path)
    with pytest.raises(BadInput, match="is no folder"):
        read_gold(tmp_path / "absent")


def test_our_rows_are_read_and_call_tools_that_there_are() -> None:
    """Every shipped row is whole; its steps name the catalog's tools and parameters."""
    rows = read_gold(GOLD)
    assert len(rows) == 178
    wrong = [
        (one.id, step.tool, name)
        for one in rows.values()
        for step in one.steps
        for name in step.arguments
        if step.tool not in CATALOG or name not in CATALOG[step.tool].arguments.model_fields
    ]
    assert wrong == []


@given(st.text(max_size=300))
def test_any_text_is_rows_or_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No file crashes the import."""
    place = tmp_path_factory.mktemp("gold")
    (place / "rows_x.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read_gold(place)
    except BadInput as fault:
        assert "\n" not in str(fault)
