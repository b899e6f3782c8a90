"""Tests for caia_replay.providers.binance_klines."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance import FUTURES, SPOT, futures, spot
from caia_replay.providers.binance_klines import GridKind, rows_of, tapes_of
from caia_replay.providers.endpoint import endpoint_of
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
    """First open, highest high, lowest low, last close, exact sums with the vendor's digits."""
    hours = [row(MIDNIGHT + hour * HOUR, at5="0.1", at2=f"{hour}.0") for hour in range(24)]
    hours[5][3], hours[23][4], hours[3][5] = "0.00000001", "9.9", "0.00000000000000000000000000001"
    day = told([tape(hours, startTime=MIDNIGHT, limit=24)], interval="1d", startTime=MIDNIGHT, limit=1)
    assert day == [[MIDNIGHT, "1.50", "23.0", "0.00000001", "9.9", "2.30000000000000000000000000001",
                    MIDNIGHT + 24 * HOUR - 1, "362.4", 168, "120", "180.0", "0"]]  # fmt: skip


def test_a_longer_candle_needs_every_shorter_one() -> None:
    """One hour short of the day is a miss that names what is recorded."""
    with pytest.raises(Miss, match=r"interval 1h is recorded too|held without a gap"):
        told([tape(HOURS[:23], startTime=MIDNIGHT, limit=23)], interval="1d", startTime=MIDNIGHT, limit=1)
    with pytest.raises(Miss):  # a field that the vendor does not use elsewhere cannot be added up
        odd = [row(MIDNIGHT + hour * HOUR, at11="5") for hour in range(24)]
        told([tape(odd, startTime=MIDNIGHT, limit=24)], interval="1d", startTime=MIDNIGHT, limit=1)


def test_three_day_candles_are_never_put_together() -> None:
    """Where they open is known from recordings alone."""
    days = [row(MIDNIGHT + day * 24 * HOUR, 24 * HOUR) for day in range(30)]
    made = tape(days, interval="1d", startTime=MIDNIGHT, limit=30)
    with pytest.raises(Miss):
        told([made], interval="3d", startTime=MIDNIGHT, limit=1)


def test_several_recordings_are_one_and_must_agree() -> None:
    """Chunks join without a gap; a closed candle that two tell differently is a miss."""
    chunks = [
        tape(HOURS[:20], startTime=MIDNIGHT, limit=20),
        tape(HOURS[15:40], startTime=MIDNIGHT + 15 * HOUR, limit=25),
    ]
    assert told(chunks, startTime=MIDNIGHT, limit=40) == HOURS[:40]
    with pytest.raises(Miss, match="contradict"):
        changed = [row(MIDNIGHT + 16 * HOUR, at4="1.76")]
        told([*chunks, tape(changed, startTime=MIDNIGHT + 16 * HOUR, limit=1)], startTime=MIDNIGHT, limit=40)


def test_the_open_candle_is_as_of_now() -> None:
    """Only a recording made now has it, and it is not final for another moment."""
    now = MIDNIGHT // 1000 + 10 * 3600 + 1800
    partial = row(MIDNIGHT + 10 * HOUR, at5="1")
    made = tape([*HOURS[:10], partial], made_s=now, startTime=MIDNIGHT, limit=100)
    assert told([made], now, startTime=MIDNIGHT, limit=100) == [*HOURS[:10], partial]
    assert told([made], END_S, startTime=MIDNIGHT, limit=10) == HOURS[:10]
    for recorded, asked in (([made], END_S), ([tape(HOURS, startTime=MIDNIGHT, limit=100)], now)):
        with pytest.raises(Miss):
            told(recorded, asked, startTime=MIDNIGHT, limit=11)
    assert told([tape(HOURS, startTime=MIDNIGHT, limit=100)], now, startTime=MIDNIGHT, limit=10) == HOURS[:10]


def test_an_open_day_recorded_hours_ago_is_not_the_open_day() -> None:
    """It has grown since; a quarter of an hour is all that counts as now."""
    made_s = MIDNIGHT // 1000 + 10 * 3600
    made = tape([row(MIDNIGHT, 24 * HOUR)], made_s=made_s, interval="1d", startTime=MIDNIGHT, limit=9)
    assert told([made], made_s + 600, interval="1d", startTime=MIDNIGHT, limit=9) == [row(MIDNIGHT, 24 * HOUR)]
    earlier = tape([row(MIDNIGHT - 24 * HOUR, 24 * HOUR)], interval="1d", startTime=MIDNIGHT - 24 * HOUR, limit=1)
    with pytest.raises(Miss, match="held without a gap"):
        told([made, earlier], made_s + 3 * 3600, interval="1d", startTime=MIDNIGHT, limit=9)


def test_a_recording_without_a_date_says_nothing_of_its_last_row() -> None:
    """It may have been open when it was recorded."""
    made = tape(HOURS[:10], made_s=None, startTime=MIDNIGHT, limit=10)
    assert told([made], startTime=MIDNIGHT, limit=9) == HOURS[:9]
    with pytest.raises(Miss):
        told([made], startTime=MIDNIGHT, limit=10)


@pytest.mark.parametrize("body", [b"{}", b"[[1]]", b"[5]", b'[["x"]]', b"no", b'[[1717200000001,"1"]]'])
def test_replies_of_another_shape_say_nothing(body: bytes) -> None:
    """A reply that is no list of rows on its grid is left out, and the question is a miss."""
    made = Recorded(tape([], limit=5).request, HttpReply(200, {"date": formatdate(END_S, usegmt=True)}, body))
    for asked in ({"limit": 5}, {"startTime": MIDNIGHT, "limit": 5}):
        with pytest.raises(Miss):
            told([made], **asked)
        with pytest.raises(Miss):
            spot().narrow([made], tape([], **asked).request, END_S)


def test_keys_nobody_here_knows_survive() -> None:
    """A row is handed out as it was recorded, whatever more is in it."""
    longer = [[*row(MIDNIGHT), "new"], [*row(MIDNIGHT + HOUR), {"a": 1}]]
    assert told([tape(longer, startTime=MIDNIGHT, limit=2)], startTime=MIDNIGHT, limit=1) == longer[:1]


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


def test_a_contradiction_elsewhere_spoils_nothing() -> None:
    """What is asked is looked at alone."""
    changed = tape([row(MIDNIGHT + 16 * HOUR, at4="1.76")], startTime=MIDNIGHT + 16 * HOUR, limit=1)
    assert told([tape(HOURS, startTime=MIDNIGHT, limit=48), changed], startTime=MIDNIGHT, limit=5) == HOURS[:5]


def test_candles_that_reach_over_a_longer_ones_end_do_not_make_it_up() -> None:
    """Two of eight hours are no twelve."""
    eight = [row(MIDNIGHT + part * 8 * HOUR, 8 * HOUR) for part in range(2)]
    made = tape(eight, interval="8h", startTime=MIDNIGHT, limit=2)
    with pytest.raises(Miss):
        told([made], interval="12h", startTime=MIDNIGHT, limit=1)
