"""trend_detection: an economy's recorded trends and moves, and replies of other times and other shapes."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.trend import PAGE, trend_detection
from caia_replay.world.world import FrozenWorld
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.tool_draw.technical import DRAWS, INSIDE
from tests.tool_law import check_law
from tests.unit.tools.conftest import Bench


def _row(name: str, change: float | None, volume: float | None = 1, cap: float | None = 1) -> dict[str, Any]:
    changes = {f"price_change_percentage_{length}_in_currency": change for length in ("1h", "24h", "7d")}
    return {"id": name, "symbol": name, "name": name, "market_cap_rank": None, "current_price": 1.5,
            "market_cap": cap, "total_volume": volume, **changes}  # fmt: skip


def _ids(part: Any) -> list[str]:
    return [coin["id"] for coin in part["coins"]]


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every answer is the living origin's; all that is asked is recorded, so no call is a miss."""
    check_law("trend_detection", draws["trend_detection"], short_world, short_economy.origin, inside=True)


def test_all_parts_at_once(bench: Bench) -> None:
    """Trends keep the vendor's order, gainers rise, losers fall, and every part says where it comes from."""
    result = bench.result("trend_detection", limit=5)
    recorded = CallView(bench.world).ask(f"{COINGECKO}/search/trending")["coins"]
    assert _ids(result["trending"]) == [entry["item"]["id"] for entry in recorded[:5]]
    assert result["trending"]["coins_in_all"] == len(recorded) > 5
    gained = [coin["change_24h_percent"] for coin in result["gainers"]["coins"]]
    lost = [coin["change_24h_percent"] for coin in result["losers"]["coins"]]
    assert gained == sorted(gained, reverse=True) and gained[-1] > 0
    assert lost == sorted(lost) and lost[-1] < 0
    ratios = [coin["volume_to_cap"] for coin in result["volume"]["coins"]]
    assert ratios == sorted(ratios, reverse=True)
    assert all("CoinGecko" in result[part]["source"] for part in ("trending", "gainers", "losers", "volume"))


def test_one_part_asks_for_no_other(bench: Bench) -> None:
    """A part alone is told alone; the period and the least volume decide who is in it."""
    week = bench.result("trend_detection", part="gainers", period="a week", limit=50)
    assert set(week) == {"at_utc", "compared_coins", "gainers"} and week["gainers"]["source"].endswith("7d")
    assert set(bench.result("trend_detection", part="trending")) == {"at_utc", "trending"}
    traded = bench.result("trend_detection", part="gainers", period="7d", limit=50, min_volume_usd="25m")
    kept = [coin["id"] for coin in week["gainers"]["coins"] if coin["volume_24h_usd"] >= 25_000_000]
    assert _ids(traded["gainers"]) == kept and len(kept) < week["gainers"]["coins_in_all"]


def test_what_is_unknown_is_not_ranked() -> None:
    """A coin without a figure is counted and left out; one that did not move is neither gainer nor loser."""
    rows = [
        _row("b", 2.0),
        _row("a", 2.0),
        _row("new", None),
        _row("still", 0),
        _row("down", -1, None),
        _row("x", 1, 1, 0),
    ]
    result = trend_detection(told({"coins": []}, rows))
    assert _ids(result["gainers"]) == ["a", "b", "x"] and _ids(result["losers"]) == ["down"]
    assert result["gainers"]["not_ranked"] == result["losers"]["not_ranked"] == 1
    assert result["volume"]["not_ranked"] == 2 and result["losers"]["coins"][0]["volume_to_cap"] is None
    counted = trend_detection(told(rows), part="losers", min_volume_usd=0)
    assert counted["compared_coins_of_that_volume"] == 5 and _ids(counted["losers"]) == []


def test_pages_until_a_short_one() -> None:
    """So many pages are asked as the number of coins takes; a coin that slipped onto the next page counts once."""
    full = [_row(f"c{at:03}", at) for at in range(PAGE)]
    world = Told(full, [_row("c249", 0), _row("next", 999)])
    result = trend_detection(world, part="gainers", largest=1_000, limit=1)  # type: ignore[arg-type]
    assert [sent["page"] for _, sent in world.asked] == [1, 2]
    assert result["compared_coins"] == PAGE + 1 and _ids(result["gainers"]) == ["next"]
    ten = trend_detection(told(full), part="gainers", largest=10, limit=1)
    assert ten["compared_coins"] == 10 and _ids(ten["gainers"]) == ["c009"]


@pytest.mark.parametrize(
    ("price", "shown"), [(1.5, 1.5), ("$1,204.50", 1204.5), ("$0.0<sub>5</sub>12", None), (None, None)]
)
def test_prices_of_other_times(price: Any, shown: float | None) -> None:
    """Older replies have prices as texts; one that is no number is null and not guessed."""
    item = {"id": "a", "symbol": "a", "name": "A", "data": {"price": price}}
    told_ = trend_detection(told({"coins": [{"item": item}]}), part="trending")
    assert told_["trending"]["coins"][0]["price_usd"] == shown


def test_trends_without_figures() -> None:
    """Replies of 2022 have no figures at all: they are null, and there are no categories."""
    item = {"id": "a", "symbol": "a", "name": "A", "market_cap_rank": 3, "price_btc": 0.1, "score": 0}
    result = trend_detection(told({"coins": [{"item": item}], "exchanges": []}), part="trending")["trending"]
    assert result["coins"] == [{"rank": 1, "id": "a", "symbol": "A", "name": "A", "market_cap_rank": 3,
                                "price_usd": None, "change_24h_percent": None}]  # fmt: skip
    assert result["categories"] == []


@pytest.mark.parametrize("rows", [{"error": "x"}, ["a"], [{"id": "a"}], [_row("a", True)], [_row("a", 1, cap="much")]])
def test_another_shape_is_a_miss(rows: Any) -> None:
    """Rows without the figures that are asked for are no rows."""
    with pytest.raises(Miss, match="another shape"):
        trend_detection(told({"coins": []}, rows))
    with pytest.raises(Miss, match="another shape"):
        trend_detection(told(rows), part="trending")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"part": "whales"}, "it is one of all, trending"),
        ({"period": "30d"}, "it is one of 1h, 24h, 7d"),
        ({"limit": 51}, "it goes from 1 to 50"),
        ({"largest": 5}, "it goes from 10 to 1000"),
        ({"min_volume_usd": "-1"}, "no coin trades less than nothing"),
        ({"min_volume_usd": "lots"}, "it takes a number"),
    ],
)
def test_what_is_refused(bench: Bench, arguments: dict[str, Any], word: str) -> None:
    """Each wrong argument is refused with what would be taken."""
    reply = bench.call("trend_detection", **arguments)
    assert reply.served is Served.ERROR and reply.error is not None and word in str(reply.error["message"])
