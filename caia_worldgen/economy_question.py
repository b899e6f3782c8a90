"""What the recorder asks about an economy once for the whole world; ``economy_moment`` has what it asks at a moment.

Series, histories, contract sources and calendars do not change once they are past, and are asked at the story's end; a
task at an earlier moment is shown what was past then. Nothing here looks at what a task asks: a world must not betray
its answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
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
FLOWS: Final[tuple[tuple[str, Measure], ...]] = (("dexs", "volume"), ("fees", "fees"))
"""What the DeFi index calls a kind of overview, and the figure it is about."""
_FINE_DAYS: Final = 90
"""The longest window the market API answers hour by hour."""
_CURRENCIES: Final = ("eur", "cny")
"""What prices are told in beside the dollar and the native coin."""
_STATISTICS: Final = ("openInterestHist", "globalLongShortAccountRatio", "takerlongshortRatio")
_STATISTICS_KEPT_DAYS: Final = 28
"""The futures venue forgets its statistics after 30 days, so they are asked before that."""
_QUARTER_S: Final = 900
_QUARTERS: Final = 500
"""As many candles as the venue tells those who name no number."""
_USE: Final = ("users", "newusers", "txs")


def series_questions(
    scene: Scene, book: MarketBook, homes: Sequence[str], largest: Sequence[Coin]
) -> dict[str, list[HttpRequest]]:
    """What is asked at the story's end, by cassette; ``homes`` are code repositories, ``owner/name``. Of the
    ``largest`` coins each day's own page is asked, too."""
    return {
        "coingecko": [*_ranges(book), *_past_days(book, largest)],
        "binance_spot": list(_spot(book)),
        "binance_futures": list(_futures(book)),
        "defillama": list(_llama_series(scene)),
        "github": [get(f"{GITHUB}/repos/{home}/releases", page=1, per_page=100) for home in homes],
        "etherscan": [found for stage in (scene.main, scene.rollup) for found in _explored(stage)],
    }


def token_questions(scene: Scene) -> list[HttpRequest]:
    """The first movement of every token of both chains, to be asked as it is and not widened.

    All movements are in the chains' own tables, but for what a token calls itself: one row of each says that.
    """
    return [
        explorer(stage, "account", "tokentx" if sum(moved.indexed) == _FUNGIBLE else "tokennfttx",
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
        get(f"{COINGECKO}/coins/list", include_platform="true"),
        *(get(f"{COINGECKO}/coins/{coin.id}", localization="false", tickers="false", community_data="false",
               developer_data="false") for coin in metrics.book.listed(now) if is_in_story(coin)),
        get(f"{SPOT}/exchangeInfo"),
        get(f"{FUTURES}/fapi/v1/exchangeInfo"),
        get(f"{LLAMA}/protocols"),
        get(f"{LLAMA}/overview/dexs"),
        get(f"{LLAMA}/overview/fees"),
        get(f"{LLAMA}/overview/fees", dataType="dailyRevenue"),
        *(get(f"{LLAMA}/overview/{overview}/{network.name}") for overview, _ in FLOWS
          for network in metrics.scene.networks.values()),
        *(get(f"{LLAMA}/overview/fees/{network.name}", dataType="dailyRevenue")
          for network in metrics.scene.networks.values()),
        *(get(f"{LLAMA}/summary/fees/{one.slug}", dataType="dailyRevenue") for one in metrics.protocols
          if metrics.flow.has(one, "revenue")),
        *(get(f"{LLAMA_PRO}/userData/{kind}/{one.id}") for kind in _USE for one in metrics.protocols),
        *(get(f"{LLAMA}/protocol/{one.slug}") for one in metrics.protocols),
        *(get(f"{LLAMA}/summary/{overview}/{one.slug}") for overview, measure in FLOWS for one in metrics.protocols
          if metrics.flow.has(one, measure)),
        *(get(f"{LLAMA_DATASETS}/emissions/{one.slug}") for one in metrics.emissions.all()),
        *(get(f"{GITHUB}/repos/{home}") for home in homes),
    ]  # fmt: skip


def _ranges(book: MarketBook) -> Iterator[HttpRequest]:
    first, last = book.prices.first, book.prices.end
    for coin in book.coins:
        for begins in range(first, last, _FINE_DAYS * DAY_S):
            yield get(f"{COINGECKO}/coins/{coin.id}/market_chart/range", vs_currency="usd", **{"from": begins},
                      to=min(begins + _FINE_DAYS * DAY_S, last))  # fmt: skip
        for currency in currencies(book) if is_in_story(coin) else ("usd",):
            yield get(f"{COINGECKO}/coins/{coin.id}/market_chart/range", vs_currency=currency, **{"from": first},
                      to=last, interval="daily")  # fmt: skip


def _past_days(book: MarketBook, coins: Sequence[Coin]) -> Iterator[HttpRequest]:
    """Each day of some coins, in every currency."""
    for coin in coins:
        for midnight in range(-(-coin.listed_at // DAY_S) * DAY_S, book.prices.end - DAY_S, DAY_S):
            day = datetime.fromtimestamp(midnight, UTC).strftime("%d-%m-%Y")
            yield get(f"{COINGECKO}/coins/{coin.id}/history", date=day)


def _spot(book: MarketBook) -> Iterator[HttpRequest]:
    """Hours, of which all longer candles are made."""
    for coin in (found for found in book.coins if found.traded):
        yield from _candles(f"{SPOT}/klines", book, coin, 1_000, "1h")


def quarter_questions(book: MarketBook, fine: Mapping[int, Sequence[Coin]]) -> list[HttpRequest]:
    """The last 500 quarters of an hour before each moment of the coins beside it, to be asked as they are."""
    windows: dict[Coin, list[tuple[int, int]]] = {}
    for now in sorted(fine):
        last = now // _QUARTER_S
        for coin in fine[now]:
            found = windows.setdefault(coin, [])
            first = max(last - _QUARTERS, -(-coin.listed_at // _QUARTER_S))
            if found and found[-1][1] >= first:
                first = found.pop()[0]
            found.append((first, last))
    return [
        get(f"{SPOT}/klines", symbol=symbol_of(book, coin), interval="15m", startTime=begins * _QUARTER_S * 1_000,
            endTime=min(begins + 1_000, last) * _QUARTER_S * 1_000 - 1, limit=1_000)
        for coin in sorted(windows, key=lambda coin: coin.id)
        for first, last in windows[coin]
        for begins in range(first, last, 1_000)
    ]  # fmt: skip


def _futures(book: MarketBook) -> Iterator[HttpRequest]:
    for coin in (found for found in book.coins if found.traded):
        if is_in_story(coin):
            yield from _candles(f"{FUTURES}/fapi/v1/klines", book, coin, 1_500, "1h" if coin.role == "native" else "8h")
        yield get(f"{FUTURES}/fapi/v1/fundingRate", symbol=symbol_of(book, coin), startTime=book.prices.first * 1000,
                  limit=1_000)  # fmt: skip


def month_ends(book: MarketBook) -> list[int]:
    """The moments at which is asked what is told of the last month alone."""
    last = book.prices.end - 1
    return [*range(book.prices.first + _STATISTICS_KEPT_DAYS * DAY_S, last, _STATISTICS_KEPT_DAYS * DAY_S), last]


def statistics_questions(book: MarketBook) -> Iterator[tuple[str, int, list[HttpRequest]]]:
    """What the futures venue forgets: each sweep's name, its moment, and what is asked at it."""
    for moment in month_ends(book):
        yield (
            f"binance_statistics-{utc_text(moment)[:10]}",
            moment,
            [
                get(f"{FUTURES}/futures/data/{kind}", symbol=symbol_of(book, coin), period=period, limit=500)
                for coin in markets(book, moment)
                for period in (("4h", "1d") if coin.role == "native" else ("1d",))
                for kind in _STATISTICS
            ],
        )


def candle_questions(book: MarketBook, moment: int) -> list[HttpRequest]:
    """The index' candles of 30 days of every coin: asked at the ends of months, they leave no day out."""
    return [get(f"{COINGECKO}/coins/{coin.id}/ohlc", vs_currency="usd", days=30) for coin in book.listed(moment)]


def markets(book: MarketBook, now: int) -> list[Coin]:
    """The coins that the venue trades at a moment."""
    return [coin for coin in book.listed(now) if coin.traded]


def currencies(book: MarketBook) -> tuple[str, ...]:
    """The dollar first, the native coin last."""
    native = next(coin for coin in book.coins if coin.role == "native")
    return ("usd", *_CURRENCIES, native.symbol.lower())


def _candles(url: str, book: MarketBook, coin: Coin, most: int, interval: str) -> Iterator[HttpRequest]:
    """The first are asked from the beginning of time, which shows that nothing came before; a full limit from there
    would widen to a second cell."""
    step = most * {"1h": 3_600, "8h": 8 * 3_600}[interval]
    yield get(url, symbol=symbol_of(book, coin), interval=interval, startTime=0, limit=most - 1)
    for begins in range(book.prices.first + step, book.prices.end, step):
        yield get(url, symbol=symbol_of(book, coin), interval=interval, startTime=begins * 1000, limit=most)


def symbol_of(book: MarketBook, coin: Coin) -> str:
    """What the venue calls a coin's market against the dollar."""
    dollar = next(found for found in book.coins if found.role == "dollar")
    return f"{coin.symbol}{dollar.symbol}".upper()


def _llama_series(scene: Scene) -> Iterator[HttpRequest]:
    yield get(f"{LLAMA}/v2/historicalChainTvl")
    for network in scene.networks.values():
        yield get(f"{LLAMA}/v2/historicalChainTvl/{network.name}")


def _explored(stage: Stage) -> Iterator[HttpRequest]:
    """Every contract's interface and creation; the sources of every token and of the first of every other kind, which
    are long; and every transfer within transactions, which a chain's tables do not tell."""
    addresses = sorted({made.address for made in stage.contracts.values()})
    shown = {made.address for made in stage.contracts.values() if "Transfer" in made.artifact.events}
    firsts = {made.artifact.name: made.address for _, made in sorted(stage.contracts.items(), reverse=True)}
    shown |= set(firsts.values())
    for address in addresses:
        if address in shown:
            yield explorer(stage, "contract", "getsourcecode", address=address)
        yield explorer(stage, "contract", "getabi", address=address)
        yield explorer(stage, "contract", "getcontractcreation", contractaddresses=address)
    yield explorer(stage, "account", "txlistinternal", startblock=0, endblock=stage.height, page=1, offset=10_000,
                    sort="asc")  # fmt: skip


def explorer(stage: Stage, module: str, action: str, **more: object) -> HttpRequest:
    """A request to the explorer of a chain."""
    return get(ETHERSCAN, chainid=stage.chain_id, module=module, action=action, **more)


def is_in_story(coin: Coin) -> bool:
    """Whether a coin lives on a chain of the world."""
    return not coin.role.startswith("outsider")


def get(url: str, **parameters: object) -> HttpRequest:
    """A request, with parameters in the order given."""
    return HttpRequest("GET", f"{url}?{urlencode(parameters)}" if parameters else url)
