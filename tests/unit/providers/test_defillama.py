from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.loopback import LoopbackServer
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from caia_worldgen.services.defillama import origin_of
from caia_worldgen.services.service import Services
from tests.defillama_world import IndexWorld, hold
from tests.provider_law import Replay


@pytest.fixture(scope="module")
def world(scene: Scene, book: MarketBook) -> IndexWorld:
    """Recordings of the small economy's index."""
    return IndexWorld(scene, book, DefiLlamaProvider())


def test_what_is_recorded_answers_as_live_would_and_nothing_else_does(world: IndexWorld) -> None:
    """Inside coverage the answer is the living one at that moment, outside it there is none; most draws are inside."""
    inside, drawn = hold(world, DefiLlamaProvider(), 200)
    assert drawn >= 150 and inside >= 0.7 * drawn, (inside, drawn)


def test_only_the_index_hosts_are_its_own() -> None:
    """It serves GET requests to the four hosts and nothing else; pages have no next page."""
    provider = DefiLlamaProvider()
    assert provider.match(HttpRequest("GET", "https://api.llama.fi/protocols"))
    assert provider.match(HttpRequest("GET", "https://coins.llama.fi/block/a/1"))
    assert not provider.match(HttpRequest("POST", "https://api.llama.fi/protocols"))
    assert not provider.match(HttpRequest("GET", "https://api.llama.fi.example/protocols"))
    assert provider.follow(HttpRequest("GET", "https://api.llama.fi/protocols"), HttpReply(200, {}, b"[]")) is None


def test_a_family_leaves_out_coins_windows_flags_and_keys() -> None:
    """Requests that could answer each other are of one family, others are not."""
    family = lambda url: DefiLlamaProvider().family(HttpRequest("GET", url))  # noqa: E731
    coins, api, pro = "https://coins.llama.fi", "https://api.llama.fi", "https://pro-api.llama.fi"
    alike = ((f"{coins}/prices/current/a:0x1", f"{coins}/prices/current/b:0x2,c:d?searchWidth=4h"),
             (f"{coins}/chart/a:b?period=1d&span=3&end=5", f"{coins}/chart/c:d?period=24h&start=9"),
             (f"{api}/overview/dexs", f"{api}/overview/dexs?dataType=dailyVolume&excludeTotalDataChart=true"),
             (f"{pro}/ONE/api/emissions", f"{pro}/OTHER/api/emissions"),
             (f"{api}/protocol/Some-Slug", f"{api}/protocol/some-slug"))  # fmt: skip
    for left, right in alike:
        assert family(left) == family(right)
    apart = ((f"{coins}/prices/historical/1/a:b", f"{coins}/prices/historical/2/a:b"),
             (f"{coins}/chart/a:b?period=1d", f"{coins}/chart/a:b?period=1h"),
             (f"{api}/overview/fees", f"{api}/overview/fees?dataType=dailyRevenue"),
             (f"{api}/emissions", f"{pro}/ONE/api/emissions"),
             (f"{coins}/percentage/a:b", f"{coins}/percentage/a:b?period=2d"))  # fmt: skip
    for left, right in apart:
        assert family(left) != family(right)


def test_widening_reaches_back_and_takes_charts_along() -> None:
    """A chart is recorded to its end from further back, a flow with its charts; what cannot be read stays as it is."""

    def widened(url: str) -> list[str]:
        return [one.url for one in DefiLlamaProvider().widen(HttpRequest("GET", url), 1_000_000)]

    coins, api = "https://coins.llama.fi", "https://api.llama.fi"
    assert widened(f"{coins}/chart/a:b?start=900000&span=3&period=1h") == [
        f"{coins}/chart/a:b?period=1h&end=907200&span=100"
    ]
    assert widened(f"{coins}/chart/a:b,c:d?period=1d") == [f"{coins}/chart/a:b,c:d?period=1d&end=1000000&span=100"]
    assert widened(f"{api}/overview/fees?excludeTotalDataChart=true&dataType=dailyRevenue") == [
        f"{api}/overview/fees?dataType=dailyRevenue"
    ]
    for plain in (f"{coins}/chart/a:b?period=soon", f"{coins}/chart/a:b?start=1&end=2", f"{api}/protocols"):
        assert widened(plain) == [plain]


def test_a_recorded_error_is_handed_out_at_its_own_time() -> None:
    """What was refused now is refused now, and a miss on any other day; that one has to pay holds for ever."""
    provider, now = DefiLlamaProvider(), 1_700_000_000
    asked = HttpRequest("GET", "https://api.llama.fi/protocol/nobody")
    refusal = HttpReply(400, {"date": formatdate(now, usegmt=True)}, b'{"message":"Protocol not found"}')
    assert provider.narrow([Recorded(asked, refusal)], asked, now) is refusal
    with pytest.raises(Miss, match="changes with time"):
        provider.narrow([Recorded(asked, refusal)], asked, now - 86_400)
    paid = HttpRequest("GET", "https://api.llama.fi/emissions")
    bill = HttpReply(402, {}, b'{"message":"Upgrade"}')
    assert provider.narrow([Recorded(paid, bill)], paid, now) is bill
    busy = Recorded(asked, HttpReply(429, refusal.headers, b"{}"))
    assert provider.narrow([busy, Recorded(asked, refusal)], asked, now) is refusal
    with pytest.raises(Miss):
        provider.narrow([busy], asked, now)
    broken = HttpRequest("GET", "https://coins.llama.fi/chart/a:b?start=1&end=2")
    both = HttpReply(400, {"date": formatdate(now, usegmt=True)}, b'{"message":"not both"}')
    assert provider.narrow([Recorded(broken, both)], broken, now) is both


def host_of(target: str) -> str:
    """Which of the vendor's hosts a path is of."""
    return origin_of([part for part in target.partition("?")[0].split("/") if part])


@pytest.mark.check
def test_the_sdk_from_pypi_reads_the_service_and_replay(world: IndexWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vendor's package for Python gets equal answers from the living service and out of recordings."""
    sdk = pytest.importorskip("defillama_sdk")
    now, provider, coins, answers = world.nows[1], DefiLlamaProvider(), world.known[:2], []
    for app in (Services([world.service], now), Replay(provider, world.recordings(now), now, host_of)):
        with LoopbackServer(app) as server:
            monkeypatch.setattr("defillama_sdk.client.BASE_URLS", dict.fromkeys(("main", "pro", "coins"), server.url))
            free, paid = sdk.DefiLlama(), sdk.DefiLlama({"api_key": "SCRUBBED"})
            answers.append(
                (
                    free.tvl.getProtocols(), free.tvl.getProtocol(world.slugs[1]), free.tvl.getHistoricalChainTvl(),
                    free.prices.getCurrentPrices(coins), free.prices.getHistoricalPrices(world.moments[0], coins),
                    free.prices.getFirstPrices(coins), free.volumes.getDexOverview(), paid.emissions.getAll(),
                )
            )  # fmt: skip
    assert answers[0] == answers[1] and answers[0][0] and answers[0][3]["coins"]
