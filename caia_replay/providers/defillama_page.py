"""The DeFi index's other pages out of recordings: histories cut at now, flows without their charts, unlock files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama_question import DATASETS, FLAGS, Question, read
from caia_replay.providers.endpoint import answered_at, content_of, derived, is_of_now, utc

_DAY_S: Final = 86_400
_PAYMENT: Final = 402


def is_history(asked: Question) -> bool:
    """Whether a page is the history of a chain, or of all."""
    return asked.parts[:1] == ("charts",) or asked.parts[:2] == ("v2", "historicalChainTvl")


def is_file(asked: Question) -> bool:
    """Whether a page is one emission calendar."""
    return (asked.origin, asked.parts[:1]) == (DATASETS, ("emissions",)) or asked.parts[:1] == ("emission",)


def narrow_same(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """A recording of the same question that was made now, or that says for ever that one has to pay."""
    why = "no recording of this question"
    for found in _same(recorded, asked):
        if found.reply.status == _PAYMENT or (is_current(found, now) and not _tells_later(found.reply, now)):
            return found.reply
        why = f"recorded {_when(found)}, and it changes with time"
    raise Miss("http", asked.words(), why)


def narrow_history(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """A history up to now, out of one recorded now or on a later day.

    The point of the day on which it was recorded may still have been moving: it is handed out at that moment only.
    """
    why = "no recording of this history"
    for found in recorded:
        if found.reply.status != 200:
            continue
        points, made = content_of(found.reply), answered_at(found.reply)
        if not isinstance(points, list):
            why = "recorded is no list of points"
            continue
        known = [point for point in points if _date(point) <= now]
        if is_current(found, now) and len(known) == len(points):
            return found.reply
        # One that does not say when it was made, and holds a later point, was made later.
        settled = len(known) < len(points) if made is None else made // _DAY_S > now // _DAY_S
        if settled:
            return found.reply if len(known) == len(points) else derived(known, found.reply)
        why = f"recorded {_when(found)}, which does not cover {utc(now)}"
    raise Miss("http", asked.words(), why)


def narrow_flow(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """Volumes or fees as of now, with what is asked to be left out left out."""
    why = "no recording of this page"
    wanted = _left_out(asked)
    for found in sorted(recorded, key=lambda one: _left_out(read(one.request)) != wanted):
        has = _left_out(read(found.request))
        if found.reply.status != 200 or not is_current(found, now):
            why = f"recorded {_when(found)}, and totals change with time"
        elif has == wanted:
            return found.reply
        elif has < wanted:
            content = content_of(found.reply)
            emptied: dict[str, list[Any]] = {_key(flag): [] for flag in wanted - has if _key(flag) in content}
            return derived({**content, **emptied}, found.reply)
        else:
            why = f"recorded without {', '.join(sorted(has - wanted))}"
    raise Miss("http", asked.words(), why)


def narrow_file(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """A calendar's file that was last written by now, and recorded at now or later: what live would hand out."""
    why = "no recording of this calendar"
    for found in _same(recorded, asked):
        made, written = answered_at(found.reply), _written(found.reply)
        if found.reply.status == 200 and written is not None and made is not None and written <= now <= made:
            return found.reply
        if found.reply.status == _PAYMENT or is_current(found, now):
            return found.reply
        last = "at an unknown time" if written is None else f"at {utc(written)}"
        why = f"recorded {_when(found)}, last written {last}"
    raise Miss("http", asked.words(), why)


def is_current(found: Recorded, now: int) -> bool:
    """Whether a recording was made about now and on the same day, so that no day ended between."""
    made = answered_at(found.reply)
    return is_of_now(found, now) and made is not None and made // _DAY_S == now // _DAY_S


def _same(recorded: Sequence[Recorded], asked: Question) -> list[Recorded]:
    return [found for found in recorded if read(found.request).words() == asked.words()]


def _tells_later(reply: HttpReply, now: int) -> bool:
    """Whether the last point of a protocol's history is after now."""
    content = content_of(reply) if reply.status == 200 else None
    points = content.get("tvl") if isinstance(content, dict) else None
    return bool(points) and isinstance(points, list) and _date(points[-1]) > now


def _date(point: Any) -> int:
    try:
        return int(point["date"])
    except (KeyError, TypeError, ValueError) as fault:
        raise Miss("http", "a point of a recorded history", "it has no date") from fault


def _left_out(asked: Question) -> frozenset[str]:
    return frozenset(flag for flag in FLAGS if asked.parameters.get(flag, "").lower() == "true")


def _key(flag: str) -> str:
    return "t" + flag.removeprefix("excludeT")


def _written(reply: HttpReply) -> int | None:
    """When a file was last written, by its header or by its own words."""
    try:
        if "last-modified" in reply.headers:
            moment = parsedate_to_datetime(reply.headers["last-modified"])
        else:
            moment = datetime.fromisoformat(content_of(reply)["lastModified"])
        return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
    except (KeyError, TypeError, ValueError, Miss):
        return None


def _when(found: Recorded) -> str:
    made = answered_at(found.reply)
    return "at an unknown time" if made is None else f"at {utc(made)}"
