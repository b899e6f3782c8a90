"""What a recording plan is made for: CAIA's own file, or a suite's folder, as tasks with their gold chains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from caia_replay.canonical import strict_json
from caia_replay.core.gold import NoChain
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import question_digest
from caia_replay.interop.caia_suite import REPORT, read_suite
from caia_replay.interop.gold_row import GOLD, GoldRow, Wanted, gold_fault, read_gold
from caia_replay.interop.harmless_request import is_harmless
from caia_replay.recording.plan_table import PlannedTask
from caia_replay.store.plain import build
from caia_replay.store.plain_file import read_plain
from caia_replay.store.world_folder import find_world, open_draft

_NO_GOLD = "no gold chain is known for this question"
_LEFT_OUT: Final = "left out: no public read, and in no gold row of this question that comes with the project"
"""A request goes out with its user's keys, and import.json may be a stranger's."""

Rows = Mapping[str, GoldRow]


@dataclass(frozen=True, slots=True)
class _Told:
    """What import.json says of one task's gold; ``kind`` is "chain", "none", or why no chain yields the answer."""

    kind: Literal["chain", "none", NoChain]
    note: str = ""
    needs: tuple[str, ...] = ()
    requests: tuple[Wanted, ...] = ()

    @property
    def why_not(self) -> str:
        """Empty for a chain, and where nobody knows any."""
        return "" if self.kind in ("chain", "none") else self.kind


def planned_tasks(path: Path, gold: Path = GOLD) -> tuple[PlannedTask, ...]:
    """The tasks of CAIA's file, or the active ones of a world folder or of a suite by name, in their order.

    Of what import.json wants recorded only public reads, and what ``gold`` has for the same question, are planned; the
    note tells of the others. Raises ``BadInput`` for what is neither, and for an import.json of another form.
    """
    if path.is_file():
        done = read_suite(path, gold)
        return tuple(_of_row(task, row) for task, row in zip(done.tasks, done.gold, strict=True))
    folder = open_draft(find_world(str(path), Path.cwd()))
    value = _report(folder.path / REPORT)
    rows = read_gold(gold) if any(one.requests for one in value.values()) else {}
    return tuple(_of_folder(folder.task(task_id), value.get(task_id), rows) for task_id in folder.suite.active())


def imported_tasks(world: Path, task_id: str) -> tuple[PlannedTask, ...]:
    """One task of an imported world, to be planned; none where it was not imported. Raises as ``planned_tasks``."""
    value = _report(world / REPORT).get(task_id)
    return () if value is None else (_of_folder(open_draft(world).task(task_id), value, read_gold()),)


def wanted_requests(
    world: Path, task_id: str, gold: Path = GOLD, say: Callable[[str], None] = lambda line: None
) -> tuple[HttpRequest, ...]:
    """What the import says is worth recording for a task beside what tools ask; nothing where nothing was imported.

    Only public reads, and what ``gold`` has for the same question: ``say`` is told of each of the others, and why it is
    left out. Raises ``BadInput`` for an import.json of another form.
    """
    value = _report(world / REPORT).get(task_id)
    if value is None or not value.requests:
        return ()
    allowed = _allowed(open_draft(world).task(task_id), value.requests, read_gold(gold))
    for one in value.requests:
        if one not in allowed:
            say(f"{one.method} {one.url:.200}: {_LEFT_OUT}")
    return tuple(map(_request, allowed))


def _allowed(task: Task, wanted: Iterable[Wanted], rows: Rows) -> list[Wanted]:
    """Those that read what is public, and those that the rows of the task's question name."""
    asked = question_digest(task.question)
    known = {one for row in rows.values() if f"sha256:{row.question}" == asked for one in row.requests}
    return [one for one in wanted if one in known or is_harmless(_request(one))]


def _of_row(task: Task, row: GoldRow | None) -> PlannedTask:
    if row is None:
        return _planned(task, "not anchored" if _kind(task) == "assumed" else "needs judgement", _NO_GOLD)
    return _planned(task, row.why_not, row.note, row.needs, map(_request, row.requests))


def _of_folder(task: Task, value: _Told | None, rows: Rows) -> PlannedTask:
    if value is None:
        value = _Told("chain" if task.gold.result else "none")
    if value.kind == "none":
        return _of_row(task, None)
    kept = _allowed(task, value.requests, rows)
    notes = [value.note] * bool(value.note)
    if left_out := len(value.requests) - len(kept):
        notes.append(f"{left_out} of {len(value.requests)} requests in {REPORT} {_LEFT_OUT}")
    return _planned(task, value.why_not, "; ".join(notes), value.needs, map(_request, kept))


def _planned(
    task: Task, why_not: str, note: str, needs: tuple[str, ...] = (), requests: Iterable[HttpRequest] = ()
) -> PlannedTask:
    moment = "anchor" if "moment:anchor" in task.tags else "fixed"
    return PlannedTask(
        task.id,
        task.anchor,
        _kind(task),
        task.gold,
        moment,  # type: ignore[arg-type]  # one of the two
        why_not,
        note,
        needs,
        tuple(requests),
        task.answer.kind == "open",
    )


def _kind(task: Task) -> str:
    """How the anchor was found; ``block`` for a task that was written with one."""
    return next((tag.removeprefix("anchor:") for tag in task.tags if tag.startswith("anchor:")), "block")


def _request(wanted: Wanted) -> HttpRequest:
    headers = {"Content-Type": "application/json"} if wanted.body else None
    return HttpRequest(wanted.method, wanted.url, wanted.body.encode(), headers)


def _report(path: Path) -> Mapping[str, _Told]:
    """What import.json says of each task's gold, by task id; nothing where there is none. Raises ``BadInput``."""
    try:
        items = [item for item in strict_json(read_plain(path))["tasks"] if "gold" in item]
        found = {item["task"]: item["gold"] for item in items}
        if not all(isinstance(task, str) for task in found):
            raise ValueError("a task that is no name")
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, OSError) as fault:
        raise BadInput(f"is no report of an import: {fault!s:.200}", where=path) from None
    fields = {}
    for task, gold in found.items():
        one = build(_Told, gold, f"{path}, task {task:.60}", "gold")
        wrong = gold_fault(one.why_not, one.note, one.needs, one.requests)
        if wrong:
            raise BadInput(f"gold {wrong}", where=f"{path}, task {task:.60}")
        fields[task] = one
    return fields
