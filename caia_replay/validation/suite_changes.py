"""What changed between two editions of a suite, for people who cite it: tasks added, retired, gone, and mended.

Results before and after compare for a task whose question, moment, answer, gold chain and stake are as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.suite import SuiteEntry
from caia_replay.core.task import Task
from caia_replay.errors import one_line
from caia_replay.store.plain import thawed
from caia_replay.store.world_folder import WorldFolder

_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ("question", "language"),
    "moment": ("anchor",),
    "answer": ("answer", "execution"),
    "gold chain": ("gold",),
    "stake": ("stake_usd",),
    "category": ("category", "project", "difficulty"),
}
"""What a task's results depend on, and what they are counted under."""


@dataclass(frozen=True, slots=True)
class SuiteChange:
    """One task's change. ``kind``: added, retired, back, gone or mended; ``what`` in words."""

    task: str
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class SuiteChanges:
    """From one edition to another: versions, tasks to run, and each change in suite order. ``comparable`` counts tasks
    that are run in both and unchanged."""

    suite: str
    versions: tuple[str, str]
    tasks: tuple[int, int]
    comparable: int
    found: tuple[SuiteChange, ...]

    def lines(self) -> list[str]:
        """As Markdown, to be pasted into a changelog."""
        title = f"## {self.suite} {self.versions[1]}, from {self.versions[0]}"
        counts = f"{self.tasks[0]} tasks before, {self.tasks[1]} now; {self.comparable} are in both and unchanged."
        lines = [title, "", counts]
        for kind in ("added", "back", "mended", "retired", "gone"):
            rows = [f"- `{one.task}`: {one_line(one.what)}" for one in self.found if one.kind == kind]
            lines += ["", f"{kind.capitalize()}:", "", *rows] if rows else []
        return lines if self.found else [*lines, "", "No task changed."]


def suite_changes(before: WorldFolder, after: WorldFolder) -> SuiteChanges:
    """What changed from ``before`` to ``after``. Suites of two names are told as one that was renamed."""
    old = {entry.id: entry for entry in before.suite.entries}
    new = {entry.id: entry for entry in after.suite.entries}
    found = list[SuiteChange]()
    for name in [*new, *(name for name in old if name not in new)]:
        found += _change(name, old.get(name), new.get(name), before, after)
    changed = {one.task for one in found}
    both = [name for name in after.suite.active() if name in before.suite.active() and name not in changed]
    suite = after.suite.id if after.suite.id == before.suite.id else f"{before.suite.id}, now {after.suite.id},"
    counts = len(before.suite.active()), len(after.suite.active())
    return SuiteChanges(suite, (before.suite.version, after.suite.version), counts, len(both), tuple(found))


def _change(
    name: str, old: SuiteEntry | None, new: SuiteEntry | None, before: WorldFolder, after: WorldFolder
) -> Iterator[SuiteChange]:
    if new is None:
        yield SuiteChange(name, "gone", "is not in the suite any more, where it should be retired")
    elif old is None:
        if new.retired is None:
            task = after.task(name)
            yield SuiteChange(name, "added", f"on {new.added}; {task.category}; {task.question:.200}")
    elif old.retired is None and new.retired is not None:
        yield SuiteChange(name, "retired", f"on {new.retired}")
    elif old.retired is not None and new.retired is None:
        yield SuiteChange(name, "back", f"was retired on {old.retired}")
    elif new.retired is None:
        yield from _mended(name, before.task(name), after.task(name))


def _mended(name: str, old: Task, new: Task) -> Iterator[SuiteChange]:
    parts = [part for part, fields in _PARTS.items() if _fields(old, fields) != _fields(new, fields)]
    if parts:
        told = ", ".join(parts)
        if "answer" in parts and old.answer.values != new.answer.values:
            told += f"; the answer was {'; '.join(old.answer.values)!r:.80}, is {'; '.join(new.answer.values)!r:.80}"
        yield SuiteChange(name, "mended", told)


def _fields(task: Task, names: tuple[str, ...]) -> list[Any]:
    return [thawed(getattr(task, name)) for name in names]
