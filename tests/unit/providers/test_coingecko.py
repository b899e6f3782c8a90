"""The CoinGecko provider: the law, clients on replay, real bodies, and single cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.provider import CoinGeckoProvider
from caia_replay.providers.endpoint import answered_at
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from tests.coingecko_judge import real_recordings
from tests.coingecko_law import API, World, build, get, run
from tests.provider_law import live
from tests.vendor_description import VendorDescription

DAY = 86_400
PROVIDER = CoinGeckoProvider()


@pytest.fixture(scope="module")
def world(book: MarketBook, scene: Scene) -> World:
    return build(book, scene.networks)


def narrow(recordings: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
    """Out of all recordings of the request's family."""
    family = PROVIDER.family(request)
    return PROVIDER.narrow([one for one in recordings if PROVIDER.family(one.request) == family], request, now)


def test_the_law(world: World) -> None:
    """Covered questions are answered as by the living origin, all others are a Miss; most are covered."""
    tally = run(world, 150)
    assert tally[True] >= 0.7 * tally.total()


def test_what_is_exactly_recorded_is_handed_out_itself(world: World) -> None:
    """A HIT is the recording's own reply; a page whose figures are of another moment is a Miss."""
    end = world.moments[-1]
    for request in (get("/search/trending"), get("/global"), get("/coins/absent")):
        found = Recorded(request, live(world.service, request, end))
        assert PROVIDER.narrow([found], request, end) is found.reply
        with pytest.raises(Miss, match="at this moment"):
            PROVIDER.narrow([found], request, end - DAY)


def test_widened_requests_and_next_pages(world: World) -> None:
    """Cells are counted back from now, listings are followed to a short page, keys and headers are kept."""
    end = world.moments[-1]
    ask = HttpRequest("GET", f"{API}/coins/a/market_chart/range?vs_currency=usd&from={end - 95 * DAY}"
                             f"&to={end - 80 * DAY}&x_cg_demo_api_key=CG-synthetic", b"", {"a": "b"})  # fmt: skip
    wide = PROVIDER.widen(ask, end)
    assert [one.url.partition("&to=")[2].partition("&")[0] for one in wide] == [str(end), str(end - 90 * DAY)]
    assert all("x_cg_demo_api_key=CG-synthetic" in one.url and one.headers == {"a": "b"} for one in wide)
    rows = [{"id": str(number)} for number in range(250)]
    (listing,) = PROVIDER.widen(get("/coins/markets", vs_currency="usd", per_page=7, page=9), end)
    assert "per_page=250" in listing.url and "page=1&" in listing.url
    following = PROVIDER.follow(listing, HttpReply(200, {}, json.dumps(rows).encode()))
    assert following is not None and "page=2&" in following.url
    assert PROVIDER.follow(following, HttpReply(200, {}, json.dumps(rows[:9]).encode())) is None
    assert PROVIDER.follow(following, HttpReply(429, {}, b"{}")) is None


@pytest.mark.check
@pytest.mark.real
def test_widened_requests_fit_the_vendors_description(world: World, real_data: Path) -> None:
    """Every request that was recorded for the law, and what a few more kinds widen to."""
    judge = VendorDescription.load(real_data / "openapi" / "coingecko-demo-api.json")
    made = [one.request for one in (*world.at_end, *(one for made in world.at_moment.values() for one in made))]
    more = [get("/coins/a", tickers="false"), get("/coins/a/market_chart", vs_currency="usd", days=2),
            get("/coins/list"), get("/exchanges"), get("/simple/price", ids="a", vs_currencies="eur")]  # fmt: skip
    made += [wide for request in more for wide in PROVIDER.widen(request, world.moments[-1])]
    assert len(made) > 300
    faults = {request.url: judge.request_faults("GET", request.url) for request in made}
    assert not {url: fault for url, fault in faults.items() if fault}


@pytest.mark.check
@pytest.mark.real
def test_every_real_recording_is_its_own_answer(real_data: Path) -> None:
    """At its own moment each real exchange is a HIT; an hour later it is a Miss unless it is static."""
    count = 0
    for found in real_recordings(real_data):
        now = answered_at(found.reply)
        assert now is not None and PROVIDER.match(found.request)
        assert PROVIDER.narrow([found], found.request, now) is found.reply
        with pytest.raises(Miss):
            PROVIDER.narrow([found], found.request, now + 3_600)
        count += 1
    assert count >= 40
