"""Tasks checked one by one, before they are sealed: can each be asked, and does its gold chain get to its answer?

A world is read whatever its seal says, because an author checks before sealing; what was recorded must be as sealed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.expression import number, render
from caia_replay.core.gold import NO_CHAIN_TAGS
from caia_replay.core.suite import SuiteEntry
from caia_replay.core.task import NO_BLOCK, AnswerSpec, Task
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, CaiaReplayError, GoldFault, MachineFault, nearest, one_line
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.seal import Seal
from caia_replay.store.world_folder import WorldFolder, load_task, read_info
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.validation import conditions
from caia_replay.validation.suite_edit import entry_faults, read_suite, recording_faults, unmoved
from caia_replay.validation.task_words import canary_of
from caia_replay.world.world import FrozenWorld

FOLDER_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
"""What a task, a chain and a world may be called."""
_DIGITS: Final = "0123456789abcdef"
_PUBLISHED: Final = "caia"
"""The tag of questions that were published before they came here: they have no canary that could help."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One task. ``entry`` is its place in the suite, None where it is in none. ``waits`` says what is still to be
    recorded or why no chain can prove it, in a live world; with neither it nor ``faults`` the task is sound."""

    task: str
    path: Path
    entry: SuiteEntry | None
    faults: tuple[str, ...]
    waits: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Every task that was checked, in suite order, drafts last, and what is wrong with the world around them."""

    tasks: tuple[Checked, ...]
    around: tuple[str, ...]

    @property
    def faults(self) -> int:
        """How many there are."""
        return len(self.around) + sum(len(one.faults) for one in self.tasks)

    def lines(self, *, admits: bool = False) -> list[str]:
        """Every fault once, then the count, as a terminal shows them. What waits is told and not counted. How to admit
        a draft is told unless the command ``admits`` it."""
        lines, judged = [*self.around], [one for one in self.tasks if one.faults or not one.waits]
        for one in self.tasks:
            lines += [f"NO {one.task}: {fault}" for fault in one.faults]
            lines += [f"-- {one.task}: {one.waits}"] if one.waits else []
            if one.entry is None and not one.faults and not admits:
                admit = f"caia-replay task check {one.task} --admit YYYY-MM-DD"
                lines.append(f"{one.task}: in no suite yet; next: {admit}")
        return [*map(one_line, lines), f"{sum(not one.faults for one in judged)}/{len(judged)} sound"]


def open_unsealed(world: Path) -> WorldFolder:
    """A world whatever its seal says. Raises ``BadInput`` for what cannot be read."""
    info, suite = read_info(world), read_suite(world).suite
    for name in info.chains:
        if not FOLDER_NAME.fullmatch(name):
            raise BadInput(f"{name!r:.100} is no folder name", where=world / "world.toml")
    return WorldFolder(world, info, suite, Seal({}, {}, ""))


def check_tasks(world: Path, task_id: str | None = None) -> Report:
    """Check one task, or all: those of the suite and drafts. Of retired ones, unless named, that they can be read.

    Raises ``BadInput`` for a task that is not there and for a world whose recordings cannot be opened.
    """
    folder = open_unsealed(world)
    entries = {entry.id: entry for entry in folder.suite.entries}
    drafts = sorted(path.name for path in (world / "tasks").glob("*") if path.is_dir() and path.name not in entries)
    known = [*entries, *drafts]
    if task_id is not None and task_id not in known:
        raise BadInput(f"no task {task_id!r}", where=world / "tasks", nearest=nearest(task_id, known))
    counts = Counter(entry.id for entry in folder.suite.entries)
    read = {name: _read(world, name) for name in known}
    others = [found for found in read.values() if isinstance(found, Task)]
    moved = unmoved(world, folder.suite.version)
    checked = []
    with FrozenWorld(folder) as frozen:
        for name in known if task_id is None else [task_id]:
            found, entry = read[name], entries.get(name)
            faults, waits = [*entry_faults(entry, counts[name]), *moved.get(name, ())], ""
            if isinstance(found, str):
                faults.append(found)
            elif task_id is not None or entry is None or entry.retired is None:
                more, waits = author_faults(frozen, found, others)
                faults += more
            checked.append(Checked(name, world / "tasks" / name / "task.toml", entry, tuple(faults), waits))
    return Report(tuple(checked), tuple(recording_faults(world)))


def author_faults(world: FrozenWorld, task: Task, others: Sequence[Task]) -> tuple[list[str], str]:
    """Everything wrong with one task in words, and what is still to be recorded; ``others`` are all of the suite."""
    faults = [*_word_faults(world, task, others), *conditions.task_faults(world, task)]
    answer, gold, waits = task.answer, task.gold, ""
    is_live = world.folder.info.provenance == "live"
    excused = is_live and not gold.result and not NO_CHAIN_TAGS.isdisjoint(task.tags)
    spec_faults = check_spec(answer) if answer.values else ()
    faults += [f"answer: {fault}" for fault in spec_faults]
    if answer.values and not spec_faults:
        faults += _verifier_faults(answer)
    if excused:
        waits = "no chain of calls yields its answer"
    elif gold.steps and gold.result:
        given, fault, waits = _played(world, task)
        if fault:
            faults.append(f"gold: {fault}")
        elif not answer.values and given is not None:
            faults.append(f"unfinished: no values in [answer]; the gold chain gives {given!r:.200}")
        elif given is not None and not spec_faults and verify(answer, given, task.question).correct is not True:
            faults.append(f"gold: the chain gives {given!r:.200}, the answer is {'; '.join(answer.values)!r:.200}")
    if not answer.values and not any(fault.startswith("unfinished") for fault in faults):
        faults.append("unfinished: no values in [answer]")
    if not excused:
        faults += [f"unfinished: no {what} in [gold]" for what in ("steps", "result") if not getattr(gold, what)]
    return faults, waits


def _read(world: Path, name: str) -> Task | str:
    """A task, or why it cannot be read."""
    if not FOLDER_NAME.fullmatch(name):
        return "its id is no folder name: a-z, 0-9, dot, dash, underscore"
    try:
        return load_task(world / "tasks" / name)
    except BadInput as fault:
        return _told(fault)


def _told(fault: BadInput) -> str:
    return f"{fault.what}; nearest: {fault.nearest}" if fault.nearest else fault.what


def _word_faults(world: FrozenWorld, task: Task, others: Sequence[Task]) -> Iterator[str]:
    rest = [one for one in others if one.id != task.id]
    if says_answer(task.question, task.answer):
        yield "the question says its answer"
    yield from (f"asks the same question as {one.id}" for one in rest if one.question == task.question)
    if not task.canary:
        if _PUBLISHED not in task.tags:
            own = canary_of(world.folder.suite.id, task.id, task.question)
            yield f'no canary; next: add canary = "{own}" to its task.toml'
    elif task.canary == world.folder.info.canary:
        yield "its canary is the world's"
    else:
        yield from (f"its canary is that of {one.id}" for one in rest if one.canary == task.canary)
    if not task.stake_reason.strip():
        yield "the stake has no reason: stake_reason is empty"


def _verifier_faults(answer: AnswerSpec) -> Iterator[str]:
    if answer.kind == "open":
        return
    wrong = wrong_answer(answer)
    if verify(answer, wrong).correct is not False:
        yield f"answer: its verifier accepts {wrong!r:.200} as well"


def wrong_answer(answer: AnswerSpec) -> str:
    """An answer in the form of the right one that is none: another number, digit, year, yes or no, or other letters."""
    first = answer.values[0]
    if answer.kind == "number":
        with suppress(GoldFault):
            value = number(first)
            return render(value + abs(value) + 1)
    if answer.kind == "boolean":
        return "no" if first.strip().lower() in ("yes", "true", "是") else "yes"
    if answer.kind in ("address", "hash") and first[-1].lower() in _DIGITS:
        return first[:-1] + _DIGITS[(_DIGITS.index(first[-1].lower()) + 1) % 16]
    if answer.kind in ("date", "time"):
        return re.sub(r"\d{4}", lambda year: f"{int(year[0]) + 4:04}", first, count=1)
    changed = "".join(map(_next_letter, first))
    joint = {"text_list": " > ", "table": "\n"}.get(answer.kind, "; ")
    return joint.join((changed, *answer.values[1:]))


def _next_letter(letter: str) -> str:
    if not letter.isalnum():
        return letter
    return {"z": "a", "Z": "A", "9": "0"}.get(letter, chr(ord(letter) + 1))


def _played(world: FrozenWorld, task: Task) -> tuple[str | None, str, str]:
    """What the gold chain gives, what is wrong with it, and, in a live world, what is not recorded yet."""
    is_live = world.folder.info.provenance == "live"
    try:
        if is_live and task.anchor.chain not in world.snapshots and task.anchor.block != NO_BLOCK:
            return None, "", f"chain {task.anchor.chain} is not recorded yet"
        with WorldToolset(world.task(task)) as tools:
            run = run_gold(task.gold, tools)
    except BadInput as fault:
        return (None, "", f"not recorded yet: {_told(fault)}") if is_live else (None, _told(fault), "")
    except MachineFault:
        raise
    except CaiaReplayError as fault:
        return None, str(fault), ""
    if run.answer is None and is_live and run.replies and run.replies[-1].served == Served.MISS:
        return None, "", f"not recorded yet: {run.fault}"
    return run.answer, run.fault, ""
