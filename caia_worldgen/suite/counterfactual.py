"""A toolset as somebody uses it who was misled: about an address, about the unit of figures, or about how late it is.

It is how a world's makers learn where a lie leads whoever believes it and does everything else right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from decimal import Context, Decimal
from types import MappingProxyType
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.tool import ToolReply, Toolset, ToolSpec

HEIGHTS: Final = frozenset(("block", "from_block", "to_block", "end_block"))
"""The arguments of tools that are heights where they are whole numbers."""

_DAY: Final = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}(?=T|\Z)")
UNDATED: Final = frozenset(
    ("time_conversion", "code_execution", "web_search", "url_fetching", "twitter_search", "social_stream")
)
"""Tools in whose arguments a day is what is read or computed, and not the one that is asked about."""

_NUMBER: Final = re.compile(r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,90})(?:\.[0-9]{1,90})?")
_EXACT: Final = Context(prec=400)
_WORDS: Final = re.compile(r"[A-Za-z][a-z]*|[0-9]+")
_NO_FIGURE: Final = frozenset((
    # heights, moments and lengths of time
    "block", "blocks", "height", "timestamp", "time", "unix", "seconds", "milliseconds", "minutes", "hours", "days",
    "day", "date", "year",
    # what a thing is called or where it stands
    "id", "number", "index", "nonce", "rank", "page", "offset", "limit", "thread", "decimals", "version",
    # how much a reply holds, and shares, which are counted in nothing
    "count", "characters", "points", "listed", "percent", "size",
))  # fmt: skip
"""Words in the name of a field that is no figure: nobody would count it in another unit."""
_LENGTHS: Final = frozenset(("total_rows", "at_least_rows", "events_in_window", "passages_in_all", "links_in_all"))
_NO_FIGURES_BELOW: Final = frozenset(("days_summed",))
_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_AS_IS: Final[Mapping[str, int]] = MappingProxyType({})


class Misled:
    """Passes calls on to ``toolset``, changed, and replies back, changed.

    ``instead``: addresses (0x and 40 hex digits) that others are taken for, wherever they stand in arguments and in
    whatever letter case. ``scaled``: tools whose every figure is taken for so many times as much; see ``figures``.
    ``until``: heights in arguments (``HEIGHTS``) are at most this, as if it were the newest block. ``days``: every day
    that a tool of the world is asked about is so many days earlier.
    """

    def __init__(
        self,
        toolset: Toolset,
        *,
        instead: Mapping[str, str] = _NONE,
        scaled: Mapping[str, int] = _AS_IS,
        until: int | None = None,
        days: int = 0,
    ) -> None:
        self._toolset = toolset
        self._instead = {address.lower(): other for address, other in instead.items()}
        text = "|".join(map(re.escape, self._instead))
        self._addresses = re.compile(rf"(?:{text})(?![0-9a-f])", re.IGNORECASE) if text else None
        self._scaled = scaled
        self._until = until
        self._earlier = timedelta(days=days)

    def specs(self) -> Sequence[ToolSpec]:
        """Those of the toolset."""
        return self._toolset.specs()

    def call(self, name: str, arguments: str) -> ToolReply:
        """Serve a call as it was meant by somebody misled; arguments that are no JSON are passed on as they are."""
        with suppress(ValueError, RecursionError):
            meant = self._meant(strict_json(arguments))
            arguments = json.dumps(meant if name in UNDATED else self._before(meant))
        reply = self._toolset.call(name, arguments)
        if reply.result is None or name not in self._scaled:
            return reply
        return replace(reply, result=figures(reply.result, self._scaled[name]))

    def _meant(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: self._meant(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self._meant(item) for item in value]
        if isinstance(value, str) and self._addresses is not None:
            return self._addresses.sub(lambda found: self._instead[found[0].lower()], value)
        if self._until is not None and name in HEIGHTS and type(value) is int:
            return min(value, self._until)
        return value

    def _before(self, value: Any) -> Any:
        if not self._earlier:
            return value
        if isinstance(value, dict):
            return {key: self._before(item) for key, item in value.items()}
        if isinstance(value, str) and (found := _DAY.match(value)):
            return (date.fromisoformat(found[0]) - self._earlier).isoformat() + value[len(found[0]) :]
        return value


def figures(value: Any, times: int, name: str = "") -> Any:
    """A tool's result with every figure ``times`` as large.

    A figure is a number, or a text that is a decimal number, that stands for an amount, a price, a rate or a count of
    what the world holds. Heights, moments, ids, ranks, shares in per cent and what a reply says of its own length are
    none: they are told by the names of their fields.
    """
    if isinstance(value, Mapping):
        if name in _NO_FIGURES_BELOW:
            return value
        made = {key: figures(item, times, key) for key, item in value.items()}
        columns, rows = value.get("columns"), value.get("rows")
        if isinstance(columns, list) and isinstance(rows, list):  # of a query: a cell is named by its column
            made["rows"] = [[figures(cell, times, str(at)) for at, cell in zip(columns, row)] for row in rows]
        return made
    if isinstance(value, (list, tuple)):
        return [figures(item, times, name) for item in value]
    if isinstance(value, bool) or name in _LENGTHS or _is_no_figure(name):
        return value
    if isinstance(value, int):
        return value * times
    if isinstance(value, float):
        return float(_EXACT.multiply(Decimal(repr(value)), Decimal(times)))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        text = f"{_EXACT.multiply(Decimal(value.replace(',', '')), Decimal(times)):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return value


def _is_no_figure(name: str) -> bool:
    return not _NO_FIGURE.isdisjoint(word.lower() for word in _WORDS.findall(name))
