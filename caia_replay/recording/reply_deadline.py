"""A limit in time on a whole reply, headers and body: a client's own limits start again with every byte.

A server that sends a byte now and then would otherwise keep a recording for ever.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable

import httpcore2
import httpx2


class ReplyDeadline:
    """By when the calling thread must have its reply; each thread has its own. ``clock`` counts seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._own = threading.local()

    def start(self, limit_s: float) -> None:
        """The calling thread's reply may take ``limit_s`` from now on."""
        self._own.limit_s, self._own.ends = limit_s, self._clock() + limit_s

    def left_s(self, most: float | None) -> float | None:
        """What is left of it, at most ``most``; that alone before ``start``. Raises ``httpcore2.ReadTimeout``."""
        ends: float | None = getattr(self._own, "ends", None)
        if ends is None:
            return most
        left = ends - self._clock()
        if left <= 0:
            raise httpcore2.ReadTimeout(f"no whole reply within {self._own.limit_s:g} s")
        return left if most is None else min(left, most)


class TimedTransport(httpx2.HTTPTransport):
    """httpx2's own transport, every read from the network bounded by ``deadline``; no proxy, no retries."""

    def __init__(self, verify: ssl.SSLContext, deadline: ReplyDeadline) -> None:
        super().__init__(verify=verify, trust_env=False)
        # The transport takes no network of another's; its pool does.
        self._pool.close()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=verify,
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            network_backend=_Network(deadline),
        )


class _Network(httpcore2.NetworkBackend):
    def __init__(self, deadline: ReplyDeadline) -> None:
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
        left = self._deadline.left_s(timeout)
        return _Stream(self._network.connect_tcp(host, port, left, local_address, socket_options), self._deadline)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, deadline: ReplyDeadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return self._stream.read(max_bytes, self._deadline.left_s(timeout))
        except httpcore2.ReadTimeout:
            self._deadline.left_s(timeout)  # tells which of the two limits it was
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left_s(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._deadline.left_s(timeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
