"""What flows through protocols: traded volume of exchanges, what users pay, and what protocols keep of it; of one, of a
chain, of all. Totals, days, sums and rankings as a model is told them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, within
from caia_replay.tools.daily import (
    Day,
    EndDay,
    Window,
    day_text,
    describe_window,
    number,
    share_percent,
    total,
    whole_days,
    window_argument,
)
from caia_replay.tools.defi_index import Listed, figure, fold, resolve_chain
from caia_replay.tools.figure import reading
from caia_replay.tools.flow_page import Flow, FlowPage, amounts, on_chain, overview, resolve_row, summary
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

Measure = Literal["fees", "revenue"]

_FLOWS: Final[Mapping[Measure, Flow]] = {
    "fees": Flow("fees", None, "fees_usd", "protocol with fees"),
    "revenue": Flow("fees", "dailyRevenue", "revenue_usd", "protocol with revenue"),
}

_VOLUME: Final = Flow("dexs", None, "volume_usd", "exchange")

Period = Literal["24h", "7d", "30d"]
StartDay = Annotated[Day, Field(description="First UTC day of a series and its sum; null with end: end alone.")]

_PERIODS: Final[Mapping[str, str]] = {"24h": "total24h", "7d": "total7d", "30d": "total30d"}
_CHAIN_PERIODS: Final[Mapping[str, str]] = {"24h": "breakdown24h", "30d": "breakdown30d"}
_TOTALS: Final = (
    ("last_24h_usd", "total24h", 1),
    ("previous_24h_usd", "total48hto24h", 2),
    ("last_7d_usd", "total7d", 7),
    ("previous_7d_usd", "total14dto7d", 14),
    ("last_30d_usd", "total30d", 30),
    ("last_1y_usd", "total1y", 365),
    ("all_time_usd", "totalAllTime", 0),
)
"""What we call a total, what the index does, and how many days it needs to be what its name says."""
_CHANGES: Final = (
    ("change_1d_percent", "change_1d"),
    ("change_7d_over_7d_percent", "change_7dover7d"),
    ("change_30d_over_30d_percent", "change_30dover30d"),
)
MOST_RANKED: Final = 50


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
    start: StartDay = None,
    end: EndDay = None,
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


def exchange_summary(
    world: ToolContext,
    exchange: Annotated[str, Field(description="An exchange's name, slug or token symbol.")],
    start: StartDay = None,
    end: EndDay = None,
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
    end: EndDay = None,
    by_chain: Annotated[bool, Field(description="Whether to add each chain's volume of period, 24h or 30d.")] = False,
) -> dict[str, Any]:
    """The traded volume of all decentralised exchanges, in US dollars: totals and a ranking as of now; with start or
    end every UTC day of a window (days are YYYY-MM-DD), its exact sum and each exchange's share of it.

    Sums hold only days that are over; days_not_over and days_without_figure name the others. At most 120 days are
    listed, next_start goes on. Example: {"chain": null, "period": "7d", "limit": 10, "start": null, "end": null,
    "by_chain": false}
    """
    return describe_all(world, _VOLUME, chain, window_argument(world, start, end), by_chain, period, limit)


def describe_one(
    world: ToolContext, flow: Flow, text: str, chain: str | None, window: Window | None, by_chain: bool
) -> dict[str, Any]:
    """One protocol: totals as of now, or none where one chain is asked for; and a window of days."""
    if window is None and (chain is not None or by_chain):
        raise ToolError("chain and by_chain split the sum of a window of days: give start and end")
    one = resolve_row(world, flow, text)
    there = None if chain is None else str(resolve_chain(world, chain)["name"])
    page = summary(world, flow, one, parts=by_chain or there is not None)
    fields: dict[str, Any] = {"name": one.name, "slug": one.slug, "chain": there}
    fields |= _totals(page, world.now) if there is None else {}
    if window is not None:
        fields["window"] = _days(page if there is None else on_chain(page, there, one), flow, window, world.now)
        fields |= {"window_by_chain": _parts(page, window, world.now)} if by_chain else {}
    return fields


def describe_all(
    world: ToolContext, flow: Flow, chain: str | None, window: Window | None, by_chain: bool, period: Period, limit: int
) -> dict[str, Any]:
    """All protocols, or those of a chain: totals and a ranking as of now, and a window of days with its shares."""
    within(limit, 1, MOST_RANKED, "limit")
    if by_chain and chain is not None:
        raise ToolError("by_chain splits what all chains have; with it chain is null")
    there = None if chain is None else str(resolve_chain(world, chain)["name"])
    page = overview(world, flow, there, parts=window is not None)
    if not page.rows and not page.chart:
        raise ToolError(f"the index lists no {flow.noun} {f'on {there}' if there else ''} at this moment")
    fields = {"chain": there, **_totals(page, world.now), **_ranking(page, period, limit)}
    fields |= {"by_chain": _chains(page, period) if _is_of_now(page) else None} if by_chain else {}
    if window is not None:
        fields["window"] = _days(page, flow, window, world.now)
        parts = _parts(page, window, world.now)
        fields |= {"window_listed_in_all": len(parts), "window_ranking": parts[:limit]}
    return fields


def _totals(page: FlowPage, now: int) -> dict[str, Any]:
    """Totals as of now in the index's own words, and which days its chart has; what it leaves out is null."""
    days = whole_days(page.chart, Window(min(page.chart), max(page.chart)), now) if page.chart else []
    with reading("the totals of a page"):
        totals = {name: figure(page.content.get(key)) for name, key, _ in _TOTALS}
        changes = {name: figure(page.content.get(key)) for name, key in _CHANGES}
    reach = (days[-1] - days[0]) // DAY_S + 1 if days else 0
    return {
        "as_of_utc": utc_text(now),
        "totals": totals,
        "cover_fewer_days_than_named": [name for name, _, need in _TOTALS if need > reach and totals[name] is not None],
        "changes": changes,
        "chart_from_day": day_text(days[0]) if days else None,
        "chart_to_day": day_text(days[-1]) if days else None,
        "last_whole_day": {"day": day_text(days[-1]), "usd": page.chart[days[-1]]} if days else None,
    }


def _is_of_now(page: FlowPage) -> bool:
    """Whether a page tells any total; one that was recorded later has its days and names left and no figure of now."""
    return any(key in page.content for _, key, _ in _TOTALS)


def _days(page: FlowPage, flow: Flow, window: Window, now: int) -> dict[str, Any]:
    """The days of a window and their sum."""
    figures = {day: {flow.measure: usd} for day, usd in page.chart.items()}
    return describe_window([flow.measure], figures, [flow.measure], window, now)


def _parts(page: FlowPage, window: Window, now: int) -> list[dict[str, Any]]:
    """Whose the sum of a window is: every part of the page, the largest first. Only days that are over are in it."""
    sums: dict[str, Fraction] = {}
    for day in whole_days(page.parts, window, now):
        for name, usd in page.parts[day].items():
            sums[name] = sums.get(name, Fraction(0)) + usd
    return _shares(sums)


def _ranking(page: FlowPage, period: Period, limit: int) -> dict[str, Any]:
    """The protocols of an overview by their total of ``period``; those without one are counted."""
    with reading("the protocols of an overview"):
        ranked = [(row, figure(row.row.get(_PERIODS[period]))) for row in page.rows]
    known = sorted(
        ((row, usd) for row, usd in ranked if usd is not None),
        key=lambda pair: (-pair[1], pair[0].name, pair[0].slug),
    )
    if not known and not _is_of_now(page):
        return {"period": period, "listed_in_all": None, "without_figure": None, "ranking": None}
    whole = total(usd for _, usd in known)
    return {
        "period": period,
        "listed_in_all": len(known),
        "without_figure": len(ranked) - len(known),
        "ranking": [
            {"rank": rank, **_told_row(row), "share_percent": share_percent(total([usd]), whole)}
            for rank, (row, usd) in enumerate(known[:limit], start=1)
        ],
    }


def _chains(page: FlowPage, period: Period) -> list[dict[str, Any]]:
    """The chains of an overview by their total of ``period``, which the index tells for 24h and 30d only."""
    if period not in _CHAIN_PERIODS:
        raise ToolError(
            f"the index tells chains for {' and '.join(_CHAIN_PERIODS)}; for others ask one chain at a time"
        )
    sums: dict[str, Fraction] = {}
    with reading("the chains of an overview"):
        named = {fold(name): name for name in page.content.get("allChains") or ()}
        for row in page.rows:
            for key, usd in amounts(row.row.get(_CHAIN_PERIODS[period]) or {}).items():
                name = named.get(fold(key), key)
                sums[name] = sums.get(name, Fraction(0)) + usd
    return _shares(sums)


def _told_row(one: Listed) -> dict[str, Any]:
    with reading("the protocols of an overview"):
        return {
            "name": one.name,
            "slug": one.slug,
            "type": one.row.get("protocolType"),
            "category": one.row.get("category"),
            "chains": list(one.row.get("chains") or ()),
            **{f"last_{period}_usd": figure(one.row.get(key)) for period, key in _PERIODS.items()},
            **{name: figure(one.row.get(key)) for name, key in _CHANGES},
        }


def _shares(sums: Mapping[str, Fraction]) -> list[dict[str, Any]]:
    whole = sum(sums.values(), Fraction(0))
    return [
        {"name": name, "usd": number(usd), "share_percent": share_percent(usd, whole)}
        for name, usd in sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
