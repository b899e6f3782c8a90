"""What attacks cost: planning a campaign, laying it over a world, a call under it, and all of them over a suite.

Planning is beside reading what it is planned over, corpus and ranking; a call beside the same call in the clean world,
in the same rounds; a sweep beside as many plays of the suite in the clean arm.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from benchmarks.row import Row, median, side_by_side
from caia_replay.attacks.campaign import campaign_names
from caia_replay.core.overlay import Overlay
from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import planned_over, targets_in
from caia_replay.runner.episode import stage_for
from caia_replay.runner.plan import Cell, make_plan
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

FETCH_LIMIT: Final = 1.2
"""Fetching an honest page in an attacked world is looking its address up once more."""
SEARCH_LIMIT: Final = 3.0
"""A search ranks twice, what is recorded and what is planted, so that honest pages keep their order."""
POLICY: Final = "policy/credulous"
_ROUNDS, _CALL_ROUNDS, _TASKS = 2, 30, 20

Calls = Sequence[tuple[Task, str, str]]
"""Task, tool, arguments as JSON."""


def rows(suite: str) -> Iterator[Row]:
    """Planning and laying out each campaign, then calls under the largest, then all of them over the suite."""
    folder = open_world(suite)
    overlays: dict[str, Overlay] = {}
    count = len(folder.suite.active())
    for name in campaign_names():
        planned, floor, laid, clean = _planning(folder, name, overlays)
        items = sum(1 for _ in overlays[name].planted())
        yield Row(f"plan {name}, {items} items, {count} tasks", planned, "ms", floor)
        yield Row(f"lay {name} over a world", laid, "ms", clean)
    largest = max(overlays.values(), key=lambda overlay: sum(1 for _ in overlay.planted()))
    with FrozenWorld(folder) as world:
        yield from _call_rows(world, largest)
        yield _sweep_row(world, overlays)


def _planning(folder: WorldFolder, name: str, overlays: dict[str, Overlay]) -> tuple[float, float, float, float]:
    """Milliseconds, medians: a campaign planned over a world just opened, its corpus and ranking read, the overlay
    applied and ranked, and the clean ranking read."""
    spent: dict[str, list[float]] = {part: [] for part in ("read", "clean", "plan", "lay")}
    for _ in range(_ROUNDS):
        with FrozenWorld(folder) as world:
            read = _ms(lambda: (world.corpus, world.posts))
            clean = _ms(lambda: (world.web.index(NO_OVERLAY), world.web.post_index(NO_OVERLAY)))
            planned = _ms(lambda: overlays.update({name: planned_over(world, name).overlay}))
            laid = _ms(lambda: (world.web.index(overlays[name]), world.web.post_index(overlays[name])))
        for part, found in (("read", read), ("clean", clean), ("plan", read + clean + planned), ("lay", clean + laid)):
            spent[part].append(found)
    middle = {part: median(found) for part, found in spent.items()}
    return middle["plan"], middle["read"] + middle["clean"], middle["lay"], middle["clean"]


def _call_rows(world: FrozenWorld, overlay: Overlay) -> Iterator[Row]:
    """Searches by tasks' own queries, and fetches of the honest page that each search finds first."""
    for tool, calls in _calls(world).items():
        spent = side_by_side(
            {"attacked": _caller(world, overlay, calls), "clean": _caller(world, NO_OVERLAY, calls)},
            rounds=_CALL_ROUNDS,
        )
        many = len(calls)
        limit = SEARCH_LIMIT if tool == "web_search" else FETCH_LIMIT
        yield Row(f"{tool} under {overlay.campaign}", spent["attacked"] / many, "us", spent["clean"] / many, limit)


def _calls(world: FrozenWorld) -> Mapping[str, Calls]:
    searches: list[tuple[Task, str, str]] = []
    fetches: list[tuple[Task, str, str]] = []
    asked = list(targets_in(world))
    for task, target in asked[:: max(1, len(asked) // _TASKS)]:
        found = world.task(task).search(target.query, 1)
        searches.append((task, "web_search", json.dumps({"query": target.query, "limit": 5})))
        fetches += [(task, "url_fetching", json.dumps({"url": hit.page.url})) for hit in found]
    if not fetches:
        raise BadInput("no task's query finds a page", where=world.folder.path)
    return {"web_search": searches, "url_fetching": fetches}


def _caller(world: FrozenWorld, overlay: Overlay, calls: Calls) -> Callable[[], None]:
    sets = [(WorldToolset(world.task(task, overlay)), tool, arguments) for task, tool, arguments in calls]

    def call() -> None:
        for toolset, tool, arguments in sets:
            toolset.call(tool, arguments)

    return call


def _sweep_row(world: FrozenWorld, overlays: Mapping[str, Overlay]) -> Row:
    """Every campaign, one attempt a task, beside the clean arm as often."""
    clean = _ms(partial(_play, world, "clean", NO_OVERLAY))
    spent = sum(_ms(partial(_play, world, "attacked", overlay)) for overlay in overlays.values())
    name = f"{len(overlays)} campaigns x {len(world.folder.suite.active())} tasks, {POLICY}"
    return Row(name, spent / 1000, "s", clean * len(overlays) / 1000)


def _play(world: FrozenWorld, arm: str, overlay: Overlay) -> None:
    plan = make_plan(world.folder, arms=(arm,), model=POLICY, runs=1)
    stage = stage_for(world, plan, overlay, arm)
    try:
        for task in plan.tasks:
            stage.run(world.folder.task(task), Cell(arm, "tools"), 1)
    finally:
        stage.model.close()


def _ms(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1000
