"""``record --plan``: a part of the command line, apart from it for its length."""

from __future__ import annotations

from pathlib import Path


def print_plan(path: Path, as_json: bool) -> None:
    """Print what recording the suite at ``path`` would ask. Raises ``BadInput``."""
    from caia_replay.canonical import pretty_bytes
    from caia_replay.interop.planned import planned_tasks
    from caia_replay.recording.plan import plan_tasks
    from caia_replay.recording.plan_report import plan_json, plan_lines

    plans = plan_tasks(planned_tasks(path))
    if as_json:
        print(pretty_bytes(plan_json(plans)).decode(), end="")
        return
    for line in plan_lines(plans):
        print(line)
