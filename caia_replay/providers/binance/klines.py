"""Rows on a grid of moments: candles, and the venue's hourly statistics. What recorded windows hold of them.

A row is final when the next one begins, at the recording's moment and at the world's: what a recording says of a row
that was still open, or of one that is open now, is as of its own moment. Candles of a shorter interval make up longer
ones.

Worth recording are cells of the vendor's longest reply. They are aligned, so that questions about one time share them,
and the last one ends now. A question that names its start is recorded forwards: where the market began later, a cell
reaches further, to the first rows there are. One that names no start is recorded backwards, so that a short reply shows
that there is nothing before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance.interval import DAY_MS, HOUR_MS, STEPS_MS, Interval, interval_of
from caia_replay.providers.binance.series import (
    TOO_LATE_MS,
    WINDOW,
    Stretch,
    Window,
    fits,
    held,
    joined,
    made_up,
    picked,
    sliced,
    window_of,
    without,
)
from caia_replay.providers.endpoint import Endpoint, answered_at, is_of_now, utc

KEPT_MS: Final = 30 * DAY_MS
"""How far back the vendor's statistics go."""


@dataclass(frozen=True, slots=True)
class GridKind:
    """How an endpoint hands out its rows. ``word`` is the parameter that names the grid.

    ``strict`` is whether a limit above ``most`` is an error instead of being cut; ``adds_up`` whether shorter rows make
    longer ones; ``forgets`` whether rows older than ``KEPT_MS`` are gone; ``sure`` whether it is known which end of a
    window is kept that holds more than the limit; ``zones`` whether a grid can be asked for in another time zone than
    UTC; ``words`` are the grids there are.
    """

    word: str
    default: int
    most: int
    strict: bool = False
    adds_up: bool = False
    forgets: bool = False
    sure: bool = True
    zones: bool = False
    words: frozenset[str] = frozenset(STEPS_MS)

    def grid(self, asked: Endpoint) -> Interval | None:
        """The grid a request names; None where it is an error to name it so."""
        if asked.parameters.get(self.word) not in self.words or ("timeZone" in asked.parameters and not self.zones):
            return None
        return interval_of(asked.parameters.get(self.word, ""), asked.parameters.get("timeZone", "0"))

    def window(self, asked: Endpoint) -> Window | None:
        """The window a request asks for, with the limit the vendor goes by; None when it is an error to ask so."""
        window = window_of(asked, self.default)
        if window is None or (self.strict and window.limit > self.most):
            return None
        return Window(window.start, window.end, min(window.limit, self.most))

    def lowest(self, at_ms: int) -> int:
        """Where the series begins for somebody who asks at a moment."""
        return at_ms - KEPT_MS if self.forgets else 0


@dataclass(frozen=True, slots=True)
class Tape:
    """A recorded window of one grid. ``made_ms`` is None for a recording that does not say when it was made."""

    grid: Interval
    window: Window
    rows: Mapping[int, Any]
    made_ms: int | None
    is_of_now: bool
    reply: HttpReply

    def span(self, kind: GridKind) -> tuple[int, int]:
        """The openings it tells everything of, as a half-open stretch between grid points."""
        times = list(self.rows)
        lowest = (times[0] if times else 0) if self.made_ms is None else kind.lowest(self.made_ms)
        low, high = held(self.window, times, self.made_ms, kind.most, max(0, lowest) if kind.forgets else 0, kind.sure)
        return (self.grid.ceil(low), self.grid.ceil(high)) if low < high else (0, 0)

    def final(self, kind: GridKind, now_ms: int) -> Stretch:
        """The part of which every row was over when it was recorded, and is over now."""
        low, high = self.span(kind)
        over = min(now_ms, now_ms if self.made_ms is None else self.made_ms)
        return Stretch(low, min(high, self.grid.floor(over)), self.rows, self.reply)

    def open(self, kind: GridKind, now_ms: int) -> Stretch | None:
        """The row that is open now, as a recording made now has it (or has none)."""
        opening = self.grid.floor(now_ms)
        if not self.is_of_now or self.made_ms is None or self.grid.floor(self.made_ms) != opening:
            return None
        low, high = self.span(kind)
        return Stretch(opening, self.grid.next(opening), self.rows, self.reply) if low <= opening < high else None


def tapes_of(kind: GridKind, recorded: Iterable[tuple[Recorded, Endpoint]], now: int) -> list[Tape]:
    """What can be read of recorded windows. A reply of another shape says nothing, nor does one with rows that lie off
    the grid, outside its own window, or after its own moment.
    """
    found = []
    for made, asked in recorded:
        grid, window = kind.grid(asked), window_of(asked, kind.default)
        if grid is None or window is None:
            continue
        rows, at = _read(made.reply.body, grid), answered_at(made.reply)
        made_ms = None if at is None else at * 1000
        if rows is None or not 0 <= (made_ms or 0) < TOO_LATE_MS or not fits(window, list(rows), made_ms):
            continue
        found.append(Tape(grid, window, rows, made_ms, is_of_now(made, now), made.reply))
    return found


@lru_cache(maxsize=256)
def _read(body: bytes, grid: Interval) -> Mapping[int, Any] | None:
    """A body's rows by their openings, ascending and not to be changed; None for what is no list of rows on this grid.

    Kept for a while: a question is narrowed from the recordings its neighbours were narrowed from.
    """
    try:
        content = strict_json(body)
        rows = {int(row[0] if isinstance(row, list) else row["timestamp"]): row for row in content}
    except (ValueError, KeyError, TypeError, IndexError, OverflowError):
        return None
    if not isinstance(content, list) or len(rows) != len(content):
        return None
    if not all(0 <= time < TOO_LATE_MS and grid.floor(time) == time for time in rows):
        return None
    return dict(sorted(rows.items()))


def rows_of(kind: GridKind, tapes: Sequence[Tape], asked: Endpoint, now: int) -> list[Any]:
    """The rows of a question at ``now``; raises ``Miss``."""
    grid, window, now_ms = kind.grid(asked), kind.window(asked), now * 1000
    what = f"{asked.words()} at {utc(now)}"
    if grid is None or window is None:
        raise Miss("http", what, "a question that is wrong, or that the vendor refuses: recorded answers only")
    lowest = kind.lowest(now_ms)
    if min(lowest if edge is None else edge for edge in (window.start, window.end)) < lowest:
        raise Miss("http", what, f"the vendor keeps nothing from before {utc(lowest // 1000)}")
    if not _has_begun(tapes, now_ms):
        raise Miss("http", what, "no recording shows that the market was there at that moment")
    if grid.name == "1s" and not any(tape.grid == grid for tape in tapes):
        raise Miss("http", what, "nothing shows that the market has candles of a second")
    start = None if window.start is None else grid.ceil(min(window.start, now_ms + 1))
    wanted, top = Window(start, window.end, window.limit), grid.ceil(window.top(now_ms))
    pick = partial(picked, wanted, top, limit=window.limit, lowest=grid.ceil(lowest), what=what, sure=kind.sure)
    stretches = _stretches(kind, tapes, grid, now_ms)
    whole = (max(grid.ceil(lowest), start or 0), top)
    bounds = [_near(grid, window.limit, *whole, forwards=start is not None), whole] if kind.sure else [whole]
    for low, high in dict.fromkeys(bounds):
        try:
            return _found(kind, stretches, grid, now_ms, what, low, high, pick)
        except Miss as miss:
            fault = miss
    raise fault


def _near(grid: Interval, limit: int, low: int, high: int, *, forwards: bool) -> tuple[int, int]:
    """The part of a window that holds its answer when no row is missing: most questions need not look further."""
    reach = limit * grid.longest_ms
    return (low, min(high, grid.ceil(low + reach))) if forwards else (max(low, grid.floor(high - reach)), high)


def _found(
    kind: GridKind, stretches: Mapping[Interval, Sequence[Stretch]], grid: Interval, now_ms: int, what: str, low: int,
    high: int, pick: Callable[[list[tuple[int, int]], Mapping[int, Any]], list[Any]],
) -> list[Any]:  # fmt: skip
    """The rows of a question out of what is held from ``low`` up to ``high``, by adding up if it must be."""
    own = stretches.get(grid, ())
    spans, rows = joined(own, what, low, high)
    try:
        return pick(spans, rows)
    except Miss as miss:
        others = sorted({other.name for other in stretches if other != grid})
        if not others:
            raise
        fault = Miss("http", what, f"{miss.detail.where}; {kind.word} {', '.join(others)} is recorded too")
    both = sliced(spans, rows, own[0].reply) if own else []
    # The longest of the shorter ones first.
    for small in sorted(stretches, key=lambda small: (-small.longest_ms, small.zone_ms)):
        if kind.adds_up and grid.is_made_of(small):
            pieces = stretches[small]
            for piece in made_up(grid, *joined(pieces, what, low, high), now_ms, pieces[0].reply):
                both += sliced(without(piece, spans), piece.rows, piece.reply)
    try:
        return pick(*joined(both, what))
    except Miss as miss:
        raise (miss if len(both) > len(spans) else fault) from None


def _has_begun(tapes: Sequence[Tape], now_ms: int) -> bool:
    """Whether the market was there at a moment: some row of it was over then, or a recording of then has an answer."""
    return any(tape.is_of_now or any(tape.grid.next(time) <= now_ms for time in islice(tape.rows, 1)) for tape in tapes)


def _stretches(
    kind: GridKind, tapes: Sequence[Tape], asked: Interval, now_ms: int
) -> Mapping[Interval, Sequence[Stretch]]:
    """What tapes hold, by grid: all that is over, and the open row by whoever was recorded nearest to now."""
    found: dict[Interval, list[Stretch]] = {}
    opened: dict[Interval, list[tuple[int, Stretch]]] = {}
    for tape in tapes:
        found.setdefault(tape.grid, []).append(tape.final(kind, now_ms))
        piece = tape.open(kind, now_ms)
        if piece is not None:
            opened.setdefault(tape.grid, []).append((abs((tape.made_ms or 0) - now_ms), piece))
    for grid, pieces in opened.items():
        nearest = min(far for far, _ in pieces)
        found[grid] += [piece for far, piece in pieces if far == nearest]
    return found


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
