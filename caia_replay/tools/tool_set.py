"""Named sets of the catalog's tools, and what a list of tool and set names chooses.

A small model's context does not hold the specifications of all tools, so an agent can be given fewer. The sets of a
category are its tools; ``core-4`` and ``core-8`` cross the categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from caia_replay.errors import BadInput, nearest
from caia_replay.tools.catalog import CATALOG, CatalogTool

ALL = "all"
NONE = "none"
COMPACT = "compact"
"""Beside other names: the tools are told in fewer words (``tools/compact.py``)."""

_CORE_4 = ("price_feed", "web_search", "url_fetching", "supply_query")
_CORE_8 = (*_CORE_4, "ranking_query", "protocol_metrics", "balance_query", "block_query")


def _by_category() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, tool in CATALOG.items():
        category = tool.category.lower().replace(" ", "-")
        found[category] = (*found.get(category, ()), name)
    return found


def _in_order(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in CATALOG if name in names)


TOOL_SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {ALL: tuple(CATALOG), NONE: (), "core-4": _in_order(_CORE_4), "core-8": _in_order(_CORE_8), **_by_category()}
)
"""Every set by name, its tools in catalog order."""


def tool_set(names: Sequence[str], catalog: Mapping[str, CatalogTool] = CATALOG) -> tuple[str, ...]:
    """The tools of a catalog that names of tools and sets choose together, in its order, after ``compact`` where it is
    named.

    Empty for all of the catalog in full, and for none, which is a condition. No name but ``compact`` chooses all.
    Raises ``BadInput`` for a name that is neither, one given twice, ``none`` beside others, and for sets of which the
    catalog has no tool.
    """
    for at, name in enumerate(names):
        if name not in TOOL_SETS and name not in catalog and name != COMPACT:
            known = [*TOOL_SETS, COMPACT, *catalog]
            raise BadInput(
                f"no tool or set of tools {name!r:.80}",
                where="--tools",
                nearest=nearest(name, known) or ", ".join((*TOOL_SETS, COMPACT)),
                next_command="docs/tools.md names the tools and the sets",
            )
        if name in names[:at]:
            raise BadInput(f"{name!r} is given twice", where="--tools")
    if NONE in names:
        if len(names) > 1:
            raise BadInput("none stands alone", where="--tools", next_command="--tools none, or leave none out")
        return ()
    sets = {**TOOL_SETS, ALL: tuple(catalog)}
    wanted = [tool for name in names if name != COMPACT for tool in sets.get(name, (name,))]
    chosen = tuple(name for name in catalog if name in wanted)
    if not chosen and set(names) > {COMPACT}:
        what = f"none of the tools of {', '.join(names)} is among this suite's"
        raise BadInput(what, where="--tools", next_command=f"--tools {next(iter(catalog))}")
    told = (COMPACT,) if COMPACT in names else ()
    return told if len(chosen) in (0, len(catalog)) else told + chosen
