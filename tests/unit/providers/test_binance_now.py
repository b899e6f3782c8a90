"""Tests for caia_replay.providers.binance_now."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance import FUTURES, SPOT, futures, spot
from caia_replay.providers.binance_now import wanted_symbols
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
    """As an entry, or as a list in the recorded order; keys nobody here knows survive."""
    everything = [made("ticker/price", PRICES)]
    assert told(everything, "ticker/price", symbol="CD") == PRICES[1]
    assert told(everything, "ticker/price", symbols='["EF","AB"]') == [PRICES[0], PRICES[2]]
    assert told([made("ticker/price", PRICES[:2], symbols='["AB","CD"]')], "ticker/price", symbol="AB") == PRICES[0]


def test_a_list_of_all_is_never_put_together() -> None:
    """Nor is a symbol told that the list does not have, nor a price of another moment."""
    for recorded, asked in (
        ([made("ticker/price", PRICES[0], symbol="AB")], {}),
        ([made("ticker/price", PRICES)], {"symbol": "GH"}),
        ([made("ticker/price", PRICES, NOW + 3600)], {"symbol": "AB"}),
        ([made("ticker/price", PRICES)], {"symbol": "AB", "symbols": '["CD"]'}),
        ([made("ticker/price", {"a": 1})], {"symbol": "AB"}),
    ):
        with pytest.raises(Miss):
            told(recorded, "ticker/price", **asked)


def test_exchange_information_is_cut_to_its_symbols() -> None:
    """Everything else in it stays."""
    whole = {"timezone": "UTC", "serverTime": 5, "symbols": [{"symbol": "AB"}, {"symbol": "CD"}]}
    wanted = {**whole, "symbols": [{"symbol": "CD"}]}
    assert told([made("exchangeInfo", whole)], "exchangeInfo", symbol="CD") == wanted


def test_a_shorter_order_book_is_the_beginning_of_a_deeper_one() -> None:
    """A deeper one is told by a book that was recorded whole, and by no other."""
    deep = {"lastUpdateId": 3, "bids": [["3", "1"], ["2", "1"]], "asks": [["4", "1"], ["5", "1"], ["6", "1"]]}
    book = [made("depth", deep, symbol="AB", limit="3")]
    cut = {**deep, "bids": deep["bids"][:1], "asks": deep["asks"][:1]}
    assert told(book, "depth", symbol="AB", limit="1") == cut
    with pytest.raises(Miss):
        told(book, "depth", symbol="AB", limit="4")
    assert told([made("depth", deep, symbol="AB", limit="50")], "depth", symbol="AB", limit="5000") == deep


def test_the_symbols_a_request_names() -> None:
    """One, several, or none; badly named ones are none."""
    named = [{"symbol": "AB"}, {"symbols": '["AB","CD"]'}, {}, {"symbols": "AB"}, {"symbols": '["AB","AB"]'},
             {"symbols": "[]"}, {"symbols": "[1]"}]  # fmt: skip
    found = [wanted_symbols(Endpoint("", "", asked)) for asked in named]
    assert found == [{"AB"}, {"AB", "CD"}, None, None, None, None, None]


def test_futures_name_one_symbol_at_most() -> None:
    """Several are a parameter they do not know: no part of the list is the answer."""
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
