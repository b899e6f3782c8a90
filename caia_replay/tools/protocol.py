"""What is locked in protocols and on chains, and what the DeFi index says of a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import choice_argument, within
from caia_replay.tools.daily import Day, number, share_percent, total
from caia_replay.tools.defi_index import (
    Listed,
    Number,
    chain_rows,
    figure,
    fold,
    moment_of,
    protocols,
    resolve_chain,
    resolve_protocol,
)
from caia_replay.tools.figure import reading
from caia_replay.tools.locked import (
    chain_history,
    describe_at,
    describe_between,
    describe_tokens,
    part_key,
    part_name,
    protocol_history,
)
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

_MOST_RANKED: Final = 50
_NAMES_ALONE: Final = "what was recorded of it was made after this moment: it tells names, and no figure of now"
_FACTS: Final = ("symbol", "category", "url", "description", "gecko_id", "twitter")


def protocol_metrics(
    world: ToolContext,
    protocol: Annotated[
        str | None, Field(description="A protocol's name, slug, token symbol or token address; null: all, ranked.")
    ] = None,
    chain: Annotated[
        str | None, Field(description="Only what is locked on this chain, by name, chain id or coin; null: all chains.")
    ] = None,
    at: Annotated[
        Day, Field(description="A past day or time, for the state then; a day means its 00:00 UTC. Null: now.")
    ] = None,
    start: Annotated[Day, Field(description="First moment of a series, included; a day means its 00:00 UTC.")] = None,
    end: Annotated[
        Day, Field(description="Last moment of a series, included; a day means its 00:00 UTC. Null: now.")
    ] = None,
    part: Annotated[
        str | None,
        Field(description="What is kept apart from a protocol's total: borrowed, staking, pool2 ...; null: the total."),
    ] = None,
    by_token: Annotated[bool, Field(description="Whether to tell a protocol's tokens as well.")] = False,
    category: Annotated[str | None, Field(description="Rank only this category, such as Lending or Dexs.")] = None,
    limit: Annotated[int, Field(description="How many protocols to rank, 1 to 50.")] = 10,
) -> dict[str, Any]:
    """What is locked (TVL, US dollars) in a protocol, on a chain, or in all: now, at a past moment (at), or as a series
    (start, end). A protocol comes with its facts: category, chains, token, market cap; without one, those with the
    most locked are ranked.

    A point of a history is the state at its time_utc; points are at 00:00 UTC, so the end of a day is the next day's
    point, and at gives both: last_up_to_it and next. Totals of chains leave out what is borrowed, staked or bridged;
    a series lists at most 120 points (20 by token), next_start goes on. Example: {"protocol": "Lido",
    "chain": null, "at": "2024-05-31", "start": null, "end": null, "part": null, "by_token": false, "category": null,
    "limit": 10}
    """
    within(limit, 1, _MOST_RANKED, "limit")
    if at is not None and (start is not None or end is not None):
        raise ToolError("give at for one moment, or start and end for a series")
    if protocol is None and (part is not None or by_token):
        raise ToolError("part and by_token are of one protocol: give protocol")
    if category is not None and (protocol, at, start, end) != (None, None, None, None):
        raise ToolError("category narrows the ranking of now: protocol, at, start and end are null with it")
    there = None if chain is None else str(resolve_chain(world, chain)["name"])
    one = None if protocol is None else resolve_protocol(world, protocol)
    if at is None and start is None and end is None:
        return _all_now(world, there, category, limit) if one is None else _now(world, one, there, part, by_token)
    history = chain_history(world, there) if one is None else protocol_history(world, one, there, part)
    fields: dict[str, Any] = {
        "protocol": None if one is None else one.name,
        "slug": None if one is None else one.slug,
        "chain": there,
        "part": part or "tvl",
    }
    if at is not None:
        return {**fields, **describe_at(world, history, at, by_token)}
    return {**fields, **describe_between(world, history, start, end, by_token)}


def _now(world: ToolContext, one: Listed, chain: str | None, part: str | None, by_token: bool) -> dict[str, Any]:
    row = one.row
    is_told = _is_told(row)
    if not is_told and (chain is not None or part is not None):
        raise Miss("http", f"what is locked now in {part_name(one, chain, part)}", _NAMES_ALONE)
    with reading(f"what is locked in {one.name}"):
        parts = {name: figure(usd) for name, usd in (row["chainTvls"] if is_told else {}).items()}
        chains = [str(name) for name in row["chains"]]
        key = part_key(parts, chain, part)
        if (chain is not None or part is not None) and key not in parts:
            raise ToolError(f"the index has no {part_name(one, chain, part)}; it has: {', '.join(sorted(parts))}")
        usd = figure(row.get("tvl")) if chain is None and part is None else parts[key]
        fields = {
            "protocol": _facts(one),
            "chain": chain,
            "part": part or "tvl",
            "as_of_utc": utc_text(world.now),
            "tvl_usd": usd,
            "by_chain": _by_chain({name: parts.get(name) for name in chains}),
            "kept_apart": [
                {"part": name, "usd": parts[name]}
                for name in sorted(parts)
                if name not in chains and not any(name.startswith(f"{one_chain}-") for one_chain in chains)
            ]
            if is_told
            else None,
            "change_1h_percent": figure(row.get("change_1h")),
            "change_1d_percent": figure(row.get("change_1d")),
            "change_7d_percent": figure(row.get("change_7d")),
            "market_cap_usd": figure(row.get("mcap")),
            "fully_diluted_usd": figure(row.get("fdv")),
        }
    if by_token:
        history = protocol_history(world, one, chain, part)
        if not history.times:
            raise ToolError(f"the index noted nothing of {history.what} by this moment")
        last = history.times[-1]
        fields |= {"tokens_at_utc": utc_text(last), "tokens": describe_tokens(history, last)}
    return fields


def _all_now(world: ToolContext, chain: str | None, category: str | None, limit: int) -> dict[str, Any]:
    rows, listed = chain_rows(world), protocols(world)
    if not all(map(_is_told, (*rows, *(one.row for one in listed)))):
        raise Miss("http", "what is locked now", _NAMES_ALONE)
    with reading("what is locked on chains"):
        worth = {row["name"]: figure(row["tvl"]) for row in rows}
    with reading("the list of protocols"):
        known = {str(one.row["category"]) for one in listed if one.row.get("category")}
        kind = None if category is None else choice_argument(category, sorted(known), "category")
        ranked = [
            (
                one,
                figure(
                    one.row["tvl"]
                    if chain is None
                    else one.row["chainTvls"].get(part_key(one.row["chainTvls"], chain, None))
                ),
            )
            for one in listed
            if kind in (None, one.row.get("category")) and (chain is None or _is_on(one, chain))
        ]
    there = [(one, usd) for one, usd in ranked if usd is not None]
    there.sort(key=lambda pair: (-pair[1], pair[0].slug))
    present = [usd for usd in worth.values() if usd is not None]
    fields: dict[str, Any] = {"chain": chain, "category": kind, "as_of_utc": utc_text(world.now)}
    if chain is None:
        fields |= {"tvl_usd": number(total(present)) if present else None, "by_chain": _by_chain(worth)[:limit]}
        fields |= {"chains_in_all": len(worth)}
    else:
        fields |= {"tvl_usd": worth.get(chain)}
    return fields | {
        "protocols_in_all": len(there),
        "without_figure": len(ranked) - len(there),
        "ranking": [
            {"rank": rank, "name": one.name, "slug": one.slug, "category": one.row.get("category"), "tvl_usd": usd}
            for rank, (one, usd) in enumerate(there[:limit], start=1)
        ],
    }


def _is_told(row: Mapping[str, Any]) -> bool:
    """Whether a line of a list says what is locked, be it nothing."""
    return "tvl" in row


def _facts(one: Listed) -> dict[str, Any]:
    row = one.row
    listed_at = row.get("listedAt")
    return {
        "name": one.name,
        "slug": one.slug,
        "id": one.id,
        **{name: row.get(name) for name in _FACTS},
        "chains": list(row["chains"]),
        "token_address": row.get("address"),
        "listed_at_utc": None if listed_at is None else utc_text(moment_of(listed_at)),
    }


def _by_chain(worth: dict[str, Number | None]) -> list[dict[str, Any]]:
    """Every chain, the most dollars first and those without a figure last."""
    whole = total(usd for usd in worth.values() if usd is not None)
    held = sorted(worth.items(), key=lambda item: (item[1] is None, -(item[1] or 0), item[0]))
    return [
        {"chain": name, "usd": usd, "share_percent": None if usd is None else share_percent(total([usd]), whole)}
        for name, usd in held
    ]


def _is_on(one: Listed, chain: str) -> bool:
    return fold(chain) in {fold(name) for name in one.row["chains"]}
