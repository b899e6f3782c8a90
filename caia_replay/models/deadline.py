"""A total deadline under every network operation: connecting, sending and each read of a trickle.

A client's own time limits start again with every byte. Here each operation is given what is left of the whole, so
that a server which sends one byte a second for ever ends as surely as one that is silent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from caia_replay.errors import ModelFault

_PIECE = 16_384
"""Bytes sent before the time that is left is looked at again."""


class Deadline:
    """The moment by which the calling thread must be done. Each thread has its own; without one, each act may take
    the whole ``limit_s``."""

    def __init__(self, limit_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit_s = limit_s
        self._clock = clock
        self._own = threading.local()

    def set(self, ends: float) -> None:
        """The calling thread's end, by ``clock``, in seconds."""
        self._own.ends = ends

    def left_s(self, most: float | None = None) -> float:
        """What is left, at most ``most``. Raises ``passed()`` when nothing is."""
        ends: float | None = getattr(self._own, "ends", None)
        left = self.limit_s if ends is None else ends - self._clock()
        if left <= 0:
            raise self.passed()
        return left if most is None else min(left, most)

    def passed(self) -> Exception:
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
