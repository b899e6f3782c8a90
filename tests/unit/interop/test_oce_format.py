"""OCE's file as execution stubs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.oce_format import FORK_BLOCK, REPORT, counts, import_oce, load_stub, read_stubs, summary_lines


def item(**changed: Any) -> dict[str, Any]:
    """A task of OCE's form, the words ours."""
    told = "The ARD balance should decrease by 3 with no fault tolerance"
    plain = {"task_id": "a1", "question": "Pay 3 ARD", "level": 1, "chain": "ethereum", "category": "pay"}
    return {**plain, "criteria": told, **changed}


def written(tmp_path: Path, *items: Any) -> Path:
    """A file of these tasks."""
    path = tmp_path / "in.json"
    path.write_text(json.dumps(list(items)))
    return path


def test_stubs_come_back_as_they_were_written(tmp_path: Path) -> None:
    """With checks, reasons and doubts."""
    source = written(tmp_path, item(), item(task_id="a2", criteria="Verify transaction hash"))
    stubs = import_oce(source, tmp_path / "oce")
    assert [load_stub(tmp_path / "oce" / "tasks" / stub.id) for stub in stubs] == stubs
    assert [(stub.id, stub.block, stub.checked) for stub in stubs] == [
        ("oce-a1", FORK_BLOCK, True),
        ("oce-a2", FORK_BLOCK, False),
    ]


def test_the_report_counts_and_has_no_word_of_the_file(tmp_path: Path) -> None:
    """Whole, in part, not at all, and why."""
    mixed = "The ARD balance should decrease about 3, one NFT appears"
    source = written(
        tmp_path, item(), item(task_id="a2", criteria=mixed), item(task_id="a3", criteria="Zanzibarium NFT")
    )
    stubs = import_oce(source, tmp_path / "oce")
    told = counts(stubs)
    assert (told["tasks"], told["whole"], told["part"], told["none"]) == (3, 1, 1, 1)
    assert "Zanzib" not in (tmp_path / "oce" / REPORT).read_text()
    assert summary_lines(stubs)[0].startswith(
        "3 tasks: criteria are data in whole for 1, in part for 1, not at all for 1"
    )


@pytest.mark.parametrize(
    "bad",
    [
        item(task_id="../x"),
        item(chain="solana"),
        item(level="1"),
        item(criteria=""),
        item(question=None),
        {"task_id": "a"},
        "text",
    ],
)
def test_a_bad_task_writes_nothing(tmp_path: Path, bad: Any) -> None:
    """One line, and no folder."""
    source = written(tmp_path, item(task_id="good"), bad)
    with pytest.raises(BadInput) as told:
        import_oce(source, tmp_path / "oce")
    assert "\n" not in str(told.value)
    assert not (tmp_path / "oce").exists()


def test_repeated_ids_and_empty_files_are_refused(tmp_path: Path) -> None:
    """Neither is a suite."""
    for items in ((), (item(), item())):
        with pytest.raises(BadInput):
            read_stubs(written(tmp_path, *items))
