"""Dune's API: a query is executed, the execution is polled until it is over, its rows are read in pages.

    POST /api/v1/query/{id}/execute -> GET /api/v1/execution/{id}/status -> GET /api/v1/execution/{id}/results[/csv]

Classes in replay: HIT for a recorded answer, DERIVED for another page of recorded rows, MISS for everything else; never
FORK, and never a new execution: the recorded one is a constant. A poll that found it running is "later", and a replay
passes over it. An execution of after the world's moment may tell what nobody knew then and is a miss, unless its query
is declared to be bounded by a parameter that names a moment of before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urlencode, urlsplit

from caia_replay.cassette.secret import is_secret
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.dune.question import (
    ORIGIN,
    Question,
    execution_of,
    is_finished,
    moment_of,
    object_of,
    question_of,
)
from caia_replay.providers.dune.result import Page, page_from, page_of
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, endpoint_of, is_of_now, utc

LONGEST: Final = 1_000
"""Rows of a widened page."""
_NO_BOUNDS: Final[Mapping[str, str]] = {}
_HOST: Final = "api.dune.com"
_DONE: Final = "QUERY_STATE_COMPLETED"


class DuneProvider:
    """The provider. See docs/providers/dune.md for what follows from what.

    ``bounds`` names, by query id, the parameter up to whose moment a query's data reach: somebody read its SQL.
    """

    name = "dune"
    authority: Authority = "authoritative"
    ignored_parameters: frozenset[str] = frozenset({"api_key"})
    has_other_sources = False

    def __init__(self, bounds: Mapping[str, str] = _NO_BOUNDS) -> None:
        self._bounds = dict(bounds)

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the API's first version."""
        try:
            parts = urlsplit(request.url)
        except ValueError:
            return False
        is_here = parts.scheme == "https" and parts.netloc.lower() == _HOST and parts.path.startswith("/api/v1/")
        return is_here and request.method in ("GET", "POST")

    def family(self, request: HttpRequest) -> str:
        """All of it: an execution is found by its query's recording, and read by its own number."""
        question_of(request)
        return self.name

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """Rows from the first one on in long pages, the question too where these may not answer it; else itself."""
        asked = question_of(request)
        if asked.kind not in ("results", "latest") or not asked.is_plain:
            return (request,)
        wide = _results(request, asked, 0)
        return (wide,) if asked.limit is not None and asked.limit <= LONGEST else (wide, request)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """An execution's status, a finished one's rows, and of rows the next page."""
        asked, body = question_of(request), object_of(reply)
        if reply.status != 200:
            return None
        number = execution_of(body)
        if asked.kind == "execute" and number.isalnum():
            return _made(request, f"/api/v1/execution/{number}/status", {})
        if asked.kind == "status":
            is_done = is_finished(body) and body.get("state") == _DONE
            path = f"/api/v1/execution/{asked.number}/results"
            return _made(request, path, {"limit": str(LONGEST)}) if is_done else None
        page = page_of(asked, Recorded(request, reply)) if asked.kind in ("results", "latest") else None
        return None if page is None or page.after is None else _results(request, asked, page.after)

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        asked, wanted = question_of(request), f"{request.method} {request.url:.300} at {utc(now)}"
        told = _Recordings(recorded, self._bounds, now)
        same = sorted(told.same(asked), key=lambda found: abs((answered_at(found.reply) or 0) - now))
        missed: Miss | None = None
        try:
            if asked.kind == "execute":
                return told.executed(same, wanted)
            if asked.kind == "status":
                return told.finished(same, asked.number, wanted)
            if asked.kind in ("results", "latest"):
                return told.rows(same, asked, endpoint_of(request).path, wanted)
        except Miss as miss:
            missed = miss
        for found in same:
            is_answer = asked.kind == "other" or (400 <= found.reply.status < 500 and found.reply.status != 429)
            if is_answer and (is_of_now(found, now) or found.reply.status == 401):
                return found.reply
        raise missed or Miss("http", wanted, f"{len(same)} recordings of it, none of this moment")


class _Recordings:
    """What is recorded of the API, as it is seen at ``now``."""

    def __init__(self, recorded: Sequence[Recorded], bounds: Mapping[str, str], now: int) -> None:
        self._asked = list(_questioned(recorded))
        self._bounds = bounds
        self._now = now
        self._known = set(self._executions())

    def same(self, asked: Question) -> list[Recorded]:
        """Recordings of the very question."""
        return [found for question, found in self._asked if question.is_as(asked)]

    def executed(self, same: Iterable[Recorded], wanted: str) -> HttpReply:
        """The newest execution of a query that is known now. Raises ``Miss``."""
        started = [found for found in same if execution_of(object_of(found.reply)) in self._known]
        if not started:
            raise Miss("http", wanted, "no execution of this query with these parameters is known at this moment")
        return max(started, key=lambda found: answered_at(found.reply) or 0).reply

    def finished(self, same: Iterable[Recorded], number: str, wanted: str) -> HttpReply:
        """The poll that found the execution over. Raises ``Miss`` where none did."""
        for found in same:
            body = object_of(found.reply)
            if found.reply.status == 200 and is_finished(body) and execution_of(body) == number in self._known:
                return found.reply
        raise Miss("http", wanted, "no poll that found it over is recorded at this moment")

    def rows(self, same: Sequence[Recorded], asked: Question, path: str, wanted: str) -> HttpReply:
        """A page of an execution's rows, or of a query's latest one. Raises ``Miss``."""
        number = asked.number if asked.kind == "results" else self._latest(asked, wanted)
        if number not in self._known:
            raise Miss("http", wanted, "this execution is not known at this moment")
        for found in same:
            page = page_of(asked, found)
            if page is not None and self._number(asked, found) == number:
                return found.reply
        return page_from(self._pages(asked, number), asked, path, wanted)

    def _pages(self, asked: Question, number: str) -> Iterator[Page]:
        for question, found in self._asked:
            is_alike = (question.is_csv, question.shape) == (asked.is_csv, asked.shape)
            if question.kind in ("results", "latest") and is_alike:
                page = page_of(question, found) if self._number(question, found) == number else None
                if page is not None:
                    yield page

    def _number(self, question: Question, found: Recorded) -> str:
        """Which execution a recorded page is of. A latest one in CSV does not say, and is of its own recording."""
        if question.is_csv:
            made = answered_at(found.reply)
            return question.number if question.kind == "results" else f"latest {question.number} {made}"
        number = execution_of(object_of(found.reply))
        return number if question.kind == "latest" or number == question.number else ""

    def _latest(self, asked: Question, wanted: str) -> str:
        """A query's latest execution: one that was over by now and still the latest when it was recorded."""
        found_at = []
        for question, found in self._asked:
            made = answered_at(found.reply)
            if question.kind != "latest" or found.reply.status != 200 or made is None:
                continue
            if question.number != asked.number or question.parameters != asked.parameters:
                continue
            if question.is_csv != asked.is_csv:
                continue
            number = self._number(question, found)
            ended = moment_of(object_of(found.reply).get("execution_ended_at"))
            is_latest = is_of_now(found, self._now) or (ended is not None and ended <= self._now <= made)
            if number in self._known and is_latest:
                found_at.append((abs(made - self._now), number))
        if not found_at:
            raise Miss("http", wanted, "which execution was the latest at this moment is not recorded")
        return min(found_at)[1]

    def _executions(self) -> Iterator[str]:
        """Executions that tell nothing of later: over by now, or told of by now, or bounded by a moment of before."""
        for question, found in self._asked:
            body, made = object_of(found.reply), answered_at(found.reply)
            if found.reply.status != 200:
                continue
            number = self._number(question, found) if question.is_csv else execution_of(body)
            ended = moment_of(body.get("execution_ended_at"))
            is_told = made is not None and made <= self._now + AS_OF_NOW_S
            is_over = ended is not None and ended <= self._now
            if number and (is_told or is_over or self._is_bounded(question)):
                yield number

    def _is_bounded(self, question: Question) -> bool:
        name = self._bounds.get(question.number) if question.kind in ("execute", "latest") else None
        bound = None if name is None else moment_of(question.parameters.get(name))
        return bound is not None and bound <= self._now


def _questioned(recorded: Iterable[Recorded]) -> Iterator[tuple[Question, Recorded]]:
    for found in recorded:
        with suppress(Miss):
            yield question_of(found.request), found


def _results(request: HttpRequest, asked: Question, offset: int) -> HttpRequest:
    """A long page of the same rows."""
    told = {**asked.told, "limit": str(LONGEST), **({"offset": str(offset)} if offset else {})}
    return _made(request, endpoint_of(request).path, told)


def _made(like: HttpRequest, path: str, told: Mapping[str, str]) -> HttpRequest:
    """A request with the key that ``like`` was asked with, wherever it stands."""
    keys = {name: text for name, text in endpoint_of(like).parameters.items() if is_secret(name)}
    query = urlencode({**told, **keys})
    return HttpRequest("GET", f"{ORIGIN}{path}{'?' if query else ''}{query}", headers=like.headers)
