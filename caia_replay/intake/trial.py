"""Draft answers tried: tool calls and gold chains, made in the frozen world of a suite's task.

One call at a time; the world is opened with the first. A call is answered as ``caia-replay call`` answers it, at the
task's moment, or at another block of the same world that a draft names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.core.tool import ToolReply
from caia_replay.errors import BadInput, CaiaReplayError, MachineFault, Miss, one_line
from caia_replay.intake.ledger import Entry, Ledger
from caia_replay.runner.episode import stage_for
from caia_replay.runner.plan import CLEAN, Cell, make_plan
from caia_replay.scoring.spec import check_spec
from caia_replay.store.plain import build, thawed
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.validation.conditions import shape_of
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

TRIED_BY: Final = {"policy/searcher": True, "policy/explorer": False}
"""What tries a draft, and whether it answers: the searcher tells whether the web alone gives the answer away, the
explorer how much of what one would ask is recorded."""
TRIES: Final = 3
_NUMBER: Final = re.compile(r"\d{1,18}")


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft answer: what is right, the calls that prove it, and at which block of which chain it is asked."""

    answer: AnswerSpec
    gold: GoldChain
    chain: str
    block: int

    def plain(self) -> dict[str, Any]:
        """As JSON, the body of a ledger's entry."""
        found: dict[str, Any] = thawed(self)
        return found


def draft_of(ledger: Ledger, question: str) -> Draft | None:
    """The draft that stands; None where nobody wrote one. Raises ``BadInput`` where branches left two."""
    standing = ledger.standing(question, "gold")
    if len(standing) > 1:
        names = ", ".join(entry.by for entry in standing)
        what = f"two draft answers stand after a merge, by {names}"
        raise BadInput(what, where=question, next_command="save one of them again")
    return build(Draft, standing[0].body, question) if standing else None


def save_draft(ledger: Ledger, question: str, by: str, draft: Draft) -> Entry:
    """Put a draft into the ledger in place of the one that stands. Raises ``BadInput`` for an answer of no form."""
    if not draft.answer.values:
        raise BadInput("what is right? Give the answer", where="draft")
    if fault := next(iter(check_spec(draft.answer)), ""):
        raise BadInput(f"answer: {fault}", where="draft")
    return ledger.add(question, "gold", by, draft.plain())


def read_draft(fields: Mapping[str, str]) -> Draft:
    """A draft as a person types it: ``values`` a line each, ``kind``, ``unit``, ``steps`` a line each as ``TOOL JSON``,
    ``result``, ``chain`` and ``block``. Raises ``BadInput`` naming the field."""
    block = fields.get("block", "").strip()
    if not _NUMBER.fullmatch(block):
        raise BadInput(f"block {block!r:.40} is no block height", where="draft")
    values = [line.strip() for line in fields.get("values", "").splitlines() if line.strip()]
    said: dict[str, Any] = {"kind": fields.get("kind", "").strip() or "number", "values": values}
    if unit := fields.get("unit", "").strip():
        said["unit"] = unit
    steps = tuple(_step(line) for line in fields.get("steps", "").splitlines() if line.strip())
    answer = build(AnswerSpec, said, "draft")
    return Draft(
        answer, GoldChain(steps, fields.get("result", "").strip()), fields.get("chain", "").strip(), int(block)
    )


def _step(line: str) -> GoldStep:
    tool, _, text = line.strip().partition(" ")
    try:
        arguments = strict_json(text.strip() or "{}")
    except ValueError as fault:
        raise BadInput(f"the arguments of {tool!r:.60} are not JSON: {fault}", where="draft") from None
    return build(GoldStep, {"tool": tool, "arguments": arguments}, "draft")


class Trial:
    """A world to try calls in, at the moment of one of its tasks. Close it, or use it as a context manager."""

    def __init__(self, folder: WorldFolder, task: Task) -> None:
        self.suite, self.task = folder.suite.id, task
        self._folder, self._lock, self._open = folder, Lock(), ExitStack()
        self._world: FrozenWorld | None = None

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop what was started."""
        with self._lock:
            self._open.close()

    @property
    def moment(self) -> str:
        """Where and when calls are made, in words."""
        anchor = self.task.anchor
        return f"{self.suite}, {anchor.chain} at block {anchor.block} (task {self.task.id})"

    @property
    def chains(self) -> tuple[str, ...]:
        """The names of the world's chains."""
        return tuple(self._folder.info.chains)

    def call(self, tool: str, arguments: str) -> ToolReply:
        """One call at the task's moment. Raises ``BadInput`` for an unknown tool and for arguments that are no JSON."""
        if tool not in CATALOG:
            raise BadInput(f"no tool {tool!r:.60}", where="call")
        try:
            strict_json(arguments)
        except ValueError as fault:
            raise BadInput(f"the arguments are not JSON: {fault}", where="call") from None
        with self._lock, WorldToolset(self._opened().task(self.task)) as tools:
            return tools.call(tool, arguments)

    def play(self, draft: Draft) -> tuple[str, str]:
        """What a draft's chain gives at its own block, and what is wrong with it, each empty where there is nothing."""
        if not draft.gold.steps or not draft.gold.result:
            return "", "a chain needs a call and a result"
        with self._lock:
            try:
                task = replace(self.task, anchor=self._anchor(draft))
                with WorldToolset(self._opened().task(task)) as tools:
                    run = run_gold(draft.gold, tools)
            except MachineFault:
                raise
            except CaiaReplayError as fault:
                return "", str(fault)
        return run.answer or "", run.fault

    def tried(self, question: str, draft: Draft, runs: int) -> Iterator[str]:
        """What the policies of ``TRIED_BY`` make of a question, were its draft a task: a line each.

        Raises ``BadInput`` for a block that is not recorded.
        """
        for policy, says in TRIED_BY.items():
            records = self._attempts(question, draft, policy, runs)
            calls = sum(sum(one["served"].values()) for one in records)
            told = f"{calls} calls, {sum(one['served']['MISS'] for one in records)} without a recording"
            if says:
                right = sum(one["score"]["correct"] is True for one in records)
                answers = ", ".join(dict.fromkeys(one["answer"] or "nothing" for one in records))
                told = f"{right} of {runs} right, answered {answers}; {told}"
            yield one_line(f"{policy}: {told}")

    def _attempts(self, question: str, draft: Draft, policy: str, runs: int) -> list[dict[str, Any]]:
        """The records of a policy's runs of a draft, at the draft's own block."""
        with self._lock:
            world = self._opened()
            task = replace(
                self.task, id="draft", question=question, answer=draft.answer, gold=draft.gold,
                anchor=self._anchor(draft), execution=None,
            )  # fmt: skip
            task = replace(task, shape=shape_of(self._folder.suite.recipes, task) or task.id)
            stage = stage_for(world, make_plan(self._folder, tasks=(self.task.id,), model=policy), NO_OVERLAY, CLEAN)
            try:
                return [stage.run(task, Cell(CLEAN, "tools"), attempt) for attempt in range(1, runs + 1)]
            finally:
                stage.model.close()

    def _anchor(self, draft: Draft) -> Anchor:
        if (draft.chain, draft.block) == (self.task.anchor.chain, self.task.anchor.block):
            return self.task.anchor
        snapshot = self._opened().snapshots.get(draft.chain)
        if snapshot is None:
            raise BadInput(f"no chain {draft.chain!r:.60} in {self.suite}", where="draft")
        try:
            return Anchor(draft.chain, draft.block, int(snapshot.header(draft.block)["timestamp"], 16))
        except Miss:
            raise BadInput(f"block {draft.block} of {draft.chain} is not recorded", where="draft") from None

    def _opened(self) -> FrozenWorld:
        if self._world is None:
            self._world = self._open.enter_context(FrozenWorld(self._folder))
        return self._world


def steps_text(gold: GoldChain) -> str:
    """A chain's calls as a person types them, a line each."""
    return "\n".join(f"{step.tool} {canonical_bytes(thawed(step.arguments)).decode()}" for step in gold.steps)
