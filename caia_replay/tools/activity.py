"""How much protocols and chains are used: users and transactions by day, and what was spent on a chain."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import chain_argument, within
from caia_replay.tools.chain_activity import describe_chain
from caia_replay.tools.daily import Day, Figures, day_of, day_text, describe_window, last_days, pairs, window_argument
from caia_replay.tools.defi_index import PRO, Number, figure, moment_of, reading, resolve_protocol
from caia_replay.tools.tool_context import ToolContext

_USES: Final = {"users": "users", "new_users": "newusers", "transactions": "txs"}
"""What we call a figure, and the index's page of it."""
_RANKED: Final = {"users": "users", "new_users": "newUsers", "transactions": "txs"}
_SUMMED: Final = ("new_users", "transactions")
"""Users of two days are not two users, so they are not added up."""
_DAYS: Final = 7
_MOST_RANKED: Final = 50


def network_activity(
    world: ToolContext,
    protocol: Annotated[
        str | None, Field(description="A protocol's name, slug or token symbol, for its daily use.")
    ] = None,
    chain: Annotated[
        str | None, Field(description="A recorded chain's name or chain id, for what was sent on it day by day.")
    ] = None,
    start: Annotated[Day, Field(description="First UTC day; null with end: end alone.")] = None,
    end: Annotated[
        Day, Field(description="Last UTC day, included; null with start: the last day that is over.")
    ] = None,
    limit: Annotated[int, Field(description="How many protocols to rank when neither is given, 1 to 50.")] = 10,
) -> dict[str, Any]:
    """How much a protocol or a chain was used, UTC day by UTC day; give one of them, or neither for a ranking of
    protocols by the users of the newest day that is over.

    Of a protocol: users (distinct senders of the day), new_users and transactions, as the DeFi index counts them. Of a
    chain, computed from its recorded blocks: transactions, failed ones, distinct senders, gas_used, and fees_paid_wei
    as decimal text; a block belongs to the UTC day of its timestamp, and distinct senders of all the days are counted
    once in total. Without start and end: the last 7 days that are over; at most 40 days of a chain in one call.
    Example: {"protocol": "Uniswap V3", "chain": null, "start": "2024-05-01", "end": "2024-05-07", "limit": 10}
    """
    within(limit, 1, _MOST_RANKED, "limit")
    if protocol is not None and chain is not None:
        raise ToolError("give protocol or chain: the index does not count a protocol's users by chain")
    window = window_argument(world, start, end)
    if chain is not None:
        return describe_chain(world, chain_argument(world, chain), window or last_days(world.now, _DAYS))
    if protocol is not None:
        one = resolve_protocol(world, protocol)
        value = describe_window(
            list(_USES), _use(world, one.id, one.name), _SUMMED, window or last_days(world.now, _DAYS), world.now
        )
        return {"protocol": one.name, "slug": one.slug, **value}
    if window is not None:
        raise ToolError("the ranking is of the newest day only; for other days give protocol or chain")
    return _ranking(world, limit)


def _use(world: ToolContext, number: str, name: str) -> Figures:
    """The daily figures of one protocol; a day that one page leaves out has null there. Raises ``ToolError``."""
    series = {}
    for use, page in _USES.items():
        found = world.ask(f"{PRO}/userData/{page}/{number}")
        with reading(f"the daily {use} of {name}"):
            series[use] = pairs([(at, _count(value)) for at, value in found])
    days = sorted({day for points in series.values() for day in points})
    if not days:
        raise ToolError(f"the index counts no users of {name} at this moment")
    return {day: {use: points.get(day) for use, points in series.items()} for day in days}


def _ranking(world: ToolContext, limit: int) -> dict[str, Any]:
    found = world.ask(f"{PRO}/activeUsers")
    with reading("the ranking by users"):
        rows = [(row["name"], {use: _ended(row.get(key)) for use, key in _RANKED.items()}) for row in found.values()]
    known = [(name, use) for name, use in rows if use["users"][0] is not None]
    known.sort(key=lambda row: (-(row[1]["users"][0] or 0), row[0]))
    return {
        "ranked_by": "users",
        "listed_in_all": len(known),
        "without_figure": len(rows) - len(known),
        "ranking": [
            {
                "rank": rank,
                "protocol": name,
                "day": use["users"][1],
                **{what: value if day == use["users"][1] else None for what, (value, day) in use.items()},
            }
            for rank, (name, use) in enumerate(known[:limit], start=1)
        ],
    }


def _ended(content: Any) -> tuple[Number | None, str | None]:
    """A figure and the day it tells, which ended when it says."""
    if content is None:
        return None, None
    return figure(_count(content["value"])), day_text(day_of(moment_of(content["end"]) - 1))


def _count(value: Any) -> Any:
    """Counts are written as numbers by some pages and as digits by others."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else value
