"""The way to a real endpoint: whole replies, within a deadline and a size, or a named fault.

Whatever stands above (the openai client, a recorder of model traffic) gets replies that are already here: bodies
complete and decoded. Nothing can trickle, grow or inflate without end behind its back.

A client's own time limits start again with every byte. Here each operation (connecting, sending, each read of a
trickle) is given what is left of the whole, so that a server which sends one byte a second for ever ends as surely as
one that is silent.
"""

from __future__ import annotations

import re
import threading
import time
import urllib.request
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import httpx2

from caia_replay.canonical import require_shallow
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.address import shown_address
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER
from caia_replay.models.wire import alternating

_PIECE = 16_384
"""Bytes sent before the time that is left is looked at again."""

MOST_BYTES = 8_000_000
"""Of one reply, decoded. The longest real ones are a tenth of it."""
MOST_ERROR_BYTES = 64_000
"""Of a reply that is an error: what follows is not read."""
CONNECT_S = 15.0
_ENDS = "caia_replay_ends"
_DONE = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]")
_FAULTS = (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError,
           httpcore2.UnsupportedProtocol)  # fmt: skip


class Deadline:
    """The moment by which the calling thread must be done. Each thread has its own; without one, each act may take
    the whole ``limit_s``."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._own = threading.local()

    def set(self, ends: float) -> None:
        """The calling thread's end, by ``time.monotonic``."""
        self._own.ends = ends

    def left_s(self, most: float | None = None) -> float:
        """What is left, at most ``most``. Raises ``ModelFault("timeout")`` when nothing is."""
        ends: float | None = getattr(self._own, "ends", None)
        left = self.limit_s if ends is None else ends - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left if most is None else min(left, most)

    def passed(self) -> ModelFault:
        """What to raise when the time is over."""
        return ModelFault("timeout", f"no whole answer within {self.limit_s:g} s")


class DeadlineBackend(httpcore2.NetworkBackend):
    """The network as ``httpcore2`` sees it, every operation of it bounded by ``deadline``."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._network = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection. Looking up the host's name is the one act that cannot be cut short."""
        left = self._deadline.left_s(timeout)
        return _Stream(self._network.connect_tcp(host, port, left, local_address, socket_options), self._deadline)

    def sleep(self, seconds: float) -> None:
        """Wait, as long as is left."""
        self._network.sleep(self._deadline.left_s(seconds))


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left_s(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], self._deadline.left_s(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._deadline.left_s(timeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class NetworkTransport(httpx2.BaseTransport):
    """An ``httpx2`` transport to the network. Safe to share between threads.

    Each request, its redirects included, has ``timeout_s`` seconds in all; then it is ``ModelFault("timeout")``. A
    body of more than ``most_bytes``, or one that is not in the coding it claims, is ``ModelFault("malformed")``. A
    stream is read to its ``[DONE]``. Every request has a connection of its own: what a server sends beyond a reply,
    or too late, is never taken for the answer to another run. The headers that name a run never leave this machine, and
    the user's messages that follow each other leave it as one: tapes, which are kept above, hold them as they were.
    """

    def __init__(self, *, timeout_s: float, proxy: str | None = None, most_bytes: int = MOST_BYTES) -> None:
        self._deadline = Deadline(timeout_s)
        self._most_bytes = most_bytes
        self._pool = httpcore2.ConnectionPool(
            proxy=_proxy(proxy) if proxy else None,
            ssl_context=httpx2.create_ssl_context(),
            max_connections=None,
            network_backend=DeadlineBackend(self._deadline),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The whole reply."""
        # Redirects carry their first request's extensions, and so share its time.
        ends = request.extensions.setdefault(_ENDS, time.monotonic() + self._deadline.limit_s)
        self._deadline.set(ends)
        for name in (RUN_HEADER, TURN_HEADER):
            request.headers.pop(name, None)
        request.headers.update({"accept-encoding": "gzip", "connection": "close"})
        asked = request.read()
        if (content := alternating(asked)) != asked:
            request.headers["content-length"] = str(len(content))
        url = request.url
        sent = httpcore2.Request(
            request.method,
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=content,
            extensions={"timeout": {"connect": CONNECT_S}},
        )
        try:
            reply = self._pool.handle_request(sent)
            try:
                return self._whole(reply)
            finally:
                reply.close()
        except (httpcore2.ReadTimeout, httpcore2.WriteTimeout) as fault:
            raise self._deadline.passed() from fault
        except _FAULTS as fault:
            raise getattr(httpx2, type(fault).__name__)(str(fault)) from fault

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def _whole(self, reply: httpcore2.Response) -> httpx2.Response:
        headers = httpx2.Headers(reply.headers)
        coding = headers.get("content-encoding", "").strip().lower()
        for name in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(name, None)
        chunks = reply.iter_stream()
        if reply.status >= 400:
            body = _error_body(_decoded(chunks, coding, MOST_ERROR_BYTES))
        else:
            stream = "event-stream" in headers.get("content-type", "").lower()
            body = self._body(_decoded(chunks, coding, self._most_bytes), stream)
        return httpx2.Response(reply.status, headers=headers, content=body)

    def _body(self, pieces: Iterator[bytes], stream: bool) -> bytes:
        body = bytearray()
        for piece in pieces:
            start = max(len(body) - 16, 0)
            body += piece
            if len(body) > self._most_bytes:
                raise ModelFault("malformed", f"the answer is longer than {self._most_bytes} bytes")
            found = _DONE.search(body, start) if stream else None
            if found is not None:
                return bytes(body[: found.end()])
        return bytes(body)


def proxy_for(base_url: str) -> str | None:
    """The proxy that the environment puts in front of ``base_url``, as an address; None without one."""
    url = httpx2.URL(base_url)
    if urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(url.scheme) or proxies.get("all")
    return found if not found or "://" in found else f"http://{found}"


def _proxy(address: str) -> httpcore2.Proxy:
    try:
        proxy = httpx2.Proxy(address)
        if not urlsplit(address).port and proxy.url.port is not None:
            raise ValueError("the port is 0")
    except (ValueError, httpx2.InvalidURL) as fault:
        raise BadInput(f"{shown_address(address)!r} is no proxy's address", where="environment") from fault
    if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
        raise BadInput("a SOCKS proxy needs the package socksio", where="environment", next_command="unset ALL_PROXY")
    url = proxy.url
    return httpcore2.Proxy(
        httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path or b"/"),
        auth=proxy.raw_auth,
        headers=proxy.headers.raw,
    )


def _error_body(pieces: Iterator[bytes]) -> bytes:
    """The beginning of an error's body; empty where it cannot be decoded, or would harm a parser."""
    body = bytearray()
    with suppress(ModelFault):
        for piece in pieces:
            body += piece
            if len(body) >= MOST_ERROR_BYTES:
                break
    try:
        require_shallow(bytes(body))
    except ValueError:
        return b""
    return bytes(body[:MOST_ERROR_BYTES])


def _decoded(chunks: Iterator[bytes], coding: str, most: int) -> Iterator[bytes]:
    """Chunks with their coding taken off, none of them longer than ``most`` and one byte."""
    if coding in ("", "identity"):
        yield from chunks
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise ModelFault("malformed", f"the answer is in a coding nobody asked for: {coding!r:.60}")
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    for chunk in chunks:
        try:
            yield inflater.decompress(chunk, most + 1)
        except zlib.error as fault:
            raise ModelFault("malformed", f"the answer is not {coding}, as it claims") from fault
        if inflater.unconsumed_tail:
            raise ModelFault("malformed", f"the answer inflates to more than {most} bytes")
