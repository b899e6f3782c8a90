"""What is asked of Dune: one request taken apart.

POST /api/v1/query/{id}/execute, /api/v1/sql/execute     a new execution
GET  /api/v1/execution/{id}/status, /results[/csv]       that execution
GET  /api/v1/query/{id}/results[/csv]                    a query's latest execution
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.secret import is_secret
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.providers.endpoint import endpoint_of

ORIGIN: Final = "https://api.dune.com"
Kind = Literal["execute", "status", "results", "latest", "other"]

_PARAMETER: Final = "params."
_KINDS: Final[Mapping[tuple[str, str, str], Kind]] = {
    ("POST", "query", "execute"): "execute",
    ("GET", "execution", "status"): "status",
    ("GET", "execution", "results"): "results",
    ("GET", "query", "results"): "latest",
}
_MOST_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Question:
    """One request. ``number`` is the execution or query it is about, ``told`` its parameters but key, limit and
    offset; ``limit`` None means that none is given, ``is_plain`` that limit and offset can be read."""

    kind: Kind
    number: str
    told: Mapping[str, str]
    body: bytes
    is_csv: bool = False
    limit: int | None = None
    offset: int = 0
    is_plain: bool = True

    @property
    def shape(self) -> Mapping[str, str]:
        """What decides the rows of an execution: columns, filters, order, samples."""
        return {name: text for name, text in self.told.items() if not name.startswith(_PARAMETER)}

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The query's own parameters by name."""
        given = {name.removeprefix(_PARAMETER): text for name, text in self.told.items() if name.startswith(_PARAMETER)}
        try:
            sent = strict_json(self.body) if self.body else {}
        except ValueError:
            return given
        inside = sent.get("query_parameters") if isinstance(sent, dict) else None
        return {**given, **inside} if isinstance(inside, dict) else given

    def is_as(self, other: Question) -> bool:
        """Whether this is the other question, whatever key it is asked with."""
        return self == other


def question_of(request: HttpRequest) -> Question:
    """Raises ``Miss`` for an address that cannot be read, or a parameter that is given twice."""
    endpoint = endpoint_of(request)
    told = {name: text for name, text in endpoint.parameters.items() if not is_secret(name)}
    parts = endpoint.segments()[2:]
    is_csv = len(parts) == 4 and parts[-1] == "csv"
    limit, offset = _whole(told.pop("limit", "")), _whole(told.pop("offset", "0"))
    given = endpoint.parameters.get("limit") is not None
    kind: Kind = "other"
    if len(parts) == 3 or (is_csv and parts[2] == "results"):
        kind = _KINDS.get((request.method, parts[0], parts[2]), "other")
    if (request.method, parts) == ("POST", ["sql", "execute"]):
        kind, parts = "execute", ["sql", "sql"]
    number = parts[1] if kind != "other" else f"{request.method} {endpoint.path}"
    is_plain = offset is not None and not (given and not limit)
    return Question(kind, number, told, _body(request), is_csv, limit, offset or 0, is_plain)


def object_of(reply: HttpReply) -> Mapping[str, Any]:
    """A reply's JSON object; an empty one where it is none."""
    try:
        content = strict_json(reply.body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def execution_of(body: Mapping[str, Any]) -> str:
    """Which execution a reply is about; "" where it does not say."""
    number = body.get("execution_id")
    return number if isinstance(number, str) else ""


def is_finished(body: Mapping[str, Any]) -> bool:
    """Whether an execution is over, whatever came of it: a poll that finds it running is asked again later."""
    return body.get("is_execution_finished") is True


def moment_of(text: Any) -> int | None:
    """A moment as Dune writes it, in seconds; UTC where it names no zone. None for anything else."""
    try:
        moment = datetime.fromisoformat(text.removesuffix(" UTC"))
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, TypeError, AttributeError, OverflowError):
        return None


def _body(request: HttpRequest) -> bytes:
    """A body in one spelling, as identity has it."""
    try:
        return canonical_bytes(strict_json(request.body)) if request.body else b""
    except ValueError:
        return request.body


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
