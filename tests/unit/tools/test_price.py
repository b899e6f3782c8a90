"""price_feed, ranking_query and trend_detection, exact figures, and what market tools refuse."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.figure import change_percent, decimal_text, exact, percent, significant, total
from caia_replay.tools.price import price_feed
from caia_replay.tools.ranking import ranking_query
from caia_replay.tools.tool_context import ToolContext
from caia_replay.tools.trend import trend_detection
from caia_replay.world.clock import utc_text
from tests.told import Told, told
from tests.unit.tools.conftest import Desk

LISTED = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {}}]
MARKETS = {"symbols": [{"symbol": "ACUSD", "baseAsset": "AC", "quoteAsset": "USD"}]}
STAMPED = {"last_updated_at": 1_725_203_188}


def test_prices_of_now_and_of_a_moment(bench: Desk, native: str) -> None:
    """In the currencies that are recorded; a moment has the point before it; the two sources agree at full hours."""
    listed = ToolContext(bench.world).ask(f"{COINGECKO}/coins/list", include_platform="true")
    symbol = next(coin["symbol"] for coin in listed if f"id:{coin['id']}" == native)
    asset = next(f"id:{coin['id']}" for coin in listed if coin["platforms"])
    dollars, coins = bench.result("price_feed", asset=asset), bench.result("price_feed", asset=asset, quote=symbol)
    assert dollars["time_utc"] == utc_text(bench.world.clock.now)
    assert (dollars["quote"], coins["quote"]) == ("usd", symbol)
    for shown in (dollars, coins):
        assert all(isinstance(shown[name], (int, float)) for name in ("price", "market_cap", "volume_24h"))
    assert dollars["price"] != coins["price"]
    assert bench.result("price_feed", asset=asset, quote="$") == dollars
    assert bench.call("price_feed", asset=asset, quote="GBP").served is Served.MISS
    moment = (bench.world.clock.now - 4 * DAY_S) // HOUR_S * HOUR_S
    for source in ("coingecko", "binance"):
        exact = bench.result("price_feed", asset=native, at=moment, source=source)
        assert exact["time_utc"] == exact["asked_utc"] == utc_text(moment)
        later = bench.result("price_feed", asset=native, at=moment + HOUR_S - 1, source=source)
        assert (later["time_utc"], later["price"]) == (exact["time_utc"], exact["price"])
    moment = (bench.world.clock.now - 2 * DAY_S) // HOUR_S * HOUR_S
    venue = bench.result("price_feed", asset=native, at=moment, source="binance")
    assert Decimal(venue["price"]) == Decimal(str(bench.result("price_feed", asset=native, at=moment)["price"]))


def test_a_history_is_told_in_parts_and_summed_whole(bench: Desk, native: str) -> None:
    """Its summary is of its rows, or of candles; their extremes lie within them."""
    for source in ["coingecko", "binance"]:
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
    shown = bench.result("price_feed", asset=native, start=utc_text(bench.world.clock.now - 3 * DAY_S), limit=500)
    prices = [Fraction(str(row["price"])) for row in shown["rows"]]
    summary = shown["summary"]
    wanted = (shown["rows"][0]["price"], shown["rows"][-1]["price"])
    assert (summary["first"]["price"], summary["last"]["price"]) == wanted
    assert Fraction(str(summary["lowest"]["price"])) == min(prices)
    assert Fraction(str(summary["highest"]["price"])) == max(prices)
    assert summary["mean"] == pytest.approx(float(sum(prices) / len(prices)), rel=1e-11)
    assert summary["change_percent"] == pytest.approx(float((prices[-1] / prices[0] - 1) * 100), abs=1e-6)
    asked = {"asset": native, "start": utc_text(end - 9 * DAY_S), "source": "binance", "limit": 500}
    rows, summary = (bench.result("price_feed", **asked)[name] for name in ("rows", "summary"))
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


def test_replies_of_another_shape_are_misses() -> None:
    """Without the coin, its time or its numbers nothing is said or ranked; what is not told is refused or null."""
    for reply in [[], {}, {"a-coin": None}, {"a-coin": {"usd": 1}}]:
        with pytest.raises(Miss):
            price_feed(told(LISTED, reply), "AC")
        with pytest.raises(Miss):
            price_feed(told(LISTED, MARKETS, reply), "AC", source="binance")
    for reply in [{}, [None], [{"symbol": "a"}], [_coin(1) | {"symbol": 5}], [_coin(1, cap="much")]]:
        with pytest.raises(Miss):
            ranking_query(told(reply))
    with pytest.raises(ToolError, match="no price of A Coin in 'xyz'"):
        price_feed(told(LISTED, {"a-coin": STAMPED}), "AC", quote="xyz")
    shown = price_feed(told(LISTED, {"a-coin": {**STAMPED, "usd": 2, "usd_24h_change": None}}), "AC")
    assert shown["price"] == 2
    assert (shown["market_cap"], shown["change_24h_percent"]) == (None, None)


def _coin(number: int, cap: Any = 1) -> dict[str, Any]:
    return {"id": f"coin-{number}", "symbol": f"c{number % 5}", "name": f"Coin {number}", "market_cap": cap}


def test_a_ranking_is_in_order(bench: Desk) -> None:
    """By any figure, down or up; picked coins keep their places, parts make up the whole, a bound is told."""
    for by, figure in [
        ("market_cap", "market_cap_usd"), ("volume", "volume_24h_usd"), ("1h", "change_1h_percent"),
        ("change", "change_24h_percent"), ("change 7d", "change_7d_percent"), ("price", "price_usd"),
        ("FDV", "fully_diluted_valuation_usd"),
    ]:  # fmt: skip
        down = bench.call("ranking_query", by=by, limit=100).result
        values = [coin[figure] for coin in down["coins"] if coin["position"] is not None]
        assert values == sorted(values, reverse=True)
        assert [coin["position"] for coin in down["coins"][: len(values)]] == list(range(1, len(values) + 1))
        assert (down["ranked"], down["ranked"] + down["without_figure"]) == (len(values), len(down["coins"]))
        assert down["all_listed"] is True
        up = bench.call("ranking_query", by=by, order="asc", limit=1).result
        assert up["coins"][0][figure] == values[-1]
    whole = bench.call("ranking_query", limit=100).result["coins"]
    one, two, three = whole[3], whole[11], whole[7]
    names = [one["symbol"].lower(), two["name"], f"id:{three['id']}", "nosuch"]
    picked = bench.call("ranking_query", symbols=names).result
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


def _trend(name: str, change: float | None, volume: float | None = 1, cap: float | None = 1) -> dict[str, Any]:
    changes = {f"price_change_percentage_{length}_in_currency": change for length in ("1h", "24h", "7d")}
    return {"id": name, "symbol": name, "name": name, "market_cap_rank": None, "current_price": 1.5,
            "market_cap": cap, "total_volume": volume, **changes}  # fmt: skip


def _ids(part: Any) -> list[str]:
    return [coin["id"] for coin in part["coins"]]


def test_all_parts_at_once(bench: Desk) -> None:
    """Trends in the vendor's order, gainers rise, losers fall; one part asks for no other; period and volume decide."""
    result = bench.result("trend_detection", limit=5)
    recorded = ToolContext(bench.world).ask(f"{COINGECKO}/search/trending")["coins"]
    assert _ids(result["trending"]) == [entry["item"]["id"] for entry in recorded[:5]]
    assert result["trending"]["coins_in_all"] == len(recorded) > 5
    gained = [coin["change_24h_percent"] for coin in result["gainers"]["coins"]]
    lost = [coin["change_24h_percent"] for coin in result["losers"]["coins"]]
    assert gained == sorted(gained, reverse=True) and gained[-1] > 0
    assert lost == sorted(lost) and lost[-1] < 0
    ratios = [coin["volume_to_cap"] for coin in result["volume"]["coins"]]
    assert ratios == sorted(ratios, reverse=True)
    assert all("CoinGecko" in result[part]["source"] for part in ("trending", "gainers", "losers", "volume"))
    week = bench.result("trend_detection", part="gainers", period="a week", limit=50)
    assert set(week) == {"at_utc", "compared_coins", "gainers"} and week["gainers"]["source"].endswith("7d")
    assert set(bench.result("trend_detection", part="trending")) == {"at_utc", "trending"}
    traded = bench.result("trend_detection", part="gainers", period="7d", limit=50, min_volume_usd="25m")
    kept = [coin["id"] for coin in week["gainers"]["coins"] if coin["volume_24h_usd"] >= 25_000_000]
    assert _ids(traded["gainers"]) == kept and len(kept) < week["gainers"]["coins_in_all"]


def test_what_is_unknown_is_not_ranked() -> None:
    """It is counted and left out; who did not move is in no part; of pages a coin counts once."""
    rows = [
        _trend("b", 2.0),
        _trend("a", 2.0),
        _trend("new", None),
        _trend("still", 0),
        _trend("down", -1, None),
        _trend("x", 1, 1, 0),
    ]
    result = trend_detection(told({"coins": []}, rows))
    assert _ids(result["gainers"]) == ["a", "b", "x"] and _ids(result["losers"]) == ["down"]
    assert result["gainers"]["not_ranked"] == result["losers"]["not_ranked"] == 1
    assert result["volume"]["not_ranked"] == 2 and result["losers"]["coins"][0]["volume_to_cap"] is None
    counted = trend_detection(told(rows), part="losers", min_volume_usd=0)
    assert counted["compared_coins_of_that_volume"] == 5 and _ids(counted["losers"]) == []
    full = [_trend(f"c{at:03}", at) for at in range(250)]
    world = Told(full, [_trend("c249", 0), _trend("next", 999)])
    result = trend_detection(world, part="gainers", largest=1_000, limit=1)
    assert [sent["page"] for _, sent in world.asked] == [1, 2]
    assert result["compared_coins"] == 251 and _ids(result["gainers"]) == ["next"]
    ten = trend_detection(told(full), part="gainers", largest=10, limit=1)
    assert ten["compared_coins"] == 10 and _ids(ten["gainers"]) == ["c009"]


def test_trends_of_other_times_and_shapes() -> None:
    """Prices may be texts or missing; rows without the figures that are asked for, and NaN, are no figures."""
    for price, shown in [(1.5, 1.5), ("$1,204.50", 1204.5), ("$0.0<sub>5</sub>12", None), (None, None)]:
        item = {"id": "a", "symbol": "a", "name": "A", "data": {"price": price}}
        found = trend_detection(told({"coins": [{"item": item}]}), part="trending")
        assert found["trending"]["coins"][0]["price_usd"] == shown
        item = {"id": "a", "symbol": "a", "name": "A", "market_cap_rank": 3, "price_btc": 0.1, "score": 0}
        result = trend_detection(told({"coins": [{"item": item}], "exchanges": []}), part="trending")["trending"]
        assert result["coins"] == [{"rank": 1, "id": "a", "symbol": "A", "name": "A", "market_cap_rank": 3,
                                    "price_usd": None, "change_24h_percent": None}]  # fmt: skip
        assert result["categories"] == []
    for rows in [{"error": "x"}, ["a"], [{"id": "a"}], [_trend("a", True)], [_trend("a", 1, cap="much")]]:
        with pytest.raises(Miss, match="another shape"):
            trend_detection(told({"coins": []}, rows))
        with pytest.raises(Miss, match="another shape"):
            trend_detection(told(rows), part="trending")
    for value in [None, True, "", "1/0", "nan", [1], float("inf"), "1e999x"]:
        with pytest.raises(Miss):
            exact(value, "x")


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *(("trend_detection", asked, words) for asked, words in (
        ({"part": "whales"}, "it is one of all, trending"), ({"period": "30d"}, "it is one of 1h, 24h, 7d"),
        ({"limit": 51}, "it goes from 1 to 50"), ({"largest": 5}, "it goes from 10 to 1000"),
        ({"min_volume_usd": "-1"}, "trades less than nothing"), ({"min_volume_usd": "lots"}, "it takes a number"),
    )),
    *(("price_feed", asked, words) for asked, words in (
        ({"at": "now", "start": "1 day ago"}, "not both"), ({"end": "now"}, "needs a start"),
        ({"start": "1 day ago", "end": "2 days ago"}, "is after end"), ({"at": "2099-01-01"}, "not come yet"),
        ({"limit": 0}, "goes from 1 to 500"), ({"quote": "¥"}, "several currencies"),
        ({"at": "1 day ago", "interval": "weekly"}, "hourly"), ({"source": "kraken"}, "binance"),
        ({"source": "binance", "interval": "3M", "at": "now"}, "one of"),
        ({"source": "binance", "quote": "xyz"}, "no market"),
    )),
    *(("ranking_query", asked, "it ") for asked in (
        {"by": "sharpe"}, {"order": "sideways"}, {"limit": 101}, {"offset": -1}, {"among": 0})),
    *(("positioning_analysis", asked, words) for asked, words in (
        ({"metric": "now", "start": "1 day ago"}, "takes no start"), ({"metric": "vibes"}, "one of"),
        ({"metric": "taker", "period": "3d"}, "one of 5m"), ({"metric": "taker", "start": "31 days ago"}, "30 d"),
        ({"metric": "funding", "start": "now", "end": "1 day ago"}, "after end"),
        ({"metric": "funding", "limit": 501}, "from 1 to 500"), ({"metric": "funding", "quote": "xyz"}, "no market"),
    )),
    *(("volatility_alerts", asked, words) for asked, words in (
        ({"threshold_percent": 0}, "lies above 0"), ({"threshold_percent": "much"}, "takes a number"),
        ({"interval": "1M"}, "no fixed length"), ({"interval": "1d", "window": "30h"}, "whole candles of 1d"),
        ({"direction": "sideways"}, "both, up, down"), ({"order": "random"}, "time, size"),
        ({"start": "now", "end": "1 day ago"}, "after end"), ({"limit": 201}, "goes from 1 to 200"),
        ({"interval": "1m", "start": "30 days ago"}, "10,000"),
    )),
    *(("indicator_analysis", {"interval": "1h"} | asked, words) for asked, words in (
        ({"indicator": "momentum"}, "one of sma, ema"), ({"indicator": "rsi", "period": 1}, "it goes from 2 to 500"),
        ({"indicator": "macd", "period": [12, 26]}, "fast, slow, signal"),
        ({"indicator": "sma", "count": 101}, "it goes from 1 to 100"),
        ({"indicator": "sma", "at": "2030-01-01"}, "has not come yet"),
        ({"indicator": "bollinger", "deviations": 0}, "from above 0 to 10"),
        ({"indicator": "sma", "interval": "1y"}, "one of 1m"),
        ({"indicator": "sma", "quote": "no"}, "no market against"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "words"), REFUSED)
def test_what_cannot_be_meant_is_refused(bench: Desk, native: str, tool: str, arguments: Any, words: str) -> None:
    """A call that contradicts itself, or asks for what is not there, is told what would do."""
    asset = {} if tool in ("trend_detection", "ranking_query") else {"asset": native}
    assert words in bench.refusal(tool, **asset, **arguments)


RATIOS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**9)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=12)
WIDE = Context(prec=120, rounding=ROUND_HALF_EVEN)


@given(RATIOS, st.integers(0, 12))
def test_a_share_is_rounded_once_and_half_to_even(value: Fraction, places: int) -> None:
    """The text of a fraction is what the decimal module makes of it at those places."""
    divided = WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))
    judge = divided.quantize(Decimal(1).scaleb(-places), context=WIDE)
    assert Decimal(decimal_text(value, places)) == judge
    assert "e" not in decimal_text(value, places).lower()


@given(DECIMALS, st.floats(allow_nan=False, allow_infinity=False), st.lists(DECIMALS, max_size=30))
def test_figures_are_exact(value: Decimal, told_: float, values: list[Decimal]) -> None:
    """Decimals keep their digits, a float is the shortest decimal that means it, sums lose nothing."""
    assert Decimal(decimal_text(value)) == value and decimal_text(Decimal("0.00000001")) == "0.00000001"
    assert exact(told_, "x") == Fraction(repr(told_)) and exact("0.10", "x") == Fraction(1, 10)
    assert Fraction(total(values)) == sum(map(Fraction, values), Fraction(0))


@given(RATIOS, RATIOS)
def test_a_change_is_of_the_first(first: Fraction, last: Fraction) -> None:
    """The change in percent leads from the first to the last, and there is none from zero."""
    told = change_percent(first, last)
    if first == 0:
        assert told is None
    else:
        assert Fraction(Decimal(repr(told))) == pytest.approx((last / first - 1) * 100, rel=1e-9, abs=1e-6)


@given(RATIOS.filter(bool), st.integers(1, 15))
def test_significant_digits_hold(value: Fraction, digits: int) -> None:
    """A mean is right to as many digits as it is told with."""
    assert significant(value, digits) == float(f"{significant(value, digits):.{digits - 1}e}")
    assert abs(Fraction(significant(value, digits)) / value - 1) <= Fraction(51, 100 * 10 ** (digits - 1))
    assert percent(Fraction(1, 20)) == 5.0 and percent(Fraction(1, 3)) == 33.333333
