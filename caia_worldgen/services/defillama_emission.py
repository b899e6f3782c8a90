"""The DeFi index's unlocks and users: emission calendars as files and as a list, active users as of now and by day.

A calendar's file is written when the last grant of its project is made and says so in ``Last-Modified``; it tells all
days to come, and of the parts what was out at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.emission import GENESIS, Emission, Grant
from caia_worldgen.market.metric import Metrics
from caia_worldgen.services.defillama_form import chain_name, refused
from caia_worldgen.services.service import Answer

_WEEK_S: Final = 7 * DAY_S
_UNIT: Final = 10**18
_USES: Final = {"users": "users", "newusers": "new_users", "txs": "transactions"}


class EmissionPages:
    """The answers; pure functions of what is asked and now."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def all(self, now: int) -> Answer:
        """Every calendar in short, as of now."""
        return Answer(200, [self._row(one, now) for one in self._metrics.emissions.all() if one.known_at <= now])

    def file(self, slug: str, now: int) -> Answer:
        """One calendar's file."""
        one = self._metrics.emissions.of(slug.removesuffix(".json"))
        if one is None or one.known_at > now:
            return refused(404, f"no emissions of {slug}")
        return Answer(200, self._content(one), {"Last-Modified": formatdate(one.known_at, usegmt=True)})

    def wrapped(self, slug: str, now: int) -> Answer:
        """The same file as text, with the moment of its last change."""
        one = self._metrics.emissions.of(slug)
        if one is None or one.known_at > now:
            return refused(400, f"protocol '{slug}' has no chart to fetch")
        written = datetime.fromtimestamp(one.known_at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        return Answer(200, {"body": canonical_bytes(self._content(one)).decode(), "lastModified": written})

    def active_users(self, now: int) -> Answer:
        """Who used what on the last day that is over."""
        over, found = self._metrics.days_over(now), {}
        end = self._metrics.first_midnight + over * DAY_S
        for one in self._metrics.protocols if over else ():
            use = self._metrics.activity.daily(one)[over - 1]
            counts = {"users": use.users, "newUsers": use.new_users, "txs": use.transactions}
            found[one.id] = {"name": one.name} | {name: {"value": count, "end": end} for name, count in counts.items()}
        return Answer(200, found)

    def users_by_day(self, kind: str, number: str, now: int) -> Answer:
        """[[day, count]] of one protocol, by its id, of every day that is over."""
        if kind.lower() not in _USES:
            return refused(400, "Wrong type")
        one = next((one for one in self._metrics.protocols if one.id == number), None)
        days = self._metrics.activity.daily(one)[: self._metrics.days_over(now)] if one else ()
        first, name = self._metrics.first_midnight, _USES[kind.lower()]
        return Answer(200, [[first + day * DAY_S, getattr(use, name)] for day, use in enumerate(days)])

    def _content(self, one: Emission) -> dict[str, Any]:
        project, days = self._metrics.scene.projects[one.role], list(one.midnights())
        shown = [(section, [one.unlocked(section, at) for at in days]) for section in one.sections()]
        shown.append((GENESIS[0], [one.supply - one.granted] * len(days)))
        data = [
            {"label": label, "data": [_point(at, amount) for at, amount in zip(days, amounts, strict=True)]}
            for label, amounts in shown
        ]
        categories: dict[str, list[str]] = {GENESIS[1]: [GENESIS[0]]}
        for grant in one.grants:
            if grant.section not in categories.setdefault(grant.category, []):
                categories[grant.category].append(grant.section)
        protocol = self._metrics.protocol(one.slug)
        numbers = [protocol.id] if protocol else []
        return {
            "name": project.name,
            "gecko_id": project.id,
            "defillamaIds": numbers,
            "pId": numbers[0] if numbers else "",
            "protocolCategory": protocol.category if protocol else "",
            "chainName": chain_name(self._metrics, "main"),
            "categories": categories,
            "documentedData": {"data": data, "tokenAllocation": self._allocation(one)},
            "metadata": {
                "token": f"coingecko:{project.id}",
                "sources": [f"https://{project.site}/"],
                "protocolIds": numbers,
                "events": [_event(at, grant, words) for at, grant, words in _events(one)],
                "notes": ["What each vesting contract releases by its own terms; the rest is out from the beginning."],
                "total": _whole(one.supply),
                "chain": self._metrics.scene.networks["main"].id,
                "unlockEvents": [_unlock(grant) for grant in one.grants],
            },
            "unlockUsdChart": [],
            "supplyMetrics": {"maxSupply": _whole(one.supply), "adjustedSupply": _whole(one.supply),
                              "tbdAmount": 0, "incentiveAmount": 0, "nonIncentiveAmount": _whole(one.supply)},
        }  # fmt: skip

    def _allocation(self, one: Emission) -> dict[str, dict[str, float]]:
        """Each category's share of what is out and of the end, and how far it is, in per cent, when it was written."""
        out: dict[str, int] = {GENESIS[1]: one.supply - one.granted}
        whole = dict(out)
        for grant in one.grants:
            out[grant.category] = out.get(grant.category, 0) + grant.schedule.vested(one.known_at)
            whole[grant.category] = whole.get(grant.category, 0) + grant.schedule.total
        return {
            "current": {name: _percent(amount, sum(out.values())) for name, amount in out.items()},
            "final": {name: _percent(amount, one.supply) for name, amount in whole.items()},
            "progress": {name: _percent(amount, whole[name]) for name, amount in out.items()},
        }

    def _row(self, one: Emission, now: int) -> dict[str, Any]:
        project, book = self._metrics.scene.projects[one.role], self._metrics.book
        out, before, tomorrow = (
            one.supply - one.granted + sum(one.unlocked(section, at) for section in one.sections())
            for at in (now, now - 30 * DAY_S, now + DAY_S)
        )
        protocol, coin = self._metrics.protocol(one.slug), book.coin(one.slug)
        coming = sorted((at, amount) for at, amount in map(_cliff, one.grants) if at > now)
        row: dict[str, Any] = {
            "token": f"coingecko:{project.id}",
            "sources": [f"https://{project.site}/"],
            "protocolId": protocol.id if protocol else "",
            "name": project.name,
            "circSupply": _whole(out),
            "circSupply30d": _whole(before),
            "totalLocked": _whole(one.supply - out),
            "maxSupply": _whole(one.supply),
            "gecko_id": project.id,
            "events": [_event(at, grant, words) for at, grant, words in _events(one)],
            "unlockEvents": [_unlock(grant) for grant in one.grants],
            "unlocksPerDay": _whole(tomorrow - out),
            "mcap": book.cap_usd(coin, now) if coin else 0,
        }
        if coming:
            row["nextEvent"] = {"date": coming[0][0], "toUnlock": _whole(coming[0][1])}
        return row


def _cliff(grant: Grant) -> tuple[int, int]:
    """When a grant's first tokens are out, and how many."""
    at = max(grant.schedule.start, grant.schedule.cliff)
    return at, grant.schedule.vested(at)


def _events(one: Emission) -> Iterator[tuple[int, Grant, str]]:
    for grant in one.grants:
        yield _cliff(grant)[0], grant, "cliff"


def _event(at: int, grant: Grant, kind: str) -> dict[str, Any]:
    words = f"{grant.section}: {{tokens[0]}} tokens are out at the cliff on {{timestamp}}, the rest day by day"
    return {"description": words, "timestamp": at, "noOfTokens": [_whole(_cliff(grant)[1])],
            "category": grant.category, "unlockType": kind}  # fmt: skip


def _unlock(grant: Grant) -> dict[str, Any]:
    at, amount = _cliff(grant)
    weekly = grant.schedule.total * _WEEK_S // grant.schedule.duration
    who = {"recipient": grant.section, "category": grant.category}
    linear = {"unlockType": "linear_start", "previousRatePerWeek": 0, "newRatePerWeek": _whole(weekly),
              "endTimestamp": grant.schedule.end}  # fmt: skip
    return {
        "timestamp": at,
        "cliffAllocations": [{**who, "unlockType": "cliff", "amount": _whole(amount)}],
        "linearAllocations": [{**who, **linear}],
        "summary": {"totalTokensCliff": _whole(amount), "netChangeInWeeklyRate": _whole(weekly),
                    "totalNewWeeklyRate": _whole(weekly)},
    }  # fmt: skip


def _point(at: int, amount: int) -> dict[str, int | float]:
    return {"timestamp": at, "unlocked": _whole(amount), "rawEmission": _whole(amount), "burned": 0}


def _whole(amount: int) -> int | float:
    """Whole tokens: exact where there is no fraction."""
    return amount // _UNIT if amount % _UNIT == 0 else amount / _UNIT


def _percent(part: int, whole: int) -> float:
    return part * 10_000 // whole / 100 if whole else 0.0
