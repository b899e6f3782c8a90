"""CAIA's own questions, read where they are: each is found in a page that quotes it, and none in an ordinary one.

No sentence of theirs is here; the filter is made of the file, as it is made of a user's suite.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.core.gold import GoldChain
from caia_replay.core.provider import Recorded
from caia_replay.core.task import Task
from caia_replay.core.world import Page
from caia_replay.interop.caia_anchor import find_anchor
from caia_replay.interop.caia_answer import guess_answer
from caia_replay.interop.caia_format import read_rows
from caia_replay.providers.reader.provider import page_reply, page_request
from caia_replay.recording.leak import LeakFilter
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

pytestmark = pytest.mark.real

PROJECT = Path(__file__).resolve().parents[2]
AMID = " ".join(f"On day {day} the ferry carried {day * 7} crates past pier {day % 9}." for day in range(40))


@pytest.fixture(scope="module")
def tasks(real_data: Path) -> list[Task]:
    """The 178, as far as a filter looks at them."""
    rows = read_rows(real_data / "caia" / "benchmark_178.csv")
    return [
        Task(row.task_id, row.question, row.category, row.language, "caia", find_anchor(row.question).anchor,
             guess_answer(row.question, row.answer, "").spec, GoldChain((), ""), "0", "")
        for row in rows
    ]  # fmt: skip


@pytest.fixture(scope="module")
def leaks(tasks: list[Task]) -> LeakFilter:
    """The filter of the 178."""
    return LeakFilter(tasks)


def read(text: str) -> Recorded:
    """A page of these words."""
    url = "https://forum.example/topic"
    return Recorded(page_request(url), page_reply(Page(url, "A topic", text, None)))


def test_each_question_is_found_amid_other_text(tasks: list[Task], leaks: LeakFilter) -> None:
    """Quoted in capitals, in a table's row, or behind a number; the one pair of copies under the first's name."""
    for dress in (str.upper, lambda text: f"| 12 | {text} | open |", lambda text: "> 3. " + text.replace(" ", "\n")):
        told = {task.id: leaks.why(read(f"{AMID}\n{dress(task.question)}\n{AMID}")) for task in tasks}
        unfound = [name for name, why in told.items() if not why.startswith("quotes 100% of the question of task")]
        assert unfound == []
        assert [name for name, why in told.items() if not why.split(",")[0].endswith(name)] == ["caia-030"]


def test_a_question_in_chinese_is_found_between_chinese(tasks: list[Task], leaks: LeakFilter) -> None:
    """Without a space or a stop around it."""
    chinese = [task for task in tasks if task.language == "zh"]
    told = {task.id: leaks.quoted("渡轮今日照常" + task.question + "码头关闭" * 9) for task in chinese}
    assert len(told) == 26 and [name for name, why in told.items() if name not in why] == []


@pytest.mark.check
def test_no_question_is_found_in_another(tasks: list[Task]) -> None:
    """Each filter of one question leaves the others alone, but for its copy, or its twin with one name changed."""
    found = {
        frozenset((one.id, other.id))
        for one in tasks
        for alone in [LeakFilter([one])]
        for other in tasks
        if other is not one and alone.quoted(other.question)
    }
    twins = (("caia-001", "caia-030"), ("caia-074", "caia-075"), ("caia-111", "caia-113"))
    assert found == {frozenset(pair) for pair in twins}


@pytest.mark.check
def test_no_question_is_found_in_ordinary_pages(leaks: LeakFilter, real_data: Path) -> None:
    """Papers of the project, recorded replies of others' tests, the shipped world's own pages."""
    paths = [*sorted((PROJECT / "docs").rglob("*.md")), *sorted((real_data / "http-cassettes").rglob("*.yaml"))[:60]]
    assert len(paths) > 80
    assert [path.name for path in paths if leaks.quoted(path.read_text("utf-8", "replace"))] == []
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "mini-6"))) as world:
        assert world.corpus and [page.url for page in world.corpus if leaks.why(read(page.text))] == []


def test_no_answer_alone_is_a_leak(tasks: list[Task], leaks: LeakFilter) -> None:
    """The page that a fact is looked up on holds it by right."""
    assert [task.id for task in tasks if leaks.quoted(f"{AMID} {' '.join(task.answer.values)} {AMID}")] == []
