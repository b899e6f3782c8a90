"""One question for every spelling, and its family."""

from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.request import question_of, whole

API = "https://api.coingecko.com/api/v3"


def asked(tail: str) -> HttpRequest:
    return HttpRequest("GET", API + tail)


def test_spellings_of_one_question_are_one() -> None:
    """Defaults said or not, any order of parameters and spans, a slash at the end, any key, any case of an address."""
    pairs = (
        ("/coins/markets?vs_currency=usd", "/coins/markets?page=1&per_page=100&order=market_cap_desc&vs_currency=usd"),
        ("/coins/markets?price_change_percentage=1h,24h", "/coins/markets?price_change_percentage=24h,1h"),
        ("/coins/a", "/coins/a/?tickers=true&x_cg_demo_api_key=SCRUBBED"),
        ("/coins/a/contract/0xAB", "/coins/a/contract/0xab"),
        ("/simple/token_price/a?contract_addresses=0xAB", "/simple/token_price/a?contract_addresses=0xab"),
    )
    for left, right in pairs:
        assert question_of(asked(left)).words() == question_of(asked(right)).words()


@pytest.mark.parametrize(
    ("left", "right", "together"),
    [
        (
            "/coins/a/market_chart?vs_currency=usd&days=1",
            "/coins/a/market_chart/range?vs_currency=usd&from=1&to=2",
            True,
        ),
        ("/coins/a/market_chart?vs_currency=usd&days=1", "/coins/a/market_chart?vs_currency=eur&days=1", False),
        (
            "/coins/a/market_chart?vs_currency=usd&days=1&precision=2",
            "/coins/a/market_chart?vs_currency=usd&days=1",
            False,
        ),
        ("/coins/markets?vs_currency=usd&page=2", "/coins/markets?vs_currency=usd&ids=a", True),
        ("/coins/markets?vs_currency=usd&category=x", "/coins/markets?vs_currency=usd", False),
        (
            "/simple/price?ids=a&vs_currencies=usd",
            "/simple/price?ids=b&vs_currencies=eur&include_market_cap=true",
            True,
        ),
        ("/coins/a?tickers=false", "/coins/a?sparkline=true", True),
        ("/coins/a?localization=false", "/coins/a", True),
        ("/coins/a/ohlc?vs_currency=usd&days=1", "/coins/a/ohlc?vs_currency=usd&days=7", True),
        ("/coins/a/history?date=01-01-2024", "/coins/a/history?date=02-01-2024", False),
        ("/coins/list", "/coins/list?include_platform=true", True),
        ("/simple/token_price/a?contract_addresses=Ab", "/simple/token_price/b?contract_addresses=Ab", False),
        ("/ping?x_cg_demo_api_key=SCRUBBED", "/ping?x_cg_demo_api_key=SCRUBBED-BAD", False),
    ],
)
def test_families(left: str, right: str, together: bool) -> None:
    """What one recording could answer for both is one family; nothing else is."""
    assert (question_of(asked(left)).family() == question_of(asked(right)).family()) is together


def test_kinds_are_told_by_path() -> None:
    """Lists are no coins; true and false alone are flags, whole numbers plain digits, a parameter twice a Miss."""
    kinds = {"/coins/list": "coins", "/coins/markets": "markets", "/coins/categories": "now", "/coins/bitcoin": "coin",
             "/coins/list/new": "now", "/ping": "static", "/exchanges": "pages", "/exchanges/a": "now",
             "/coins/a/contract/0xab/market_chart/range": "chart", "/coins/a/contract/0xab": "now"}  # fmt: skip
    assert {path: question_of(asked(path)).kind for path in kinds} == kinds
    words = {"true": True, "false": False, "True": None, "": None}
    assert {word: question_of(asked(f"/coins/a?tickers={word}")).flag("tickers") for word in words} == words
    with pytest.raises(Miss, match="twice"):
        question_of(asked("/coins/a?tickers=true&tickers=false"))
    told = {
        text: whole(text) for text in ("0", "007", "9" * 12, "9" * 13, "", "-1", "1.0", "1e3", " 1", "\u0663", "\u00b2")
    }
    assert {text: number for text, number in told.items() if number is not None} == {
        "0": 0,
        "007": 7,
        "9" * 12: 10**12 - 1,
    }


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("/coins/a/ohlc?days=7%26vs_currency%3Dusd", "/coins/a/ohlc?days=7&vs_currency=usd"),
        ("/derivatives?x=1%26y=2", "/derivatives?x=1&y=2"),
        ("/exchanges/a%2Ftickers", "/exchanges/a/tickers"),
        ("/coins/a%2Fmarket_chart?days=1", "/coins/a/market_chart?days=1"),
        ("/search?query=a%3Fb", "/search%3Fquery=a%3Fb"),
    ],
)
def test_escaped_marks_part_nothing(left: str, right: str) -> None:
    """An ampersand, an equals sign or a slash within a value or a name is none between two."""
    assert question_of(asked(left)).words() != question_of(asked(right)).words()
    assert question_of(asked(left)).family() != question_of(asked(right)).family()
