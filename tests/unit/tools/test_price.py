from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.price import price_feed
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.short_economy import ShortEconomy
from tests.told import told
from tests.tool_draw.market import DRAWS, INSIDE
from tests.tool_law import check_law
from tests.unit.tools.conftest import Bench

LISTED = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {}}]
MARKETS = {"symbols": [{"symbol": "ACUSD", "baseAsset": "AC", "quoteAsset": "USD"}]}
STAMPED = {"last_updated_at": 1_725_203_188}


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every answer is the living origin's; inside what is recorded there is no miss, and most calls are answered."""
    check_law("price_feed", draws["price_feed"], short_world, short_economy.origin, inside=draws is INSIDE)


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
    """The recorded point at or before the moment answers on either source, and its own time is told."""
    moment = (bench.world.clock.now - 4 * DAY_S) // HOUR_S * HOUR_S
    for source in ("coingecko", "binance"):
        exact = bench.result("price_feed", asset=native, at=moment, source=source)
        assert exact["time_utc"] == exact["asked_utc"] == utc_text(moment)
        later = bench.result("price_feed", asset=native, at=moment + HOUR_S - 1, source=source)
        assert (later["time_utc"], later["price"]) == (exact["time_utc"], exact["price"])


def test_the_sources_agree_at_full_hours(bench: Bench, native: str) -> None:
    """In this world the venue's close of an hour is the index's price of the next one's first second."""
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
    """First, last, extremes, mean and change come out of the rows themselves."""
    told = bench.result("price_feed", asset=native, start=utc_text(bench.world.clock.now - 3 * DAY_S), limit=500)
    prices = [Fraction(str(row["price"])) for row in told["rows"]]
    summary = told["summary"]
    assert (summary["first"]["price"], summary["last"]["price"]) == (
        told["rows"][0]["price"],
        told["rows"][-1]["price"],
    )
    assert Fraction(str(summary["lowest"]["price"])) == min(prices)
    assert Fraction(str(summary["highest"]["price"])) == max(prices)
    assert summary["mean"] == pytest.approx(float(sum(prices) / len(prices)), rel=1e-11)
    assert summary["change_percent"] == pytest.approx(float((prices[-1] / prices[0] - 1) * 100), abs=1e-6)


def test_a_venues_history_has_its_own_extremes(bench: Bench, native: str) -> None:
    """The highest price of candles is that of their highs, and the volume is all of theirs."""
    told = bench.result(
        "price_feed", asset=native, start=utc_text(bench.world.clock.now - 9 * DAY_S), source="binance", limit=500
    )
    rows, summary = told["rows"], told["summary"]
    assert Decimal(summary["highest"]["price"]) == max(Decimal(row["high"]) for row in rows)
    assert Decimal(summary["lowest"]["price"]) == min(Decimal(row["low"]) for row in rows)
    assert Decimal(summary["volume_base"]) == sum(Decimal(row["volume_base"]) for row in rows)
    assert summary["last"]["price"] == rows[-1]["close"]


def test_extremes_lie_within_candles() -> None:
    """The highest price is that of the highest candle, whatever it closed at."""
    hour = 1_725_192_000
    rows = [
        [(hour + at * HOUR_S) * 1000, "5", high, low, "5", "1", (hour + at * HOUR_S + HOUR_S) * 1000 - 1, "5", 1]
        for at, (high, low) in enumerate([("6", "4"), ("9", "1"), ("7", "5")])
    ]
    summary = price_feed(told(LISTED, MARKETS, rows), "AC", start=hour, source="binance")["summary"]
    second = utc_text(hour + HOUR_S)
    assert summary["highest"] == {"price": "9", "candle_utc": second}
    assert summary["lowest"] == {"price": "1", "candle_utc": second}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"at": "now", "start": "1 day ago"}, "not both"),
        ({"end": "now"}, "needs a start"),
        ({"start": "1 day ago", "end": "2 days ago"}, "is after end"),
        ({"at": "2099-01-01"}, "not come yet"),
        ({"limit": 0}, "goes from 1 to 500"),
        ({"quote": "¥"}, "several currencies"),
        ({"at": "1 day ago", "interval": "weekly"}, "hourly"),
        ({"source": "binance", "interval": "3M", "at": "now"}, "one of"),
        ({"source": "binance", "quote": "xyz"}, "no market"),
        ({"source": "kraken"}, "binance"),
    ],
)
def test_what_cannot_be_meant_is_refused(bench: Bench, native: str, arguments: Any, words: str) -> None:
    """A call that contradicts itself, or asks for what is not there, is told what would do."""
    reply = bench.call("price_feed", **{"asset": native, **arguments})
    assert reply.served is Served.ERROR
    assert words in str(reply.error)


def test_a_currency_that_is_not_told_is_refused() -> None:
    """The vendor leaves out a currency that it does not know; no price is made of that."""
    with pytest.raises(ToolError, match="no price of A Coin in 'xyz'"):
        price_feed(told(LISTED, {"a-coin": STAMPED}), "AC", quote="xyz")


@pytest.mark.parametrize("reply", [[], {}, {"a-coin": None}, {"a-coin": {"usd": 1}}])
def test_a_price_of_another_shape_is_a_miss(reply: Any) -> None:
    """A reply without the coin, or without its time, says nothing."""
    with pytest.raises(Miss):
        price_feed(told(LISTED, reply), "AC")
    with pytest.raises(Miss):
        price_feed(told(LISTED, MARKETS, reply), "AC", source="binance")


def test_a_figure_that_is_not_known_is_null() -> None:
    """A cap or change that the vendor does not tell is null, not zero."""
    shown = price_feed(told(LISTED, {"a-coin": {**STAMPED, "usd": 2, "usd_24h_change": None}}), "AC")
    assert shown["price"] == 2
    assert (shown["market_cap"], shown["change_24h_percent"]) == (None, None)
