"""Token releases: what of a token is out by its calendar, what is planned, and when, as the DeFi index tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, calendar_argument, choice_argument, within
from caia_replay.tools.asset import Asset, assets_meant, resolve_asset
from caia_replay.tools.defi_index import Listed, in_path, meant, pick, protocols
from caia_replay.tools.emission import Emission, Event, emission_of, less
from caia_replay.tools.figure import percent, reading
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

DATASETS: Final = "https://defillama-datasets.llama.fi"

MOST_EVENTS: Final = 100
MOST_STEPS: Final = 120

_NO_FILE: Final = 404
_WEEK_S: Final = 7 * DAY_S
_MONDAY_S: Final = 4 * DAY_S
"""1970 began on a Thursday."""


@dataclass(frozen=True, slots=True)
class _Project:
    """Whose calendar is wanted: files it may have, and what shows that a file is its own."""

    name: str
    slugs: Sequence[str]
    tokens: frozenset[str]
    protocols: frozenset[str]

    def owns(self, found: Emission) -> bool:
        return bool(self.tokens & found.tokens or self.protocols & found.protocols)


def release_schedule(
    world: ToolContext,
    asset: Annotated[
        str, Field(description="Ticker, name, CoinGecko id (id:NAME), contract address, or DefiLlama slug (slug:NAME).")
    ],
    at: Annotated[
        str | int | None, Field(description="The moment to tell what is out at, past or to come; now by default.")
    ] = None,
    start: Annotated[
        str | int | None, Field(description="First moment of the window, past or to come; now by default.")
    ] = None,
    end: Annotated[
        str | int | None, Field(description="First moment after the window; that after the calendar by default.")
    ] = None,
    step: Annotated[
        str | None, Field(description="day, week or month: tells also what each of the window's releases.")
    ] = None,
    limit: Annotated[int, Field(description="How many of the window's events, 1 to 100.")] = 20,
    offset: Annotated[int, Field(description="How many of the window's events to leave out first.")] = 0,
) -> dict[str, Any]:
    """A token's unlock calendar (DefiLlama emissions) as it is known at this moment: what is out and locked, by
    allocation and category; what a window releases; and its events (cliffs, linear releases), oldest first.

    Amounts are whole tokens as exact decimal texts; shares are percent of the greatest supply. The calendar has a point
    a day, at 00:00 UTC; what it adds to the point before counts as released at that moment. What lies after now is
    planned. A window has its start and not its end.
    Example: {"asset": "ARB", "start": "2024-05-01", "end": "2024-08-01", "step": "month"}
    """
    within(limit, 1, MOST_EVENTS, "limit")
    within(offset, 0, 10**6, "offset")
    unit = None if step is None else choice_argument(step, ("day", "week", "month"), "step")
    stated, since, until = (
        None if value is None else calendar_argument(value, world.now, what)
        for value, what in ((at, "at"), (start, "start"), (end, "end"))
    )
    slug, found = _calendar(world, _project(world, asset))
    first = max(world.now, found.begins + 1) if since is None else since
    last = max(found.ends + DAY_S, first) if until is None else until
    if last < first:
        raise ToolError(f"the window ends {utc_text(last)}, before it starts {utc_text(first)}")
    if first <= found.begins or (stated is not None and stated < found.begins):
        raise ToolError(f"the calendar's first point is {utc_text(found.begins)}; it says nothing of before, and a "
                        "window starts after it")  # fmt: skip
    moment = stated if stated is not None else world.now if world.now >= found.begins else None
    window = [event for event in found.events if first <= event.at < last]
    return {
        "name": found.name,
        "slug": slug,
        "coingecko_id": found.gecko_id,
        "source": "DefiLlama emissions",
        "now_utc": utc_text(world.now),
        **({} if found.restated_at is None else {"calendar_told_at_utc": utc_text(found.restated_at)}),
        "first_point_utc": utc_text(found.begins),
        "last_point_utc": utc_text(found.ends),
        "max_supply_tokens": _text(found.most),
        "at_utc": None if moment is None else utc_text(moment),
        "in_all": _state(found, found.labels, moment),
        "by_allocation": [
            {"allocation": label, "category": found.category(label), **_state(found, [label], moment)}
            for label in found.labels
        ],
        "by_category": [
            {"category": name, **_state(found, labels, moment)} for name, labels in found.by_category().items()
        ],
        "window": {
            **_release(found, first, last, world.now),
            "by_allocation": [
                {"allocation": label, "released_tokens": _text(found.released([label], first, last))}
                for label in found.labels
            ],
        },
        "steps": None if unit is None else _steps(found, first, last, unit, world.now),
        "events_in_window": len(window),
        "events": [_row(event, found, world.now) for event in window[offset : offset + limit]],
        "next_offset": offset + limit if offset + limit < len(window) else None,
    }


def _project(world: ToolContext, text: str) -> _Project:
    """Whose calendar ``text`` asks for. Raises ``ToolError`` for none and for several."""
    listed = protocols(world)
    coins, found = assets_meant(world, text), meant(listed, text)
    if not coins and found:
        return _of_protocol(pick(found, text, "protocol"))
    asset = coins[0] if len(coins) == 1 else resolve_asset(world, text)
    with reading("the list of protocols"):
        others = [one for one in found if (one.row.get("gecko_id") or asset.id) != asset.id]
        own = [one for one in listed if one.row.get("gecko_id") == asset.id]
    if others:
        words = "; ".join(f"slug:{one.slug} ({one.name})" for one in others[:10])
        raise ToolError(f"{text[:80]!r} could be id:{asset.id} ({asset.name}) or {words}; give one of them")
    return _of_asset(asset, own)


def _of_asset(asset: Asset, own: Sequence[Listed]) -> _Project:
    slugs = [asset.id, *(slug for one in own for slug in (one.slug, _parent(one)))]
    tokens = frozenset((asset.id, *map(str.lower, asset.platforms.values())))
    return _Project(asset.name, _once(slugs), tokens, frozenset(one.id for one in own))


def _of_protocol(one: Listed) -> _Project:
    gecko_id = one.row.get("gecko_id")
    tokens = frozenset((gecko_id,) if isinstance(gecko_id, str) and gecko_id else ())
    return _Project(one.name, _once([one.slug, _parent(one), *tokens]), tokens, frozenset((one.id,)))


def _parent(one: Listed) -> str:
    """The slug of the family that a protocol belongs to; empty for none."""
    parent = one.row.get("parentProtocol")
    return parent.rpartition("#")[2] if isinstance(parent, str) else ""


def _once(slugs: Sequence[str]) -> list[str]:
    return [slug for slug in dict.fromkeys(slugs) if slug]


def _calendar(world: ToolContext, project: _Project) -> tuple[str, Emission]:
    """The project's file, and its slug. A file under its name that tells of another token is none."""
    for slug in project.slugs:
        value = _file(world, slug)
        found = None if value is None else emission_of(value, slug)
        if found is not None and project.owns(found):
            return slug, found
    raise ToolError(
        f"DefiLlama has no unlock calendar of {project.name} at this moment; looked for {', '.join(project.slugs)}"
    )


def _file(world: ToolContext, slug: str) -> Any:
    """What the file says; None where the index says that there is none, in whatever form it says so."""
    request = HttpRequest("GET", f"{DATASETS}/emissions/{in_path(slug)}")
    reply = world.fetch(request)
    if reply.status == _NO_FILE:
        return None
    if reply.status != 200:
        raise ToolError(f"DefiLlama refused the calendar {slug} with status {reply.status}")
    with reading(f"the unlock calendar {slug}"):
        return strict_json(reply.body)


def _state(found: Emission, labels: Sequence[str], moment: int | None) -> dict[str, Any]:
    """What is out and what is still locked; null where the calendar begins later."""
    whole = found.out(labels, found.ends)
    out = None if moment is None else found.out(labels, moment)
    return {
        "unlocked_tokens": _text(out),
        "locked_tokens": None if out is None else _text(less(whole, out)),
        "planned_in_all_tokens": _text(whole),
        "unlocked_percent": None if out is None else _share(out, found.most),
    }


def _release(found: Emission, first: int, last: int, now: int) -> dict[str, Any]:
    """What comes out from ``first`` until before ``last``, and what of that after now."""
    released = found.released(found.labels, first, last)
    return {
        "start_utc": utc_text(first),
        "end_utc": utc_text(last),
        "released_tokens": _text(released),
        "released_percent": _share(released, found.most),
        "of_it_planned_tokens": _text(found.released(found.labels, min(max(first, now + 1), last), last)),
    }


def _steps(found: Emission, first: int, last: int, unit: str, now: int) -> list[dict[str, Any]]:
    cuts = [first]
    for cut in _openings(first, unit):
        if cut >= last:
            break
        if len(cuts) == MOST_STEPS:
            raise ToolError(f"the window has over {MOST_STEPS} steps of a {unit}; take longer ones or an earlier end")
        cuts.append(cut)
    return [_release(found, begin, until, now) for begin, until in zip(cuts, [*cuts[1:], last], strict=True)]


def _openings(after: int, unit: str) -> Iterator[int]:
    """Midnights after a moment at which a day, a week (on Monday) or a month begins."""
    if unit == "month":
        day = datetime.fromtimestamp(after, UTC)
        month = day.year * 12 + day.month
        while True:
            yield int(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp())
            month += 1
    length, anchor = (DAY_S, 0) if unit == "day" else (_WEEK_S, _MONDAY_S)
    opening = (after - anchor) // length * length + anchor
    while True:
        opening += length
        yield opening


def _row(event: Event, found: Emission, now: int) -> dict[str, Any]:
    fields: Mapping[str, Any] = {
        "tokens": _text(event.tokens),
        "share_percent": None if event.tokens is None else _share(event.tokens, found.most),
        "tokens_per_week_before": _text(event.before),
        "tokens_per_week_after": _text(event.after),
        "until_utc": None if event.until is None else utc_text(event.until),
        "description": event.words,
    }
    return {
        "time_utc": utc_text(event.at),
        "is_planned": event.at > now,
        "kind": event.kind,
        "allocation": event.allocation,
        "category": event.category,
        **{name: value for name, value in fields.items() if value is not None},
    }


def _share(part: Decimal, whole: Decimal | None) -> float | None:
    return percent(Fraction(part) / Fraction(whole)) if whole else None


def _text(amount: Decimal | None) -> str | None:
    """Whole tokens in plain digits, without zeros at the end."""
    if amount is None:
        return None
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
