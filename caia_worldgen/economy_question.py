"""What the recorder asks about an economy: once for the whole world, and once at every moment at which tasks stand.

Series, histories, contract sources and calendars do not change once they are past, and are asked at the story's end; a
task at an earlier moment is shown what was past then. What is the case now (prices, rankings, totals) is asked at each
of the moments. Nothing here looks at what a task asks: a world must not betray its answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

from caia_replay.core.provider import HttpRequest
from caia_replay.world.clock import utc_text
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.flow import Measure
from caia_worldgen.market.metric import Metrics
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage

COINGECKO: Final = "https://api.coingecko.com/api/v3"
SPOT: Final = "https://api.binance.com/api/v3"
FUTURES: Final = "https://fapi.binance.com"
LLAMA: Final = "https://api.llama.fi"
LLAMA_COINS: Final = "https://coins.llama.fi"
LLAMA_DATASETS: Final = "https://defillama-datasets.llama.fi"
LLAMA_PRO: Final = "https://pro-api.llama.fi/SCRUBBED/api"
"""What is paid for; the key in the path decides nothing."""
ETHERSCAN: Final = "https://api.etherscan.io/v2/api"
GITHUB: Final = "https://api.github.com"

_FUNGIBLE: Final = 2
"""How many arguments of such a token's Transfer are indexed; where each is one of a kind its number is, too."""
_FLOWS: Final[tuple[tuple[str, Measure], ...]] = (("dexs", "volume"), ("fees", "fees"))
"""What the DeFi index calls a kind of overview, and the figure it is about."""
_FINE_DAYS: Final = 90
"""The longest window the market API answers hour by hour."""
_CURRENCIES: Final = ("eur", "cny")
"""What prices are told in beside the dollar and the native coin."""
_STATISTICS: Final = ("openInterestHist", "globalLongShortAccountRatio", "takerlongshortRatio")
_STATISTICS_KEPT_DAYS: Final = 28
"""The futures venue forgets its statistics after 30 days, so they are asked before that."""
_USE: Final = ("users", "newusers", "txs")


def series_questions(scene: Scene, book: MarketBook, homes: Sequence[str]) -> dict[str, list[HttpRequest]]:
    """What is asked at the story's end, by cassette; ``homes`` are code repositories, ``owner/name``."""
    return {
        "coingecko": list(_ranges(book)),
        "binance_spot": list(_spot(book)),
        "binance_futures": list(_futures(book)),
        "defillama": list(_llama_series(scene)),
        "github": [_get(f"{GITHUB}/repos/{home}/releases", page=1, per_page=100) for home in homes],
        "etherscan": [found for stage in (scene.main, scene.rollup) for found in _explored(stage)],
    }


def token_questions(scene: Scene) -> list[HttpRequest]:
    """The first movement of every token of both chains, to be asked as it is and not widened.

    All movements are in the chains' own tables, but for what a token calls itself: one row of each says that.
    """
    return [
        _explorer(stage, "account", "tokentx" if sum(moved.indexed) == _FUNGIBLE else "tokennfttx",
                  contractaddress=made.address, page=1, offset=1, sort="asc")
        for stage in (scene.main, scene.rollup)
        for made in sorted(stage.contracts.values(), key=lambda found: found.address)
        if (moved := made.artifact.events.get("Transfer")) is not None
    ]  # fmt: skip


def closing_questions(metrics: Metrics, homes: Sequence[str], now: int) -> list[HttpRequest]:
    """Pages that tell of everything until now, histories among them: long, and asked at the story's end alone.

    ``homes`` as above. What such a page tells of an earlier moment is what ``providers.as_of`` leaves of it.
    """
    return [
        _get(f"{COINGECKO}/coins/list", include_platform="true"),
        *(_get(f"{COINGECKO}/coins/{coin.id}", localization="false", tickers="false", community_data="false",
               developer_data="false") for coin in metrics.book.listed(now) if _in_story(coin)),
        _get(f"{SPOT}/exchangeInfo"),
        _get(f"{FUTURES}/fapi/v1/exchangeInfo"),
        _get(f"{LLAMA}/protocols"),
        _get(f"{LLAMA}/overview/dexs"),
        _get(f"{LLAMA}/overview/fees"),
        _get(f"{LLAMA}/overview/fees", dataType="dailyRevenue"),
        *(_get(f"{LLAMA}/overview/{overview}/{network.name}") for overview, _ in _FLOWS
          for network in metrics.scene.networks.values()),
        *(_get(f"{LLAMA}/overview/fees/{network.name}", dataType="dailyRevenue")
          for network in metrics.scene.networks.values()),
        *(_get(f"{LLAMA}/summary/fees/{one.slug}", dataType="dailyRevenue") for one in metrics.protocols
          if metrics.flow.has(one, "revenue")),
        *(_get(f"{LLAMA_PRO}/userData/{kind}/{one.id}") for kind in _USE for one in metrics.protocols),
        *(_get(f"{LLAMA}/protocol/{one.slug}") for one in metrics.protocols),
        *(_get(f"{LLAMA}/summary/{overview}/{one.slug}") for overview, measure in _FLOWS for one in metrics.protocols
          if metrics.flow.has(one, measure)),
        *(_get(f"{GITHUB}/repos/{home}") for home in homes),
    ]  # fmt: skip


def moment_questions(scene: Scene, metrics: Metrics, now: int) -> list[HttpRequest]:
    """What is asked at a moment: what is the case then, without the histories that lead there."""
    book, listed = metrics.book, metrics.book.listed(now)
    asked = [
        _get(f"{COINGECKO}/coins/markets", vs_currency="usd", per_page=250, page=1,
             price_change_percentage="1h,24h,7d"),
        _get(f"{COINGECKO}/coins/list", include_platform="true"),
        _get(f"{COINGECKO}/search/trending"),
        _get(f"{COINGECKO}/global"),
        _get(f"{COINGECKO}/simple/price", ids=",".join(coin.id for coin in listed),
             vs_currencies=f"usd,{_currencies(book)[-1]}", include_market_cap="true", include_24hr_vol="true",
             include_24hr_change="true"),
        *(_get(f"{FUTURES}/fapi/v1/openInterest", symbol=symbol_of(book, coin)) for coin in _futures_coins(book)
          if coin in listed),
        _get(f"{SPOT}/ticker/24hr"),
        _get(f"{SPOT}/ticker/price"),
        _get(f"{FUTURES}/fapi/v1/premiumIndex"),
        _get(f"{FUTURES}/fapi/v1/ticker/24hr"),
        _get(f"{LLAMA}/protocols"),
        _get(f"{LLAMA}/v2/chains"),
        _get(f"{LLAMA_PRO}/activeUsers"),
        _get(f"{LLAMA_COINS}/prices/current/" + ",".join(f"coingecko:{coin.id}" for coin in listed)),
    ]  # fmt: skip
    return asked + supply_questions(scene, book, scene.main, now) + supply_questions(scene, book, scene.rollup, now)


def supply_questions(scene: Scene, book: MarketBook, stage: Stage, now: int) -> list[HttpRequest]:
    """How much there is of each coin on a chain. That changes with every block, so it is asked at each chain's own."""
    homes = [dict(coin.platforms).get(scene.networks[stage.name].id) for coin in book.listed(now) if _in_story(coin)]
    return [
        _explorer(stage, "stats", "ethsupply"),
        *(_explorer(stage, "stats", "tokensupply", contractaddress=home) for home in homes if home is not None),
    ]


def overview_questions() -> list[HttpRequest]:
    """Today's totals of what flows, to be asked at a moment as they are: the days of each protocol are long, and are
    asked at the story's end."""
    without = {"excludeTotalDataChartBreakdown": "true"}
    return [
        *(_get(f"{LLAMA}/overview/{overview}", **without) for overview, _ in _FLOWS),
        _get(f"{LLAMA}/overview/fees", dataType="dailyRevenue", **without),
    ]


def _ranges(book: MarketBook) -> Iterator[HttpRequest]:
    first, last = book.prices.first, book.prices.end
    for coin in book.coins:
        days = _FINE_DAYS if _in_story(coin) else (last - first) // DAY_S
        for begins in range(first, last, days * DAY_S):
            yield _get(f"{COINGECKO}/coins/{coin.id}/market_chart/range", vs_currency="usd", **{"from": begins},
                       to=min(begins + days * DAY_S, last))  # fmt: skip
        for currency in _currencies(book) if _in_story(coin) else ("usd",):
            yield _get(f"{COINGECKO}/coins/{coin.id}/market_chart/range", vs_currency=currency, **{"from": first},
                       to=last, interval="daily")  # fmt: skip


def _spot(book: MarketBook) -> Iterator[HttpRequest]:
    for coin in (found for found in book.coins if found.traded):
        interval = "1h" if coin.role == "native" else "4h" if _in_story(coin) else "1d"
        yield from _candles(f"{SPOT}/klines", book, coin, 1_000, interval)


def _futures(book: MarketBook) -> Iterator[HttpRequest]:
    for coin in _futures_coins(book):
        yield from _candles(f"{FUTURES}/fapi/v1/klines", book, coin, 1_500, "1h" if coin.role == "native" else "8h")
        yield _get(f"{FUTURES}/fapi/v1/fundingRate", symbol=symbol_of(book, coin), startTime=book.prices.first * 1000,
                   limit=1_000)  # fmt: skip


def statistics_questions(book: MarketBook) -> Iterator[tuple[str, int, list[HttpRequest]]]:
    """What the futures venue forgets: each sweep's name, its moment, and what is asked at it."""
    last = book.prices.end - 1
    for moment in [
        *range(book.prices.first + _STATISTICS_KEPT_DAYS * DAY_S, last, _STATISTICS_KEPT_DAYS * DAY_S),
        last,
    ]:
        yield (
            f"binance_statistics-{utc_text(moment)[:10]}",
            moment,
            [
                _get(f"{FUTURES}/futures/data/{kind}", symbol=symbol_of(book, coin), period=period, limit=500)
                for coin in _futures_coins(book)
                for period in (("4h", "1d") if coin.role == "native" else ("1d",))
                for kind in _STATISTICS
            ],
        )


def _futures_coins(book: MarketBook) -> list[Coin]:
    return [coin for coin in book.coins if coin.traded and _in_story(coin)]


def _currencies(book: MarketBook) -> tuple[str, ...]:
    """The dollar first, the native coin last."""
    native = next(coin for coin in book.coins if coin.role == "native")
    return ("usd", *_CURRENCIES, native.symbol.lower())


def _candles(url: str, book: MarketBook, coin: Coin, most: int, interval: str) -> Iterator[HttpRequest]:
    """The first are asked from the beginning of time, which shows that nothing came before; a full limit from there
    would widen to a second cell."""
    step = most * {"1h": 3_600, "4h": 4 * 3_600, "8h": 8 * 3_600, "1d": DAY_S}[interval]
    yield _get(url, symbol=symbol_of(book, coin), interval=interval, startTime=0, limit=most - 1)
    for begins in range(book.prices.first + step, book.prices.end, step):
        yield _get(url, symbol=symbol_of(book, coin), interval=interval, startTime=begins * 1000, limit=most)


def symbol_of(book: MarketBook, coin: Coin) -> str:
    """What the venue calls a coin's market against the dollar."""
    dollar = next(found for found in book.coins if found.role == "dollar")
    return f"{coin.symbol}{dollar.symbol}".upper()


def _llama_series(scene: Scene) -> Iterator[HttpRequest]:
    yield _get(f"{LLAMA}/v2/historicalChainTvl")
    for network in scene.networks.values():
        yield _get(f"{LLAMA}/v2/historicalChainTvl/{network.name}")
    for role in sorted({name.split(" ")[0] for name in scene.main.contracts if name.endswith(" vesting")}):
        yield _get(f"{LLAMA_DATASETS}/emissions/{scene.projects[role].id}")


def _explored(stage: Stage) -> Iterator[HttpRequest]:
    """Every contract's interface and creation; the sources of the first of each kind, which are long; and every
    transfer within transactions, which a chain's tables do not tell."""
    addresses = sorted({made.address for made in stage.contracts.values()})
    firsts = {made.artifact.name: made.address for _, made in sorted(stage.contracts.items(), reverse=True)}
    for address in addresses:
        if address in firsts.values():
            yield _explorer(stage, "contract", "getsourcecode", address=address)
        yield _explorer(stage, "contract", "getabi", address=address)
        yield _explorer(stage, "contract", "getcontractcreation", contractaddresses=address)
    yield _explorer(stage, "account", "txlistinternal", startblock=0, endblock=stage.height, page=1, offset=10_000,
                    sort="asc")  # fmt: skip


def _explorer(stage: Stage, module: str, action: str, **more: object) -> HttpRequest:
    return _get(ETHERSCAN, chainid=stage.chain_id, module=module, action=action, **more)


def _in_story(coin: Coin) -> bool:
    return not coin.role.startswith("outsider")


def _get(url: str, **parameters: object) -> HttpRequest:
    return HttpRequest("GET", f"{url}?{urlencode(parameters)}" if parameters else url)
