"""OCE, CAIA's sibling for on-chain execution: 70 tasks with criteria in words, as stubs with criteria as data.

OCE's own harness never shows its criteria to its grader. Here what a criterion says of balances is a ``BalanceCheck``;
what it says besides is listed with the reason why it is no data yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import pretty_bytes
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import (
    MAX_BYTES,
    MAX_QUESTION,
    folder_id,
    json_list,
    level_of,
    question_digest,
    refuse_repeats,
    text_field,
    write_folder,
)
from caia_replay.interop.oce_check import BalanceCheck, Criteria, read_criteria
from caia_replay.store.plain import thawed, toml_text
from caia_replay.store.plain_file import read_text

FORK_BLOCK: Final = 22_636_495
"""The Ethereum mainnet block that OCE's harness forks (its authors' public repository)."""
STUB: Final = "execution.toml"
REPORT: Final = "import.json"


@dataclass(frozen=True, slots=True)
class ExecutionStub:
    """One task of OCE. ``checks`` must all hold after the agent's transactions; ``must_touch`` are contracts that one
    of these must call; ``not_data`` says what of ``criteria`` is neither, and why; ``doubts`` what contradicts."""

    id: str
    question: str
    chain: str
    block: int
    level: int
    category: str
    criteria: str
    checks: tuple[BalanceCheck, ...] = ()
    must_touch: tuple[str, ...] = ()
    destination_chain_id: int | None = None
    not_data: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def checked(self) -> bool:
        """Whether data alone can say that the task was done: every criterion is a check whose tolerance is known."""
        return bool(self.checks) and not self.not_data


def read_stubs(path: Path) -> list[ExecutionStub]:
    """OCE's tasks in the file's order. Raises ``BadInput`` for a file that is none of OCE's."""
    stubs = [
        _stub(item, f"{path}, task {at}")
        for at, item in enumerate(json_list(read_text(path, MAX_BYTES), path), start=1)
    ]
    if not stubs:
        raise BadInput("holds no task", where=path, next_command="caia-replay import oce oce_eval_data.json --out DIR")
    refuse_repeats([stub.id for stub in stubs], path)
    return stubs


def import_oce(path: Path, out: Path) -> list[ExecutionStub]:
    """Write tasks/<id>/execution.toml and import.json to ``out``, whole or not at all. Raises ``BadInput``."""
    stubs = read_stubs(path)
    files = {f"tasks/{stub.id}/{STUB}": toml_text(thawed(stub)).encode() for stub in stubs}
    write_folder(out, {REPORT: pretty_bytes(report(stubs)), **files})
    return stubs


def report(stubs: list[ExecutionStub]) -> dict[str, Any]:
    """What import.json holds: per task which criteria are data and which are not, without OCE's words."""
    return {
        "counts": counts(stubs),
        "tasks": [
            {
                "task": stub.id,
                "question_digest": question_digest(stub.question),
                "checked": stub.checked,
                "checks": len(stub.checks),
                "not_data": list(stub.not_data),
                "doubts": list(stub.doubts),
            }
            for stub in stubs
        ],
    }


def counts(stubs: list[ExecutionStub]) -> dict[str, Any]:
    """Tasks whose criteria are data in whole, in part and not at all, and the reasons why not, most frequent first."""
    reasons = Counter(reason for stub in stubs for reason in stub.not_data)
    return {
        "tasks": len(stubs),
        "whole": sum(stub.checked for stub in stubs),
        "part": sum(bool(stub.checks) and not stub.checked for stub in stubs),
        "none": sum(not stub.checks for stub in stubs),
        "doubtful": sum(bool(stub.doubts) for stub in stubs),
        "not_data": dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    }


def summary_lines(stubs: list[ExecutionStub]) -> list[str]:
    """The report for a terminal: counts, the reasons, and a line a task that has any."""
    items = counts(stubs)
    head = f"{items['tasks']} tasks: criteria are data in whole for {items['whole']}, in part for {items['part']}"
    lines = [f"{head}, not at all for {items['none']}; {items['doubtful']} with doubts"]
    lines += [f"not data: {reason}: {times}" for reason, times in items["not_data"].items()]
    for stub in stubs:
        lines += [f"{stub.id}: not data: {reason}" for reason in stub.not_data]
        lines += [f"{stub.id}: doubt: {doubt}" for doubt in stub.doubts]
    return lines


def _stub(item: Any, where: str) -> ExecutionStub:
    if not isinstance(item, Mapping):
        raise BadInput("is no JSON object", where=where)
    given = text_field(item, "task_id", 80, where)
    question = text_field(item, "question", MAX_QUESTION, where)
    chain = text_field(item, "chain", 40, where)
    if chain != "ethereum":
        raise BadInput(f"chain {chain[:40]!r}: OCE's harness forks Ethereum alone", where=where, nearest="ethereum")
    value = text_field(item, "criteria", MAX_QUESTION, where)
    read: Criteria = read_criteria(question, value)
    return ExecutionStub(
        id=folder_id("oce", given, where),
        question=question,
        chain=chain,
        block=FORK_BLOCK,
        level=level_of(item, where),
        category=text_field(item, "category", 40, where),
        criteria=value,
        **{item.name: getattr(read, item.name) for item in fields(read)},
    )
