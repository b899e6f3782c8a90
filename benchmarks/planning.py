"""How long it takes to plan the recording of a suite as large as CAIA, nobody asked.

A plan is two dry runs of every gold chain through the tools, widened and compared. The floor is one dry run of each,
measured in the same rounds: what a plan costs beyond twice that is comparing, pricing and telling.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any, Final

from benchmarks.row import Row, side_by_side
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Anchor
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import plan_json, plan_lines
from caia_replay.recording.plan_run import dry_run
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.recording.plan_task import PlannedTask

TASKS: Final = 178
"""As many as CAIA has."""
LIMIT_S: Final = 10.0
"""Nobody waits longer for a list."""
DRY_RUNS: Final = 3.5
"""A plan makes two; half as much again, and one for a slow machine, is left for everything else."""
_ROUNDS: Final = 3
_NOW: Final = 1_746_143_999
_USDC: Final = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"

_CHAINS: Final[tuple[tuple[tuple[str, dict[str, Any]], ...], ...]] = (
    (("block_query", {"block": 19_560_000}),),
    (("transaction_query", {"hash": "0x" + "5b" * 32, "include_logs": True}),),
    (("data_query", {"contract": _USDC, "event": "Transfer(address indexed from, address indexed to, uint256 value)",
                     "from_block": "2025-04-01", "to_block": "2025-04-01"}),),
    (("balance_query", {"address": _USDC, "time": "2025-04-01"}),
     ("price_feed", {"asset": "id:ethereum", "at": "$1.time_utc"})),
    (("web_search", {"query": "funding round seed investors"}), ("url_fetching", {"url": "$1.results.0.url"})),
    (("protocol_metrics", {"protocol": "slug:aave-v3", "chain": "Ethereum", "at": "2025-04-01"}),),
    (("revenue_analysis", {"protocol": "Aave V3", "start": "2025-04-01", "end": "2025-04-30"}),),
    (("volatility_alerts", {"asset": "BTC", "quote": "USDT", "interval": "4h", "start": "2025-04-01"}),),
    (("release_schedule", {"asset": "ARB"}), ("supply_query", {"asset": "id:arbitrum"})),
    (("social_stream", {"handles": ["uniswap"], "limit": 10}),),
)  # fmt: skip
"""The forms that CAIA's questions have."""


def tasks(count: int) -> list[PlannedTask]:
    """``count`` tasks of the forms in turn, every other one anchored at a block whose time is not known."""
    anchors = (Anchor("ethereum", -1, _NOW), Anchor("ethereum", 22_000_000, -1))
    return [
        PlannedTask(f"bench-{at}", anchors[at // len(_CHAINS) % 2], "date", _gold(steps), "fixed")
        for at, steps in enumerate(islice(cycle(_CHAINS), count))
    ]


def rows(count: int = TASKS) -> Iterator[Row]:
    """Planning beside its limit, and beside one dry run of every task."""
    wanted, stand = tasks(count), StandIn("a")

    def plan() -> None:
        plans = plan_tasks(wanted)
        plan_lines(plans)
        plan_json(plans)

    def dry() -> None:
        for task in wanted:
            dry_run(task, stand)

    spent = {name: micros / 1e6 for name, micros in side_by_side({"plan": plan, "dry": dry}, rounds=_ROUNDS).items()}
    yield Row(f"planning {count} tasks, beside the limit", spent["plan"], "s", LIMIT_S, 1.0)
    yield Row(f"planning {count} tasks, beside one dry run", spent["plan"], "s", spent["dry"], DRY_RUNS)


def _gold(steps: tuple[tuple[str, dict[str, Any]], ...]) -> GoldChain:
    return GoldChain(tuple(GoldStep(*step) for step in steps), "$1.value")
