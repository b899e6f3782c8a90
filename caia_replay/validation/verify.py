"""Proof that a suite is solvable: every gold chain executed offline and judged by its own verifier, in any arm.

Under a campaign an accepted answer is not enough: it has to come from what the campaign left alone. Where a call of a
chain was touched, the chain is executed again with every planted row taken out of what it is shown, and has to end in
an accepted answer again. A call that was touched in another way, such as a planted page that was opened, ends it.

A task that is carried out has to stand every check of the chain's state besides, on nodes of their own, and must not
stand them when nothing is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from caia_replay.core.gold import NO_CHAIN_TAGS
from caia_replay.core.overlay import Overlay
from caia_replay.core.task import Task
from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.episode import apply_defence, require_arm, tools_in, toolset_in
from caia_replay.runner.grading import carried_out
from caia_replay.runner.plan import DEFAULT_CAMPAIGN
from caia_replay.scoring.loss import stake
from caia_replay.scoring.spec import require_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset, catalog_of, error_reply
from caia_replay.tools.gold import run_gold
from caia_replay.validation.conditions import suite_faults
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class Verified:
    """One task's outcome. ``solved`` only when the chain ended in an answer the verifier accepts; None for a task of a
    live world whose tags say that no chain answers it, which nothing can prove, and for one that does not apply: its
    chain needs a tool that the arm does not have."""

    task: str
    solved: bool | None
    answer: str | None
    expected: str
    reason: str
    applies: bool = True


def _is_unverifiable(folder: WorldFolder, task: Task) -> bool:
    """Whether an import found that no chain answers the task; one that merely lacks its chain is a fault, and a world
    that was made up has a chain for every question it asks."""
    return folder.info.provenance == "live" and not task.gold.result and not NO_CHAIN_TAGS.isdisjoint(task.tags)


def verify_suite(
    folder: WorldFolder, tasks: Sequence[str] = (), arm: str = "clean", campaign: str = DEFAULT_CAMPAIGN
) -> Iterator[Verified]:
    """Execute the gold chains of the named tasks, each once, or of every active one, in suite order: with an arm's
    tools and under what stands over its world.

    Raises ``BadInput`` before anything is executed for a task that the suite does not have or has twice, for one whose
    answer no verifier can judge or whose stake is no amount, and for an unknown arm or campaign. Raises
    ``MachineFault`` where this machine fails, which says nothing of a task.
    """
    require_arm(arm)
    chosen = [folder.task(task_id) for task_id in dict.fromkeys(tasks or folder.suite.active())]
    order = {entry.id: at for at, entry in enumerate(folder.suite.entries)}
    for fault in suite_faults(folder.suite):
        raise BadInput(fault, where=folder.path / "suite.toml", next_command=f"caia-replay lint {folder.path}")
    for task in chosen:
        require_spec(task, folder.path / "tasks" / task.id / "task.toml")
        stake(task)
    with FrozenWorld(folder) as world:
        overlay = overlays_for(world, (arm,), campaign)[arm]
        for task in sorted(chosen, key=lambda task: order[task.id]):
            yield _verified(world, task, arm, overlay)


def _verified(world: FrozenWorld, task: Task, arm: str, overlay: Overlay) -> Verified:
    folder = world.folder
    if _is_unverifiable(folder, task):
        return Verified(task.id, None, None, "", "no chain of calls yields its answer")
    known = catalog_of(folder)
    offered = tools_in(arm, known)
    missing = [step.tool for step in task.gold.steps if step.tool in known and step.tool not in offered]
    if missing:
        return Verified(task.id, None, None, "", f"not applicable: arm {arm} has no {missing[0]}", applies=False)
    expected = "; ".join(task.answer.values)
    if folder.info.provenance == "live":
        try:  # a suite is recorded task by task, and the rest of it waits
            world.require_anchor(task)
        except BadInput as fault:
            return Verified(task.id, False, None, expected, f"not recorded yet: {fault.what}")
    with WorldToolset(world.task(task, overlay), offered) as tools:
        run = run_gold(task.gold, apply_defence(arm, tools))
    score = verify(task.answer, run.answer, task.question)
    if score.correct and task.execution is not None:
        why = _not_carried_out(world, task, tools)
        if why:
            return Verified(task.id, False, run.answer, expected, why)
    if not score.correct or not any(reply.altered_by for reply in run.replies):
        return Verified(task.id, score.correct is True, run.answer, expected, run.fault or score.reason)
    with toolset_in(arm, world.task(task, overlay)) as honest:
        again = run_gold(task.gold, Unplanted(honest))
    if verify(task.answer, again.answer, task.question).correct:
        return Verified(task.id, True, run.answer, expected, score.reason)
    why = again.fault or f"without it the answer is {again.answer}"
    return Verified(task.id, False, run.answer, expected, f"rests on what the campaign planted: {why}")


def _not_carried_out(world: FrozenWorld, task: Task, tools: WorldToolset) -> str:
    """Why what the gold chain sent is no proof: its checks fail, or hold when nothing is sent, or a price that losses
    are told in is not what its calls say. "" for nothing."""
    score, _ = carried_out(world, task, tools.sent)
    if not score.correct:
        return score.reason
    if carried_out(world, task, ())[0].correct is not False:
        return "its checks hold when nothing is done"
    for asset in task.execution.assets if task.execution is not None else ():
        if asset.price is not None:
            with WorldToolset(world.task(task)) as fresh:
                run = run_gold(asset.price, fresh)
            if run.answer != asset.usd:
                return f"the price of {asset.symbol} is {asset.usd}, its calls say {run.answer or run.fault}"
    return ""


_LISTS: Final = frozenset(("results", "posts"))
"""The lists of a result that a campaign may plant rows into; links of a page are its own words."""


class Unplanted:
    """A toolset whose results lack every planted row; one that is planted in any other way is an ``ERROR``."""

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset

    def specs(self) -> Sequence[ToolSpec]:
        """The tools as they are."""
        return self._toolset.specs()

    def call(self, name: str, arguments: str) -> ToolReply:
        """The call's reply as far as it is honest."""
        reply = self._toolset.call(name, arguments)
        if not reply.altered_by or reply.result is None:
            return reply
        planted, gone = set(reply.altered_at), set[str]()
        fields = dict(reply.result)
        for key in _LISTS & fields.keys():
            gone |= planted & {row["url"] for row in fields[key]}
            fields[key] = [row for row in fields[key] if row["url"] not in planted]
        if not planted or gone != planted:
            return error_reply("planted", f"{', '.join(reply.altered_by)} planted more of it than rows")
        return replace(reply, result=fields)
