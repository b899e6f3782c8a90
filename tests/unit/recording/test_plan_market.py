from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.binance_interval import Interval
from caia_replay.recording.plan_ask import Ask
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_market import binance, coin, coingecko, coins
from caia_replay.recording.plan_stand_in import MARK, StandIn

NOW = 1_746_143_999
GECKO, SPOT = "https://api.coingecko.com/api/v3", "https://api.binance.com/api/v3"


def ask(url: str = GECKO, **arguments: Any) -> Ask:
    return Ask(HttpRequest("GET", url), StandIn("a"), NOW, arguments, ("ethereum", "base"), Hint())


@pytest.mark.parametrize(
    ("text", "known"), [("id:ethereum", "id"), ("ETH", "symbol"), ("Lido DAO", "name"), ("0x" + "ab" * 20, "platforms")]
)
def test_a_coin_is_known_by_what_was_asked_alone(text: str, known: str) -> None:
    """An id tells no ticker and a ticker no id: what was not asked is a stand-in."""
    found = coin(ask(), text)
    unknown = {"id": ["symbol", "name"], "platforms": ["id", "symbol", "name"]}.get(known, ["id"])
    assert all(MARK.search(str(found[name])) for name in unknown)
    if known == "platforms":
        assert set(found["platforms"].values()) == {text}
    else:
        assert str(found[known]).lower() == text.lower().removeprefix("id:")


@pytest.mark.parametrize(("text", "is_known"), [("ETH", True), ("Lido DAO", False), ("solana", False)])
def test_only_capitals_are_a_ticker(text: str, is_known: bool) -> None:
    """What may be a name or an id leaves the ticker, and so the market, to the list of coins."""
    assert (coin(ask(), text)["symbol"] == text.lower()) == is_known


def test_a_coin_named_by_its_id_has_a_namesake() -> None:
    """So that the tools look whose market it is, as they do wherever tickers are shared."""
    assert [one["symbol"] for one in coins(ask(asset="id:ethereum"))].count(coin(ask(), "id:ethereum")["symbol"]) == 2
    assert len(coins(ask(asset="ETH"))) == 1


@pytest.mark.parametrize(("more", "step"), [("&interval=daily", 86_400), ("", 3_600)])
def test_chart_points_lie_in_their_window(more: str, step: int) -> None:
    """On whole days or hours, from the first to the last second asked for."""
    first, last = NOW - 9 * 86_400, NOW - 3_600
    url = f"{GECKO}/coins/ethereum/market_chart/range?vs_currency=usd&from={first}&to={last}{more}"
    times = [row[0] // 1000 for row in coingecko(ask(url))["prices"]]
    assert times and all(first <= at <= last and at % step == 0 for at in times)


def test_candles_are_on_the_venues_grid() -> None:
    """As many as fit below the limit, none that opens after the end or after now."""
    for name in ("1h", "1w", "1M"):
        url = f"{SPOT}/klines?symbol=ETHUSDT&interval={name}&startTime=1700000000000&endTime=1745000000000&limit=100"
        opened = [row[0] for row in binance(ask(url))]
        assert opened and opened[-1] <= 1_745_000_000_000 and len(opened) <= 100
        assert all(Interval(name).floor(at) == at for at in opened)
    assert binance(ask(f"{SPOT}/klines?symbol=A&interval=7h")) == []


def test_a_market_is_of_the_asked_coin_and_quote() -> None:
    """A quote that was not asked is a stand-in: which markets there are is the venue's to say."""
    named = binance(ask(f"{SPOT}/exchangeInfo", asset="ETH", quote="usdt"))["symbols"]
    assert [row["symbol"] for row in named] == ["ETHUSDT"]
    assert MARK.search(binance(ask(f"{SPOT}/exchangeInfo", asset="ETH"))["symbols"][0]["symbol"])


def test_price_and_market_agree() -> None:
    """A coin costs what its market trades at, or the tools would take them for two."""
    told = coingecko(ask(f"{GECKO}/simple/price?ids=a&vs_currencies=usd"))["a"]["usd"]
    assert str(told) == binance(ask(f"{SPOT}/ticker/24hr?symbol=AB"))["lastPrice"]


@pytest.mark.parametrize("url", [f"{GECKO}/ping", f"{GECKO}/", f"{SPOT}/x", "https://api.binance.com/"])
def test_any_other_path_is_answered_with_something(url: str) -> None:
    """An endpoint that no tool has today breaks no plan tomorrow."""
    assert (coingecko if "gecko" in url else binance)(ask(url + "?symbol=A" if url.endswith("x") else url)) is not None
