"""Vendors of prices and of the DeFi index that know whatever name they are asked, each history cut off by a plan.

Real chains name real coins and protocols; no story of ours has those. Here a figure is a function of its name and its
moment, so every question about one is answered alike, and what a vendor's plan does not reach back to is refused in
that vendor's words.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_worldgen.services.service import Answer, Asked

DAY_S: Final = 86_400
HOUR_S: Final = 3_600
BEGUN: Final = 1_704_067_200
"""2024-01-01: no history begins earlier."""
_COINGECKO: Final = ("https://api.coingecko.com", "https://pro-api.coingecko.com")
_LLAMA: Final = ("https://api.llama.fi", "https://defillama-datasets.llama.fi", "https://pro-api.llama.fi")
_TOO_FAR: Final = (
    "Your request exceeds the allowed time range. Public API users are limited to querying historical data within the "
    "past 365 days. Upgrade to a paid plan to enjoy full historical data access"
)
"""Error 10012, as github.com/Electron-Cash/Electron-Cash/issues/2825 quotes it; with status 401, as
github.com/ghostfolio/ghostfolio/issues/3231 has it."""


def share(*names: object) -> float:
    """A number from 0 up to 1 that the names alone decide."""
    return int.from_bytes(hashlib.sha256(repr(names).encode()).digest()[:6]) / 2**48


def figure(name: str, at: int) -> float:
    """What something is worth at a moment: smooth, positive, another for every name."""
    base = 10 ** (1 + 4 * share(name))
    return float(round(base * (1.5 + math.sin(at / (9 * DAY_S) + 6 * share(name, "phase"))), 6))


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin of the list. ``address`` is its token on Ethereum, "" where it has none."""

    id: str
    symbol: str
    address: str = ""


class NamedCoinGecko:
    """The market API over ``coins``. ``paid_days`` is how far back the paid host answers; None is everything."""

    origins: Final = _COINGECKO

    def __init__(self, coins: Iterable[Coin], paid_days: int | None) -> None:
        self._coins = {coin.id: coin for coin in coins}
        self._days = {_COINGECKO[0]: 365, _COINGECKO[1]: paid_days}

    def answer(self, asked: Asked, now: int) -> Answer:
        """See ``Service.answer``."""
        given = asked.parameters
        match asked.segments()[2:]:
            case ["coins", "list"]:
                return Answer(200, [self._listed(coin) for coin in self._coins.values()])
            case ["simple", "price"]:
                ids = [name for name in given["ids"].split(",") if name in self._coins]
                return Answer(200, {name: {"usd": figure(name, now), "last_updated_at": now} for name in ids})
            case ["coins", "markets"]:
                wanted = given.get("ids", "").split(",") if given.get("ids") else list(self._coins)
                rows = [self._row(self._coins[name], now) for name in wanted if name in self._coins]
                return Answer(200, rows if given.get("page", "1") == "1" else [])
            case ["coins", name, "market_chart", "range"] if name in self._coins:
                first, last = int(given["from"]), int(given["to"])
                days = self._days[asked.origin]
                if days is not None and now - first > days * DAY_S:
                    return Answer(401, {"error": {"status": {"error_code": 10012, "error_message": _TOO_FAR}}})
                return Answer(200, _chart(name, first, min(last, now), given.get("interval", "")))
        return Answer(404, {"error": "coin not found"})

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, {"status": {"error_code": 429}}, {"Retry-After": "0"})

    def _listed(self, coin: Coin) -> dict[str, Any]:
        platforms = {"ethereum": coin.address} if coin.address else {}
        return {"id": coin.id, "symbol": coin.symbol, "name": coin.id.replace("-", " ").title(), "platforms": platforms}

    def _row(self, coin: Coin, now: int) -> dict[str, Any]:
        worth = figure(coin.id, now)
        told = {"current_price": worth, "market_cap": worth * 10**6, "total_volume": worth * 10**3}
        supply = {"circulating_supply": 10**6, "total_supply": 10**6, "max_supply": None}
        name = coin.id.replace("-", " ").title()
        return {"id": coin.id, "symbol": coin.symbol, "name": name, "market_cap_rank": 1, **told, **supply}


def _chart(name: str, first: int, last: int, interval: str) -> dict[str, Any]:
    step = DAY_S if interval == "daily" or last - first > 90 * DAY_S else HOUR_S
    moments = range(-(-max(first, BEGUN) // step) * step, last + 1, step)
    caps = 10**6 * (1 + share(name, "supply"))
    told = {"prices": 1.0, "market_caps": caps, "total_volumes": 1_000.0}
    return {field: [[at * 1_000, figure(name, at) * by] for at in moments] for field, by in told.items()}


class NamedLlama:
    """The DeFi index over ``protocols`` (slugs) and ``chains`` (names), with calendars of ``unlocks`` (coins' ids)."""

    origins: Final = _LLAMA

    def __init__(self, protocols: Sequence[str], chains: Sequence[str], unlocks: Sequence[str]) -> None:
        self._protocols, self._chains, self._unlocks = protocols, chains, unlocks

    def answer(self, asked: Asked, now: int) -> Answer:
        """See ``Service.answer``."""
        if asked.origin == _LLAMA[2]:
            return Answer(402, {"message": "Upgrade to the paid API plan at https://defillama.com/subscription"})
        days = range(BEGUN, now - now % DAY_S + 1, DAY_S)
        match asked.segments():
            case ["protocols"]:
                return Answer(200, [self._listed(slug, now) for slug in self._protocols])
            case ["v2", "chains"]:
                names = [{"name": name, "gecko_id": None, "tokenSymbol": None, "chainId": at, "cmcId": None}
                         for at, name in enumerate(self._chains, 1)]  # fmt: skip
                return Answer(200, [one | {"tvl": figure(one["name"], now)} for one in names])
            case ["v2", "historicalChainTvl", *chain]:
                return Answer(200, [{"date": at, "tvl": figure("/".join(chain), at)} for at in days])
            case ["protocol", slug] if slug in self._protocols:
                return Answer(200, self._protocol(slug, days, now))
            case ["overview", kind, *chain]:
                return Answer(200, self._overview(kind, asked.parameters, chain, days[:-1]))
            case ["summary", kind, slug] if slug in self._protocols:
                return Answer(200, self._summary(kind, slug, asked.parameters, days[:-1], now))
            case ["emissions", slug] if slug in self._unlocks:
                return Answer(200, self._calendar(slug))
        return Answer(404, {"message": "Not Found"})

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, {"message": "Too many requests"}, {"Retry-After": "0"})

    def _listed(self, slug: str, now: int) -> dict[str, Any]:
        number = str(1_000 + self._protocols.index(slug))
        name = slug.replace("-", " ").title()
        return {"id": number, "name": name, "slug": slug, "symbol": "-", "category": "Lending", "chain": "Multi-Chain",
                "chains": list(self._chains), "gecko_id": None, "address": None, "url": f"https://{slug}.example",
                "tvl": figure(slug, now), "listedAt": BEGUN}  # fmt: skip

    def _protocol(self, slug: str, days: Sequence[int], now: int) -> dict[str, Any]:
        def part(name: str) -> dict[str, Any]:
            held = {at: figure(f"{slug}/{name}", at) for at in days}
            tokens = [{"date": at, "tokens": {"USDC": worth}} for at, worth in held.items()]
            return {"tvl": [{"date": at, "totalLiquidityUSD": worth} for at, worth in held.items()],
                    "tokensInUsd": tokens, "tokens": tokens}  # fmt: skip

        parts = {name: part(name) for chain in self._chains[:2] for name in (chain, f"{chain}-borrowed")}
        current = {name: found["tvl"][-1]["totalLiquidityUSD"] for name, found in parts.items()}
        return {**self._listed(slug, now), **part(""), "chainTvls": parts, "currentChainTvls": current}

    def _overview(
        self, kind: str, given: Mapping[str, str], chain: Sequence[str], days: Sequence[int]
    ) -> dict[str, Any]:
        worth = {slug: f"{kind}/{given.get('dataType', '')}/{chain}/{slug}" for slug in self._protocols}
        parts = [[at, {self._name(slug): figure(name, at) for slug, name in worth.items()}] for at in days]
        whole = [[at, sum(of.values())] for at, of in parts]
        rows = [{"id": str(1_000 + at), "defillamaId": str(1_000 + at), "name": self._name(slug), "slug": slug,
                 "displayName": self._name(slug), "chains": list(self._chains)}
                for at, slug in enumerate(self._protocols)]  # fmt: skip
        return {"totalDataChart": whole, "protocols": rows, "allChains": list(self._chains),
                "chain": chain[0] if chain else None, "total24h": whole[-1][1],
                "totalDataChartBreakdown": [] if _without_parts(given) else parts}  # fmt: skip

    def _summary(self, kind: str, slug: str, given: Mapping[str, str], days: Sequence[int], now: int) -> dict[str, Any]:
        name = f"{kind}/{given.get('dataType', '')}/{slug}"
        whole = [[at, figure(name, at)] for at in days]
        parts = [[at, {self._chains[0]: {self._name(slug): worth}}] for at, worth in whole]
        return {**self._listed(slug, now), "defillamaId": self._listed(slug, now)["id"], "totalDataChart": whole,
                "displayName": self._name(slug), "total24h": whole[-1][1],
                "totalDataChartBreakdown": [] if _without_parts(given) else parts}  # fmt: skip

    def _calendar(self, slug: str) -> dict[str, Any]:
        """Two allocations: all of one from the beginning, of the other a part at the start of every month."""
        days = range(BEGUN, BEGUN + 1_600 * DAY_S, DAY_S)
        labels = {"public distribution": "publicSale", "liquidity": "liquidity"}
        out = {label: [{"timestamp": at, "unlocked": 1_000 * (at - BEGUN) // DAY_S + 10**6, "rawEmission": 0,
                        "burned": 0} for at in days] for label in labels}  # fmt: skip
        cliffs = [{"description": f"On {{timestamp}} {{tokens[0]}} of {label} will be unlocked", "timestamp": at,
                   "noOfTokens": [1_000], "category": group, "unlockType": "cliff"}
                  for label, group in labels.items() for at in days]  # fmt: skip
        about = {"token": f"coingecko:{slug}", "sources": [], "protocolIds": [], "events": cliffs, "notes": [],
                 "total": 10**9, "unlockEvents": []}  # fmt: skip
        return {"name": slug, "gecko_id": slug, "defillamaIds": [], "categories": {b: [a] for a, b in labels.items()},
                "documentedData": {"data": [{"label": a, "data": points} for a, points in out.items()],
                                   "tokenAllocation": {"current": {}, "final": {}, "progress": {}}},
                "metadata": about, "supplyMetrics": {"maxSupply": 10**9, "adjustedSupply": 10**9}}  # fmt: skip

    def _name(self, slug: str) -> str:
        return slug.replace("-", " ").title()


def _without_parts(given: Mapping[str, str]) -> bool:
    return given.get("excludeTotalDataChartBreakdown") == "true"
