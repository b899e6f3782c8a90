"""A told story as its tasks are written from it, the steps of a gold chain, and the tables that describe shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Recipe
from caia_replay.store.plain import build, read_toml
from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web

_SOON: Final = 24
"""Among how many heights of the suite the one is drawn at which something is asked about: people ask of the recent."""
TRANSFER: Final = "Transfer(address indexed from, address indexed to, uint256 value)"
"""The event of every token that has amounts."""


@dataclass(frozen=True, slots=True)
class Story:
    """A told story as those see it who ask about it. Read-only; its chains need not be living.

    ``heights`` are those at which tasks may stand, by stage, ascending: what is the case at a moment is recorded once
    for all tasks of that moment, so there are fewer moments than blocks.
    """

    truth: Truth
    web: Web
    heights: Mapping[str, tuple[int, ...]]

    @property
    def scene(self) -> Scene:
        """Stages, people and what exists."""
        return self.truth.scene

    @property
    def book(self) -> MarketBook:
        """Coins and their prices."""
        return self.truth.book

    @property
    def metrics(self) -> Metrics:
        """Protocols and their figures."""
        return self.truth.metrics

    @property
    def code(self) -> Repositories:
        """Repositories and their releases."""
        return self.truth.code

    @property
    def stages(self) -> tuple[Stage, Stage]:
        """The main chain and the roll-up."""
        return self.scene.main, self.scene.rollup

    def chain(self, stage: Stage) -> str:
        """What the tools call a chain."""
        return self.scene.networks[stage.name].id

    def network(self, stage: Stage) -> str:
        """What people call a chain."""
        return self.scene.networks[stage.name].name

    def tokens(self) -> tuple[Asset, ...]:
        """The tokens that were there from the first hour on the main chain, by role; the chain's own coin is none."""
        return tuple(self.scene.assets[role] for role in sorted(("dollar", *PROJECTS)))

    def last(self, stage: Stage) -> int:
        """The last height at which a task may stand, and so the last that may be asked about."""
        return self.heights[stage.name][-1]

    def height_from(self, stage: Stage, block: int, rng: Rng) -> int:
        """A height of the suite at or soon after a block. Raises ``ValueError`` past the last."""
        return rng.one([height for height in self.heights[stage.name] if height >= block][:_SOON])

    def height_after(self, stage: Stage, moment: int, rng: Rng) -> int | None:
        """A height of the suite at or soon after a moment; None where there is none left."""
        left = [height for height in self.heights[stage.name] if stage.calendar.times[height] >= moment]
        return rng.one(left[:_SOON]) if left else None


def step(tool: str, **arguments: Any) -> GoldStep:
    """One call; what is None is left to the tool."""
    said: Mapping[str, Any] = {name: value for name, value in arguments.items() if value is not None}
    return GoldStep(tool, said)


def view(contract: str, function: str, block: int, *arguments: Any) -> GoldStep:
    """A view function, read at the end of a block."""
    return step("data_query", contract=contract, function=function, arguments=arguments, block=block)


def gold(result: str, *steps: GoldStep) -> GoldChain:
    """The calls in order, and what is made of them."""
    return GoldChain(steps, result)


def iso(moment: int) -> str:
    """2024-05-31"""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")


def shape_tables(path: Path, patterns: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields of every shape that a file describes, by its name; ``patterns`` are those that its recipes name."""
    found = {}
    for name, table in read_toml(path).items():
        recipe = build(Recipe, _filled(table.pop("recipe"), patterns), path, f"{name}.recipe")
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        found[name] = {"name": name, "recipe": recipe, **fields}
    return found


def _filled(value: Any, patterns: Mapping[str, Any]) -> Any:
    """A recipe with the patterns that it names in capitals put in."""
    if isinstance(value, str):
        return re.sub(r"\{([A-Z_]+)\}", lambda name: str(patterns[name[1]]), value)
    if isinstance(value, dict):
        return {key: _filled(item, patterns) for key, item in value.items()}
    return [_filled(item, patterns) for item in value] if isinstance(value, list) else value
