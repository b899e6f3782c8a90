"""Raw questions read from strangers' files and kept in a folder, nothing lost and nothing half-written."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.intake.question import Question, add_questions, read_folder, read_question
from caia_replay.intake.read_file import read_questions
from caia_replay.store.seal import digest_files

ONE, TWO = "What is the supply of ARB?", "何时解锁?"
FORMS = {
    "a.csv": f'question,answer,category\n"{ONE}",10,tokenomics\n{TWO},,\n',
    "semi.csv": f"\ufeffQuestion;Answer;Category\n{ONE};10;tokenomics\n\n{TWO};;\n",
    "tab.tsv": f"Category\tfinal_answer\tPROMPT\ntokenomics\t10\t{ONE}\n\t\t{TWO}\n",
    "a.json": json.dumps([{"question": ONE, "answer": 10, "category": "tokenomics"}, TWO]),
    "in.json": json.dumps({"version": 1, "tasks": [{"q": ONE, "gold": "10", "Topic": "tokenomics"}, {"task": TWO}]}),
    "a.jsonl": f'{{"query": "{ONE}", "answer": 10, "topic": "tokenomics"}}\n\n"{TWO}"\n',
}
BAD = {
    "no-column.csv": ("questoin,answer\na,b\n", "no column is called 'question'; nearest: questoin"),
    "wide.csv": ("question,answer\nWhat, then?,4\n", "line 2: 3 cells, and the header has 2"),
    "open.csv": ('question\n"never closed\n', "line 2: unexpected end of data"),
    "twice.csv": ("question,x,x\na,b,c\n", "two columns are called 'x'"),
    "empty.csv": ("", "holds no question"),
    "lost.json": ('[{"question": "a"}, {"answer": "b"}, 7, null]', "item 2: has no question (and 2 more rows)"),
    "half.json": (r'["\ud800"]', "item 1: has half a character"),
    "repeat.json": ('[{"question": "a", "question": "b"}]', "is no JSON: key 'question' appears twice"),
    "flat.json": ('"a"', "is no JSON list of questions"),
    "bad.jsonl": ('"fine"\n{"question": \n', "line 2 is no JSON"),
    "long.txt": ("x" * 20_001, "more than 20000 characters"),
    "what.xlsx": ("PK", "what kind of file is '.xlsx'?"),
}
CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    """A CSV with any separator, JSON and JSON Lines give equal questions, whatever their columns are called."""
    (tmp_path / name).write_text(FORMS[name], "utf-8")
    found = read_questions(tmp_path / name)
    assert found == [Question(ONE, "10", "tokenomics"), Question(TWO)]
    assert [one.language for one in found] == ["en", "zh"]


def test_plain_text_is_lines_or_paragraphs(tmp_path: Path) -> None:
    """Without a blank line each line is a question; with one, each paragraph is."""
    path = tmp_path / "a.txt"
    path.write_text(f"{ONE}\n{TWO}\n")
    assert [one.question for one in read_questions(path)] == [ONE, TWO]
    path.write_text(f"\n{ONE}\nAs of May.\n  \n\n{TWO}\n")
    assert [one.question for one in read_questions(path)] == [f"{ONE}\nAs of May.", TWO]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_takes_nothing_in(name: str, tmp_path: Path) -> None:
    """One line says which row is wrong and how, and no question is taken."""
    (tmp_path / name).write_text(BAD[name][0], "utf-8")
    with pytest.raises(BadInput) as fault:
        read_questions(tmp_path / name)
    assert BAD[name][1] in str(fault.value) and name in str(fault.value)


@settings(max_examples=12)
@given(st.lists(st.tuples(CELL.filter(str.strip), CELL, CELL), min_size=1, max_size=6))
def test_what_a_spreadsheet_says_is_kept(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    """Every cell of every row is in the folder afterwards, columns of other names too, and is read back equal."""
    folder = tmp_path_factory.mktemp("in")
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("question", "answer", "Notes"), *rows])
    (folder / "a.csv").write_bytes(out.getvalue().encode())
    questions = read_questions(folder / "a.csv")
    add_questions(folder / "into", questions)
    kept = {(one.question, one.answer, one.more.get("Notes", "")) for one in read_folder(folder / "into").values()}
    assert kept == {tuple(cell.strip() for cell in row) for row in rows}


@settings(max_examples=12)
@given(st.lists(st.builds(Question, CELL.filter(str.strip), CELL, CELL, more=st.dictionaries(CELL, CELL)), max_size=8))
def test_folders_merge_without_conflicts(tmp_path_factory: pytest.TempPathFactory, questions: list[Question]) -> None:
    """Whoever adds which questions in which order: files of one name are equal, and together they are one folder."""
    root = tmp_path_factory.mktemp("merge")
    for name, part in (("all", questions), ("left", questions[::2]), ("right", questions[:0:-1])):
        add_questions(root / name, part)
    left, right = digest_files(root / "left"), digest_files(root / "right")
    assert all(left[name] == right[name] for name in left.keys() & right.keys())
    assert {**left, **right} == digest_files(root / "all") or len(questions) < 2


def test_branches_merge(tmp_path: Path) -> None:
    """Two people add overlapping questions on branches, and git merges them by itself."""

    def git(*words: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main", ".")
    git("commit", "--allow-empty", "-m", "first")
    for branch, mine in (("left", "a"), ("right", "b")):
        git("checkout", "-b", branch, "main")
        add_questions(tmp_path / "intake", [Question(ONE), Question(mine)])
        git("add", ".")
        git("commit", "-m", branch)
    git("merge", "left", "-m", "both")
    assert {one.question for one in read_folder(tmp_path / "intake").values()} == {ONE, "a", "b"}


def test_a_folder_is_only_added_to(tmp_path: Path) -> None:
    """What is there stays, another folder is refused untouched, and a changed question is named."""
    first = add_questions(tmp_path / "in", [Question(ONE), Question(ONE)])
    again = add_questions(tmp_path / "in", [Question(ONE), Question(TWO)])
    assert (len(first.new), first.known, len(again.new), again.known) == (1, 1, 1, 1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.md").write_text("mine")
    with pytest.raises(BadInput, match="holds something else"):
        add_questions(tmp_path / "mine", [Question(ONE)])
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.md"]
    path = tmp_path / "in" / "questions" / f"{again.new[0]}.toml"
    assert read_question(tmp_path / "in", again.new[0][:8]) == Question(TWO)
    path.write_text(path.read_text().replace("解", "锁"))
    with pytest.raises(BadInput, match="the file was changed"):
        read_folder(tmp_path / "in")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """Where a file cannot be written, the files before it are taken away again."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "questions").write_text("in the way")
    with pytest.raises(OSError):
        add_questions(tmp_path / "in", [Question(ONE)])
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["questions"]
