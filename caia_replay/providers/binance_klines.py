"""Rows on a grid of moments: candles, and the venue's hourly statistics. What recorded windows hold of them.

A row is final when the next one begins, at the recording's moment and at the world's: what a recording says of a row
that was still open, or of one that is open now, is as of its own moment. Candles of a shorter interval make up longer
ones, in exact decimals, where every opening of the longer grid is one of the shorter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance_interval import DAY_MS, Interval, interval_of
from caia_replay.providers.binance_series import Stretch, Window, held, joined, picked, window_of
from caia_replay.providers.endpoint import Endpoint, answered_at, is_of_now, utc

KEPT_MS: Final = 30 * DAY_MS
"""How far back the vendor's statistics go."""
_EXACT: Final = Context(prec=200)
_FIELDS: Final = 12
_PRICES: Final = (1, 2, 3, 4)
_SUMS: Final = (5, 7, 9, 10)
"""Volume, quote volume, and both of the takers who bought; field 8 counts trades."""
_DECIMAL: Final = re.compile(r"\d+(\.\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class GridKind:
    """How an endpoint hands out its rows. ``word`` is the parameter that names the grid.

    ``strict`` is whether a limit above ``most`` is an error instead of being cut; ``adds_up`` whether shorter rows make
    longer ones; ``forgets`` whether rows older than ``KEPT_MS`` are gone; ``sure`` whether it is known which end of a
    window is kept that holds more than the limit.
    """

    word: str
    default: int
    most: int
    strict: bool = False
    adds_up: bool = False
    forgets: bool = False
    sure: bool = True

    def grid(self, asked: Endpoint) -> Interval | None:
        """The grid a request names."""
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
        times = sorted(self.rows)
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
    """What can be read of recorded windows; a reply of another shape, or with rows off the grid, says nothing."""
    found = []
    for made, asked in recorded:
        grid, window = kind.grid(asked), window_of(asked, kind.default)
        if grid is None or window is None:
            continue
        rows = _read(made.reply.body, grid)
        if rows is None:
            continue
        at = answered_at(made.reply)
        found.append(Tape(grid, window, rows, None if at is None else at * 1000, is_of_now(made, now), made.reply))
    return found


@lru_cache(maxsize=128)
def _read(body: bytes, grid: Interval) -> Mapping[int, Any] | None:
    """A body's rows by their openings, not to be changed; None for what is no list of rows on this grid.

    Kept for a while: a question is narrowed from the recordings its neighbours were narrowed from.
    """
    try:
        content = strict_json(body)
        rows = {int(row[0] if isinstance(row, list) else row["timestamp"]): row for row in content}
    except (ValueError, KeyError, TypeError, IndexError):
        return None
    if not isinstance(content, list) or len(rows) != len(content) or any(grid.floor(time) != time for time in rows):
        return None
    return rows


def rows_of(kind: GridKind, tapes: Sequence[Tape], asked: Endpoint, now: int) -> list[Any]:
    """The rows of a question at ``now``; raises ``Miss``."""
    grid, window, now_ms = kind.grid(asked), kind.window(asked), now * 1000
    what = f"{asked.words()} at {utc(now)}"
    if grid is None or window is None:
        raise Miss("http", what, "a question that is wrong, or that the vendor refuses: recorded answers only")
    lowest = kind.lowest(now_ms)
    if min(lowest if edge is None else edge for edge in (window.start, window.end)) < lowest:
        raise Miss("http", what, f"the vendor keeps nothing from before {utc(lowest // 1000)}")
    if not _has_begun(kind, tapes, now_ms):
        raise Miss("http", what, "no recording shows that the market was there at that moment")
    own = _stretches(kind, [tape for tape in tapes if tape.grid == grid], now_ms)
    spans, rows = joined(own, what)
    start = None if window.start is None else grid.ceil(min(window.start, now_ms + 1))
    wanted, top = Window(start, window.end, window.limit), grid.ceil(window.top(now_ms))
    pick = partial(picked, wanted, top, limit=window.limit, lowest=grid.ceil(lowest), what=what, sure=kind.sure)
    try:
        return pick(spans, rows)
    except Miss as miss:
        made = _made_up(kind, tapes, grid, now_ms, what) if kind.adds_up and grid.is_sure else []
        if not made:
            others = sorted({tape.grid.name for tape in tapes if tape.grid != grid})
            if not others:
                raise
            raise Miss("http", what, f"{miss.detail.where}; {kind.word} {', '.join(others)} is recorded too") from miss
    kept = {time: row for time, row in rows.items() if any(low <= time < high for low, high in spans)}
    both = [Stretch(low, high, kept, own[0].reply) for low, high in spans]
    for piece in made:
        both += [Stretch(low, high, piece.rows, piece.reply) for low, high in _without(piece, spans)]
    return pick(*joined(both, what))


def _has_begun(kind: GridKind, tapes: Sequence[Tape], now_ms: int) -> bool:
    """Whether the market was there at a moment: some row of it was over then, or a recording of then has an answer."""
    return any(tape.is_of_now or any(tape.grid.next(time) <= now_ms for time in tape.rows) for tape in tapes)


def _stretches(kind: GridKind, tapes: Sequence[Tape], now_ms: int) -> list[Stretch]:
    """What tapes of one grid hold: all that is over, and the open row by whoever was recorded nearest to now."""
    found = [tape.final(kind, now_ms) for tape in tapes]
    opened = [(abs((tape.made_ms or 0) - now_ms), piece) for tape in tapes if (piece := tape.open(kind, now_ms))]
    nearest = min((far for far, _ in opened), default=0)
    return found + [piece for far, piece in opened if far == nearest]


def _made_up(kind: GridKind, tapes: Sequence[Tape], grid: Interval, now_ms: int, what: str) -> list[Stretch]:
    """Longer candles out of shorter ones, from the longest of the shorter grids on."""
    found = []
    shorter = {tape.grid for tape in tapes if tape.grid.longest_ms < grid.longest_ms and tape.grid.is_sure}
    for small in sorted(shorter, key=lambda grid: (-grid.longest_ms, grid.zone_ms)):
        members = [tape for tape in tapes if tape.grid == small]
        spans, rows = joined(_stretches(kind, members, now_ms), what)
        for low, high in spans:
            # What is open now is over, for a longer candle, as far as it goes at this moment.
            last = grid.ceil(high) if high > now_ms else grid.floor(high)
            first = grid.ceil(low)
            inside = sorted((time, row) for time, row in rows.items() if first <= time < min(last, high))
            made = {}
            for opening, group in groupby(inside, key=lambda item: grid.floor(item[0])):
                parts = [row for _, row in group]
                if small.floor(opening) != opening or not all(_is_candle(row) for row in parts):
                    break
                made[opening] = _sum(parts, opening, grid.next(opening) - 1)
            else:
                found.append(Stretch(first, last, made, members[0].reply))
    return found


def _is_candle(row: Any) -> bool:
    """Whether a row is a candle that can be added up: the vendor's twelve fields, the last one unused."""
    if not isinstance(row, list) or len(row) != _FIELDS or row[11] != "0" or type(row[8]) is not int:
        return False
    return all(isinstance(row[field], str) and _DECIMAL.fullmatch(row[field]) for field in (*_PRICES, *_SUMS))


def _sum(parts: Sequence[list[Any]], opening: int, closing: int) -> list[Any]:
    """Candles in a row as one; texts are kept as the vendor wrote them, sums have the most digits of their parts."""
    made: list[Any] = [opening, parts[0][1], max((part[2] for part in parts), key=Decimal),
                       min((part[3] for part in parts), key=Decimal), parts[-1][4], "", closing, "",
                       sum(part[8] for part in parts), "", "", "0"]  # fmt: skip
    for field in _SUMS:
        total = Decimal(0)
        for part in parts:
            total = _EXACT.add(total, Decimal(part[field]))
        made[field] = f"{total:f}"
    return made


def _without(piece: Stretch, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a stretch that no span holds; the spans are ascending and apart."""
    left, at = [], piece.low
    for low, high in spans:
        if low > at:
            left.append((at, min(low, piece.high)))
        at = max(at, high)
    left.append((at, piece.high))
    return [(low, high) for low, high in left if low < high]
