"""trend_detection, exact figures, and what the market tools refuse."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.figure import change_percent, decimal_text, exact, percent, significant, total
from caia_replay.tools.trend import PAGE, trend_detection
from tests.told import Told, told
from tests.unit.tools.conftest import Bench


def _row(name: str, change: float | None, volume: float | None = 1, cap: float | None = 1) -> dict[str, Any]:
    changes = {f"price_change_percentage_{length}_in_currency": change for length in ("1h", "24h", "7d")}
    return {"id": name, "symbol": name, "name": name, "market_cap_rank": None, "current_price": 1.5,
            "market_cap": cap, "total_volume": volume, **changes}  # fmt: skip


def _ids(part: Any) -> list[str]:
    return [coin["id"] for coin in part["coins"]]


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
    """It is counted and left out; who did not move is in no part; of pages a coin counts once."""
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
    full = [_row(f"c{at:03}", at) for at in range(PAGE)]
    world = Told(full, [_row("c249", 0), _row("next", 999)])
    result = trend_detection(world, part="gainers", largest=1_000, limit=1)
    assert [sent["page"] for _, sent in world.asked] == [1, 2]
    assert result["compared_coins"] == PAGE + 1 and _ids(result["gainers"]) == ["next"]
    ten = trend_detection(told(full), part="gainers", largest=10, limit=1)
    assert ten["compared_coins"] == 10 and _ids(ten["gainers"]) == ["c009"]


@pytest.mark.parametrize(
    ("price", "shown"), [(1.5, 1.5), ("$1,204.50", 1204.5), ("$0.0<sub>5</sub>12", None), (None, None)]
)
def test_trends_of_other_times(price: Any, shown: float | None) -> None:
    """Prices may be texts, those that are no number null; replies of 2022 have no figures and no categories."""
    item = {"id": "a", "symbol": "a", "name": "A", "data": {"price": price}}
    found = trend_detection(told({"coins": [{"item": item}]}), part="trending")
    assert found["trending"]["coins"][0]["price_usd"] == shown
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
def test_what_cannot_be_meant_is_refused(bench: Bench, native: str, tool: str, arguments: Any, words: str) -> None:
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


@pytest.mark.parametrize("value", [None, True, "", "1/0", "nan", [1], float("inf"), "1e999x"])
def test_what_is_no_number_is_a_miss(value: Any) -> None:
    """Null, truth, NaN and lists are no figures, and never read as zero."""
    with pytest.raises(Miss):
        exact(value, "x")


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
