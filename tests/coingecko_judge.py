"""Who judges the CoinGecko API beside ourselves: real replies and the vendor's SDK."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from coingecko_sdk import Coingecko, NotFoundError

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.vcr_file import read_vcr
from caia_worldgen.market.book import MarketBook

DAY = 86_400


@lru_cache(maxsize=1)
def real_recordings(real_data: Path) -> tuple[Recorded, ...]:
    """Every readable exchange with the API in the real cassettes, bodies decoded, header names in lower case."""
    found = []
    for path in sorted((real_data / "http-cassettes" / "openbb").rglob("*.yaml")):
        if "api.coingecko.com" not in path.read_text("utf-8"):
            continue
        for item in read_vcr(path):
            if "://api.coingecko.com/" in item.uri and item.status == 200:
                headers = {name.lower(): lines[-1] for name, lines in item.headers.items()}
                body = decoded(item.body, [headers[name] for name in ("content-encoding",) if name in headers])
                found.append(Recorded(HttpRequest("GET", item.uri), HttpReply(item.status, headers, body)))
    return tuple(found)


def ask_sdk(url: str, book: MarketBook, now: int) -> list[list[float]]:
    """Ask the vendor's SDK for a bit of everything; the prices of the last week."""
    native = next(coin for coin in book.coins if coin.role == "native").id
    network, address = next(coin.platforms[0] for coin in book.coins if coin.role == "lend")
    address_of_api, key = f"{url}/api/v3", "CG-synthetic"
    with Coingecko(
        base_url=address_of_api, demo_api_key=key, max_retries=0, _strict_response_validation=True
    ) as client:
        assert client.ping.get().gecko_says
        assert client.coins.get_id(native).name
        assert client.coins.markets.get(vs_currency="usd", per_page=5)[0].id
        assert client.coins.history.get(native, date="02-04-2024").market_data
        assert client.coins.ohlc.get(native, vs_currency="usd", days="7")
        assert client.simple.price.get(ids=native, vs_currencies="usd")[native].usd
        assert client.coins.contract.get(address, id=network).id
        assert client.search.trending.get().coins and client.search.get(query="net").coins
        assert client.global_.get().data and client.asset_platforms.get() and client.coins.list.get()
        assert client.exchanges.get()[0].id and client.exchanges.get_id("outside-venue").name
        with pytest.raises(NotFoundError):
            client.coins.get_id("absent")
        chart = client.coins.market_chart.get_range(native, vs_currency="usd", from_=str(now - 7 * DAY), to=str(now))
        return [list(point) for point in chart.prices or ()]
