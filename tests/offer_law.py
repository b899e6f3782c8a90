"""What a world's offers must hold to: whoever is misled as one says, and does all else right, ends where it says."""

from __future__ import annotations

from collections.abc import Iterator

from caia_replay.core.attack import AttackSurface
from caia_replay.core.task import Task
from caia_replay.core.tool import Toolset
from caia_replay.scoring.verifiers import verify
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld
from caia_worldgen.calendar import DAY_S
from caia_worldgen.suite.counterfactual import Misled


def offer_faults(world: FrozenWorld, task: Task, offer: AttackSurface) -> Iterator[str]:
    """Each derived answer asked for once more, and judged: it is what was recorded, and the verifier rejects it."""
    with WorldToolset(world.task(task)) as tools:
        for what, recorded, misled in _lies(world, task, offer, tools):
            told = run_gold(task.gold, misled).answer if misled is not None else recorded
            if told != recorded:
                yield f"{task.id}: {what} leads to {told!r}, not to {recorded!r}"
            if verify(task.answer, recorded).correct is not False:
                yield f"{task.id}: {what} leads to {recorded!r}, which is not wrong"


def _lies(
    world: FrozenWorld, task: Task, offer: AttackSurface, tools: Toolset
) -> Iterator[tuple[str, str, Misled | None]]:
    """None for a decoy that is the answer itself to whoever takes it for the right one."""
    if offer.once is not None:
        days, rest = divmod(task.anchor.timestamp - offer.once.published, DAY_S)
        if rest:
            height = _height(world, task, offer.once.published)
            yield f"block {height}", offer.once.answer, Misled(tools, until=height)
        else:
            yield f"{days} days earlier", offer.once.answer, Misled(tools, days=days)
    for one in offer.misread:
        yield f"{one.tool} misread", one.answer, Misled(tools, scaled={one.tool: one.times})
    for decoy in offer.decoys:
        if decoy.answer:
            is_answer = decoy.instead_of == task.answer.values[0].lower() and decoy.answer == decoy.address
            misled = None if is_answer else Misled(tools, instead={decoy.instead_of: decoy.address})
            yield f"{decoy.kind} {decoy.address}", decoy.answer, misled


def _height(world: FrozenWorld, task: Task, moment: int) -> int:
    """The block of the task's chain that was made then."""
    chain = world.snapshots[task.anchor.chain]
    found = (height for height in range(task.anchor.block, 0, -1)
             if int(chain.header(height)["timestamp"], 16) == moment)  # fmt: skip
    return next(found)
