"""What later replies of Binance tell of an earlier moment: which markets there are, and of which assets.

Of ``exchangeInfo`` the symbols and their assets are kept; limits, filters, states and the server's time are of now. A
contract that came later says so (``onboardDate``). Contracts with a date of delivery are left out: their type changes
every quarter. One that is being delivered was perpetual until then, and bears no type.
"""

from __future__ import annotations

from typing import Any, Final

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.as_of_filter import AsOfFilter, listed, mapped, named
from caia_replay.providers.endpoint import endpoint_of

_LISTS: Final = frozenset({"/api/v3/exchangeInfo", "/fapi/v1/exchangeInfo"})
_MARKET: Final = ("symbol", "pair", "contractType", "baseAsset", "quoteAsset", "marginAsset", "onboardDate")
_TYPE: Final = "contractType"
_PERPETUAL: Final = "PERPETUAL"


def binance_turn(request: HttpRequest) -> AsOfFilter | None:
    """How a later reply to a request is turned; None for a request whose replies of later tell nothing."""
    return _markets if endpoint_of(request).path in _LISTS else None


def _markets(content: Any, made: int, now: int) -> dict[str, Any]:
    rows = [_market(row, now) for row in listed(mapped(content)["symbols"])]
    return {"timezone": "UTC", "symbols": [row for row in rows if row is not None]}


def _market(row: Any, now: int) -> dict[str, Any] | None:
    found = named(row, _MARKET)
    began, kind = found.get("onboardDate"), found.get(_TYPE, _PERPETUAL)
    if (type(began) is int and began >= (now + 1) * 1_000) or not isinstance(kind, str) or _PERPETUAL not in kind:
        return None
    return found if kind.endswith(_PERPETUAL) else {name: value for name, value in found.items() if name != _TYPE}
