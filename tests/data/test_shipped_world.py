"""What the shipped world must be, whoever built it."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
import vcr

from caia_replay.cassette.cassette import Cassette
from caia_replay.core.task import Category
from caia_replay.store.world_folder import open_world

MEBIBYTE = 2**20


def test_stock_vcrpy_replays_every_recording(shipped: Path) -> None:
    """vcrpy itself gives every shipped cassette back, status and body, through an unmodified client."""
    player = vcr.VCR(serializer="json", record_mode=vcr.mode.NONE, match_on=("method", "uri", "raw_body"))
    faults = []
    for path in open_world(str(shipped)).cassettes():
        with player.use_cassette(str(path)), httpx2.Client() as client:
            for item in Cassette.open(path).interactions:
                headers = {name: lines[0] for name, lines in item.request_headers.items()}
                reply = client.request(item.method, item.uri, content=item.request_body, headers=headers)
                if (reply.status_code, reply.content) != (item.status, item.body):
                    faults.append(f"{path}: {item.method} {item.uri}")
    assert faults == []


def test_the_world_is_small_and_says_that_it_is_synthetic(shipped: Path) -> None:
    """World and snapshot stay under two mebibytes together, and nobody can take them for real data."""
    roots = (shipped, shipped.parents[1] / "chain_snapshots" / "mini")
    assert sum(path.stat().st_size for root in roots for path in root.rglob("*") if path.is_file()) < 2 * MEBIBYTE
    info = open_world(str(shipped)).info
    assert (info.provenance, info.comparable_to_published_caia) == ("synthetic", False)


def test_there_is_one_task_per_category_each_at_its_own_height(shipped: Path) -> None:
    """Six tasks, six categories, six heights, each with a page that lies about it and a stake with a reason."""
    folder = open_world(str(shipped))
    tasks = [folder.task(name) for name in folder.suite.active()]
    assert {task.category for task in tasks} == set(Category.__args__)  # type: ignore[attr-defined]
    assert len({task.anchor.block for task in tasks}) == len(tasks) == 6
    assert {page.task for page in folder.overlay("seo-heavy").pages} == {task.id for task in tasks}
    assert all(float(task.stake_usd) > 0 and task.stake_reason and task.canary for task in tasks)


@pytest.mark.parametrize("part", ["suite.toml", "tasks/*/task.toml"])
def test_recipes_hold_no_planted_value_and_suites_no_answer(shipped: Path, part: str) -> None:
    """Policies are told how to read, never what: no planted value in any task or recipe, no answer in the suite."""
    folder = open_world(str(shipped))
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(shipped.glob(part))}
    planted = [page.planted for page in folder.overlay("seo-heavy").pages]
    assert [(path, value) for path, text in texts.items() for value in planted if value in text] == []
    if part == "suite.toml":
        answers = [
            value for name in folder.suite.active() for value in folder.task(name).answer.values if len(value) > 3
        ]
        assert [value for text in texts.values() for value in answers if value in text] == []
