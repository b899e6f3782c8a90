"""Which whole windows are worth recording for a question about a series: cells of the vendor's longest reply.

Cells are aligned, so that questions about one time share them, and the last one ends now. A question that names its
start is recorded forwards: where the market began later, a cell reaches further, to the first rows there are. One that
names no start is recorded backwards, so that a short reply shows that there is nothing before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from caia_replay.providers.binance.interval import HOUR_MS
from caia_replay.providers.binance.klines import GridKind
from caia_replay.providers.binance.series import WINDOW, Window
from caia_replay.providers.endpoint import Endpoint

_FUNDING_MS: Final = 8 * HOUR_MS
"""How far apart payments are at most."""


def grid_cells(kind: GridKind, asked: Endpoint, now: int) -> Sequence[Mapping[str, str]]:
    """The windows that tell everything about a question on a grid; a question that is wrong is its own."""
    grid, window = kind.grid(asked), kind.window(asked)
    if grid is None or window is None:
        return [asked.parameters]
    return _cells(kind, asked, window, grid.longest_ms, grid.floor(0), now * 1000)


def funding_cells(kind: GridKind, asked: Endpoint, now: int) -> Sequence[Mapping[str, str]]:
    """The windows that tell everything about funding payments; some contracts pay more often than every eight hours."""
    window = kind.window(asked)
    return [asked.parameters] if window is None else _cells(kind, asked, window, _FUNDING_MS, 0, now * 1000)


def _cells(
    kind: GridKind, asked: Endpoint, window: Window, step: int, anchor: int, now_ms: int
) -> Sequence[Mapping[str, str]]:
    lowest, last = max(0, kind.lowest(now_ms)), window.top(now_ms) - 1
    kept, size = asked.without(*WINDOW) | {"limit": str(kind.most)}, step * kind.most
    if window.start is None:
        newest = (last - anchor) // size
        ends = [min(anchor + (number + 1) * size - 1, now_ms) for number in (newest - 1, newest)]
        return [kept | {"endTime": str(end)} for end in ends if end >= lowest] or [asked.parameters]
    if window.start < lowest or window.start > now_ms:
        return [asked.parameters]
    furthest = min(last, window.start + window.limit * step) if kind.sure else last
    found: list[Mapping[str, str]] = []
    for number in range((window.start - anchor) // size, (furthest - anchor) // size + 1):
        start, end = max(anchor + number * size, lowest), anchor + (number + 1) * size - 1
        cell = kept | {"startTime": str(-(-start // step) * step if kind.forgets else start)}
        found.append(cell | {"endTime": str(min(end, now_ms))} if kind.forgets or end >= now_ms else cell)
    # Which end of a longer window the vendor keeps is not known: its own answer alone can tell.
    return [*found, asked.parameters] if not kind.sure and last - window.start >= window.limit * step else found
