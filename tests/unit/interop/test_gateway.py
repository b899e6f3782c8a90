"""The gateway: recorded answers as they are, the fork behind JSON-RPC, and holes that look like no fact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from binance.client import Client
from hypothesis import given
from hypothesis import strategies as st
from pycoingecko import CoinGeckoAPI
from web3 import HTTPProvider, Web3

from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.tool import UNAVAILABLE, Served
from caia_replay.core.world import Page
from caia_replay.errors import ForkFault, ToolError
from caia_replay.interop.gateway import Gateway
from caia_replay.interop.rpc_error import REFUSED, REVERTED, rpc_error
from caia_replay.loopback import LONGEST_BODY_BYTES, LoopbackServer
from caia_replay.providers.reader.provider import page_request
from caia_replay.providers.search_api.provider import search_request
from caia_replay.store.world_folder import open_world
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def served(shipped: Path) -> Iterator[tuple[Gateway, str]]:
    folder = open_world(str(shipped))
    with FrozenWorld(folder) as world:
        gateway = Gateway(world.task(folder.task(folder.suite.active()[0])))
        with LoopbackServer(gateway) as server:
            yield gateway, server.url


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(trust_env=False, timeout=600) as made:
        yield made


def test_a_recorded_answer_comes_as_it_was_by_path_or_host(served: tuple[Gateway, str], client: httpx2.Client) -> None:
    """Both ways to name the vendor lead to the same bytes by the world's clock; the first page says what it is."""
    gateway, url = served
    world = gateway._world
    request = page_request(world.pages()[0].url)
    wanted, before = world.fetch(request), gateway.served[Served.HIT]
    parts = urlsplit(request.url)
    by_path = client.get(f"{url}/{parts.netloc}{parts.path}")
    by_host = client.get(f"{url}{parts.path}", headers={"Host": parts.netloc})
    assert by_path.content == by_host.content == wanted.body and by_path.status_code == wanted.status
    assert by_path.headers["date"] == by_host.headers["date"]
    assert gateway.served[Served.HIT] == before + 2
    told = client.get(url).json()
    assert told["provenance"] == "synthetic" and told["anchor"]["block"] == world.anchor.block
    assert told["served"] == {str(kind): count for kind, count in gateway.served.items()}


def test_a_search_is_ranked_by_the_local_index(served: tuple[Gateway, str], client: httpx2.Client) -> None:
    """As for the tools: never the recorded list, always the index, in the search API's shape."""
    gateway, url = served
    word = gateway._world.pages()[0].title.split()[0]
    request = search_request(word, 3)
    told = client.post(f"{url}/{urlsplit(request.url).netloc}/search", content=request.body).json()
    found = gateway._world.search(word, 3)
    assert [item["link"] for item in told["organic"]] == [result.page.url for result in found] and found
    assert told["searchParameters"]["num"] == 3 and gateway.served[Served.RANKED] >= 1


def test_a_search_is_paged_and_dated_by_the_worlds_clock(served: tuple[Gateway, str], client: httpx2.Client) -> None:
    """Pages go on, the past week is the week before the task's moment, and ages are told as of it."""
    gateway, url = served
    world, now = gateway._world, gateway._world.clock.now

    def ask(**question: object) -> list[dict[str, str]]:
        told = client.post(f"{url}/google.serper.dev/search", content=json.dumps(question)).json()
        return list(told["organic"])

    links = [result.page.url for result in world.search("MARE treasury", 4)]
    parts = [ask(q="MARE treasury", num=2, page=page) for page in (1, 2)]
    assert [item["link"] for part in parts for item in part] == links and len(links) == 4
    dates = {page.url: page.published or 0 for page in world.pages()}
    week = ask(q="MARE NORU", num=100, tbs="qdr:w")
    assert week and all(now - 7 * 86_400 <= dates[item["link"]] <= now for item in week)
    assert all((now - dates[item["link"]] < 7 * 86_400) == item["date"].endswith(" ago") for item in ask(q="MARE NORU"))
    news = client.post(f"{url}/google.serper.dev/news", content=b'{"q": "MARE", "num": 2}').json()["news"]
    assert [item["source"] in item["link"] for item in news] == [True, True]
    wrong = client.post(f"{url}/google.serper.dev/search", content=b'{"q": "MARE", "tbs": "tomorrow"}')
    assert wrong.status_code == 400


def test_planted_pages_are_found_and_read_and_none_of_later(shipped: Path, client: httpx2.Client) -> None:
    """Under a campaign a planted page is listed and read like any other; one of later is neither."""
    folder = open_world(str(shipped))
    with FrozenWorld(folder) as world:
        task = folder.task(folder.suite.active()[0])
        now = task.anchor.timestamp
        planted = [
            PlantedPage("a", task.id, "7", Page("https://x.example/now", "Zzyzx", "zzyzx 7", now)),
            PlantedPage("a", task.id, "7", Page("https://x.example/later", "Zzyzx", "zzyzx 7", now + 1)),
            PlantedPage("a", task.id, "7", Page("https://x.example/s", "Zzyzx", "zzyzx 7", None, first_seen=now + 1)),
        ]
        with LoopbackServer(Gateway(world.task(task, Overlay("c", tuple(planted))))) as server:
            asked = client.post(f"{server.url}/google.serper.dev/search", content=b'{"q": "zzyzx"}').json()
            assert [item["link"] for item in asked["organic"]] == ["https://x.example/now"]
            read = [client.get(f"{server.url}/r.jina.ai/{found.page.url}").status_code for found in planted]
            assert read == [200, 501, 501]


def test_what_is_not_recorded_is_no_vendors_status(served: tuple[Gateway, str], client: httpx2.Client) -> None:
    """Unknown hosts, pages and malformed addresses are told apart from facts; people get the nearest recording."""
    gateway, url = served
    for path in ("api.example.com/v1/price", "r.jina.ai/https://nowhere.example/x"):
        reply = client.get(f"{url}/{path}")
        assert reply.status_code == 501 and reply.json() == {"error": dict(UNAVAILABLE)}
    assert gateway.misses and gateway.served[Served.MISS] >= 2
    for path in ("%20/x", "a b@c/x", ":80/x"):
        assert client.get(f"{url}/{path}").status_code == 400


def test_web3_reads_the_fork_at_the_anchor(served: tuple[Gateway, str]) -> None:
    """An unmodified web3.py sees the task's block as the newest, by plain HTTP."""
    gateway, url = served
    web3, anchor = Web3(HTTPProvider(f"{url}/rpc")), gateway._world.anchor
    assert web3.is_connected() and web3.eth.accounts == [] and web3.eth.max_priority_fee == 0
    assert web3.client_version == "caia-replay" and gateway.served[Served.COMPUTED] >= 4
    assert web3.eth.gas_price == web3.eth.get_block("latest")["baseFeePerGas"]
    assert web3.eth.block_number == anchor.block
    assert web3.eth.get_block("latest")["timestamp"] == anchor.timestamp
    assert gateway.served[Served.FORK] >= 2 and gateway.about()["question"] == gateway._world.task.question


@pytest.mark.check
def test_an_earlier_block_is_stood_on_where_a_call_names_it() -> None:
    """Calls and balances at a height below the task's are executed there; a later height stays the future."""
    folder = open_world(str(PROJECT / "cassettes" / "synthetic-178"))
    task = anchored(folder, 80)
    with FrozenWorld(folder) as world, LoopbackServer(Gateway(world.task(task))) as server:
        # What is wrapped of the native coin moves from block to block.
        listed = ToolContext(world.task(task)).ask(f"{COINGECKO}/coins/list", include_platform="true")
        wrapped = next(coin for coin in listed if coin["id"] == f"wrapped-{task.anchor.chain}")
        call = {"to": Web3.to_checksum_address(wrapped["platforms"][task.anchor.chain]), "data": "0x18160ddd"}
        web3 = Web3(HTTPProvider(f"{server.url}/rpc"))
        supplies = [int.from_bytes(web3.eth.call(call, block)) for block in (100, task.anchor.block, "latest")]
        assert supplies[0] != supplies[1] == supplies[2] > 0
        with pytest.raises(Exception, match="later than the pinned block"):
            web3.eth.call(call, task.anchor.block + 1)


def test_json_rpc_faults_are_json_rpc_errors(served: tuple[Gateway, str], client: httpx2.Client) -> None:
    """Refusals, malformed calls and misses are told by code, in batches too, and never end the service."""
    _, url = served
    unknown = "0x" + "11" * 20

    def call(method: str, *params: object, number: int = 7) -> dict[str, object]:
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": list(params)}

    def ask(body: object) -> object:
        return client.post(f"{url}/rpc", content=json.dumps(body)).json()

    chain_id, sent, missed = ask(
        [call("eth_chainId"), call("anvil_setBalance", unknown, "0x1"), call("eth_getBalance", unknown, "latest")]
    )
    assert int(chain_id["result"], 16) > 0 and chain_id["id"] == 7
    assert sent["error"]["code"] == -32000 and "decree" in sent["error"]["message"]
    assert missed["error"]["code"] == -32004
    assert ask(5)["error"]["code"] == -32600 and ask([])["error"]["code"] == -32600
    assert ask(call("eth_chainId") | {"params": {}})["error"]["code"] == -32600
    assert client.post(f"{url}/rpc", content=b"{").json()["error"]["code"] == -32700


def test_a_notification_asks_nothing_and_too_much_is_refused(
    served: tuple[Gateway, str], client: httpx2.Client
) -> None:
    """A call without an id has no answer, alone or in a batch; a body beyond the bound is a 413, not a wait."""
    _, url = served
    silent, asked = {"jsonrpc": "2.0", "method": "eth_chainId"}, {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"}
    assert client.post(f"{url}/rpc", content=json.dumps(silent)).content == b""
    assert [one["id"] for one in client.post(f"{url}/rpc", content=json.dumps([silent, asked])).json()] == [1]
    assert client.post(f"{url}/rpc", content=b" " * (LONGEST_BODY_BYTES + 1)).status_code == 413
    endless = asked | {"method": "eth_call", "params": [{"data": "0x5b600056", "gas": "0xffffffffffffff"}, "latest"]}
    assert "gas" in client.post(f"{url}/rpc", content=json.dumps(endless)).json()["error"]["message"]


@pytest.mark.check
def test_stock_clients_are_pointed_at_the_gateway() -> None:
    """pycoingecko and python-binance, unmodified, read the shipped economy through nothing but another base address."""
    folder = open_world(str(PROJECT / "cassettes" / "synthetic-178"))
    task = anchored(folder, 50)
    hour = task.anchor.timestamp // 3_600 * 3_600
    with FrozenWorld(folder) as world, LoopbackServer(Gateway(world.task(task))) as server:
        coins = CoinGeckoAPI(retries=0)
        coins.api_base_url = f"{server.url}/api.coingecko.com/api/v3/"
        listed = coins.get_coins_markets("usd", per_page=5)
        assert coins.ping() and len(listed) == 5 and listed[0]["market_cap_rank"] == 1
        home = next(coin for coin in coins.get_coins_list(include_platform=True) if coin["platforms"])
        chart = coins.get_coin_market_chart_range_by_id(home["id"], "usd", hour - 96 * 3_600, hour - 24 * 3_600)
        assert len(chart["prices"]) == 73
        venue = Client(ping=False)
        venue.API_URL = f"{server.url}/api.binance.com/api"
        assert venue.ping() == {} and venue.get_server_time() == {"serverTime": task.anchor.timestamp * 1000}
        tickers = venue.get_all_tickers()
        candles = venue.get_klines(symbol=tickers[0]["symbol"], interval="1d", endTime=(hour - 86_400) * 1000, limit=3)
        assert len(candles) == 3 and all(len(candle) == 12 for candle in candles)
        with pytest.raises(ValueError, match="unavailable"):
            coins.get_coin_by_id("nobody-knows-it")


@given(st.text(max_size=40), st.binary(min_size=1, max_size=80))
def test_a_reverts_data_leaves_the_words_and_nothing_else_does(words: str, returned: bytes) -> None:
    """Data at the very end is told apart, with the code of a revert; other words and faults have the other code."""
    data = "0x" + returned.hex()
    assert rpc_error(ToolError(f"{words} (data {data})")) == {"code": REVERTED, "message": words, "data": data}
    for whole in (f"{words} (data {data}).", f"{words} (data 0x)", f"{words} data {data}."):
        assert rpc_error(ToolError(whole)) == {"code": REFUSED, "message": str(ToolError(whole))}
    assert rpc_error(ForkFault(words)) == {"code": -32000, "message": str(ForkFault(words))}
