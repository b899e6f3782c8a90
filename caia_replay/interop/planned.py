"""What a recording plan is made for: CAIA's own file, or a suite's folder, as tasks with their gold chains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.interop.caia_suite import REPORT, read_suite
from caia_replay.interop.gold_row import GOLD, GoldRow, Wanted
from caia_replay.recording.plan_task import PlannedTask
from caia_replay.store.plain_file import read_plain
from caia_replay.store.world_folder import find_world, open_draft

_NO_GOLD = "no gold chain is known for this question"


def planned_tasks(path: Path, gold: Path = GOLD) -> tuple[PlannedTask, ...]:
    """The tasks of CAIA's file, or the active ones of a world folder or of a suite by name, in their order.

    Raises ``BadInput`` for what is neither.
    """
    if path.is_file():
        done = read_suite(path, gold)
        return tuple(_of_row(task, row) for task, row in zip(done.tasks, done.gold, strict=True))
    folder = open_draft(find_world(str(path), Path.cwd()))
    told = _report(folder.path / REPORT)
    return tuple(_of_folder(folder.task(task_id), told.get(task_id, {})) for task_id in folder.suite.active())


def wanted_requests(world: Path, task_id: str) -> tuple[HttpRequest, ...]:
    """What the import says is worth recording for a task beside what tools ask; nothing where nothing was imported."""
    return tuple(_request(Wanted(**one)) for one in _report(world / REPORT).get(task_id, {}).get("requests", ()))


def _of_row(task: Task, row: GoldRow | None) -> PlannedTask:
    if row is None:
        return _planned(task, "not anchored" if _kind(task) == "assumed" else "needs judgement", _NO_GOLD)
    return _planned(task, row.why_not, row.note, row.needs, map(_request, row.requests))


def _of_folder(task: Task, told: Mapping[str, Any]) -> PlannedTask:
    kind = told.get("kind", "chain" if task.gold.result else "none")
    if kind == "none":
        return _of_row(task, None)
    requests = [_request(Wanted(**one)) for one in told.get("requests", ())]
    return _planned(task, "" if kind == "chain" else kind, told.get("note", ""), tuple(told.get("needs", ())), requests)


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
    )


def _kind(task: Task) -> str:
    """How the anchor was found; ``block`` for a task that was written with one."""
    return next((tag.removeprefix("anchor:") for tag in task.tags if tag.startswith("anchor:")), "block")


def _request(wanted: Wanted) -> HttpRequest:
    headers = {"Content-Type": "application/json"} if wanted.body else None
    return HttpRequest(wanted.method, wanted.url, wanted.body.encode(), headers)


def _report(path: Path) -> Mapping[str, Any]:
    """What import.json says of each task's gold, by task id; nothing where there is none."""
    try:
        return {item["task"]: item["gold"] for item in strict_json(read_plain(path))["tasks"] if "gold" in item}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, OSError) as fault:
        raise BadInput(f"is no report of an import: {fault!s:.200}", where=path) from None
