"""Tests for caia_replay.providers.binance_refusal, and what a bad recording does."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance import FUTURES, SPOT, futures, spot
from tests.binance_law import request

HOUR = 3_600_000
NOW = 1_717_200_000
LONG_AGO = NOW - 10**7
ROWS = [[(NOW - 3600 * back) * 1000, "1", "1", "1", "1", "1", 0, "1", 1, "1", "1", "0"] for back in range(9, 0, -1)]
ASKED = request(SPOT, "/api/v3/klines", {"symbol": "AB", "interval": "1h", "startTime": ROWS[0][0], "limit": 3})


def reply(content: Any, at: int = NOW, status: int = 200) -> HttpReply:
    """A recorded reply."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return HttpReply(status, {"date": formatdate(at, usegmt=True), "content-type": f"of/{at}"}, body)


def refusal(code: int, at: int = NOW, status: int = 400) -> HttpReply:
    """The vendor's error."""
    return reply({"code": code, "msg": "words"}, at, status)


@pytest.mark.parametrize("code", [-1000, -1001, -1003, -1006, -1007, -1008, -1015, -1016, -1021])
def test_later_is_no_answer(code: int) -> None:
    """Too busy, too many requests, a clock that is off: not at another moment, and not at this one."""
    for at in (NOW, LONG_AGO):
        with pytest.raises(Miss):
            spot().narrow([Recorded(ASKED, refusal(code, at))], ASKED, NOW)


@pytest.mark.parametrize("code", [-1100, -1102, -1104, -1105, -1120, -1128])
def test_what_is_wrong_with_the_question_is_wrong_at_every_moment(code: int) -> None:
    """It was recorded for the very question."""
    made = Recorded(ASKED, refusal(code, LONG_AGO))
    assert spot().narrow([made], ASKED, NOW) is made.reply


@pytest.mark.parametrize("code", [-4108, -1121, -1122, -1127, -1130, -9999])
def test_what_time_can_change_is_as_of_its_own_moment(code: int) -> None:
    """A symbol that is being delivered, a window that is too old, and every error that nobody here knows."""
    question = request(FUTURES, "/fapi/v1/klines", {"symbol": "AB", "interval": "1h"})
    made = Recorded(question, refusal(code))
    assert futures().narrow([made], question, NOW) is made.reply
    for at in (LONG_AGO, NOW + 10**7):
        with pytest.raises(Miss):
            futures().narrow([Recorded(question, refusal(code, at))], question, NOW)


@pytest.mark.parametrize(("status", "body"), [(403, b"<html>"), (418, b"{}"), (429, b"{}"), (451, b"{}"), (400, b"no")])
def test_refusals_of_the_asker_are_no_answers(status: int, body: bytes) -> None:
    """A ban, a wall, a forbidden country, and a 400 that does not say what is wrong."""
    with pytest.raises(Miss):
        spot().narrow([Recorded(ASKED, reply(body, NOW, status))], ASKED, NOW)


def test_a_symbol_is_gone_where_the_nearest_recording_says_so() -> None:
    """Against rows that others were told at other moments; of one moment, one of both is wrong."""
    other = request(SPOT, "/api/v3/klines", {"symbol": "AB", "interval": "1d"})
    gone, told = Recorded(other, refusal(-1121, NOW - 5)), reply(ROWS[:3], NOW + 60)
    assert spot().narrow([Recorded(ASKED, told), gone], ASKED, NOW) is gone.reply
    assert spot().narrow([Recorded(ASKED, reply(ROWS[:3], NOW)), gone], ASKED, NOW).status == 200
    with pytest.raises(Miss, match="contradict"):
        spot().narrow([Recorded(ASKED, reply(ROWS[:3], NOW + 5)), gone], ASKED, NOW)


@pytest.mark.parametrize("body", [b"<html>maintenance</html>", b'[[1,"2"', b'{"code":-1003,"msg":"x"}', b"\xff"])
def test_a_bad_recording_of_the_very_question_spoils_no_other(body: bytes) -> None:
    """The rows come from the good one, and so do the headers."""
    wide = Recorded(request(SPOT, "/api/v3/klines", {"symbol": "AB", "interval": "1h"}), reply(ROWS, NOW))
    found = spot().narrow([Recorded(ASKED, reply(body, NOW - 1)), wide], ASKED, NOW)
    assert json.loads(found.body) == ROWS[:3] and found.headers["content-type"] == f"of/{NOW}"


def test_a_recording_that_cannot_be_read_at_all_spoils_no_other() -> None:
    """A parameter that is given twice."""
    good, odd = (
        Recorded(ASKED, reply(ROWS[:3])),
        Recorded(HttpRequest("GET", f"{SPOT}/api/v3/klines?a=1&a=2"), reply([])),
    )
    assert spot().narrow([odd, good], ASKED, NOW) is good.reply
    assert not spot().match(HttpRequest("GET", "https://[api.binance.com/api/v3/klines"))


@pytest.mark.parametrize("edge", ["\u00b2", "1" * 5000, "1e5", ""])
def test_a_window_of_no_numbers_is_refused_as_recorded(edge: str) -> None:
    """Its own refusal is handed out, and nothing else is."""
    question = request(SPOT, "/api/v3/klines", {"symbol": "AB", "interval": "1h", "startTime": edge, "endTime": "1"})
    made = Recorded(question, refusal(-1100, LONG_AGO))
    assert spot().narrow([made], question, NOW) is made.reply
    with pytest.raises(Miss):
        spot().narrow([Recorded(question, reply([]))], question, NOW)


def test_payments_outside_their_own_window_or_moment_prove_nothing() -> None:
    """Nor do such in microseconds; a good recording beside them answers."""
    paid = [{"fundingTime": ROWS[0][0] + 3 + 8 * HOUR * step, "fundingRate": "0"} for step in range(2)]
    whole = request(FUTURES, "/fapi/v1/fundingRate", {"symbol": "AB", "startTime": 0, "limit": 9})
    question = request(FUTURES, "/fapi/v1/fundingRate", {"symbol": "AB", "startTime": ROWS[0][0], "limit": 1})
    end = request(FUTURES, "/fapi/v1/fundingRate", {"symbol": "AB", "endTime": ROWS[0][0]})
    micro = [{**one, "fundingTime": one["fundingTime"] * 1000} for one in paid]
    for asked, told in ((end, reply(paid)), (whole, reply(micro)), (whole, reply(paid, NOW - 5 * 3600))):
        with pytest.raises(Miss):
            futures().narrow([Recorded(asked, told)], question, NOW)
        found = futures().narrow([Recorded(asked, told), Recorded(whole, reply(paid))], question, NOW)
        assert json.loads(found.body) == paid[:1]
