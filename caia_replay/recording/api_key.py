"""Which key each vendor's address wants, and where: put on below the recording, so that none is ever on a tape.

A key is read from the environment variable that the vendor's own documentation, or its clients, use. What is recorded
is the request as the tool made it, with no key or the word ``SCRUBBED`` in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote

import httpx2

from caia_replay.cassette.secret import SCRUBBED
from caia_replay.errors import BadInput


@dataclass(frozen=True, slots=True)
class ApiKey:
    """How one host takes its key. ``name`` is the header or the query parameter; in a ``path`` the key takes the place
    of ``SCRUBBED``. ``host_with_key`` is asked instead where the vendor has one for those who pay."""

    host: str
    variable: str
    how: Literal["header", "parameter", "path"]
    name: str = ""
    before: str = ""
    is_needed: bool = False
    host_with_key: str = ""


KEYS: Final = (
    ApiKey("api.coingecko.com", "COINGECKO_PRO_API_KEY", "header", "x-cg-pro-api-key",
           host_with_key="pro-api.coingecko.com"),
    ApiKey("api.coingecko.com", "COINGECKO_DEMO_API_KEY", "header", "x-cg-demo-api-key"),
    ApiKey("pro-api.coingecko.com", "COINGECKO_PRO_API_KEY", "header", "x-cg-pro-api-key", is_needed=True),
    ApiKey("pro-api.llama.fi", "DEFILLAMA_API_KEY", "path", is_needed=True),
    ApiKey("api.etherscan.io", "ETHERSCAN_API_KEY", "parameter", "apikey", is_needed=True),
    ApiKey("google.serper.dev", "SERPER_API_KEY", "header", "X-API-KEY", is_needed=True),
    ApiKey("r.jina.ai", "JINA_API_KEY", "header", "Authorization", before="Bearer "),
    ApiKey("api.x.com", "X_BEARER_TOKEN", "header", "Authorization", before="Bearer ", is_needed=True),
    ApiKey("api.github.com", "GITHUB_TOKEN", "header", "Authorization", before="Bearer "),
    ApiKey("api.dune.com", "DUNE_API_KEY", "header", "X-Dune-API-Key", is_needed=True),
)  # fmt: skip
"""In the order in which they are tried: the first whose variable is set is sent."""

HOSTS: Final = frozenset(
    {key.host for key in KEYS}
    | {key.host_with_key for key in KEYS if key.host_with_key}
    | {"api.binance.com", "fapi.binance.com"}
    | {f"{part}.llama.fi" for part in ("api", "coins", "stablecoins", "defillama-datasets")}
    | {"web.archive.org", "api.mainnet-beta.solana.com"}
    | {f"{chain}.blockscout.com" for chain in ("eth", "base", "arbitrum", "optimism", "polygon", "gnosis")}
)
"""Every host that a live recording may reach: those that the tools and the gold data ask."""


def hosts_with_key(host: str) -> frozenset[str]:
    """Where a request to ``host`` may be led that carries a key."""
    return frozenset(key.host_with_key for key in KEYS if key.host == host and key.host_with_key)


class Keys:
    """The keys that an environment has."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """White space around a key, such as a line's end in a file of them, is no part of it.

        Raises ``BadInput``, which names the variable alone, for a value that no header can hold.
        """
        fields = {key.variable: environment.get(key.variable, "").strip() for key in KEYS}
        for variable, value in fields.items():
            if not (value.isascii() and value.isprintable()) or " " in value:
                raise BadInput(f"{variable} holds what is no key: blanks, or characters beyond ASCII")
        self._values = {variable: value for variable, value in fields.items() if value}

    @property
    def values(self) -> frozenset[str]:
        """The keys themselves: what must be in no file."""
        return frozenset(self._values.values())

    def __repr__(self) -> str:
        return f"Keys({', '.join(sorted(self._values))})"

    def dress(self, url: httpx2.URL, headers: httpx2.Headers) -> tuple[httpx2.URL, httpx2.Headers]:
        """The request as it is sent. Raises ``BadInput`` where the host answers nobody without a key."""
        found, dressed = self._key_of(url.host), _without_words(headers)
        if found is None:
            return url, dressed
        value = self._values[found.variable]
        if found.host_with_key:
            url = url.copy_with(host=found.host_with_key)
        if found.how == "header":
            dressed[found.name] = found.before + value
        elif found.how == "parameter":
            url = url.copy_set_param(found.name, value)
        else:
            url = url.copy_with(raw_path=url.raw_path.replace(SCRUBBED.encode(), quote(value, safe="").encode(), 1))
        return url, dressed

    def sent_to(self, host: str) -> frozenset[str]:
        """The key that goes to ``host``, if any. Raises as ``dress``."""
        found = self._key_of(host)
        return frozenset() if found is None else frozenset({self._values[found.variable]})

    def _key_of(self, host: str) -> ApiKey | None:
        wanted = [key for key in KEYS if key.host == host]
        found = next((key for key in wanted if key.variable in self._values), None)
        missing = next((key for key in wanted if key.is_needed), None)
        if found is None and missing is not None:
            raise BadInput(f"{host} answers nobody without a key", next_command=f"set {missing.variable}")
        return found


def _without_words(headers: httpx2.Headers) -> httpx2.Headers:
    """``headers`` without those in which a tool put the word that stands for a key: it is none."""
    kept = httpx2.Headers(headers)
    for name in [name for name, value in headers.items() if value.rpartition(" ")[2] == SCRUBBED]:
        del kept[name]
    return kept
