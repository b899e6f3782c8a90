"""The way to a real endpoint: whole replies, within a deadline and a size, or a named fault.

Whatever stands above (the openai client, a recorder of model traffic) gets replies that are already here: bodies
complete and decoded. Nothing can trickle, grow or inflate without end behind its back.
"""

from __future__ import annotations

import re
import time
import urllib.request
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from urllib.parse import urlsplit

import httpcore2
import httpx2

from caia_replay.canonical import require_shallow
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.address import shown_address
from caia_replay.models.deadline import Deadline, DeadlineBackend
from caia_replay.models.key_hiding import SHORTEST_FORM
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER
from caia_replay.models.wire import alternating

MOST_BYTES = 8_000_000
"""Of one reply, decoded. The longest real ones are a tenth of it."""
MOST_ERROR_BYTES = 64_000
"""Of a reply that is an error: what follows is not read."""
CONNECT_S = 15.0
_ENDS, _HOME = "caia_replay_ends", "caia_replay_home"
_PLAIN = ("", "identity")
_DONE = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]")
_FAULTS = (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError,
           httpcore2.UnsupportedProtocol)  # fmt: skip


class NetworkTransport(httpx2.BaseTransport):
    """An ``httpx2`` transport to the network. Safe to share between threads.

    Each request, its redirects included, has ``timeout_s`` seconds in all; then it is ``ModelFault("timeout")``. A
    body of more than ``most_bytes``, or one that is not in the coding it claims, whole and alone, is
    ``ModelFault("malformed")``. A stream is read to its ``[DONE]``, a compressed one to its end. A redirect to another
    scheme, host or port is not followed, and raises ``httpx2.UnsupportedProtocol``. Every request has a connection of
    its own, and no cookie passes: what a server sends beyond a reply, or too late, is never taken for the answer to
    another run, and it cannot tell one run from another. The headers that name a run never leave this machine, and the
    user's messages that follow each other leave it as one: tapes, which are kept above, hold them as they were.
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
        url = request.url
        # Redirects carry their first request's extensions, and so share its time and its server.
        ends = request.extensions.setdefault(_ENDS, time.monotonic() + self._deadline.limit_s)
        self._deadline.set(ends)
        place = (url.scheme, url.host, url.port)
        if request.extensions.setdefault(_HOME, place) != place:
            raise httpx2.UnsupportedProtocol("to another scheme, host or port, which is not followed", request=request)
        for name in (RUN_HEADER, TURN_HEADER):
            request.headers.pop(name, None)
        request.headers.update({"accept-encoding": "gzip", "connection": "close"})
        asked = request.read()
        if (content := alternating(asked)) != asked:
            request.headers["content-length"] = str(len(content))
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
        for name in ("content-encoding", "content-length", "transfer-encoding", "set-cookie", "set-cookie2"):
            headers.pop(name, None)
        chunks = reply.iter_stream()
        if reply.status >= 400:
            body = _error_body(_decoded(chunks, coding, MOST_ERROR_BYTES))
        else:
            # What is compressed is read on to its checksum, which stands behind the last event.
            stream = coding in _PLAIN and "event-stream" in headers.get("content-type", "").lower()
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
    found = proxies()
    return found.get(url.scheme) or found.get("all")


def proxies() -> dict[str, str]:
    """The addresses of all proxies that the environment names, by scheme."""
    found = urllib.request.getproxies()
    return {kind: name if "://" in name else f"http://{name}" for kind, name in found.items() if name}


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
    """The beginning of an error's body, in whole words; empty where it cannot be decoded, or would harm a parser."""
    body = bytearray()
    try:
        for piece in pieces:
            body += piece
            if len(body) >= MOST_ERROR_BYTES:
                del body[MOST_ERROR_BYTES:]
                del body[max(body.rfind(b" "), body.rfind(b"\n")) + 1 :]  # half a key could not be known for one
                break
        require_shallow(bytes(body))
    except (ModelFault, ValueError):
        return b""
    return bytes(body)


def _decoded(chunks: Iterator[bytes], coding: str, most: int) -> Iterator[bytes]:
    """Chunks with their coding taken off, none of them longer than ``most`` and one byte.

    Raises ``ModelFault("malformed")`` for what is not one whole piece of the coding, its checksum included.
    """
    if coding in _PLAIN:
        yield from chunks
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        told = f": {coding!r}" if len(coding) < SHORTEST_FORM else ""  # it is a server's word, and may be our key
        raise ModelFault("malformed", f"the answer is in a coding nobody asked for{told}")
    inflater, begun = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32), False
    for chunk in chunks:
        begun = begun or bool(chunk)
        try:
            yield inflater.decompress(chunk, most + 1)
        except zlib.error as fault:
            raise ModelFault("malformed", f"the answer is not {coding}, as it claims") from fault
        if inflater.unconsumed_tail:
            raise ModelFault("malformed", f"the answer inflates to more than {most} bytes")
        if inflater.unused_data:
            raise ModelFault("malformed", f"the answer goes on after the end of its {coding}")
    if begun and not inflater.eof:
        raise ModelFault("malformed", f"the answer ends before its {coding} does")
