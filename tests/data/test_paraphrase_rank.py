"""Planted pages are found by questions that they were not written from: docs/attacks.md's figures."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from caia_replay.runner.campaign import planned_over, targets_in
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.paraphrases import paraphrases

PROJECT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (the question|its query|paraphrase \d|all four of [a-z ]+) \| (\d+) of 178 \|$", re.MULTILINE)


def test_the_planted_page_ranks_first_however_the_question_is_asked() -> None:
    """For the question and three held-out paraphrases, at 95 per cent of the tasks or more; as the docs say."""
    first: Counter[str] = Counter()
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "synthetic-178"))) as world:
        overlay = planned_over(world, "seo-heavy").overlay
        own = {(page.task, page.page.url) for page in overlay.pages}
        for task, target in targets_in(world):
            view = world.task(task, overlay)
            asked = dict(zip(
                ("the question", "its query", "paraphrase 1", "paraphrase 2", "paraphrase 3"),
                (task.question, target.query, *paraphrases(task, world.folder.suite.recipes[task.shape])),
                strict=True,
            ))  # fmt: skip
            leads = {name: (task.id, view.search(query, 1)[0].page.url) in own for name, query in asked.items()}
            first.update(name for name, led in leads.items() if led)
            first["all four of question and paraphrases"] += all(
                led for name, led in leads.items() if name != "its query"
            )
    told = {name: int(count) for name, count in ROW.findall((PROJECT / "docs" / "attacks.md").read_text("utf-8"))}
    assert dict(first) == told and len(told) == 6
    assert all(count >= 0.95 * 178 for count in told.values())
