"""Draft suites made of CAIA's files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import read_rows
from caia_replay.interop.caia_suite import REPORT, import_caia, read_suite, summary_lines
from caia_replay.store.world_folder import open_draft

ROWS = (
    ("1", "Give the timestamp of Ethereum block 19,000,001", "2024-01-13 20:01:23 UTC", "onchain analysis"),
    ("2", "Who leads Zanzibarium?", "Quetzal Labs", "project discovery"),
    ("3", "某协议在 Solana 上 2024年5月 的 TVL", "约 3 亿", "trend analysis"),
    ("4", "Ethereum block 19000001: its timestamp?", "2024-01-13 20:01:23 UTC", "onchain analysis"),
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of CAIA's form with four questions of ours."""
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer", "category"), *ROWS])
    return path


def test_the_draft_opens_and_holds_every_task(source: Path, tmp_path: Path) -> None:
    """What was written is what is read, without a seal or a chain."""
    done = import_caia(source, tmp_path / "cassettes" / "mine")
    folder = open_draft(tmp_path / "cassettes" / "mine")
    assert [folder.task(name) for name in folder.suite.active()] == list(done.tasks)
    assert (folder.info.id, folder.info.provenance, folder.info.chains) == ("mine", "live", ())
    assert folder.info.comparable_to_published_caia is False
    assert [task.id for task in done.tasks] == ["caia-001", "caia-002", "caia-003", "caia-004"]


def test_tasks_say_what_was_guessed(source: Path) -> None:
    """Anchor, chain and answer, each by a tag; no gold chain is made up."""
    block, assumed, month, _ = read_suite(source).tasks
    assert {"anchor:block", "chain:named", "answer:guessed", "unresolved:timestamp"} <= set(block.tags)
    assert {"anchor:assumed", "chain:default"} <= set(assumed.tags)
    assert {"anchor:date", "chain:non-evm"} <= set(month.tags)
    assert (month.language, month.anchor.chain, month.answer.values) == ("zh", "solana", ("300000000",))
    assert block.gold.steps == ()


def _chain(source: Path) -> str:
    """A gold row for the first question of ``source``."""
    digest = read_rows(source)[0].question_digest.removeprefix("sha256:")
    steps = '[{ tool = "block_query", arguments = { block = 19000001 } }]'
    return f'id = "1"\nquestion = "{digest}"\nmoment = "fixed"\nresult = "$1.time_utc"\nsteps = {steps}'


def test_a_task_gets_the_chain_of_its_own_question(source: Path, tmp_path: Path) -> None:
    """By id and digest; the same row for another wording is left out, and the task says that it has none."""
    (tmp_path / "rows_a.toml").write_text(f"[[row]]\n{_chain(source)}\n")
    first, second, *_ = read_suite(source, tmp_path).tasks
    assert first.gold.result == "$1.time_utc" and {"gold:chain", "moment:fixed"} <= set(first.tags)
    assert second.gold.steps == () and "gold:none" in second.tags
    assert read_suite(source, tmp_path).unused == ()
    source.write_text(source.read_text().replace("Give the timestamp", "Tell the timestamp"))
    other = read_suite(source, tmp_path)
    assert other.tasks[0].gold.steps == () and other.unused == ("1",)
    assert "gold rows of no question here: 1, such as 1" in summary_lines(other)


def test_the_report_has_no_word_of_the_file(source: Path, tmp_path: Path) -> None:
    """It may leave the user's folder: ids, digests, kinds and findings."""
    gold = tmp_path / "gold"
    gold.mkdir()
    digest = read_rows(source)[1].question_digest.removeprefix("sha256:")
    no_chain = f'id = "2"\nquestion = "{digest}"\nmoment = "anchor"\nwhy_not = "needs judgement"\nnote = "several lead"'
    (gold / "rows_a.toml").write_text(f"[[row]]\n{_chain(source)}\n\n[[row]]\n{no_chain}\n")
    import_caia(source, tmp_path / "mine", gold)
    text = (tmp_path / "mine" / REPORT).read_text()
    report = json.loads(text)
    assert not [word for word in ("Zanzib", "Quetzal", "某协议", "20:01:23") if word in text]
    assert report["counts"]["anchor"] == {"block": 2, "assumed": 1, "date": 1}
    assert [task["confirmation"] for task in report["tasks"]] == ["unverified", *["unverifiable"] * 3]
    assert report["counts"]["gold"] == {"none": 2, "chain": 1, "needs judgement": 1}
    assert report["tasks"][1]["gold"]["note"] == "several lead"
    assert {
        "kind": "duplicate",
        "tasks": ["caia-001", "caia-004"],
        "what": "the same question in other words",
    } in report["findings"]


def test_the_same_file_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    """No clock and no order of chance is in a draft of one name."""
    import_caia(source, tmp_path / "a" / "mine")
    import_caia(source, tmp_path / "b" / "mine")
    one, other = (
        {
            path.relative_to(tmp_path / side): path.read_bytes()
            for path in (tmp_path / side).rglob("*")
            if path.is_file()
        }
        for side in "ab"
    )
    assert one == other and len(one) == 7


def test_a_bad_row_writes_nothing(source: Path, tmp_path: Path) -> None:
    """The last row decides as the first one does."""
    source.write_text(source.read_text() + "5,q,a,astrology\n")
    with pytest.raises(BadInput, match="astrology"):
        import_caia(source, tmp_path / "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_the_terminal_tells_pairs_and_lists(source: Path) -> None:
    """Counts first; findings about several tasks one by one."""
    lines = summary_lines(read_suite(source))
    assert lines[0] == "4 tasks"
    assert "duplicate: caia-001, caia-004: the same question in other words" in lines
    assert "no-anchor: caia-002" in lines
