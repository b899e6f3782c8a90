"""Moments in GitHub's bodies, and which recordings tell what is the case at a moment.

A recording may lie a quarter of an hour from the world's clock and still count as made "now". What such a one says of
something later than the clock must not leave: it is looked through for stamps of later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, content_of, is_of_now

_SERVER: Final = re.compile(rb'_at"\s*:\s*"([^"\\]*)"')
_BY_HAND: Final = re.compile(rb'"date"\s*:\s*"([^"\\]*)"')
"""The dates of a commit are told by its author's clock, which may be wrong."""
_AHEAD: Final = b"expires"
"""What ends at some moment says so beforehand."""


def moment_of(text: Any) -> int | None:
    """A moment with its time zone, in seconds; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
        return int(moment.timestamp()) if moment.tzinfo is not None and "T" in text else None
    except (ValueError, TypeError, OverflowError):
        return None


def is_current(found: Recorded, now: int) -> bool:
    """Whether a recording tells what is the case at ``now``: made then, give or take, and silent about later.

    A commit's own dates speak against a recording of after ``now`` alone: what was recorded before was known.
    """
    made = answered_at(found.reply)
    if made is None or not is_of_now(found, now):
        return False
    changed = answered_at(HttpReply(200, {"date": found.reply.headers.get("last-modified", "")}, b""))
    return (changed is None or changed <= now) and not says_later(found.reply, now, made > now)


def says_later(reply: HttpReply, now: int, with_dates: bool = True) -> bool:
    """Whether a reply's body has a stamp of after ``now``: ``updated_at`` and the like, and commits' dates if told."""
    body = reply.body
    if b"\\u00" in body or b"\0" in body:  # Names and digits may be written otherwise.
        try:
            body = canonical_bytes(content_of(reply))
        except Miss:
            return False
    return any(moment > now for moment in _stamps(body, with_dates))


def is_of_later(content: Any, now: int) -> bool:
    """Whether a part of a body has a stamp of after ``now``, commits' dates among them."""
    return any(moment > now for moment in _stamps(canonical_bytes(content), True))


def _stamps(body: bytes, with_dates: bool) -> Iterator[float]:
    for found in _SERVER.finditer(body):
        if not body.endswith(_AHEAD, 0, found.start()):
            yield from _read(found[1])
    if with_dates:
        for found in _BY_HAND.finditer(body):
            yield from _read(found[1])


def _read(raw: bytes) -> Iterator[float]:
    """A stamp in seconds, taken for UTC where it has no zone; nothing where it is none."""
    try:
        moment = datetime.fromisoformat(raw.decode("ascii"))
        yield (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return
