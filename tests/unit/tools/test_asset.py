"""Assets by name and the venue's markets of them; candles and charts."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.overlay import Overlay, PlantedBody
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import COINGECKO, FUTURES, SPOT, Asset, futures_symbol, resolve_asset, spot_symbol
from caia_replay.tools.candle import INTERVALS, PAGE, Candle, candles, interval_argument, newest_candles, window_start
from caia_replay.tools.price import Point, point_at, points, step_argument
from caia_replay.tools.tool_context import ToolContext
from tests.told import Told, told
from tests.unit.tools.conftest import Desk

LIST = f"{COINGECKO}/coins/list?include_platform=true"
SHARED = "0x" + "ab" * 20
COINS = [
    {"id": "vela", "symbol": "vla", "name": "Vela", "platforms": {"one": "0x" + "A1" * 20, "two": "0x" + "A1" * 20}},
    {"id": "vela-2", "symbol": "VLA", "name": "Vela Reborn", "platforms": {"one": SHARED}},
    {"id": "orn", "symbol": "xrn", "name": "Orn Protocol", "platforms": {"": ""}},
    {"id": "orn-token", "symbol": "ORN", "name": "Orn", "platforms": {"two": SHARED}},
    {"id": "brim", "symbol": "brm", "name": "Brim", "platforms": None},
    {"id": "br\u0456m", "symbol": "\u0432rm", "name": "Br\u0456m", "platforms": {}},
    {"id": "wide", "symbol": "\uff22\uff32\uff2d", "name": "BRIM\u200b", "platforms": {}},
    {"id": "nameless", "symbol": "nls", "name": None, "platforms": {}},
    {"id": "no-ticker", "symbol": "", "name": "Quiet", "platforms": {}},
    {"id": "Cap_Id", "symbol": "cap", "name": "Cap", "platforms": {"sol": "So1AnaBase58"}},
]


def seen(late: Desk, replies: dict[str, Any]) -> ToolContext:
    """The task's world in which remote APIs answer these requests so."""
    bodies = tuple(
        PlantedBody("planted", "t", "", "GET", url, "", reply if isinstance(reply, str) else json.dumps(reply))
        for url, reply in replies.items()
    )
    return ToolContext(late.world.world.task(late.task, Overlay("c", bodies=bodies)))


@pytest.fixture
def listed(late: Desk) -> ToolContext:
    """A world in which the made-up coins are listed."""
    return seen(late, {LIST: COINS})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("id:vela", "vela"), (" ID: vela-2 ", "vela-2"), ("Vela Reborn", "vela-2"), ("xrn", "orn"), ("$XRN", "orn"),
        ("'orn protocol'", "orn"), ("id:orn", "orn"), ("id:orn-token", "orn-token"), ("brm", "brim"), ("BRIM", "brim"),
        ("br\u0456m", "br\u0456m"), ("0x" + "a1" * 20, "vela"), ("0x" + "A1" * 20, "vela"), ("nls", "nameless"),
        ("quiet", "no-ticker"), ("cap_id", "Cap_Id"), ("id:Cap_Id", "Cap_Id"), ("So1AnaBase58", "Cap_Id"),
    ],
)  # fmt: skip
def test_one_asset_by_any_of_its_names(listed: ToolContext, text: str, wanted: str) -> None:
    """Ticker, name, id and contract in any case; one contract on two networks is one asset; look-alikes are others."""
    assert resolve_asset(listed, text).id == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, r"could be 2 assets.*id:vela \(.*id:vela-2 \(") for text in ("vla", "VLA")),
        ("orn", r"could be 2 assets.*id:orn \(.*id:orn-token \("),
        (SHARED.upper(), r"could be 2 assets.*id:vela-2 \(.*id:orn-token \("),
        *((text, ".") for text in ("", "  ", "''", "$", "id:", "id:none", "none", "null", "zzz", "0x", "vl", "\0")),
        ("v" * 10**6, "."),
        ("vela rebor", r"nearest: Vela Reborn \(VLA, id:vela-2\)"),
    ],
)
def test_what_could_be_two_or_is_not_listed_is_refused(listed: ToolContext, text: str, words: str) -> None:
    """Equal tickers, one address on two networks: with what chooses; nothing is not everything; a slip's nearest."""
    with pytest.raises(ToolError, match=words) as caught:
        resolve_asset(listed, text)
    assert len(str(caught.value)) < 400


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=12) | st.sampled_from([str(value) for coin in COINS for value in coin.values()]))
def test_only_an_equal_name_is_found(listed: ToolContext, text: str) -> None:
    """What is found bears the text as one of its names, but for case and what is written around them."""
    try:
        found = resolve_asset(listed, text)
    except ToolError:
        return
    names = {name.lower() for name in (found.id, found.symbol, found.name, *found.platforms.values())}
    assert text.strip().strip("'\"`$").strip().lower().removeprefix("id:").strip() in names


def test_replies_of_another_shape_are_misses(late: Desk) -> None:
    """What a stranger recorded is read as coins and markets or told as not recorded."""
    named = '[{"id":"x","symbol":"x","name":"x","platforms":%s}]'
    odd = ("{}", "null", "7", '"text"', "[1]", "[null]", "[[]]", '[{"id":"x"}]', '[{"symbol":"x","name":"x"}]')
    for reply in (*odd, named % "[1]", named % '{"a":1}', "not json", "", "[NaN]", "[" * 1000):
        with pytest.raises(Miss):
            resolve_asset(seen(late, {LIST: reply}), "x")
    for reply in ["{}", "[]", "null", '{"symbols":null}', '{"symbols":[1]}', '{"symbols":[{"symbol":"X"}]}']:
        with pytest.raises(Miss):
            spot_symbol(seen(late, {f"{SPOT}/exchangeInfo": reply}), Asset("v", "vla", "Vela", {}))


def test_odd_lists(late: Desk) -> None:
    """Without a list no asset is known, nothing names none; networks bear our names, Solana's case stays."""
    with pytest.raises(ToolError, match="not by nothing"):
        resolve_asset(seen(late, {LIST: [coin for coin in COINS if coin["id"] != "nameless"]}), " ")
    with pytest.raises(Miss):
        resolve_asset(ToolContext(late.world), "vela")
    told = {"binance-smart-chain": "0xA1", "arbitrum-one": "0xA2", "optimistic-ethereum": "0xA3", "polygon-pos": "0xA4",
            "xdai": "0xA5", "avalanche": "0xA6", "ethereum": "0xA7", "some-rollup": "0xA8"}  # fmt: skip
    both = {"bsc": "0xB1", "binance-smart-chain": "0xB2"}
    coins = [{"id": name, "symbol": name, "name": name, "platforms": at} for name, at in (("a", told), ("b", both))]
    world = seen(late, {LIST: coins})
    assert resolve_asset(world, "a").platforms == {
        "bsc": "0xa1", "arbitrum": "0xa2", "optimism": "0xa3", "polygon": "0xa4", "gnosis": "0xa5", "avalanche": "0xa6",
        "ethereum": "0xa7", "some-rollup": "0xa8",
    }  # fmt: skip
    assert resolve_asset(world, "b").platforms == {"bsc": "0xb1", "binance-smart-chain": "0xb2"}
    world = seen(late, {LIST: COINS})
    for text in ("So1AnaBase58", "so1anabase58"):
        assert resolve_asset(world, text).platforms == {"sol": "So1AnaBase58"}
    assert resolve_asset(world, "id:vela").platforms["one"] == "0x" + "a1" * 20


def venue(symbol: str, base: str, quote: str, **more: str) -> dict[str, str]:
    """A market as the venue lists it."""
    return {"symbol": symbol, "baseAsset": base, "quoteAsset": quote, **more}


def test_a_market_by_asset_and_quote(late: Desk) -> None:
    """The only market needs no quote, several do; of futures the perpetual one is meant; no other asset's stands in."""
    markets = [venue("VLAUSD", "VLA", "USD"), venue("VLAEUR", "VLA", "EUR"), venue("CAPUSD", "CAP", "USD")]
    world = seen(late, {f"{SPOT}/exchangeInfo": {"symbols": markets}})
    vela, cap, orn = (Asset(name, ticker, name, {}) for name, ticker in (("v", "vla"), ("c", "Cap"), ("o", "orn")))
    assert spot_symbol(world, cap) == spot_symbol(world, cap, " usd ") == "CAPUSD"
    assert spot_symbol(world, vela, "EUR") == "VLAEUR"
    with pytest.raises(ToolError, match="give quote: USD, EUR"):
        spot_symbol(world, vela)
    for asset, quote in ((orn, None), (vela, "GBP"), (vela, ""), (Asset("q", "", "Quiet", {}), None)):
        with pytest.raises(ToolError, match="no market"):
            spot_symbol(world, asset, quote)
    dated = [venue("VLAUSD_240927", "VLA", "USD", contractType="CURRENT_QUARTER")]
    ours = [*dated, venue("VLAUSD", "VLA", "USD", contractType="PERPETUAL")]
    asked = f"{FUTURES}/fapi/v1/exchangeInfo"
    vela = Asset("v", "vla", "Vela", {})
    assert futures_symbol(seen(late, {asked: {"symbols": ours}}), vela) == "VLAUSD"
    with pytest.raises(ToolError, match="no market"):
        futures_symbol(seen(late, {asked: {"symbols": dated}}), vela)


@pytest.mark.parametrize(("costs", "own"), [(2.0, True), (0.02, False), (200.0, False)])
@pytest.mark.parametrize("of_now", [True, False])
def test_a_namesake_is_not_shown_anothers_market(late: Desk, costs: float, own: bool, of_now: bool) -> None:
    """Of coins with one ticker the market is the one's whose price it has, now or at the last full hours."""
    hour = late.task.anchor.timestamp // 3600 * 3600
    chart = f"{COINGECKO}/coins/vela/market_chart/range?vs_currency=usd&from={hour - 259_200}&to={hour}"
    klines = f"{SPOT}/klines?symbol=VLAUSD&interval=1h&endTime={hour * 1000 - 1}&limit=1"
    bodies: dict[str, Any] = {LIST: COINS, f"{SPOT}/exchangeInfo": {"symbols": [venue("VLAUSD", "VLA", "USD")]}}
    if of_now:
        bodies[f"{COINGECKO}/simple/price?ids=vela&vs_currencies=usd"] = {"vela": {"usd": costs}}
        bodies[f"{SPOT}/ticker/24hr?symbol=VLAUSD"] = {"lastPrice": "2.10"}
    else:
        bodies[chart] = {"prices": [[hour * 1000 - 3_600_000, 7.0], [hour * 1000, costs]]}
        bodies[klines] = [[0, "1", "3", "1", "2.1", "9"]]
    world = seen(late, bodies)
    vela = resolve_asset(world, "id:vela")
    assert vela.has_namesake and not resolve_asset(world, "id:orn").has_namesake
    if own:
        assert spot_symbol(world, vela) == "VLAUSD"
    else:
        with pytest.raises(ToolError, match="the market of another coin"):
            spot_symbol(world, vela)
    if not of_now:
        for url, empty, words in (
            (chart, {"prices": []}, "simple/price"), (klines, [], "simple/price"), (chart, {}, "another shape"),
        ):  # fmt: skip
            with pytest.raises(Miss, match=words):
                spot_symbol(seen(late, bodies | {url: empty}), vela)


NOON = 1_725_192_000
"""2024-09-01T12:00:00Z."""


@pytest.fixture(scope="module")
def view(bench: Desk) -> ToolContext:
    """The economy's last task: more hours than a page holds are past."""
    return ToolContext(bench.world)


@pytest.fixture(scope="module")
def coin(view: ToolContext, native: str) -> Asset:
    """The native coin."""
    return resolve_asset(view, native)


@pytest.fixture(scope="module")
def market(view: ToolContext, coin: Asset) -> str:
    """The native coin's market."""
    return spot_symbol(view, coin)


def _row(opened: int, **other: Any) -> list[Any]:
    row = [opened * 1000, "1.5", "2", "1", "1.75", "10", (opened + HOUR_S) * 1000 - 1, "16", 7, "5", "8", "0"]
    for place, value in other.items():
        row[int(place[1:])] = value
    return row


def test_candles_of_a_market(view: ToolContext, market: str) -> None:
    """More than a page is joined, the running one is not told, long ones are made of short ones, minutes missed."""
    noon = view.now // DAY_S * DAY_S - 12 * HOUR_S
    begun = int(view.chains[view.anchor.chain].header(0)["timestamp"], 16)
    found = candles(view, market, "1h", begun, view.now)
    assert len(found) == (view.now - begun) // HOUR_S > PAGE
    assert all(one.closed == other.opened for one, other in pairwise(found))
    assert all(one.low <= min(one.open, one.close) <= max(one.open, one.close) <= one.high for one in found)
    for interval in ("1h", "4h", "1d"):
        newest = newest_candles(view, market, interval, 1, view.now)[0]
        assert newest.closed <= view.now < newest.closed + (newest.closed - newest.opened)
    assert candles(view, market, "1h", noon, noon + HOUR_S - 1) == []
    assert [one.opened for one in candles(view, market, "1h", noon, noon + HOUR_S)] == [noon]
    assert candles(view, market, "1h", noon, view.now + 9 * DAY_S) == candles(view, market, "1h", noon, view.now)
    day = candles(view, market, "1d", noon - 2 * DAY_S, noon)[0]
    hours = candles(view, market, "1h", day.opened, day.closed)
    assert (day.open, day.close, len(hours)) == (hours[0].open, hours[-1].close, 24)
    assert (day.high, day.low) == (max(one.high for one in hours), min(one.low for one in hours))
    assert (day.volume, day.trades) == (sum(one.volume for one in hours), sum(one.trades for one in hours))
    with pytest.raises(Miss):
        newest_candles(view, market, "1m", 5, view.now)
    with pytest.raises((Miss, ToolError)):
        newest_candles(view, "NOSUCH", "1h", 5, view.now)


def test_replies_that_no_vendor_sends_are_misses() -> None:
    """Off the grid, outside what was asked for, out of order or of another shape: nothing is made of them."""
    for reply in [
        {"code": 0}, [[]], [_row(NOON, i1="free")], [_row(NOON, i4="NaN")], [_row(NOON, i8=None)], [_row(NOON + 1)],
        [_row(NOON - HOUR_S)], [_row(NOON + 9 * HOUR_S)], [_row(NOON), _row(NOON)], [_row(NOON + HOUR_S), _row(NOON)],
        [None],
    ]:  # fmt: skip
        with pytest.raises(Miss):
            candles(told(reply), "AB", "1h", NOON, NOON + 3 * HOUR_S)
    for reply in [[], {}, {"prices": []}, {**_chart(NOW), "prices": [[1]]}, {**_chart(NOW), "prices": [["x", 1.5]]},
        {**_chart(NOW), "prices": [[1, "1.5"]]}, {**_chart(NOW), "market_caps": None}]:  # fmt: skip
        with pytest.raises(Miss):
            points(told(reply, now=NOW), COIN, "usd", "hourly", NOW - DAY_S, NOW)


def test_pages_are_asked_for_as_the_venue_has_them() -> None:
    """A full page is followed by one from its end on; ten thousand candles are the most; every figure has its place."""
    first = [_row(NOON + at * HOUR_S) for at in range(PAGE)]
    last = NOON + 3 * PAGE * HOUR_S
    world = Told(first, [_row(NOON + PAGE * HOUR_S)], now=last)
    found = candles(world, "AB", "1h", NOON - 5, last)
    assert len(found) == PAGE + 1
    assert [asked["startTime"] for _, asked in world.asked] == [NOON * 1000, (NOON + PAGE * HOUR_S) * 1000]
    assert all(asked["endTime"] == (last - HOUR_S) * 1000 for _, asked in world.asked)
    with pytest.raises(ToolError, match="10,000"):
        candles(told(), "AB", "1m", NOON - 8 * DAY_S, NOON)
    one = candles(told([_row(NOON)]), "AB", "1h", NOON, NOON + HOUR_S)[0]
    figures = [Decimal(text) for text in ("1.5", "2", "1", "1.75", "10", "16")]
    assert one == Candle(NOON, NOON + HOUR_S, *figures, 7)


@given(st.sampled_from(INTERVALS), st.integers(1, 300), st.integers(10**9, NOON))
def test_a_count_of_candles_is_a_window(interval: str, count: int, until: int) -> None:
    """The window of the last candles begins where the first opens, so that exactly so many are over at its end."""
    first = window_start(interval, count, until)
    assert window_start(interval, count + 1, until) < first <= until
    assert window_start(interval, 1, window_start(interval, 1, until)) == window_start(interval, 2, until)


NOW = 1_725_203_188
"""2024-09-01T15:06:28Z."""
COIN = Asset("a-coin", "ac", "A Coin", {})


def _chart(*times: int) -> dict[str, Any]:
    return {name: [[time * 1000, 1.5] for time in times] for name in ("prices", "market_caps", "total_volumes")}


def test_intervals_and_steps_are_read_as_people_write_them() -> None:
    """Words and other units name the venue's own; a month is a capital M, and no other length is guessed."""
    read = {"1h": "1h", "60m": "1h", "Hourly": "1h", "1 day": "1d", "daily": "1d", "7d": "1w", "week": "1w",
            "1m": "1m", "1M": "1M", "monthly": "1M", "1H": "1h", "'4h'": "4h"}  # fmt: skip
    assert {text: interval_argument(text) for text in read} == read
    steps = {"hourly": "hourly", "1h": "hourly", "60 minutes": "hourly", "Daily": "daily", "1d": "daily",
             "24h": "daily", "5m": "5m", "5 min": "5m"}  # fmt: skip
    assert {text: step_argument(text) for text in steps} == steps
    for text in ("3M", "3d", "7h", "1s", "", "often"):
        with pytest.raises(ToolError, match="one of"):
            interval_argument(text)
    for text in ("4h", "weekly", ""):
        with pytest.raises(ToolError, match="hourly"):
            step_argument(text)


def test_points_of_a_chart(view: ToolContext, coin: Asset) -> None:
    """Hours are hours near now too, days midnights; a moment has the point at or before it, none before the listing."""
    for back in (2 * HOUR_S, DAY_S - 1, DAY_S, DAY_S + 5, 3 * DAY_S):
        found = points(view, coin, "usd", "hourly", view.now - back, view.now)
        assert [point.time % HOUR_S for point in found] == [0] * len(found)
        assert len(found) == view.now // HOUR_S - (view.now - back - 1) // HOUR_S
    hour = (view.now - 3 * DAY_S) // HOUR_S * HOUR_S
    here, next_one = points(view, coin, "usd", "hourly", hour, hour + HOUR_S)
    assert here.price != next_one.price
    for moment in (hour, hour + 1, hour + HOUR_S - 1):
        assert point_at(view, coin, "usd", "hourly", moment) == here
    assert point_at(view, coin, "usd", "hourly", hour + HOUR_S) == next_one
    found = points(view, coin, "eur", "daily", view.now - 5 * DAY_S, view.now)
    assert [point.time % DAY_S for point in found] == [0] * 5
    assert point_at(view, coin, "eur", "daily", view.now - DAY_S).time == (view.now - DAY_S) // DAY_S * DAY_S
    begun = int(view.chains[view.anchor.chain].header(0)["timestamp"], 16)
    assert points(view, coin, "usd", "hourly", begun - 3 * DAY_S, begun)[0].time >= begun
    with pytest.raises(ToolError, match="may not have been listed"):
        point_at(view, coin, "usd", "hourly", begun - DAY_S)


def test_points_outside_the_window_are_left_out() -> None:
    """An unknown figure is null; more days than the vendor tells, and a day too early, are refused."""
    world = Told(_chart(NOW - 25 * HOUR_S, NOW - HOUR_S, NOW), now=NOW)
    found = points(world, COIN, "usd", "hourly", NOW - HOUR_S, NOW)
    assert [point.time for point in found] == [NOW - HOUR_S, NOW]
    assert world.asked[0][1]["from"] == NOW - 25 * HOUR_S
    chart = {**_chart(NOW - 60, NOW), "market_caps": [[NOW * 1000, None]], "total_volumes": []}
    chart["prices"] = [[(NOW - 60) * 1000, None], [NOW * 1000, 2]]
    assert points(told(chart, now=NOW), COIN, "usd", "hourly", NOW - DAY_S, NOW) == [Point(NOW, 2, None, None)]
    for step, first, now, words in [
        ("daily", NOW // DAY_S * DAY_S, NOW // DAY_S * DAY_S + 60, "00:35"), ("daily", NOW - HOUR_S, NOW, "00:35"),
        ("hourly", NOW - 91 * DAY_S, NOW, "days"), ("daily", NOW - 366 * DAY_S, NOW, "days"),
        ("5m", NOW - 2 * DAY_S, NOW, "24 hours"),
    ]:  # fmt: skip
        with pytest.raises(ToolError, match=words):
            points(told(now=now), COIN, "usd", step, first, now)
