"""The DeFi index's pages of what flows (volume, fees, revenue): of one protocol, of a chain, of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal

from caia_replay.errors import ToolError
from caia_replay.tools.daily import day_of, number, pairs, total
from caia_replay.tools.defi_index import (
    API,
    Listed,
    Number,
    figure,
    fold,
    folded,
    in_path,
    meant,
    moment_of,
    pick,
    protocols,
)
from caia_replay.tools.figure import reading

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

_MOST_TOLD: Final = 10


@dataclass(frozen=True, slots=True)
class Flow:
    """What is looked at: ``kind`` is the index's page, ``data_type`` what it tells or None for its first,
    ``measure`` what we call a figure of it, with its unit, and ``noun`` what one that has it is called."""

    kind: Literal["dexs", "fees"]
    data_type: str | None
    measure: str
    noun: str


@dataclass(frozen=True, slots=True)
class FlowPage:
    """A page, read: its fields as they are, its days, and for each day how much of it was whose."""

    content: Mapping[str, Any]
    chart: Mapping[int, Number | None]
    parts: Mapping[int, Mapping[str, Fraction]]
    rows: tuple[Listed, ...]


def overview(world: ToolContext, flow: Flow, chain: str | None = None, parts: bool = False) -> FlowPage:
    """The page of all, or of all on a chain; ``parts`` asks for the days of each protocol as well."""
    return _page(world, f"{API}/overview/{flow.kind}" + (f"/{in_path(chain)}" if chain else ""), flow, parts)


def summary(world: ToolContext, flow: Flow, one: Listed, parts: bool = False) -> FlowPage:
    """The page of one protocol; ``parts`` asks for its days chain by chain as well."""
    return _page(world, f"{API}/summary/{flow.kind}/{in_path(one.slug)}", flow, parts)


def resolve_row(world: ToolContext, flow: Flow, text: str) -> Listed:
    """The one of those with such a figure that ``text`` names, by name, slug or token symbol. Raises ``ToolError``."""
    known = protocols(world)
    symbols = {one.id: one.names for one in known}
    rows = [
        Listed(row.id, row.slug, row.name, row.names | symbols.get(row.id, frozenset()), row.row)
        for row in overview(world, flow).rows
    ]
    others = [] if meant(rows, text) else meant(known, text)
    if len(others) == 1:
        near = ", ".join(row.name for row in rows[:_MOST_TOLD])
        raise ToolError(f"{others[0].name} is no {flow.noun} of the index at this moment; there are: {near or 'none'}")
    return pick(rows, text, flow.noun)


def on_chain(page: FlowPage, chain: str, one: Listed) -> FlowPage:
    """What of a protocol's page was on one chain: its days, and no totals. Raises ``ToolError`` where nothing was."""
    there = sorted({name for parts in page.parts.values() for name in parts})
    names = [name for name in there if fold(name) == fold(chain)]
    if not names:
        raise ToolError(f"{one.name} has no such figures on {chain}; it has them on: {', '.join(there) or 'no chain'}")
    chart = {day: number(parts[names[0]]) if names[0] in parts else None for day, parts in page.parts.items()}
    return FlowPage({}, chart, {}, ())


def amounts(of: Mapping[str, Any]) -> dict[str, Fraction]:
    """How much was whose, exactly: what is told more finely is added up, and what is null is left out.

    Raises ``TypeError`` and ``ValueError`` for another shape.
    """
    found: dict[str, Fraction] = {}
    for name, one in of.items():
        known = [usd for usd in map(figure, one.values() if isinstance(one, dict) else [one]) if usd is not None]
        if known:
            found[name] = total(known)
    return found


def _page(world: ToolContext, url: str, flow: Flow, parts: bool) -> FlowPage:
    value = world.ask(url, dataType=flow.data_type, excludeTotalDataChartBreakdown=None if parts else "true")
    with reading(f"GET {url}"):
        content = dict(value)
        chart = pairs(content["totalDataChart"])
        points = content["totalDataChartBreakdown"] if parts else ()
        told_parts = [(day_of(moment_of(at)), amounts(of)) for at, of in points]
        by_day = dict(told_parts)
        if len(by_day) < len(told_parts):
            raise ValueError("two points of one day")
        return FlowPage(content, chart, by_day, tuple(map(_row, content.get("protocols") or ())))


def _row(row: Mapping[str, Any]) -> Listed:
    name = row.get("displayName") or row["name"]
    slug = row.get("slug") or fold(name)
    names = folded((name, row["name"], slug))
    return Listed(str(row.get("defillamaId") or row["id"]), slug, name, names, dict(row))
