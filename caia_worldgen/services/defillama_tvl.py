"""The DeFi index's own figures of what is locked: protocols, one protocol's history, chains and their history.

A point of a history is dated midnight and tells the state of that moment, so the point of a day is known as soon as
the day begins; a protocol's history ends with the state of now, dated now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.protocol import Protocol, stage_of
from caia_worldgen.market.tvl import Part
from caia_worldgen.services.defillama_form import (
    CHAINS,
    chain_name,
    chain_of,
    described,
    number,
    percent,
    refused,
    usd,
)
from caia_worldgen.services.service import Answer
from caia_worldgen.venue import HOUR_S

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
