"""The law of providers for adapters whose living origin is a small function of request and moment, kept by tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from caia_replay.cassette.identity import identity
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.world.coverage_key import family_of
from tests.provider_law import of_family

Live = Callable[[HttpRequest, int], HttpReply]
"""What an origin answers to a request at a moment."""

HOSTILE = (
    b"", b"null", b"[]", b"{}", b"[[]]", b"[[],[]]", b"\xff\xfe", b"NaN", b'{"result": NaN}', b"[" * 600, b"0", b'"x"',
    b'{"result": []}', b'{"result": null}', b'{"result": {"rows": 1, "metadata": []}}', b'{"items": [1], "next": 2}',
    b'{"items": [null], "next_page_params": []}', b'{"jsonrpc": "2.0", "id": 1}', b"a b c\nd e", b"<html>busy</html>",
    b'{"jsonrpc": "2.0", "id": {}, "error": 1}', b'{"status": "1", "result": [{"blockNumber": "x"}]}',
    b'[["urlkey", "timestamp"], ["a"]]', b'{"state": 3, "execution_id": [], "is_execution_finished": true}',
)  # fmt: skip
"""Bodies that no vendor sends, and some that look a little like those of one."""


def record(
    live: Live, provider: Provider, asked: Iterable[HttpRequest], now: int, most: int = 200, most_unproven: int = 0
) -> list[Recorded]:
    """Everything the provider widens ``asked`` to, with all that follows, answered at ``now``; each once.

    A world must find each of them by its identity alone, which has no id, no key and one spelling.
    """
    made: dict[tuple[str, str, bytes], Recorded] = {}
    unproven = 0
    for question in asked:
        for wide in provider.widen(question, now):
            request: HttpRequest | None = wide
            while request is not None and (key := (request.method, request.url, request.body)) not in made:
                assert len(made) < most, "a list without an end"
                key_in_a_world = identity(request.method, request.url, request.body)
                assert family_of(key_in_a_world, [provider]) == (provider.name, provider.family(request)), request.url
                made[key] = Recorded(request, live(request, now))
                # What a recorder is told to prove of every recording: it answers its own question at its own moment.
                proof = replayed(provider, [made[key]], request, now)
                assert proof is None or proof.status == made[key].reply.status
                unproven += proof is None
                request = provider.follow(request, made[key].reply)
    assert unproven <= most_unproven, "recordings that do not answer their own question"
    return list(made.values())


def replayed(provider: Provider, recordings: Iterable[Recorded], request: HttpRequest, now: int) -> HttpReply | None:
    """What replay answers out of the request's family; None for a miss."""
    try:
        return provider.narrow(of_family(provider, recordings, request), request, now)
    except Miss:
        return None


def survives(provider: Provider, recordings: Iterable[Recorded], asked: Iterable[HttpRequest], now: int) -> None:
    """Hostile bodies in place of the recorded ones are a miss, an answer that was recorded, or nothing to follow."""
    told = list(recordings)
    for body in HOSTILE:
        for status in (200, 404, 500):
            bad = [Recorded(one.request, HttpReply(status, one.reply.headers, body)) for one in told]
            for found in bad:
                provider.follow(found.request, found.reply)
            for question in asked:
                reply = replayed(provider, bad, question, now)
                assert reply is None or reply.body == body or reply.status in (200, 302)
