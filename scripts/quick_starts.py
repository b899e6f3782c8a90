"""The calls that the vendors' clients begin with in their own read-me and examples, put to a world's gateway.

Assets are the world's: where an example says bitcoin or BTCUSDT, the three largest coins and their markets stand.
Moments are the world's as well. Where an example asks for all of a coin's days, 365 stand, which is as far as the
vendor's free tier looks back. A call counts as served where its client raises nothing and the gateway counted no miss
while it ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from caia_replay.core.tool import Served
from caia_replay.interop.gateway import Gateway

SUBJECTS: Final = 3
_INTERVALS: Final = ("15m", "1h", "4h", "1d")
_USUAL_FLAGS: Final = {
    **{"localization": "false", "tickers": "false", "market_data": "true"},
    **{"community_data": "false", "developer_data": "false", "sparkline": "false"},
}
_WITH_FIGURES: Final = dict.fromkeys(("include_market_cap", "include_24hr_vol", "include_24hr_change"), "true")


@dataclass(frozen=True, slots=True)
class Call:
    """A method of a client, and what it is given."""

    client: Any
    method: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.kwargs.items())]
        return f"{self.method}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Told:
    """One call, whether it was served, and if not, why: what missed, or what the client raised."""

    call: str
    is_served: bool
    why: str = ""


def told_of(gateway: Gateway, calls: Iterator[Call]) -> list[Told]:
    """Every call of a client in order; none where the client is not installed."""
    told: list[Told] = []
    while True:
        try:
            call = next(calls)
        except (StopIteration, ImportError):
            return told
        except Exception as fault:  # noqa: BLE001  # a client's own errors share no class
            why = f"{type(fault).__name__}: {fault!s:.100}"
            return [*told, Told("what its other calls need", False, why)]
        before, known = gateway.served[Served.MISS], len(gateway.misses)
        raised = _raised(call)
        missed = gateway.served[Served.MISS] - before
        gaps = "; ".join(f"{miss.kind} {miss.wanted}"[:140] for miss in gateway.misses[known : known + 2])
        told.append(Told(str(call), not missed and not raised, gaps or raised))


def _raised(call: Call) -> str:
    try:
        found = getattr(call.client, call.method)(*call.args, **call.kwargs)
    except Exception as fault:  # noqa: BLE001  # a client's own errors share no class
        return f"{type(fault).__name__}: {str(fault)[:100]}"
    return "it gives None" if found is None else ""


def pycoingecko(url: str, now: int) -> Iterator[Call]:
    """CoinGecko's endpoints as pycoingecko's read-me lists them."""
    from pycoingecko import CoinGeckoAPI

    cg = CoinGeckoAPI(retries=0)
    cg.api_base_url = f"{url}/api.coingecko.com/api/v3/"
    for method in ("ping", "get_supported_vs_currencies", "get_coins_list", "get_coins_categories_list"):
        yield Call(cg, method)
    yield Call(cg, "get_coins_list", (), {"include_platform": True})
    yield Call(cg, "get_coins_markets", ("usd",))
    yield Call(cg, "get_coins_markets", ("usd",), {"per_page": 250, "page": 1})
    for method in ("get_coins_categories", "get_asset_platforms", "get_exchanges_list", "get_exchange_rates"):
        yield Call(cg, method)
    for method in ("get_search_trending", "get_global", "get_global_decentralized_finance_defi"):
        yield Call(cg, method)
    coins = [str(coin["id"]) for coin in cg.get_coins_markets("usd", per_page=SUBJECTS)]
    yield Call(cg, "get_price", (coins, ["usd", "eur"]))
    month_ago = datetime.fromtimestamp(now - 30 * 86_400, UTC).strftime("%d-%m-%Y")
    for coin in coins:
        yield Call(cg, "search", (coin,))
        yield Call(cg, "get_price", (coin, "usd"))
        yield Call(cg, "get_price", (coin, "usd"), _WITH_FIGURES)
        yield Call(cg, "get_coin_by_id", (coin,))
        yield Call(cg, "get_coin_by_id", (coin,), _USUAL_FLAGS)
        yield Call(cg, "get_coin_ticker_by_id", (coin,))
        yield Call(cg, "get_coin_history_by_id", (coin, month_ago))
        for days in ("1", "7", "30", "90", "365"):
            yield Call(cg, "get_coin_market_chart_by_id", (coin, "usd", days))
        yield Call(cg, "get_coin_market_chart_range_by_id", (coin, "usd", now - 86_400, now))
        for days in ("1", "7", "30"):
            yield Call(cg, "get_coin_ohlc_by_id", (coin, "usd", days))


def python_binance(url: str, now: int) -> Iterator[Call]:
    """The market data of python-binance's read-me and overview, spot and futures; its constructor pings."""
    from binance import client as library

    class Local(library.Client):  # type: ignore[misc]
        API_URL = f"{url}/api.binance.com/api"
        FUTURES_URL = f"{url}/fapi.binance.com/fapi"

    library.Local = Local
    venue = Local(ping=False)
    yield Call(library, "Local")
    for method in ("ping", "get_server_time", "get_exchange_info", "get_all_tickers", "get_orderbook_tickers"):
        yield Call(venue, method)
    yield Call(venue, "get_ticker")
    names = _largest({one["symbol"]: one["baseAsset"] for one in venue.get_exchange_info()["symbols"]}, url)
    for name in names:
        yield Call(venue, "get_symbol_info", (name,))
        for method in ("get_symbol_ticker", "get_orderbook_ticker", "get_ticker", "get_avg_price", "get_order_book"):
            yield Call(venue, method, (), {"symbol": name})
        for method in ("get_recent_trades", "get_aggregate_trades"):
            yield Call(venue, method, (), {"symbol": name})
        for interval in _INTERVALS:
            yield Call(venue, "get_klines", (), {"symbol": name, "interval": interval})
            yield Call(venue, "get_klines", (), {"symbol": name, "interval": interval, "limit": 100})
        yield Call(venue, "get_historical_klines", (name, "1h", (now - 7 * 86_400) * 1000, now * 1000))
    yield Call(venue, "futures_exchange_info")
    yield Call(venue, "futures_mark_price")
    for name in names:
        for method in ("futures_mark_price", "futures_funding_rate", "futures_open_interest", "futures_ticker"):
            yield Call(venue, method, (), {"symbol": name})
        yield Call(venue, "futures_klines", (), {"symbol": name, "interval": "1h"})


def ccxt(url: str, now: int) -> Iterator[Call]:
    """The unified methods of ccxt's read-me, on its spot market of Binance."""
    import ccxt as library

    venue = library.binance({"options": {"defaultType": "spot", "fetchMarkets": {"types": ["spot"]}}})
    places = venue.urls["api"].items()
    venue.urls["api"] = {
        kind: f"{url}/{place.removeprefix('https://')}" if isinstance(place, str) else place for kind, place in places
    }
    for method in ("load_markets", "fetch_time", "fetch_tickers"):
        yield Call(venue, method)
    for name in _largest({name: market["base"] for name, market in (venue.markets or {}).items()}, url):
        for method in ("fetch_ticker", "fetch_order_book", "fetch_trades"):
            yield Call(venue, method, (name,))
        for interval in _INTERVALS:
            yield Call(venue, "fetch_ohlcv", (name, interval))


def _largest(bases: Mapping[str, str], url: str) -> list[str]:
    """The markets of the largest coins that have one; ``bases`` gives the coin's ticker of each."""
    from pycoingecko import CoinGeckoAPI

    cg = CoinGeckoAPI(retries=0)
    cg.api_base_url = f"{url}/api.coingecko.com/api/v3/"
    tickers = [str(coin["symbol"]).upper() for coin in cg.get_coins_markets("usd")]
    names = {base.upper(): name for name, base in bases.items()}
    return [names[ticker] for ticker in tickers if ticker in names][:SUBJECTS]


def coingecko_sdk(url: str, now: int) -> Iterator[Call]:
    """The vendor's own client, as its read-me and the guides of its documentation begin."""
    from coingecko_sdk import Coingecko

    cg = Coingecko(environment="demo", demo_api_key="CG-quick-start", base_url=f"{url}/api.coingecko.com/api/v3",
                   max_retries=0)  # fmt: skip
    for part in (cg.ping, cg.asset_platforms, cg.coins.list, cg.global_, cg.search.trending, cg.exchange_rates):
        yield Call(part, "get")
    yield Call(cg.coins.markets, "get", (), {"vs_currency": "usd"})
    coins = [str(coin.id) for coin in cg.coins.markets.get(vs_currency="usd", per_page=SUBJECTS)]
    for coin in coins:
        yield Call(cg.simple.price, "get", (), {"vs_currencies": "usd", "ids": coin})
        yield Call(cg.coins, "get_id", (coin,))
        yield Call(cg.search, "get", (), {"query": coin})
        yield Call(cg.coins.tickers, "get", (coin,))
        for days in ("7", "30"):
            yield Call(cg.coins.market_chart, "get", (coin,), {"vs_currency": "usd", "days": days})
        yield Call(cg.coins.ohlc, "get", (coin,), {"vs_currency": "usd", "days": "7"})


CLIENTS: Final[Mapping[str, Callable[[str, int], Iterator[Call]]]] = MappingProxyType(
    {"coingecko_sdk": coingecko_sdk, "pycoingecko": pycoingecko, "python-binance": python_binance, "ccxt": ccxt}
)
"""Each client's calls, of the gateway's address and the world's moment in seconds."""
