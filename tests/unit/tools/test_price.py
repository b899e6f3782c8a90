"""price_feed and ranking_query over a recorded economy, and replies of other times and shapes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.price import price_feed
from caia_replay.tools.ranking import ranking_query
from caia_replay.world.clock import utc_text
from tests.told import Told, told
from tests.unit.tools.conftest import Bench

LISTED = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {}}]
MARKETS = {"symbols": [{"symbol": "ACUSD", "baseAsset": "AC", "quoteAsset": "USD"}]}
STAMPED = {"last_updated_at": 1_725_203_188}


def test_now_has_all_figures_in_the_currencies_that_are_recorded(bench: Bench, native: str) -> None:
    """Without a time the price of this moment is told, with cap, volume and change, in the currency that was asked."""
    listed = CallView(bench.world).ask(f"{COINGECKO}/coins/list", include_platform="true")
    symbol = next(coin["symbol"] for coin in listed if f"id:{coin['id']}" == native)
    asset = next(f"id:{coin['id']}" for coin in listed if coin["platforms"])
    dollars, coins = bench.result("price_feed", asset=asset), bench.result("price_feed", asset=asset, quote=symbol)
    assert dollars["time_utc"] == utc_text(bench.world.clock.now)
    assert (dollars["quote"], coins["quote"]) == ("usd", symbol)
    for shown in (dollars, coins):
        assert all(isinstance(shown[name], (int, float)) for name in ("price", "market_cap", "volume_24h"))
    assert dollars["price"] != coins["price"]
    assert bench.result("price_feed", asset=asset, quote="$") == dollars
    assert bench.call("price_feed", asset=asset, quote="EUR").served is Served.MISS


def test_a_moment_has_the_point_before_it(bench: Bench, native: str) -> None:
    """With its own time, on either source; and both agree at full hours."""
    moment = (bench.world.clock.now - 4 * DAY_S) // HOUR_S * HOUR_S
    for source in ("coingecko", "binance"):
        exact = bench.result("price_feed", asset=native, at=moment, source=source)
        assert exact["time_utc"] == exact["asked_utc"] == utc_text(moment)
        later = bench.result("price_feed", asset=native, at=moment + HOUR_S - 1, source=source)
        assert (later["time_utc"], later["price"]) == (exact["time_utc"], exact["price"])
    moment = (bench.world.clock.now - 2 * DAY_S) // HOUR_S * HOUR_S
    venue = bench.result("price_feed", asset=native, at=moment, source="binance")
    assert Decimal(venue["price"]) == Decimal(str(bench.result("price_feed", asset=native, at=moment)["price"]))


@pytest.mark.parametrize("source", ["coingecko", "binance"])
def test_a_history_is_told_in_parts_and_summed_whole(bench: Bench, native: str, source: str) -> None:
    """Parts that next_start leads through are the whole; the summary of any first part is that of all."""
    end = bench.world.clock.now
    asked = {"asset": native, "start": utc_text(end - 5 * DAY_S), "end": utc_text(end), "source": source}
    whole = bench.result("price_feed", **asked, limit=500)
    # Of the candles the one that is cut by the window's start is left out, and the one that runs.
    assert whole["count"] == len(whole["rows"]) == (119 if source == "binance" else 120)
    assert whole["next_start"] is None
    rows, start = [], asked["start"]
    while start is not None:
        part = bench.result("price_feed", **{**asked, "start": start}, limit=50)
        rows += part["rows"]
        start = part["next_start"]
    assert rows == whole["rows"]
    assert bench.result("price_feed", **asked, limit=1)["summary"] == whole["summary"]


def test_a_summary_is_of_the_rows(bench: Bench, native: str) -> None:
    """First, last, extremes, mean and change come out of them; the extremes and volume of candles are their own."""
    shown = bench.result("price_feed", asset=native, start=utc_text(bench.world.clock.now - 3 * DAY_S), limit=500)
    prices = [Fraction(str(row["price"])) for row in shown["rows"]]
    summary = shown["summary"]
    assert (summary["first"]["price"], summary["last"]["price"]) == (
        shown["rows"][0]["price"],
        shown["rows"][-1]["price"],
    )
    assert Fraction(str(summary["lowest"]["price"])) == min(prices)
    assert Fraction(str(summary["highest"]["price"])) == max(prices)
    assert summary["mean"] == pytest.approx(float(sum(prices) / len(prices)), rel=1e-11)
    assert summary["change_percent"] == pytest.approx(float((prices[-1] / prices[0] - 1) * 100), abs=1e-6)
    shown = bench.result(
        "price_feed", asset=native, start=utc_text(bench.world.clock.now - 9 * DAY_S), source="binance", limit=500
    )
    rows, summary = shown["rows"], shown["summary"]
    assert Decimal(summary["highest"]["price"]) == max(Decimal(row["high"]) for row in rows)
    assert Decimal(summary["lowest"]["price"]) == min(Decimal(row["low"]) for row in rows)
    assert Decimal(summary["volume_base"]) == sum(Decimal(row["volume_base"]) for row in rows)
    assert summary["last"]["price"] == rows[-1]["close"]
    hour = 1_725_192_000
    rows = [
        [(hour + at * HOUR_S) * 1000, "5", high, low, "5", "1", (hour + at * HOUR_S + HOUR_S) * 1000 - 1, "5", 1]
        for at, (high, low) in enumerate([("6", "4"), ("9", "1"), ("7", "5")])
    ]
    summary = price_feed(told(LISTED, MARKETS, rows), "AC", start=hour, source="binance")["summary"]
    second = utc_text(hour + HOUR_S)
    assert summary["highest"] == {"price": "9", "candle_utc": second}
    assert summary["lowest"] == {"price": "1", "candle_utc": second}


@pytest.mark.parametrize("reply", [[], {}, {"a-coin": None}, {"a-coin": {"usd": 1}}])
def test_a_price_of_another_shape_is_a_miss(reply: Any) -> None:
    """A reply without the coin, or without its time, says nothing."""
    with pytest.raises(Miss):
        price_feed(told(LISTED, reply), "AC")
    with pytest.raises(Miss):
        price_feed(told(LISTED, MARKETS, reply), "AC", source="binance")


def test_figures_that_are_not_told() -> None:
    """A currency the vendor leaves out is refused; a cap or a change it does not tell is null, not zero."""
    with pytest.raises(ToolError, match="no price of A Coin in 'xyz'"):
        price_feed(told(LISTED, {"a-coin": STAMPED}), "AC", quote="xyz")
    shown = price_feed(told(LISTED, {"a-coin": {**STAMPED, "usd": 2, "usd_24h_change": None}}), "AC")
    assert shown["price"] == 2
    assert (shown["market_cap"], shown["change_24h_percent"]) == (None, None)


def _coin(number: int, cap: Any = 1) -> dict[str, Any]:
    return {"id": f"coin-{number}", "symbol": f"c{number % 5}", "name": f"Coin {number}", "market_cap": cap}


@pytest.mark.parametrize(
    ("by", "figure"),
    [
        ("market_cap", "market_cap_usd"),
        ("volume", "volume_24h_usd"),
        ("1h", "change_1h_percent"),
        ("change", "change_24h_percent"),
        ("change 7d", "change_7d_percent"),
        ("price", "price_usd"),
        ("FDV", "fully_diluted_valuation_usd"),
    ],
)
def test_a_ranking_is_in_order(bench: Bench, by: str, figure: str) -> None:
    """Positions count from 1 down the figure that was asked for, and up it when ascending; all coins are counted."""
    down = bench.call("ranking_query", by=by, limit=100).result
    values = [coin[figure] for coin in down["coins"] if coin["position"] is not None]
    assert values == sorted(values, reverse=True)
    assert [coin["position"] for coin in down["coins"][: len(values)]] == list(range(1, len(values) + 1))
    assert (down["ranked"], down["ranked"] + down["without_figure"]) == (len(values), len(down["coins"]))
    assert down["all_listed"] is True
    up = bench.call("ranking_query", by=by, order="asc", limit=1).result
    assert up["coins"][0][figure] == values[-1]


def test_parts_filters_and_bounds(bench: Bench) -> None:
    """Picked coins keep their places among all, parts make up the whole, and a bound is told."""
    whole = bench.call("ranking_query", limit=100).result["coins"]
    one, two, three = whole[3], whole[11], whole[7]
    picked = bench.call(
        "ranking_query", symbols=[one["symbol"].lower(), two["name"], f"id:{three['id']}", "nosuch"]
    ).result
    assert picked["coins"] == [one, three, two]
    assert (picked["count"], picked["not_ranked"]) == (3, ["nosuch"])
    whole = bench.call("ranking_query", by="24h", limit=100).result
    found, offset = [], 0
    while offset is not None:
        part = bench.call("ranking_query", by="24h", limit=7, offset=offset).result
        found += part["coins"]
        offset = part["next_offset"]
    assert found == whole["coins"]
    five = bench.call("ranking_query", by="change_7d", among=5).result
    assert (five["count"], five["all_listed"]) == (5, False)
    assert {coin["market_cap_rank"] for coin in five["coins"]} == {1, 2, 3, 4, 5}


@given(st.lists(st.none() | st.integers(0, 5) | st.floats(-5, 5), max_size=30), st.booleans())
def test_no_figure_is_no_place(caps: list[Any], down: bool) -> None:
    """Coins without the figure come last and have no place; equal ones keep the vendor's order either way."""
    rows = [_coin(number, cap) for number, cap in enumerate(caps)]
    shown = ranking_query(told(rows), order="descending" if down else "ascending", limit=100)["coins"]
    known = [(caps[number], number) for number in range(len(caps)) if caps[number] is not None]
    judge = sorted(known, key=lambda found: (-found[0] if down else found[0], found[1]))
    assert [coin["id"] for coin in shown if coin["position"]] == [f"coin-{number}" for _, number in judge]
    assert all(coin["position"] is None and coin["market_cap_usd"] is None for coin in shown[len(known) :])


def test_coins_of_pages() -> None:
    """Pages are read to the first short one, all coins of a ticker are told, one without has its place."""
    pages = [[_coin(number) for number in range(250)], [_coin(number) for number in range(245, 300)]]
    world = Told(*pages)
    shown = ranking_query(world, among=1_000)
    assert (shown["ranked"], shown["all_listed"], len(world.asked)) == (300, True, 2)
    assert ranking_query(told(pages[0]), among=250)["all_listed"] is False
    rows = [_coin(number) for number in range(10)]
    shown = ranking_query(told(rows), symbols=["$C2"])["coins"]
    assert [coin["id"] for coin in shown] == ["coin-2", "coin-7"]
    rows = [_coin(1) | {"symbol": None}, _coin(2) | {"name": None}]
    assert [coin["symbol"] for coin in ranking_query(told(rows))["coins"]] == [None, "C2"]
    assert ranking_query(told(rows), symbols=["", "coin-1"])["not_ranked"] == [""]


@pytest.mark.parametrize("reply", [{}, [None], [{"symbol": "a"}], [_coin(1) | {"symbol": 5}], [_coin(1, cap="much")]])
def test_a_list_of_another_shape_is_a_miss(reply: Any) -> None:
    """Nothing is ranked of what is no list of coins with numbers."""
    with pytest.raises(Miss):
        ranking_query(told(reply))
