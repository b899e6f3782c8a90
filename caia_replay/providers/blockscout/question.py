"""What is asked of a Blockscout explorer's REST API: the instance, the path, filters, and the place in a list.

    https://{instance}.blockscout.com/api/v2/...     https://api.blockscout.com/{chain_id}/api/v2/...

Lists go on by a key of the last row: what a reply has as ``next_page_params`` is sent back as parameters. Up to
version 11 ``items_count`` is a counter among these; from version 12 on it is the size of a page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from caia_replay.cassette.secret import is_secret
from caia_replay.core.provider import HttpRequest
from caia_replay.providers.endpoint import endpoint_of

POOLED: Final = "api.blockscout.com"
DOMAIN: Final = ".blockscout.com"
SIZE: Final = "items_count"
_KEY: Final = "key"
"""Early versions repeat the caller's key under this name."""
_FILTERS: Final = frozenset({"filter", "type", "sort", "order", "q", "token", "topic", "state_filter", "tab", "limit"})
"""Parameters that choose or order rows; every other one says where a page begins."""

Kind = Literal["transaction", "transfer", "internal", "block", ""]

_LISTS: Final[Mapping[tuple[str, str], Kind]] = {
    ("addresses", "transactions"): "transaction",
    ("addresses", "token-transfers"): "transfer",
    ("addresses", "internal-transactions"): "internal",
    ("tokens", "transfers"): "transfer",
    ("transactions", "token-transfers"): "transfer",
    ("transactions", "internal-transactions"): "internal",
    ("blocks", "transactions"): "transaction",
}
_SINGLES: Final[Mapping[str, Kind]] = {"transactions": "transaction", "blocks": "block"}
_NO_SINGLES: Final = frozenset({"stats", "watchlist", "execution-node"})


@dataclass(frozen=True, slots=True)
class Question:
    """One request. ``base`` is all before the path's own parts, ``kind`` what its rows, or it itself, tell of for good
    ("" for what is told of now alone). ``cursor`` says where a page begins, ``size`` what ``items_count`` says."""

    base: str
    path: tuple[str, ...]
    kind: Kind
    is_single: bool
    filters: Mapping[str, str]
    cursor: Mapping[str, str]
    size: str

    @property
    def family(self) -> str:
        """The list or thing that is asked for, wherever its page begins."""
        told = "&".join(f"{name}={text}" for name, text in sorted(self.filters.items()))
        return f"{self.base}/{'/'.join(self.path)}?{told}"


def question_of(request: HttpRequest) -> Question:
    """Raises ``Miss`` for an address that cannot be read, or a parameter that is given twice."""
    endpoint = endpoint_of(request)
    before, _, after = endpoint.path.partition("/api/v2/")
    path = tuple(part for part in after.split("/") if part)
    told = {name: text for name, text in endpoint.parameters.items() if not is_secret(name)}
    filters = {name: text for name, text in told.items() if name in _FILTERS}
    cursor = {name: text for name, text in told.items() if name not in _FILTERS and name not in (SIZE, _KEY)}
    kind: Kind = ""
    is_single = len(path) == 2 and path[0] in _SINGLES and path[1] not in _NO_SINGLES
    if is_single:
        kind = _SINGLES[path[0]]
    elif len(path) == 3:
        kind = _LISTS.get((path[0], path[2]), "")
    return Question(endpoint.origin + before, path, kind, is_single, filters, cursor, told.get(SIZE, ""))


def is_rest(request: HttpRequest, hosts: Collection[str]) -> bool:
    """Whether a request reads from an explorer's REST API."""
    found = _parts(request, hosts)
    if found is None or request.method != "GET":
        return False
    host, path = found
    before, middle, after = path.partition("/api/v2/")
    return bool(middle and after) and (before.strip("/").isdecimal() if host == POOLED else before == "")


def is_module(request: HttpRequest, hosts: Collection[str]) -> bool:
    """Whether a request goes to the interface that is compatible with Etherscan's."""
    found = _parts(request, hosts)
    if found is None or request.method != "GET":
        return False
    host, path = found
    return path == "/v2/api" if host == POOLED else path == "/api"


def cursor_of(content: Mapping[str, Any]) -> dict[str, str] | None:
    """Where the next page begins, as parameters; None at the list's end, or where it cannot be read.

    Empty where there is a next page that no parameter leads to.
    """
    told = content.get("next_page_params")
    if not isinstance(told, dict):
        return None
    found: dict[str, str] = {}
    for name, value in told.items():
        if isinstance(value, bool):
            found[name] = str(value).lower()
        elif isinstance(value, str | int | float):
            found[name] = str(value)
    return {name: text for name, text in found.items() if name != _KEY and not is_secret(name)}


def _parts(request: HttpRequest, hosts: Collection[str]) -> tuple[str, str] | None:
    try:
        parts = urlsplit(request.url)
        host = parts.netloc.lower()
    except ValueError:
        return None
    is_here = host.endswith(DOMAIN) or host in hosts
    return (host, parts.path) if parts.scheme == "https" and is_here else None
