"""What an author says of a new task: its words, and what proves it, in options or in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.core.gold import GoldChain
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml


@dataclass(frozen=True, slots=True)
class Words:
    """What an author says of a new task.

    ``shape`` None: the one whose recipe reads the question, else the id. ``at``: the moment of a task without a block,
    in seconds since 1970.
    """

    id: str
    question: str
    category: str
    chain: str
    block: int
    at: int | None = None
    language: str = "en"
    shape: str | None = None
    stake_usd: str = "0"
    stake_reason: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """The options that say what is right and how it is found; ``steps`` are texts ``TOOL JSON``. ``file`` may say the
    answer, the gold chain, or both, in their place."""

    values: Sequence[str] = ()
    kind: str | None = None
    unit: str | None = None
    steps: Sequence[str] = ()
    result: str | None = None
    file: Path | None = None

    def read(self) -> tuple[AnswerSpec, GoldChain]:
        """The answer and the gold chain; empty where nothing is said of it. Raises ``BadInput``."""
        answer, gold = (None, None) if self.file is None else read_gold_file(self.file)
        for found, given, names in (
            (answer, (self.values, self.kind, self.unit), "--answer, --kind and --unit"),
            (gold, (self.steps, self.result), "--step and --result"),
        ):
            if found is not None and any(given):
                raise BadInput(f"{self.file} says it already", where=names, next_command="give one of them")
        if answer is None:
            said = {"kind": self.kind or "number", "values": tuple(self.values)}
            answer = build(AnswerSpec, said | ({} if self.unit is None else {"unit": self.unit}), "--answer")
        if gold is None:
            steps = [_step(text) for text in self.steps]
            gold = build(GoldChain, {"steps": steps, "result": self.result or ""}, "--step")
        return answer, gold


def read_gold_file(path: Path) -> tuple[AnswerSpec | None, GoldChain | None]:
    """The ``[answer]`` and the ``[gold]`` of a file, in task.toml's form; one may be left out. Raises ``BadInput``."""
    found = read_toml(path)
    for name in found:
        if name not in ("answer", "gold"):
            raise BadInput(f"unknown field {name!r:.80}; a gold file has [answer] and [gold]", where=path)
    if not found:
        raise BadInput("has neither [answer] nor [gold]", where=path)
    answer = build(AnswerSpec, found["answer"], path, "answer") if "answer" in found else None
    return answer, build(GoldChain, found["gold"], path, "gold") if "gold" in found else None


def canary_of(suite: str, task_id: str, question: str) -> str:
    """A text that stands nowhere else, and is the same for the same task whenever and wherever it is made."""
    return f"CAIA-REPLAY-CANARY-{hashlib.sha256(f'{suite}/task/{task_id}/{question}'.encode()).hexdigest()[:32]}"


def _step(text: str) -> dict[str, Any]:
    tool, _, arguments = text.strip().partition(" ")
    try:
        return {"tool": tool, "arguments": strict_json(arguments.strip() or "{}")}
    except ValueError as fault:
        what = f"the arguments of {tool!r:.80} are not JSON: {fault}"
        raise BadInput(what, where="--step", next_command="--step 'block_query {\"block\": 30}'") from None
