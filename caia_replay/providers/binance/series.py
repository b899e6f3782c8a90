"""Which stretch of a series a recorded window holds, a window's answer out of several, longer candles out of shorter.

The vendor cuts a window that holds more rows than the limit: with a start it keeps the first of them, without one the
last. So a reply that reached its limit tells of the time from its start to its last row, or from its first row to its
end, and a shorter one of its whole window, up to the moment it was made. All times in milliseconds since 1970, UTC;
stretches are half open.

Candles are added up in exact decimals, where every opening of the longer grid is one of the shorter. A candle in which
nobody traded carries the price before it over. Whether a longer one that begins with it opens there, or at its first
trade, the vendor does not say: it is put together only where both come to the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import groupby
from typing import Any, Final

from caia_replay.core.provider import HttpReply
from caia_replay.errors import Miss
from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.endpoint import Endpoint, utc

EVER: Final = 1 << 62
DIGITS: Final = 13
"""A moment in milliseconds has no more. The vendor's spot market reads a longer one as microseconds, and from how many
digits on it does so is not documented."""
TOO_LATE_MS: Final = 10**DIGITS
WINDOW: Final = ("startTime", "endTime", "limit")


@dataclass(frozen=True, slots=True)
class Window:
    """What a request asks for; ``end`` is included. ``limit`` is as asked, or the default."""

    start: int | None
    end: int | None
    limit: int

    def top(self, now_ms: int) -> int:
        """The first moment that is asked for no more."""
        return min(now_ms, EVER if self.end is None else self.end) + 1


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of a series of which everything is known: all its rows from ``low`` up to ``high``, by their times.

    ``rows`` is ascending, and may hold more than the piece.
    """

    low: int
    high: int
    rows: Mapping[int, Any]
    reply: HttpReply


def number_of(text: str) -> int | None:
    """A plain number of at most ``DIGITS`` digits; None for everything else."""
    return int(text) if len(text) <= DIGITS and text.isascii() and text.isdigit() else None


def window_of(asked: Endpoint, default: int) -> Window | None:
    """A request's window; None when a part of it is no plain number of milliseconds, or it ends before it starts."""
    given = {name: number_of(asked.parameters[name]) for name in WINDOW if name in asked.parameters}
    if None in given.values():
        return None
    start, end, limit = (given.get(name) for name in WINDOW)
    if limit == 0 or (start is not None and end is not None and start > end):
        return None
    return Window(start, end, default if limit is None else limit)


def fits(window: Window, times: Sequence[int], made_ms: int | None) -> bool:
    """Whether rows can be what was said to a window at a moment: none lies outside it, or is later than the moment.

    Rows in microseconds do, which the vendor sends to those who ask for them in a header. A ``Date`` drops the fraction
    of its second.
    """
    if not times:
        return True
    last = TOO_LATE_MS - 1 if made_ms is None else made_ms + 999
    return (window.start or 0) <= times[0] and times[-1] <= min(last, EVER if window.end is None else window.end)


def held(
    window: Window, times: Sequence[int], made_ms: int | None, most: int, lowest: int = 0, sure: bool = True
) -> tuple[int, int]:
    """The stretch of time a reply tells everything of. ``times`` are its rows', ascending; ``most`` is the vendor's
    largest limit, which counts for a larger one.

    ``lowest`` is where the series began for the vendor at that moment; a reply that does not say when it was made
    holds nothing from its last row on. Where it is not ``sure`` which end the vendor keeps of a window
    with a start, a full reply tells of the time between its rows alone.
    """
    known = (times[-1] if times else 0) if made_ms is None else made_ms + 1
    high = min(known, EVER if window.end is None else window.end + 1)
    full = len(times) >= min(window.limit, most)
    if not full:
        return max(lowest, window.start or 0), high
    keeps_first = window.start is not None
    low = times[0] if not keeps_first or not sure else window.start or 0
    return low, min(high, times[-1] + 1) if keeps_first else high


def joined(
    pieces: Iterable[Stretch], what: str, low: int = -EVER, high: int = EVER
) -> tuple[list[tuple[int, int]], dict[int, Any]]:
    """Stretches that touch made one, and all their rows, ascending; of what lies from ``low`` up to ``high`` alone.
    Raises ``Miss`` where two contradict each other there.
    """
    spans: list[tuple[int, int]] = []
    rows: dict[int, Any] = {}
    times: list[int] = []
    cut = [(max(piece.low, low), min(piece.high, high), piece) for piece in pieces]
    for first, last, piece in sorted((one for one in cut if one[0] < one[1]), key=lambda one: one[:2]):
        # Pieces come by their beginnings: what others told of this one is all in the last span, and not after its end.
        value = min(max(first, spans[-1][1]), last) if spans else first
        own = _between(list(piece.rows), first, last)
        new = bisect_left(own, value)
        _agree(rows, _between(times, first, value), piece.rows, own[:new], what)
        rows.update((time, piece.rows[time]) for time in own[new:])
        times += own[new:]
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], last))
        else:
            spans.append((first, last))
    return spans, rows


def sliced(spans: Iterable[tuple[int, int]], rows: Mapping[int, Any], reply: HttpReply) -> list[Stretch]:
    """The stretches of some spans, each with its own rows alone; ``rows`` is ascending."""
    times = list(rows)
    return [Stretch(low, high, {time: rows[time] for time in _between(times, low, high)}, reply) for low, high in spans]


def picked(
    window: Window, top: int, spans: Sequence[tuple[int, int]], rows: Mapping[int, Any], *,
    limit: int, lowest: int, what: str, sure: bool = True,
) -> list[Any]:  # fmt: skip
    """The rows of a window, none at ``top`` or after it. Raises ``Miss``, naming what is held, when they are not."""
    bottom, times = max(lowest, window.start or 0), list(rows)
    if bottom >= top:
        return []
    if window.start is not None and sure:
        reach = next((high for low, high in spans if low <= bottom < high), bottom)
        found = [rows[time] for time in _between(times, bottom, min(reach, top))[:limit]]
        if reach >= top or len(found) == limit:
            return found
    else:
        reach = next((low for low, high in spans if low < top <= high), top)
        found = [rows[time] for time in _between(times, max(reach, bottom), top)]
        whole = reach <= bottom
        if window.start is None and (whole or len(found) >= limit):
            return found[-limit:]
        if window.start is not None and whole and len(found) <= limit:
            return found
    pieces = "; ".join(f"{utc(low // 1000)} to {utc(high // 1000)}" for low, high in spans[:6])
    raise Miss("http", what, f"held without a gap: {pieces or 'nothing'}")


def _agree(rows: Mapping[int, Any], known: list[int], others: Mapping[int, Any], items: list[int], what: str) -> None:
    """Raise ``Miss`` unless two tell the same rows of one stretch of time."""
    if known == items and all(rows[time] == others[time] for time in items):
        return
    both = set(known) & set(items)
    fault = min((set(known) | set(items)) - {time for time in both if rows[time] == others[time]})
    raise Miss("http", what, f"two recordings contradict each other at {utc(fault // 1000)}")


def _between(times: Sequence[int], low: int, high: int) -> list[int]:
    """Those of some ascending moments that lie from ``low`` up to ``high``."""
    return list(times[bisect_left(times, low) : bisect_left(times, high)])


_EXACT: Final = Context(prec=200)
_FIELDS: Final = 12
_PRICES: Final = (1, 2, 3, 4)
_SUMS: Final = (5, 7, 9, 10)
"""Volume, quote volume, and both of the takers who bought; field 8 counts trades."""
_TRADES: Final = 8
_DECIMAL: Final = re.compile(r"\d{1,60}(\.\d{1,60})?", re.ASCII)
"""Sums of as many as there can be stay within the digits of ``_EXACT``."""


def made_up(
    grid: Interval, spans: Iterable[tuple[int, int]], rows: Mapping[int, Any], now_ms: int, reply: HttpReply
) -> list[Stretch]:
    """Longer candles of ``grid`` out of shorter rows, ascending, of which spans are held without a gap.

    A longer candle that cannot be told is a gap between two stretches.
    """
    found, times = [], list(rows)
    for low, high in spans:
        # What is open now is over, for a longer candle, as far as it goes at this moment.
        last = grid.ceil(high) if high > now_ms else grid.floor(high)
        begin, made = grid.ceil(low), dict[int, Any]()
        inside = times[bisect_left(times, begin) : bisect_left(times, min(last, high))]
        for opening, group in groupby(inside, key=grid.floor):
            row = _sum([rows[time] for time in group], opening, grid.next(opening) - 1)
            if row is None:
                found.append(Stretch(begin, opening, made, reply))
                begin, made = grid.next(opening), {}
            else:
                made[opening] = row
        found.append(Stretch(begin, last, made, reply))
    return [piece for piece in found if piece.low < piece.high]


def without(piece: Stretch, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a stretch that no span holds; the spans are ascending and apart."""
    left, at = [], piece.low
    for low, high in spans[bisect_left(spans, piece.low, key=lambda span: span[1]) :]:
        if low >= piece.high:
            break
        if low > at:
            left.append((at, low))
        at = max(at, high)
    left.append((at, piece.high))
    return [(low, high) for low, high in left if low < high]


def _is_candle(row: Any) -> bool:
    """Whether a row is a candle that can be added up: the vendor's twelve fields, the last one unused."""
    if not isinstance(row, list) or len(row) != _FIELDS or row[11] != "0" or type(row[_TRADES]) is not int:
        return False
    return all(isinstance(row[field], str) and _DECIMAL.fullmatch(row[field]) for field in (*_PRICES, *_SUMS))


def _sum(parts: Sequence[Any], opening: int, closing: int) -> list[Any] | None:
    """Candles in a row as one; texts are kept as the vendor wrote them, sums have the most digits of their parts.

    None for rows that are no candles, and where those without trades decide what its prices are.
    """
    if not all(_is_candle(part) for part in parts):
        return None
    prices, traded = _prices(parts), [part for part in parts if part[_TRADES]]
    if [*map(Decimal, prices)] != [*map(Decimal, _prices(traded))] if traded else len(set(map(Decimal, prices))) > 1:
        return None
    made: list[Any] = [opening, *prices, "", closing, "", sum(part[_TRADES] for part in parts), "", "", "0"]
    for field in _SUMS:
        total = Decimal(0)
        for part in parts:
            total = _EXACT.add(total, Decimal(part[field]))
        made[field] = f"{total:f}"
    return made


def _prices(parts: Sequence[list[Any]]) -> list[str]:
    """First open, highest high, lowest low, last close."""
    highest, lowest = (max((part[2] for part in parts), key=Decimal), min((part[3] for part in parts), key=Decimal))
    return [parts[0][1], highest, lowest, parts[-1][4]]
