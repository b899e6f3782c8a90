"""The law of the tools: in replay a tool says what it says over the living origin, or that this was not recorded.

A tool is called twice with the same arguments: in a task's frozen world, and in the same world with every API asked
while it still lives, at the task's moment. Pages, posts and chains are the same in both; tools that live on those have
laws of their own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.tool import Served, ToolReply
from caia_replay.core.world import Overlay
from caia_replay.origin.services.service import Service
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import NO_OVERLAY, FrozenWorld, TaskWorld
from tests.provider_law import live

Draw = Callable[[Random, TaskWorld], Mapping[str, Any]]
"""Draws the arguments of one call, of things that are in the world or nearly so."""


class LivingWorld(TaskWorld):
    """A task's world whose APIs are asked, not replayed."""

    def __init__(self, frozen: TaskWorld, origin: Sequence[Service], overlay: Overlay = NO_OVERLAY) -> None:
        super().__init__(frozen.world, frozen.task, overlay)
        self._origin = {urlsplit(at).hostname: service for service in origin for at in service.origins}

    def answer(self, request: HttpRequest) -> tuple[HttpReply, Served]:
        host = urlsplit(request.url).hostname
        if host not in self._origin:
            return super().answer(request)
        return live(self._origin[host], request, self.clock.now), Served.HIT


@dataclass
class Verdict:
    """How often each outcome was drawn; ``wrong`` has every pair that differs."""

    served: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, Any, Any]] = field(default_factory=list)

    @property
    def answered(self) -> float:
        """The share of calls with a result."""
        results = sum(
            self.served[str(kind)] for kind in (Served.HIT, Served.DERIVED, Served.RANKED, Served.FORK, Served.COMPUTED)
        )
        return results / max(1, self.served.total())


def judged(tool: str, draw: Draw, world: FrozenWorld, origin: Sequence[Service], calls: int, seed: int = 0) -> Verdict:
    """``calls`` random calls of a tool, spread over the world's tasks, each held against the living origin.

    A miss is never wrong here: whether it lies inside coverage is for the caller, who knows what was recorded.
    """
    dice, found = Random(f"{tool}/{seed}"), Verdict()
    tasks = [world.folder.task(name) for name in world.folder.suite.active()]
    for number in range(calls):
        frozen = world.task(tasks[number % len(tasks)])
        text = json.dumps(draw(dice, frozen))
        with WorldToolset(frozen) as replayed, WorldToolset(LivingWorld(frozen, origin)) as living:
            said, meant = replayed.call(tool, text), living.call(tool, text)
        found.served[str(said.served)] += 1
        if said.served is not Served.MISS and _told(said) != _told(meant):
            found.wrong.append((text, _told(said), _told(meant)))
    return found


def check_law(
    tool: str, draw: Draw, world: FrozenWorld, origin: Sequence[Service], *, inside: bool, least: float = 0.7
) -> None:
    """Forty calls: none wrong, most answered, and none a miss where the draws lie ``inside`` what was recorded.

    Raises ``AssertionError``.
    """
    verdict = judged(tool, draw, world, origin, 40)
    assert verdict.wrong == []
    assert verdict.answered >= least
    assert not inside or verdict.served[str(Served.MISS)] == 0


def _told(reply: ToolReply) -> Any:
    """What a model sees, as JSON."""
    return json.loads(json.dumps(_plain(reply.shown())))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
