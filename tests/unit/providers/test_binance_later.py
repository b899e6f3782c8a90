from __future__ import annotations

from typing import Any

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.binance_later import binance_turn

NOW, MADE = 1_717_200_000, 1_790_000_000
SPOT, CONTRACTS = "https://api.binance.com/api/v3/exchangeInfo", "https://fapi.binance.com/fapi/v1/exchangeInfo"


def turned(url: str, *rows: Any) -> Any:
    turn = binance_turn(HttpRequest("GET", url))
    assert turn is not None
    content = {"timezone": "UTC", "serverTime": MADE * 1000, "rateLimits": [{"limit": 1}], "symbols": list(rows)}
    return turn(content, MADE, NOW)


def test_a_market_keeps_its_names() -> None:
    """States, filters and precisions are of now; a market that stands still now was one all the same."""
    row = {"symbol": "AB", "baseAsset": "A", "quoteAsset": "B"}
    more = {"status": "BREAK", "filters": [{"tickSize": "1"}], "baseAssetPrecision": 8, "permissions": ["SPOT"]}
    assert turned(SPOT, row | more) == {"timezone": "UTC", "symbols": [row]}


def contract(symbol: str, kind: Any, began: int) -> dict[str, Any]:
    return {"symbol": symbol, "pair": "AB", "baseAsset": "A", "quoteAsset": "B", "marginAsset": "B",
            "contractType": kind, "onboardDate": began}  # fmt: skip


def test_contracts_that_came_later_or_are_dated_are_left_out() -> None:
    """The last second of the moment counts; who is being delivered bears no type; others do not become perpetual."""
    last = NOW * 1000 + 999
    stay = [contract("A", "PERPETUAL", last), contract("T", "TRADIFI_PERPETUAL", 0)]
    going = contract("B", "PERPETUAL_DELIVERING", 0)
    gone = [contract("C", "PERPETUAL", last + 1), contract("D", "CURRENT_QUARTER", 0), contract("E", "", 0),
            contract("F", None, 0)]  # fmt: skip
    found = turned(CONTRACTS, *(row | {"deliveryDate": 4_133_404_800_000} for row in (*stay, going, *gone)))["symbols"]
    assert found == [*stay, {name: value for name, value in going.items() if name != "contractType"}]


def test_nothing_else_is_turned() -> None:
    """Prices, candles and statistics of later are not what the market was."""
    for path in ("api/v3/ticker/24hr", "api/v3/klines", "api/v3/depth", "api/v3/time"):
        assert binance_turn(HttpRequest("GET", f"https://api.binance.com/{path}")) is None
