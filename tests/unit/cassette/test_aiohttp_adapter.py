import asyncio
import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

from caia_replay.cassette.aiohttp_adapter import ReplayConnector, replay_client_session
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import BadInput, Miss

HOST = "https://h.example"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}

Result = TypeVar("Result")


def _item(
    url: str,
    body: bytes = b"{}",
    request_body: bytes = b"",
    method: str = "GET",
    status: int = 200,
    headers: dict[str, tuple[str, ...]] | None = None,
    reason: str = "OK",
) -> Interaction:
    headers = headers or {"content-type": ("text/plain; charset=utf-8",)}
    return Interaction(method, url, request_body, {}, status, reason, headers, body)


def _recordings(*items: Interaction) -> Recordings:
    return Recordings([Cassette("main", "", items)])


def _run(
    use: Callable[[aiohttp.ClientSession], Awaitable[Result]], recordings: Recordings, *served: Any, **options: Any
) -> Result:
    """What ``use`` returns, in a loop that reports every fault nobody waits for."""
    faults: list[Any] = []

    async def bounded() -> Result:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
        async with asyncio.timeout(30), replay_client_session(recordings, Cursor(), *served, **options) as session:
            return await use(session)

    found = asyncio.run(bounded(), debug=True)
    assert faults == []
    return found


def test_a_session_reads_what_was_recorded() -> None:
    """Status, reason, text, JSON, repeated headers and length come as from a server, again and again."""
    headers = {"link": ("<a>", "<b>"), "x-word": ("é",), "content-type": ("application/json; charset=utf-8",)}
    item = _item(f"{HOST}/a?x=1&y=a%20b", '"价格"'.encode(), status=429, headers=headers, reason="Slow Down")

    async def use(session: aiohttp.ClientSession) -> None:
        for _ in range(3):
            reply = await session.get(f"{HOST}/a", params={"y": "a b", "x": 1})
            assert (reply.status, reply.reason, reply.method, reply.ok) == (429, "Slow Down", "GET", False)
            assert (await reply.text(), await reply.json(), await reply.read()) == ('"价格"', "价格", item.body)
            assert reply.headers.getall("Link") == ["<a>", "<b>"] and reply.headers["X-Word"] == "é"
            assert reply.headers["content-length"] == "8" and reply.history == ()
            with pytest.raises(aiohttp.ClientResponseError, match="429"):
                reply.raise_for_status()
            with pytest.raises(aiohttp.ClientResponseError, match="Slow Down"):
                await session.get(f"{HOST}/a", params={"y": "a b", "x": 1}, raise_for_status=True)

    _run(use, _recordings(item))


def test_a_body_is_read_in_pieces() -> None:
    """Chunks, lines and single bytes give the recorded bytes, of a large binary body too."""
    body = bytes(range(256)) * 20_000

    async def use(session: aiohttp.ClientSession) -> None:
        async with session.get(f"{HOST}/a") as reply:
            pieces = []
            async for piece in reply.content.iter_chunked(1000):
                pieces.append(piece)
                await asyncio.sleep(0)
        assert b"".join(pieces) == body and {len(piece) for piece in pieces} == {1000}
        async with session.get(f"{HOST}/b") as reply:
            assert [line async for line in reply.content] == [b"one\n", b"two\n", b"\n", b"three"]
        async with session.get(f"{HOST}/a") as reply:
            assert await reply.content.readexactly(7) == body[:7]
        assert len(await (await session.get(f"{HOST}/a")).read()) == len(body)

    _run(use, _recordings(_item(f"{HOST}/a", body), _item(f"{HOST}/b", b"one\ntwo\n\nthree")))


def test_redirects_are_followed_inside_the_recordings() -> None:
    """A redirect leads to the next recorded answer, or to a miss; nothing is followed when that was not asked for."""
    hops = [_item(f"{HOST}/{at}", b"gone", status=code, headers={"location": (f"/{at + 1}",)}, reason="")
            for at, code in enumerate((301, 302, 303, 307, 308))]  # fmt: skip

    async def use(session: aiohttp.ClientSession) -> None:
        reply = await session.get(f"{HOST}/0")
        assert (await reply.text(), [hop.status for hop in reply.history]) == ("end", [301, 302, 303, 307, 308])
        assert (await session.get(f"{HOST}/0", allow_redirects=False)).headers["location"] == "/1"

    async def miss(session: aiohttp.ClientSession) -> None:
        with pytest.raises(Miss, match=r"h\.example/5"):
            await session.get(f"{HOST}/0")

    _run(use, _recordings(*hops, _item(f"{HOST}/5", b"end")))
    _run(miss, _recordings(*hops))


async def _pieces() -> AsyncIterator[bytes]:
    yield b'{"a"'
    yield b": 1}"


@pytest.mark.parametrize(
    "sent",
    [
        lambda: {"data": b'{"a": 1}'}, lambda: {"data": '{"a": 1}'}, lambda: {"data": bytearray(b'{"a": 1}')},
        lambda: {"data": BytesIO(b'{"a": 1}')}, lambda: {"data": _pieces()}, lambda: {"json": {"a": 1}},
        lambda: {"json": {"a": 1}, "compress": "gzip"}, lambda: {"json": {"a": 1}, "expect100": True},
    ],
    ids=["bytes", "text", "bytearray", "file", "pieces", "json", "compressed", "expect"],
)  # fmt: skip
def test_every_form_of_a_body_is_the_same_question(sent: Callable[[], dict[str, Any]]) -> None:
    """What aiohttp was given to send is what is looked up, and is there again after a redirect that keeps it."""
    hop = _item(f"{HOST}/a", b"", b'{"a":1}', "POST", status=307, headers={"location": ("/b",)})
    recordings = _recordings(
        hop, _item(f"{HOST}/b", b"found", b'{"a":1}', "POST"), _item(f"{HOST}/b", b"", b"", "POST")
    )

    async def use(session: aiohttp.ClientSession) -> tuple[str, str, str]:
        first = await session.post(f"{HOST}/a", **sent())
        second = await session.post(f"{HOST}/b", **sent())
        return await first.text(), await second.text(), await (await session.post(f"{HOST}/b")).text()

    assert _run(use, recordings) == ("found", "found", "")


def test_replies_without_a_body_end_at_once() -> None:
    """HEAD, 204 and 304 end at once, whatever was recorded; an offer to upgrade changes nothing."""
    offer = {"upgrade": ("h2,h2c",), "connection": ("Upgrade",)}
    recordings = _recordings(
        _item(f"{HOST}/a", b"not sent", method="HEAD"),
        _item(f"{HOST}/b", b"not sent", status=204, reason=""),
        _item(f"{HOST}/c", b"not sent", status=304, reason="Not Modified"),
        _item(f"{HOST}/d", b"body", headers=offer),
        _item(f"{HOST}/e", b"x", headers={"x-long": ("y" * 50_000,)}),
    )

    async def use(session: aiohttp.ClientSession) -> list[tuple[int, bytes]]:
        replies = [await session.head(f"{HOST}/a"), *[await session.get(f"{HOST}/{name}") for name in "bcde"]]
        assert [reply.headers.get("content-length") for reply in replies] == ["8", None, None, "4", "1"]
        assert len(replies[-1].headers["x-long"]) == 50_000
        return [(reply.status, await reply.read()) for reply in replies]

    assert _run(use, recordings) == [(200, b""), (204, b""), (304, b""), (200, b"body"), (200, b"x")]


def test_a_miss_comes_out_of_the_session_and_hits_are_told() -> None:
    """What was never recorded, and a status that ends nothing, are raised; on_served sees each hit and no miss."""

    async def use(session: aiohttp.ClientSession) -> None:
        for status in (100, 101):
            with pytest.raises(BadInput, match=f"h.example/{status}: status {status} ends no request"):
                await session.get(f"{HOST}/{status}")

    _run(use, _recordings(*(_item(f"{HOST}/{status}", b"", status=status) for status in (100, 101))))
    seen: list[Any] = []

    async def use(session: aiohttp.ClientSession) -> None:
        await session.get(f"{HOST}/a", headers={"X-One": "1"})
        with pytest.raises(Miss, match=r"http not recorded: GET https://h\.example/b"):
            await session.get(f"{HOST}/b")
        with pytest.raises(Miss):
            await session.request("QUERY", f"{HOST}/a")
        with pytest.raises(BadInput, match="wss://"):
            await session.ws_connect("wss://h.example/a")
        assert (await session.get(f"{HOST}/a")).status == 200

    _run(use, _recordings(_item(f"{HOST}/a", b"x")), lambda *pair: seen.append(pair))
    assert [(request.method, request.url, reply.body) for request, reply in seen] == [("GET", f"{HOST}/a", b"x")] * 2
    assert seen[0][0].headers["x-one"] == "1"


def test_many_requests_at_once_take_their_own_answers() -> None:
    """Two hundred tasks of one session get their own ids back, and share a sequence out without loss."""
    rpc = _item(HOST, b'{"jsonrpc":"2.0","id":1,"result":"0x1"}', json.dumps(CALL).encode(), "POST")
    turns = [_item(f"{HOST}/turn", str(at).encode()) for at in range(200)]

    async def use(session: aiohttp.ClientSession) -> None:
        async def ask(number: int) -> tuple[Any, int]:
            reply = await (await session.post(HOST, json=CALL | {"id": number})).json(content_type=None)
            return reply, int(await (await session.get(f"{HOST}/turn")).text())

        found = await asyncio.gather(*map(ask, range(100, 300)))
        assert [reply["id"] for reply, _ in found] == [*range(100, 300)]
        assert sorted(turn for _, turn in found) == [*range(200)]

    _run(use, _recordings(rpc, *turns))


def test_requests_are_served_in_the_order_they_are_made() -> None:
    """Three hundred tasks on ten hosts: no limit of a connector's makes one wait and draws by lot who is next."""
    urls = [f"https://h{at % 10}.example/{at}" for at in range(300)]
    served: list[str] = []

    async def use(session: aiohttp.ClientSession) -> None:
        replies = await asyncio.gather(*map(session.get, urls))
        assert [str(reply.url) for reply in replies] == urls

    _run(use, _recordings(*map(_item, urls)), lambda request, _: served.append(request.url))
    assert served == urls


def test_a_session_may_be_closed_at_any_moment() -> None:
    """Closed after any number of turns of the loop, a session waits for nothing, and what it was doing ends."""

    async def use(_: aiohttp.ClientSession) -> Counter[bool]:
        ends: Counter[bool] = Counter()
        for turns in range(15):
            session = replay_client_session(_recordings(_item(f"{HOST}/a", b"x" * 300_000)), Cursor())
            task = asyncio.ensure_future(session.get(f"{HOST}/a"))
            for _turn in range(turns):
                await asyncio.sleep(0)
            await session.close()
            await asyncio.wait([task])
            ends[task.exception() is None] += 1
        return ends

    assert set(_run(use, _recordings())) == {True, False}


def test_a_request_may_be_given_up_at_any_moment() -> None:
    """Cancelled after any number of turns of the loop, a request leaves nothing behind."""
    recordings = _recordings(_item(f"{HOST}/a", b"x" * 300_000, b"sent", "POST"))

    async def use(session: aiohttp.ClientSession) -> int:
        given_up = 0
        for turns in range(15):
            task = asyncio.ensure_future(session.post(f"{HOST}/a", data=b"sent"))
            for _ in range(turns):
                await asyncio.sleep(0)
            given_up += task.cancel()
            await asyncio.wait([task])
        assert len(await (await session.post(f"{HOST}/a", data=b"sent")).read()) == 300_000
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return given_up

    assert 2 <= _run(use, recordings) < 15


def test_a_replay_session_has_no_way_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Proxies and credentials of the environment are not read, a proxy is not asked, and no name is looked up."""
    (tmp_path / "netrc").write_text("machine h.example login me password not-a-real-one\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr(socket, "getaddrinfo", None)
    monkeypatch.setattr(socket.socket, "connect", None)
    seen: list[Any] = []

    async def use(session: aiohttp.ClientSession) -> None:
        for options in ({}, {"proxy": "http://127.0.0.1:9"}, {"ssl": False}):
            assert await (await session.get(f"{HOST}/a", **options)).text() == "x"
        assert not session.trust_env and type(session.connector) is ReplayConnector and len(session.cookie_jar) == 0

    _run(use, _recordings(_item(f"{HOST}/a", b"x", headers={"set-cookie": ("a=b",)})), lambda *pair: seen.append(pair))
    assert len(seen) == 3 and not any({"authorization", "cookie"} & set(request.headers) for request, _ in seen)


def test_a_connector_serves_a_session_of_ones_own() -> None:
    """Base URL, headers and cookies are the session's; two sessions of one process do not meet."""

    async def use() -> None:
        for word in (b"one", b"two"):
            connector = ReplayConnector(
                _recordings(_item(f"{HOST}/a", word, headers={"set-cookie": ("a=b",)})), Cursor()
            )
            async with aiohttp.ClientSession(HOST, connector=connector) as session:
                assert await (await session.get("/a")).read() == word
                assert [cookie.key for cookie in session.cookie_jar] == ["a"]
            assert connector.closed

    asyncio.run(use())


@pytest.mark.check
def test_nothing_else_of_the_room_loads_aiohttp() -> None:
    """Only who asks for aiohttp's playback pays for aiohttp; this module needs no requests, and no web3."""
    modules = "caia_replay.cassette.transport, caia_replay.cassette.index, caia_replay.world.world"
    code = f"import sys, {modules}\nassert 'aiohttp' not in sys.modules\nimport caia_replay.cassette.aiohttp_adapter\n"
    code += "assert 'aiohttp' in sys.modules and not {'requests', 'web3', 'vcr'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
