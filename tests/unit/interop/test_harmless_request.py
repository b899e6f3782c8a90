"""Which requests of a stranger's import may carry its user's keys."""

from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.interop.harmless_request import is_harmless

_SCAN = "https://api.etherscan.io/v2/api?chainid=1"


@pytest.mark.parametrize(
    "url",
    [
        "https://r.jina.ai/https://a.example/terms?x=1",
        "https://web.archive.org/web/20250610/https://www.binance.com/zh-CN/proof-of-reserves",
        "https://api.llama.fi/raises",
        "https://api.coingecko.com/api/v3/coins/cyberconnect?localization=false",
        f"{_SCAN}&module=token&action=tokenholdercount&contractaddress=0x{'11' * 20}",
        f"{_SCAN}&module=account&action=txlistinternal&txhash=0x{'22' * 32}",
        "https://api.github.com/repos/some/thing/releases?per_page=100",
        "https://api.binance.com/api/v3/klines?symbol=BTCUSDT&interval=1d",
    ],
)
def test_a_read_of_what_is_public_may_be_sent(url: str) -> None:
    """As a GET, and as nothing else."""
    assert is_harmless(HttpRequest("GET", url))
    for method in ("POST", "DELETE", "get", "PUT"):
        assert not is_harmless(HttpRequest(method, url))
    assert not is_harmless(HttpRequest("GET", url, b"{}"))
    assert not is_harmless(HttpRequest("GET", url.replace("https:", "http:", 1)))
    assert not is_harmless(HttpRequest("GET", url.replace("://", "://me:secret@", 1)))
    assert not is_harmless(HttpRequest("GET", url.replace(".", ".evil.", 1)))


@pytest.mark.parametrize(
    "url",
    [
        "https://api.github.com/user",
        "https://api.github.com/user/repos",
        "https://api.github.com/repos/some/thing/contents/secret.txt",
        "https://api.github.com/repos/some/../releases",
        "https://api.github.com/repos/a/b/../../../user/releases",
        "https://api.github.com/repos/a/%2e%2e/releases",
        "https://api.github.com/notifications",
        "https://api.x.com/2/dm_events",
        "https://api.x.com/2/users/me",
        "https://api.x.com/2/tweets/search/all?query=a",
        "https://api.dune.com/api/v1/query/1/results",
        "https://pro-api.coingecko.com/api/v3/key",
        "https://api.coingecko.com/api/v3/key",
        "https://api.coingecko.com/api/v3/coins/../key",
        "https://api.binance.com/api/v3/account",
        f"{_SCAN}&module=getapilimit&action=getapilimit",
        f"{_SCAN}&module=proxy&action=eth_sendRawTransaction&hex=0x",
        f"{_SCAN}&module=contract&action=verifysourcecode",
        f"{_SCAN}&module=token&module=proxy&action=tokeninfo",
        "https://google.serper.dev/account",
        "https://localhost/api",
        "https://[::1",
        "not a url",
        "",
    ],
)
def test_an_account_a_price_or_an_unknown_host_may_not(url: str) -> None:
    """However it is spelled."""
    assert not is_harmless(HttpRequest("GET", url))
    assert not is_harmless(HttpRequest("POST", url, b'{"q": "a", "method": "getBlock"}'))


@pytest.mark.parametrize(
    ("url", "body", "harmless"),
    [
        ("https://google.serper.dev/search", b'{"q": "a"}', True),
        ("https://google.serper.dev/search", b"[]", False),
        ("https://google.serper.dev/images", b'{"q": "a"}', False),
        ("https://api.mainnet-beta.solana.com", b'{"id": 1, "method": "getTokenLargestAccounts"}', True),
        ("https://api.mainnet-beta.solana.com", b'{"id": 1, "method": "sendTransaction"}', False),
        ("https://api.mainnet-beta.solana.com", b'{"method": "getBlock", "method": "sendTransaction"}', False),
        ("https://api.mainnet-beta.solana.com", b'[{"method": "getBlock"}]', False),
        ("https://api.mainnet-beta.solana.com", b'{"method": 5}', False),
        ("https://api.mainnet-beta.solana.com", b"\xff", False),
        ("https://api.dune.com/api/v1/sql/execute", b'{"sql": "SELECT 1"}', False),
    ],
)
def test_of_posts_a_search_and_a_nodes_reads_may(url: str, body: bytes, harmless: bool) -> None:
    """A query that is charged by its work may not."""
    assert is_harmless(HttpRequest("POST", url, body)) is harmless
