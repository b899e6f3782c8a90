"""Which stretch of a series a recorded window holds, and a window's answer out of several of them.

The vendor cuts a window that holds more rows than the limit: with a start it keeps the first of them, without one the
last. So a reply that reached its limit tells of the time from its start to its last row, or from its first row to its
end, and a shorter one of its whole window, up to the moment it was made. All times in milliseconds since 1970, UTC;
stretches are half open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.provider import HttpReply
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import Endpoint, utc

EVER: Final = 1 << 62
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
    """A piece of a series of which everything is known: all its rows from ``low`` up to ``high``, by their times."""

    low: int
    high: int
    rows: Mapping[int, Any]
    reply: HttpReply


def window_of(asked: Endpoint, default: int) -> Window | None:
    """A request's window; None when a part of it is no plain number, or it ends before it starts."""
    numbers = {}
    for name in WINDOW:
        text = asked.parameters.get(name)
        if text is not None and not (text.isascii() and text.isdigit() and len(text) <= 18):
            return None
        numbers[name] = None if text is None else int(text)
    start, end, limit = (numbers[name] for name in WINDOW)
    if limit == 0 or (start is not None and end is not None and start > end):
        return None
    return Window(start, end, default if limit is None else limit)


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


def joined(pieces: Iterable[Stretch], what: str) -> tuple[list[tuple[int, int]], dict[int, Any]]:
    """Stretches that touch made one, and all their rows. Raises ``Miss`` where two contradict each other."""
    spans: list[tuple[int, int]] = []
    rows: dict[int, Any] = {}
    for piece in sorted(pieces, key=lambda piece: (piece.low, piece.high)):
        if piece.low >= piece.high:
            continue
        for time in _inside(rows, piece.low, piece.high).keys() | _inside(piece.rows, piece.low, piece.high).keys():
            told = any(low <= time < high for low, high in spans)
            if told and (time not in rows or time not in piece.rows or rows[time] != piece.rows[time]):
                raise Miss("http", what, f"two recordings contradict each other at {utc(time // 1000)}")
            rows[time] = piece.rows[time]
        if spans and piece.low <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], piece.high))
        else:
            spans.append((piece.low, piece.high))
    return spans, rows


def picked(
    window: Window, top: int, spans: Sequence[tuple[int, int]], rows: Mapping[int, Any], *,
    limit: int, lowest: int, what: str, sure: bool = True,
) -> list[Any]:  # fmt: skip
    """The rows of a window, none at ``top`` or after it. Raises ``Miss``, naming what is held, when they are not."""
    bottom = max(lowest, window.start or 0)
    if bottom >= top:
        return []
    if window.start is not None and sure:
        reach = next((high for low, high in spans if low <= bottom < high), bottom)
        found = [rows[time] for time in sorted(_inside(rows, bottom, min(reach, top)))][:limit]
        if reach >= top or len(found) == limit:
            return found
    else:
        reach = next((low for low, high in spans if low < top <= high), top)
        found = [rows[time] for time in sorted(_inside(rows, max(reach, bottom), top))]
        whole = reach <= bottom
        if window.start is None and (whole or len(found) >= limit):
            return found[-limit:]
        if window.start is not None and whole and len(found) <= limit:
            return found
    pieces = "; ".join(f"{utc(low // 1000)} to {utc(high // 1000)}" for low, high in spans[:6])
    raise Miss("http", what, f"held without a gap: {pieces or 'nothing'}")


def _inside(rows: Mapping[int, Any], low: int, high: int) -> dict[int, Any]:
    return {time: row for time, row in rows.items() if low <= time < high}
