"""Lint of a task's own recordings: replies made after the moment the question is asked at.

The recorder keeps the header ``Date`` of replies from live hosts. A reply made later than the anchor is a danger only
where its request does not say which time it is about: asked for the price of a given day, an API says the same a year
later; asked for the price, it tells what nobody could know at the anchor. So the rule looks for a time in the request:

- a calendar day or month (2024-05-01, 2024/05, 20240501, 01-05-2024) or a moment in seconds, milli-, micro- or
  nanoseconds since 1970, from 2009 on, anywhere in path, query or body;
- a block height under a name that says so (``fromBlock=1200``, ``/blocks/1200``), or a short 0x number among the
  positional parameters of a JSON-RPC call;
- a hash under a name that says block or transaction, or in a JSON-RPC call by hash: it names one past event.

A time counts when it is not after the anchor. Nor does a contract's source or interface change: replay serves it where
the chain's tables have that code. In a world recorded from the internet a list of names or a history of
later is no danger either: of those replay shows what was so by the moment (the providers, ``as_of``). Nor is a
page or a post that says when it was written (``hygiene``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Interaction
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput, Miss, ToolError, one_line
from caia_replay.providers.as_of import earlier
from caia_replay.providers.dune.provider import EXECUTE
from caia_replay.providers.dune.provider import NAME as DUNE
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.plain_http.repository import HOST as REPOSITORIES
from caia_replay.providers.plain_http.repository import changed_at, files_of
from caia_replay.recording.future_data_check import is_open_web, lateness
from caia_replay.validation.cassette import shown
from caia_replay.world.every_provider import providers_over

DAY_S = 86_400
GRACE_S = DAY_S
"""A recorder's clock may be in another zone, and an API's newest data a day old."""

_FIRST_S = 1_230_768_000  # 2009-01-01: what is counted from 1970 and earlier than any chain is a number of another kind
_FIRST = date(2009, 1, 1)
_YEAR_FIRST = re.compile(r"(?<!\d)(20\d\d)([-/.]?)(\d\d)(?:\2(\d\d))?(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d\d)([-/.])(\d\d)\2(20\d\d)(?!\d)")
_SECOND = re.compile(r"(?<!\d)(20\d\d)(\d\d)(\d\d)\d{6}(?!\d)")
"""A web archive's moment, in 14 digits."""
_MOMENT = re.compile(r"(?<![\d.])(\d{10})(?:\d{3}|\d{6}|\d{9})?(?!\d)")
_HEIGHT_NAME = re.compile(r"block|height|ledger", re.IGNORECASE)
_EVENT_NAME = re.compile(r"tx|transaction|hash|block", re.IGNORECASE)
_NUMBER = re.compile(r"0x[0-9a-f]{1,16}|\d{1,18}", re.IGNORECASE)
_QUANTITY = re.compile(r"0x[0-9a-f]{1,16}", re.IGNORECASE)
_HASH = re.compile(r"(?:0x)?[0-9a-f]{64}", re.IGNORECASE)
_BY_HASH = re.compile(r"hash|transaction", re.IGNORECASE)
_POSITIONAL = "params"
_OF_CODE = ("getabi", "getsourcecode")

Named = tuple[str, str]
"""A value of a request as text, and the name it stands under; of a path, the piece before."""


def stale_faults(interactions: Sequence[Interaction], anchor: Anchor, is_live: bool = False) -> Iterator[str]:
    """What a task's own recordings say about the time after its anchor: at most one line, and one for bad dates.

    ``is_live`` is whether the world was recorded from the internet.
    """
    late: list[tuple[int, Interaction]] = []
    unreadable: list[str] = []
    told = _Told.by(interactions) if is_live else _Told({}, [])
    for item in interactions:
        for line in (line for name, lines in item.headers.items() if name.lower() == "date" for line in lines):
            made = _seconds(line)
            if made is None:
                unreadable.append(line)
            elif made <= anchor.timestamp + GRACE_S or names_a_time(item, anchor):
                continue
            elif not (is_live and _tells_before(item, anchor, told)):
                late.append((made - anchor.timestamp, item))
    if late:
        age_s, item = max(late, key=lambda pair: pair[0])
        text = f"{len(late)} made after the task's moment, the oldest {age_s // DAY_S} days after it, to requests that"
        yield one_line(f"{text} name no time up to it; for example {shown(f'{item.method} {item.uri}'):.300}")
    if unreadable:
        yield one_line(f"{len(unreadable)} with a Date that cannot be read; for example {unreadable[0]!r:.80}")


def names_a_time(item: Interaction, anchor: Anchor) -> bool:
    """Whether the request says which time, not after ``anchor``, it asks about."""
    values = [*_of_url(item.uri), *_of_body(item.request_body)]
    return any(_is_time(value, anchor) or _is_event(name, value, anchor) for name, value in values)


@dataclass(frozen=True, slots=True)
class _Told:
    """What some recordings tell of others: since when a repository's file is as it is, by address, and the statements
    whose rows a warehouse gave."""

    since: Mapping[str, int]
    statements: Sequence[Recorded]

    @classmethod
    def by(cls, interactions: Iterable[Interaction]) -> _Told:
        """All of it."""
        found = [_recorded(item) for item in interactions if item.uri.startswith((f"https://{REPOSITORIES}/", EXECUTE))]
        changes = [(url, changed_at(one.reply)) for one in found for url in files_of(one.request)]
        return cls({url: at for url, at in changes if at is not None}, [one for one in found if one.request.body])


def _recorded(item: Interaction) -> Recorded:
    headers = {name.lower(): lines[0] for name, lines in item.headers.items() if lines}
    request = HttpRequest(item.method, item.uri, item.request_body)
    return Recorded(request, HttpReply(item.status, headers, item.body))


def _tells_before(item: Interaction, anchor: Anchor, told: _Told) -> bool:
    """Whether a live world shows of a reply what was so at the anchor, and nothing else of it."""
    found = _recorded(item)
    request = found.request
    if dict(parse_qsl(urlsplit(item.uri).query)).get("action") in _OF_CODE:
        return True
    if is_open_web(request):
        late = lateness(found, anchor.timestamp, told.since.get)
        return late is None or late.kind == "marked"
    try:
        provider = provider_of(providers_over({}), request)
        if earlier(provider, found, anchor.timestamp) is not None:
            return True
        if files_of(request):
            return (changed_at(found.reply) or anchor.timestamp + 1) <= anchor.timestamp
        beside = told.statements if provider.name == DUNE else ()
        return bool(provider.narrow([found, *beside], request, anchor.timestamp))
    except (Miss, ToolError, BadInput):
        return False


def _is_time(value: str, anchor: Anchor) -> bool:
    last = datetime.fromtimestamp(anchor.timestamp, UTC).date()
    days = [(year, month, day or "01") for year, _, month, day in _YEAR_FIRST.findall(value)]
    days += _SECOND.findall(value)
    for first, _, second, year in _YEAR_LAST.findall(value):
        days += [(year, second, first), (year, first, second)]  # 01-05-2024 is May in one country, January in another
    moments = (int(seconds) for seconds in _MOMENT.findall(value))
    return any(_is_day(day, last) for day in days) or any(_FIRST_S <= moment <= anchor.timestamp for moment in moments)


def _is_day(day: tuple[str, str, str], last: date) -> bool:
    try:
        return _FIRST <= date(*map(int, day)) <= last
    except ValueError:
        return False


def _is_event(name: str, value: str, anchor: Anchor) -> bool:
    if name == _POSITIONAL:
        return bool(_QUANTITY.fullmatch(value)) and int(value, 16) <= anchor.block
    if _HEIGHT_NAME.search(name) and _NUMBER.fullmatch(value):
        return int(value, 16 if value[:2].lower() == "0x" else 10) <= anchor.block
    return bool(_EVENT_NAME.search(name) and _HASH.fullmatch(value))


def _of_url(url: str) -> Iterator[Named]:
    parts = urlsplit(url)
    # A page's address inside another's path has its own query, which the outer one takes for its own: both are read.
    pieces = [unquote(piece) for piece in parts.path.split("/") if piece]
    yield from zip(["", *pieces], pieces, strict=False)
    yield "", unquote(parts.path)
    yield from parse_qsl(parts.query, max_num_fields=None)


def _of_body(body: bytes) -> Iterator[Named]:
    text = body.decode("utf-8", "replace")
    try:
        value = strict_json(text)
    except ValueError:
        yield from parse_qsl(text)
        yield "", text
        return
    for call in value if isinstance(value, list) else [value]:
        yield from _leaves("", call, _method(call))


def _method(call: Any) -> str:
    method = call.get("method") if isinstance(call, dict) and _POSITIONAL in call else ""
    return method if isinstance(method, str) else ""


def _leaves(name: str, value: Any, method: str) -> Iterator[Named]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _leaves(key, child, method)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(name, child, method)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        if name == _POSITIONAL and method and _BY_HASH.search(method):
            name = method  # the hash of what the method is called after
        yield name, str(value) if isinstance(value, str) or abs(value) < 10**30 else ""


def _seconds(line: str) -> int | None:
    try:
        moment = parsedate_to_datetime(line)
        return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
