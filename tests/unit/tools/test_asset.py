"""Assets by name, the venue's markets of them, and prices: of now, of a moment, over a window."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.overlay import Overlay, PlantedBody
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.asset import COINGECKO, FUTURES, SPOT, Asset, futures_symbol, resolve_asset, spot_symbol
from caia_replay.tools.call_view import CallView
from tests.unit.tools.conftest import Bench

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


def view(late: Bench, replies: dict[str, Any]) -> CallView:
    """The task's world in which remote APIs answer these requests so."""
    bodies = tuple(
        PlantedBody("planted", "t", "", "GET", url, "", reply if isinstance(reply, str) else json.dumps(reply))
        for url, reply in replies.items()
    )
    return CallView(late.world.world.task(late.task, Overlay("c", bodies=bodies)))


@pytest.fixture
def listed(late: Bench) -> CallView:
    """A world in which the made-up coins are listed."""
    return view(late, {LIST: COINS})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("id:vela", "vela"), (" ID: vela-2 ", "vela-2"), ("Vela Reborn", "vela-2"), ("xrn", "orn"), ("$XRN", "orn"),
        ("'orn protocol'", "orn"), ("id:orn", "orn"), ("id:orn-token", "orn-token"), ("brm", "brim"), ("BRIM", "brim"),
        ("br\u0456m", "br\u0456m"), ("0x" + "a1" * 20, "vela"), ("0x" + "A1" * 20, "vela"), ("nls", "nameless"),
        ("quiet", "no-ticker"), ("cap_id", "Cap_Id"), ("id:Cap_Id", "Cap_Id"), ("So1AnaBase58", "Cap_Id"),
    ],
)  # fmt: skip
def test_one_asset_by_any_of_its_names(listed: CallView, text: str, wanted: str) -> None:
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
def test_what_could_be_two_or_is_not_listed_is_refused(listed: CallView, text: str, words: str) -> None:
    """Equal tickers, one address on two networks: with what chooses; nothing is not everything; a slip's nearest."""
    with pytest.raises(ToolError, match=words) as caught:
        resolve_asset(listed, text)
    assert len(str(caught.value)) < 400


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=12) | st.sampled_from([str(value) for coin in COINS for value in coin.values()]))
def test_only_an_equal_name_is_found(listed: CallView, text: str) -> None:
    """What is found bears the text as one of its names, but for case and what is written around them."""
    try:
        found = resolve_asset(listed, text)
    except ToolError:
        return
    names = {name.lower() for name in (found.id, found.symbol, found.name, *found.platforms.values())}
    assert text.strip().strip("'\"`$").strip().lower().removeprefix("id:").strip() in names


@pytest.mark.parametrize(
    "told",
    ["{}", "null", "7", '"text"', "[1]", "[null]", "[[]]", '[{"id":"x"}]', '[{"symbol":"x","name":"x"}]',
     '[{"id":"x","symbol":"x","name":"x","platforms":[1]}]', '[{"id":"x","symbol":"x","name":"x","platforms":{"a":1}}]',
     "not json", "", "[NaN]", "[" * 1000],
)  # fmt: skip
def test_a_list_of_another_shape_is_a_miss(late: Bench, told: str) -> None:
    """What a stranger recorded is read as a list of coins or told as not recorded, never an error of ours."""
    with pytest.raises(Miss):
        resolve_asset(view(late, {LIST: told}), "x")


def test_odd_lists(late: Bench) -> None:
    """Without a list no asset is known, nothing names none; networks bear our names, Solana's case stays."""
    with pytest.raises(ToolError, match="not by nothing"):
        resolve_asset(view(late, {LIST: [coin for coin in COINS if coin["id"] != "nameless"]}), " ")
    with pytest.raises(Miss):
        resolve_asset(CallView(late.world), "vela")
    told = {"binance-smart-chain": "0xA1", "arbitrum-one": "0xA2", "optimistic-ethereum": "0xA3", "polygon-pos": "0xA4",
            "xdai": "0xA5", "avalanche": "0xA6", "ethereum": "0xA7", "some-rollup": "0xA8"}  # fmt: skip
    both = {"bsc": "0xB1", "binance-smart-chain": "0xB2"}
    coins = [{"id": name, "symbol": name, "name": name, "platforms": at} for name, at in (("a", told), ("b", both))]
    world = view(late, {LIST: coins})
    assert resolve_asset(world, "a").platforms == {
        "bsc": "0xa1", "arbitrum": "0xa2", "optimism": "0xa3", "polygon": "0xa4", "gnosis": "0xa5", "avalanche": "0xa6",
        "ethereum": "0xa7", "some-rollup": "0xa8",
    }  # fmt: skip
    assert resolve_asset(world, "b").platforms == {"bsc": "0xb1", "binance-smart-chain": "0xb2"}
    world = view(late, {LIST: COINS})
    for text in ("So1AnaBase58", "so1anabase58"):
        assert resolve_asset(world, text).platforms == {"sol": "So1AnaBase58"}
    assert resolve_asset(world, "id:vela").platforms["one"] == "0x" + "a1" * 20


def market(symbol: str, base: str, quote: str, **more: str) -> dict[str, str]:
    """A market as the venue lists it."""
    return {"symbol": symbol, "baseAsset": base, "quoteAsset": quote, **more}


def test_a_market_by_asset_and_quote(late: Bench) -> None:
    """The only market needs no quote, several do; of futures the perpetual one is meant; no other asset's stands in."""
    markets = [market("VLAUSD", "VLA", "USD"), market("VLAEUR", "VLA", "EUR"), market("CAPUSD", "CAP", "USD")]
    world = view(late, {f"{SPOT}/exchangeInfo": {"symbols": markets}})
    vela, cap, orn = (Asset(name, ticker, name, {}) for name, ticker in (("v", "vla"), ("c", "Cap"), ("o", "orn")))
    assert spot_symbol(world, cap) == spot_symbol(world, cap, " usd ") == "CAPUSD"
    assert spot_symbol(world, vela, "EUR") == "VLAEUR"
    with pytest.raises(ToolError, match="give quote: USD, EUR"):
        spot_symbol(world, vela)
    for asset, quote in ((orn, None), (vela, "GBP"), (vela, ""), (Asset("q", "", "Quiet", {}), None)):
        with pytest.raises(ToolError, match="no market"):
            spot_symbol(world, asset, quote)
    dated = [market("VLAUSD_240927", "VLA", "USD", contractType="CURRENT_QUARTER")]
    ours = [*dated, market("VLAUSD", "VLA", "USD", contractType="PERPETUAL")]
    asked = f"{FUTURES}/fapi/v1/exchangeInfo"
    vela = Asset("v", "vla", "Vela", {})
    assert futures_symbol(view(late, {asked: {"symbols": ours}}), vela) == "VLAUSD"
    with pytest.raises(ToolError, match="no market"):
        futures_symbol(view(late, {asked: {"symbols": dated}}), vela)


@pytest.mark.parametrize(("costs", "own"), [(2.0, True), (0.02, False), (200.0, False)])
@pytest.mark.parametrize("of_now", [True, False])
def test_a_namesake_is_not_shown_anothers_market(late: Bench, costs: float, own: bool, of_now: bool) -> None:
    """Of coins with one ticker the market is the one's whose price it has, now or at the last full hours."""
    hour = late.task.anchor.timestamp // 3600 * 3600
    chart = f"{COINGECKO}/coins/vela/market_chart/range?vs_currency=usd&from={hour - 259_200}&to={hour}"
    klines = f"{SPOT}/klines?symbol=VLAUSD&interval=1h&endTime={hour * 1000 - 1}&limit=1"
    bodies: dict[str, Any] = {LIST: COINS, f"{SPOT}/exchangeInfo": {"symbols": [market("VLAUSD", "VLA", "USD")]}}
    if of_now:
        bodies[f"{COINGECKO}/simple/price?ids=vela&vs_currencies=usd"] = {"vela": {"usd": costs}}
        bodies[f"{SPOT}/ticker/24hr?symbol=VLAUSD"] = {"lastPrice": "2.10"}
    else:
        bodies[chart] = {"prices": [[hour * 1000 - 3_600_000, 7.0], [hour * 1000, costs]]}
        bodies[klines] = [[0, "1", "3", "1", "2.1", "9"]]
    world = view(late, bodies)
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
                spot_symbol(view(late, bodies | {url: empty}), vela)


@pytest.mark.parametrize(
    "told", ["{}", "[]", "null", '{"symbols":null}', '{"symbols":[1]}', '{"symbols":[{"symbol":"X"}]}']
)
def test_markets_of_another_shape_are_a_miss(late: Bench, told: str) -> None:
    """What a stranger recorded is read as markets or told as not recorded."""
    with pytest.raises(Miss):
        spot_symbol(view(late, {f"{SPOT}/exchangeInfo": told}), Asset("v", "vla", "Vela", {}))
