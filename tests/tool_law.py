"""The law of the tools: in replay a tool says what it says over the living origin, or that this was not recorded.

What was recorded at the story's end alone tells no figure of a moment before: null stands where the living origin
tells one (docs/decisions/0013-what-a-suite-is-asked-at.md). ``OF_NOW`` names all figures of which that holds.

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

from caia_replay.core.overlay import Overlay
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Task
from caia_replay.core.tool import Served, ToolReply
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import NO_OVERLAY, FrozenWorld, TaskWorld
from caia_worldgen.services.service import Service
from tests.provider_law import live

DAY_S = 86_400
_FLOWS = frozenset(("totals", "changes"))
_RANKED = _FLOWS | {"by_chain", "listed_in_all", "without_figure", "ranking"}
_PROFILE = ("name", "bio", "location", "link", "verified", "verified_type", "protected", "followers", "following",
            "posts")  # fmt: skip
OF_NOW: Mapping[str, frozenset[str]] = {
    "exchange_summary": _FLOWS,
    "exchange_overview": _RANKED,
    "revenue_analysis": _RANKED,
    "social_stream": frozenset(f"accounts/{name}" for name in _PROFILE),
}
"""Where each tool tells figures of now out of what was recorded at the story's end alone, with all that is below."""
_FEWER = "cover_fewer_days_than_named"
"""Names those of the totals that are told."""
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
    rng, found = Random(f"{tool}/{seed}"), Verdict()
    tasks = grown(world)
    for number in range(calls):
        frozen = world.task(tasks[number % len(tasks)])
        text = json.dumps(draw(rng, frozen))
        with WorldToolset(frozen) as replayed, WorldToolset(LivingWorld(frozen, origin)) as living:
            said, meant = replayed.call(tool, text), living.call(tool, text)
        found.served[str(said.served)] += 1
        if said.served is not Served.MISS and not agrees(_told(said), _told(meant), OF_NOW.get(tool, frozenset())):
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


def grown(world: FrozenWorld) -> list[Task]:
    """The tasks that stand two days or more after the story's beginning; all where it was that short.

    In the story's first hours no day of any history was over: nothing can be drawn of it.
    """
    tasks = [world.folder.task(name) for name in world.folder.suite.active()]
    began = min(int(chain.header(chain.heights[0][0])["timestamp"], 16) for chain in world.snapshots.values())
    return [task for task in tasks if task.anchor.timestamp // DAY_S > began // DAY_S + 1] or tasks


def agrees(said: Any, meant: Any, of_now: frozenset[str], place: str = "") -> bool:
    """Whether what replay says is what was meant, or null where that is ``of_now``."""
    if said == meant or (said is None and any(place == one or place.startswith(f"{one}/") for one in of_now)):
        return True
    if isinstance(said, dict) and isinstance(meant, dict):
        if _FEWER in said and _FEWER in meant and "totals" in of_now:
            told = [name for name in meant[_FEWER] if said["totals"][name] is not None]
            meant = {**meant, _FEWER: told}
        return said.keys() == meant.keys() and all(
            agrees(said[name], meant[name], of_now, f"{place}/{name}".lstrip("/")) for name in said
        )
    if isinstance(said, list) and isinstance(meant, list):
        return len(said) == len(meant) and all(
            agrees(one, other, of_now, place) for one, other in zip(said, meant, strict=True)
        )
    return False


def _told(reply: ToolReply) -> Any:
    """What a model sees, as JSON."""
    return json.loads(json.dumps(_plain(reply.shown())))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
