"""Tests for caia_replay.providers.binance_sum."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.provider import HttpReply
from caia_replay.providers.binance_interval import Interval
from caia_replay.providers.binance_series import Stretch
from caia_replay.providers.binance_sum import made_up, without

HOUR = 3_600_000
REPLY = HttpReply(200, {}, b"[]")
LONG = Interval("2h")


def candle(opening: int, *prices: str, trades: int = 3, volume: str = "1.5") -> list[Any]:
    """An hour as the vendor writes it."""
    return [opening, *prices, volume, opening + HOUR - 1, "2", trades, "0", "0", "0"]


def made(rows: list[list[Any]], now_ms: int = 10 * HOUR) -> list[Stretch]:
    """What four hours come to."""
    return made_up(LONG, [(0, 4 * HOUR)], {row[0]: row for row in rows}, now_ms, REPLY)


IDLE = candle(0, "100", "100", "100", "100", trades=0, volume="0")
BUSY = candle(HOUR, "110", "112", "109", "111")
REST = [candle(2 * HOUR, "5", "6", "4", "5"), candle(3 * HOUR, "5", "7", "5", "6.5")]


def test_a_price_that_was_carried_over_decides_nothing() -> None:
    """Whether a candle opens there is not known: it is a gap, and its neighbours are told."""
    (later,) = made([IDLE, BUSY, *REST])
    assert (later.low, later.high) == (2 * HOUR, 4 * HOUR)
    assert later.rows[2 * HOUR][1:6] == ["5", "7", "4", "6.5", "3.0"]


@pytest.mark.parametrize(
    ("parts", "prices"),
    [([candle(0, "110", "110", "110", "110", trades=0), BUSY], ["110", "112", "109", "111"]),
     ([candle(0, "99", "101", "98", "100"), candle(HOUR, "100", "100", "100", "100", trades=0)],
      ["99", "101", "98", "100"]),
     ([IDLE, candle(HOUR, "100", "100", "100", "100", trades=0)], ["100", "100", "100", "100"])],
)  # fmt: skip
def test_where_both_readings_come_to_the_same_it_is_told(parts: list[list[Any]], prices: list[str]) -> None:
    """An idle candle at its neighbour's opening, at the end, or nothing but idle ones of one price."""
    assert made([*parts, *REST])[0].rows[0][1:5] == prices


def test_what_is_no_candle_is_a_gap() -> None:
    """A row of another shape, and figures that no sum holds exactly, make their longer candle unknown."""
    for odd in ([HOUR, "1"], candle(HOUR, "1", "1", "1", "1", volume="1" * 61), candle(HOUR, "1", "1", "1", "1e5")):
        assert [(piece.low, piece.high) for piece in made([candle(0, "1", "1", "1", "1"), odd, *REST])] == [
            (2 * HOUR, 4 * HOUR)
        ]


def test_a_candle_that_is_not_over_goes_as_far_as_it_is_known() -> None:
    """Up to now when what is open now is held; else it ends before it."""
    hours = [candle(0, "1", "1", "1", "1"), BUSY, REST[0]]
    (open_now,) = made_up(LONG, [(0, 3 * HOUR)], {row[0]: row for row in hours}, 3 * HOUR - 5, REPLY)
    assert open_now.high == 4 * HOUR and open_now.rows[2 * HOUR][1:5] == ["5", "6", "4", "5"]
    (over,) = made_up(LONG, [(0, 3 * HOUR)], {row[0]: row for row in hours}, 3 * HOUR, REPLY)
    assert over.high == 2 * HOUR and list(over.rows) == [0]


def test_what_is_held_already_is_cut_out() -> None:
    """The rest stays, in its order."""
    piece = Stretch(0, 10, {}, REPLY)
    assert without(piece, [(-5, 1), (3, 4), (8, 20), (30, 40)]) == [(1, 3), (4, 8)]
    assert without(piece, []) == [(0, 10)] and without(piece, [(0, 10)]) == []
