"""What later recordings tell of before: the law of all vendors, and the parts it is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.providers import as_of as as_of_module
from caia_replay.providers.as_of import by_name, is_later, listed, mapped, moment, named, texts
from caia_replay.providers.binance.provider import futures, spot
from caia_replay.providers.coingecko.provider import CoinGeckoProvider
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from caia_replay.providers.endpoint import answered_at
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.scene import Scene
from caia_worldgen.services.binance_futures import BinanceFutures
from caia_worldgen.services.binance_spot import BinanceSpot
from caia_worldgen.services.coingecko import CoinGecko
from caia_worldgen.services.defillama import DefiLlamaService
from caia_worldgen.services.service import Service
from tests.adapter_law import HOSTILE
from tests.defillama_real import of, real_recordings
from tests.later_law import DAY, holds, reply, told, turned_by_all
from tests.provider_law import live

COINGECKO = "https://api.coingecko.com/api/v3"
LLAMA = "https://api.llama.fi"
PRO = "https://pro-api.llama.fi/SCRUBBED/api"


def get(url: str) -> HttpRequest:
    return HttpRequest("GET", url)


class Origins:
    """The vendors' services over one story, what is recorded of each at its end, and what may be asked of that."""

    def __init__(self, scene: Scene, book: MarketBook) -> None:
        metrics = Metrics(scene, book)
        slugs = [one.slug for one in metrics.protocols]
        numbers = [one.id for one in metrics.protocols]
        chain = scene.networks["rollup"].id
        self.book, first = book, book.prices.first
        self.end = book.prices.end - 1
        self.moments = [first + 31 * DAY + 40_000, first + 97 * DAY + 86_399, self.end - DAY // 2]
        index, market = (DefiLlamaService(metrics), DefiLlamaProvider()), (CoinGecko(book, scene.networks),
                                                                           CoinGeckoProvider())  # fmt: skip
        venue, dated = (BinanceSpot(book), spot()), (BinanceFutures(book), futures())
        flows = [f"{LLAMA}/overview/{kind}" for kind in ("dexs", "fees", f"dexs/{chain}", "fees?dataType=dailyRevenue")]
        flows += [f"{LLAMA}/summary/{kind}/{slug}" for kind in ("dexs", "fees") for slug in slugs]
        pages = [f"{LLAMA}/protocols", f"{LLAMA}/v2/chains", *(f"{LLAMA}/protocol/{slug}" for slug in slugs),
                 *(f"{PRO}/userData/{kind}/{number}" for kind in ("users", "txs") for number in numbers)]  # fmt: skip
        listed = sorted(coin.id for coin in book.coins if coin.listed_at <= self.moments[0])
        coins = [f"{COINGECKO}/{path}" for path in ("asset_platforms", "coins/categories/list", "exchanges/list",
                 "simple/supported_vs_currencies", *(f"coins/{id}" for id in listed[:3]))]  # fmt: skip
        several = f"{COINGECKO}/coins/list"
        markets = "https://api.binance.com/api/v3/exchangeInfo"
        contracts = "https://fapi.binance.com/fapi/v1/exchangeInfo"
        self.asked: list[tuple[tuple[Service, Provider], str, str]] = [
            *((index, url, url) for url in (*pages, *flows)),
            *((index, url, f"{url}{'&' if '?' in url else '?'}excludeTotalDataChartBreakdown=true") for url in flows),
            *((market, url, url) for url in coins),
            (market, f"{several}?include_platform=true", several),
            (market, f"{several}?include_platform=true", f"{several}?include_platform=true"),
            (venue, markets, markets), (dated, contracts, contracts),
        ]  # fmt: skip
        self.emissions = (index, f"{PRO}/emissions")

    def law(self, of: str = "") -> int:
        """Hold every question with ``of`` in its address at every moment; how many were answered."""
        answered = 0
        for (service, provider), wide, asked in (one for one in self.asked if of in one[1]):
            for now in self.moments:
                then = live(service, get(asked), now)
                left = told(service, provider, get(wide), get(asked), now, self.end)
                if left is not None:
                    assert then.status == 200, f"{asked} at {now} was {then.status}"
                    holds(left, strict_json(then.body), now, self.end, partial(self._is_newcomer, now))
                    answered += 1
                else:
                    assert _says_nothing(then), f"{asked} at {now} is not answered"
        return answered

    def _is_newcomer(self, now: int, row: Any) -> bool:
        """Whether a coin of a list without dates came later: nobody can tell by the list."""
        if "onboardDate" in row:
            return False
        names = {str(row.get(name)).lower() for name in ("id", "baseAsset")}
        return any(names & {coin.id, coin.symbol.lower()} and coin.listed_at > now for coin in self.book.coins)


def _says_nothing(then: HttpReply) -> bool:
    """A refusal, or a page without a day."""
    content = strict_json(then.body)
    return then.status != 200 or content == [] or (isinstance(content, dict) and content.get("totalDataChart") == [])


@pytest.fixture(scope="module")
def origins(scene: Scene, book: MarketBook) -> Origins:
    return Origins(scene, book)


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Nothing is kept from one version of the code to the next."""
    as_of_module._body.cache_clear()
    yield
    as_of_module._body.cache_clear()


def test_what_is_left_is_what_was_told_then(origins: Origins) -> None:
    """At three moments, of every list and history: names and points as live said them, nothing of later."""
    assert origins.law() > 150


def test_nothing_of_its_own_time_is_turned(origins: Origins) -> None:
    """A reply made by the moment, one without a date and a refusal are not what was told later."""
    now, url = origins.moments[0], f"{LLAMA}/v2/chains"
    body = b'[{"name": "Main"}]'
    assert turned_by_all(Recorded(get(url), reply(body, now + 1)), now) is not None
    for bad in (reply(body, now), reply(body, now - 9), HttpReply(200, {}, body), HttpReply(200, {"date": "x"}, body),
                HttpReply(404, reply(body, now + 9).headers, body)):  # fmt: skip
        assert turned_by_all(Recorded(get(url), bad), now) is None


@pytest.mark.parametrize(
    "url",
    [f"{COINGECKO}/simple/price?ids=a&vs_currencies=usd", f"{COINGECKO}/coins/markets?vs_currency=usd",
     f"{COINGECKO}/search/trending", f"{COINGECKO}/search?query=a", f"{LLAMA}/tvl/a", f"{PRO}/activeUsers",
     f"{PRO}/emission/a", "https://coins.llama.fi/prices/current/a:b",
     "https://api.binance.com/api/v3/ticker/24hr", "https://fapi.binance.com/fapi/v1/premiumIndex",
     "https://api.binance.com/api/v3/klines?symbol=A&interval=1d", "https://api.example/protocols",
     f"{LLAMA}/protocols/\x00", "https://[", f"{COINGECKO}/coins/list?a=1&a=2", "https://api.x.com/2/users/1"],
)  # fmt: skip
def test_what_later_replies_say_of_now_is_nothing(url: str) -> None:
    """Prices, rankings and unknown endpoints are none, whatever stands in them; so are bad addresses."""
    for body in (b"[]", b"{}", b'[{"id": "a", "name": "a", "symbol": "a"}]'):
        assert turned_by_all(Recorded(get(url), reply(body, 2_000)), 1_000) is None


@pytest.mark.check
def test_no_body_breaks_it(origins: Origins) -> None:
    """Replies that no vendor sends are turned into nothing, or into names alone."""
    odd: list[Any] = [1, [1], [[1]], [["a", 1]], {"symbols": 1}, {"symbols": [1]}, [{"name": {"a": 1}, "chains": [1]}],
                      {"tvl": [{"date": None}], "chainTvls": {}}, {"tvl": [], "chainTvls": {"a": 1}}, {"chainTvls": {}},
                      {"totalDataChart": [1]}, {"totalDataChart": [[1]], "protocols": []}, {"protocols": [None]},
                      {"totalDataChartBreakdown": [[0, 1]], "protocols": []}, {"id": "a", "genesis_date": "today"},
                      {"id": "a", "detail_platforms": {"x": 1}}, [{"id": 1.5, "platforms": {"x": 1}}],
                      {"peggedAssets": [2]}, {"chainBalances": {"a": {}}}, [{"date": "9" * 400, "tvl": 1}]]  # fmt: skip
    more = ["stablecoins", "stablecoincharts/all", "stablecoin/1"]
    urls = {wide for _, wide, _ in origins.asked} | {f"https://stablecoins.llama.fi/{path}" for path in more}
    for url in [*sorted(urls)[::3], f"{LLAMA}/protocol/a", f"{COINGECKO}/coins/a"]:
        for body in (*HOSTILE, *(json.dumps(one).encode() for one in odd)):
            turned = turned_by_all(Recorded(get(url), reply(body, 2_000_000_000)), 1_000_000_000)
            assert turned is None or b"1.5" not in turned.body


def test_a_plan_of_later_says_when_it_was_told() -> None:
    """An unlock calendar is handed out whole and marked: its makers may have written it anew since the moment."""
    url, plan = "https://defillama-datasets.llama.fi/emissions/a", {"metadata": {"events": []}, "name": "A"}
    turned = turned_by_all(Recorded(get(url), reply(json.dumps(plan).encode(), 2_000)), 1_000)
    assert turned is not None and json.loads(turned.body) == plan | {"restatedAt": 2_000}


def test_the_list_of_calendars_is_names(origins: Origins) -> None:
    """Of the paid list no amount, no event and no plan is left."""
    (service, provider), url = origins.emissions
    found = told(service, provider, get(url), get(url), origins.moments[-1], origins.end)
    assert found and all(row.keys() == {"token", "protocolId", "name", "gecko_id"} for row in found)


def test_real_replies_of_two_years_agree(real_data: Path) -> None:
    """Of a protocol September tells what January had told, without the chain that was added in March."""
    recordings = real_recordings(real_data)
    old, new = (of(recordings, f"{LLAMA}/protocol/anchor", when) for when in ("Jan 2022", "Sep 2022"))
    now = answered_at(old.reply)
    assert now is not None
    turned = turned_by_all(new, now)
    assert turned is not None
    left, then = strict_json(turned.body), strict_json(old.reply.body)
    names = left.keys() - {"tvl", "tokens", "tokensInUsd", "chainTvls"}
    assert {name: left[name] for name in names} == {name: then[name] for name in names}
    assert left["chainTvls"].keys() == then["chainTvls"].keys() and "Avalanche" in strict_json(new.reply.body)["chains"]
    known, found = ({point["date"]: point["totalLiquidityUSD"] for point in told["tvl"]} for told in (then, left))
    today = now - now % DAY  # told in January by a point of the very moment, and by its first one since
    assert found.keys() - {today} == {at for at in known if at < today} and max(found) == today
    assert all(abs(found[at] - known[at]) < 1 for at in found.keys() - {today})  # it rounds to five places since


def test_what_names_something_is_kept() -> None:
    """Texts, whole numbers, nothing and lists of texts, in an order no figure makes."""
    row = {"id": 7, "name": "Vela", "note": None, "chains": ["b", "a"], "tvl": 1.5, "dead": True, "more": {"a": 1},
           "odd": ["a", 1], "beside": "x"}  # fmt: skip
    names = ("id", "name", "note", "chains", "tvl", "dead", "more", "odd", "absent")
    assert named(row, names) == {"id": 7, "name": "Vela", "note": None, "chains": ["a", "b"]}
    assert texts({"one": "0xAb", "two": None, "three": 4}) == {"one": "0xAb", "two": None}
    rows: list[dict[str, Any]] = [{"name": "b", "id": 1}, {"name": "a", "id": 3}, {"name": "a", "id": 2}, {"id": 9}]
    assert by_name(rows) == by_name(reversed(rows)) == [rows[3], rows[2], rows[1], rows[0]]
    assert is_later(11, 10) and not any(is_later(value, 10) for value in (10, None, "11", 11.5, True))


@pytest.mark.parametrize("value", [None, 1.5, True, "", "1a", "-1", "\u0661", "9" * 40, [1]])
def test_what_is_no_moment_is_refused(value: Any) -> None:
    """Whole numbers and their digits alone are moments."""
    assert (moment(5), moment("1717200000")) == (5, 1_717_200_000)
    with pytest.raises(TypeError):
        moment(value)


@pytest.mark.parametrize("value", [None, 1, "a", (1,)])
def test_another_shape_is_refused(value: Any) -> None:
    """A text is no list and no object, and neither is the other."""
    for read in (listed, mapped):
        with pytest.raises(TypeError):
            read(value)
