"""One run: a task, a model, an agent and a toolset joined, then scored and described as plain data.

``EpisodeContext`` is what one process opens, plans and resolves once; beside it the tape that a model plays from or is
kept on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Agent, Budget
from caia_replay.core.execution import Sent
from caia_replay.core.model import Model, PolicyHints, RunKey
from caia_replay.core.overlay import Overlay
from caia_replay.core.score import Score
from caia_replay.core.task import NO_BLOCK, NO_CHAIN, Task
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import STOPS, Trajectory, machine_stop
from caia_replay.errors import MACHINE_FAULTS, BadInput, nearest, one_line
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.request_limit import RequestLimit
from caia_replay.models.resolve import RECORDED, certified_name, resolve_model
from caia_replay.runner.campaign import overlays_for, require_campaign
from caia_replay.runner.certificate import record_of
from caia_replay.runner.grading import carried_out, ungraded
from caia_replay.runner.in_flight import Flight
from caia_replay.runner.model_of_record import ModelOfRecord
from caia_replay.runner.plan import ARMS, Cell, RunPlan
from caia_replay.runner.run_end import Watch, run_end
from caia_replay.scoring.confidence import FORM
from caia_replay.scoring.verifiers import answer_form
from caia_replay.store.run_folder import Journal
from caia_replay.store.tape_folder import open_tape, tape_names
from caia_replay.store.tape_publication import TapeWriter, publish, require_room
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG, CatalogTool, WorldToolset, catalog_of
from caia_replay.tools.compact import Compact
from caia_replay.tools.defences import LABELLED, Labelled, parse_defence, still_judged
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld, TaskWorld


def require_arm(arm: str) -> None:
    """Raise ``BadInput`` for what is no arm."""
    if arm not in ARMS:
        raise BadInput(
            f"unknown arm {arm!r:.80}",
            where="--arm",
            nearest=nearest(arm, ARMS),
            next_command=f"--arm {' | '.join(ARMS)}",
        )


def tools_in(arm: str, catalog: Mapping[str, CatalogTool] = CATALOG) -> tuple[str, ...]:
    """The names of the tools that an arm has, in catalog order: all of them, or those of authoritative sources."""
    return tuple(name for name, tool in catalog.items() if arm != "authority-only" or tool.authority == "authoritative")


def names_in(arm: str, folder: WorldFolder, names: Collection[str] | None = None) -> list[str]:
    """The tools of an arm of a world, narrowed to ``names``."""
    return [name for name in tools_in(arm, catalog_of(folder)) if names is None or name in names]


def apply_defence(arm: str, tools: Toolset, defence: str = "", compact: bool = False, question: str = "") -> Toolset:
    """What an agent that was asked ``question`` is given of ``tools`` in an arm, told in fewer words or not, behind a
    defence where one is named. Raises as ``parse_defence``."""
    chosen = parse_defence(defence)
    tools = Compact(tools) if compact else tools
    guarded = tools if chosen is None else chosen.over(tools, question)
    is_labelled = chosen is not None and chosen.name == LABELLED
    return still_judged(Labelled(guarded), guarded) if arm == "labelled" and not is_labelled else guarded


@contextmanager
def toolset_in(
    arm: str, world: TaskWorld, names: Collection[str] | None = None, defence: str = "", compact: bool = False
) -> Iterator[Toolset]:
    """The arm's tools over one task's world, narrowed to ``names``, behind a defence where one is named; what a run
    started ends with the block. Raises as ``parse_defence``."""
    with WorldToolset(world, names_in(arm, world.world.folder, names)) as tools:
        yield apply_defence(arm, tools, defence, compact)


Progress = Callable[[int], None]
"""Called with how many more runs are finished."""
TAPE = "tape"
"""The folder of a journal that holds the traffic of its runs until they are finished."""


@dataclass(frozen=True, slots=True)
class EpisodeContext:
    """What all runs of one process share, each opened, planned or resolved once. ``overlays`` is None until they are
    ``planned``. ``said`` is the run folder whose model's words are said again, None where a model is asked."""

    plan: RunPlan
    world: FrozenWorld
    model: Model
    agent: Agent
    overlays: Mapping[str, Overlay] | None
    budget: Budget
    said: Path | None = None

    def planned(self) -> EpisodeContext:
        """This, with what the plan's campaign adds in each arm."""
        if self.overlays is not None:
            return self
        plan = self.plan
        return replace(self, overlays=overlays_for(self.world, plan.arms, plan.campaign, plan.dose))

    def overlay(self, arm: str) -> Overlay:
        """What stands over the world in an arm of a planned stage."""
        assert self.overlays is not None, "not planned"
        return self.overlays[arm]

    def run(self, task: Task, cell: Cell, attempt: int) -> dict[str, Any]:
        """Play one run to its end and return its record, plain data ready for JSON."""
        overlay = self.overlay(cell.arm)
        recipe = self.world.folder.suite.recipes.get(task.shape)
        gold = task.gold if self.model.needs_gold else None
        hints = PolicyHints(task.question, recipe, gold, task.answer.kind, task.answer.unit)
        world = self.world.task(task, overlay)
        session = self.model.session(RunKey(task.id, cell.arm, cell.condition, self.agent.name, attempt), hints)
        names = names_in(cell.arm, self.world.folder, self.plan.tool_names(cell.condition))
        with WorldToolset(world, names) as tools:
            toolset = apply_defence(cell.arm, tools, self.plan.defence, self.plan.compact, asked(task))
            offered = toolset.specs()
            trajectory = self.agent.run(asked(task, self.plan.confidence), session, toolset, self.budget)
        session.close()  # not where the run was broken off: half a run is no tape
        graded = None
        if task.execution is not None:
            trajectory, graded = self._graded(task, trajectory, tools.sent)
        return record_of(
            task, cell, attempt, trajectory, overlay, world.clock.waited_s, offered, graded, self.plan.confidence
        )

    def _graded(
        self, task: Task, trajectory: Trajectory, sent: Sequence[Sent]
    ) -> tuple[Trajectory, tuple[Score, Mapping[str, Any]]]:
        """What was sent, graded whatever ended the run: its losses count also where nothing is scored.

        By nodes that are started now, when the agent's own have ended. Where this machine fails, now or before, the
        run ends so, and is played again.
        """
        stop = STOPS[trajectory.stop]
        if stop.scored or (stop.certified and sent):
            try:
                return trajectory, carried_out(self.world, task, sent)
            except MACHINE_FAULTS as fault:
                why = one_line(f"while grading: {type(fault).__name__}: {fault}")
                trajectory = replace(trajectory, stop=machine_stop(fault), answer=None, detail=why)
        return trajectory, ungraded(sent, f"not scored: {trajectory.stop}")

    def records(self, progress: Progress = lambda more: None) -> list[dict[str, Any]]:
        """The records of every run of the plan, in its order."""
        found = []
        for task_id, cell, attempt in self.plan.episodes():
            found.append(self.run(self.world.folder.task(task_id), cell, attempt))
            progress(1)
        return found


@contextmanager
def opened(
    plan: RunPlan, folder: WorldFolder, said: Path | None = None, model: Model | None = None
) -> Iterator[EpisodeContext]:
    """What plays a plan in this process once it is ``planned``, closed with the block; with ``said`` its model says
    what that run folder says. ``model`` is the plan's, where nobody can be asked.

    Raises ``BadInput`` for an agent, model, key or limit that cannot be used, and for the campaign or its dose.
    """
    agent = resolve_agent(plan.agent)
    if said is not None:
        model = ModelOfRecord(plan.model, said, plan.cells[0].folder)
    model = model or model_of(plan)
    try:
        budget = plan.budget(model.price)
        require_campaign(folder, plan.arms, plan.campaign, plan.dose)
        with FrozenWorld(folder) as world:
            yield EpisodeContext(plan, world, model, agent, None, budget, said)
    finally:
        model.close()


@contextmanager
def staged(
    plan: RunPlan, folder: WorldFolder, said: Path | None = None, overlays: Mapping[str, Overlay] | None = None
) -> Iterator[EpisodeContext]:
    """As ``opened``, and planned; ``overlays`` are what the plan's campaign adds, where somebody has planned it."""
    with opened(plan, folder, said) as stage:
        yield replace(stage, overlays=overlays).planned()


def stage_for(world: FrozenWorld, plan: RunPlan, overlay: Overlay, arm: str = "attacked") -> EpisodeContext:
    """What plays one arm of a plan under an overlay, in this process; close its model when it is done.

    Raises ``BadInput`` for a model that cannot be used, and for a limit that cannot be kept.
    """
    model = model_of(plan)
    budget = plan.budget(model.price)
    return EpisodeContext(plan, world, model, resolve_agent(plan.agent), {arm: overlay}, budget)


def asked(task: Task, confidence: bool = False) -> str:
    """The question as the agent gets it: unchanged, with the moment it is asked at and the answer's form below it, and
    how to state its ``confidence`` where it is asked for that."""
    block = f"block {task.anchor.block}, " if task.anchor.block != NO_BLOCK else ""
    chain = f"chain {task.anchor.chain}, " if task.anchor.chain != NO_CHAIN else ""
    moment = f"{chain}{block}{utc_text(task.anchor.timestamp)}"
    told = f"{task.question}\n\n[asked at: {moment}]\n[answer form: {answer_form(task.answer)}]"
    return f"{told}\n{FORM}" if confidence else told


def play(stage: EpisodeContext, journal: Journal, watch: Watch, concurrency: int | None = None, share: int = 1) -> None:
    """Play every run of the stage's plan that the journal lacks; each is kept as it ends, and ``watch`` is told.

    ``concurrency`` runs are in flight at once; None is as many as a live model's endpoint bears, and one of what is no
    live model. This process has its ``share`` of them: an equal part of so many.
    """
    plan, folder = stage.plan, stage.world.folder
    price, limit = stage.model.price, None
    if isinstance(stage.model, OpenAICompatibleModel):
        at_once = concurrency or stage.model.at_once
        stage.model.limit = limit = RequestLimit(at_once, share=share, allowance=stage.model.allowance)
    most = max(1, (concurrency or 1) // share)
    flight = Flight()
    stage = replace(stage, model=taped(stage.model, plan, journal))
    tasks = {task_id: folder.task(task_id) for task_id in plan.tasks}

    def played(task: Task, cell: Cell, attempt: int) -> Callable[[], None]:
        record = stage.run(task, cell, attempt)

        def keep() -> None:
            journal.save(record, cell.folder)
            watch(run_end(record, cell.folder, price, flight.others, limit))

        return keep

    left = []
    for task_id, cell, attempt in plan.in_order():
        if journal.has(cell.folder, task_id, attempt):
            watch(run_end(journal.load(cell.folder, task_id, attempt), cell.folder, price))
        else:
            left.append(partial(played, tasks[task_id], cell, attempt))
    if limit is None and most == 1:  # in this thread
        for run in left:
            run()()
    else:
        flight.fly(left, lambda: most if limit is None else limit.limit)


def model_of(plan: RunPlan) -> Model:
    """The model, not connected to anything yet. Raises ``BadInput`` for a name, key or tape that cannot be used."""
    here = Path.cwd()
    tape = open_tape(plan.model.removeprefix(RECORDED), here) if plan.model.startswith(RECORDED) else None
    return resolve_model(plan.model, os.environ, seed=plan.seed, tape=tape, recorded=tape_names(here))


def taped(model: Model, plan: RunPlan, journal: Journal) -> Model:
    """``model``, its traffic kept in ``journal`` where the plan asks for it."""
    if plan.record_model is None:
        return model
    from caia_replay.models.tape_recorder import recording

    return recording(model, TapeWriter(journal.path / TAPE))


def require_tape_room(plan: RunPlan) -> None:
    """Raise ``BadInput`` when the plan's traffic could not be kept; to be asked before any of it is paid for."""
    if plan.record_model is not None:
        runs = {RunKey(task, cell.arm, cell.condition, plan.agent, attempt) for task, cell, attempt in plan.episodes()}
        model = certified_name(plan.model)
        require_room(plan.record_model, Path.cwd(), suite=plan.suite, model=model, runs=runs, tools=plan.tools)


def publish_tape(plan: RunPlan, journal: Journal, model: Model) -> Path | None:
    """Put the traffic kept in ``journal`` where ``recorded/NAME`` finds it; the tape's folder, or None without one.

    Runs that are played once more, because of how they ended on the tape, replace the first; no others do.
    """
    if plan.record_model is None:
        return None
    runs = {
        RunKey(task, cell.arm, cell.condition, plan.agent, attempt): journal.is_again(cell.folder, task, attempt)
        for task, cell, attempt in plan.episodes()
    }
    return publish(
        journal.path / TAPE,
        plan.record_model,
        Path.cwd(),
        suite=plan.suite,
        model=certified_name(plan.model),
        price=model.price,
        parameters=model.identity["parameters"],
        tools=plan.tools,
        again=[key for key, again in runs.items() if again],
        expected=runs,
    )
