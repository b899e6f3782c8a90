"""What a reply that was recorded after a moment proves about that moment.

A suite that is recorded today for questions about the past holds today's lists and histories. What they are called and
what was dated by then is kept; every figure and state of now is gone, and is neither set to zero nor computed anew.
docs/decisions/0011-what-a-later-recording-tells.md says what such a reply proves. Each vendor has its own rules
(``Provider.as_of``); what they are written with stands below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from email.utils import formatdate
from functools import lru_cache
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import AsOfFilter, HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.endpoint import answered_at, content_of

DAY_S: Final = 86_400
_DIGITS: Final = 15
"""A moment has no more, be it in milliseconds."""
_KEPT: Final = 8
"""Bodies that are kept as they were reduced: the lists that every call asks for are megabytes, and few."""


def as_of(provider: Provider, recorded: Iterable[Recorded], now: int) -> list[Recorded]:
    """What ``earlier`` makes of recordings, as recordings of their own requests; those made first come first."""
    dated = sorted(recorded, key=lambda found: answered_at(found.reply) or 0)
    return [Recorded(one.request, reply) for one in dated if (reply := earlier(provider, one, now)) is not None]


def earlier(provider: Provider, recorded: Recorded, now: int) -> HttpReply | None:
    """What of a reply made after ``now`` (seconds since 1970, UTC) was so at ``now``, dated ``now``.

    None for a reply that was not made after ``now`` or does not say when, for a refusal, for another shape than its
    endpoint's, for what had not begun, and for every endpoint whose later replies tell nothing of before.
    """
    made, request = answered_at(recorded.reply), recorded.request
    if made is None or made <= now or recorded.reply.status != 200:
        return None
    body = _body(provider.as_of, request.method, request.url, recorded.reply.body, made, now)
    headers = {"content-type": "application/json; charset=utf-8", "date": formatdate(now, usegmt=True)}
    return None if body is None else HttpReply(200, headers, body)


@lru_cache(maxsize=_KEPT)
def _body(
    rule_of: Callable[[HttpRequest], AsOfFilter | None], method: str, url: str, body: bytes, made: int, now: int
) -> bytes | None:
    try:
        rule = rule_of(HttpRequest(method, url))
        content = None if rule is None else rule(content_of(HttpReply(200, {}, body)), made, now)
        return None if content is None else canonical_bytes(content)
    except (Miss, BadInput, TypeError, ValueError, LookupError, AttributeError, OverflowError):
        return None


def listed(value: Any) -> list[Any]:
    """A list, or ``TypeError``."""
    if not isinstance(value, list):
        raise TypeError("a list")
    return value


def mapped(value: Any) -> dict[str, Any]:
    """An object, or ``TypeError``."""
    if not isinstance(value, dict):
        raise TypeError("an object")
    return value


def named(row: Any, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a row that name something: a text, a whole number, nothing, or several texts, which are sorted.

    A field of another kind is left out: a fraction, or what holds more than names, may be a figure. So is a list's
    order, which vendors make by size.
    """
    fields = mapped(row)
    found = {name: fields[name] for name in names if name in fields and _is_name(fields[name])}
    return {name: sorted(value) if isinstance(value, list) else value for name, value in found.items()}


def texts(value: Any) -> dict[str, str | None]:
    """The pairs of an object whose values are texts or nothing, such as a coin's contracts by network."""
    return {name: text for name, text in mapped(value).items() if isinstance(text, str | None)}


def by_name(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order that no figure makes."""
    return sorted(rows, key=lambda row: tuple(str(row.get(name, "")) for name in ("name", "slug", "id", "category_id")))


def moment(value: Any) -> int:
    """A moment as it is written: a whole number, or its digits. Raises ``TypeError``."""
    if isinstance(value, str) and len(value) <= _DIGITS and value.isascii() and value.isdecimal():
        value = int(value)
    if type(value) is not int:
        raise TypeError("a moment")
    return value


def is_later(value: Any, now: int) -> bool:
    """Whether something says of itself that it began after ``now``: a moment in seconds; anything else says nothing."""
    return type(value) is int and value > now


def _is_name(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or type(value) in (str, int)
