"""Replay under httpx, httpx2 and requests: what a client reads, and no way out."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from typing import Any

import httpx
import httpx2
import pytest
import requests

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import ReplayAdapter, replay_session
from caia_replay.cassette.transport import (
    AsyncReplayTransport,
    LegacyAsyncReplayTransport,
    LegacyReplayTransport,
    ReplayTransport,
)
from caia_replay.errors import Miss

HOST = "https://h.example"
TYPES = {
    "httpx2": (httpx2.Client, ReplayTransport),
    "httpx": (httpx.Client, LegacyReplayTransport),
    "httpx2-async": (httpx2.AsyncClient, AsyncReplayTransport),
    "httpx-async": (httpx.AsyncClient, LegacyAsyncReplayTransport),
}
every_client = pytest.mark.parametrize("kind", [*TYPES, "requests"])


def _recordings(*items):
    return Recordings([Cassette("main", "", items)])


def _session(*items, on_served=None):
    return replay_session(_recordings(*items), Cursor(), on_served)


def _item(url, body=b"{}", request_body=b"", method="GET", status=200, headers=None, reason="OK"):
    headers = headers or {"content-type": ("text/plain; charset=utf-8",)}
    return Interaction(method, url, request_body, {}, status, reason, headers, body)


def _run(kind: str, items: list[Interaction], use: Callable[[Any], Any], on_served: Any = None) -> Any:
    """What ``use`` returns; it is given a function that awaits one request of a client of that kind."""

    async def bounded() -> Any:
        if kind == "requests":
            client: Any = _session(*items, on_served=on_served)
        else:
            client_type, transport_type = TYPES[kind]
            client = client_type(transport=transport_type(_recordings(*items), Cursor(), on_served))
            client.follow_redirects = True

        async def ask(method: str, url: str, **sent: Any) -> Any:
            found = client.request(method, url, **sent)
            return await found if inspect.isawaitable(found) else found

        async with asyncio.timeout(30):
            return await use(ask)

    return asyncio.run(bounded())


@every_client
def test_a_client_reads_what_was_recorded(kind):
    """Status, reason, text, repeated headers and length come as from a server, again and again."""
    headers = {"link": ("<a>", "<b>"), "retry-after": ("3",), "content-type": ("text/plain; charset=utf-8",)}
    item = _item(f"{HOST}/a?x=1&y=a%20b", "价格".encode(), status=429, headers=headers, reason="Slow Down")

    async def use(ask):
        for _ in range(3):
            reply = await ask("GET", f"{HOST}/a", params={"y": "a b", "x": 1})
            assert (reply.status_code, reply.text, reply.headers["retry-after"]) == (429, "价格", "3")
            assert (reply.headers["link"], reply.headers["content-length"]) == ("<a>, <b>", "6")
            if kind == "requests":
                assert reply.reason == "Slow Down"
            else:
                assert reply.reason_phrase == "Slow Down" and reply.headers.get_list("link") == ["<a>", "<b>"]
            with pytest.raises((requests.HTTPError, httpx.HTTPStatusError, httpx2.HTTPStatusError), match="429"):
                reply.raise_for_status()

    _run(kind, [item], use)


@every_client
def test_a_miss_comes_out_of_the_client_and_hits_are_told(kind):
    """What was never recorded raises the typed miss; on_served sees each hit and no miss."""
    seen: list[Any] = []

    async def use(ask):
        await ask("GET", f"{HOST}/a", headers={"X-One": "1"})
        with pytest.raises(Miss, match=r"http not recorded: GET https://h\.example/b"):
            await ask("GET", f"{HOST}/b")

    _run(kind, [_item(f"{HOST}/a", b"x")], use, lambda *pair: seen.append(pair))
    assert [(request.method, request.url, reply.body) for request, reply in seen] == [("GET", f"{HOST}/a", b"x")]
    assert seen[0][0].headers["x-one"] == "1"


@every_client
def test_redirects_are_followed_inside_the_recordings(kind):
    """A redirect leads to the next recorded answer, or to a miss; what one caller adds to a reply the next lacks."""
    codes = (301, 302, 303, 307, 308)
    hops = [_item(f"{HOST}/{at}", b"", status=code, headers={"location": (f"/{at + 1}",)}, reason="")
            for at, code in enumerate(codes)]  # fmt: skip

    async def use(ask):
        reply = await ask("GET", f"{HOST}/0")
        assert (reply.text, [hop.status_code for hop in reply.history]) == ("end", [*codes])
        reply.headers["x-mine"] = "1"
        assert "x-mine" not in (await ask("GET", f"{HOST}/5")).headers

    async def miss(ask):
        with pytest.raises(Miss, match=r"h\.example/5"):
            await ask("GET", f"{HOST}/0")

    _run(kind, [*hops, _item(f"{HOST}/5", b"end")], use)
    _run(kind, hops, miss)
    assert _session(*hops).get(f"{HOST}/0", allow_redirects=False).headers["location"] == "/1"


@every_client
def test_a_reply_has_the_id_and_the_length_of_its_own_request(kind):
    """A hundred callers that ask one question with ids of their own each get their own id back."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
    item = _item(HOST, b'{"jsonrpc":"2.0","id":1,"result":"0x1"}', json.dumps(call).encode(), "POST")

    async def use(ask):
        ids = [1, 123_456, 1, *range(99_950, 100_049)]
        replies = await asyncio.gather(*(ask("POST", HOST, json=call | {"id": number}) for number in ids))
        assert [reply.json() for reply in replies] == [{"jsonrpc": "2.0", "id": n, "result": "0x1"} for n in ids]
        assert all(int(reply.headers["content-length"]) == len(reply.content) for reply in replies)

    _run(kind, [item], use)


@every_client
def test_a_sequence_has_one_answer_for_each_task(kind):
    """Tasks that share a cursor and ask at once share a sequence out: no answer twice, none left out."""

    async def use(ask):
        return [reply.text for reply in await asyncio.gather(*(ask("GET", f"{HOST}/a") for _ in range(52)))]

    found = _run(kind, [_item(f"{HOST}/a", str(at).encode()) for at in range(50)], use)
    assert Counter(found) == Counter([*map(str, range(50)), "49", "49"])


@pytest.mark.parametrize("kind", ["httpx2-async", "httpx-async"])
def test_bodies_stream_both_ways(kind):
    """A body sent in pieces is the question it makes as a whole; a reply can be read in pieces."""
    body = bytes(range(256)) * 10

    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"a"'
        yield b": 1}"

    async def work() -> bytes:
        recordings = _recordings(_item(f"{HOST}/a", body, b'{"a":1}', "POST"), _item(f"{HOST}/a", b"", b"", "POST"))
        client_type, transport_type = TYPES[kind]
        client = client_type(transport=transport_type(recordings, Cursor()))
        async with client.stream("POST", f"{HOST}/a", content=pieces()) as reply:
            read = [piece async for piece in reply.aiter_bytes(100)]
        assert {len(piece) for piece in read[:-1]} == {100}
        return b"".join(read)

    assert asyncio.run(work()) == body


def test_requests_reads_a_body_in_pieces():
    """Chunks, lines and the raw file give the recorded bytes, of a binary body too; HEAD and 204 end at once."""
    body = bytes(range(256)) * 10
    session = _session(
        _item(f"{HOST}/a", body), _item(f"{HOST}/b", b"one\ntwo\n\nthree"), _item(f"{HOST}/c", b"", method="HEAD"),
        _item(f"{HOST}/d", b"", status=204, reason="No Content", headers={}),
    )  # fmt: skip
    with session.get(f"{HOST}/a", stream=True) as reply:
        pieces = list(reply.iter_content(100))
    assert b"".join(pieces) == body and {len(piece) for piece in pieces[:-1]} == {100}
    assert list(session.get(f"{HOST}/b", stream=True).iter_lines()) == [b"one", b"two", b"", b"three"]
    assert session.get(f"{HOST}/a", stream=True).raw.read(7) == body[:7]
    assert (session.head(f"{HOST}/c").content, session.get(f"{HOST}/d").content) == (b"", b"")


def test_every_form_of_a_body_is_the_same_question():
    """What requests would send is what is looked up."""
    session = _session(_item(f"{HOST}/a", b"found", b'{"a":1}', "POST"), _item(f"{HOST}/a", b"none", b"", "POST"))
    text = b'{"a": 1}'
    for sent in (text, text.decode(), BytesIO(text), iter([b'{"a"', b": 1}"]), bytearray(text)):
        assert session.post(f"{HOST}/a", data=sent).text == "found"
    assert session.post(f"{HOST}/a").text == "none"


def test_a_replay_session_has_no_way_out(monkeypatch, tmp_path):
    """Credentials of the environment are not read, no socket is opened, and no scheme has another adapter."""
    (tmp_path / "netrc").write_text("machine h.example login me password not-a-real-one\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setattr(socket, "socket", None)
    seen: list[Any] = []
    session = _session(_item(f"{HOST}/a", b"x"), on_served=lambda *pair: seen.append(pair))
    assert session.get(f"{HOST}/a").text == "x" and "authorization" not in seen[0][0].headers
    assert {type(adapter) for adapter in session.adapters.values()} == {ReplayAdapter}
    with pytest.raises(requests.exceptions.InvalidSchema):
        session.get("ftp://h.example/a")
