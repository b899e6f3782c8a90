"""CAIA's questions as a draft suite: a world without recordings that can be opened, planned for and recorded into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import pretty_bytes
from caia_replay.core.gold import GoldChain
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Task
from caia_replay.interop.caia_anchor import find_anchor
from caia_replay.interop.caia_answer import guess_answer
from caia_replay.interop.caia_format import CaiaRow, read_rows, write_folder
from caia_replay.interop.caia_lint import Entry, Finding, lint_tasks
from caia_replay.interop.gold_row import GOLD, GoldRow, gold_of, read_gold
from caia_replay.recording.redactions import Words
from caia_replay.store.plain import thawed, toml_text
from caia_replay.store.world_folder import WorldInfo

REPORT: Final = "import.json"
ADDED: Final = "2025-09-27"
"""The data set's own day (``caia_anchor.DATASET_END``): when its tasks joined is not when somebody imported them."""
_NO_STAKE: Final = "CAIA states no stake."


@dataclass(frozen=True, slots=True)
class Import:
    """What an import found: the tasks, each with its row, and the findings."""

    tasks: tuple[Task, ...]
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    gold: tuple[GoldRow | None, ...]
    unused: tuple[str, ...] = ()
    """Ids of gold rows that are of no question here: another wording, or another file."""


def read_suite(path: Path, gold: Path = GOLD) -> Import:
    """CAIA's file as tasks, in the file's order, with the gold chains of ``gold`` for the questions that they are of.

    Raises ``BadInput`` for a file that is none of CAIA's, and as ``read_gold``.
    """
    entries = tuple(_entry(row) for row in read_rows(path))
    rows = read_gold(gold)
    found = tuple(gold_of(entry.row, rows) for entry in entries)
    used = {row.id for row in found if row is not None}
    unused = tuple(id_ for id_ in rows if id_ not in used)
    return Import(tuple(map(_task, entries, found)), entries, tuple(lint_tasks(entries)), found, unused)


def import_caia(path: Path, out: Path, gold: Path = GOLD) -> Import:
    """Write the draft suite of CAIA's file to ``out``, whole or not at all.

    world.toml, suite.toml, tasks/<id>/task.toml, and import.json with what was guessed and found. The world names no
    chain yet: recording adds those that it records. Raises ``BadInput``.
    """
    done = read_suite(path, gold)
    info = WorldInfo(out.name, "live", (), False, "CAIA's questions, imported from the authors' own file")
    suite = Suite(out.name, "0.0.0", tuple(SuiteEntry(task.id, ADDED) for task in done.tasks))
    files = {
        "world.toml": toml_text(thawed(info)).encode(),
        "suite.toml": toml_text(thawed(suite)).encode(),
        REPORT: pretty_bytes(report(done)),
    }
    files |= {f"tasks/{task.id}/task.toml": toml_text(thawed(task)).encode() for task in done.tasks}
    write_folder(out, files)
    return done


def report(done: Import) -> dict[str, Any]:
    """What import.json holds: counts, a row a task without any of CAIA's words, and the findings."""
    return {
        "counts": counts(done),
        "tasks": [_told(*each) for each in zip(done.tasks, done.entries, done.gold, strict=True)],
        "findings": [{"kind": found.kind, "tasks": list(found.tasks), "what": found.what} for found in done.findings],
    }


def counts(done: Import) -> dict[str, dict[str, int]]:
    """How many tasks there are by anchor, category, language and kind of answer, and findings by kind."""
    return {
        "anchor": _counted([entry.found.kind for entry in done.entries]),
        "category": _counted([task.category for task in done.tasks]),
        "language": _counted([task.language for task in done.tasks]),
        "answer": _counted([task.answer.kind for task in done.tasks]),
        "chain": _counted([task.anchor.chain for task in done.tasks]),
        "gold": _counted([_kind(gold) for gold in done.gold]),
        "findings": _counted([found.kind for found in done.findings]),
    }


def summary_lines(done: Import) -> list[str]:
    """The report for a terminal: counts, then one line a kind of finding, those about several tasks one by one."""
    tables = counts(done)
    lines = [f"{len(done.tasks)} tasks"]
    lines += [
        f"{name}: {', '.join(f'{key} {n}' for key, n in table.items())}" for name, table in tables.items() if table
    ]
    if done.unused:
        lines.append(f"gold rows of no question here: {len(done.unused)}, such as {', '.join(done.unused[:5])}")
    single: dict[str, list[str]] = {}
    for found in done.findings:
        if len(found.tasks) > 1 or found.kind == "contradiction":
            lines.append(f"{found.kind}: {', '.join(found.tasks)}: {found.what}")
        else:
            single.setdefault(found.kind, []).append(found.tasks[0])
    everyone = len(done.tasks)
    return lines + [f"{kind}: {'all' if len(ids) == everyone else ', '.join(ids)}" for kind, ids in single.items()]


def _entry(row: CaiaRow) -> Entry:
    found = find_anchor(row.question)
    chain = found.anchor.chain if found.chain_kind == "named" else ""
    return Entry(row, found, guess_answer(row.question, row.answer, chain))


def _task(entry: Entry, gold: GoldRow | None) -> Task:
    row = entry.row
    return Task(
        id=row.task_id,
        question=row.question,
        category=row.category,
        language=row.language,
        shape="caia",
        anchor=entry.found.anchor,
        answer=entry.guess.spec,
        gold=GoldChain((), "") if gold is None else gold.chain,
        stake_usd="0",
        stake_reason=_NO_STAKE,
        tags=("caia", *entry.found.tags, *entry.guess.tags, *(("gold:none",) if gold is None else gold.tags)),
        difficulty=row.level,
    )


def _told(task: Task, entry: Entry, gold: GoldRow | None) -> dict[str, Any]:
    return {
        "id": entry.row.id,
        "task": task.id,
        "question_digest": entry.row.question_digest,
        "anchor": {
            "kind": entry.found.kind,
            "chain": task.anchor.chain,
            "chain_from": entry.found.chain_kind,
            "chains_named": list(entry.found.chains),
            "block": task.anchor.block,
            "timestamp": task.anchor.timestamp,
            "transaction": entry.found.transaction,
        },
        "answer_kind": task.answer.kind,
        "tags": list(task.tags),
        "notes": [*entry.found.notes, *entry.guess.notes],
        "gold": {
            "kind": _kind(gold),
            "note": "" if gold is None else gold.note,
            "needs": [] if gold is None else list(gold.needs),
            "requests": [] if gold is None else [thawed(wanted) for wanted in gold.requests],
        },
        "confirmation": "unverifiable" if gold is None else gold.confirmation,
    }


def _kind(gold: GoldRow | None) -> str:
    return "none" if gold is None else gold.why_not or "chain"


def _counted(names: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def questions_of(path: Path) -> dict[str, Words]:
    """Question and answer of each row of CAIA's CSV or task JSON, by the id its import gives it.

    Answers are read as ``import caia`` reads them. Raises ``BadInput`` as that does.
    """
    return {task.id: Words(task.question, task.answer) for task in read_suite(path).tasks}
