"""``record --plan``: a part of the command line, apart from it for its length."""

from __future__ import annotations

from pathlib import Path


def print_plan(path: Path, as_json: bool) -> None:
    """Print what recording the suite at ``path`` would ask. Raises ``BadInput``."""
    from caia_replay.canonical import pretty_bytes
    from caia_replay.interop.planned import planned_tasks
    from caia_replay.recording.plan import plan_tasks
    from caia_replay.recording.plan_report import plan_json, plan_lines
    from caia_replay.recording.pool import recorded_tasks
    from caia_replay.store.world_folder import find_world, open_draft

    plans = plan_tasks(planned_tasks(path))
    recorded = () if path.is_file() else recorded_tasks(open_draft(find_world(str(path), Path.cwd())))
    if as_json:
        print(pretty_bytes({**plan_json(plans), "recorded": list(recorded)}).decode(), end="")
        return
    for line in plan_lines(plans):
        print(line)
    if recorded:
        print(f"{len(recorded)} of {len(plans)} tasks are recorded: {', '.join(recorded)}")
