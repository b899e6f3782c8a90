"""Stand-in replies of the vendors: shaped as theirs, and real in nothing that was not asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.binance_interval import Interval
from caia_replay.recording.plan_ask import DAY_S, Ask
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_explorer import (
    etherscan,
    page_stand_in,
    post_stand_in,
    ranked_posts,
    ranked_stand_ins,
    x_api,
)
from caia_replay.recording.plan_index import defillama
from caia_replay.recording.plan_market import binance, coin, coingecko, coins
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.tools.emission import emission_of
from caia_replay.tools.interface import read_interface
from caia_replay.tools.signature import parse_event, parse_signature
from caia_replay.tools.timeline import handle_argument
from caia_replay.world.clock import utc_text

NOW = 1_746_143_999


def ask(url: str = "https://a.example", hint: Hint | None = None, **arguments: Any) -> Ask:
    return Ask(HttpRequest("GET", url), STAND, NOW, arguments, ("ethereum", "base"), hint or Hint())


def test_a_request_is_told_apart_into_its_parts() -> None:
    """Host, path and parameters, unquoted where they were quoted; blanks are kept, what is no number is the default."""
    found = ask("https://API.example/v2/a%20b/c?x=1&y=&x=2")
    assert (found.host, found.path, found.parts) == ("api.example", "/v2/a%20b/c", ["v2", "a b", "c"])
    assert (found.last, ask("https://a.example").last, found.query) == ("c", "", {"x": "2", "y": ""})
    for text, value in (("7", 7), ("", 3), ("-1", 3), ("7.5", 3), ("٧", 3)):
        assert ask(f"https://a.example/?limit={text}").whole("limit", 3) == value
    days = ask().days(NOW - 10 * DAY_S, NOW, 5)
    assert len(days) == 5 and days[-1] == NOW - NOW % DAY_S and all(day % DAY_S == 0 for day in days)
    assert len(ask().days(NOW - 2 * DAY_S, NOW)) == 2


def test_every_coin_of_a_call_is_named_once() -> None:
    """Texts and lists of texts, their ends cut; what is no text is none."""
    found = ask("https://a.example/", asset=" $ETH ", token=None, symbols=["ETH", "BTC", 5])
    assert found.assets == ["ETH", "BTC", "5"]
    assert (found.text("asset"), found.text("token"), found.text("symbols")) == ("ETH", None, None)


@pytest.mark.parametrize(
    ("arguments", "day"),
    [
        ({"at": "31 May 2024"}, "2024-01-01"),
        ({"start": "2023-12-31", "end": "2025-01-01T00:00:00Z"}, "2023-01-01"),
        ({"at": 1_700_000_000}, "1970-01-01"),
        ({"start": "7 days ago"}, "2025-01-01"),
        ({}, "2025-01-01"),
    ],
)
def test_a_history_begins_before_what_is_asked(arguments: dict[str, Any], day: str) -> None:
    """With the earliest year that the call names, of seconds since 1970 with the first day, else some months ago."""
    assert utc_text(ask("https://a.example/", **arguments).since)[:10] == day


STAND = StandIn("a")


def explorer(action: str, hint: Hint | None = None, **more: str) -> Any:
    query = "&".join(f"{name}={value}" for name, value in {"action": action, **more}.items())
    return etherscan(ask(f"https://api.etherscan.io/v2/api?chainid=1&{query}", hint))["result"]


def test_an_interface_has_what_the_call_names() -> None:
    """Functions and the event with the hashes they are looked up by; a creation is before now, other actions empty."""
    function = parse_signature("quote((address,uint24)[],bytes32)(uint256,(bool,string))")
    event = parse_event("Moved(address indexed from, (uint256,address) what)")
    hint = Hint([function], parse_signature("transfer(address to, uint256 n)"), event)
    found = read_interface(json.loads(explorer("getabi", hint, address="0x1")))
    assert {one.canonical for one in found.functions.values()} == {function.canonical, "transfer(address,uint256)"}
    assert [one.canonical for one in found.events.values()] == [event.canonical]
    assert read_interface(json.loads(explorer("getabi", address="0x1"))).functions == {}
    row = explorer("getcontractcreation", contractaddresses="0x1")[0]
    assert row["contractAddress"] == "0x1" and int(row["timestamp"]) < NOW
    assert MARK.fullmatch(row["txHash"]) and MARK.fullmatch(row["contractCreator"]) and row["blockNumber"].isdecimal()
    for action in ("getsourcecode", "txlistinternal", "ethsupply", "tokentx", "nothing"):
        assert explorer(action) is not None


def test_an_account_posts_as_many_as_are_asked() -> None:
    """One account a handle, with the name it was asked by, and a page of posts in the order of time."""
    users = x_api(ask("https://api.x.com/2/users/by?usernames=uniswap"))["data"]
    assert [user["username"] for user in users] == ["uniswap"]
    posts = x_api(ask(f"https://api.x.com/2/users/{users[0]['id']}/tweets?max_results=5"))["data"]
    assert len(posts) == 5 and [post["created_at"] for post in posts] == sorted(
        (post["created_at"] for post in posts), reverse=True
    )
    assert x_api(ask("https://api.x.com/2/tweets/search/all")) == {"data": []}


def test_pages_and_posts_say_nothing_real() -> None:
    """Titles, texts, addresses and authors are marked; authors could be handles."""
    assert MARK.fullmatch(page_stand_in(STAND, "https://a.example/", NOW).text)
    assert all(MARK.search(one.page.url) for one in ranked_stand_ins(STAND, "query", 3, NOW))
    for post in (*(one.post for one in ranked_posts(STAND, "query", 3, NOW)), post_stand_in(STAND, "x", NOW, "7")):
        assert MARK.fullmatch(post.text) and handle_argument(post.author) == post.author
    assert post_stand_in(STAND, "x", NOW, "7").id == "7"


API = "https://api.llama.fi"


def told(url: str, **arguments: Any) -> Any:
    return defillama(ask(url, **arguments))


@pytest.mark.parametrize(
    ("text", "slug"),
    [("slug:aave-v3", "aave-v3"), ("Aave V3", "aave-v3"), ("LDO", None), ("lido", None), ("id:lido-dao", None)],
)
def test_a_protocol_has_the_slug_of_its_name(text: str, slug: str | None) -> None:
    """A slug is as it is and a name makes one; of a token's ticker and of a coin's id it is a stand-in."""
    (row,) = told(f"{API}/protocols", protocol=text)
    assert row["slug"] == slug if slug else MARK.fullmatch(row["slug"])


@pytest.mark.parametrize("page", ["overview/dexs", "overview/fees/Base", "summary/dexs/uniswap-v3"])
def test_flows_have_their_days_and_their_parts(page: str) -> None:
    """Days of all, and for each day whose they were: protocols of an overview, chains of a summary."""
    found = told(f"{API}/{page}", exchange="Uniswap V3", chain="Base")
    assert len(found["totalDataChart"]) == len(found["totalDataChartBreakdown"]) > 100
    assert ("Base" in found["totalDataChartBreakdown"][0][1]) == page.startswith("summary")


def test_a_calendar_is_one_and_not_under_a_ticker_coins_id() -> None:
    """Of a known coin the first file is there; of a ticker the coin's own file is not, so that the next is asked."""
    files = "https://defillama-datasets.llama.fi/emissions"
    assert len(emission_of(told(f"{files}/arbitrum", asset="id:arbitrum"), "arbitrum").labels) == 3
    missing = told(f"{files}/{StandIn('a').word('coin arb')}", asset="ARB")
    assert missing is None


GECKO, SPOT = "https://api.coingecko.com/api/v3", "https://api.binance.com/api/v3"


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
    """A quote that was not asked is a stand-in; coin and market cost alike; capitals alone are a ticker."""
    named = binance(ask(f"{SPOT}/exchangeInfo", asset="ETH", quote="usdt"))["symbols"]
    assert [row["symbol"] for row in named] == ["ETHUSDT"]
    assert MARK.search(binance(ask(f"{SPOT}/exchangeInfo", asset="ETH"))["symbols"][0]["symbol"])
    price = coingecko(ask(f"{GECKO}/simple/price?ids=a&vs_currencies=usd"))["a"]["usd"]
    assert str(price) == binance(ask(f"{SPOT}/ticker/24hr?symbol=AB"))["lastPrice"]
    for text, is_known in (("ETH", True), ("Lido DAO", False), ("solana", False)):
        assert (coin(ask(), text)["symbol"] == text.lower()) == is_known
    # So that the tools look whose market it is, as they do wherever tickers are shared.
    assert [one["symbol"] for one in coins(ask(asset="id:ethereum"))].count(coin(ask(), "id:ethereum")["symbol"]) == 2
    assert len(coins(ask(asset="ETH"))) == 1
    for url in (f"{GECKO}/ping", f"{GECKO}/", f"{SPOT}/x?symbol=A", "https://api.binance.com/"):
        assert (coingecko if "gecko" in url else binance)(ask(url)) is not None


def test_an_index_lists_what_it_was_asked_by() -> None:
    """Chains by name, of a ticker or id a stand-in; histories up to today; a protocol's parts; other pages empty."""
    assert told(f"{API}/v2/chains", chain="Ethereum")[0]["name"] == "Ethereum"
    coin = told(f"{API}/v2/chains", chain="ETH")[0]
    assert coin["tokenSymbol"] == "ETH" and MARK.search(coin["name"])
    numbered = told(f"{API}/v2/chains", chain="8453")[0]
    assert numbered["chainId"] == 8453 and MARK.search(numbered["name"])
    for path in ("v2/historicalChainTvl", "v2/historicalChainTvl/Base"):
        days = [point["date"] for point in told(f"{API}/{path}")]
        assert days == sorted(set(days)) and days[-1] == NOW - NOW % 86_400 and len(days) > 100
    parts = told(f"{API}/protocol/aave-v3", protocol="Aave V3", chain="Base", part="borrowed")["chainTvls"]
    assert set(parts) == {"Base", "borrowed", "Base-borrowed"}
    for page in ("userData/users/1", "activeUsers"):
        assert told(f"https://pro-api.llama.fi/SCRUBBED/api/{page}")
    assert told(f"{API}/raises") == {} == told(f"{API}/")
