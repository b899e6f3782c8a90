import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.defillama import API, COINS, DATASETS, PRO, DefiLlamaService, origin_of
from caia_replay.origin.services.service import Asked


@pytest.fixture(scope="module")
def service(scene: Scene, book: MarketBook) -> DefiLlamaService:
    """The index of the small economy."""
    return DefiLlamaService(Metrics(scene, book))


def status(service: DefiLlamaService, origin: str, path: str, now: int) -> int:
    return service.answer(Asked("GET", path, {}, origin=origin), now).status


def test_every_page_is_found_by_its_host_or_by_its_path(scene: Scene, service: DefiLlamaService) -> None:
    """Each host has its own pages; asked by another name, the path says whose it is."""
    now, network = scene.main.calendar.midnight(50) + 9, scene.networks["main"].id
    slug, unlock = scene.projects["exchange"].id, scene.projects["lend"].id
    pages = {
        API: ("/protocols", f"/protocol/{slug}", f"/tvl/{slug}", "/v2/chains", "/charts", f"/charts/{network}",
              "/v2/historicalChainTvl", f"/v2/historicalChainTvl/{network}",
              "/overview/dexs", f"/overview/fees/{network}",
              f"/summary/dexs/{slug}", "/overview/open-interest"),
        COINS: (f"/prices/current/coingecko:{network}", f"/prices/historical/{now - 5}/coingecko:{network}",
                "/prices/first/a:b", f"/chart/coingecko:{network}", "/percentage/a:b", f"/block/{network}/{now - 5}"),
        DATASETS: (f"/emissions/{unlock}",),
        PRO: ("/SCRUBBED/api/emissions", f"/SCRUBBED/api/emission/{unlock}", "/SCRUBBED/api/activeUsers",
              "/SCRUBBED/api/userData/users/1", "/SCRUBBED/api/protocols", "/SCRUBBED/coins/prices/first/a:b"),
    }  # fmt: skip
    for origin, paths in pages.items():
        for path in paths:
            assert status(service, origin, path, now) == status(service, "https://127.0.0.1:1", path, now) == 200, path
            assert origin_of(Asked("GET", path, {}).segments()) == origin
    assert status(service, COINS, "/protocols", now) == status(service, API, "/block/a/1", now) == 404
    assert status(service, API, "/nothing", now) == status(service, DATASETS, "/emissions", now) == 404
    assert service.answer(Asked("POST", "/protocols", {}, origin=API), now).status == 404


def test_what_is_paid_for_is_refused_without_a_key(scene: Scene, service: DefiLlamaService) -> None:
    """Emissions and users are refused with 402 where no key is in the path; too many requests are a 429."""
    now = scene.main.calendar.midnight(50)
    for origin, path in ((API, "/emissions"), (API, "/emission/a"), (API, "/activeUsers"), (PRO, "/api/emissions")):
        answer = service.answer(Asked("GET", path, {}, origin=origin), now)
        assert answer.status == 402 and "paid API plan" in answer.content["message"]
    busy = service.busy(Asked("GET", "/protocols", {}))
    assert busy.status == 429 and busy.headers["Retry-After"] == "10"
