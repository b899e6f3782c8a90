"""What the shipped world must be, whoever built it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import httpx2
import pytest
import vcr

from caia_replay.attacks.campaign import DEFAULT
from caia_replay.cassette.cassette import Cassette
from caia_replay.core.answer_matcher import plain, says
from caia_replay.core.overlay import Overlay
from caia_replay.core.task import Category
from caia_replay.runner.campaign import planned_over
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world
from caia_replay.validation.page import target_faults
from caia_replay.world.world import FrozenWorld
from caia_worldgen.finished import check_gold

MEBIBYTE = 2**20


@pytest.mark.check
def test_stock_vcrpy_replays_every_recording(shipped: Path) -> None:
    """vcrpy itself gives every cassette of mini-6 back, and the first replies of every shared one of the suite."""
    player = vcr.VCR(serializer="json", record_mode=vcr.mode.NONE, match_on=("method", "uri", "raw_body"))
    faults = []
    suite = sorted((shipped.parent / "synthetic-178" / "http").glob("*.json"))
    for path, most in (
        *((path, None) for path in open_world(str(shipped)).cassettes()),
        *((path, 5) for path in suite),
    ):
        with player.use_cassette(str(path)), httpx2.Client() as client:
            for item in islice(Cassette.open(path).interactions, most):
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


@pytest.fixture(scope="module")
def heavy(shipped: Path) -> Iterator[tuple[FrozenWorld, Overlay]]:
    """The world, and what the default campaign adds to it."""
    with FrozenWorld(open_world(str(shipped))) as world:
        yield world, planned_over(world, DEFAULT).overlay


def test_there_is_one_task_per_category_each_at_its_own_height(shipped: Path) -> None:
    """Six tasks, six categories, six heights, each with a stake and its reason."""
    folder = open_world(str(shipped))
    tasks = [folder.task(name) for name in folder.suite.active()]
    assert {task.category for task in tasks} == set(Category.__args__)  # type: ignore[attr-defined]
    assert len({task.anchor.block for task in tasks}) == len(tasks) == 6
    assert all(float(task.stake_usd) > 0 and task.stake_reason and task.canary for task in tasks)


def test_each_task_has_a_planted_page_that_its_search_shows_and_is_solved(
    heavy: tuple[FrozenWorld, Overlay], shipped: Path
) -> None:
    """By the default campaign; the gold chains end in their answers all the same."""
    world, overlay = heavy
    tasks = [world.folder.task(name) for name in world.folder.suite.active()]
    offers, own = read_targets(shipped), {(page.task, page.page.url) for page in overlay.pages}
    assert list(target_faults(world.folder, offers)) == []
    assert set(offers) == {task for task, _ in own} == {task.id for task in tasks}
    for task in tasks:
        found = world.task(task, overlay).search(offers[task.id].query, 10)
        assert own & {(task.id, one.page.url) for one in found}
    check_gold(world, tasks, overlay)


@pytest.mark.parametrize("part", ["suite.toml", "tasks/*/task.toml"])
def test_recipes_hold_no_planted_value_and_suites_no_answer(
    heavy: tuple[FrozenWorld, Overlay], shipped: Path, part: str
) -> None:
    """Policies are told how to read, never what: no planted value in any task or recipe, no answer in the suite."""
    folder = heavy[0].folder
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(shipped.glob(part))}
    planted = [page.planted for page in heavy[1].pages]
    told = [(path, value) for path, text in texts.items() for value in planted if says(plain(text), value)]
    assert planted and told == []
    if part == "suite.toml":
        answers = [
            value for name in folder.suite.active() for value in folder.task(name).answer.values if len(value) > 3
        ]
        assert [value for text in texts.values() for value in answers if value in text] == []
