"""The way from the proxy to the real server: over TLS with verified certificates, to any host the command names."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import httpcore2
import httpx2

from caia_replay.cassette.cassette import ENCODING_HEADERS, Interaction
from caia_replay.errors import BadInput
from caia_replay.models.deadline import DeadlineBackend
from caia_replay.proxy.exchange import HOP_BY_HOP, Asked
from caia_replay.recording.wire import (
    ACCEPT_ENCODING,
    LONGEST_REPLY_S,
    ReplyDeadline,
    tls_context,
    unreached,
    whole_body,
)

_CONNECT_S: Final = 30.0
_NOT_SENT: Final = HOP_BY_HOP | {"host", "content-length", "accept-encoding", "expect"}

Ends = Mapping[tuple[str, int], tuple[str, int]]
"""From a host and port to the address and port that stand in for it."""


class Upstream:
    """Sends requests on and reads their replies whole. For any number of threads.

    ``extra_roots`` is a file of authorities to trust beside the system's. ``ends`` leads single hosts to other
    addresses, their certificates still being for the host's name. Raises ``BadInput`` for a file that holds none.
    """

    def __init__(self, extra_roots: Path | None = None, ends: Ends | None = None) -> None:
        context = tls_context()
        if extra_roots is not None:
            context = _trusting(context, extra_roots)
        self._deadline = ReplyDeadline(LONGEST_REPLY_S, time.monotonic)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=256,
            # A connection that its server has closed meanwhile would fail a request that the client's own would not.
            max_keepalive_connections=0,
            network_backend=_Led(self._deadline, ends or {}),
        )
        # As in recording.wire: the transport takes no network of another's; its pool does.
        self._transport = httpx2.HTTPTransport(trust_env=False)
        self._transport._pool.close()
        self._transport._pool = self._pool

    def exchange(self, asked: Asked) -> Interaction:
        """The request as it was asked and its reply, decoded. Raises ``BadInput`` where none came, or not all of it."""
        lines = [(name, value) for name, value in asked.lines if name not in _NOT_SENT]
        if "accept-encoding" in asked.headers:
            lines.append(("accept-encoding", ACCEPT_ENCODING))
        request = httpx2.Request(asked.method, asked.url, headers=lines, content=asked.body or None)
        # Signed addresses must arrive as they were signed, so nothing of it is spelled anew.
        target = "/" + asked.url.partition("://")[2].partition("/")[2]
        request.extensions = {
            "target": target.encode("latin-1"),
            "timeout": {"connect": _CONNECT_S, "read": LONGEST_REPLY_S, "write": LONGEST_REPLY_S, "pool": _CONNECT_S},
        }
        self._deadline.start(LONGEST_REPLY_S)
        try:
            response = self._transport.handle_request(request)
        except httpx2.HTTPError as error:
            raise unreached(request, error, self._deadline.why(error)) from None
        try:
            body = whole_body(request, response, self._deadline)
        finally:
            response.close()
        reason = response.extensions.get("reason_phrase", b"").decode("ascii", "ignore")
        return Interaction(
            method=asked.method,
            uri=asked.url,
            request_body=asked.body,
            request_headers=_by_name(asked.lines),
            status=response.status_code,
            reason=reason if reason.isprintable() else "",
            headers=_by_name(
                (name.lower(), value)
                for name, value in response.headers.multi_items()
                if name.lower() not in ENCODING_HEADERS | HOP_BY_HOP
            ),
            body=body,
        )

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()


class _Led(DeadlineBackend):
    """A network on which single hosts are elsewhere."""

    def __init__(self, deadline: ReplyDeadline, ends: Ends) -> None:
        super().__init__(deadline)
        self._ends = ends

    def connect_tcp(self, host: str, port: int, *arguments: Any, **named: Any) -> httpcore2.NetworkStream:
        """A connection to the host, or to where it is led."""
        return super().connect_tcp(*self._ends.get((host.lower(), port), (host, port)), *arguments, **named)


def ends_of(texts: Iterable[str]) -> Ends:
    """``HOST:PORT=ADDRESS:PORT`` each, as ``--connect-to`` takes them. Raises ``BadInput`` for any other form."""
    found: dict[tuple[str, int], tuple[str, int]] = {}
    for text in texts:
        left, _, right = text.partition("=")
        try:
            found[_end(left)] = _end(right)
        except ValueError:
            what = f"{text!r:.120} is no HOST:PORT=ADDRESS:PORT"
            raise BadInput(what, where="--connect-to", next_command="api.example.com:443=127.0.0.1:8443") from None
    return found


def _end(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(text)
    host = host.strip("[]").lower()
    if ":" in host:
        ip_address(host)
    return host, int(port)


def _trusting(context: ssl.SSLContext, file: Path) -> ssl.SSLContext:
    try:
        context.load_verify_locations(cafile=str(file))
    except OSError as fault:  # ssl.SSLError is one
        what = f"holds no certificates that can be read: {fault.strerror or fault}"
        raise BadInput(what, where=file, next_command="--upstream-ca FILE, a PEM file") from None
    return context


def _by_name(lines: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in lines:
        found[name] = (*found.get(name, ()), value)
    return found
