"""The law of providers, as tools for tests: ask a living service, record what a provider widens to, compare.

Services are pure functions, so the living origin is asked in memory here; that HTTP changes nothing is tested with the
servers themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.loopback import App, Receive, Send, target_of
from caia_worldgen.services.service import Asked, Service


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


class Replay:
    """An ASGI application that answers a client through a provider, out of recordings alone; a miss is a 501."""

    def __init__(
        self, provider: Provider, held: Sequence[Recorded], now: int, origin: str | Callable[[str], str]
    ) -> None:
        self.origins = (origin,) if isinstance(origin, str) else ()
        self._provider, self._held, self._now, self._origin = provider, held, now, origin

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request; where the origin depends on the path, it is asked for."""
        target = target_of(scope)
        origin = self._origin if isinstance(self._origin, str) else self._origin(target)
        request = HttpRequest(scope["method"], origin + target)
        try:
            reply = self._provider.narrow(of_family(self._provider, self._held, request), request, self._now)
        except Miss as miss:
            reply = HttpReply(501, {}, canonical_bytes({"status": "0", "message": "miss", "result": str(miss)}))
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})


class Heard:
    """An application that keeps what it is asked."""

    def __init__(self, app: App) -> None:
        self.asked: list[HttpRequest] = []
        self.origins, self._app = app.origins, app

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Hand the request on."""
        self.asked.append(HttpRequest(scope["method"], self.origins[0] + target_of(scope)))
        await self._app(scope, receive, send)
