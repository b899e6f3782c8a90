"""The proxy: plain requests by their absolute address, tunnels by CONNECT, and TLS inside them with our certificates.

HTTP is read by httptools through uvicorn, TLS by Python's ``ssl``. Only HTTP/1.1 is offered inside a tunnel; clients of
HTTP/2 take it. docs/decisions says why no ready-made proxy stands here.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from caia_replay.cassette.url import canonical_url
from caia_replay.errors import BadInput
from caia_replay.loopback import BodyRefused, BodyRoom, Receive, Send, read_body
from caia_replay.proxy.authority import Authority
from caia_replay.proxy.exchange import HOP_BY_HOP, Answerer, Asked, Reply, own_reply

_TLS_HANDSHAKE: Final = 0x16
"""The first byte of a TLS connection; no HTTP method begins with it."""
_HANDSHAKE_S: Final = 30.0
_KEEP_ALIVE_S: Final = 86_400
_GRACE_S: Final = 5.0
_STOP_S: Final = 20.0
_THREADS: Final = 64
_ROOM_BYTES: Final = 256 * 2**20
"""What the bodies of all requests may take of memory together."""
_URL: Final = "caia_replay.url"
_ROOT: Final = "caia_replay.root"


class ProxyServer:
    """``with ProxyServer(answerer, authority) as proxy:`` serves ``proxy.url`` from a thread until the block ends.

    ``listening`` is a socket to serve on; without one a port of 127.0.0.1 is taken. Requests that are being answered at
    the end have some seconds to finish.
    """

    def __init__(self, answerer: Answerer, authority: Authority, listening: socket.socket | None = None) -> None:
        self._answerer, self.authority = answerer, authority
        self._room = BodyRoom(_ROOM_BYTES)
        self._threads = asyncio.Semaphore(_THREADS)
        self._socket = listening or socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.state = ServerState()
        self.tunnels = set[asyncio.Task[None]]()
        self.config = uvicorn.Config(
            cast(Any, self._answer),
            interface="asgi3",
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            log_level="critical",
            timeout_keep_alive=_KEEP_ALIVE_S,
        )
        self._thread = threading.Thread(target=self._serve, name="proxy", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._ready = threading.Event()

    def __enter__(self) -> ProxyServer:
        self._thread.start()
        self._ready.wait(_STOP_S)
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        if self._loop is not None and self._stopped is not None:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(_STOP_S)
        self._socket.close()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=self.config.get_loop_factory()) as runner:
            runner.run(self._run())

    async def _run(self) -> None:
        self.config.load()
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(lambda: _Front(self), sock=self._socket, backlog=1024)
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for connection in list(self.state.connections):
            connection.shutdown()
        for tunnel in self.tunnels:
            tunnel.cancel()
        if self.state.tasks:
            await asyncio.wait(set(self.state.tasks), timeout=_GRACE_S)
        for task in list(self.state.tasks):
            task.cancel()
        await asyncio.sleep(0)

    async def _answer(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """The ASGI application: one request that has its absolute URL."""
        lines = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
        try:
            with self._room.share() as take:
                asked = Asked(scope["method"], scope["state"][_URL], lines, await read_body(receive, take))
                reply = await self._reply(asked, scope["state"][_ROOT])
        except BodyRefused as refused:
            asked = Asked(scope["method"], scope["state"][_URL], lines, b"")
            reply = self._answerer.refuse(asked, "body_refused", str(refused))
        await _send(send, scope["method"], reply)

    async def _reply(self, asked: Asked, root: str) -> Reply:
        headers = asked.headers
        if not asked.url.startswith(("http://", "https://")):
            words = "this is a proxy for one command of caia-replay http; it serves nothing itself"
            return own_reply(400, "not_proxied", words)
        if "websocket" in headers.get("upgrade", "").lower():
            words = "WebSockets are neither recorded nor replayed; nothing was sent"
            return self._answerer.refuse(asked, "websocket", words)
        named = headers.get("host", "")
        if root and named and _authority(f"{root.partition('://')[0]}://{named}") != root:
            words = f"the Host header names {named!r:.80} inside a tunnel to {root}; nothing was sent"
            return self._answerer.refuse(asked, "other_host", words)
        if self._answerer.blocks:
            async with self._threads:
                return await asyncio.wrap_future(self._in_a_thread(asked))
        return self._answerer.answer(asked)

    def _in_a_thread(self, asked: Asked) -> Future[Reply]:
        """The reply to come. No thread of a pool: Python would wait for a server's last word before it ends."""
        future: Future[Reply] = Future()

        def answer() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self._answerer.answer(asked))
                except BaseException as fault:  # noqa: BLE001  raised again where the reply is awaited
                    future.set_exception(fault)

        threading.Thread(target=answer, name="exchange", daemon=True).start()
        return future


class _Connection(HttpToolsProtocol):
    """uvicorn's connection, which gives each request its absolute URL. ``root``: the tunnel's end, "" outside one."""

    def __init__(self, proxy: ProxyServer, root: str = "") -> None:
        super().__init__(proxy.config, proxy.state, {})
        self._proxy, self._root = proxy, root
        self._early = bytearray()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self._early:
            data, self._early = bytes(self._early), bytearray()
            self.data_received(data)

    def data_received(self, data: bytes) -> None:
        # TLS hands on what came with the end of its handshake before anybody learns that there is a connection.
        if self.transport is None:
            self._early += data
        else:
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.transport is not None:
            super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        if self.url.startswith((b"http://", b"https://")) and self.url.count(b"/") == 2:
            self.url += b"/"
        state = self.scope["state"]
        state[_ROOT] = self._root
        state[_URL] = (self._root if not self.url.startswith(b"http") else "") + self.url.decode("latin-1")
        super().on_headers_complete()


class _Front(_Connection):
    """A connection as it comes to the proxy, until it asks for a tunnel."""

    def __init__(self, proxy: ProxyServer) -> None:
        super().__init__(proxy)
        self._tunnel_to: bytes | None = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._tunnel_to is not None and not self.transport.is_closing():
            self._open_tunnel(self._tunnel_to)

    def on_headers_complete(self) -> None:
        if self.parser.get_method() == b"CONNECT":
            self._tunnel_to = self.url
        else:
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        if self._tunnel_to is None:
            super().on_message_complete()

    def _open_tunnel(self, target: bytes) -> None:
        try:
            host = canonical_url(f"https://{target.decode('ascii')}").host.strip("[]")
        except (BadInput, UnicodeDecodeError):
            self.transport.write(STATUS_LINE[400] + b"connection: close\r\ncontent-length: 0\r\n\r\n")
            self.transport.close()
            return
        self.transport.pause_reading()
        self._unset_keepalive_if_required()
        self.transport.write(STATUS_LINE[200] + b"\r\n")
        task = asyncio.get_running_loop().create_task(self._enter(host, target.decode("ascii")))
        self._proxy.tunnels.add(task)
        task.add_done_callback(self._proxy.tunnels.discard)

    async def _enter(self, host: str, target: str) -> None:
        try:
            is_tls = await _first_byte(self.transport) == _TLS_HANDSHAKE
            inner = _Connection(self._proxy, _authority(f"http{'s' if is_tls else ''}://{target}"))
            transport: Any = self.transport
            if is_tls:
                loop = asyncio.get_running_loop()
                context = self._proxy.authority.context(host)
                transport = await loop.start_tls(
                    self.transport, inner, context, server_side=True, ssl_handshake_timeout=_HANDSHAKE_S
                )
            else:
                transport.set_protocol(inner)
            self._proxy.state.connections.discard(self)
            if transport is not None:
                inner.connection_made(transport)
                transport.resume_reading()
        except (OSError, BadInput):  # a client that refuses our certificate, or hangs up
            self.transport.abort()


async def _first_byte(transport: Any) -> int | None:
    """The first byte that a client sends, left where it is; None where it sends none."""
    # The transport can only take bytes; the system can show them.
    peeked = socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno()))
    loop = asyncio.get_running_loop()
    come: asyncio.Future[None] = loop.create_future()
    try:
        peeked.setblocking(False)
        loop.add_reader(peeked.fileno(), lambda: None if come.done() else come.set_result(None))
        try:
            await asyncio.wait_for(come, _HANDSHAKE_S)
        finally:
            loop.remove_reader(peeked.fileno())
        first = peeked.recv(1, socket.MSG_PEEK)
    except TimeoutError:
        return None
    finally:
        peeked.close()
    return first[0] if first else None


def _authority(url: str) -> str:
    """``scheme://host[:port]`` as identity spells it; "" for what is no address."""
    try:
        parts = canonical_url(url)
    except BadInput:
        return ""
    return f"{parts.scheme}://{parts.host}{f':{parts.port}' if parts.port else ''}"


async def _send(send: Send, method: str, reply: Reply) -> None:
    lines = [line for line in reply.lines if line[0].decode("latin-1").lower() not in HOP_BY_HOP]
    has_body = method != "HEAD" and reply.status not in (204, 304)
    if has_body:
        lines.append((b"content-length", b"%d" % len(reply.body)))
    await send({"type": "http.response.start", "status": reply.status, "headers": lines})
    await send({"type": "http.response.body", "body": reply.body if has_body else b""})
