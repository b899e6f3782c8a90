from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.agent import Budget
from caia_replay.core.model import Price
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
        ({"turns": 0}, "--max-turns is 0"),
        ({"turns": 10_001}, "at most 10000"),
        ({"calls": -1}, "--max-calls is -1"),
        ({"tokens": 0}, "--max-tokens is 0"),
        ({"usd": "a few"}, "--max-usd is 'a few'"),
        ({"usd": "0"}, "dollars above zero"),
        ({"usd": "nan"}, "dollars above zero"),
        ({"defence": "quarantin"}, "nearest: quarantine"),
        ({"record_model": "mine"}, "no live traffic to keep"),
        ({"record_model": "mine", "model": "recorded/x"}, "no live traffic to keep"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(shipped: Path, changes: dict[str, Any], word: str) -> None:
    """Unknown, repeated and empty choices name the nearest that exists."""
    with pytest.raises(BadInput, match=word):
        plan(shipped, **changes)


def test_limits_are_a_part_of_the_plan(shipped: Path) -> None:
    """Equal dollars are equal plans however they are written; other limits are other plans, and survive as JSON."""
    cheap = plan(shipped, usd="0.250", turns=7, calls=5, tokens=1000)
    assert cheap == plan(shipped, usd=" 0.25", turns=7, calls=5, tokens=1000) == plan_from(cheap.plain())
    assert cheap.limits() == {"turns": 7, "calls": 5, "tokens": 1000, "usd": "0.25"}
    assert cheap.digest("a") != plan(shipped).digest("a")


def test_a_limit_in_dollars_needs_a_price(shipped: Path) -> None:
    """Without one the plan cannot be kept, which is told before anything is played."""
    price = Price("1", "2", "2026-11-01", "x")
    assert plan(shipped, usd="0.25").budget(price).usd == Decimal("0.25")
    assert plan(shipped).budget(None) == Budget()
    with pytest.raises(BadInput, match=r"--max-usd: no price of 'policy/oracle' is known"):
        plan(shipped, usd="0.25").budget(None)


def test_a_defence_is_part_of_the_plan_and_none_is_not_said(shipped: Path) -> None:
    """Equal choices are equal plans, other ones are others, and a plan without is written as before there were any."""
    bare, one, same, other = (
        plan(shipped, defence=text)
        for text in ("", "allow-list:b.example,a.example", "allow-list:a.example,b.example", "quarantine")
    )
    assert "defence" not in bare.plain() and plan_from(bare.plain()) == bare
    assert one == same and plan_from(one.plain()) == one and one.plain()["defence"] == "allow-list:a.example,b.example"
    assert len({made.digest("a") for made in (bare, one, other)}) == 3
