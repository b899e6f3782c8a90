"""Stand-in replies of DefiLlama: a protocol and a chain for every one the call names, histories day by day."""

from __future__ import annotations

import re
from typing import Any, Final

from caia_replay.recording.plan_ask import DAY_S, Ask
from caia_replay.recording.plan_market import coin
from caia_replay.tools.defi_index import fold

_SHORT: Final = re.compile(r"[A-Za-z0-9.$]{1,6}")
"""What may be a ticker as well as a name: then neither is known."""
_ALLOCATIONS: Final = ("a", "b", "c")
_TOTALS: Final = ("total24h", "total48hto24h", "total7d", "total14dto7d", "total30d", "total1y", "totalAllTime",
                  "change_1d", "change_7dover7d", "change_30dover30d")  # fmt: skip
_CALENDAR_DAYS: Final = 900


def defillama(ask: Ask) -> Any | None:
    """What the index might say to ``ask``; None where it might have no such file."""
    if ask.host == "defillama-datasets.llama.fi":
        return _calendar(ask)
    if ask.host == "pro-api.llama.fi":
        return _users(ask)
    match ask.parts:
        case ["protocols"]:
            return [_protocol(ask, text) for text in _named(ask)]
        case ["v2", "chains"]:
            return [_chain(ask)]
        case ["v2", "historicalChainTvl", *_]:
            return [{"date": at, "tvl": _figure(ask, at)} for at in _days(ask)]
        case ["protocol", _]:
            return _history(ask)
        case ["overview" | "summary" as kind, _, *_]:
            return _flow(ask, kind)
    return {}


def _named(ask: Ask) -> list[str]:
    """The protocols of the call; one that it does not name where it asks for all."""
    found = [text for name in ("protocol", "exchange", "asset") if (text := ask.text(name)) is not None]
    return found or [ask.stand.word("protocol")]


def _protocol(ask: Ask, text: str) -> dict[str, Any]:
    """A slug as it is, a long name as the slug the index makes of it; a token's slug and an id's are stand-ins."""
    folded = text.lower()
    is_token = folded.startswith(("0x", "id:")) or _SHORT.fullmatch(text) is not None
    slug = folded.removeprefix("slug:").strip() if folded.startswith("slug:") else fold(text)
    slug = ask.stand.word(f"slug of {folded}") if is_token else slug
    place = ask.text("chain") or ask.stand.word("chain")
    part = ask.text("part")
    parts = [place, *([part, f"{place}-{part}"] if part else [])]
    return {
        "id": str(ask.stand.number(f"id of {folded}")),
        "name": ask.stand.word(f"name of {folded}") if is_token else text.removeprefix("slug:").strip(),
        "slug": slug,
        "symbol": text if is_token else ask.stand.word(f"symbol of {folded}"),
        "address": f"ethereum:{folded}" if folded.startswith("0x") else None,
        "gecko_id": coin(ask, text)["id"],
        "category": ask.text("category") or ask.stand.word("category"),
        "chains": [place],
        "chainTvls": {name: _figure(ask, at) for at, name in enumerate(parts)},
        "tvl": _figure(ask, 0),
        **{name: _figure(ask, at) for at, name in enumerate(("change_1h", "change_1d", "change_7d", "mcap", "fdv"))},
        "listedAt": ask.now - 1_500 * DAY_S,
    }


def _chain(ask: Ask) -> dict[str, Any]:
    text = ask.text("chain") or ask.stand.word("chain")
    is_name = text.startswith("name:")
    text = text.removeprefix("name:")
    number = int(text) if text.isascii() and text.isdecimal() else ask.stand.number("chain id")
    is_coin = not is_name and text.isupper() and _SHORT.fullmatch(text) is not None
    name = ask.stand.word(f"chain {text}") if is_coin or text.isdecimal() else text
    symbol = text if is_coin else ask.stand.word("coin")
    return {"name": name, "tvl": _figure(ask, 0), "tokenSymbol": symbol, "chainId": number}


def _history(ask: Ask) -> dict[str, Any]:
    token, days = ask.stand.word("token"), _days(ask)
    points = {
        "tvl": [{"date": at, "totalLiquidityUSD": _figure(ask, at)} for at in days],
        "tokensInUsd": [{"date": at, "tokens": {token: _figure(ask, at)}} for at in days],
        "tokens": [{"date": at, "tokens": {token: _figure(ask, at)}} for at in days],
    }
    names = list(_protocol(ask, _named(ask)[0])["chainTvls"])
    return {"name": ask.last, **points, "chainTvls": {name: points for name in names}}


def _flow(ask: Ask, kind: str) -> dict[str, Any]:
    days, chain = _days(ask), ask.text("chain") or ask.stand.word("chain")
    names = _named(ask)
    rows = [_protocol(ask, text) for text in names]
    told = [
        {
            **row, "defillamaId": row["id"], "displayName": row["name"], "protocolType": "protocol",
            **{name: _figure(ask, at) for at, name in enumerate(_TOTALS)},
            "breakdown24h": {chain: {row["name"]: _figure(ask, 1)}},
            "breakdown30d": {chain: {row["name"]: _figure(ask, 2)}},
        }
        for row in rows
    ]  # fmt: skip
    share = {row["name"]: _figure(ask, 3) for row in rows}
    return {
        "totalDataChart": [[at, _figure(ask, at)] for at in days],
        "totalDataChartBreakdown": [[at, {chain: share} if kind == "summary" else share] for at in days],
        "protocols": told,
        "allChains": [chain],
        **{name: _figure(ask, at) for at, name in enumerate(_TOTALS)},
    }


def _users(ask: Ask) -> Any:
    if ask.last == "activeUsers":
        told = {"value": _figure(ask, 0), "end": ask.now}
        return {"1": {"name": ask.stand.word("protocol"), "users": told, "newUsers": told, "txs": told}}
    return [[at, _figure(ask, at)] for at in _days(ask)]


def _calendar(ask: Ask) -> Any | None:
    """A calendar by its slug. Of a coin whose id is not known nothing is filed under that id, so the next is asked."""
    text = ask.assets[0] if ask.assets else ""
    own = coin(ask, text)
    slug = ask.last
    if slug == own["id"] and not text.lower().startswith(("id:", "slug:")):
        return None
    begins = ask.now - _CALENDAR_DAYS // 2 * DAY_S
    days = ask.days(begins, begins + _CALENDAR_DAYS * DAY_S)
    points = [{"timestamp": at, "unlocked": place * ask.stand.number("unlock")} for place, at in enumerate(days)]
    event = {"timestamp": ask.now + 30 * DAY_S, "description": "x", "noOfTokens": [ask.stand.number("event")]}
    return {
        "name": ask.stand.word("calendar"),
        "gecko_id": own["id"],
        "metadata": {"total": ask.stand.number("total"), "token": None, "protocolIds": [], "events": [event]},
        "defillamaIds": [_protocol(ask, text)["id"]],
        "categories": {"x": [ask.stand.word(f"allocation {name}") for name in _ALLOCATIONS]},
        "documentedData": {
            "data": [{"label": ask.stand.word(f"allocation {name}"), "data": points} for name in _ALLOCATIONS]
        },
    }


def _days(ask: Ask) -> range:
    return ask.days(ask.since, ask.now)


def _figure(ask: Ask, at: int) -> int:
    return ask.stand.number("figure") + at % 9_973
