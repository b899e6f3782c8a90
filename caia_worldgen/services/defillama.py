"""The DeFi index (DefiLlama's shape): what is locked, traded, charged and unlocked, prices by address, blocks by time.

    https://api.llama.fi                   protocols, chains, volumes, fees; what is paid for is refused with 402
    https://coins.llama.fi                 prices and blocks
    https://pro-api.llama.fi/<key>/api/    what is paid for: emissions and active users, and all of the above
    https://defillama-datasets.llama.fi    emission calendars as files

Called by another host's name, as a client is that was pointed at its address, it goes by the path alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.protocol import stage_of
from caia_worldgen.services.defillama_emission import EmissionPages
from caia_worldgen.services.defillama_flow import FlowPages, TvlPages
from caia_worldgen.services.defillama_form import CHAINS, PAID, refused
from caia_worldgen.services.service import Answer, Asked

RECORD_S: Final = 600
CONFIDENCE: Final = 0.99
_UNITS: Final = {"": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_PERIOD: Final = re.compile(r"(\d{0,9})([mhdw]?)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d{1,12}")
_CHANGE_WIDTH_S: Final = 900
_MOST_POINTS: Final = 500
_FORWARD: Final = {"true": 1}


class CoinPages:
    """The answers; pure functions of what is asked and now."""

    def __init__(self, metrics: Metrics) -> None:
        self._scene = metrics.scene
        self._book = metrics.book

    def prices(self, keys: str, moment: str | None, parameters: Mapping[str, str], now: int) -> Answer:
        """Prices at a moment, or now."""
        width = _seconds(parameters.get("searchWidth", "6h"))
        if width is None or (moment is not None and not _NUMBER.fullmatch(moment)):
            return refused(400, "searchWidth and timestamp must be uint")
        at, found = now if moment is None else int(moment), {}
        for key, coin in self._known(keys):
            noted = self.note(coin, at, width, now)
            if noted is not None:
                found[key] = _head(key, coin) | {"price": self._price(coin, noted), "timestamp": noted}
        return Answer(200, {"coins": found})

    def chart(self, keys: str, parameters: Mapping[str, str], now: int) -> Answer:
        """Prices at equal distances, from ``start`` on or back from ``end``, which is now by default."""
        period = _seconds(parameters.get("period", "1d"))
        if "start" in parameters and "end" in parameters:
            return refused(400, "use either start or end parameter, not both")
        if not period or any(
            not _NUMBER.fullmatch(parameters[one]) for one in ("start", "end", "span") if one in parameters
        ):
            return refused(400, "period, span, start and end must be uint")
        width = _seconds(parameters.get("searchWidth", str(period // 10)))
        span = max(1, int(parameters.get("span", "0")))
        if width is None:
            return refused(400, "searchWidth must be uint")
        if span * len(keys.split(",")) > _MOST_POINTS:
            return refused(400, f"at most {_MOST_POINTS} points of all coins together")
        origin = int(parameters.get("start", parameters.get("end", now)))
        step = period if "start" in parameters else -period
        found: dict[str, Any] = {}
        for key, coin in self._known(keys):
            noted = [self.note(coin, origin + at * step, width, now) for at in range(span)]
            points = [{"timestamp": at, "price": self._price(coin, at)} for at in sorted(filter(None, noted))]
            if points:
                found[key] = _head(key, coin) | {"prices": points}
        return Answer(200, {"coins": found})

    def changes(self, keys: str, parameters: Mapping[str, str], now: int) -> Answer:
        """By how many per cent prices changed in a period up to a moment, or from it on."""
        period, said = _seconds(parameters.get("period", "1d")), parameters.get("timestamp", str(now))
        if not period or not _NUMBER.fullmatch(said):
            return refused(400, "period and timestamp must be uint")
        moment, found = int(said), {}
        ends = sorted((moment, moment + (period if parameters.get("lookForward", "").lower() in _FORWARD else -period)))
        for key, coin in self._known(keys):
            first, last = (self.note(coin, at, _CHANGE_WIDTH_S, now) for at in ends)
            if first is not None and last is not None and first < last:
                before, after = self._price_e8(coin, first), self._price_e8(coin, last)
                if before:
                    found[key] = 100 * period * (after - before) / (before * (last - first))
        return Answer(200, {"coins": found})

    def first(self, keys: str, now: int) -> Answer:
        """The first note of each coin."""
        found = {}
        for key, coin in self._known(keys):
            at = self._begins(coin)
            if at <= now:
                found[key] = {"price": self._price(coin, at), "symbol": coin.symbol.upper(), "timestamp": at}
        return Answer(200, {"coins": found})

    def block(self, said: str, moment: str, now: int) -> Answer:
        """The block nearest to a moment, the earlier of two."""
        chain = next((one for one in CHAINS if self._scene.networks[one].id == said.lower()), None)
        if chain is None:
            return refused(400, "We don't support the blockchain we provided, make sure to spell it correctly")
        if not _NUMBER.fullmatch(moment):
            return refused(400, "Timestamp needs to be a number")
        calendar, at = stage_of(self._scene, chain).calendar, int(moment)
        if not calendar.times[0] < at <= now:
            return refused(400, "requested timestamp is either before genesis or after now")
        below = calendar.at(at)
        above = below + 1
        if above <= calendar.last_block and calendar.times[above] <= now:
            below = above if calendar.times[above] - at < at - calendar.times[below] else below
        return Answer(200, {"height": below, "timestamp": calendar.times[below]})

    def note(self, coin: Coin, moment: int, width: int, now: int) -> int | None:
        """The moment of the note that answers for ``moment``, among those that exist now."""
        first, begun = self._begins(coin), self._book.prices.first
        last = begun + (min(now, self._book.prices.end - 1) - begun) // RECORD_S * RECORD_S
        if last < first:
            return None
        nearest = begun - (begun - moment + RECORD_S // 2) // RECORD_S * RECORD_S
        found = min(last, max(first, nearest))
        return found if abs(found - moment) <= width else None

    def _begins(self, coin: Coin) -> int:
        begun = self._book.prices.first
        return begun - (begun - coin.listed_at) // RECORD_S * RECORD_S

    def _known(self, keys: str) -> Iterable[tuple[str, Coin]]:
        for key in dict.fromkeys(keys.split(",")):
            network, _, address = key.partition(":")
            if network == "coingecko":
                coin = self._book.coin(address)
            elif (network.lower(), address) == (self._scene.networks["main"].id, ZERO_ADDRESS):
                coin = self._book.coin(self._scene.networks["main"].id)
            else:
                coin = self._book.at_address(network.lower(), address)
            if coin is not None:
                yield key, coin

    def _price_e8(self, coin: Coin, moment: int) -> int:
        return self._book.prices.price_e8(coin, moment) or 0

    def _price(self, coin: Coin, moment: int) -> float:
        return self._price_e8(coin, moment) / 10**8


def _head(key: str, coin: Coin) -> dict[str, Any]:
    head: dict[str, Any] = {"symbol": coin.symbol.upper(), "confidence": CONFIDENCE}
    return head if key.startswith("coingecko:") else head | {"decimals": coin.decimals}


def _seconds(period: str) -> int | None:
    """ "4h", "1W", "d" or plain seconds; None for anything else."""
    found = _PERIOD.fullmatch(period)
    if found is None or not period:
        return None
    return int(found[1] or "1") * _UNITS[found[2].lower()]


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
