"""The whole CoinGecko service: the vendor's description, real shapes, refusals, and the vendor's client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.loopback import LoopbackServer
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from caia_worldgen.services.coingecko import DEMO, PRO, CoinGecko
from caia_worldgen.services.service import Asked, Services
from tests.coingecko_judge import ask_sdk
from tests.coingecko_law import get
from tests.provider_law import live
from tests.vendor_description import VendorDescription

pytestmark = pytest.mark.check
DAY = 86_400


@pytest.fixture(scope="module")
def service(book: MarketBook, scene: Scene) -> CoinGecko:
    return CoinGecko(book, scene.networks)


@pytest.fixture(scope="module")
def end(book: MarketBook) -> int:
    return book.prices.end - 1


def told(service: CoinGecko, now: int, path: str, **parameters: object) -> Any:
    reply = live(service, get(path, **parameters), now)
    assert reply.status == 200, reply.body
    return json.loads(reply.body)


def every_request(book: MarketBook, now: int) -> list[HttpRequest]:
    """One or more questions for every endpoint that is served."""
    native = next(coin for coin in book.coins if coin.role == "native").id
    network, address = next(coin.platforms[0] for coin in book.coins if coin.role == "lend")
    plain = ["/ping", "/simple/supported_vs_currencies", "/coins/list?include_platform=true", "/coins/categories",
             "/coins/categories/list", "/asset_platforms", "/search?query=net", "/search/trending", "/global",
             "/global/decentralized_finance_defi", "/exchange_rates", "/exchanges?per_page=5", "/exchanges/list",
             "/exchanges/outside-venue", "/exchanges/outside-venue/tickers", "/derivatives"]  # fmt: skip
    asked = [get(path) for path in plain]
    flags = {f"include_{name}": "true" for name in ("market_cap", "24hr_vol", "24hr_change", "last_updated_at")}
    spans = "1h,24h,7d,14d,30d,200d,1y"
    asked += [
        get("/simple/price", ids=f"{native},absent", vs_currencies="usd", **flags),
        get(f"/simple/token_price/{network}", contract_addresses=address, vs_currencies="usd", **flags),
        get("/coins/markets", vs_currency="usd", sparkline="true", price_change_percentage=spans, per_page=250),
        get("/coins/markets", vs_currency="cny", category="layer-1", order="volume_desc", precision="2"),
    ]
    for coin in book.listed(now)[::4]:
        asked += [get(f"/coins/{coin.id}", sparkline="true"), get(f"/coins/{coin.id}/tickers")]
    for path in (f"/coins/{native}", f"/coins/{network}/contract/{address}"):
        asked.append(get(path))
        asked += [get(f"{path}/market_chart", vs_currency="usd", days=days) for days in (1, 30, 120)]
        asked.append(get(f"{path}/market_chart/range", vs_currency="eur", from_=now - 9 * DAY, to=now))
    asked += [get(f"/coins/{native}/ohlc", vs_currency="usd", days=days) for days in (1, 30, 90)]
    return [*asked, get(f"/coins/{native}/history", date="02-04-2024")]


@pytest.mark.real
def test_every_reply_fits_the_vendors_description(
    service: CoinGecko, book: MarketBook, end: int, real_data: Path
) -> None:
    """Requests and replies of every endpoint, at the end of the story and in its middle."""
    judge = VendorDescription.load(real_data / "openapi" / "coingecko-demo-api.json")
    for now in (end, book.prices.first + 60 * DAY + 5_000):
        for request in every_request(book, now):
            reply = live(service, request, now)
            faults = judge.request_faults("GET", request.url)
            faults += judge.reply_faults("GET", request.url, reply.status, json.loads(reply.body))
            assert not faults, (request.url, faults)


def test_figures_are_the_books(service: CoinGecko, book: MarketBook, end: int) -> None:
    """Price, cap, volume, rank and supply of every coin, in dollars, in markets, prices, pages and charts alike."""
    rows = told(service, end, "/coins/markets", vs_currency="usd", per_page=250)
    assert [row["id"] for row in rows] == [coin.id for coin in book.ranking(end)]
    for row in rows[::3]:
        coin = book.coin(row["id"])
        assert coin is not None
        price = book.prices.price_e8(coin, end)
        assert (
            price is not None and row["current_price"] == price / 10**8 and row["market_cap"] == book.cap_usd(coin, end)
        )
        assert row["total_volume"] == book.day(coin, end).quote_e8 / 10**8
        assert row["circulating_supply"] == book.supply(coin, end).circulating / coin.unit
        page = told(service, end, f"/coins/{coin.id}")
        chart = told(service, end, f"/coins/{coin.id}/market_chart", vs_currency="usd", days=1)
        assert chart["prices"][-1] == [end * 1_000, row["current_price"]]
        assert page["market_data"]["current_price"]["usd"] == row["current_price"]
        assert page["market_data"]["market_cap"]["usd"] == chart["market_caps"][-1][1] == row["market_cap"]


def test_nothing_is_told_of_later_than_now(service: CoinGecko, book: MarketBook) -> None:
    """A coin that is listed later is unknown everywhere, and charts end at the moment."""
    late = max(book.coins, key=lambda coin: coin.listed_at)
    now = late.listed_at - 1
    for path in (f"/coins/{late.id}", f"/coins/{late.id}/history?date=01-03-2024"):
        assert live(service, get(path), now).body == b'{"error":"coin not found"}'
    assert late.id not in live(service, get("/coins/list"), now).body.decode()
    assert live(service, get(f"/coins/{late.id}"), late.listed_at).status == 200


def test_refusals_are_the_vendors(service: CoinGecko, book: MarketBook, end: int) -> None:
    """Keys, tiers, old days, unknown coins and bad parameters, with their codes."""
    native = next(coin for coin in book.coins if coin.role == "native").id
    chart = f"/coins/{native}/market_chart"
    asked = {
        get("/coins/list/new").url: (401, 10005),
        get("/coins/top_gainers_losers", vs_currency="usd").url: (401, 10005),
        get(chart, vs_currency="usd", days="max").url: (401, 10012),
        get(f"{chart}/range", vs_currency="usd", from_=end - 366 * DAY, to=end).url: (401, 10012),
        get(f"/coins/{native}/history", date="01-01-2020").url: (401, 10012),
        get("/coins/absent").url: (404, "coin not found"),
        get(chart, vs_currency="zzz", days=1).url: (400, "invalid vs_currency"),
        get(chart, days=1).url: (422, "Missing parameter vs_currency"),
        get(chart, vs_currency="usd", days="x").url: (400, "invalid days"),
        get(f"/coins/{native}/ohlc", vs_currency="usd", days=3).url: (400, "invalid days"),
        get("/coins/markets", vs_currency="usd", order="x").url: (400, "invalid order"),
        get("/nowhere").url: (404, "Incorrect path. Please check https://www.coingecko.com/api/"),
    }
    for url, (status, code) in asked.items():
        reply = live(service, HttpRequest("GET", url), end)
        error = json.loads(reply.body)
        error = error.get("error", error)
        said = error["status"]["error_code"] if isinstance(error, dict) else error
        assert (reply.status, said) == (status, code), url
    for headers in ({"x-cg-demo-api-key": "bad"}, {}):
        origin = DEMO if headers else PRO
        reply = live(service, HttpRequest("GET", f"{origin}/api/v3/ping", b"", headers), end)
        assert (reply.status, json.loads(reply.body)["status"]["error_code"]) == (401, 10002)
    busy = service.busy(Asked("GET", "/api/v3/ping", {}))
    assert busy.status == 429 and busy.content["status"]["error_code"] == 429


def test_coingeckos_own_sdk_reads_every_reply(service: CoinGecko, book: MarketBook, end: int) -> None:
    """The vendor's Python SDK, with its strict validation of replies, over HTTP."""
    with LoopbackServer(Services([service], end)) as server:
        prices = ask_sdk(server.url, book, end)
    assert prices[0][1] > 0 and prices == sorted(prices)
