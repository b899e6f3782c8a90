"""A drawn suite as a world folder beside the world it was drawn over, whose recordings it reads as its own.

Equal worlds and seeds give equal bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Anchor, Task
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import WorldFolder, WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.finished import canary, check_lint
from caia_worldgen.questions.claim import Offers, recipes_of
from caia_worldgen.questions.draw import Draws, Progress, draw, numbered
from caia_worldgen.questions.statement import Besides
from caia_worldgen.retold import retell
from caia_worldgen.suite.decoy import history_of
from caia_worldgen.suite.offer import offers_over
from caia_worldgen.web.truth import Truth

VERSION: Final = "1.0.0"
ADDED: Final = "2026-11-29"
"""The day on which the questions joined the suite; no clock is read."""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """What was made: ``draws`` were tried and rejected by reason, ``tasks`` taken."""

    path: Path
    tasks: int
    rejected: Counter[str]


def build_questions(base: str, seed: int, out: Path, progress: Progress) -> SuiteReport:
    """Draw a suite over a world and write it to ``out``, a new folder beside that world's.

    Raises ``BadInput`` before anything is drawn where ``out`` exists or lies elsewhere, or the world is none of ours.
    """
    below = open_world(base)
    if out.exists():
        raise BadInput("a suite is never written over", where=str(out), next_command="name another folder: --out DIR")
    if out.resolve().parent != below.path.resolve().parent:
        raise BadInput(
            f"a suite stands beside the world whose recordings it reads, {below.path.name}",
            where=str(out),
            next_command=f"--out {below.path.parent / out.name}",
        )
    truth = retell(below, lambda done, whole: progress("telling the story", done, whole))
    with FrozenWorld(below) as world:
        draws = draw(world, truth, anchors_of(below), seed, progress)
    tasks = write(below, truth, draws, seed, out)
    attackable(out, truth, draws, tasks, seed, progress)
    check_lint([out])
    return SuiteReport(out, len(tasks), draws.rejected)


def anchors_of(base: WorldFolder) -> list[Anchor]:
    """The moments at which the base's tasks stand: what is the case there is recorded."""
    return sorted({base.task(one).anchor for one in base.suite.active()}, key=lambda one: (one.timestamp, one.chain))


def write(below: WorldFolder, truth: Truth, draws: Draws, seed: int, out: Path) -> tuple[Task, ...]:
    """The folder of a draw beside its base, sealed. Raises ``CheckFailed`` for two tasks of one id."""
    about = f"Composed questions, drawn by seed {seed} over the recordings of {below.path.name}"
    info = WorldInfo(
        out.name, "synthetic", below.info.chains, False, about, canary("questions", seed, "world"), below.info.seed,
        below.path.name, below.seal.digest_without_overlays,
    )  # fmt: skip
    tasks = tuple(numbered(draws, seed, lambda identity: canary("questions", seed, identity)))
    save(out, info, tasks, VERSION)
    return tasks


def save(out: Path, info: WorldInfo, tasks: Sequence[Task], version: str) -> None:
    """A world folder with these tasks in it, sealed. Raises ``CheckFailed`` for two tasks of one id."""
    if len({task.id for task in tasks}) != len(tasks):
        raise CheckFailed("two tasks have one id")
    entries = tuple(SuiteEntry(task.id, ADDED) for task in tasks)
    save_world(out, info, Suite(info.id, version, entries, recipes_of(tasks)))
    for task in tasks:
        save_task(out, task)
    seal_world(out)


def attackable(out: Path, truth: Truth, draws: Draws, tasks: Sequence[Task], seed: int, progress: Progress) -> None:
    """Write what the tasks of a finished folder offer whoever attacks them, and seal it again."""
    told = list(Offers(truth, seed).surfaces(draws.taken, tasks))
    with FrozenWorld(open_world(str(out))) as world:
        besides = Besides(truth, tuple(world.corpus), tuple(world.posts), seed)
        of = {task.id: one for one, task in zip(draws.taken, tasks, strict=True)}
        told = [replace(offer, beside=besides.of(of[offer.task]), since=of[offer.task].composed.over) for offer in told]
        offers = offers_over(world, tasks, told, history_of(truth.scene), partial(progress, "asking where lies lead"))
    save_targets(out, offers)
    seal_world(out)
