"""CAIA's form of an agent's output: written from a run's record, and read back.

A list of ``{task_id, answer, tool_use_list: [{call_id, tool_name, tool_description, tool_input, tool_output}],
reasoning_list: [{step, reasoning}]}``; inputs and outputs of tools are texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import json_list, read_text
from caia_replay.store.plain import build
from caia_replay.store.seal import write_atomic
from caia_replay.tools.catalog import CATALOG

_RECORD: Final = ("task", "steps", "answer")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call. ``tool_input`` is the model's JSON text, ``tool_output`` what it was shown."""

    call_id: str
    tool_name: str
    tool_description: str
    tool_input: str
    tool_output: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the model wrote in one turn; ``step`` is the turn, from 1."""

    step: int
    reasoning: str


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """One task's run in CAIA's form. A run without an answer has an empty one."""

    task_id: str
    answer: str
    tool_use_list: tuple[ToolUse, ...]
    reasoning_list: tuple[Reasoning, ...]


def agent_output(record: Mapping[str, Any], task_id: str | None = None) -> AgentOutput:
    """A run's record (a file of ``trajectories/``) in CAIA's form; ``task_id`` where the grader knows it by another.

    What only the simulator knows is left out: served classes, attacks, what was nearest. Turns in which the model
    wrote nothing have no reasoning. Raises ``BadInput`` for what is no record.
    """
    if any(name not in record for name in _RECORD):
        raise BadInput("is not the record of a run", where="trajectory", next_command="a file below trajectories/")
    try:
        uses, words = [], []
        for step in record["steps"]:
            if step["kind"] == "tool":
                uses.append(_use(step))
            elif step["content"]:
                words.append(Reasoning(int(step["turn"]), str(step["content"])))
        return AgentOutput(task_id or str(record["task"]), str(record["answer"] or ""), tuple(uses), tuple(words))
    except (KeyError, TypeError, ValueError) as fault:
        raise BadInput(f"is not the record of a run: {fault!r:.100}", where="trajectory") from None


def _use(step: Mapping[str, Any]) -> ToolUse:
    name = str(step["tool"])
    told = CATALOG[name].spec.description if name in CATALOG else ""
    return ToolUse(str(step["call_id"]), name, told, str(step["arguments"]), canonical_bytes(step["shown"]).decode())


def outputs_bytes(outputs: Iterable[AgentOutput]) -> bytes:
    """The outputs as CAIA's JSON: fields in CAIA's order, four spaces, one newline at the end."""
    text = json.dumps([asdict(output) for output in outputs], indent=4, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def write_outputs(path: Path, outputs: Iterable[AgentOutput]) -> None:
    """Write CAIA's file, whole or not at all."""
    write_atomic(path, outputs_bytes(outputs))


def read_outputs(path: Path) -> list[AgentOutput]:
    """CAIA's file. Raises ``BadInput`` naming the task and field for anything that is not exactly of the form."""
    items = json_list(read_text(path), path)
    return [build(AgentOutput, item, f"{path}, output {at}") for at, item in enumerate(items, start=1)]
