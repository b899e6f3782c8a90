"""The DeFi index (DefiLlama's shape): what is locked, traded, charged and unlocked, prices by address, blocks by time.

    https://api.llama.fi                   protocols, chains, volumes, fees; what is paid for is refused with 402
    https://coins.llama.fi                 prices and blocks
    https://pro-api.llama.fi/<key>/api/    what is paid for: emissions and active users, and all of the above
    https://defillama-datasets.llama.fi    emission calendars as files

Called by another host's name, as a client is that was pointed at its address, it goes by the path alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from caia_worldgen.market.metric import Metrics
from caia_worldgen.services.defillama_coin import CoinPages
from caia_worldgen.services.defillama_emission import EmissionPages
from caia_worldgen.services.defillama_flow import FlowPages
from caia_worldgen.services.defillama_form import PAID, refused
from caia_worldgen.services.defillama_tvl import TvlPages
from caia_worldgen.services.service import Answer, Asked

API: Final = "https://api.llama.fi"
COINS: Final = "https://coins.llama.fi"
PRO: Final = "https://pro-api.llama.fi"
DATASETS: Final = "https://defillama-datasets.llama.fi"

_COIN_PATHS: Final = ("prices", "chart", "percentage", "block")
_PAID_PATHS: Final = ("emissions", "emission", "activeUsers", "userData")
_NOT_FOUND: Final = refused(404, "Not Found")


class DefiLlamaService:
    """The index over a told story's metrics."""

    origins: Final = (API, COINS, PRO, DATASETS)

    def __init__(self, metrics: Metrics) -> None:
        self._tvl = TvlPages(metrics)
        self._flow = FlowPages(metrics)
        self._coin = CoinPages(metrics)
        self._emission = EmissionPages(metrics)

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, {"message": "Too many requests"}, {"Retry-After": "10"})

    def answer(self, asked: Asked, now: int) -> Answer:
        """The answer at ``now``."""
        if asked.method != "GET":
            return _NOT_FOUND
        parts, origin = asked.segments(), asked.origin if asked.origin in self.origins else origin_of(asked.segments())
        if origin == COINS:
            return self._coins(parts, asked.parameters, now)
        if origin == DATASETS:
            return self._emission.file(parts[1], now) if _is(parts, "emissions", "*") else _NOT_FOUND
        if origin == API:
            return self._api(parts, asked.parameters, now, paid=False)
        if parts[:1] in (["api"], ["coins"]):
            return refused(402, PAID)
        if parts[1:2] == ["coins"]:
            return self._coins(parts[2:], asked.parameters, now)
        return self._api(parts[2:], asked.parameters, now, paid=True) if parts[1:2] == ["api"] else _NOT_FOUND

    def _api(self, parts: Sequence[str], parameters: Mapping[str, str], now: int, *, paid: bool) -> Answer:
        if parts[:1] and parts[0] in _PAID_PATHS:
            return self._paid(parts, now) if paid else refused(402, PAID)
        match parts:
            case ["protocols"]:
                return self._tvl.protocols(now)
            case ["protocol", slug]:
                return self._tvl.protocol(slug, now)
            case ["tvl", slug]:
                return self._tvl.current(slug, now)
            case ["v2", "chains"]:
                return self._tvl.chains(now)
            case ["v2", "historicalChainTvl"]:
                return self._tvl.chain_history("", now)
            case ["v2", "historicalChainTvl", chain]:
                return self._tvl.chain_history(chain, now)
            case ["charts"]:
                return self._tvl.chain_history("", now, legacy=True)
            case ["charts", chain]:
                return self._tvl.chain_history(chain, now, legacy=True)
            case ["overview", kind]:
                return self._flow.overview(kind, "", parameters, now)
            case ["overview", kind, chain]:
                return self._flow.overview(kind, chain, parameters, now)
            case ["summary", kind, slug]:
                return self._flow.summary(kind, slug, parameters, now)
        return _NOT_FOUND

    def _paid(self, parts: Sequence[str], now: int) -> Answer:
        match parts:
            case ["emissions"]:
                return self._emission.all(now)
            case ["emission", slug]:
                return self._emission.wrapped(slug, now)
            case ["activeUsers"]:
                return self._emission.active_users(now)
            case ["userData", kind, number]:
                return self._emission.users_by_day(kind, number, now)
        return _NOT_FOUND

    def _coins(self, parts: Sequence[str], parameters: Mapping[str, str], now: int) -> Answer:
        match parts:
            case ["prices", "current", keys]:
                return self._coin.prices(keys, None, parameters, now)
            case ["prices", "historical", moment, keys]:
                return self._coin.prices(keys, moment, parameters, now)
            case ["prices", "first", keys]:
                return self._coin.first(keys, now)
            case ["chart", keys]:
                return self._coin.chart(keys, parameters, now)
            case ["percentage", keys]:
                return self._coin.changes(keys, parameters, now)
            case ["block", chain, moment]:
                return self._coin.block(chain, moment, now)
        return _NOT_FOUND


def _is(parts: Sequence[str], *wanted: str) -> bool:
    return len(parts) == len(wanted) and all(want in ("*", part) for part, want in zip(parts, wanted, strict=True))


def origin_of(parts: Sequence[str]) -> str:
    """Whose path this is."""
    if parts[:1] and parts[0] in _COIN_PATHS:
        return COINS
    if _is(parts, "emissions", "*"):
        return DATASETS
    return PRO if "api" in parts[:2] or "coins" in parts[:2] else API
