"""Whether a local model's context holds what an agent asks it first, and what would fit; before anything is asked.

The request is the agent's own, and its tokens are counted by the model's own chat template and vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from caia_replay.core.message import Message
from caia_replay.core.model import Completion
from caia_replay.core.task import Task
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.local import LocalModel
from caia_replay.runner.episode import EpisodeContext, asked, names_in, toolset_in
from caia_replay.runner.plan import Cell
from caia_replay.tools.tool_set import COMPACT, TOOL_SETS

_IN_TEXT: Final = "--agent text-react, which tells of them in the prompt"
_ROOM: Final = "--tools"


def require_room(stage: EpisodeContext) -> None:
    """Raise ``BadInput`` where the first request of a cell's longest question does not fit a local model's context, or
    where the model's template leaves out the tools that the agent offers. Other models are passed by."""
    model, plan = stage.model, stage.plan
    if not isinstance(model, LocalModel):
        return
    tasks = [stage.world.folder.task(name) for name in plan.tasks]
    longest = max(tasks, key=lambda task: len(asked(task).encode()))
    room = model.file.settings.context - model.file.settings.completion
    for cell in plan.cells:
        names = plan.tool_names(cell.condition)
        messages, tools = first_request(stage, longest, cell, names)
        if tools and not model.shows_tools(messages, tools):
            what = f"the chat template of {model.name} leaves tools out: with {plan.agent} it would see none"
            raise BadInput(what, where="--agent", next_command=_IN_TEXT)
        needed = model.prompt_tokens(messages, tools)
        if needed > room:
            offered = len(names_in(cell.arm, stage.world.folder, names))
            what = (
                f"the first request of {plan.agent} with {offered} tools (task {longest.id}) is {needed:,} tokens, and "
                f"the context of {model.name} has room for {room:,}"
            )
            raise BadInput(what, where=_ROOM, next_command=_fitting(stage, longest, cell, offered, room))


def first_request(
    stage: EpisodeContext, task: Task, cell: Cell, names: Sequence[str] | None
) -> tuple[Sequence[Message], Sequence[ToolSpec]]:
    """The messages and tools that the stage's agent asks with first in a cell without its overlay."""
    listener, plan = _Listener(), stage.plan
    with toolset_in(cell.arm, stage.world.task(task), names, plan.defence, plan.compact) as tools:
        stage.agent.run(asked(task, plan.confidence), listener, tools, stage.budget)
    return listener.messages, listener.tools


def _fitting(stage: EpisodeContext, task: Task, cell: Cell, offered: int, room: int) -> str:
    """The option for the largest set of tools that fits, in full where that is as large, with its count."""
    fits: list[tuple[int, int, str]] = []
    model = stage.model
    assert isinstance(model, LocalModel)
    most = sorted(TOOL_SETS.items(), key=lambda item: (-len(item[1]), item[0]))
    for compact in (False, True):
        less = replace(stage, plan=replace(stage.plan, tools=(COMPACT,) if compact else ()))
        for name, tools in most:
            if len(tools) < offered or (len(tools) == offered and compact and not stage.plan.compact):
                needed = model.prompt_tokens(*first_request(less, task, cell, tools))
                if needed <= room:
                    fits.append((len(tools), needed, f"{COMPACT},{name}" if compact else name))
                    break
    if fits:
        count, needed, name = max(fits, key=lambda fit: fit[0])
        return f"--tools {name} ({count} tools, {needed:,} tokens)"
    return f"MODEL={model.name},context={2 * model.file.settings.context}, if its weights bear that"


class _Listener:
    """Hears the first request of a run, and ends it."""

    def __init__(self) -> None:
        self.messages: tuple[Message, ...] = ()
        self.tools: tuple[ToolSpec, ...] = ()

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        self.messages, self.tools = tuple(messages), tuple(tools)
        raise ModelFault("server", "only the request was wanted")

    def close(self) -> None:
        """Nothing is open."""
