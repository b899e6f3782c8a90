from __future__ import annotations

from caia_replay.bench.planning import rows, tasks
from caia_replay.recording.plan import plan_tasks


def test_planning_is_beside_its_limit_and_beside_a_dry_run() -> None:
    """Two rows, in seconds: what a plan takes, held to ten, and to so many dry runs of the same tasks."""
    limit, floor = rows(3)
    assert limit.value == floor.value > 0 and (limit.unit, floor.unit) == ("s", "s")
    assert limit.floor == 10.0 and floor.floor > 0 and floor.limit is not None


def test_every_form_is_planned_whole() -> None:
    """No form of the bench is refused by a tool, so that what is timed is what planning is."""
    plans = plan_tasks(tasks(20))
    assert len({plan.id for plan in plans}) == 20
    assert [plan.refusals for plan in plans] == [()] * 20 and all(plan.calls for plan in plans)
