"""How an origin has a campaign planned: for each task at its own moment, by a planner that is handed in.

The origin knows no attack. It knows what each of its tasks offers one, and checks what was planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from caia_replay.core.attack import Target
from caia_replay.core.task import Task
from caia_replay.core.world import Overlay, PlantedPage, WorldView
from caia_replay.errors import CheckFailed
from caia_replay.world.world import FrozenWorld

Planner = Callable[[WorldView, Sequence[Target]], Overlay]
"""How a campaign plans over one view."""


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """What was planned. ``attacked`` tasks have a planted page; at ``first`` of them it leads its own search."""

    name: str
    pages: int
    attacked: int
    first: int


def plan_over(
    world: FrozenWorld, targets: Iterable[tuple[Task, Target]], plan: Planner
) -> tuple[Overlay, CampaignReport]:
    """Every target's plan at its task's moment, as one overlay, and how it ranks there, the others' pages among it.

    Raises ``CheckFailed`` unless all plans are of one campaign.
    """
    asked = tuple(targets)
    planned: list[PlantedPage] = []
    campaigns: set[str] = set()
    for task, target in asked:
        overlay = plan(world.task(task), [target])
        campaigns.add(overlay.campaign)
        planned += overlay.pages
    if len(campaigns) != 1:
        raise CheckFailed(f"one campaign was wanted, planned were {sorted(campaigns)}")
    planned.sort(key=lambda found: found.page.url)
    whole = Overlay(campaigns.pop(), tuple(planned))
    own = {(found.task, found.page.url) for found in planned}
    first = 0
    for task, target in asked:
        found = world.task(task, whole).search(target.query, 1)
        first += bool(found) and (task.id, found[0].page.url) in own
    return whole, CampaignReport(whole.campaign, len(planned), len({found.task for found in planned}), first)
