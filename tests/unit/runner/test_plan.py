from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.plan import RunPlan, make_plan, plan_from
from caia_replay.store.world_folder import open_world


def plan(world: Path, **changes: Any) -> RunPlan:
    wanted: dict[str, Any] = {
        "tasks": (),
        "arms": ("clean", "attacked"),
        "conditions": ("tools",),
        "model": "policy/oracle",
        "agent": "react",
        "runs": 3,
        "seed": 0,
        "campaign": "seo-heavy",
    }
    return make_plan(open_world(str(world)), **(wanted | changes))


def test_a_plan_counts_what_it_will_play(shipped: Path) -> None:
    """Every task, cell and attempt is played once, and survives the way to a worker as JSON."""
    whole = plan(shipped)
    assert len(set(whole.episodes())) == len(list(whole.episodes())) == whole.size == 6 * 2 * 3
    assert plan_from(whole.plain()) == whole


def test_shards_are_whole_tasks_and_lose_none(shipped: Path) -> None:
    """Shards of any number of workers add up to the plan, each task in exactly one."""
    whole = plan(shipped)
    for count in (1, 2, 4, 6):
        parts = [whole.shard(index, count) for index in range(count)]
        assert Counter(task for part in parts for task in part.tasks) == Counter(whole.tasks)


def test_tasks_run_in_suite_order_however_they_are_named(shipped: Path) -> None:
    """Naming tasks in another order is the same plan."""
    first, second = plan(shipped).tasks[:2]
    assert plan(shipped, tasks=(second, first)) == plan(shipped, tasks=(first, second))


def test_a_plan_for_another_world_has_another_digest(shipped: Path) -> None:
    """--resume tells plans and worlds apart."""
    assert plan(shipped).digest("a") == plan(shipped).digest("a")
    assert len({plan(shipped).digest("a"), plan(shipped).digest("b"), plan(shipped, seed=1).digest("a")}) == 3


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"tasks": ("nothing-like-it",)}, "unknown task"),
        ({"arms": ("atacked",)}, "nearest: attacked"),
        ({"arms": ()}, "no arm"),
        ({"arms": ("clean", "clean")}, "twice"),
        ({"conditions": ("tool",)}, "nearest: tools"),
        ({"runs": 0}, "at least one run"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(shipped: Path, changes: dict[str, Any], word: str) -> None:
    """Unknown, repeated and empty choices name the nearest that exists."""
    with pytest.raises(BadInput, match=word):
        plan(shipped, **changes)
