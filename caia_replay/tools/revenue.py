"""What users of protocols pay, and what of it the protocols keep: of one, of a chain, of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from caia_replay.tools.argument import within
from caia_replay.tools.daily import Day, window_argument
from caia_replay.tools.flow_page import Flow
from caia_replay.tools.flow_report import MOST_RANKED, Period, describe_all, describe_one
from caia_replay.tools.tool_context import ToolContext

Measure = Literal["fees", "revenue"]

_FLOWS: Final[Mapping[Measure, Flow]] = {
    "fees": Flow("fees", None, "fees_usd", "protocol with fees"),
    "revenue": Flow("fees", "dailyRevenue", "revenue_usd", "protocol with revenue"),
}


def revenue_analysis(
    world: ToolContext,
    protocol: Annotated[
        str | None, Field(description="A protocol's name, slug or token symbol; null: all protocols, ranked.")
    ] = None,
    measure: Annotated[
        Measure, Field(description="fees: all that users paid; revenue: what of it the protocol kept.")
    ] = "fees",
    chain: Annotated[
        str | None,
        Field(description="Only what was paid on this chain; with a protocol it needs start or end. Null: all chains."),
    ] = None,
    start: Annotated[Day, Field(description="First UTC day of a series and its sum; null with end: end alone.")] = None,
    end: Annotated[
        Day, Field(description="Last UTC day, included; null with start: the last day that is over.")
    ] = None,
    by_chain: Annotated[
        bool,
        Field(description="Whether to add each chain's share: of the window for a protocol, of period for all."),
    ] = False,
    period: Annotated[Period, Field(description="What the ranking of all protocols goes by.")] = "24h",
    limit: Annotated[int, Field(description="How many protocols to rank, 1 to 50.")] = 10,
) -> dict[str, Any]:
    """Fees or revenue in US dollars of one protocol, of a chain's protocols, or of all: totals as of now and, with
    start or end, every UTC day of a window (days are YYYY-MM-DD) with its exact sum.

    Sums hold only days that are over; days_not_over and days_without_figure name the others. Totals are the index's
    own; those in cover_fewer_days_than_named have a shorter history than their name says. At most 120 days are listed,
    next_start goes on. Example: {"protocol": "Aave V3", "measure": "revenue", "chain": null, "start": "2024-05-01",
    "end": "2024-05-31", "by_chain": false, "period": "24h", "limit": 10}
    """
    within(limit, 1, MOST_RANKED, "limit")
    window, flow = window_argument(world, start, end), _FLOWS[measure]
    if protocol is None:
        return {"measure": measure, **describe_all(world, flow, chain, window, by_chain, period, limit)}
    return {"measure": measure, **describe_one(world, flow, protocol, chain, window, by_chain)}
