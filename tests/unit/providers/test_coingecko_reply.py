"""CoinGecko's replies: what may be told at a moment, of later ones too, and what is no answer."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.provider import CoinGeckoProvider

API = "https://api.coingecko.com/api/v3"
AT = 1_735_776_000
"""Midnight of the second of January 2025."""
DAY, YEAR = 86_400, 31_536_000


def found(tail: str, content: Any, at: int | None = AT, status: int = 200) -> Recorded:
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Recorded(HttpRequest("GET", API + tail), HttpReply(status, headers, body))


def narrow(recorded: list[Recorded], tail: str, now: int = AT) -> HttpReply:
    return CoinGeckoProvider().narrow(recorded, HttpRequest("GET", API + tail), now)


def iso(moment: int) -> str:
    return formatdate(moment)[12:16] + ("-01-02T" if moment >= AT else "-01-01T") + formatdate(moment)[17:25] + "Z"


@pytest.mark.parametrize(
    ("tail", "content", "answered"),
    [
        ("/global", {"data": {"updated_at": AT + 300}}, False),
        ("/global", {"data": {"updated_at": AT - 300}}, True),
        ("/coins/markets?vs_currency=usd", [{"id": "a", "last_updated": iso(AT + 300)}], False),
        ("/coins/markets?vs_currency=usd", [{"id": "a", "last_updated": iso(AT - 300)}], True),
        ("/coins/markets?vs_currency=usd", [{"id": "a", "ath_date": iso(AT + 300)}], False),
        ("/coins/a/ohlc?vs_currency=usd&days=1", [[(AT + 300) * 1_000, 1, 1, 1, 1]], False),
        ("/coins/a/ohlc?vs_currency=usd&days=1", [[AT * 1_000 + 500, 1, 1, 1, 1]], True),
        ("/derivatives", [{"last_traded_at": AT + 1, "expired_at": AT + DAY}], False),
        ("/derivatives", [{"last_traded_at": AT, "expired_at": AT + DAY}], True),
        ("/exchanges/a/tickers", {"tickers": [{"new_key": iso(AT + 1)}]}, False),
        ("/coins/a?sparkline=true", {"id": "a", "last_updated": iso(AT + 1)}, False),
        ("/coins/a", {"id": "a", "tickers": [{"timestamp": iso(AT + 1)}]}, False),
    ],
)
def test_nothing_stamped_later_is_told(tail: str, content: Any, answered: bool) -> None:
    """A recording of some minutes later answers, unless anything in it says that it is of after the clock."""
    recorded = found(tail, content, AT + 600)
    if answered:
        assert narrow([recorded], tail) is recorded.reply
        return
    for asked in (tail, "/coins/a?tickers=false", "/coins/markets?vs_currency=usd&per_page=1"):
        if CoinGeckoProvider().family(HttpRequest("GET", API + asked)) == CoinGeckoProvider().family(recorded.request):
            with pytest.raises(Miss):
                narrow([recorded], asked)
    before = found(tail, [] if isinstance(content, list) else {"id": "a"}, AT - 600)
    assert narrow([recorded, before], tail) is before.reply


def test_of_several_the_one_made_before_the_clock_is_told() -> None:
    """Even where another one was made nearer, after it; one whose address cannot be read is passed over."""
    before, after = found("/global", {"data": 1}, AT - 300), found("/global", {"data": 2}, AT + 10)
    assert narrow([after, before], "/global") is before.reply
    good, bad = found("/global", {"data": 1}), found("/global?a=1&a=2", {"data": 2})
    assert narrow([bad, good], "/global") is good.reply


def test_a_limit_hides_nothing() -> None:
    """A 429 or 5xx, or a page that is no JSON, is no answer: a wider recording is one, and nothing else is a Miss."""
    tail, wide = "/simple/price?ids=a&vs_currencies=usd", "/simple/price?ids=a,b&vs_currencies=usd"
    good = found(wide, {"a": {"usd": 1}, "b": {"usd": 2}})
    limits = [found(tail, {}, AT, 429), found(tail, b"<html>", AT, 502), found(tail, b"<html>"),
              found(tail, {"status": {"error_code": 429}})]  # fmt: skip
    for limit in limits:
        assert json.loads(narrow([limit, good], tail).body) == {"a": {"usd": 1}}
        with pytest.raises(Miss):
            narrow([limit], tail)
    refused = found(tail, {"error": "x"}, AT, 404)
    assert narrow([refused], tail) is refused.reply
    chart = "/coins/a/market_chart?vs_currency=usd&days=1"
    with pytest.raises(Miss):
        narrow([found(chart, {}, AT, 429)], chart)


def test_what_is_static_is_so_from_its_recording_on() -> None:
    """Never before it, never without a date, and only in the endpoint's own shape."""
    tail, rows = "/asset_platforms", [{"id": "a"}]
    early, late = found(tail, rows, AT - 2 * YEAR), found(tail, [*rows, {"id": "b"}], AT - YEAR)
    assert narrow([early, late], tail) is late.reply and narrow([early], tail) is early.reply
    for bad in (found(tail, rows, AT + 3 * YEAR), found(tail, rows, None), found(tail, {"status": {"error_code": 429}}),
                found(tail, b"<html>"), found(tail, {"id": "a"})):  # fmt: skip
        with pytest.raises(Miss):
            narrow([bad], tail)
        assert narrow([bad, early], tail) is early.reply
    with pytest.raises(Miss):
        narrow([found("/ping", b"<html>")], "/ping")
    pong = found("/ping", {"gecko_says": "x"}, AT - YEAR)
    assert narrow([pong], "/ping") is pong.reply


def history(price: float, at: int | None, **more: Any) -> Recorded:
    page = {"id": "a", "market_data": {"current_price": {"usd": price}}, "localization": {}, **more}
    return found("/coins/a/history?date=02-01-2025", page, at)


def test_figures_of_a_day_are_final_when_they_are_told() -> None:
    """Recorded before 00:35 they say nothing at noon; recorded after, they answer from 00:35 on and not before."""
    tail, noon = "/coins/a/history?date=02-01-2025", AT + DAY // 2
    for bad in (history(1, AT + 300), history(1, None), history(1, AT + 3_000, market_data=None),
                history(1, noon + DAY, price_now=5), history(1, AT + 300, market_data={})):  # fmt: skip
        with pytest.raises(Miss):
            narrow([bad], tail, noon)
    told = history(1, AT + 36 * 60)
    assert narrow([told], tail, noon) is told.reply
    assert json.loads(narrow([told], tail + "&localization=false", noon).body).keys() == {"id", "market_data"}
    with pytest.raises(Miss):
        narrow([told], tail, AT + 34 * 60)
    untold = found(tail, {"id": "a"}, AT + 34 * 60)
    assert narrow([untold], tail, AT + 34 * 60) is untold.reply
    with pytest.raises(Miss):
        narrow([untold], tail, AT + 36 * 60)
    with pytest.raises(Miss):
        narrow([told], "/coins/a/history?date=\u0660\u0662-01-2025", noon)


def test_figures_that_contradict_each_other_are_a_miss() -> None:
    """Unless one was told at the clock, or before it and after the other."""
    tail, now = "/coins/a/history?date=02-01-2025", AT + 9 * DAY
    old, new, late = history(1, AT + DAY), history(2, AT + 5 * DAY), history(3, AT + 30 * DAY)
    assert narrow([old, new], tail, now) is new.reply
    assert narrow([late, new], tail, AT + 5 * DAY) is new.reply
    for pair in ([old, late], [late, new], [history(4, AT + 31 * DAY), late]):
        with pytest.raises(Miss, match="contradict"):
            narrow(pair, tail, now)


NOW, MADE = 1_717_200_000, 1_790_000_000


def turned(path: str, content: Any) -> Any:
    turn = CoinGeckoProvider().as_of(HttpRequest("GET", f"https://api.coingecko.com/api/v3/{path}"))
    assert turn is not None
    return turn(content, MADE, NOW)


def test_a_coin_keeps_its_names_and_contracts() -> None:
    """No figure, no text and no link; one whose first day came after the moment is none."""
    row = {"id": "vela", "symbol": "vla", "name": "Vela", "platforms": {"solana": "So1Ana", "": ""}}
    assert turned("coins/list?include_platform=true", [row]) == [row]
    page = row | {"categories": ["Layer 1", "Gaming"], "genesis_date": "2020-01-01", "market_cap_rank": 3,
                  "market_data": {"current_price": {"usd": 2}}, "description": {"en": "x"}, "links": {"homepage": []},
                  "detail_platforms": {"solana": {"decimal_place": 9, "contract_address": "So1Ana", "x": "y"}},
                  "last_updated": "2026-09-20T00:00:00Z"}  # fmt: skip
    assert turned("coins/vela", page) == row | {
        "categories": ["Gaming", "Layer 1"], "genesis_date": "2020-01-01",
        "detail_platforms": {"solana": {"decimal_place": 9, "contract_address": "So1Ana"}},
    }  # fmt: skip
    for day, is_there in (("2024-06-01", True), ("2024-06-02", False), (None, True)):
        assert (turned("coins/vela", {"id": "vela", "genesis_date": day}) is not None) is is_there
