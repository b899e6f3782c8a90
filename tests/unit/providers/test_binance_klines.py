"""Binance's candles and windows: rows held without a gap, added up, and what proves nothing."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance.interval import Interval
from caia_replay.providers.binance.klines import GridKind, rows_of, tapes_of
from caia_replay.providers.binance.provider import FUTURES, SPOT, futures, spot
from caia_replay.providers.binance.series import (
    Stretch,
    Window,
    fits,
    held,
    joined,
    made_up,
    number_of,
    picked,
    window_of,
    without,
)
from caia_replay.providers.endpoint import Endpoint, endpoint_of
from tests.binance_law import request

HOUR = 3_600_000
MIDNIGHT = 1_717_200_000_000
END_S = MIDNIGHT // 1000 + 40 * 86_400
KLINES = GridKind("interval", 500, 1000, adds_up=True)


def row(opening: int, length: int = HOUR, **fields: Any) -> list[Any]:
    """A candle as a stranger's recording has it."""
    made = [opening, "1.50", "2.0", "1.0", "1.75", "10.123", opening + length - 1, "15.1", 7, "5", "7.5", "0"]
    for place, value in fields.items():
        made[int(place.removeprefix("at"))] = value
    return made


def tape(rows: list[list[Any]], made_s: int | None = END_S, **asked: Any) -> Recorded:
    """A recording of a window."""
    question = request("https://api.binance.com", "/api/v3/klines", {"symbol": "AB", "interval": "1h", **asked})
    headers = {} if made_s is None else {"date": formatdate(made_s, usegmt=True)}
    return Recorded(question, HttpReply(200, headers, json.dumps(rows).encode()))


def told(recorded: list[Recorded], now_s: int = END_S, **asked: Any) -> list[Any]:
    """The rows of a question out of recordings."""
    pairs = [(made, endpoint_of(made.request)) for made in recorded]
    question = endpoint_of(tape([], **asked).request)
    return rows_of(KLINES, tapes_of(KLINES, pairs, now_s), question, now_s)


HOURS = [row(MIDNIGHT + hour * HOUR) for hour in range(48)]


def test_longer_candles_are_added_up_exactly() -> None:
    """First open, highest high, exact sums with the vendor's digits; one shorter one missing, or odd, is a miss."""
    hours = [row(MIDNIGHT + hour * HOUR, at5="0.1", at2=f"{hour}.0") for hour in range(24)]
    hours[5][3], hours[23][4], hours[3][5] = "0.00000001", "9.9", "0.00000000000000000000000000001"
    day = told([tape(hours, startTime=MIDNIGHT, limit=24)], interval="1d", startTime=MIDNIGHT, limit=1)
    assert day == [[MIDNIGHT, "1.50", "23.0", "0.00000001", "9.9", "2.30000000000000000000000000001",
                    MIDNIGHT + 24 * HOUR - 1, "362.4", 168, "120", "180.0", "0"]]  # fmt: skip
    with pytest.raises(Miss, match=r"interval 1h is recorded too|held without a gap"):
        told([tape(HOURS[:23], startTime=MIDNIGHT, limit=23)], interval="1d", startTime=MIDNIGHT, limit=1)
    with pytest.raises(Miss):  # a field that the vendor does not use elsewhere cannot be added up
        odd = [row(MIDNIGHT + hour * HOUR, at11="5") for hour in range(24)]
        told([tape(odd, startTime=MIDNIGHT, limit=24)], interval="1d", startTime=MIDNIGHT, limit=1)


def test_the_open_candle_is_as_of_now() -> None:
    """Only a recording made now has it; one without a date says nothing of its last row; other keys of a row stay."""
    now = MIDNIGHT // 1000 + 10 * 3600 + 1800
    partial = row(MIDNIGHT + 10 * HOUR, at5="1")
    made = tape([*HOURS[:10], partial], made_s=now, startTime=MIDNIGHT, limit=100)
    assert told([made], now, startTime=MIDNIGHT, limit=100) == [*HOURS[:10], partial]
    assert told([made], END_S, startTime=MIDNIGHT, limit=10) == HOURS[:10]
    for recorded, asked in (([made], END_S), ([tape(HOURS, startTime=MIDNIGHT, limit=100)], now)):
        with pytest.raises(Miss):
            told(recorded, asked, startTime=MIDNIGHT, limit=11)
    assert told([tape(HOURS, startTime=MIDNIGHT, limit=100)], now, startTime=MIDNIGHT, limit=10) == HOURS[:10]
    made = tape(HOURS[:10], made_s=None, startTime=MIDNIGHT, limit=10)
    assert told([made], startTime=MIDNIGHT, limit=9) == HOURS[:9]
    with pytest.raises(Miss):
        told([made], startTime=MIDNIGHT, limit=10)
    longer = [[*row(MIDNIGHT), "new"], [*row(MIDNIGHT + HOUR), {"a": 1}]]
    assert told([tape(longer, startTime=MIDNIGHT, limit=2)], startTime=MIDNIGHT, limit=1) == longer[:1]


@pytest.mark.parametrize("body", [b"{}", b"[[1]]", b"[5]", b'[["x"]]', b"no", b'[[1717200000001,"1"]]'])
def test_replies_of_another_shape_say_nothing(body: bytes) -> None:
    """A reply that is no list of rows on its grid is left out, and the question is a miss."""
    made = Recorded(tape([], limit=5).request, HttpReply(200, {"date": formatdate(END_S, usegmt=True)}, body))
    for asked in ({"limit": 5}, {"startTime": MIDNIGHT, "limit": 5}):
        with pytest.raises(Miss):
            told([made], **asked)
        with pytest.raises(Miss):
            spot().narrow([made], tape([], **asked).request, END_S)


@pytest.mark.parametrize("wrong", ["before", "after", "later", "microseconds"])
def test_a_recording_that_cannot_be_what_was_said_proves_nothing(wrong: str) -> None:
    """Rows outside its own window, after its own moment, or in another unit: no empty answer follows, and no crash."""
    asked = {"startTime": MIDNIGHT, "endTime": MIDNIGHT + 23 * HOUR}
    rows, made_s = {
        "before": (HOURS[:3], END_S), "after": (HOURS, END_S), "later": (HOURS[:24], MIDNIGHT // 1000 + 3600),
        "microseconds": ([[one[0] * 1000, *one[1:]] for one in HOURS[:24]], END_S),
    }[wrong]  # fmt: skip
    asked |= {"startTime": MIDNIGHT + HOUR} if wrong == "before" else {}
    for made in (made_s, None) if wrong != "later" else (made_s,):
        with pytest.raises(Miss):
            told([tape(rows, made, **asked)], **asked)
        good = tape(HOURS, startTime=MIDNIGHT, limit=100)
        assert told([good, tape(rows, made, **asked)], startTime=MIDNIGHT, limit=2) == HOURS[:2]


def test_moments_beyond_all_calendars_crash_nothing() -> None:
    """A row's, or a recording's own: it says nothing."""
    for rows, date in (([row(10**18)], "Sat, 01 Jun 2024 00:00:00 GMT"), ([row(0)], "Fri, 31 Dec 9999 23:59:59 GMT"),
                       ([row(0)], "Mon, 01 Jan 0001 00:00:00 GMT")):  # fmt: skip
        question = tape([], interval="1M", limit=1).request
        made = Recorded(question, HttpReply(200, {"date": date}, json.dumps(rows).encode()))
        with pytest.raises(Miss):
            spot().narrow([made], question, END_S)


@pytest.mark.parametrize(
    ("path", "asked"),
    [("/fapi/v1/klines", {"interval": "4h", "timeZone": "2", "startTime": MIDNIGHT, "limit": 1}),
     ("/fapi/v1/klines", {"interval": "1s", "startTime": END_S * 1000 + 9}),
     ("/futures/data/openInterestHist", {"period": "1w", "startTime": END_S * 1000 + 9}),
     ("/api/v3/klines", {"interval": "4h", "timeZone": "\u0668", "limit": 1}),
     ("/api/v3/klines", {"interval": "1s", "startTime": END_S * 1000 + 9}),
     ("/api/v3/klines", {"interval": "1h", "startTime": MIDNIGHT * 1000, "limit": 5}),
     ("/api/v3/klines", {"interval": "1h", "endTime": MIDNIGHT * 1000, "limit": 5})],
)  # fmt: skip
def test_what_the_vendor_refuses_or_reads_otherwise_is_a_miss(path: str, asked: dict[str, Any]) -> None:
    """Zones and intervals an endpoint does not know, and microseconds; never an empty list."""
    provider, host = (spot(), SPOT) if path.startswith("/api") else (futures(), FUTURES)
    word = "period" if "data" in path else "interval"
    rows: list[Any] = [{"timestamp": one[0]} for one in HOURS[-3:]] if word == "period" else HOURS
    made = request(host, path, {"symbol": "AB", word: "1h", "limit": 900})
    recording = Recorded(made, HttpReply(200, {"date": formatdate(END_S, usegmt=True)}, json.dumps(rows).encode()))
    with pytest.raises(Miss):
        provider.narrow([recording], request(host, path, {"symbol": "AB", **asked}), END_S)


REPLY = HttpReply(200, {}, b"[]")


@pytest.mark.parametrize(
    ("window", "times", "made", "sure", "wanted"),
    [(Window(10, 99, 5), [20, 30], 1000, True, (10, 100)), (Window(10, None, 2), [20, 30], 1000, True, (10, 31)),
     (Window(None, 99, 2), [20, 30], 1000, True, (20, 100)), (Window(None, None, 5), [20, 30], 1000, True, (0, 1001)),
     (Window(10, 99, 5), [20, 30], 50, True, (10, 51)), (Window(10, 99, 5), [20, 30], None, True, (10, 30)),
     (Window(10, 99, 2), [20, 30], 1000, False, (20, 31)), (Window(10, 99, 7), [], None, True, (10, 0))],
)  # fmt: skip
def test_what_a_reply_tells_of(
    window: Window, times: list[int], made: int | None, sure: bool, wanted: tuple[int, int]
) -> None:
    """A full reply to its last row or from its first; a short one its window, up to the moment it was made."""
    assert held(window, times, made, 1000, 0, sure) == wanted


def test_stretches_that_touch_are_one_and_contradictions_are_a_miss() -> None:
    """Overlapping recordings must agree; a limit above the vendor's is its own; what is held already is cut out."""
    assert held(Window(10, None, 5000), [20, 30], 1000, 2) == (10, 31)
    pieces = [Stretch(0, 10, {3: "a"}, REPLY), Stretch(10, 20, {12: "b"}, REPLY), Stretch(30, 40, {}, REPLY)]
    assert joined(pieces, "rows") == ([(0, 20), (30, 40)], {3: "a", 12: "b"})
    for other in ({12: "c"}, {}, {12: "b", 13: "d"}):
        with pytest.raises(Miss, match="contradict"):
            joined([*pieces, Stretch(11, 15, other, REPLY)], "rows")
    piece = Stretch(0, 10, {}, REPLY)
    assert without(piece, [(-5, 1), (3, 4), (8, 20), (30, 40)]) == [(1, 3), (4, 8)]
    assert without(piece, []) == [(0, 10)] and without(piece, [(0, 10)]) == []


def test_a_window_is_answered_from_one_unbroken_stretch() -> None:
    """The first rows with a start, the last without; a gap is a miss unless the limit is reached before it."""
    spans, rows = [(0, 20), (30, 40)], {3: "a", 12: "b", 33: "c"}

    def pick(window: Window, sure: bool = True) -> list[str]:
        return picked(window, window.top(39), spans, rows, limit=window.limit, lowest=0, what="rows", sure=sure)

    assert pick(Window(0, None, 2)) == ["a", "b"] and pick(Window(4, 19, 9)) == ["b"]
    assert pick(Window(None, None, 1)) == ["c"] and pick(Window(None, 19, 9)) == ["a", "b"]
    assert pick(Window(50, None, 5)) == [] and pick(Window(0, 19, 2), False) == ["a", "b"]
    for window, sure in ((Window(0, None, 3), True), (Window(None, None, 2), True), (Window(0, 19, 1), False)):
        with pytest.raises(Miss, match="held without a gap: 1970-01-01"):
            pick(window, sure)


def test_windows_are_plain_numbers() -> None:
    """Of thirteen digits at most, in order; rows outside the window, or of after the moment, do not fit."""
    for wrong in ({"limit": "0"}, {"limit": "x"}, {"startTime": "-5"}, {"startTime": "9", "endTime": "8"}):
        assert window_of(Endpoint("", "", wrong), 500) is None
    assert window_of(Endpoint("", "", {"endTime": "8"}), 500) == Window(None, 8, 500)
    for name in ("startTime", "endTime", "limit"):
        assert window_of(Endpoint("", "", {name: "1700006400000000"}), 500) is None
    assert window_of(Endpoint("", "", {"startTime": "9999999999999"}), 500) == Window(9_999_999_999_999, None, 500)
    assert [number_of(text) for text in ("7", "\u00b2", "\u0668", "-1", "", "1" * 5000)] == [7] + [None] * 5
    assert (
        fits(Window(10, 20, 5), [10, 20], 20) and fits(Window(10, 20, 5), [], 0) and fits(Window(0, None, 5), [999], 0)
    )
    for window, times, made in (
        (Window(10, 20, 5), [9, 15], 50), (Window(10, 20, 5), [15, 21], 50), (Window(None, None, 5), [1_000], 0),
        (Window(None, None, 5), [1_700_006_400_000_000], None),
    ):  # fmt: skip
        assert not fits(window, times, made)


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


def test_what_is_no_candle_is_a_gap() -> None:
    """A carried-over price, a row of another shape and sums that are not exact make the longer candle unknown."""
    (later,) = made([IDLE, BUSY, *REST])
    assert (later.low, later.high) == (2 * HOUR, 4 * HOUR)
    assert later.rows[2 * HOUR][1:6] == ["5", "7", "4", "6.5", "3.0"]
    for odd in ([HOUR, "1"], candle(HOUR, "1", "1", "1", "1", volume="1" * 61), candle(HOUR, "1", "1", "1", "1e5")):
        assert [(piece.low, piece.high) for piece in made([candle(0, "1", "1", "1", "1"), odd, *REST])] == [
            (2 * HOUR, 4 * HOUR)
        ]


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


def test_a_candle_that_is_not_over_goes_as_far_as_it_is_known() -> None:
    """Up to now when what is open now is held; else it ends before it."""
    hours = [candle(0, "1", "1", "1", "1"), BUSY, REST[0]]
    (open_now,) = made_up(LONG, [(0, 3 * HOUR)], {row[0]: row for row in hours}, 3 * HOUR - 5, REPLY)
    assert open_now.high == 4 * HOUR and open_now.rows[2 * HOUR][1:5] == ["5", "6", "4", "5"]
    (over,) = made_up(LONG, [(0, 3 * HOUR)], {row[0]: row for row in hours}, 3 * HOUR, REPLY)
    assert over.high == 2 * HOUR and list(over.rows) == [0]
