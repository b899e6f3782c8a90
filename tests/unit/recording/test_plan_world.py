"""The world of stand-ins that a task is dry-run in: pages, hosts and chains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.etherscan_height import nearest_block
from caia_replay.recording.live_search import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan_chain import KNOWN, PlanChain, PlanFork
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.recording.plan_world import PlanWorld
from caia_replay.tools.signature import decode_event, decode_outputs, parse_event, parse_signature

NOW = 1_746_143_999


def world(anchor: Anchor | None = None, chains: tuple[str, ...] = ("ethereum", "base")) -> PlanWorld:
    return PlanWorld(anchor or Anchor("ethereum", -1, NOW), NOW, StandIn("a"), chains, 30_000_000)


def test_searches_are_the_recorders_own() -> None:
    """The search API and the archive of posts are asked as a live recording asks them, pages as of the moment."""
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


def test_forks_stand_up_to_the_newest_block() -> None:
    """A recorded height is the newest one; of a moment the newest is a stand-in above all that the steps name."""
    assert world(Anchor("ethereum", 19_560_000, -1)).newest("ethereum") == 19_560_000
    found = world()
    assert found.newest("ethereum") > 30_000_000 != found.newest("base")
    with found.fork(7, "base") as fork:
        assert (fork.block, fork.snapshot.name) == (7, "base")
    with pytest.raises(ToolError, match="does not exist"), found.fork(found.newest("base") + 1, "base"):
        pass


def test_a_chain_without_a_fork_is_refused() -> None:
    """Solana is in no plan's forks, and a chain that no step names neither."""
    found = world(Anchor("solana", -1, NOW), ("solana", "base"))
    assert list(found.chains) == ["base"]
    for name in ("solana", "optimism"):
        with pytest.raises(ToolError, match="has no fork here"):
            found.newest(name)


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


def test_a_moment_is_found_among_them() -> None:
    """The tools' own search by time finds a block, each header asked once; ids are the chain's own or stand-ins."""
    found = chain()
    height = nearest_block(found, NOW - 86_400, after=False, newest=found.newest)
    assert abs(found.time(height) - (NOW - 86_400)) < 15
    asked = found.counts["eth_getBlockByNumber"]
    found.header(height)
    assert 10 < asked == found.counts["eth_getBlockByNumber"] < 100
    assert (chain().chain_id, chain("base").chain_id) == (1, 8453)
    assert chain("nobody's").chain_id != PlanChain("nobody's", 1, NOW, StandIn("b")).chain_id


def test_a_view_function_returns_its_types() -> None:
    """What the call's hint or a standard names decodes; anything else is refused, as nobody knows it yet."""
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


def test_logs_decode_as_the_event_that_is_asked() -> None:
    """Topics that were given are kept, the others and the data are of the event's types."""
    found = chain()
    event = found.hint.event = parse_event("Moved(address indexed from, bytes32 indexed key, string what, uint256 n)")
    topic = "0x" + "00" * 12 + USDC[2:]
    query = {"address": USDC, "topics": ["0x" + event.hash.hex(), topic, None], "fromBlock": "0x0", "toBlock": "0x64"}
    logs = PlanFork(found, found.newest).rpc("eth_getLogs", [query])
    assert logs and all(log["topics"][1] == topic for log in logs)
    assert all(decode_event(event, log["topics"], log["data"])["from"] == USDC for log in logs)
    assert found.counts["eth_getLogs"] == 1


def test_what_no_tool_asks_is_a_miss() -> None:
    """Nothing is made up for a method, an account, a code or a slot that tools read by themselves."""
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


def test_what_cannot_be_read_is_refused_before_anything_is_asked() -> None:
    """A window as the world itself refuses it, what is no address, and a host that no tool asks; a capture is read."""
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


def test_transactions_and_accounts_are_made_up_once() -> None:
    """An input is of the function that the call names; an account's balance, nonce and code are asked once."""
    found = chain()
    fork = PlanFork(found, found.newest)
    assert fork.rpc("eth_getBalance", [USDC, "latest"]) == fork.rpc("eth_getBalance", [USDC, "latest"])
    assert found.counts == {"eth_getBalance": 1, "eth_getTransactionCount": 1, "eth_getCode": 1}
    found.hint.called = parse_signature("swap(uint256 amount, address[] path)")
    sent = fork.rpc("eth_getTransactionByHash", ["0x" + "5b" * 32])
    assert sent["input"].startswith("0x" + found.hint.called.hash[:4].hex())
    assert len(fork.rpc("eth_getTransactionReceipt", [sent["hash"]])["logs"]) == 2
    assert int(sent["blockNumber"], 16) < found.newest
