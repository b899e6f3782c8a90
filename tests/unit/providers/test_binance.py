"""Tests for caia_replay.providers.binance.provider: the law for both markets, what is a hit, and clients on replay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from binance.client import Client
from binance_common.configuration import ConfigurationRestAPI
from binance_sdk_derivatives_trading_usds_futures.derivatives_trading_usds_futures import DerivativesTradingUsdsFutures
from binance_sdk_spot.spot import Spot

from caia_replay.core.provider import Recorded
from caia_replay.errors import Miss
from caia_replay.loopback import App, LoopbackServer
from caia_replay.providers.binance.provider import FUTURES, SPOT, SPOT_DATA, futures, spot
from caia_worldgen.market.book import MarketBook
from caia_worldgen.services.binance_futures import BinanceFutures
from caia_worldgen.services.binance_spot import BinanceSpot
from caia_worldgen.services.service import Services
from tests.binance_law import hold, request
from tests.binance_worlds import coverage, futures_worlds, moments, names, questions, spot_worlds
from tests.provider_law import Heard, Replay, live, recorded
from tests.vendor_description import VendorDescription

DRAWS = 150


@pytest.mark.check
def test_spot_answers_what_live_says_inside_and_misses_outside(book: MarketBook) -> None:
    """The law for spot; at least 70 per cent of the draws lie inside."""
    service, provider = BinanceSpot(book), spot()
    worlds = spot_worlds(service, provider, book)
    draws, inside = hold(service, provider, book, worlds, DRAWS, questions(book, SPOT), coverage(service, book, SPOT))
    assert draws >= DRAWS and inside * 10 >= draws * 7, (draws, inside)


@pytest.mark.check
def test_futures_answer_what_live_says_inside_and_miss_outside(book: MarketBook) -> None:
    """The law for futures; at least 70 per cent of the draws lie inside."""
    service, provider = BinanceFutures(book), futures()
    worlds, asked = futures_worlds(service, provider, book), questions(book, FUTURES)
    draws, inside = hold(service, provider, book, worlds, DRAWS, asked, coverage(service, book, FUTURES))
    assert draws >= DRAWS and inside * 10 >= draws * 7, (draws, inside)


@pytest.mark.check
def test_what_widening_asks_is_what_the_vendor_describes(book: MarketBook, real_data: Path) -> None:
    """Every request of the recorder's own fits the vendor's description of spot."""
    vendor = VendorDescription.load(real_data / "openapi" / "binance-spot-api.yaml")
    provider, seen = spot(), set()
    for world in spot_worlds(BinanceSpot(book), provider, book):
        for made in world.recordings:
            for wide in provider.widen(made.request, world.now):
                seen.add(wide.url.partition("?")[0])
                assert vendor.request_faults("GET", wide.url) == [], wide.url
    assert len(seen) >= 8


def test_a_recording_that_is_the_answer_is_handed_out_itself(book: MarketBook) -> None:
    """The same object whatever the caller's stamps and host; of a coin that was not listed yet nothing is said."""
    service, provider, now = BinanceSpot(book), spot(), book.prices.end - 1
    one, _, _ = names(book)
    asked = {"symbol": one, "interval": "1h", "startTime": book.prices.first * 1000, "limit": 10}
    made = Recorded(request(SPOT, "/api/v3/klines", asked), live(service, request(SPOT, "/api/v3/klines", asked), now))
    again = request(SPOT_DATA, "/api/v3/klines", {**asked, "timestamp": 5, "recvWindow": 9, "signature": "SCRUBBED"})
    assert provider.family(again) == provider.family(made.request)
    assert provider.narrow([made], again, now) is made.reply
    service, provider = BinanceSpot(book), spot()
    _, _, late = names(book)
    asked = request(SPOT, "/api/v3/klines", {"symbol": late, "interval": "1h", "startTime": 0, "limit": 9})
    made = recorded(service, provider, [asked], book.prices.end - 1)
    with pytest.raises(Miss, match="no recording shows that the market was there"):
        provider.narrow(made, asked, book.prices.first + 600)


def test_errors_are_handed_out_for_their_own_question(book: MarketBook) -> None:
    """A wrong interval is wrong at any moment; a symbol that is unknown at one moment may be known at another."""
    service, provider, end = BinanceSpot(book), spot(), book.prices.end - 1
    one, _, late = names(book)
    before = book.prices.first + 600
    wrong = request(SPOT, "/api/v3/klines", {"symbol": one, "interval": "7h"})
    unknown = request(SPOT, "/api/v3/klines", {"symbol": late, "interval": "1h"})
    made = [Recorded(asked, live(service, asked, before)) for asked in (wrong, unknown)]
    assert provider.narrow(made[:1], wrong, end) is made[0].reply and made[0].reply.status == 400
    assert provider.narrow(made[1:], unknown, before) is made[1].reply and made[1].reply.status == 400
    with pytest.raises(Miss):
        provider.narrow(made[1:], unknown, end)
    with pytest.raises(Miss):
        provider.narrow(made[:1], request(SPOT, "/api/v3/klines", {"symbol": one, "interval": "9h"}), end)


@pytest.mark.check
def test_clients_of_others_work_on_the_origin_and_on_replay(book: MarketBook) -> None:
    """python-binance and the vendor's own kits say the same over the services and over recordings alone."""
    now = moments(book)[1]
    one, two, _ = names(book)
    services = {SPOT: BinanceSpot(book), FUTURES: BinanceFutures(book)}
    providers = {SPOT: spot(), FUTURES: futures()}

    def ask(apps: Mapping[str, App]) -> list[Any]:
        with LoopbackServer(apps[SPOT]) as first, LoopbackServer(apps[FUTURES]) as second:
            return _by_python_binance(first.url, second.url, one, two, now) + _by_vendor(first.url, second.url, one)

    heard = {at: Heard(Services([service], now)) for at, service in services.items()}
    told = ask(heard)
    made = {at: recorded(services[at], providers[at], heard[at].asked, now) for at in services}
    assert ask({at: Replay(providers[at], made[at], now, at) for at in services}) == told
    assert len(told) == 21 and all(told)


def _by_python_binance(spot_url: str, futures_url: str, one: str, two: str, now: int) -> list[Any]:
    client = Client(ping=False)
    client.API_URL, client.FUTURES_URL = f"{spot_url}/api", f"{futures_url}/fapi"
    client.FUTURES_DATA_URL = f"{futures_url}/futures/data"
    start, end = (now - 9 * 86_400) * 1000, (now - 86_400) * 1000
    history = client.get_historical_klines(one, "5m", start, end)
    assert len(history) == 2304
    return [
        history, client.get_exchange_info()["symbols"], client.get_symbol_ticker(symbol=one), client.get_all_tickers(),
        client.get_ticker(symbol=two), client.get_orderbook_ticker(symbol=one), client.get_avg_price(symbol=one),
        client.get_order_book(symbol=two, limit=7), client.get_klines(symbol=two, interval="4h", limit=30),
        client.futures_klines(symbol=one, interval="1d", limit=5), client.futures_funding_rate(symbol=one, limit=9),
        client.futures_mark_price(symbol=one), client.futures_open_interest(symbol=one),
        client.futures_open_interest_hist(symbol=one, period="1h"), client.futures_ticker(symbol=two),
        client.futures_global_longshort_ratio(symbol=one, period="4h", limit=12),
    ]  # fmt: skip


def _by_vendor(spot_url: str, futures_url: str, one: str) -> list[Any]:
    plain = Spot(config_rest_api=ConfigurationRestAPI(base_path=spot_url, retries=0)).rest_api
    kit = DerivativesTradingUsdsFutures(config_rest_api=ConfigurationRestAPI(base_path=futures_url, retries=0)).rest_api
    answers = [
        plain.klines(symbol=one, interval="1d", limit=20), plain.ticker24hr(symbol=one), plain.time(),
        kit.kline_candlestick_data(symbol=one, interval="2h", limit=8),
        kit.taker_buy_sell_volume(symbol=one, period="2h"),
    ]  # fmt: skip
    return [str(answer.data()) for answer in answers]
