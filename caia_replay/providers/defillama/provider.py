"""The DeFi index (DefiLlama): what is locked, traded, charged and unlocked, prices by address, blocks by their time.

    https://api.llama.fi      https://coins.llama.fi      https://pro-api.llama.fi/<key>/api
    https://defillama-datasets.llama.fi      https://stablecoins.llama.fi

docs/providers/defillama.md has the pages, and what each answers from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caia_replay.core.provider import AsOfFilter, HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.defillama.as_of import as_of_filter
from caia_replay.providers.defillama.chart import MOST_POINTS, drawn
from caia_replay.providers.defillama.coin import narrow_block, narrow_coins
from caia_replay.providers.defillama.page import (
    is_file,
    is_history,
    narrow_file,
    narrow_flow,
    narrow_history,
    narrow_refusal,
    narrow_same,
)
from caia_replay.providers.defillama.request import FLAGS, ORIGINS, PRO, DefiLlamaRequest, read

_CHART_POINTS: Final = 100
_LATER: Final = frozenset({429, 502, 503, 504})
"""Replies that say nothing but that somebody should ask again."""


class DefiLlamaProvider(Provider):
    """Prices are settled coin by coin, histories are cut at now, lists and totals are as of the moment they tell."""

    name = "defillama"
    authority: Authority = "authoritative"

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to one of the index's hosts."""
        return request.method == "GET" and any(request.url.startswith(f"{origin}/") for origin in ORIGINS)

    def family(self, request: HttpRequest) -> str:
        """The page, but for its coins, window, search width and what it leaves out."""
        asked = read(request)
        match asked.page:
            case "current" | "first" as name:
                return name
            case "historical":
                return f"historical {asked.parts[-2]}"
            case "percentage":
                when = {name: value.lower() for name, value in asked.parameters.items()}
                return f"percentage {sorted(when.items())}"
            case "chart":
                return f"chart {asked.seconds('period', '1d')}"
        return asked.words(*FLAGS) if asked.is_flow else asked.words()

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """Charts longer into the past and with their ends named; flows with all their charts; else what is asked."""
        try:
            asked = read(request)
            if asked.page == "chart":
                return (_longer(asked, now),)
        except Miss:
            return (request,)
        if asked.is_flow and asked.origin != PRO and any(flag in asked.parameters for flag in FLAGS):
            return (asked.request({name: value for name, value in asked.parameters.items() if name not in FLAGS}),)
        return (request,)

    def as_of(self, request: HttpRequest) -> AsOfFilter | None:
        """Names in its lists, and histories up to then."""
        return as_of_filter(read(request))

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The answer at ``now``. Raises ``Miss`` with what is recorded nearest."""
        asked = read(request)
        recorded = [found for found in recorded if found.reply.status not in _LATER]
        try:
            return _derived(recorded, asked, now)
        except Miss as miss:
            try:
                return narrow_refusal(recorded, asked, now)
            except Miss:
                raise miss from None


def _derived(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    if asked.page == "block":
        return narrow_block(recorded, asked, now)
    if asked.page != "other":
        return narrow_coins(recorded, asked, now)
    if is_history(asked):
        return narrow_history(recorded, asked, now)
    if is_file(asked):
        return narrow_file(recorded, asked, now)
    return (narrow_flow if asked.is_flow else narrow_same)(recorded, asked, now)


def _longer(asked: DefiLlamaRequest, now: int) -> HttpRequest:
    """A chart on the same grid that ends where the asked one does, at now at the latest, and reaches further back."""
    moments = [moment for moment in drawn(asked, now) if moment <= now]
    if not moments:
        return asked.request(asked.parameters)
    span = max(len(moments), min(_CHART_POINTS, MOST_POINTS // len(asked.coins)))
    kept = {name: value for name, value in asked.parameters.items() if name in ("period", "searchWidth")}
    return asked.request({**kept, "end": str(moments[-1]), "span": str(span)})
