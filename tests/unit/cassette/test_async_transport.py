import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from typing import Any, TypeVar

import httpx
import httpx2
import pytest

from caia_replay.cassette.async_transport import AsyncReplayTransport, LegacyAsyncReplayTransport
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import Miss

HOST = "https://h.example"
CLIENTS = [(httpx2.AsyncClient, AsyncReplayTransport), (httpx.AsyncClient, LegacyAsyncReplayTransport)]

Result = TypeVar("Result")


def _recordings(*items: Interaction) -> Recordings:
    return Recordings([Cassette("main", "", items)])


def _item(
    url: str,
    body: bytes = b"{}",
    request_body: bytes = b"",
    method: str = "GET",
    status: int = 200,
    headers: dict[str, tuple[str, ...]] | None = None,
    reason: str = "OK",
) -> Interaction:
    headers = headers or {"content-type": ("text/plain",)}
    return Interaction(method, url, request_body, {}, status, reason, headers, body)


def _run(work: Awaitable[Result]) -> Result:
    async def bounded() -> Result:
        async with asyncio.timeout(30):
            return await work

    return asyncio.run(bounded())


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_client_reads_what_was_recorded(client_type: Any, transport_type: Any) -> None:
    """Status, reason, text, repeated headers and length come as from a server, again and again."""
    headers = {"link": ("<a>", "<b>"), "retry-after": ("3",)}
    item = _item(f"{HOST}/a?x=1&y=a%20b", "价格".encode(), status=429, headers=headers, reason="Slow Down")

    async def work() -> None:
        async with client_type(transport=transport_type(_recordings(item), Cursor())) as client:
            for _ in range(3):
                reply = await client.get(f"{HOST}/a", params={"y": "a b", "x": 1})
                assert (reply.status_code, reply.reason_phrase, reply.text) == (429, "Slow Down", "价格")
                assert (reply.headers["retry-after"], reply.headers["content-length"]) == ("3", "6")
                assert reply.headers.get_list("link") == ["<a>", "<b>"]

    _run(work())


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_miss_comes_out_of_the_client(client_type: Any, transport_type: Any) -> None:
    """What was never recorded raises the typed miss through client.get; on_served sees each hit and no miss."""
    seen: list[Any] = []

    async def work() -> None:
        transport = transport_type(_recordings(_item(f"{HOST}/a", b"x")), Cursor(), lambda *pair: seen.append(pair))
        client = client_type(transport=transport)
        await client.get(f"{HOST}/a")
        with pytest.raises(Miss, match=r"http not recorded: GET https://h\.example/b"):
            await client.get(f"{HOST}/b")

    _run(work())
    assert [(request.method, request.url, reply.body) for request, reply in seen] == [("GET", f"{HOST}/a", b"x")]


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_bodies_stream_both_ways(client_type: Any, transport_type: Any) -> None:
    """A body sent in pieces is the question it makes as a whole; a reply can be read in pieces."""
    body = bytes(range(256)) * 10

    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"a"'
        yield b": 1}"

    async def work() -> bytes:
        recordings = _recordings(_item(f"{HOST}/a", body, b'{"a":1}', "POST"), _item(f"{HOST}/a", b"", b"", "POST"))
        client = client_type(transport=transport_type(recordings, Cursor()))
        async with client.stream("POST", f"{HOST}/a", content=pieces()) as reply:
            read = [piece async for piece in reply.aiter_bytes(100)]
        assert {len(piece) for piece in read[:-1]} == {100}
        return b"".join(read)

    assert _run(work()) == body


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_redirects_are_followed_inside_the_recordings(client_type: Any, transport_type: Any) -> None:
    """A redirect leads to the next recorded answer, or to a miss."""
    hops = [_item(f"{HOST}/{at}", b"", status=302, headers={"location": (f"/{at + 1}",)}) for at in (0, 1, 7)]

    async def work() -> None:
        recordings = _recordings(*hops, _item(f"{HOST}/2", b"end"))
        client = client_type(transport=transport_type(recordings, Cursor()), follow_redirects=True)
        assert (await client.get(f"{HOST}/0")).text == "end"
        with pytest.raises(Miss, match=r"h\.example/8"):
            await client.get(f"{HOST}/7")

    _run(work())


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_reply_has_the_id_and_the_length_of_its_own_request(client_type: Any, transport_type: Any) -> None:
    """A hundred tasks that ask one question with ids of their own each get their own id back."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
    item = _item(HOST, b'{"jsonrpc":"2.0","id":1,"result":"0x1"}', json.dumps(call).encode(), "POST")

    async def work() -> None:
        client = client_type(transport=transport_type(_recordings(item), Cursor()))
        ids = [1, *range(99_950, 100_049)]
        replies = await asyncio.gather(*(client.post(HOST, json=call | {"id": number}) for number in ids))
        assert [reply.json() for reply in replies] == [{"jsonrpc": "2.0", "id": n, "result": "0x1"} for n in ids]
        assert all(int(reply.headers["content-length"]) == len(reply.content) for reply in replies)

    _run(work())


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_sequence_has_one_answer_for_each_task(client_type: Any, transport_type: Any) -> None:
    """Tasks that share a cursor and ask at once share a sequence out: no answer twice, none left out."""
    items = [_item(f"{HOST}/a", str(at).encode()) for at in range(50)]

    async def work() -> list[str]:
        client = client_type(transport=transport_type(_recordings(*items), Cursor()))
        return [reply.text for reply in await asyncio.gather(*(client.get(f"{HOST}/a") for _ in range(52)))]

    assert Counter(_run(work())) == Counter([*map(str, range(50)), "49", "49"])


def test_a_changed_response_does_not_change_the_recording() -> None:
    """Clients own their headers: what one adds, the next does not see."""

    async def work() -> None:
        client = httpx2.AsyncClient(transport=AsyncReplayTransport(_recordings(_item(f"{HOST}/a")), Cursor()))
        (await client.get(f"{HOST}/a")).headers["x-mine"] = "1"
        assert "x-mine" not in (await client.get(f"{HOST}/a")).headers

    _run(work())
