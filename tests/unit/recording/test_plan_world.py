"""The world of stand-ins that a task is dry-run in: pages, vendors' replies and chains."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import Miss, ToolError
from caia_replay.recording.live_search import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan_ask import Ask
from caia_replay.recording.plan_chain import KNOWN, Hint, PlanChain, PlanFork
from caia_replay.recording.plan_explorer import etherscan, page_stand_in, post_stand_in, ranked_posts, ranked_stand_ins
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.recording.plan_world import PlanWorld
from caia_replay.tools.interface import read_interface
from caia_replay.tools.signature import decode_outputs, parse_event, parse_signature
from caia_replay.tools.timeline import handle_argument

NOW = 1_746_143_999


def world(anchor: Anchor | None = None, chains: tuple[str, ...] = ("ethereum", "base")) -> PlanWorld:
    return PlanWorld(anchor or Anchor("ethereum", -1, NOW), NOW, StandIn("a"), chains, 30_000_000)


def test_searches_are_the_recorders_own() -> None:
    """The search API and the archive are asked as a recording asks them; what cannot be read is refused before."""
    found = world()
    found.search("unlock dates", 7, tbs="qdr:w")
    assert found.asked[0] == (web_question("unlock dates", "qdr:w", NOW), True)
    listings, pages = found.asked[1::2], found.asked[2::2]
    assert len(listings) == len(pages) == FIRST_RESULTS
    assert all("web.archive.org/cdx" in one.request.url for one in listings)
    found.search_posts("unlock", 5)
    assert found.asked[-1] == (posts_question("unlock", NOW), False)
    found.post("17")
    assert found.asked[-1].request == posts_question("conversation:17", NOW)
    found = world()
    for search in (found.search, found.search_posts):
        with pytest.raises(ToolError, match="is no window"):
            search("a", 5, tbs="next tuesday")
    with pytest.raises(ToolError):
        found.page("not an address")
    assert found.asked == []
    with pytest.raises(Miss):
        found.answer(HttpRequest("GET", "https://a.example/"))
    found = world()
    found.page("https://web.archive.org/web/20250101000000id_/https://a.example/")
    assert [one.is_wide for one in found.asked] == [True]


def test_forks_stand_up_to_the_newest_block() -> None:
    """A recorded height is the newest one; of a moment the newest is a stand-in above all that the steps name."""
    assert world(Anchor("ethereum", 19_560_000, -1)).newest("ethereum") == 19_560_000
    found = world()
    assert found.newest("ethereum") > 30_000_000 != found.newest("base")
    with found.fork(7, "base") as fork:
        assert (fork.block, fork.snapshot.name) == (7, "base")
    with pytest.raises(ToolError, match="does not exist"), found.fork(found.newest("base") + 1, "base"):
        pass


@pytest.mark.parametrize(
    "url",
    ["https://api.coingecko.com/api/v3/coins/list", "https://fapi.binance.com/fapi/v1/exchangeInfo",
     "https://api.llama.fi/protocols", "https://api.etherscan.io/v2/api?action=x", "https://api.x.com/2/users/by"],
)  # fmt: skip
def test_every_vendor_of_the_tools_is_answered(url: str) -> None:
    """With status 200 and JSON, noted, altered by nobody; a token's calendar that may not be there with 404."""
    found = world()
    reply, _ = found.answer(HttpRequest("GET", url))
    assert reply.status == 200 and found.asked == [(HttpRequest("GET", url), False)]
    assert found.alteration(found.asked[0].request)[1] == ""
    assert found.posts() == () and found.planted.posts == {}
    slug = StandIn("a").word("coin arb")
    found.calling.arguments = {"asset": "ARB"}
    reply, _ = found.answer(HttpRequest("GET", f"https://defillama-datasets.llama.fi/emissions/{slug}"))
    assert reply.status == 404 and MARK.search(slug)


USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"


def chain(name: str = "ethereum", newest: int = 22_000_000) -> PlanChain:
    return PlanChain(name, newest, NOW, StandIn("a"))


@given(st.sampled_from([*KNOWN, "nobody's"]), st.integers(0, 10**9), st.lists(st.integers(0, 10**9), min_size=2))
def test_blocks_stand_in_the_order_of_time(name: str, newest: int, heights: list[int]) -> None:
    """A later block is never earlier, the newest is of the task's moment, and none is older than any chain."""
    found = chain(name, newest)
    times = [found.time(height) for height in sorted(min(height, newest) for height in heights)]
    assert times == sorted(times) and found.time(newest) == NOW and times[0] >= 1_438_000_000


def test_a_view_function_returns_its_types() -> None:
    """What a call's hint or a standard names decodes; anything else is refused or a miss, made up for nobody."""
    found = chain()
    own = parse_signature("quote(uint256)(uint256,address,string)")
    found.hint.functions.append(own)
    fork = PlanFork(found, found.newest)
    for signature in (own, parse_signature("decimals()(uint8)"), parse_signature("symbol()(string)")):
        data = "0x" + signature.hash[:4].hex()
        assert decode_outputs(signature, fork.rpc("eth_call", [{"to": USDC, "data": data}, "latest"]))
    with pytest.raises(ToolError, match="not known before"):
        fork.rpc("eth_call", [{"to": USDC, "data": "0x12345678"}, "latest"])
    assert found.counts["eth_getCode"] > 0 and found.counts["eth_getStorageAt"] > 0
    found = chain()
    for wrong in (
        lambda: PlanFork(found, 1).rpc("eth_sendRawTransaction", ["0x"]),
        lambda: found.account(bytes(20), 1),
        lambda: found.code(bytes(32)),
        lambda: found.storage(bytes(20), bytes(32), 1),
        lambda: found.header(found.newest + 1),
    ):
        with pytest.raises(Miss):
            wrong()


def ask(url: str = "https://a.example", hint: Hint | None = None, **arguments: Any) -> Ask:
    return Ask(HttpRequest("GET", url), STAND, NOW, arguments, ("ethereum", "base"), hint or Hint())


STAND = StandIn("a")


def explorer(action: str, hint: Hint | None = None, **more: str) -> Any:
    query = "&".join(f"{name}={value}" for name, value in {"action": action, **more}.items())
    return etherscan(ask(f"https://api.etherscan.io/v2/api?chainid=1&{query}", hint))["result"]


def test_an_interface_has_what_the_call_names() -> None:
    """Functions and events with their hashes, creations before now, coins once; pages and posts say nothing real."""
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
    assert MARK.fullmatch(page_stand_in(STAND, "https://a.example/", NOW).text)
    assert all(MARK.search(one.page.url) for one in ranked_stand_ins(STAND, "query", 3, NOW))
    for post in (*(one.post for one in ranked_posts(STAND, "query", 3, NOW)), post_stand_in(STAND, "x", NOW, "7")):
        assert MARK.fullmatch(post.text) and handle_argument(post.author) == post.author
    assert post_stand_in(STAND, "x", NOW, "7").id == "7"
    found = ask("https://a.example/", asset=" $ETH ", token=None, symbols=["ETH", "BTC", 5])
    assert found.assets == ["ETH", "BTC", "5"]
    assert (found.text("asset"), found.text("token"), found.text("symbols")) == ("ETH", None, None)


API = "https://api.llama.fi"
