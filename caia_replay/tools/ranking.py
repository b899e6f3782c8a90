"""Listed coins in order of one figure, as they stood at the task's moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import choice_argument, within
from caia_replay.tools.asset import largest_coins
from caia_replay.tools.figure import exact
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

_MOST_AMONG: Final = 1_000
_LONGEST_NAME: Final = 100
_FIGURES: Final[Mapping[str, str]] = {
    "market_cap": "market_cap",
    "volume_24h": "total_volume",
    "change_1h": "price_change_percentage_1h_in_currency",
    "change_24h": "price_change_percentage_24h_in_currency",
    "change_7d": "price_change_percentage_7d_in_currency",
    "price": "current_price",
    "fully_diluted_valuation": "fully_diluted_valuation",
}
_ORDERS: Final = ("descending", "ascending")
_OTHER_WORDS: Final[Mapping[str, str]] = {
    **{"marketcap": "market_cap", "cap": "market_cap", "mcap": "market_cap", "volume": "volume_24h"},
    **{"change": "change_24h", "1h": "change_1h", "24h": "change_24h", "7d": "change_7d"},
    **{"fdv": "fully_diluted_valuation", "desc": "descending", "asc": "ascending"},
}


def ranking_query(
    world: ToolContext,
    by: Annotated[
        str,
        Field(
            description="market_cap, volume_24h, change_1h, change_24h, change_7d, price or fully_diluted_valuation."
        ),
    ] = "market_cap",
    order: Annotated[str, Field(description="descending (the largest first) or ascending.")] = "descending",
    limit: Annotated[int, Field(description="How many coins to list, 1 to 100.")] = 10,
    offset: Annotated[
        int, Field(description="How many of the list to leave out at its top; next_offset leads on.")
    ] = 0,
    symbols: Annotated[
        list[str] | None,
        Field(description="Only these coins by ticker, name or CoinGecko id, with their places in the whole ranking."),
    ] = None,
    among: Annotated[
        int, Field(description="Rank the coins with the largest market caps, 1 to 1,000; change ranks need a bound.")
    ] = 250,
) -> dict[str, Any]:
    """Rank coins by a figure at this moment, in US dollars and percent, by CoinGecko.

    position counts from 1 in the chosen order; coins with equal figures stand by market cap, coins without the figure
    have position null and come last. ranked says how many coins were ranked, and all_listed whether these are all
    there are. market_cap_rank is CoinGecko's own place by market cap. Several coins can share a ticker: all are told.
    Example: {"by": "change_24h", "order": "descending", "limit": 5, "offset": 0, "symbols": null, "among": 250}
    """
    figure = choice_argument(_OTHER_WORDS.get(by.strip().lower(), by), _FIGURES, "by")
    downwards = choice_argument(_OTHER_WORDS.get(order.strip().lower(), order), _ORDERS, "order") == _ORDERS[0]
    within(limit, 1, 100, "limit")
    within(offset, 0, _MOST_AMONG, "offset")
    within(among, 1, _MOST_AMONG, "among")
    rows, complete = largest_coins(world, among)
    known = [(exact(row[_FIGURES[figure]], row["id"]), row) for row in rows if row.get(_FIGURES[figure]) is not None]
    # A sort keeps what is equal in its order, reversed too.
    known.sort(key=lambda found: found[0], reverse=downwards)
    places: list[tuple[int | None, dict[str, Any]]] = [(place, row) for place, (_, row) in enumerate(known, 1)]
    places += [(None, row) for row in rows if row.get(_FIGURES[figure]) is None]
    absent: list[str] = []
    if symbols is not None:
        if any(len(text) > _LONGEST_NAME for text in symbols):
            raise ToolError(f"symbols are tickers or names of at most {_LONGEST_NAME} characters")
        wanted = {text: _plain(text) for text in symbols}
        absent = [text for text, name in wanted.items() if not any(name in _names(row) for row in rows)]
        places = [found for found in places if _names(found[1]) & set(wanted.values())]
    shown = places[offset : offset + limit]
    end = offset + len(shown)
    return {
        "source": "CoinGecko",
        "time_utc": utc_text(world.now),
        "by": figure,
        "order": _ORDERS[0] if downwards else _ORDERS[1],
        "ranked": len(known),
        "without_figure": len(rows) - len(known),
        "all_listed": complete,
        "count": len(places),
        "coins": [_shown(place, row) for place, row in shown],
        "next_offset": end if end < len(places) else None,
        "not_ranked": absent,
    }


def _names(row: Mapping[str, Any]) -> set[str]:
    items = {row["id"], row.get("symbol"), row.get("name"), f"id:{row['id']}"}
    return {name.lower() for name in items if name}


def _plain(text: str) -> str:
    return text.strip().strip("'\"`$").strip().lower()


def _shown(place: int | None, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "position": place,
        "id": row["id"],
        "symbol": row["symbol"].upper() if row.get("symbol") else None,
        "name": row.get("name"),
        "market_cap_rank": row.get("market_cap_rank"),
        "price_usd": row.get("current_price"),
        "market_cap_usd": row.get("market_cap"),
        "fully_diluted_valuation_usd": row.get("fully_diluted_valuation"),
        "volume_24h_usd": row.get("total_volume"),
        "change_1h_percent": row.get("price_change_percentage_1h_in_currency"),
        "change_24h_percent": row.get("price_change_percentage_24h_in_currency"),
        "change_7d_percent": row.get("price_change_percentage_7d_in_currency"),
    }
