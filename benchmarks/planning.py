"""How long it takes to plan the recording of a suite as large as CAIA, nobody asked.

A plan fills the table of what tools ask with every gold step, and widens each request as the recorder does. The floor
is the same steps read by the tools' own schemas, measured in the same rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any, Final

from benchmarks.row import Row, side_by_side
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Anchor
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_calls import refusal_of
from caia_replay.recording.plan_report import plan_json, plan_lines
from caia_replay.recording.plan_table import PlannedTask

TASKS: Final = 178
"""As many as CAIA has."""
LIMIT_S: Final = 1.0
"""Nobody waits longer for a list."""
READINGS: Final = 40.0
"""A plan reads each step twice; the rest is widening, pricing and telling."""
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
    """Planning beside its limit, and beside reading every step once."""
    wanted = tasks(count)

    def plan() -> None:
        plans = plan_tasks(wanted, _NOW)
        plan_lines(plans)
        plan_json(plans)

    def read() -> None:
        for task in wanted:
            for step in task.gold.steps:
                refusal_of(step)

    spent = {name: micros / 1e6 for name, micros in side_by_side({"plan": plan, "read": read}, rounds=_ROUNDS).items()}
    yield Row(f"planning {count} tasks, beside the limit", spent["plan"], "s", LIMIT_S, 1.0)
    yield Row(f"planning {count} tasks, beside reading their steps", spent["plan"], "s", spent["read"], READINGS)


def _gold(steps: tuple[tuple[str, dict[str, Any]], ...]) -> GoldChain:
    return GoldChain(tuple(GoldStep(*step) for step in steps), "$1.value")
