"""Binance's replies of now, refusals, and what of a later list of markets is told."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance.now import wanted_symbols
from caia_replay.providers.binance.provider import FUTURES, SPOT, futures, spot
from caia_replay.providers.endpoint import Endpoint
from tests.binance_law import request

NOW = 1_717_200_000
PRICES = [{"symbol": "AB", "price": "1.0"}, {"symbol": "CD", "price": "2", "more": [1]}, {"symbol": "EF", "price": "3"}]


def made(path: str, content: Any, at: int = NOW, **asked: str) -> Recorded:
    """A recording."""
    body = json.dumps(content).encode()
    return Recorded(
        request(SPOT, f"/api/v3/{path}", asked), HttpReply(200, {"date": formatdate(at, usegmt=True)}, body)
    )


def told(recorded: list[Recorded], path: str, **asked: str) -> Any:
    """What is narrowed."""
    return strict_json(spot().narrow(recorded, request(SPOT, f"/api/v3/{path}", asked), NOW).body)


def test_one_symbol_is_told_by_a_list_of_all() -> None:
    """As an entry or a list in the recorded order; a list is never put together, nor told for another moment."""
    everything = [made("ticker/price", PRICES)]
    assert told(everything, "ticker/price", symbol="CD") == PRICES[1]
    assert told(everything, "ticker/price", symbols='["EF","AB"]') == [PRICES[0], PRICES[2]]
    assert told([made("ticker/price", PRICES[:2], symbols='["AB","CD"]')], "ticker/price", symbol="AB") == PRICES[0]
    for recorded, asked in (([made("ticker/price", PRICES[0], symbol="AB")], {}),
                            ([made("ticker/price", PRICES)], {"symbol": "GH"}),
                            ([made("ticker/price", PRICES, NOW + 3600)], {"symbol": "AB"}),
                            ([made("ticker/price", PRICES)], {"symbol": "AB", "symbols": '["CD"]'}),
                            ([made("ticker/price", {"a": 1})], {"symbol": "AB"})):  # fmt: skip
        with pytest.raises(Miss):
            told(recorded, "ticker/price", **asked)


def test_a_shorter_order_book_is_the_beginning_of_a_deeper_one() -> None:
    """A deeper one is told by a book that was recorded whole, and by no other."""
    deep = {"lastUpdateId": 3, "bids": [["3", "1"], ["2", "1"]], "asks": [["4", "1"], ["5", "1"], ["6", "1"]]}
    book = [made("depth", deep, symbol="AB", limit="3")]
    cut = {**deep, "bids": deep["bids"][:1], "asks": deep["asks"][:1]}
    assert told(book, "depth", symbol="AB", limit="1") == cut
    with pytest.raises(Miss):
        told(book, "depth", symbol="AB", limit="4")
    assert told([made("depth", deep, symbol="AB", limit="50")], "depth", symbol="AB", limit="5000") == deep


def test_fewer_of_the_newest_trades_are_the_end_of_more() -> None:
    """More are told by a list that was recorded whole, and by no other; a list from a number on is its own alone."""
    rows = [{"id": number, "time": NOW * 1000 - 9 + number} for number in range(3)]
    three = [made("trades", rows, symbol="AB", limit="3")]
    assert told(three, "trades", symbol="AB", limit="2") == rows[1:]
    assert told([made("trades", rows, symbol="AB")], "trades", symbol="AB", limit="1000") == rows
    for asked in ({"limit": "4"}, {}, {"limit": "0"}, {"limit": "2", "fromId": "1"}):
        with pytest.raises(Miss):
            told(three, "trades", symbol="AB", **asked)
    with pytest.raises(Miss):
        told([made("trades", rows, NOW - 3600, symbol="AB")], "trades", symbol="AB", limit="1")


def test_the_symbols_a_request_names() -> None:
    """One, several, or none; badly named ones are none, and futures name one at most."""
    named = [{"symbol": "AB"}, {"symbols": '["AB","CD"]'}, {}, {"symbols": "AB"}, {"symbols": '["AB","AB"]'},
             {"symbols": "[]"}, {"symbols": "[1]"}]  # fmt: skip
    found = [wanted_symbols(Endpoint("", "", asked)) for asked in named]
    assert found == [{"AB"}, {"AB", "CD"}, None, None, None, None, None]
    question = request(FUTURES, "/fapi/v1/ticker/price", {"symbols": '["AB"]'})
    everything = Recorded(request(FUTURES, "/fapi/v1/ticker/price", {}), made("ticker/price", PRICES).reply)
    assert futures().family(question) != futures().family(everything.request)
    with pytest.raises(Miss):
        futures().narrow([everything], question, NOW)
    assert [dict(parse_qsl(urlsplit(wide.url).query)) for wide in futures().widen(question, NOW)] == [
        {"symbols": '["AB"]'}
    ]


@pytest.mark.parametrize("limit", ["1" * 5000, "\u00b2", "0", "-1", ""])
def test_a_depth_that_is_no_number_is_a_miss(limit: str) -> None:
    """However long it is."""
    with pytest.raises(Miss):
        told([made("depth", {"bids": [], "asks": []}, symbol="AB")], "depth", symbol="AB", limit=limit)


def test_what_bears_a_later_moment_is_not_handed_out() -> None:
    """Nor what bears one in microseconds; another entry of the same list may be older."""
    stamped = [{"symbol": "AB", "closeTime": NOW * 1000 + 999}, {"symbol": "CD", "closeTime": (NOW + 1) * 1000}]
    near = [made("ticker/24hr", stamped, NOW + 60)]
    assert told(near, "ticker/24hr", symbol="AB") == stamped[0]
    for asked in ({"symbol": "CD"}, {}):
        with pytest.raises(Miss):
            told(near, "ticker/24hr", **asked)
    for path, content in (
        ("time", {"serverTime": NOW * 1_000_000}), ("aggTrades", [{"T": NOW * 1000}, {"T": (NOW + 9) * 1000}]),
        ("%6Blines", [[NOW * 1000, "1"], [(NOW + 60) * 1000, "1"]]), ("trades", [{"time": str((NOW + 9) * 1000)}]),
    ):  # fmt: skip
        with pytest.raises(Miss):
            told([made(path, content, NOW + 60)], path)


@pytest.mark.parametrize("body", [b"<html>", b'[{"symbol"', b'{"code":-1003,"msg":"x"}', b"5"])
@pytest.mark.parametrize("path", ["ticker/price", "depth", "avgPrice", "ping"])
def test_a_reply_that_is_no_answer_spoils_no_other(path: str, body: bytes) -> None:
    """A page, half a list or an error with status 200 is passed over, for the very question too."""
    good = made(path, {"symbol": "AB", "bids": [], "asks": []}, NOW - 60, symbol="AB")
    bad = Recorded(good.request, HttpReply(200, {"date": formatdate(NOW, usegmt=True)}, body))
    assert spot().narrow([bad, good], good.request, NOW) is good.reply
    with pytest.raises(Miss):
        spot().narrow([bad], good.request, NOW)


HOUR = 3_600_000
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


LATER_CODES = (-1000, -1001, -1003, -1006, -1007, -1008, -1015, -1016, -1021)
WRONG_CODES = (-1100, -1102, -1104, -1105, -1120, -1128)
MOMENT_CODES = (-4108, -1121, -1122, -1127, -1130, -9999)


def test_refusals_hold_never_always_or_at_their_moment() -> None:
    """Too busy is no answer, a wrong question is wrong for ever, all else is as of then; bans are no answers."""
    question = request(FUTURES, "/fapi/v1/klines", {"symbol": "AB", "interval": "1h"})
    for codes, when in ((LATER_CODES, ()), (WRONG_CODES, (LONG_AGO, NOW, NOW + 10**7)), (MOMENT_CODES, (NOW,))):
        for code in codes:
            for at in (LONG_AGO, NOW, NOW + 10**7):
                made = Recorded(question, refusal(code, at))
                if at in when:
                    assert futures().narrow([made], question, NOW) is made.reply, code
                else:
                    with pytest.raises(Miss):
                        futures().narrow([made], question, NOW)
    for status, body in ((403, b"<html>"), (418, b"{}"), (429, b"{}"), (451, b"{}"), (400, b"no")):
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


LATER_NOW, MADE = 1_717_200_000, 1_790_000_000
MARKETS, CONTRACTS = "https://api.binance.com/api/v3/exchangeInfo", "https://fapi.binance.com/fapi/v1/exchangeInfo"


def turned(url: str, *rows: Any) -> Any:
    turn = spot().as_of(HttpRequest("GET", url))
    assert turn is not None
    content = {"timezone": "UTC", "serverTime": MADE * 1000, "rateLimits": [{"limit": 1}], "symbols": list(rows)}
    return turn(content, MADE, LATER_NOW)


def contract(symbol: str, kind: Any, began: int) -> dict[str, Any]:
    return {"symbol": symbol, "pair": "AB", "baseAsset": "A", "quoteAsset": "B", "marginAsset": "B",
            "contractType": kind, "onboardDate": began}  # fmt: skip


def test_contracts_that_came_later_or_are_dated_are_left_out() -> None:
    """The last second of the moment counts; who is being delivered bears no type; others do not become perpetual."""
    last = LATER_NOW * 1000 + 999
    stay = [contract("A", "PERPETUAL", last), contract("T", "TRADIFI_PERPETUAL", 0)]
    going = contract("B", "PERPETUAL_DELIVERING", 0)
    gone = [contract("C", "PERPETUAL", last + 1), contract("D", "CURRENT_QUARTER", 0), contract("E", "", 0),
            contract("F", None, 0)]  # fmt: skip
    found = turned(CONTRACTS, *(row | {"deliveryDate": 4_133_404_800_000} for row in (*stay, going, *gone)))["symbols"]
    assert found == [*stay, {name: value for name, value in going.items() if name != "contractType"}]
