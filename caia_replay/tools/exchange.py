"""Traded volume of decentralised exchanges: of one, and of all."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.tools.daily import Day, window_argument
from caia_replay.tools.flow_page import Flow
from caia_replay.tools.flow_report import Period, describe_all, describe_one
from caia_replay.tools.tool_context import ToolContext

_VOLUME: Final = Flow("dexs", None, "volume_usd", "exchange")


def exchange_summary(
    world: ToolContext,
    exchange: Annotated[str, Field(description="An exchange's name, slug or token symbol.")],
    start: Annotated[Day, Field(description="First UTC day of a series and its sum; null with end: end alone.")] = None,
    end: Annotated[
        Day, Field(description="Last UTC day, included; null with start: the last day that is over.")
    ] = None,
    chain: Annotated[str | None, Field(description="Only what was traded on this chain; needs start or end.")] = None,
    by_chain: Annotated[
        bool, Field(description="Whether to split the window's sum by chain; needs start or end.")
    ] = False,
) -> dict[str, Any]:
    """The traded volume of one decentralised exchange, in US dollars: totals as of now and, with start or end, every
    UTC day of a window (days are YYYY-MM-DD) with its exact sum.

    Sums hold only days that are over; days_not_over and days_without_figure name the others. Totals are the index's
    own; those in cover_fewer_days_than_named are of an exchange younger than their name says. At most 120 days are
    listed, next_start goes on. Example: {"exchange": "Uniswap V3", "start": "2024-05-01", "end": "2024-05-31",
    "chain": null, "by_chain": false}
    """
    return describe_one(world, _VOLUME, exchange, chain, window_argument(world, start, end), by_chain)


def exchange_overview(
    world: ToolContext,
    chain: Annotated[str | None, Field(description="Only exchanges on this chain; null: all chains.")] = None,
    period: Annotated[Period, Field(description="What the ranking goes by.")] = "24h",
    limit: Annotated[int, Field(description="How many exchanges to rank, 1 to 50.")] = 10,
    start: Annotated[
        Day, Field(description="First UTC day of a series, its sum and its shares; null with end: end alone.")
    ] = None,
    end: Annotated[
        Day, Field(description="Last UTC day, included; null with start: the last day that is over.")
    ] = None,
    by_chain: Annotated[bool, Field(description="Whether to add each chain's volume of period, 24h or 30d.")] = False,
) -> dict[str, Any]:
    """The traded volume of all decentralised exchanges, in US dollars: totals and a ranking as of now; with start or
    end every UTC day of a window (days are YYYY-MM-DD), its exact sum and each exchange's share of it.

    Sums hold only days that are over; days_not_over and days_without_figure name the others. At most 120 days are
    listed, next_start goes on. Example: {"chain": null, "period": "7d", "limit": 10, "start": null, "end": null,
    "by_chain": false}
    """
    return describe_all(world, _VOLUME, chain, window_argument(world, start, end), by_chain, period, limit)
