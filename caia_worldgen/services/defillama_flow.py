"""The DeFi index's flows: volume of exchanges, fees and revenue, in all, by chain and by protocol.

A point of a chart is dated midnight and tells the whole day that began then; it is there once the day is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.flow import Measure
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.protocol import Protocol, stage_of
from caia_worldgen.market.tvl import Part
from caia_worldgen.services.defillama_form import (
    CHAINS,
    chain_name,
    chain_of,
    described,
    flag,
    number,
    percent,
    percent_2,
    refused,
    usd,
)
from caia_worldgen.services.service import Answer
from caia_worldgen.venue import HOUR_S

_MEASURES: Final[Mapping[tuple[str, str], Measure]] = {
    ("dexs", "dailyVolume"): "volume",
    ("fees", "dailyFees"): "fees",
    ("fees", "dailyRevenue"): "revenue",
}
_FIRST: Final = {"dexs": "dailyVolume", "fees": "dailyFees"}
_EMPTY: Final = (
    "options",
    "derivatives",
    "open-interest",
    "aggregators",
    "aggregator-derivatives",
    "bridge-aggregators",
)
"""What the index also lists, and nobody in these worlds offers."""
_WINDOWS: Final = {"total24h": (1, 0), "total48hto24h": (2, 1), "total7d": (7, 0), "total14dto7d": (14, 7),
                   "total30d": (30, 0), "total60dto30d": (60, 30), "total1y": (365, 0),
                   "total7DaysAgo": (8, 7), "total30DaysAgo": (31, 30)}  # fmt: skip
"""Name -> the days from the first to before the second number of days ago."""
_CHANGES: Final = {"change_1d": ("total24h", "total48hto24h"), "change_7d": ("total24h", "total7DaysAgo"),
                   "change_1m": ("total24h", "total30DaysAgo"), "change_7dover7d": ("total7d", "total14dto7d"),
                   "change_30dover30d": ("total30d", "total60dto30d")}  # fmt: skip


class FlowPages:
    """The answers; pure functions of what is asked and now."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def overview(self, kind: str, said_chain: str, parameters: Mapping[str, str], now: int) -> Answer:
        """All protocols of a kind ("dexs", "fees"), on all chains or one."""
        measure = self._measure(kind, parameters)
        if isinstance(measure, Answer):
            return measure
        chain = chain_of(self._metrics, said_chain) if said_chain and said_chain.lower() != "all" else ""
        if chain is None:
            return refused(500, "Internal server error")
        found = self._protocols(measure, chain)
        days = [sum(parts) for parts in zip(*(self._days(one, measure, now) for one in found), strict=True)]
        breakdown = [
            [self._date(day), {one.name: usd(self._days(one, measure, now)[day]) for one in found}]
            for day in range(len(days))
        ]
        content = {
            "totalDataChart": [] if flag(parameters, "excludeTotalDataChart") else self._chart(days),
            "totalDataChartBreakdown": [] if flag(parameters, "excludeTotalDataChartBreakdown") else breakdown,
            "breakdown24h": None,
            "breakdown30d": None,
            "chain": chain_name(self._metrics, chain) if chain else None,
            "allChains": [chain_name(self._metrics, one) for one in CHAINS if self._protocols(measure, one)],
            **_totals(days),
            "protocols": [self._row(one, measure, now) for one in found],
        }
        return Answer(200, content)

    def summary(self, kind: str, slug: str, parameters: Mapping[str, str], now: int) -> Answer:
        """One protocol and its chart."""
        measure = self._measure(kind, parameters)
        if isinstance(measure, Answer):
            return measure
        one = self._metrics.protocol(slug)
        if one is None or measure is None or not self._metrics.flow.has(one, measure):
            where = f"please visit /overview/{kind} to see available protocols"
            return refused(400, f"{kind.capitalize()} for {slug.lower()} not found, {where}")
        days, chain = self._days(one, measure, now), chain_name(self._metrics, one.chains[0])
        breakdown = [[self._date(day), {chain: {one.name: usd(worth)}}] for day, worth in enumerate(days)]
        totals = _totals(days)
        kept = ("total24h", "total48hto24h", "total7d", "total30d", "totalAllTime", "change_1d")
        nothing = dict.fromkeys(("treasury", "governanceID", "github", "forkedFrom", "parentProtocol", "previousNames",
                                 "hallmarks", "methodologyURL", "linkedProtocols", "childProtocols"))  # fmt: skip
        content = described(self._metrics, one) | nothing | {
            **self._listed(one),
            **{name: totals[name] for name in kept if name in totals},
            "totalDataChart": [] if flag(parameters, "excludeTotalDataChart") else self._chart(days),
            "totalDataChartBreakdown": [] if flag(parameters, "excludeTotalDataChartBreakdown") else breakdown,
            "hasLabelBreakdown": False,
        }  # fmt: skip
        return Answer(200, content)

    def _measure(self, kind: str, parameters: Mapping[str, str]) -> Measure | Answer | None:
        """What is measured; None for a kind that nobody here offers."""
        if kind in _EMPTY:
            return None
        if kind not in _FIRST:
            return refused(500, f"Adaptor {kind} not supported")
        found = _MEASURES.get((kind, parameters.get("dataType", _FIRST[kind])))
        return refused(500, "Data type not suported") if found is None else found

    def _protocols(self, measure: Measure | None, chain: str) -> list[Protocol]:
        if measure is None:
            return []
        return [
            one
            for one in self._metrics.protocols
            if self._metrics.flow.has(one, measure) and chain in ("", one.chains[0])
        ]

    def _days(self, one: Protocol, measure: Measure | None, now: int) -> Sequence[int]:
        return self._metrics.flow.daily_e8(one, measure)[: self._metrics.days_over(now)] if measure else ()

    def _date(self, day: int) -> int:
        return self._metrics.first_midnight + day * DAY_S

    def _chart(self, days: Sequence[int]) -> list[list[int | float]]:
        return [[self._date(day), usd(worth)] for day, worth in enumerate(days)]

    def _row(self, one: Protocol, measure: Measure | None, now: int) -> dict[str, Any]:
        days, chain = self._days(one, measure, now), self._metrics.scene.networks[one.chains[0]].id
        parts = {name: {chain: {one.name: usd(sum(days[-count:]))}} if days else None
                 for name, count in (("breakdown24h", 1), ("breakdown30d", 30))}  # fmt: skip
        known = described(self._metrics, one)
        kept = {name: known[name] for name in ("id", "name", "module", "category", "logo", "chains")}
        return {**kept, **self._listed(one), "methodologyURL": "", **_totals(days), **parts}

    def _listed(self, one: Protocol) -> dict[str, Any]:
        return {"defillamaId": one.id, "displayName": one.name, "slug": one.slug, "protocolType": "protocol",
                "methodology": {"Methodology": one.words}}  # fmt: skip


def _totals(days: Sequence[int]) -> dict[str, int | float]:
    """Sums over windows of days that are over, and how they changed; what is not known yet is left out."""
    sums: dict[str, int] = {}
    for name, (first, last) in _WINDOWS.items():
        window = days[max(0, len(days) - first) : max(0, len(days) - last)]
        if window:
            sums[name] = sum(window)
    changes = {name: percent_2(sums.get(now), sums.get(then)) for name, (now, then) in _CHANGES.items()}
    found: dict[str, int | float] = {name: usd(worth) for name, worth in sums.items()}
    return found | {"totalAllTime": usd(sum(days))} | {name: one for name, one in changes.items() if one is not None}


_BESIDE: Final[dict[str, Part]] = {"lend": "borrowed", "stake": "staking"}
"""What a kind of protocol has beside what is locked."""
_NO_CHAIN: Final = "There is no chain with that name"
_NO_PROTOCOL: Final = "Protocol not found"


class TvlPages:
    """The answers; pure functions of what is asked and now."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def protocols(self, now: int) -> Answer:
        """Every protocol with what it holds now, the largest first."""
        rows = [self._row(one, now) for one in self._metrics.protocols]
        return Answer(200, sorted(rows, key=lambda row: (-row["tvl"], row["slug"])))

    def protocol(self, slug: str, now: int) -> Answer:
        """One protocol and its history."""
        one = self._metrics.protocol(slug)
        if one is None:
            return refused(400, _NO_PROTOCOL)
        parts = list(self._parts(one))
        content = described(self._metrics, one) | {
            "currentChainTvls": {key: self._worth(one, now, part) for key, part in parts if key != ""},
            "chainTvls": {key: self._history(one, now, part) for key, part in parts if key != ""},
            **self._history(one, now, "tvl"),
            "methodology": one.words,
            "mcap": self._metrics.book.cap_usd(coin, now) if (coin := self._metrics.book.coin(one.slug)) else None,
        }
        return Answer(200, content)

    def current(self, slug: str, now: int) -> Answer:
        """A number: what a protocol holds."""
        one = self._metrics.protocol(slug)
        return refused(400, _NO_PROTOCOL) if one is None else Answer(200, self._worth(one, now, "tvl"))

    def chains(self, now: int) -> Answer:
        """Both chains."""
        return Answer(200, [self._chain(chain, now) for chain in CHAINS])

    def chain_history(self, said: str, now: int, *, legacy: bool = False) -> Answer:
        """What is locked on a chain, or on all (""), at every midnight; ``legacy`` is the older way of writing it."""
        chain = chain_of(self._metrics, said) if said else ""
        if chain is None:
            return refused(400, _NO_CHAIN)
        points = [(at, usd(self._metrics.chain_e8(chain, at))) for at in self._metrics.midnights(now)]
        if legacy:
            return Answer(200, [{"date": str(at), "totalLiquidityUSD": worth} for at, worth in points])
        return Answer(200, [{"date": at, "tvl": worth} for at, worth in points])

    def _chain(self, chain: str, now: int) -> dict[str, Any]:
        network = self._metrics.scene.networks[chain]
        return {
            "gecko_id": network.id if chain == "main" else None,
            "tvl": usd(self._metrics.chain_e8(chain, now)),
            "tokenSymbol": network.ticker,
            "cmcId": None,
            "name": network.name,
            "chainId": stage_of(self._metrics.scene, chain).chain_id,
        }

    def _row(self, one: Protocol, now: int) -> dict[str, Any]:
        value, book = self._metrics.tvl.value_e8, self._metrics.book
        row = described(self._metrics, one) | {
            "slug": one.slug,
            "tvl": self._worth(one, now, "tvl"),
            "chainTvls": {key: self._worth(one, now, part) for key, part in self._parts(one)},
        }
        for name, seconds in (("change_1h", HOUR_S), ("change_1d", DAY_S), ("change_7d", 7 * DAY_S)):
            row[name] = percent(value(one, now), value(one, now - seconds))
        if one.kind == "stake":
            row["staking"] = self._worth(one, now, "staking")
        coin = book.coin(one.slug)
        if coin is not None:
            row |= {"mcap": book.cap_usd(coin, now), "fdv": book.fully_diluted_usd(coin, now)}
        return row

    def _parts(self, one: Protocol) -> Iterator[tuple[str, Part]]:
        """The keys under which the index lists the parts of what a protocol holds."""
        chain, beside = chain_name(self._metrics, one.chains[0]), _BESIDE.get(one.kind)
        yield chain, "tvl"
        if beside is not None:
            yield f"{chain}-{beside}", beside
            yield beside, beside

    def _worth(self, one: Protocol, moment: int, part: Part) -> int | float:
        return usd(self._metrics.tvl.value_e8(one, moment, part))

    def _history(self, one: Protocol, now: int, part: Part) -> dict[str, Any]:
        moments = sorted({*self._metrics.midnights(now), now})
        return {
            "tvl": [{"date": at, "totalLiquidityUSD": self._worth(one, at, part)} for at in moments],
            "tokensInUsd": [{"date": at, "tokens": self._tokens(one, at, part, dollars=True)} for at in moments],
            "tokens": [{"date": at, "tokens": self._tokens(one, at, part, dollars=False)} for at in moments],
        }

    def _tokens(self, one: Protocol, moment: int, part: Part, *, dollars: bool) -> dict[str, int | float]:
        found = {}
        for (_, kind, coin), amount in self._metrics.tvl.holdings(one, moment).items():
            made = self._metrics.book.coin(coin)
            if kind == part and made is not None:
                worth = usd(self._metrics.tvl.worth_e8(coin, amount, moment))
                found[made.symbol.upper()] = worth if dollars else number(amount, made.unit)
        return found
