"""Longer candles out of shorter ones, in exact decimals: where every opening of the longer grid is one of the shorter.

A candle in which nobody traded carries the price before it over. Whether a longer one that begins with it opens there,
or at its first trade, the vendor does not say: it is put together only where both come to the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from itertools import groupby
from typing import Any, Final

from caia_replay.core.provider import HttpReply
from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.binance.series import Stretch

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
