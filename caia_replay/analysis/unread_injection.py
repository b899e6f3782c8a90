"""Which planted things are ever read: by the gold chains, and by who searches the web and nothing else.

A slot that neither reads is dead: it counts for the campaign's size and cannot do anything to either. Who reads more
widely, as a live model does, may still meet it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.analysis.attack_diff import Altered, altered
from caia_replay.core.overlay import Overlay, PlantedTool
from caia_replay.runner.episode import Progress, stage_for
from caia_replay.runner.plan import make_plan
from caia_replay.world.world import FrozenWorld

GOLD: Final = "policy/oracle"
SEARCH: Final = "policy/search-only"


@dataclass(frozen=True, slots=True)
class Slot:
    """A planted thing, and whether runs of the gold chains and of the search-only policy were shown it."""

    item: Altered
    by_gold: bool
    by_search: bool

    @property
    def live(self) -> bool:
        """Whether either was."""
        return self.by_gold or self.by_search

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        item = self.item
        fields = {"kind": item.kind, "attack": item.attack, "task": item.task, "place": item.place}
        return {**fields, "gold": self.by_gold, "search": self.by_search, "live": self.live}


def slots_of(
    world: FrozenWorld, overlay: Overlay, tasks: Sequence[str] = (), progress: Progress = lambda more: None
) -> tuple[Slot, ...]:
    """Every planted thing of an overlay, or those against ``tasks`` where some are named, in its order: one run of each
    policy on each task, in the attacked arm.

    What stands below a tool's description is read by every run that is offered the tool.
    """
    seen = {name: _seen(world, overlay, name, tasks, progress) for name in (GOLD, SEARCH)}
    found = [one for one in overlay.planted() if not tasks or one.task in tasks or not one.task]
    return tuple(
        Slot(altered(one), *(isinstance(one, PlantedTool) or one.place in seen[name] for name in (GOLD, SEARCH)))
        for one in found
    )


def by_family(slots: Sequence[Slot]) -> dict[str, tuple[int, int, int, int, int]]:
    """By family, sorted: how many slots it has, gold chains read, searches read, are live, and are dead."""
    found = {}
    for family in sorted({slot.item.attack for slot in slots}):
        own = [slot for slot in slots if slot.item.attack == family]
        live = sum(slot.live for slot in own)
        read = sum(slot.by_gold for slot in own), sum(slot.by_search for slot in own)
        found[family] = (len(own), *read, live, len(own) - live)
    return found


def _seen(world: FrozenWorld, overlay: Overlay, model: str, tasks: Sequence[str], progress: Progress) -> set[str]:
    plan = make_plan(world.folder, tasks=tasks, arms=("attacked",), model=model, runs=1, campaign=overlay.campaign)
    stage = stage_for(world, plan, overlay)
    try:
        return {place for record in stage.records(progress) for place in record["attack"]["seen"]}
    finally:
        stage.model.close()
