from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import Miss, ToolError
from caia_replay.recording.live_search import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.recording.plan_world import PlanWorld

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


def test_a_window_that_cannot_be_read_is_refused() -> None:
    """As the world itself refuses it, before anything is asked."""
    found = world()
    for search in (found.search, found.search_posts):
        with pytest.raises(ToolError, match="is no window"):
            search("a", 5, tbs="next tuesday")
    assert found.asked == []


def test_a_capture_is_read_as_it_is() -> None:
    """An address of the archive needs no list of captures; what is no address is refused."""
    found = world()
    found.page("https://web.archive.org/web/20250101000000id_/https://a.example/")
    assert [one.is_wide for one in found.asked] == [True]
    with pytest.raises(ToolError):
        found.page("not an address")


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
    """With status 200 and JSON, and the request is noted; nobody altered it."""
    found = world()
    reply, _ = found.answer(HttpRequest("GET", url))
    assert reply.status == 200 and found.asked == [(HttpRequest("GET", url), False)]
    assert found.alteration(found.asked[0].request)[1] == ""


def test_a_host_that_no_tool_asks_is_a_miss() -> None:
    """Nothing is made up for it."""
    with pytest.raises(Miss):
        world().answer(HttpRequest("GET", "https://a.example/"))


def test_a_calendar_that_may_not_be_there_is_not_found() -> None:
    """Status 404, as the index says it of a token without one."""
    slug = StandIn("a").word("coin arb")
    found = world()
    found.calling.arguments = {"asset": "ARB"}
    reply, _ = found.answer(HttpRequest("GET", f"https://defillama-datasets.llama.fi/emissions/{slug}"))
    assert reply.status == 404 and MARK.search(slug)
    assert found.posts() == () and found.planted.posts == {}
