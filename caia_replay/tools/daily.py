"""Figures of whole UTC days: the days a call asks for, their points, and exact sums that say which days are in them.

A point dated midnight tells the day that begins then; it is whole once that day is over. Sums and shares are exact
over the decimals as they were written, and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, moment_argument
from caia_replay.tools.defi_index import Number, figure, moment_of
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

MOST_POINTS: Final = 120
"""How many points one call tells."""
_MOST_DAYS_NAMED: Final = 31
_SHARE_DIGITS: Final = 6

Day = str | int | None
"""How a call names a day, or a moment of it."""
EndDay = Annotated[Day, Field(description="Last UTC day, included; null with start: the last day that is over.")]
Figures = Mapping[int, Mapping[str, Number | None]]
"""By a day's first second what is told of it."""


@dataclass(frozen=True, slots=True)
class Window:
    """Whole days from ``first`` to ``last``, each by its first second, both in it."""

    first: int
    last: int

    @property
    def days(self) -> range:
        """The first second of every day."""
        return range(self.first, self.last + 1, DAY_S)


def window_argument(world: ToolContext, start: Day, end: Day) -> Window | None:
    """The days two arguments name, None where both are None. Raises ``ToolError``.

    Without ``end`` it goes to the last day that is over, or to today where it begins then; without ``start`` it is
    ``end`` alone.
    """
    if start is None and end is None:
        return None
    today = day_of(world.now)
    first = None if start is None else day_of(moment_argument(start, world.now, "start"))
    last = max(today - DAY_S, first or 0) if end is None else day_of(moment_argument(end, world.now, "end"))
    first = last if first is None else first
    if first > last:
        raise ToolError(f"start {day_text(first)} is after end {day_text(last)}")
    return Window(first, last)


def last_days(now: int, count: int) -> Window:
    """The last ``count`` days that are over."""
    last = day_of(now) - DAY_S
    return Window(max(0, last - (count - 1) * DAY_S), last)


def day_of(moment: int) -> int:
    """The first second of a moment's UTC day."""
    return moment - moment % DAY_S


def day_text(day: int) -> str:
    """A day as ``2024-05-31``."""
    return utc_text(day)[:10]


def pairs(rows: Sequence[Any]) -> dict[int, Number | None]:
    """``[[date, figure], ...]`` by day, ascending. Raises ``TypeError`` and ``ValueError`` for another shape, as where
    two points are of one day: which of them tells it, nobody could say."""
    found: dict[int, Number | None] = {}
    for at, value in rows:
        day = day_of(moment_of(at))
        if day in found:
            raise ValueError("two points of one day")
        found[day] = figure(value)
    return dict(sorted(found.items()))


def total(values: Iterable[Number]) -> Fraction:
    """The exact sum of numbers as they were written: 0.1 is a tenth."""
    return sum((Fraction(str(value)) for value in values), Fraction(0))


def number(value: Fraction) -> Number:
    """The nearest JSON number: whole ones exactly."""
    return value.numerator if value.denominator == 1 else float(value)


def share_percent(part: Fraction, whole: Fraction) -> Number | None:
    """What per cent ``part`` is of ``whole``, to six digits; None of nothing."""
    return number(round(100 * part / whole, _SHARE_DIGITS)) if whole else None


def whole_days(figures: Mapping[int, Any], window: Window, now: int) -> list[int]:
    """The days of a window that are over and have a figure."""
    return [day for day in window.days if day + DAY_S <= now and figures.get(day) is not None]


def describe_window(
    names: Sequence[str], figures: Figures, summed: Sequence[str], window: Window, now: int
) -> dict[str, Any]:
    """A window as a model is told it: what is in it, exact sums of ``summed``, and the first points.

    Days without a figure and days that are not over are in no sum, and named. Raises ``ToolError`` where the window
    has no figure at all.
    """
    known = [day for day in window.days if any(value is not None for value in figures.get(day, {}).values())]
    if not known:
        reach = f"; there are figures from {day_text(min(figures))} to {day_text(max(figures))}" if figures else ""
        raise ToolError(f"there is no figure of {day_text(window.first)} to {day_text(window.last)}{reach}")
    absent = sorted(set(window.days) - set(known))
    sums, counts = {}, {}
    for name in summed:
        found = [figures[day][name] for day in known if day + DAY_S <= now]
        present = [value for value in found if value is not None]
        counts[name], sums[name] = len(present), number(total(present)) if present else None
    return {
        "from_day": day_text(window.first),
        "to_day": day_text(window.last),
        "days": len(window.days),
        "days_not_over": [day_text(day) for day in window.days if day + DAY_S > now],
        "days_without_figure": len(absent),
        "without_figure": [day_text(day) for day in absent[:_MOST_DAYS_NAMED]],
        "sums": sums,
        "days_summed": counts,
        "points_in_all": len(known),
        "points": [
            {"day": day_text(day), **{name: figures[day].get(name) for name in names}, "is_over": day + DAY_S <= now}
            for day in known[:MOST_POINTS]
        ],
        "next_start": day_text(known[MOST_POINTS]) if len(known) > MOST_POINTS else None,
    }
