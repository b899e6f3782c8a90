"""The DeFi index's other pages out of recordings: histories cut at now, flows without their charts, unlock files.

Of several recordings those made nearest to now come first, and one that cannot be read is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Final

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama.parsed_reply import Unsettled, agreed, nearest_first
from caia_replay.providers.defillama.request import DATASETS, FLAGS, DefiLlamaRequest, read
from caia_replay.providers.endpoint import answered_at, content_of, derived, is_of_now, utc

_DAY_S: Final = 86_400
_PAYMENT: Final = 402
_PLANS: Final = ("emissions", "emission")
"""Pages that tell what is planned, so that their moments may well lie after now."""
_STAMPS: Final = frozenset({"date", "timestamp", "time", "listedAt", "createdAt", "updatedAt", "lastUpdated"})
_MILLISECONDS: Final = 10**11
"""Moments from here on are in milliseconds: in seconds, this is the year 5138."""


def is_history(asked: DefiLlamaRequest) -> bool:
    """Whether a page is the history of a chain, or of all."""
    return asked.parts[:1] == ("charts",) or asked.parts[:2] == ("v2", "historicalChainTvl")


def is_file(asked: DefiLlamaRequest) -> bool:
    """Whether a page is one emission calendar."""
    return (asked.origin, asked.parts[:1]) == (DATASETS, ("emissions",)) or asked.parts[:1] == ("emission",)


def narrow_same(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """A recording of the same question that was made now and tells of nothing after now."""

    def same(found: Recorded) -> HttpReply:
        if found.reply.status != 200 or not is_current(found, now):
            raise Unsettled(lambda: f"recorded {_when(found)}, and it changes with time")
        if asked.parts[:1] not in [(plan,) for plan in _PLANS] and _tells_later(content_of(found.reply), now):
            raise Unsettled(lambda: f"recorded {_when(found)}, and it tells of moments after {utc(now)}")
        return found.reply

    items = _same(recorded, asked, now)
    return agreed(items, same, lambda found: True, asked.words(), "no recording of this question")[1]


def narrow_refusal(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """A recorded refusal of the same question that was made now, or that says for ever that one has to pay.

    Where somebody was given the page, having to pay is a matter of the moment or of the key.
    """
    same = _same(recorded, asked, now)
    refused = [found for found in same if found.reply.status != 200]
    given = len(refused) < len(same)
    for found in refused:
        if is_current(found, now):
            return found.reply
    for found in refused:
        if found.reply.status == _PAYMENT and not given:
            return found.reply
    raise Miss("http", asked.words(), "no recorded refusal of this question holds now")


def narrow_history(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """A history up to now, out of one recorded now or on a later day.

    The point of the day on which it was recorded may still have been moving: it is handed out at that moment only.
    What nothing is left of did not exist yet, and what was said of it then is not known. Histories recorded on later
    days are to agree.
    """
    why = "no recording of this history"
    first: tuple[HttpReply, list[Any], bool] | None = None
    for found in nearest_first(recorded, now):
        if found.reply.status != 200:
            continue
        try:
            points, made = content_of(found.reply), answered_at(found.reply)
            if not isinstance(points, list):
                why = "recorded is no list of points"
                continue
            known = [point for point in points if _date(point) <= now]
        except Miss as reason:
            why = str(reason)
            continue
        if is_current(found, now) and len(known) == len(points):
            return found.reply
        # One that does not say when it was made, and holds a later point, was made later.
        is_settled = len(known) < len(points) if made is None else made // _DAY_S > now // _DAY_S
        if is_settled and not known and points:
            why = f"recorded {_when(found)} begins after {utc(now)}"
        elif not is_settled:
            why = f"recorded {_when(found)}, which does not cover {utc(now)}"
        elif first is None:
            first = found.reply, known, len(known) == len(points)
        elif first[1] != known:
            raise Miss("http", asked.words(), "what is recorded of this history contradicts each other")
    if first is None:
        raise Miss("http", asked.words(), why)
    return first[0] if first[2] else derived(first[1], first[0])


def narrow_flow(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """Volumes or fees as of now, with what is asked to be left out left out."""
    wanted = _left_out(asked)
    items = [(found, _left_out(question)) for found, question in _read(nearest_first(recorded, now))]

    def page(one: tuple[Recorded, frozenset[str]]) -> HttpReply:
        found, has = one
        if found.reply.status != 200 or not is_current(found, now):
            raise Unsettled(lambda: f"recorded {_when(found)}, and totals change with time")
        content, emptied = (
            content_of(found.reply),
            {"t" + flag.removeprefix("excludeT"): list[Any]() for flag in wanted - has},
        )
        if not isinstance(content, dict) or "message" in content:
            raise Unsettled(lambda: f"recorded {_when(found)} is no page of totals")
        if not all(isinstance(content.get(chart), list) for chart in emptied):
            raise Unsettled(lambda: f"recorded {_when(found)}, without the charts that are to be left out")
        if _tells_later(content, now):
            raise Unsettled(lambda: f"recorded {_when(found)}, and it tells of moments after {utc(now)}")
        if not has <= wanted:
            raise Unsettled(lambda: f"recorded without {', '.join(sorted(has - wanted))}")
        return found.reply if has == wanted else derived({**content, **emptied}, found.reply)

    items.sort(key=lambda one: one[1] != wanted)
    return agreed(items, page, lambda one: True, asked.words(), "no recording of this page")[1]


def narrow_file(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """A calendar's file that was last written by now, and recorded at now or later: what live would hand out."""

    def file(found: Recorded) -> Any:
        made, written = answered_at(found.reply), _written(found.reply)
        content = content_of(found.reply) if found.reply.status == 200 else None
        is_later = written is not None and written > now
        is_known = made is not None and (is_current(found, now) or (written is not None and now <= made))
        if content is None or is_later or not is_known:
            last = "at an unknown time" if written is None else f"at {utc(written)}"
            raise Unsettled(lambda: f"recorded {_when(found)}, last written {last}")
        return content

    unlike, items = "what is recorded of this calendar contradicts each other", _same(recorded, asked, now)
    final = partial(is_current, now=now)
    none = "no recording of this calendar"
    return agreed(items, file, final, asked.words(), none, lambda one, other: unlike)[0].reply


def is_current(found: Recorded, now: int) -> bool:
    """Whether a recording was made about now and on the same day, so that no day ended between."""
    made = answered_at(found.reply)
    return is_of_now(found, now) and made is not None and made // _DAY_S == now // _DAY_S


def _read(recorded: Sequence[Recorded]) -> Iterator[tuple[Recorded, DefiLlamaRequest]]:
    for found in recorded:
        try:
            question = read(found.request)
        except Miss:
            continue
        yield found, question


def _same(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> list[Recorded]:
    words = asked.words()
    return [found for found, question in _read(nearest_first(recorded, now)) if question.words() == words]


def _tells_later(content: Any, now: int) -> bool:
    """Whether something in a page is dated after now: a point by its date, or a pair by its moment."""
    left = [content]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if any(_seconds(one[name]) > now for name in _STAMPS & one.keys()):
                return True
            left.extend(one.values())
        elif isinstance(one, list):
            if len(one) == 2 and type(one[0]) is int and _seconds(one[0]) > now:
                return True
            left.extend(one)
    return False


def _seconds(stamp: Any) -> float:
    """A moment in seconds, from seconds, milliseconds, digits or a date; 0 for what is none."""
    if isinstance(stamp, str):
        if not re.fullmatch(r"[0-9]{1,15}", stamp):
            try:
                moment = datetime.fromisoformat(stamp)
                return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
            except (ValueError, OverflowError):
                return 0
        stamp = int(stamp)
    if type(stamp) not in (int, float):
        return 0
    return stamp / 1000 if stamp >= _MILLISECONDS else float(stamp)


def _date(point: Any) -> int:
    date = point.get("date") if isinstance(point, dict) else None
    if type(date) is int:
        return date
    if not isinstance(date, str) or not re.fullmatch(r"[0-9]{1,15}", date):
        raise Miss("http", "a point of a recorded history", "it has no date")
    return int(date)


def _left_out(asked: DefiLlamaRequest) -> frozenset[str]:
    return frozenset(flag for flag in FLAGS if asked.parameters.get(flag, "").lower() == "true")


def _written(reply: HttpReply) -> int | None:
    """When a file was last written, by its header or by its own words."""
    try:
        if "last-modified" in reply.headers:
            moment = parsedate_to_datetime(reply.headers["last-modified"])
        else:
            moment = datetime.fromisoformat(content_of(reply)["lastModified"])
        return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
    except (KeyError, TypeError, ValueError, OverflowError, Miss):
        return None


def _when(found: Recorded) -> str:
    made = answered_at(found.reply)
    return "at an unknown time" if made is None else f"at {utc(made)}"
