"""What later replies of CoinGecko tell of an earlier moment: what coins, networks, categories and venues are called.

    coins/list                      id, symbol, name, contracts by network
    coins/{id}                      the same, categories, decimals, when it began; no text, no figure, no link
    asset_platforms, coins/categories/list, exchanges/list, simple/supported_vs_currencies

Its histories need nothing of this: they are cut at the clock whenever they were recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Final

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.as_of_filter import AsOfFilter, by_name, listed, mapped, named, texts
from caia_replay.providers.coingecko.request import question_of

_LISTS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("coins", "list"): ("id", "symbol", "name"),
    ("asset_platforms",): ("id", "chain_identifier", "name", "shortname", "native_coin_id"),
    ("coins", "categories", "list"): ("category_id", "name"),
    ("exchanges", "list"): ("id", "name"),
}
_COIN: Final = ("id", "symbol", "name", "web_slug", "asset_platform_id", "categories", "hashing_algorithm",
                "genesis_date")  # fmt: skip
_CONTRACT: Final = ("decimal_place", "contract_address")


def coingecko_turn(request: HttpRequest) -> AsOfFilter | None:
    """How a later reply to a request is turned; None for a request whose replies of later tell nothing."""
    asked = question_of(request)
    if asked.path == ("simple", "supported_vs_currencies"):
        return _words
    if asked.kind == "coin":
        return _coin
    names = _LISTS.get(asked.path)
    return None if names is None else partial(_rows, names)


def _rows(names: tuple[str, ...], content: Any, made: int, now: int) -> list[dict[str, Any]]:
    return by_name(_row(row, names) for row in listed(content))


def _row(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    found = named(row, names)
    return found | {"platforms": texts(row["platforms"])} if isinstance(row.get("platforms"), dict) else found


def _words(content: Any, made: int, now: int) -> list[str] | None:
    words = listed(content)
    return sorted(words) if all(isinstance(word, str) for word in words) else None


def _coin(content: Any, made: int, now: int) -> dict[str, Any] | None:
    if _began(mapped(content).get("genesis_date")) > now:
        return None
    found = _row(content, _COIN)
    details = content.get("detail_platforms")
    if isinstance(details, dict):
        found["detail_platforms"] = {name: named(one, _CONTRACT) for name, one in details.items()}
    return found


def _began(day: Any) -> int:
    """The first second of a day; 0 where none is told."""
    if not isinstance(day, str):
        return 0
    return int(datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC).timestamp())
