"""The tools over many hostile calls: no nonsense is answered, nothing breaks. HOSTILE_CALLS changes the count."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from caia_replay.core.tool import Served
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.world import FrozenWorld
from tests.every_draw import drawn, example
from tests.hostile_arguments import attempt, fault_of

HOSTILE_CALLS = int(os.environ.get("HOSTILE_CALLS", "20000"))
"""Over all tools."""
EVERY = 12
"""One in so many tasks is called at; opening a world at each of them would take most of the time."""


@pytest.mark.soak
def test_no_arguments_break_a_tool(shipped: Path) -> None:
    """Hostile calls of every tool at tasks all over the shipped economy, each answered or refused as the law has it."""
    rng, broken, served = Random("soak"), [], Counter[Served]()
    with FrozenWorld(open_world(str(shipped.parent / "synthetic-178"))) as world, ExitStack() as stack:
        tasks = [world.task(world.folder.task(name)) for name in world.folder.suite.active()[::EVERY]]
        runs = [stack.enter_context(WorldToolset(task)) for task in tasks]
        bases = {
            tool: [example(tool), *(drawn(tool, rng, task) for task in tasks for _ in range(5))]
            for tool in CATALOG.values()
        }
        for number in range(HOSTILE_CALLS):
            tool = list(CATALOG.values())[number % len(CATALOG)]
            made = attempt(rng, tool, rng.choice(bases[tool]))
            reply = rng.choice(runs).call(made.tool, made.text)
            served[reply.served] += 1
            fault = fault_of(made, reply)
            broken += [f"{made}: {fault}"] if fault else []
    print(f"{HOSTILE_CALLS:,} hostile calls: {dict(served)}")
    assert not broken, "\n".join(broken)
