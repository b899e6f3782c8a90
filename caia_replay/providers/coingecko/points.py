"""What CoinGecko tells point by point: series of ``[milliseconds, value]`` in the order of time, read with suspicion.

A chart that holds any list that is no series is not read at all: nobody could say what of it was known when.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from statistics import median
from typing import Any, Final

DAY_S: Final = 86_400
HOUR_S: Final = 3_600
FINE_S: Final = 300
_GAPS: Final = ((1_000, FINE_S), (DAY_S // 2, HOUR_S))
"""Points nearer than so many seconds, on the whole, have the granularity beside it."""
_KNOWN: Final = frozenset({"prices", "market_caps", "total_volumes"})
_LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999."""

Points = list[list[Any]]


def chart_of(content: Any) -> dict[str, Any] | None:
    """A chart: prices, and every list in it a series; None for anything else."""
    if not isinstance(content, dict) or not isinstance(content.get("prices"), list):
        return None
    return content if all(_is_series(points) for points in content.values() if isinstance(points, list)) else None


def series_of(chart: Mapping[str, Any]) -> frozenset[str]:
    """The names of what a chart tells point by point."""
    return frozenset(name for name, points in chart.items() if isinstance(points, list))


def is_plain(chart: Mapping[str, Any]) -> bool:
    """Whether a chart holds pairs of a moment and a number and nothing else, so that all of it can be cut."""
    return chart.keys() <= _KNOWN and all(
        isinstance(points, list)
        and all(len(point) == 2 and (point[1] is None or type(point[1]) in (int, float)) for point in points)
        for points in chart.values()
    )


def cut(chart: Mapping[str, Any], first_ms: float, last_ms: float) -> dict[str, Any]:
    """The points from one moment to another, both included; what is no series is left as it is."""
    return {**chart, **{name: between(chart[name], first_ms, last_ms) for name in series_of(chart)}}


def between(points: Points, first_ms: float, last_ms: float) -> Points:
    """The points of one series from one moment to another, both included."""
    stamp = itemgetter(0)
    return points[bisect_left(points, first_ms, key=stamp) : bisect_right(points, last_ms, key=stamp)]


def holds_after(chart: Mapping[str, Any], moment: int) -> bool:
    """Whether a chart tells of a time after ``moment``, in seconds."""
    return any(chart[name][-1][0] > moment * 1_000 for name in series_of(chart) if chart[name])


def seen_step(seconds: Sequence[float]) -> int | None:
    """The granularity that stored points show, in seconds; None for fewer than two."""
    if len(seconds) < 2:
        return None
    gap = median(later - earlier for earlier, later in pairwise(seconds))
    return next((step for bound, step in _GAPS if gap < bound), DAY_S)


def _is_series(points: list[Any]) -> bool:
    """Whether these are points, each with a moment that calendars have, none before the one ahead of it."""
    return all(
        isinstance(point, list) and point and type(point[0]) in (int, float) and 0 <= point[0] <= _LAST_MS
        for point in points
    ) and all(earlier[0] <= later[0] for earlier, later in pairwise(points))
