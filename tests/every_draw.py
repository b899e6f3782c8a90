"""The draws of all tools, collected over tests/tool_draw; and a call of any tool in any world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from caia_replay.errors import Miss
from caia_replay.tools.catalog import CatalogTool
from caia_replay.world.world import TaskWorld
from tests.tool_law import Draw

FOLDER = Path(__file__).parent / "tool_draw"


@cache
def every_draw() -> dict[str, Draw]:
    """Each tool's draw by the tool's name. Raises ``ValueError`` where two modules draw one tool."""
    found: dict[str, Draw] = {}
    for path in sorted(FOLDER.glob("*.py")):
        draws: dict[str, Draw] = import_module(f"tests.tool_draw.{path.stem}").DRAWS
        twice = found.keys() & draws.keys()
        if twice:
            raise ValueError(f"{path.name} draws what another module draws: {', '.join(sorted(twice))}")
        found |= draws
    return found


def drawn(tool: CatalogTool, rng: Random, world: TaskWorld) -> Mapping[str, Any]:
    """Arguments of one call; the tool's own example where the world recorded nothing to draw from."""
    draw = every_draw().get(tool.name)
    try:
        return example(tool) if draw is None else draw(rng, world)
    except Miss:
        return example(tool)


def example(tool: CatalogTool) -> dict[str, Any]:
    """The arguments of the example in a tool's description."""
    shown = tool.spec.description.split("Example: ")[1]
    made: dict[str, Any] = json.JSONDecoder().raw_decode(" ".join(shown.split()))[0]
    return made
