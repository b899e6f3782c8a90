"""A suite and its twin with finished runs of one model on both, for whoever compares them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import WorldFolder, open_world, save_world, seal_world
from tests.chat_server import ChatServer


def reseeded(shipped: Path, root: Path, seed: int | None) -> Path:
    """A copy of the shipped world below ``root`` that says it grew from another seed: a twin without the building."""
    project = shipped.parent.parent
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(project / name, root / name)
    world = root / "cassettes" / "mini-6"
    folder = open_world(str(world))
    save_world(world, replace(folder.info, seed=seed), folder.suite)
    seal_world(world)
    return world


def replayed(world: Path, out: Path, *, model: str, conditions: Sequence[str] = ("tools",), **options: Any) -> Path:
    """A run folder of the clean arm, made as the command makes it."""
    folder = open_world(str(world))
    wanted: dict[str, Any] = {"arms": ("clean",), "runs": 2} | options
    plan = make_plan(folder, model=model, conditions=conditions, **wanted)
    return replay(plan, folder, out, workers=1, resume=False, replace=False).out


class Memoriser(ChatServer):
    """A model that has learnt one world's answers by heart: asked anything of its shape, it says that one."""

    def __init__(self, learnt: WorldFolder) -> None:
        super().__init__()
        self._learnt = [
            (recipe.question, task.answer.values[0])
            for recipe in learnt.suite.recipes.values()
            for task in map(learnt.task, learnt.suite.active())
            if re.search(recipe.question, task.question)
        ]

    def take(self, headers: dict[str, str], body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        """The answer that was right in the learnt world."""
        asked = next(str(said["content"]) for said in body["messages"] if said["role"] == "user")
        answer = next((value for pattern, value in self._learnt if re.search(pattern, asked)), "unknown")
        said = {"role": "assistant", "content": f"FINAL ANSWER: {answer}"}
        return 200, {"model": "memoriser-1", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}, {}
