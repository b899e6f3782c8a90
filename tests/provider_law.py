"""The law of providers, as tools for tests: ask a living service, record what a provider widens to, compare.

Services are pure functions, so the living origin is asked in memory here; that HTTP changes nothing is tested with the
servers themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import formatdate
from urllib.parse import parse_qsl, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.origin.services.service import Asked, Service


def live(service: Service, request: HttpRequest, now: int) -> HttpReply:
    """What the living service answers at ``now``."""
    parts = urlsplit(request.url)
    headers = {name.lower(): value for name, value in (request.headers or {}).items()}
    asked = Asked(request.method, parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)), headers,
                  request.body, f"{parts.scheme}://{parts.netloc}", parts.query)  # fmt: skip
    answer = service.answer(asked, now)
    body = answer.content if isinstance(answer.content, bytes) else canonical_bytes(answer.content)
    sent = {"content-type": "application/json; charset=utf-8", "date": formatdate(now, usegmt=True)}
    return HttpReply(answer.status, sent | {name.lower(): text for name, text in answer.headers.items()}, body)


def recorded(service: Service, provider: Provider, asked: Iterable[HttpRequest], now: int) -> list[Recorded]:
    """Everything the provider widens ``asked`` to, with all following pages, answered at ``now``; each once."""
    made: dict[tuple[str, str, bytes], Recorded] = {}
    for question in asked:
        for wide in provider.widen(question, now):
            request: HttpRequest | None = wide
            while request is not None and (request.method, request.url, request.body) not in made:
                reply = live(service, request, now)
                made[request.method, request.url, request.body] = Recorded(request, reply)
                request = provider.follow(request, reply)
    return list(made.values())


def of_family(provider: Provider, recordings: Iterable[Recorded], request: HttpRequest) -> list[Recorded]:
    """What a world would hand to ``narrow`` for this request."""
    wanted = provider.family(request)
    return [found for found in recordings if provider.match(found.request) and provider.family(found.request) == wanted]


def same(left: HttpReply, right: HttpReply) -> bool:
    """Whether two replies say the same: equal status and equal JSON."""
    return left.status == right.status and strict_json(left.body) == strict_json(right.body)
