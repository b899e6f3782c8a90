"""The stretch of time that a search is limited to: as models write it, as the index takes it, as results tell it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.search.query import Operator, parse_query
from caia_replay.search.window import ALWAYS, Window, parse_window
from caia_replay.tools.argument import DAY_S, calendar_argument, moment_argument
from caia_replay.world.clock import utc_text

Past = Annotated[
    str | None, Field(description="Only what is as new: hour, day, week, month (30 days), year, or 3 days.")
]
FirstDay = Annotated[str | None, Field(description="The first day, UTC, itself inside: 2024-05-01.")]
LastDay = Annotated[str | None, Field(description="The last day, UTC, itself inside: 2024-05-31.")]

LONGEST_QUERY: Final = 2_000
"""Characters that the index reads of a query."""

_LETTERS: Final = {"minute": "n", "hour": "h", "day": "d", "week": "w", "month": "m", "year": "y"}
_PAST: Final = re.compile(
    r"(?:the )?(?:past |last )?(?:(?:(?P<count>[0-9]{1,4}) ?|an? |one )?(?P<unit>minute|hour|day|week|month|year)s?"
    r"|(?P<number>[0-9]{1,4}) ?(?P<letter>[hdwy]))"
)


@dataclass(frozen=True, slots=True)
class SearchWindow:
    """``tbs`` is in the words of search APIs, which the index reads; "" bounds nothing."""

    tbs: str
    bounds: Window


def window_argument(past: str | None, first_day: str | None, last_day: str | None, now: int) -> SearchWindow:
    """What three arguments leave of time: the last stretch before ``now``, and two days that are both inside.

    A month is 30 days and a year 365. A time of day is read as its day. Raises ``ToolError``.
    """
    parts: list[str] = []
    if past is not None:
        parts.append(_past(past))
    first = None if first_day is None else _day(moment_argument(first_day, now, "first_day"))
    last = None if last_day is None else _day(calendar_argument(last_day, now, "last_day"))
    if first is not None and last is not None and first > last:
        raise ToolError(f"first_day {utc_text(first)[:10]} is after last_day {utc_text(last)[:10]}")
    for name, day in (("cd_min", first), ("cd_max", last)):
        if day is not None:
            year, month, number = utc_text(day)[:10].split("-")
            parts.append(f"{name}:{int(month)}/{int(number)}/{year}")
    tbs = ",".join(parts)
    return SearchWindow(tbs, parse_window(tbs, now) or ALWAYS)


def whole_window(query: str, operators: Collection[Operator], window: SearchWindow) -> Window:
    """``window`` and what the operators of ``query`` bound beside it.

    Raises ``ToolError`` for a query that asks for nothing, or is longer than the index reads.
    """
    if len(query) > LONGEST_QUERY:
        raise ToolError(f"query has {len(query)} characters; it may have {LONGEST_QUERY}")
    parsed = parse_query(query, operators)
    if not parsed.asks:
        text = "is empty" if not query.strip() else f"{query[:80]!r} names nothing to find"
        raise ToolError(f"query {text}; give words, a phrase in quotes or an operator")
    return window.bounds & parsed.window


def describe_window(window: Window, now: int) -> dict[str, Any] | None:
    """A window as results tell it: ``from`` is inside, ``before`` is not; None where nothing but ``now`` bounds it."""
    before = None if window.before is None or window.before > now else window.before
    if window.after is None and before is None:
        return None
    return {
        "from": None if window.after is None else utc_text(window.after),
        "before": None if before is None else utc_text(before),
    }


def _past(text: str) -> str:
    found = _PAST.fullmatch(" ".join(text.split()).lower().strip("'\"`"))
    letter = "" if found is None else found["letter"] or _LETTERS[found["unit"]]
    count = 0 if found is None else int(found["count"] or found["number"] or 1)
    if count == 0:
        raise ToolError(f"past is {text[:80]!r}; it takes hour, day, week, month, year, or a length such as 3 days")
    return f"qdr:{letter}{count}"


def _day(moment: int) -> int:
    return moment - moment % DAY_S
