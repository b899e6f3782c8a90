"""A pilot: attacks played against models, of which those are kept that make a difference, as one frozen overlay.

Each task is played once in the attacked arm and once in the placebo arm, where the twins stand. An attack on a task is
kept where a model adopted it and where that model's run beside the twins ended otherwise: at another answer, or with
another stop. What is kept is an overlay of its own, which its digest names, and which a world can hold as a campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caia_replay.core.overlay import Overlay, overlay_digest
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.episode import Progress, stage_for
from caia_replay.runner.plan import RunPlan
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class Tried:
    """One attack on one task by one model: whether it was shown, adopted, and made a difference to the twin."""

    model: str
    attack: str
    task: str
    exposed: bool
    adopted: bool
    differs: bool


def pilot(
    world: FrozenWorld, plans: Sequence[RunPlan], name: str, progress: Progress = lambda more: None
) -> tuple[Overlay, list[Tried]]:
    """The attacks of the plans' campaign that work on any of their models, as the overlay ``name``; and each trial.

    Raises ``BadInput`` where none does, and as ``overlays_for``.
    """
    arms = overlays_for(world, ("attacked", "placebo"), plans[0].campaign, plans[0].dose)
    found: list[Tried] = []
    for plan in plans:
        attacked, placebo = (
            {record["task"]: record for record in _played(world, plan, arm, arms[arm], progress)}
            for arm in ("attacked", "placebo")
        )
        found += tried(plan.model, attacked, placebo)
    kept = {(one.attack, one.task) for one in found if one.differs}
    if not kept:
        raise BadInput("no attack made a difference to any of the models", next_command="another --campaign or --model")
    everybody = {(attack, "") for attack, _ in kept}  # descriptions of tools are against nobody
    return only(arms["attacked"], name, lambda attack, task: (attack, task) in kept | everybody), found


def tried(
    model: str, attacked: Mapping[str, Mapping[str, Any]], placebo: Mapping[str, Mapping[str, Any]]
) -> Iterator[Tried]:
    """What became of each attack, of the records of one model by their tasks."""
    for task, record in sorted(attacked.items()):
        twin = placebo.get(task)
        is_other = twin is None or any(record.get(key) != twin.get(key) for key in ("answer", "stop"))
        for attack, fact in sorted(record["attack"]["by"].items()):
            adopted = fact["adopted"] is True
            yield Tried(model, attack, task, bool(fact["exposed"]), adopted, adopted and is_other)


def only(overlay: Overlay, name: str, keeps: Callable[[str, str], bool]) -> Overlay:
    """The part of an overlay that is kept, by attack and task, under a name of its own."""
    parts = {
        kind: tuple(one for one in getattr(overlay, kind) if keeps(one.attack, one.task))
        for kind in ("pages", "posts", "bodies", "tools")
    }
    made = Overlay(name, parts["pages"], "", parts["posts"], parts["bodies"], parts["tools"])
    return replace(made, digest=overlay_digest(made))


def _played(world: FrozenWorld, plan: RunPlan, arm: str, overlay: Overlay, progress: Progress) -> list[dict[str, Any]]:
    stage = stage_for(world, replace(plan, arms=(arm,), runs=1), overlay, arm)
    try:
        return list(stage.records(progress))
    finally:
        stage.model.close()
