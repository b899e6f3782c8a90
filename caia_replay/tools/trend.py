"""What draws attention at a task's moment: coins people look for, the largest moves, the most traded for their size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S, choice_argument, duration_argument, number_argument, within
from caia_replay.tools.asset import COINGECKO, largest_coins
from caia_replay.tools.defi_index import figure
from caia_replay.tools.figure import exact, reading, significant
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

PARTS: Final = ("all", "trending", "gainers", "losers", "volume")
PERIODS: Final[Mapping[int, str]] = {HOUR_S: "1h", DAY_S: "24h", 7 * DAY_S: "7d"}

_SEARCHED: Final = "CoinGecko /search/trending: what is searched for most"
_MOVED: Final = "CoinGecko /coins/markets: change of the price in dollars"
_TRADED: Final = "CoinGecko /coins/markets: 24 hours' volume over market cap"


def trend_detection(
    world: ToolContext,
    part: Annotated[str, Field(description="all, trending, gainers, losers or volume.")] = "all",
    period: Annotated[str, Field(description="Of gainers and losers: 1h, 24h or 7d.")] = "24h",
    limit: Annotated[int, Field(description="How many of each part, 1 to 50.")] = 10,
    largest: Annotated[
        int, Field(description="Gainers, losers and volume are looked for among so many largest caps, 10 to 1000.")
    ] = 250,
    min_volume_usd: Annotated[
        str | int | float | None, Field(description="Leaves out coins that traded less in 24 hours, such as 1m.")
    ] = None,
) -> dict[str, Any]:
    """What draws attention now: coins trending in searches in their order; the biggest gainers and losers of a period;
    and the volume leaders, by 24 hours' volume over market cap. Each part names its source.

    Changes are percent in dollars as CoinGecko tells them, volume_to_cap is a ratio (0.5 is half the cap). Coins whose
    figure is unknown are counted in not_ranked and left out. null is what the source does not tell.
    Example: {"part": "gainers", "period": "7d", "limit": 5, "largest": 100, "min_volume_usd": "1m"}
    """
    wanted = choice_argument(part, PARTS, "part")
    length = PERIODS.get(duration_argument(period, "period"))
    if length is None:
        raise ToolError(f"period is {period[:80]!r}; it is one of {', '.join(PERIODS.values())}")
    within(limit, 1, 50, "limit")
    within(largest, 10, 1_000, "largest")
    least = None if min_volume_usd is None else Fraction(number_argument(min_volume_usd, "min_volume_usd"))
    if least is not None and least < 0:
        raise ToolError(f"min_volume_usd is {str(min_volume_usd)[:80]!r}; no coin trades less than nothing")
    fields: dict[str, Any] = {"at_utc": utc_text(world.now)}
    if wanted in ("all", "trending"):
        fields["trending"] = _trending(world, limit)
    if wanted == "trending":
        return fields
    coins, _ = largest_coins(world, largest)
    rows: list[Mapping[str, Any]] = list(coins)
    fields["compared_coins"] = len(rows)
    with reading("the list of markets"):
        if least is not None:
            volumes = [_figure(row["total_volume"]) for row in rows]
            rows = [row for row, volume in zip(rows, volumes, strict=True) if volume is not None and volume >= least]
            fields["compared_coins_of_that_volume"] = len(rows)
        changes = [(row, _figure(row[f"price_change_percentage_{length}_in_currency"])) for row in rows]
        if wanted in ("all", "gainers"):
            fields["gainers"] = _part(f"{_MOVED}, {length}", changes, limit, 1)
        if wanted in ("all", "losers"):
            fields["losers"] = _part(f"{_MOVED}, {length}", changes, limit, -1)
        if wanted in ("all", "volume"):
            fields["volume"] = _part(_TRADED, [(row, _turnover(row)) for row in rows], limit, 1)
    return fields


def _trending(world: ToolContext, limit: int) -> dict[str, Any]:
    value = world.ask(f"{COINGECKO}/search/trending")
    with reading("the trending searches"):
        coins = [entry["item"] for entry in value["coins"]]
        categories = [category["name"] for category in value.get("categories") or ()]
        return {
            "source": _SEARCHED,
            "coins_in_all": len(coins),
            "coins": [_searched(rank, item) for rank, item in enumerate(coins[:limit], 1)],
            "categories": categories,
        }


def _searched(rank: int, item: Mapping[str, Any]) -> dict[str, Any]:
    data = item.get("data") or {}
    return {
        "rank": rank,
        "id": str(item["id"]),
        "symbol": str(item["symbol"]).upper(),
        "name": str(item["name"]),
        "market_cap_rank": item.get("market_cap_rank"),
        "price_usd": _told(data.get("price")),
        "change_24h_percent": _told((data.get("price_change_percentage_24h") or {}).get("usd")),
    }


def _turnover(row: Mapping[str, Any]) -> Fraction | None:
    volume, cap = _figure(row["total_volume"]), _figure(row["market_cap"])
    return volume / cap if volume is not None and cap else None


def _part(
    source: str, rows: Sequence[tuple[Mapping[str, Any], Fraction | None]], limit: int, sign: int
) -> dict[str, Any]:
    """The coins whose figure is furthest from zero in one direction, by name where two are equal."""
    ranked = [(value * sign, row) for row, value in rows if value is not None]
    found = sorted(
        ((value, row) for value, row in ranked if value > 0), key=lambda pair: (-pair[0], str(pair[1]["id"]))
    )
    return {
        "source": source,
        "coins_in_all": len(found),
        "not_ranked": sum(value is None for _, value in rows),
        "coins": [_moved(rank, row) for rank, (_, row) in enumerate(found[:limit], 1)],
    }


def _moved(rank: int, row: Mapping[str, Any]) -> dict[str, Any]:
    turnover = _turnover(row)
    return {
        "rank": rank,
        "id": str(row["id"]),
        "symbol": str(row["symbol"]).upper(),
        "name": str(row["name"]),
        "market_cap_rank": row["market_cap_rank"],
        "price_usd": row["current_price"],
        **{f"change_{length}_percent": row[f"price_change_percentage_{length}_in_currency"]
           for length in PERIODS.values()},
        "market_cap_usd": row["market_cap"],
        "volume_24h_usd": row["total_volume"],
        "volume_to_cap": None if turnover is None else significant(turnover),
    }  # fmt: skip


def _figure(value: Any) -> Fraction | None:
    return None if value is None else exact(value, "a figure of a coin")


def _told(value: Any) -> int | float | None:
    """A number of the vendor's; older replies have texts such as ``$1,204.5``, and some that are no number at all."""
    if not isinstance(value, str):
        return figure(value)
    try:
        return significant(exact(value.removeprefix("$").replace(",", ""), "a figure of a coin"), 17)
    except Miss:
        return None
