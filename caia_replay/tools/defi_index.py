"""What the DeFi index lists: protocols and chains by a name that means one of them, and its pages read strictly.

Two that a name could mean are never chosen between; what is recorded in another shape is a miss, never a guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from caia_replay.errors import ToolError, nearest
from caia_replay.tools.figure import reading

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

API: Final = "https://api.llama.fi"
PRO: Final = "https://pro-api.llama.fi/SCRUBBED/api"
"""What is paid for. The key stands in the path; recordings are kept without it, and it decides nothing."""

Number = int | float

_BY_SLUG: Final = "slug:"
_BY_NAME: Final = "name:"
_AROUND: Final = " \t\r\n'\"`$"
_NO_SYMBOL: Final = "-"
"""What the index writes where a protocol has no token."""
_MOST_TOLD: Final = 10
_BEYOND: Final = 10**30
"""No figure of this index is as large; sums of what is below stay finite."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A protocol as some list has it: ``names`` are all folded texts that mean it, ``row`` is its line of the list."""

    id: str
    slug: str
    name: str
    names: frozenset[str]
    row: Mapping[str, Any]


def figure(value: Any) -> Number | None:
    """A number as the index wrote it, None for null. Raises ``TypeError`` and ``ValueError`` for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("a figure is a number or null")
    if not math.isfinite(value) or abs(value) >= _BEYOND:
        raise ValueError("a figure is finite")
    return value


def moment_of(value: Any) -> int:
    """The seconds of a point's date, which some pages write as digits. Raises ``TypeError`` and ``ValueError``."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a date is a whole number of seconds")
    if not 0 <= value < 10**10:
        raise ValueError("a date is in seconds")
    return value


def fold(text: str) -> str:
    """One spelling of a name: its case, and blanks, hyphens and underscores between words, do not matter."""
    return "-".join(text.strip(_AROUND).lower().replace("_", " ").replace("-", " ").split())


def folded(names: Iterable[str | None]) -> frozenset[str]:
    """The spellings of some names, without what names nothing."""
    return frozenset(fold(name) for name in names if name) - {""}


def protocols(world: ToolContext) -> list[Listed]:
    """Every protocol the index lists at this moment."""
    value = world.ask(f"{API}/protocols")
    with reading("the list of protocols"):
        return [_protocol(row) for row in value]


def resolve_protocol(world: ToolContext, text: str) -> Listed:
    """The one listed protocol that ``text`` names: a name, slug, token symbol or token address.

    Raises ``ToolError`` for none and for several, all of which it names.
    """
    return pick(protocols(world), text, "protocol")


def pick(listed: Sequence[Listed], text: str, what: str) -> Listed:
    """The one of ``listed`` that ``text`` means; ``slug:NAME`` means its slug only. Raises ``ToolError``."""
    found = meant(listed, text)
    if len(found) > 1:
        words = "; ".join(f"{_BY_SLUG}{one.slug} ({one.name})" for one in found[:_MOST_TOLD])
        raise ToolError(f"{text[:80]!r} could be {len(found)} of the index, give one of: {words}")
    if not found:
        wanted = fold(text)
        family = [one for one in listed if fold(_parent(one.row)) == wanted != ""]
        if family:
            words = "; ".join(f"{_BY_SLUG}{one.slug}" for one in family[:_MOST_TOLD])
            raise ToolError(f"{text[:80]!r} is a family of {len(family)}, give one of: {words}")
        by_name = {name: one for one in listed for name in sorted(one.names)}
        near = by_name.get(nearest(wanted, by_name))
        hint = f"; nearest: {near.name} ({_BY_SLUG}{near.slug})" if near else ""
        raise ToolError(f"no {what} {text[:80]!r} is listed at this moment{hint}")
    return found[0]


def meant(listed: Sequence[Listed], text: str) -> list[Listed]:
    """All of ``listed`` that ``text`` could mean."""
    wanted = text.strip(_AROUND)
    if wanted.lower().startswith(_BY_SLUG):
        slug = wanted[len(_BY_SLUG) :].strip().lower()
        return [one for one in listed if one.slug.lower() == slug]
    return [one for one in listed if fold(wanted) in one.names]


def chain_rows(world: ToolContext) -> list[dict[str, Any]]:
    """Every chain the index lists at this moment; each has a ``name``."""
    value = world.ask(f"{API}/v2/chains")
    with reading("the list of chains"):
        rows = [dict(row) for row in value]
        if not all(isinstance(row["name"], str) for row in rows):
            raise TypeError("a chain has a name")
        return rows


def resolve_chain(world: ToolContext, text: str) -> dict[str, Any]:
    """The row of the one chain that ``text`` means: a name, a chain id or its coin's symbol. Raises ``ToolError``."""
    rows = chain_rows(world)
    wanted = text.strip(_AROUND)
    if wanted.lower().startswith(_BY_NAME):
        found = [row for row in rows if fold(row["name"]) == fold(wanted[len(_BY_NAME) :])]
    else:
        found = [row for row in rows if fold(wanted) in _chain_names(row)]
    if len(found) > 1:
        words = "; ".join(f"{_BY_NAME}{row['name']}" for row in found[:_MOST_TOLD])
        raise ToolError(f"{text[:80]!r} could be {len(found)} chains, give one of: {words}")
    if not found:
        by_name = {fold(row["name"]): row["name"] for row in rows}
        near = by_name.get(nearest(fold(wanted), by_name))
        hint = f"; nearest: {near}" if near else ""
        raise ToolError(f"the index lists no chain {text[:80]!r} at this moment{hint}")
    return found[0]


def in_path(name: str) -> str:
    """A name as one part of an address."""
    return quote(name, safe="")


def _protocol(row: Mapping[str, Any]) -> Listed:
    symbol = row.get("symbol") or _NO_SYMBOL
    names = [row["name"], row["slug"], row.get("gecko_id"), *([] if symbol == _NO_SYMBOL else [symbol])]
    names += [(row.get("address") or "").rpartition(":")[2]]
    return Listed(str(row["id"]), row["slug"], row["name"], folded(names), dict(row))


def _parent(row: Mapping[str, Any]) -> str:
    parent = row.get("parentProtocol")
    return parent.rpartition("#")[2] if isinstance(parent, str) else ""


def _chain_names(row: Mapping[str, Any]) -> list[str]:
    return [fold(str(row[key])) for key in ("name", "chainId", "tokenSymbol") if row.get(key) not in (None, "")]
