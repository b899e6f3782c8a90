from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.coingecko_later import coingecko_turn

NOW, MADE = 1_717_200_000, 1_790_000_000


def turned(path: str, content: Any) -> Any:
    turn = coingecko_turn(HttpRequest("GET", f"https://api.coingecko.com/api/v3/{path}"))
    assert turn is not None
    return turn(content, MADE, NOW)


def test_a_coin_keeps_its_names_and_contracts() -> None:
    """Of the list everything that names a coin, of its page no figure, no text and no link."""
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


def test_a_coin_that_began_later_is_none() -> None:
    """A first day after the moment says so; the moment's own day does not."""
    for day, is_there in (("2024-06-01", True), ("2024-06-02", False), (None, True)):
        assert (turned("coins/vela", {"id": "vela", "genesis_date": day}) is not None) is is_there


@pytest.mark.parametrize(
    ("path", "row"),
    [("asset_platforms", {"id": "base", "chain_identifier": 8453, "name": "Base", "native_coin_id": "ethereum"}),
     ("coins/categories/list", {"category_id": "meme", "name": "Meme"}), ("exchanges/list", {"id": "x", "name": "X"})],
)  # fmt: skip
def test_directories_are_names(path: str, row: dict[str, Any]) -> None:
    """Anything else in a line is gone."""
    assert turned(path, [row | {"volume": 1.5, "rank": 2, "image": {"large": "https://x.example"}}]) == [row]


def test_currencies_are_words() -> None:
    """A list of words, in an order that tells nothing; anything else is none."""
    assert turned("simple/supported_vs_currencies", ["usd", "btc"]) == ["btc", "usd"]
    assert turned("simple/supported_vs_currencies", ["usd", 1]) is None


@pytest.mark.parametrize(
    "path", ["simple/price?ids=a", "coins/markets", "coins/a/tickers", "global", "coins/a/history"]
)
def test_what_is_of_now_is_not_turned(path: str) -> None:
    """Prices, markets and totals of later tell nothing of before; histories are cut elsewhere."""
    assert coingecko_turn(HttpRequest("GET", f"https://api.coingecko.com/api/v3/{path}")) is None
