"""A model and an agent that play while a task is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.core.agent import Budget
from caia_replay.errors import BadInput
from caia_replay.recording.pool import LoggedToolset
from caia_replay.runner.pool_player import PoolPlayer
from caia_replay.store.world_folder import find_world, open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld

ROOT = Path(__file__).parents[3]
BUDGET = Budget(20, None, None)


def test_it_plays_the_task_through_the_toolset_it_is_given() -> None:
    """Its calls are those of a replay; its name says agent, model and attempt."""
    folder = open_world(str(find_world("mini-6", ROOT)))
    task = folder.task("mini6-supply")
    player = PoolPlayer(task, folder.suite, "policy/oracle", "react", {}, BUDGET, 2)
    with FrozenWorld(folder) as world, WorldToolset(world.task(task)) as tools:
        logged = LoggedToolset(tools)
        trajectory = player.play(logged)
    player.close()
    assert player.name == "react+policy/oracle#2"
    assert trajectory.answer == "56039000" and [call.tool for call in logged.calls] == ["data_query"]


def test_a_model_without_its_key_is_refused_before_anything_is_recorded() -> None:
    """And so is a name that is none."""
    folder = open_world(str(find_world("mini-6", ROOT)))
    task = folder.task("mini6-supply")
    with pytest.raises(BadInput, match="OPENAI_API_KEY"):
        PoolPlayer(task, folder.suite, "gpt-5", "react", {}, BUDGET, 1)
    with pytest.raises(BadInput, match="nearest: react"):
        PoolPlayer(task, folder.suite, "policy/oracle", "reacts", {}, BUDGET, 1)
