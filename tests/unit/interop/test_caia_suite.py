"""Draft suites made of CAIA's files, folders written whole or not at all."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import read_rows, require_free
from caia_replay.interop.caia_suite import REPORT, import_caia, questions_of, read_suite, summary_lines
from caia_replay.recording.redactions import is_withheld, restore, withhold
from caia_replay.store.plain import thawed, toml_text
from caia_replay.store.world_folder import load_task, open_draft

ROWS = (
    ("1", "Give the timestamp of Ethereum block 19,000,001", "2024-01-13 20:01:23 UTC", "onchain analysis"),
    ("2", "Who leads Zanzibarium?", "Quetzal Labs", "project discovery"),
    ("3", "某协议在 Solana 上 2024年5月 的 TVL", "约 3 亿", "trend analysis"),
    ("4", "Ethereum block 19000001: its timestamp?", "2024-01-13 20:01:23 UTC", "onchain analysis"),
)


def rows_file(path: Path, rows: Iterable[tuple[str, ...]]) -> Path:
    """A file of CAIA's form."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer", "category"), *rows])
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Four questions of ours."""
    return rows_file(tmp_path / "in.csv", ROWS)


def test_the_draft_opens_and_holds_every_task(source: Path, tmp_path: Path) -> None:
    """What was written is what is read, without a seal or a chain; anchor, chain and answer say what was guessed."""
    done = import_caia(source, tmp_path / "cassettes" / "mine")
    folder = open_draft(tmp_path / "cassettes" / "mine")
    assert [folder.task(name) for name in folder.suite.active()] == list(done.tasks)
    assert (folder.info.id, folder.info.provenance, folder.info.chains) == ("mine", "live", ())
    assert folder.info.comparable_to_published_caia is False
    assert [task.id for task in done.tasks] == ["caia-001", "caia-002", "caia-003", "caia-004"]
    block, assumed, month, _ = done.tasks
    assert {"anchor:block", "chain:named", "answer:guessed", "unresolved:timestamp"} <= set(block.tags)
    assert {"anchor:assumed", "chain:default"} <= set(assumed.tags)
    assert {"anchor:date", "chain:non-evm"} <= set(month.tags)
    assert (month.language, month.anchor.chain, month.answer.values) == ("zh", "solana", ("300000000",))
    assert block.gold.steps == ()
    lines = summary_lines(done)
    assert lines[0] == "4 tasks"
    assert "duplicate: caia-001, caia-004: the same question in other words" in lines
    assert "no-anchor: caia-002" in lines


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
    assert ["caia-001", "caia-004"] in [found["tasks"] for found in report["findings"] if found["kind"] == "duplicate"]


QUESTIONS = (
    ("1", "How many lamps did Grey Harbor report on 2024-05-01?", "about 1,204 lamps", "On-chain Analysis"),
    ("2", "Which keeper founded the guild?", "Ann Grey (either spelling), or Anne Grey", "General Knowledge"),
    ("30", "List the towers of the north and their years.", "| Tower | Year |\n|---|---|\n| A | 1901 |", "Overlap"),
)


def test_an_imported_suite_gets_its_words_back(tmp_path: Path) -> None:
    """Each task that was imported and withheld is, to the byte, the imported one again; other files are refused."""
    source = rows_file(tmp_path / "benchmark.csv", QUESTIONS)
    import_caia(source, tmp_path / "suite")
    words = questions_of(source)
    assert sorted(words) == ["caia-001", "caia-002", "caia-030"]
    for task_id in words:
        folder = tmp_path / "suite" / "tasks" / task_id
        hidden = withhold(load_task(folder))
        restored = restore(hidden, words[task_id])
        assert is_withheld(hidden) and restored[1] == ""
        assert toml_text(thawed(restored[0])).encode() == (folder / "task.toml").read_bytes()
    source.write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="column"):
        questions_of(source)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """A folder with something, a file, a link, a sealed world, and names that are none."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "sealed").mkdir()
    (tmp_path / "sealed" / "seal.json").write_text("{}")
    for name in ("full", "file", "link", "sealed/in", "a b", ".hidden", ".."):
        with pytest.raises(BadInput):
            require_free(tmp_path / name)
    assert (tmp_path / "full" / "x").read_text() == "mine"
