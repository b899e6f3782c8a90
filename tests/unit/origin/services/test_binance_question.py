"""Tests for caia_replay.origin.services.binance_question."""

from __future__ import annotations

import pytest

from caia_replay.origin.services.binance_question import Question, Refused, busy, invalid_symbol, not_supported, told
from caia_replay.origin.services.service import Asked
from caia_replay.providers.binance_series import Window


def question(**parameters: str) -> Question:
    """A question with these parameters."""
    return Question(Asked("GET", "/", parameters))


def code(refused: pytest.ExceptionInfo[Refused]) -> int:
    """The vendor's number of an error."""
    answer = refused.value.answer
    assert answer.status == 400 and answer.content["msg"]
    return int(answer.content["code"])


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [({}, -1102), ({"symbol": ""}, -1102), ({"symbol": "abc"}, -1100), ({"symbol": "A" * 21}, -1100)],
)
def test_a_symbol_must_be_sent_and_be_one(parameters: dict[str, str], wanted: int) -> None:
    """Missing, empty and malformed symbols have the vendor's numbers."""
    with pytest.raises(Refused) as refused:
        question(**parameters).symbol()
    assert code(refused) == wanted


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [({"symbol": "A", "symbols": '["B"]'}, -1128), ({"symbols": "A,B"}, -1100), ({"symbols": "[]"}, -1100),
     ({"symbols": '["a"]'}, -1100), ({"symbols": '["A","A"]'}, -1169), ({"symbols": ""}, -1105)],
)  # fmt: skip
def test_several_symbols_are_a_list_without_repeats(parameters: dict[str, str], wanted: int) -> None:
    """One or several, never both."""
    with pytest.raises(Refused) as refused:
        question(**parameters).symbols()
    assert code(refused) == wanted
    assert question(symbols='["A","B"]').symbols() == ["A", "B"] and question().symbols() is None


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({}, -1102),
        ({"interval": "7h"}, -1120),
        ({"interval": "1s"}, -1120),
        ({"interval": "1h", "timeZone": "99"}, -1100),
    ],
)
def test_an_interval_must_be_one_of_the_vendors(parameters: dict[str, str], wanted: int) -> None:
    """Unknown intervals and zones, and those that are refused."""
    with pytest.raises(Refused) as refused:
        question(**parameters).grid("interval", frozenset({"1s"}))
    assert code(refused) == wanted
    assert question(interval="1h", timeZone="-1:30").grid("interval", frozenset()).zone_ms == -5_400_000


def test_a_window_has_plain_numbers_and_a_limit() -> None:
    """A limit above the largest is cut, or refused where the endpoint is strict; none and nought are told apart."""
    assert question(startTime="5", limit="2000").window(500, 1000) == Window(5, None, 1000)
    assert question().window(500, 1000) == Window(None, None, 500)
    for parameters, wanted in (({"startTime": "-1"}, -1100), ({"limit": "x"}, -1100), ({"limit": "0"}, -1130)):
        with pytest.raises(Refused) as refused:
            question(**parameters).window(500, 1000)
        assert code(refused) == wanted
    with pytest.raises(Refused):
        question(limit="1501").window(500, 1500, strict=True)


def test_parameters_nobody_reads_are_an_error_and_the_callers_stamps_are_not() -> None:
    """``timestamp``, ``recvWindow`` and ``signature`` never count."""
    asked = question(symbol="A", timestamp="1", recvWindow="2", signature="SCRUBBED", other="3")
    asked.symbol()
    with pytest.raises(Refused) as refused:
        asked.done()
    assert code(refused) == -1104 and "'1' parameter(s) but was sent '2'" in str(refused.value)


def test_the_venues_other_words() -> None:
    """Unknown symbols, what is not served, being busy, and the weight of an answer."""
    assert invalid_symbol().answer.content == {"code": -1121, "msg": "Invalid symbol."}
    assert not_supported().answer.content["code"] == -1020
    assert busy(6000).status == 429 and busy(6000).headers == {"Retry-After": "1"}
    assert told([], 2).headers == {"X-MBX-USED-WEIGHT-1M": "2"}
