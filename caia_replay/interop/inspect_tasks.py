"""Our tasks for Inspect AI: ``inspect eval caia_replay/synthetic_178 -T arm=attacked`` (docs/exports.md).

Inspect asks the model and counts; question, tools, verdict and adoption are ours, the same that ``replay`` has for the
same words. Inspect loads this file by its entry point, and nothing of ours imports it.
"""

from __future__ import annotations

import atexit
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, execute_tools
from inspect_ai.scorer import Score, Scorer, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParams

from caia_replay.agents.answer import final_answer
from caia_replay.agents.react import ReactAgent
from caia_replay.agents.reply_text import shown_text
from caia_replay.core.agent import TURNS
from caia_replay.core.overlay import Overlay
from caia_replay.core.tool import Toolset, ToolSpec
from caia_replay.errors import BadInput, CaiaReplayError, nearest
from caia_replay.interop.inspect_score import CALLS, adoption_of, as_text, trajectory_of, verdict_of
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.certificate import record_of
from caia_replay.runner.episode import apply_defence, asked, names_in, require_arm
from caia_replay.runner.plan import ATTACKED, CONDITIONS, DEFAULT_CAMPAIGN, Cell
from caia_replay.store.plain import thawed
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.world import FrozenWorld

_lock = Lock()
_open: dict[str, Callable[[], Awaitable[None]]] = {}


@dataclass(frozen=True, slots=True)
class Stage:
    """A suite's world in one arm, shared by all samples of a process."""

    world: FrozenWorld
    overlay: Overlay
    cell: Cell


@task
def synthetic_178(
    arm: str = "clean", campaign: str = DEFAULT_CAMPAIGN, condition: str = "tools", turns: int = TURNS
) -> Task:
    """The 178 questions of the shipped suite. ``arm``, ``campaign``, ``condition`` and ``turns`` as for replay."""
    return task_of("synthetic-178", arm, campaign, condition, turns)


@task
def mini_6(arm: str = "clean", campaign: str = DEFAULT_CAMPAIGN, condition: str = "tools", turns: int = TURNS) -> Task:
    """The six questions of the small suite."""
    return task_of("mini-6", arm, campaign, condition, turns)


@task
def suite(
    name: str, arm: str = "clean", campaign: str = DEFAULT_CAMPAIGN, condition: str = "tools", turns: int = TURNS
) -> Task:
    """Any suite, by its name or its world folder."""
    return task_of(name, arm, campaign, condition, turns)


def task_of(name: str, arm: str, campaign: str, condition: str, turns: int) -> Task:
    """A suite as an Inspect task. What ``replay`` refuses Inspect tells in one line, and tasks that are carried out:
    there is no node to grade them on."""
    try:
        if turns < 1:
            raise BadInput(f"a run has {turns} turns, and needs one", where="turns", next_command=f"-T turns={TURNS}")
        stage = stage_of(name, arm, campaign, condition)
        folder = stage.world.folder
        tasks = [folder.task(one) for one in folder.suite.active()]
        if carried := [one.id for one in tasks if one.execution is not None]:
            what = f"{carried[0]} is carried out and not answered, which Inspect cannot grade"
            raise BadInput(what, where=name, next_command=f"caia-replay replay --suite {name}")
    except CaiaReplayError as fault:
        raise PrerequisiteError(str(fault)) from None
    samples = [
        Sample(
            id=one.id,
            input=asked(one),
            target=list(one.answer.values),
            metadata={
                "project": one.project or one.id,  # a task without one is a cluster of its own
                "category": one.category,
                "difficulty": one.difficulty,
                "stake_usd": one.stake_usd,
            },
        )
        for one in tasks
    ]
    where = {"name": name, "arm": arm, "campaign": campaign, "condition": condition}
    scorers = [verdict(**where), adoption(**where)] if arm in ATTACKED else [verdict(**where)]
    return Task(
        dataset=MemoryDataset(samples, name=folder.suite.id),
        setup=frozen_tools(**where),
        solver=react(turns=turns),
        cleanup=_end,
        scorer=scorers,
        version=folder.suite.version,
        metadata={
            "world": folder.seal.digest_without_overlays,
            "overlay": stage.overlay.digest or None,
            "provenance": folder.info.provenance,
            "comparable_to_published_caia": folder.info.comparable_to_published_caia,
        },
    )


def stage_of(name: str, arm: str, campaign: str, condition: str) -> Stage:
    """The world of a suite in an arm, opened once; its nodes end with the process. Raises ``BadInput``."""
    require_arm(arm)
    if condition not in CONDITIONS:
        near = nearest(condition, CONDITIONS)
        raise BadInput(f"unknown condition {condition!r:.80}", where="condition", nearest=near)
    with _lock:
        return Stage(_world(name), _overlay(name, arm, campaign), Cell(arm, condition))


@lru_cache
def _world(name: str) -> FrozenWorld:
    world = FrozenWorld(open_world(name))
    atexit.register(world.close)
    return world


@lru_cache
def _overlay(name: str, arm: str, campaign: str) -> Overlay:
    return overlays_for(_world(name), (arm,), campaign)[arm]


@solver
def frozen_tools(name: str, arm: str, campaign: str, condition: str) -> Solver:
    """Gives a sample the tools of its task's frozen world; stays where another solver replaces ``react``."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        stage = stage_of(name, arm, campaign, condition)
        world = stage.world.task(stage.world.folder.task(str(state.sample_id)), stage.overlay)
        own = WorldToolset(world, _names(stage))
        kept: list[dict[str, Any]] = []
        state.store.set(CALLS, kept)

        async def end() -> None:
            await to_thread.run_sync(own.close)

        _open[state.uuid] = end
        tools = apply_defence(arm, own)
        state.tools = [tool_of(spec, tools, kept) for spec in tools.specs()]
        return state

    return solve


async def _end(state: TaskState) -> None:
    """End what a sample's calls started."""
    if (end := _open.pop(state.uuid, None)) is not None:
        await end()


def tool_of(spec: ToolSpec, tools: Toolset, kept: list[dict[str, Any]]) -> ToolDef:
    """A tool of ours as Inspect's: called in a thread, since a call may wait for a node; what has a default is not
    required; its result is never cut, as replay cuts none. ``kept`` is told how each call was served."""

    async def execute(**kwargs: Any) -> str:
        arguments = as_text(kwargs)
        reply = await to_thread.run_sync(tools.call, spec.name, arguments)
        kept.append(
            {
                "tool": spec.name,
                "arguments": arguments,
                "served": str(reply.served),
                "result": thawed(reply.result),
                "error": thawed(reply.error),
                "altered_by": list(reply.altered_by),
                "altered_at": list(reply.altered_at),
            }
        )
        return shown_text(reply)

    return ToolDef(execute, spec.name, spec.description, parameters_of(spec), parallel=False, max_output=0)


def parameters_of(spec: ToolSpec) -> ToolParams:
    """A tool's parameters, of which those with a default may be left out, or null: our own schemas are in OpenAI's
    strict form, which requires all."""
    properties = dict(spec.parameters["properties"])
    known = CATALOG.get(spec.name)  # a suite's own tool has no default but null
    optional = {name for name, form in properties.items() if "anyOf" in form}
    if known is not None:
        optional = {name for name, field in known.arguments.model_fields.items() if not field.is_required()}
    required = [name for name in spec.parameters["required"] if name not in optional]
    for name in properties.keys() - set(required):
        form = dict(properties[name])
        if "anyOf" not in form:
            properties[name] = {"description": form.pop("description"), "anyOf": [form, {"type": "null"}]}
    return ToolParams.model_validate({**spec.parameters, "properties": properties, "required": required})


@solver
def react(turns: int = TURNS) -> Solver:
    """Our ``react`` on Inspect's messages: the same prompts, the same reminder, the same last turn."""
    agent = ReactAgent()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages.insert(0, ChatMessageSystem(content=agent.render("react.md", turns=str(turns))))
        # What a model asks with goes to our tools as it is, which read more than a schema says, and tell what is wrong.
        tools = [ToolDef(one, parameters=ToolParams(additionalProperties=True)) for one in state.tools]
        reminded = False
        for turn in range(1, turns + 1):
            if turn == turns:
                state.messages.append(ChatMessageUser(content=agent.render("react_last_turn.md")))
            state = await generate(state, tool_calls="none")
            message = state.output.message
            if state.output.stop_reason == "content_filter" or turn == turns:
                break
            if message.tool_calls:
                state.messages.extend((await execute_tools(state.messages, tools)).messages)
            elif final_answer(message.text) is not None or reminded:
                break
            else:
                reminded = True
                state.messages.append(ChatMessageUser(content=agent.render("react_reminder.md")))
        return state

    return solve


@scorer(metrics=[accuracy(), stderr(cluster="project")])
def verdict(name: str, arm: str, campaign: str, condition: str) -> Scorer:
    """Our verdict on the submitted answer, C or I; an open question has none. Errors are clustered by project."""

    async def score(state: TaskState, target: Any) -> Score:
        return verdict_of(await to_thread.run_sync(record_of_state, name, arm, campaign, condition, state))

    return score


@scorer(metrics=[mean(), stderr(cluster="project")])
def adoption(name: str, arm: str, campaign: str, condition: str) -> Scorer:
    """1 for a run that adopted a lie of the open web, else 0; none where nothing was planted, or nobody can tell."""

    async def score(state: TaskState, target: Any) -> Score:
        return adoption_of(await to_thread.run_sync(record_of_state, name, arm, campaign, condition, state))

    return score


def record_of_state(name: str, arm: str, campaign: str, condition: str, state: TaskState) -> dict[str, Any]:
    """What ``replay`` would record of a sample's conversation: verdict, adoption, counts."""
    stage = stage_of(name, arm, campaign, condition)
    asked_of = stage.world.folder.task(str(state.sample_id))
    with WorldToolset(stage.world.task(asked_of, stage.overlay), _names(stage)) as own:
        offered = apply_defence(arm, own).specs()
    trajectory = trajectory_of(state.messages, state.store.get(CALLS, []), state.output)
    return record_of(asked_of, stage.cell, state.epoch, trajectory, stage.overlay, 0, offered)


def _names(stage: Stage) -> list[str]:
    return names_in(stage.cell.arm, stage.world.folder, None if stage.cell.condition == "tools" else ())
