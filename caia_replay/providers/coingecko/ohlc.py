"""Candles of the last days, put together of those that were told at other moments.

    GET /coins/{id}/ohlc?vs_currency=usd&days=7      [[closing time in ms, open, high, low, close], ...]

The vendor makes candles of half an hour for a day, of four hours for up to 30 days, and of four days beyond. Where
those of four days begin it does not say: they are handed out as they were recorded. A shorter one is closed for good,
so that whoever asked later was told the same. Which candle of a window comes first is read from recordings: the first
that opens in it, where a recording of the family shows that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.reply import DAY_S, HOUR_S, ParsedReply
from caia_replay.providers.coingecko.request import CoinGeckoRequest, whole
from caia_replay.providers.endpoint import derived, utc

_STEPS: Final = {1: HOUR_S // 2, 7: 4 * HOUR_S, 14: 4 * HOUR_S, 30: 4 * HOUR_S}
"""The windows that are told in candles of a known grid, in days, and the candles' length in seconds."""
_MOST: Final = {HOUR_S // 2: 1, 4 * HOUR_S: 30}
_FIELDS: Final = 5

Rows = dict[int, list[Any]]


@dataclass(frozen=True, slots=True)
class _Piece:
    """All candles from number ``first`` to ``last`` of a grid, by their numbers since 1970."""

    first: int
    last: int
    rows: Rows
    reply: HttpReply
    shows_first: bool
    """Whether it begins with the first candle that opens in its window."""


def widen_candles(asked: CoinGeckoRequest, request: HttpRequest) -> Sequence[HttpRequest]:
    """As many days as have candles of the same length."""
    step = _step(asked)
    return (request,) if step is None else (asked.request(request, days=str(_MOST[step])),)


def narrow_candles(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, now: int) -> HttpReply:
    """Every candle that opened in the window and was closed at ``now``. Raises ``Miss``."""
    step = _step(asked)
    pieces = [] if step is None else [piece for one in replies if (piece := _piece(one, step, now))]
    if step is not None and any(piece.shows_first for piece in pieces):
        first, last = -(-(now - int(asked.parameters["days"]) * DAY_S) // step), now // step - 1
        rows, reach = dict[int, list[Any]](), first - 1
        for piece in sorted(pieces, key=lambda piece: (piece.first, piece.last)):
            if any(rows.get(number, row) != row for number, row in piece.rows.items()):
                raise Miss("http", asked.words(), "recorded candles contradict each other")
            rows |= piece.rows
            if piece.first <= reach + 1:
                reach = max(reach, piece.last)
        found = [rows[number] for number in range(first, last + 1) if number in rows]
        if reach >= last and found:
            return derived(found, pieces[0].reply)
    have = ", ".join(f"{one.question.parameters.get('days')} days at {utc(one.at or 0)}" for one in replies[:4])
    raise Miss("http", asked.words(), f"recorded: {have or 'no candles of it'}", have)


def _step(asked: CoinGeckoRequest) -> int | None:
    return None if "interval" in asked.parameters else _STEPS.get(whole(asked.parameters.get("days", "")) or 0)


def _piece(one: ParsedReply, step: int, now: int) -> _Piece | None:
    """What a reply tells of candles that were closed by ``now``; None where it has none of this length for certain."""
    if one.at is None or _step(one.question) != step or not isinstance(one.content, list):
        return None
    rows = dict(_numbered(one.content, step))
    if len(rows) != len(one.content) or list(rows) != sorted(rows) or not rows or max(rows) >= one.at // step:
        return None
    begins = -(-(one.at - int(one.question.parameters["days"]) * DAY_S) // step)
    known = {number: row for number, row in rows.items() if (number + 1) * step <= now}
    return _Piece(min(rows), min(max(rows), now // step - 1), known, one.found.reply, min(rows) == begins)


def _numbered(rows: Sequence[Any], step: int) -> Iterator[tuple[int, list[Any]]]:
    for row in rows:
        fits = isinstance(row, list) and len(row) == _FIELDS and all(type(value) in (int, float) for value in row)
        if fits and row[0] >= 0 and row[0] % (step * 1_000) == 0:
            yield int(row[0]) // (step * 1_000) - 1, row
