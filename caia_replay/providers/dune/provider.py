"""Dune's API: a statement is executed, and its result is read in pages.

    POST https://api.dune.com/api/v1/sql/execute {"sql": ..., "performance": ...}    {"execution_id", "state"}
    GET  https://api.dune.com/api/v1/execution/<id>/results?limit=&offset=           its rows, in their order

Classes in replay: HIT for a recorded execution or page, DERIVED for other rows of a result that is recorded whole and
for a statement in another spelling, MISS for every other statement. Executed after the task's moment, a result is shown
only where its statement reads nothing of after it (``bound``), and was executed a day after the last moment it reads:
the warehouse fills its tables behind the chains. docs/providers/dune.md says what this proves, and what it does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.dune.bound import reads_until
from caia_replay.providers.dune.statement import words_of
from caia_replay.providers.endpoint import answered_at, content_or_none, derived, endpoint_of, is_of_now, utc

NAME: Final = "dune"
ORIGIN: Final = "https://api.dune.com"
EXECUTE: Final = f"{ORIGIN}/api/v1/sql/execute"
PAGE_ROWS: Final = 1_000
MOST_ROWS: Final = 10_000
"""Of one result are recorded: a table of more rows is a data set, and no answer to a question."""
FILLED_AFTER_S: Final = 86_400
_RESULTS: Final = re.compile(r"/api/v1/execution/([^/]{1,80})/results")
_DONE: Final = "QUERY_STATE_COMPLETED"
_PAGE: Final = frozenset(("limit", "offset"))


class DuneProvider(Provider):
    """The provider."""

    name = NAME
    authority: Authority = "authoritative"

    def match(self, request: HttpRequest) -> bool:
        """Whether a statement is executed or a result is read."""
        return _is_execution(request) or _execution_of(request) is not None

    def family(self, request: HttpRequest) -> str:
        """One for all: only the execution of a statement says whose rows a result has."""
        return ORIGIN

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """A statement as it is; of a result all pages from the first."""
        found = _execution_of(request)
        return (request,) if found is None or _window(request) is None else (results_request(found),)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """After an execution its first page, after a page the next, up to ``MOST_ROWS``."""
        content = content_or_none(reply)
        if not isinstance(content, dict):
            return None
        if _is_execution(request):
            found = _id(content)
            return None if found is None else results_request(found)
        following, found = content.get("next_offset"), _execution_of(request)
        if found is None or type(following) is not int or not 0 < following < MOST_ROWS or _window(request) is None:
            return None
        return results_request(found, offset=following)

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        if _is_execution(request):
            return _executed(recorded, request, now)
        return _page(recorded, request, now)


def execute_request(sql: str) -> HttpRequest:
    """The request that executes a statement."""
    body = canonical_bytes({"performance": "medium", "sql": sql})
    return HttpRequest("POST", EXECUTE, body, {"Content-Type": "application/json"})


def results_request(execution: str, limit: int = PAGE_ROWS, offset: int = 0) -> HttpRequest:
    """The request for a page of an execution's rows."""
    asked = urlencode({"limit": limit, "offset": offset})
    return HttpRequest("GET", f"{ORIGIN}/api/v1/execution/{execution}/results?{asked}")


def is_pending(request: HttpRequest, reply: HttpReply) -> bool:
    """Whether a reply says that its execution has not ended: whoever wants rows asks again."""
    if _execution_of(request) is None:
        return False
    content = content_or_none(reply)
    return isinstance(content, dict) and content.get("is_execution_finished") is False


def why_not_later(request: HttpRequest, now: int | None) -> str:
    """Why a result executed on a later day would tell nothing of ``now`` (None: a moment nobody knows yet); "" where it
    tells, and for what is no execution."""
    if not _is_execution(request):
        return ""
    try:
        until = reads_until(_sql_of(request))
    except ValueError as fault:
        return str(fault)
    return "" if now is None or until - 1 <= now else f"it reads until {utc(until)}, which is after the moment"


def _executed(recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
    """The execution of the same statement: at the moment, or of later where that tells the same."""
    try:
        sql = _sql_of(request)
        words = words_of(sql)
    except ValueError as fault:
        raise Miss("http", f"POST {EXECUTE}", f"its statement cannot be read: {fault}") from None
    wanted = f"Dune's answer to {sql:.200} at {utc(now)}"
    same = [found for found in recorded if _is_execution(found.request) and _same(found.request, words)]
    why, near = f"{len(same)} executions of it are recorded", ""
    for found in sorted(same, key=lambda one: (one.request.body != request.body, not is_of_now(one, now))):
        if found.reply.status != 200 or _id(content_or_none(found.reply)) is None:
            why = f"it was refused with status {found.reply.status}"
            continue
        why = _why_hidden(found, found.request, now)
        if not why:
            return found.reply
    if not same:
        others = [found for found in recorded if _is_execution(found.request)]
        near = _nearest(words, others)
        why = f"{len(others)} other statements are recorded"
    raise Miss("http", wanted, why, near)


def _page(recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
    """A recorded page, or rows of pages that are recorded without a gap."""
    asked = _execution_of(request)
    assert asked is not None
    wanted = f"{request.url:.200} at {utc(now)}"
    of_it = [found for found in recorded if _execution_of(found.request) == asked]
    owners = [
        found.request
        for found in recorded
        if _is_execution(found.request) and _id(content_or_none(found.reply)) == asked
    ]
    pages: dict[int, tuple[HttpReply, Mapping[str, Any]]] = {}
    why = f"{len(of_it)} pages of it are recorded"
    for found in of_it:
        content = content_or_none(found.reply)
        fault = _why_no_rows(content)
        if not fault and not is_of_now(found, now):
            faults = [_why_hidden(found, owner, now) for owner in owners]
            fault = min(faults, default="no statement is recorded that it answers")
        if fault:
            why = fault
        elif found.request.url == request.url:
            return found.reply
        elif (window := _window(found.request)) is not None:
            pages[window[1]] = (found.reply, content)
    window = _window(request)
    if window is None or not pages:
        raise Miss("http", wanted, why)
    return _cut(pages, *window, asked, wanted)


def _cut(
    pages: Mapping[int, tuple[HttpReply, Mapping[str, Any]]], limit: int, offset: int, execution: str, wanted: str
) -> HttpReply:
    """The rows of one window. Counts of bytes and of time are of the page that was read, and left out."""
    like, first = pages[min(pages)]
    names = first["result"]["metadata"]
    total = names["total_row_count"]
    rows = {start + at: row for start, (_, page) in pages.items() for at, row in enumerate(page["result"]["rows"])}
    places = range(offset, max(offset, min(offset + limit, total)))
    if any(place not in rows for place in places):
        raise Miss("http", wanted, f"{len(rows)} of its {total} rows are recorded")
    kept = ("column_names", "column_types", "total_row_count")
    metadata = {name: names[name] for name in kept if name in names} | {"row_count": len(places)}
    content = {name: value for name, value in first.items() if name not in ("next_offset", "next_uri", "result")}
    content["result"] = {"metadata": metadata, "rows": [rows[place] for place in places]}
    if offset + limit < total:
        content |= {"next_offset": offset + limit, "next_uri": results_request(execution, limit, offset + limit).url}
    return derived(content, like)


def _why_hidden(found: Recorded, execution: HttpRequest, now: int) -> str:
    """Why what was recorded of an execution may not be shown at ``now``; "" where it may."""
    made = answered_at(found.reply)
    if is_of_now(found, now):
        return ""
    if made is None:
        return "its recording does not say when it was made"
    try:
        until = reads_until(_sql_of(execution))
    except ValueError as fault:
        return f"executed {utc(made)}, and {fault}"
    if until - 1 > now:
        return f"it reads until {utc(until)}, which is after the moment"
    if made < until + FILLED_AFTER_S:
        return f"executed {utc(made)}, when the tables may not have been filled until {utc(until)}"
    return ""


def _why_no_rows(content: Any) -> str:
    """Why a reply holds no page of rows; "" where it does."""
    if not isinstance(content, dict):
        return "what was recorded is no JSON object"
    if content.get("state") != _DONE:
        said = content.get("error")
        words = said.get("message") if isinstance(said, dict) else said
        return f"the execution ended as {str(content.get('state'))[:40]}: {str(words)[:200]}"
    result = content.get("result")
    metadata = result.get("metadata") if isinstance(result, dict) else None
    is_whole = (
        isinstance(result, dict)
        and isinstance(metadata, dict)
        and isinstance(result.get("rows"), list)
        and type(metadata.get("total_row_count")) is int
        and isinstance(metadata.get("column_names"), list)
        and all(isinstance(row, dict) for row in result["rows"])
    )
    return "" if is_whole else "what was recorded is no page of rows"


def _is_execution(request: HttpRequest) -> bool:
    return request.method == "POST" and request.url.partition("?")[0].rstrip("/") == EXECUTE


def _execution_of(request: HttpRequest) -> str | None:
    """Whose rows a request reads; None for a request that reads none."""
    try:
        parts = urlsplit(request.url)
    except ValueError:
        return None
    if request.method != "GET" or f"{parts.scheme}://{parts.netloc}".lower() != ORIGIN:
        return None
    found = _RESULTS.fullmatch(parts.path)
    return None if found is None else found[1]


def _window(request: HttpRequest) -> tuple[int, int] | None:
    """How many rows a request asks for, and from which on; None where it asks for more than that, or not so."""
    given = endpoint_of(request).parameters
    limit, offset = given.get("limit", ""), given.get("offset", "0")
    if not set(given) <= _PAGE or not all(
        one.isascii() and one.isdecimal() and len(one) < 10 for one in (limit, offset)
    ):
        return None
    return int(limit), int(offset)


def _sql_of(request: HttpRequest) -> str:
    """The statement. Raises ``ValueError`` for a body that has none."""
    content = strict_json(request.body)
    sql = content.get("sql") if isinstance(content, dict) else None
    if not isinstance(sql, str):
        raise ValueError("the body has no sql")
    return sql


def _same(request: HttpRequest, words: Sequence[str]) -> bool:
    try:
        return words_of(_sql_of(request)) == words
    except ValueError:
        return False


def _id(content: Any) -> str | None:
    """The execution that a reply names."""
    value = content.get("execution_id") if isinstance(content, dict) else None
    return value if isinstance(value, str) else None


def _nearest(words: Sequence[str], others: Sequence[Recorded]) -> str:
    """The recorded statement that shares most words."""

    def shared(found: Recorded) -> int:
        try:
            return len(set(words_of(_sql_of(found.request))) & set(words))
        except ValueError:
            return 0

    best = max(others, key=shared, default=None)
    return "" if best is None or not shared(best) else _sql_of(best.request)[:200]
