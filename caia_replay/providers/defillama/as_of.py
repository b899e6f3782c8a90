"""What later replies of the DeFi index tell of an earlier moment: names in its lists, and histories up to then.

    protocols, chains, stablecoins, emissions     names, ids, addresses, categories, chains
    protocol/{slug}, stablecoin/{id}              the same, and what was locked or out: points by then
    stablecoincharts/{chain}                      points by then
    overview/{kind}, summary/{kind}/{slug}        names, and days that were over by then
    userData/{kind}/{id}                          days that were over by then
    datasets: emissions/{slug}                    the plan as it was told later, marked with that moment

Totals, changes, prices and states are of the moment they were told at and are left out. Whatever has points, and none
by then, had not begun. An unlock calendar is a plan, and its makers may have written it anew since: what is handed out
says when it was told (``RESTATED_AT``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from caia_replay.core.provider import AsOfFilter
from caia_replay.providers.as_of import DAY_S, by_name, is_later, listed, mapped, moment, named
from caia_replay.providers.defillama.request import API, DATASETS, PRO, STABLECOINS, DefiLlamaRequest

_NAMES: Final = ("id", "defillamaId", "name", "displayName", "slug", "symbol", "address", "gecko_id", "cmcId",
                 "category", "chains", "protocolType", "parentProtocol", "listedAt", "url", "twitter")  # fmt: skip
_CHAIN: Final = ("name", "chainId", "tokenSymbol", "gecko_id", "cmcId")
_COIN: Final = ("id", "name", "symbol", "address", "gecko_id", "cmcId", "pegType", "pegMechanism", "chains", "twitter")
_CALENDAR: Final = ("token", "protocolId", "name", "gecko_id")
_DAYS: Final = ("totalDataChart", "totalDataChartBreakdown")
_POINTS: Final = ("tvl", "tokensInUsd", "tokens")
RESTATED_AT: Final = "restatedAt"
"""A field of ours in a calendar that was told later: when, in seconds since 1970, UTC."""


def as_of_filter(asked: DefiLlamaRequest) -> AsOfFilter | None:
    """What a later reply to a question tells of before; None for one whose replies of later tell nothing."""
    match asked.parts if asked.origin in (API, PRO) else (asked.origin, *asked.parts):
        case ("protocols",):
            return partial(_rows, _NAMES)
        case ("v2", "chains") | ("chains",):
            return partial(_rows, _CHAIN)
        case ("emissions",):
            return partial(_rows, _CALENDAR)
        case ("protocol", _):
            return _protocol
        case ("overview", _) | ("overview", _, _):
            return _overview
        case ("summary", _, _):
            return _summary
        case ("userData", _, _):
            return _days
        case (origin, "stablecoins") if origin == STABLECOINS:
            return _stablecoins
        case (origin, "stablecoincharts", _) if origin == STABLECOINS:
            return _points
        case (origin, "stablecoin", _) if origin == STABLECOINS:
            return _stablecoin
        case (origin, "emissions", _) if origin == DATASETS:
            return _plan
    return None


def _rows(names: tuple[str, ...], content: Any, made: int, now: int) -> list[dict[str, Any]]:
    rows = (named(row, names) for row in listed(content))
    return by_name(row for row in rows if not is_later(row.get("listedAt"), now))


def _stablecoins(content: Any, made: int, now: int) -> dict[str, Any]:
    return {"peggedAssets": _rows(_COIN, mapped(content)["peggedAssets"], made, now)}


def _protocol(content: Any, made: int, now: int) -> dict[str, Any] | None:
    found = named(content, _NAMES)
    if is_later(found.get("listedAt"), now) or (own := _series(content, made, now)) is None:
        return None
    parts = {name: _series(part, made, now) for name, part in mapped(content["chainTvls"]).items()}
    begun = {name: part for name, part in parts.items() if part is not None}
    return _without(found, parts.keys() - begun.keys()) | own | {"chainTvls": begun}


def _series(content: Any, made: int, now: int) -> dict[str, Any] | None:
    """A history and its tokens; None for one that had not begun."""
    found = {name: _points(content[name], made, now) for name in _POINTS if content.get(name) is not None}
    return None if found["tvl"] is None else {name: points or [] for name, points in found.items()}


def _stablecoin(content: Any, made: int, now: int) -> dict[str, Any] | None:
    balances = mapped(content)["chainBalances"]
    parts = {name: _points(part["tokens"], made, now) for name, part in mapped(balances).items()}
    begun = {name: {"tokens": points} for name, points in parts.items() if points is not None}
    if parts and not begun:
        return None
    found = _without(named(content, _COIN), parts.keys() - begun.keys()) | {"chainBalances": begun}
    return found | {"tokens": _points(content["tokens"], made, now) or []} if "tokens" in content else found


def _plan(content: Any, made: int, now: int) -> dict[str, Any]:
    return mapped(content) | {RESTATED_AT: made}


def _overview(content: Any, made: int, now: int) -> dict[str, Any] | None:
    found = _charts(content, now)
    if found is None:
        return None
    rows = [named(row, _NAMES) for row in listed(content["protocols"])]
    later = _newcomers(content, found)
    kept = [row for row in rows if not later & {row.get("name"), row.get("displayName")}]
    value = by_name(row for row in kept if not is_later(row.get("listedAt"), now))
    return named(content, ("chain", "allChains")) | found | {"protocols": value}


def _summary(content: Any, made: int, now: int) -> dict[str, Any] | None:
    found, names = _charts(content, now), named(content, _NAMES)
    if found is None or is_later(names.get("listedAt"), now):
        return None
    return _without(names, _newcomers(content, found)) | found


def _charts(content: Any, now: int) -> dict[str, Any] | None:
    """The charts of a page; None for a page of what had not begun."""
    found: dict[str, Any] = {name: _days(content[name], now, now) for name in _DAYS if name in mapped(content)}
    return None if None in found.values() else found


def _newcomers(content: Mapping[str, Any], found: Mapping[str, Any]) -> set[str]:
    """Who is in a later day of a chart and in no day that is left of it; nobody where the page has no such chart."""
    last = _DAYS[1]
    if last not in found:
        return set()
    whole, left = ({name for _, one in points for name in mapped(one)} for points in (content[last], found[last]))
    return whole - left


def _without(names: dict[str, Any], chains: Iterable[str]) -> dict[str, Any]:
    """A row without chains that it came to later."""
    gone = set(chains)
    if not isinstance(names.get("chains"), list):
        return names
    return names | {"chains": [name for name in names["chains"] if name not in gone]}


def _days(content: Any, made: int, now: int) -> list[Any] | None:
    """The points of days that were over: one is dated by its day's first second, and tells all of it."""
    points = listed(content)
    dated = [(moment(point[0]), listed(point)) for point in points]
    return _left(points, [point for at, point in dated if at + DAY_S <= now])


def _points(content: Any, made: int, now: int) -> list[Any] | None:
    """The points of states by then, without that of the day of the recording, which may still have been moving."""
    points = listed(content)
    dated = [(moment(mapped(point)["date"]), point) for point in points]
    return _left(points, [point for at, point in dated if at <= now and at // DAY_S < made // DAY_S])


def _left(points: list[Any], left: list[Any]) -> list[Any] | None:
    """What is left of points; None where there were some and none is."""
    return left if left or not points else None
