"""A model that says, run by run, exactly what a run folder's trajectories say that one said; nobody is asked.

Agents, budgets, tools and nodes then do again what follows from that, and what they do may be compared with the folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Any, Final

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, PolicyHints, RunKey, Usage
from caia_replay.core.tool import ToolReply, ToolSpec
from caia_replay.errors import ModelFault
from caia_replay.store.ledger import read_price
from caia_replay.store.run_folder import read_json
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories

_FAULTS: Final = {"context_overflow": "context_overflow", "tape_miss": "not_recorded"}
"""How a run's stop comes of a model's fault, where it is not of any other."""


class ModelOfRecord:
    """The model of a run folder that agrees with itself. Its identity and price are those that the folder states."""

    is_policy = False
    needs_gold = False

    def __init__(self, name: str, run: Path, cell: str) -> None:
        """``cell`` is any of the run's subfolders. Raises ``BadInput`` for a certificate without a price in dollars."""
        self.name = name
        path = run / cell / "certificate.json"
        model = read_json(path).get("model")
        self._stated: Mapping[str, Any] = model if isinstance(model, dict) else {}
        self.price = read_price(self._stated.get("price"), path)
        self._run = run
        self._open, self._opening = ExitStack(), Lock()
        self._cells: dict[str, Trajectories] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        """As it is stated; nobody can tell who said what."""
        return {name: value for name, value in self._stated.items() if name != "price"}

    def session(self, key: RunKey, brief: PolicyHints) -> SessionOfRecord:
        """One run's turns. Raises ``BadInput`` for a file that is no run's record."""
        cell = f"{key.arm}-{key.condition}"
        with self._opening:
            if cell not in self._cells:
                self._cells[cell] = self._open.enter_context(Trajectories(self._run / cell))
        return SessionOfRecord(read_record(self._cells[cell], key.task, key.attempt))

    def close(self) -> None:
        """Close the run folder's files."""
        self._open.close()
        self._cells.clear()


class SessionOfRecord:
    """One run's turns, in their order, whatever is asked."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._turns = iter([step for step in record["steps"] if step["kind"] == "model"])
        self._left = sum(step["kind"] == "model" for step in record["steps"])
        self._stop = record["stop"]
        self._calls = iter([step for step in record["steps"] if step["kind"] == "tool"])

    def open(self, question: str, tools: Sequence[ToolSpec]) -> None:
        """Nobody is told."""

    def next_call(self, reply: ToolReply | None) -> ToolCall | None:
        """The calls of an external agent, in their order; one more where its budget of calls ended the run."""
        step = next(self._calls, None)
        if step is not None:
            return ToolCall(step["call_id"], step["tool"], step["arguments"])
        return ToolCall("", "", "") if self._stop == "call_budget" else None

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """What was said in this turn. Raises ``ModelFault`` after the last, as the run's stop has it."""
        turn = next(self._turns, None)
        if turn is None:
            raise ModelFault(_FAULTS.get(self._stop, "server"), "the record has no further turn")
        self._left -= 1
        calls = tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in turn["tool_calls"])
        usage = Usage(
            turn["prompt_tokens"],
            turn["completion_tokens"],
            turn["tokens_reported"],
            turn["cached_tokens"],
            turn["reasoning_tokens"],
        )
        refused = self._stop == "refused" and self._left == 0
        return Completion(Message("assistant", turn["content"], calls), usage, turn["finish_reason"], refused)

    def close(self) -> None:
        """Nothing is open."""
