from __future__ import annotations

import json
from decimal import Decimal

from caia_replay.recording.plan_task import ChainCalls, PlannedRequest, TaskPlan

REQUEST = PlannedRequest("GET", "https://a.example/", "", "reader", True, 2, "", "reader", "now", "free")
PLAN = TaskPlan(
    "task-1", "recordable", "1 request", (REQUEST,),
    (ChainCalls("base", "eth_call", 3), ChainCalls("base", "eth_getLogs", 1), ChainCalls("ethereum", "eth_call", 2)),
    ("A",), ("B",), ("reader",), (), ("step 2",), (), 8, Decimal("1.50"), Decimal("0.10"),
)  # fmt: skip


def test_a_plan_is_json_with_every_field() -> None:
    """Every field is told under its own name, and fractions as exact decimal texts."""
    told = json.loads(json.dumps(PLAN.plain()))
    assert set(told) == set(TaskPlan.__slots__)
    assert set(told["requests"][0]) == set(PlannedRequest.__slots__)
    assert (told["seconds"], told["dollars"], told["calls"]) == ("1.50", "0.10", 8)


def test_calls_of_chains_are_grouped_by_chain() -> None:
    """Every chain has its methods with their counts."""
    assert PLAN.plain()["chain_calls"] == {"base": {"eth_call": 3, "eth_getLogs": 1}, "ethereum": {"eth_call": 2}}
