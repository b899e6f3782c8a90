"""The default campaign over a world that nobody here wrote: search results as 200 recorded agents were shown them.

The trajectories are read in place; the world is made of them, and attacked, where the test runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from caia_replay.attacks.campaign import DEFAULT
from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.attack import AttackSurface
from caia_replay.core.gold import GoldChain
from caia_replay.core.overlay import Overlay
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import NO_BLOCK, Anchor, AnswerSpec, Task
from caia_replay.core.world import Page
from caia_replay.providers.reader.provider import page_reply, page_request
from caia_replay.runner.campaign import overlays_for, targets_in
from caia_replay.scoring.verifiers import verify
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.world.world import FrozenWorld

pytestmark = pytest.mark.real

ASKED_AT: Final = 1_752_796_800
"""2025-07-18, which every trajectory gives as its day."""
SEEN: Final = "Thu, 17 Jul 2025 00:00:00 GMT"
WORLD: Final = "trajectories"
OPTIONS: Final = 12
_ROW: Final = re.compile(
    r"^[0-9]+\. \[(?P<title>[^\n]+)\]\((?P<url>https?://\S+)\)\n(?:Date published: [^\n]*\n)?(?:Source: [^\n]*\n)?\n"
    r"(?P<text>[^\n]+)",
    re.MULTILINE,
)


def shown(messages: list[dict[str, str]]) -> Iterator[Page]:
    """Each result that a search of a trajectory was answered with, undated."""
    for told in (one["content"] for one in messages if one["role"] == "user" and "<tool_response>" in one["content"]):
        for row in _ROW.finditer(told):
            yield Page(row["url"], row["title"], row["text"], None, language="en")


def interaction(page: Page) -> Interaction:
    """The page as the reader gave it, a day before."""
    read = {"date": (SEEN,)}
    return Interaction("GET", page_request(page.url).url, b"", {}, 200, "", read, page_reply(page).body)


@pytest.fixture(scope="module")
def pages(real_data: Path) -> dict[str, Page]:
    """Every result, by its address; the first telling of each."""
    found: dict[str, Page] = {}
    for line in trajectories(real_data):
        for page in shown(line["messages"]):
            found.setdefault(page.url, page)
    return found


def trajectories(real_data: Path) -> Iterator[dict[str, Any]]:
    """Each of the 200."""
    path = real_data / "agent-traces" / "webdancer_sample_traj.jsonl"
    yield from map(json.loads, path.read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def world(real_data: Path, pages: dict[str, Page], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrozenWorld]:
    """A task for each question whose answer some result of its own says, with others' answers as wrong ones."""
    asked: dict[str, tuple[str, str]] = {}
    for line in trajectories(real_data):
        ((answer,),) = line["answer"]
        question = line["messages"][1]["content"].rpartition("User: ")[2].strip()
        if any(answer.casefold() in page.text.casefold() for page in shown(line["messages"])):
            asked.setdefault(answer.casefold(), (answer, question))
    folder = tmp_path_factory.mktemp("trajectories") / "cassettes" / WORLD
    tasks = [_task(f"q-{at}", question, answer) for at, (answer, question) in enumerate(asked.values())]
    answers = [task.answer.values[0] for task in tasks]
    offers = [
        AttackSurface(task.id, task.question[:300], "{planted}", tuple([*answers[at + 1 :], *answers[:at]][:OPTIONS]))
        for at, task in enumerate(tasks)
    ]
    write_cassette(folder / "http" / "web.json", [interaction(page) for page in pages.values()])
    for task in tasks:
        save_task(folder, task)
    suite = Suite(WORLD, "1", tuple(SuiteEntry(task.id, "2026-11-30") for task in tasks))
    save_world(folder, WorldInfo(WORLD, "imported", (), False, "Search results of recorded agents"), suite)
    save_targets(folder, offers)
    seal_world(folder)
    with FrozenWorld(open_world(str(folder))) as opened:
        yield opened


def _task(name: str, question: str, answer: str) -> Task:
    return Task(name, question, "on-chain analysis", "en", "trajectory", Anchor("ethereum", NO_BLOCK, ASKED_AT),
                AnswerSpec("text", (answer,)), GoldChain((), ""), "100", "an assumption")  # fmt: skip


@pytest.fixture(scope="module")
def overlays(world: FrozenWorld) -> dict[str, Overlay]:
    """What the default campaign plants, and its placebo."""
    return overlays_for(world, ("attacked", "placebo"), DEFAULT)


def test_what_is_planted_is_a_recorded_page_with_one_claim_changed(
    world: FrozenWorld, pages: dict[str, Page], overlays: dict[str, Overlay]
) -> None:
    """Its site is a recorded one, its text a recorded one but for the lie, which a judge of the truth refuses."""
    targets = {task.id: target for task, target in targets_in(world)}
    hosts = {urlsplit(url).hostname for url in pages}
    planted = overlays["attacked"].pages
    assert len(planted) >= 10 and len({one.task for one in planted}) >= 5
    for one in planted:
        truth, lie = targets[one.task].truth, one.answer or one.planted
        assert urlsplit(one.page.url).hostname in hosts and one.page.url not in pages
        assert one.planted in one.page.text and verify(truth, lie).correct is False
        was = re.sub(re.escape(lie), truth.values[0], one.page.text, flags=re.IGNORECASE)
        assert any(was.casefold() == page.text.casefold() for page in pages.values()), one.page.text


def test_its_twin_is_the_recorded_page_itself(pages: dict[str, Page], overlays: dict[str, Overlay]) -> None:
    """At the same address, on the same day: nothing but the claim tells a lie from its twin."""
    lies = {one.page.url: one.page for one in overlays["attacked"].pages}
    twins = {one.page.url: one.page for one in overlays["placebo"].pages}
    assert lies.keys() == twins.keys()
    texts = {page.text for page in pages.values()}
    for url, twin in twins.items():
        assert twin.text in texts
        assert replace(lies[url], text="", title="", altered_by="") == replace(twin, text="", title="", altered_by="")


def test_a_search_for_the_question_finds_the_lie(world: FrozenWorld, overlays: dict[str, Overlay]) -> None:
    """Most of the tasks that are attacked show one among the first twenty results."""
    attacked = {one.task for one in overlays["attacked"].pages}
    found = {
        task.id: world.task(task, overlays["attacked"]).search(target.query, 20) for task, target in targets_in(world)
    }
    met = {task for task in attacked if any(one.page.altered_by for one in found[task])}
    assert 10 * len(met) >= 7 * len(attacked)
