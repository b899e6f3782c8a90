"""One provider speaks for each recorded API, and none for what nobody recorded."""

from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.world.every_provider import providers_over


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.coingecko.com/api/v3/coins/list", "coingecko"),
        ("https://api.binance.com/api/v3/klines?symbol=AB&interval=1d", "binance-spot"),
        ("https://fapi.binance.com/fapi/v1/fundingRate?symbol=AB", "binance-futures"),
        ("https://api.llama.fi/protocols", "defillama"),
        ("https://api.etherscan.io/v2/api?chainid=1&module=contract&action=getabi&address=0x1", "etherscan"),
        ("https://api.github.com/repos/a/b", "github"),
        ("https://api.x.com/2/users/7", "x-api"),
        ("https://api.unknown.example/v1/prices", None),
    ],
)
def test_each_api_has_one_provider(url: str, name: str | None) -> None:
    """No request is spoken for twice, so the order of providers decides nothing."""
    speakers = [provider.name for provider in providers_over({}) if provider.match(HttpRequest("GET", url))]
    assert len(speakers) == (name is not None) and [found.replace("_", "-") for found in speakers] in ([name], [])
