"""Asks an origin what questions widen to, page after page, each request once: what a recorder is told to do.

The client is a ``Recorder``'s, so everything that is asked here is written down. Which requests follow from a question
is the providers' knowledge; this only keeps count and stops what would not end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import httpx2

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.endpoint import answered_at, provider_of

MOST_PAGES: Final = 10_000
"""Of one widened request: a list that is longer than that has no end worth waiting for."""


class NotAnswered(BadInput):
    """A reply came that does not answer its own question, such as a limit or a refusal told with status 200."""

    def __init__(self, request: HttpRequest, why: str) -> None:
        super().__init__(
            f"{request.method} {request.url:.200} was not answered: {why}; nothing is written",
            next_command="record again, with a longer pause_s where the origin limits its callers",
        )
        self.request = request
        self.why = why


def record_questions(
    client: httpx2.Client, providers: Sequence[Provider], questions: Iterable[HttpRequest], now: int
) -> int:
    """Ask everything the questions widen to at ``now`` (seconds since 1970, UTC) and everything that follows.

    Returns how many requests were made. Raises ``BadInput`` for a list without an end and for a reply that does not
    answer its own question, such as a limit told with status 200; faults of the connection are httpx2's.
    """
    asked: set[tuple[str, str, bytes]] = set()
    for question in questions:
        provider = provider_of(providers, question)
        for wide in provider.widen(question, now):
            ask_pages(lambda request: _reply(client, request), provider, wide, asked, now)
    return len(asked)


def record_as_asked(
    client: httpx2.Client, providers: Sequence[Provider], questions: Iterable[HttpRequest], now: int
) -> int:
    """Ask these questions and nothing more, each once: where a part of a list is wanted and never the whole.

    Returns how many requests were made, and raises as ``record_questions`` does.
    """
    asked = {(question.method, question.url, question.body): question for question in questions}
    for question in asked.values():
        _prove(provider_of(providers, question), Recorded(question, _reply(client, question)), now)
    return len(asked)


def ask_pages(
    ask: Callable[[HttpRequest], HttpReply],
    provider: Provider,
    first: HttpRequest,
    asked: set[tuple[str, str, bytes]],
    now: int,
) -> None:
    """Ask ``first`` and what follows from its replies, but for what is in ``asked``, to which it is added.

    Raises ``NotAnswered``, and ``BadInput`` for a list without an end.
    """
    request: HttpRequest | None = first
    for _ in range(MOST_PAGES):
        if request is None or (key := (request.method, request.url, request.body)) in asked:
            return
        asked.add(key)
        reply = ask(request)
        _prove(provider, Recorded(request, reply), now)
        request = provider.follow(request, reply)
    raise BadInput(f"{first.method} {first.url:.200} has more than {MOST_PAGES} pages")


def _prove(provider: Provider, made: Recorded, now: int) -> None:
    """What was recorded must be the answer to what was asked, at the moment it was made."""
    at = answered_at(made.reply)
    try:
        provider.narrow([made], made.request, now if at is None else at)
    except Miss as miss:
        raise NotAnswered(made.request, miss.detail.where) from None


def _reply(client: httpx2.Client, request: HttpRequest) -> HttpReply:
    response = client.request(request.method, request.url, content=request.body or None, headers=request.headers)
    return HttpReply(
        response.status_code, {name.lower(): value for name, value in response.headers.items()}, response.content
    )
