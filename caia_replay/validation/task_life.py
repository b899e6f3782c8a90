"""A task's life in a suite: written, admitted when it is sound, retired with a day. Nothing is ever half-written.

An author's world need not be sealed, but what was recorded in it must be as it was sealed. Sealing is left to ``lint``.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.chain.chain_source import can_pin
from caia_replay.chain.claim import spans_words
from caia_replay.core.gold import GoldChain
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.errors import BadInput, CheckFailed, Miss, SealBroken, nearest, one_line
from caia_replay.store.plain import build, thawed, toml_text
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import write_atomic
from caia_replay.store.world_folder import load_task
from caia_replay.validation.conditions import shape_of
from caia_replay.validation.suite_edit import (
    SuiteFile,
    read_suite,
    recording_faults,
    require_day,
    with_task,
    without_task,
)
from caia_replay.validation.task_check import (
    FOLDER_NAME,
    Checked,
    Report,
    author_faults,
    check_tasks,
    open_unsealed,
)
from caia_replay.validation.task_words import Words, canary_of
from caia_replay.world.world import FrozenWorld

EVERY: Final = "all"
"""No task's id: what ``task check`` calls every task."""
_UNFINISHED: Final = """\
# Not finished, and in no suite yet. Wanted: values in [answer], and [gold] with its result and its steps, such as
#
#   [gold]
#   result = "$1.number"
#
#   [[gold.steps]]                      in place of steps = []
#   tool = "block_query"
#   arguments = { block = 30 }
#
# Then: caia-replay task check ID, and when it is sound: caia-replay task check ID --admit YYYY-MM-DD

"""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done: the task's file, and the suite's version before and after, equal where it joined none."""

    path: Path
    suite: str
    before: str
    after: str
    tasks: int
    lacks: tuple[str, ...] = ()
    waits: str = ""

    def lines(self, what: str) -> list[str]:
        """What came of it, and what is next, as a terminal shows it; ``what`` is what changed in the suite."""
        task_id = self.path.parent.name
        if self.lacks:
            check = f"caia-replay task check {task_id}"
            return [f"unfinished: no {', no '.join(self.lacks)}; next: fill them in, {check}"]
        if self.before == self.after:
            return [f"in no suite yet; next: caia-replay task check {task_id} --admit YYYY-MM-DD"]
        count = f"{self.tasks} {'task' if self.tasks == 1 else 'tasks'} to run"
        lines = [f"suite {self.suite}: version {self.before} -> {self.after}, {count}; {what} is a minor change"]
        if self.waits:
            record = f"caia-replay record --task {task_id} --origin live --rpc-url URL"
            lines.append(f"waits: {self.waits}; next, after sealing: {record}")
        return [one_line(line) for line in lines]


def new_task(world: Path, words: Words, answer: AnswerSpec, gold: GoldChain, added: str | None) -> Change:
    """Write tasks/<id>/task.toml; with ``added``, put the task last in the suite, whose minor version is raised.

    Without a value, a step or a result the task is unfinished: its file says so, and it joins no suite. Raises
    ``BadInput``, also where the block is not recorded, and ``CheckFailed`` for a task to be added that is not sound,
    each fault a line; the world is then as it was.
    """
    file = _open(world)
    path = _free(world, file, words.id)
    folder = open_unsealed(world)
    with FrozenWorld(folder) as frozen:
        task = _task(frozen, words, answer, gold, path)
        data = _data(task, path)
        lacks = _lacks(task)
        if added is None:
            _write(path, (_UNFINISHED.replace("ID", task.id) if lacks else "").encode() + data)
            return _change(path, file, file, lacks)
        if lacks:
            raise BadInput(
                f"an unfinished task joins no suite: no {' and no '.join(lacks)}",
                where="--added",
                next_command="give --answer, --step and --result, or --gold FILE, or leave --added out",
            )
        after = with_task(file, task.id, added)
        others = [_readable(world, entry.id) for entry in file.suite.entries]
        faults, waits = author_faults(frozen, task, [*filter(None, others), task])
    if faults:
        texts = [one_line(f"NO {task.id}: {fault}") for fault in faults]
        raise CheckFailed("\n".join([*texts, "not sound: nothing was written"]))
    _write(path, data)
    try:
        file.write(after)
    except BaseException:
        shutil.rmtree(path.parent)
        raise
    return _change(path, file, read_suite(world), (), waits)


def admit_task(world: Path, checked: Checked, added: str) -> Change:
    """Put a draft that ``check_tasks`` found sound last in its suite, as ``new_task`` does. Raises ``BadInput``."""
    file = _open(world)
    after = with_task(file, checked.task, added)
    path = checked.path
    text = read_plain(path).decode()
    file.write(after)
    if text.startswith(head := _UNFINISHED.replace("ID", checked.task)):
        write_atomic(path, text.removeprefix(head).encode())
    return _change(path, file, read_suite(world), (), checked.waits)


def retire_task(world: Path, task_id: str, on: str) -> Change:
    """Give a task the day it retires; its suite's minor version is raised, its folder kept. Raises ``BadInput``."""
    file = _open(world)
    file.write(without_task(file, task_id, on))
    return _change(world / "tasks" / task_id / "task.toml", file, read_suite(world))


def admitted(world: Path, task_id: str, added: str) -> tuple[Report, Change | None]:
    """Check a draft, and admit it when it is sound; None where it is not. Raises ``BadInput`` as the two do."""
    require_day(added, "--admit")
    with_task(_open(world), task_id, added)
    report = check_tasks(world, task_id)
    return report, None if report.faults else admit_task(world, report.tasks[0], added)


def _open(world: Path) -> SuiteFile:
    if fault := next(recording_faults(world), None):
        raise SealBroken(fault)
    return read_suite(world)


def _free(world: Path, file: SuiteFile, task_id: str) -> Path:
    if not FOLDER_NAME.fullmatch(task_id) or task_id == EVERY:
        raise BadInput(f"{task_id!r:.120} cannot name a task", where="ID", nearest="a-z, 0-9, dot, dash, underscore")
    folder = world / "tasks" / task_id
    if folder.exists() or folder.is_symlink() or any(entry.id == task_id for entry in file.suite.entries):
        raise BadInput(
            f"task {task_id!r} is there already, and nothing is written over",
            where=folder,
            next_command=f"another ID, or caia-replay task check {task_id} --suite {file.suite.id}",
        )
    return folder / "task.toml"


def _task(world: FrozenWorld, words: Words, answer: AnswerSpec, gold: GoldChain, path: Path) -> Task:
    suite = world.folder.suite
    said: dict[str, Any] = {
        "id": words.id,
        "question": words.question,
        "category": words.category,
        "language": words.language,
        "shape": words.shape or words.id,
        "stake_usd": words.stake_usd,
        "stake_reason": words.stake_reason,
        "tags": [],
        "canary": "",
        "anchor": {"chain": words.chain, "block": words.block, "timestamp": _moment(world, words)},
        "answer": thawed(answer),
        "gold": thawed(gold),
    }
    try:
        said["canary"] = canary_of(suite.id, words.id, words.question)
        task = build(Task, said, path)
    except UnicodeEncodeError:
        raise BadInput("the question has bytes that are no text", where="--question") from None
    if words.shape is None:
        said["shape"] = shape_of(suite.recipes, task) or words.id
    return build(Task, said, path)


def _moment(world: FrozenWorld, words: Words) -> int:
    """The moment that was given, or when a block was made, in seconds since 1970; -1 in a live world where the block is
    still to be recorded."""
    if words.at is not None:
        return words.at
    chain, block = words.chain, words.block
    is_live = world.folder.info.provenance == "live"
    snapshot = world.snapshots.get(chain)
    if snapshot is None:
        if is_live and FOLDER_NAME.fullmatch(chain):
            return -1
        known = nearest(chain, world.snapshots) or ", ".join(world.snapshots)
        raise BadInput(f"no chain {chain!r:.80} in {world.folder.info.id}", where="--chain", nearest=known or "none")
    if can_pin(snapshot.heights, block):
        try:
            return int(snapshot.header(block)["timestamp"], 16)
        except Miss as miss:
            fault = miss.detail.nearest
    else:
        fault = spans_words(snapshot.heights)
    if is_live:
        return -1
    raise BadInput(f"block {block} of chain {chain} is not recorded", where="--block", nearest=fault)


def _data(task: Task, path: Path) -> bytes:
    """task.toml's bytes, which say exactly ``task``: JSON has values (null) that TOML has no form for."""
    text = toml_text(thawed(task))
    try:
        data = text.encode()
        same = thawed(build(Task, tomllib.loads(text), path)) == thawed(task)
    except (ValueError, RecursionError):  # of no text in UTF-8, or of no form in TOML
        same = False
    if not same:
        raise BadInput("the task cannot be written: a null, or bytes that are no text", where=path)
    return data


def _lacks(task: Task) -> tuple[str, ...]:
    wanted: Mapping[str, object] = {
        "values in [answer]": task.answer.values,
        "steps in [gold]": task.gold.steps,
        "result in [gold]": task.gold.result,
    }
    return tuple(name for name, value in wanted.items() if not value)


def _readable(world: Path, task_id: str) -> Task | None:
    """A task of the suite; None for one that cannot be read, which is its own fault and not the new one's."""
    try:
        return load_task(world / "tasks" / task_id) if FOLDER_NAME.fullmatch(task_id) else None
    except BadInput:
        return None


def _write(path: Path, data: bytes) -> None:
    try:
        write_atomic(path, data)
    except BaseException:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise


def _change(path: Path, before: SuiteFile, after: SuiteFile, lacks: tuple[str, ...] = (), waits: str = "") -> Change:
    suite = after.suite
    return Change(path, suite.id, before.suite.version, suite.version, len(suite.active()), lacks, waits)
