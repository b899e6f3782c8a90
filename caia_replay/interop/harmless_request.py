"""Which requests of an import may be sent with its user's keys: those that read what anybody may read.

An import.json, and rows of gold, may be a stranger's. A request goes out with the keys of whoever records, so one that
tells of an account, writes, or costs by what it says must not be taken from there. What is let through is a table: a
GET of public data, a search, a read of a Solana node. All else is sent only where a row that comes with the project
names it for the same question; nobody reads a table of what is forbidden to its end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from caia_replay.canonical import strict_json
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import BadInput

_ANY: Final = re.compile(r"/.*", re.DOTALL)
_PUBLIC: Final[Mapping[str, re.Pattern[str]]] = {
    "r.jina.ai": _ANY,
    "web.archive.org": re.compile(r"/(?:web|cdx)/.*", re.DOTALL),
    "api.llama.fi": _ANY,
    "coins.llama.fi": _ANY,
    "stablecoins.llama.fi": _ANY,
    "api.coingecko.com": re.compile(r"/api/v3/(?:coins|simple|search|global|exchanges|asset_platforms)(?:/.*)?"),
    "api.etherscan.io": re.compile(r"/v2/api"),
    "api.binance.com": re.compile(r"/api/v3/(?:klines|ticker/.*|exchangeInfo|aggTrades|time)"),
    "fapi.binance.com": re.compile(r"/fapi/v1/(?:klines|ticker/.*|exchangeInfo|fundingRate|openInterest)"),
    "api.github.com": re.compile(r"/repos/[\w.-]+/[\w.-]+/(?:releases|tags)"),
}
"""Host -> the paths that tell everybody the same. api.x.com is not here: what it tells is charged by the post."""
_EXPLORER_READS: Final[Mapping[str, re.Pattern[str]]] = {
    "account": re.compile(r"balance\w*|txlist\w*|token\w*tx|getminedblocks|txsBeaconWithdrawal"),
    "block": re.compile(r"get\w+"),
    "contract": re.compile(r"get\w+"),
    "logs": re.compile(r"getLogs"),
    "stats": re.compile(r"\w+"),
    "token": re.compile(r"token\w+"),
    "transaction": re.compile(r"get\w+"),
}
"""An explorer's module -> its actions that only read. ``proxy`` could send a transaction, ``getapilimit`` is about
the key."""


def is_harmless(request: HttpRequest) -> bool:
    """Whether a request reads what is public, at a price that does not depend on what it says."""
    try:
        url = canonical_url(request.url)
    except BadInput:
        return False
    if url.scheme != "https" or url.port or "@" in request.url.split("/")[2]:
        return False
    if any(part in (".", "..") for part in unquote(url.path).split("/")):
        return False
    if request.method == "POST":
        return _is_search(url.host, url.path, request) or _is_node_read(url.host, url.path, request)
    paths = _PUBLIC.get(url.host)
    if request.method != "GET" or request.body or paths is None or not paths.fullmatch(url.path):
        return False
    return url.host != "api.etherscan.io" or _is_explorer_read(url.query)


def _is_explorer_read(query: str) -> bool:
    asked = parse_qsl(query, keep_blank_values=True)
    named = dict(asked)
    if len(named) != len(asked):
        return False  # which of two actions counts, only the vendor knows
    actions = _EXPLORER_READS.get(named.get("module", ""))
    return actions is not None and actions.fullmatch(named.get("action", "")) is not None


def _is_search(host: str, path: str, request: HttpRequest) -> bool:
    content = _object(request)
    return host == "google.serper.dev" and path == "/search" and isinstance(content.get("q"), str)


def _is_node_read(host: str, path: str, request: HttpRequest) -> bool:
    method = _object(request).get("method")
    return host == "api.mainnet-beta.solana.com" and path == "/" and isinstance(method, str) and method[:3] == "get"


def _object(request: HttpRequest) -> Mapping[str, Any]:
    """The body as one JSON object; empty where it is none."""
    try:
        content = strict_json(request.body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
