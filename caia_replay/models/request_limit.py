"""How many requests an endpoint is sent at once: a number, or as many as it bears.

It begins with ``FIRST`` and doubles while the endpoint answers; the first refusal for load (429, 503 or 529) takes a
fifth away, and from then on it grows by one each time as many requests as it allows have been answered. Requests that
were sent before it fell do not make it fall again: they tell of the load that was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final

from caia_replay.errors import Interrupted

FIRST: Final = 20
MOST: Final = 200
OVERLOADED: Final = frozenset((429, 503, 529))
"""Statuses by which a server says that it is asked too much."""
_KEPT: Final = 0.8


class RequestLimit:
    """Of one endpoint, shared by all threads that ask it. With ``fixed`` the number never changes; ``share`` is how
    many processes ask the same endpoint, each of which takes its part."""

    def __init__(self, fixed: int | None = None, *, share: int = 1) -> None:
        self._is_fixed = fixed is not None
        self._limit = max(1.0, (FIRST if fixed is None else fixed) / share)
        self._most = max(1.0, MOST / share)
        self._doubles = True
        self._falls = 0
        self._asking = 0
        self.refused = 0
        """Requests that were refused for load."""
        self.fewest = self.limit
        """The lowest that the limit has been."""
        self._waiting = 0
        self._is_stopped = False
        self._changed = Condition()

    @property
    def limit(self) -> int:
        """How many requests may be under way now."""
        return int(self._limit)

    @property
    def asking(self) -> int:
        """How many requests are under way."""
        return self._asking

    @property
    def waiting(self) -> int:
        """How many threads wait for their turn."""
        return self._waiting

    def stop(self) -> None:
        """Nobody asks any more; who waits for a turn is interrupted."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    @contextmanager
    def request(self) -> Iterator[RequestTurn]:
        """One request, as soon as there is room for it; tell the turn how it was answered. Raises ``Interrupted``
        after ``stop``."""
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: self._is_stopped or self._asking < self.limit)
            finally:
                self._waiting -= 1
            if self._is_stopped:
                raise Interrupted("the endpoint is asked no more")
            self._asking += 1
            turn = RequestTurn(self, self._falls)
        try:
            yield turn
        finally:
            with self._changed:
                self._asking -= 1
                self._changed.notify()

    def answered(self, overloaded: bool, falls: int) -> None:
        """How a request was answered that was sent after the limit had fallen ``falls`` times."""
        with self._changed:
            self.refused += overloaded
            if self._is_fixed:
                return
            if overloaded:
                if falls == self._falls:
                    self._limit = max(1.0, self._limit * _KEPT)
                    self._falls += 1
                    self.fewest = min(self.fewest, self.limit)
                    self._doubles = False
            elif 2 * self._asking >= self.limit:  # what is not half used is not known to be too little
                self._limit = min(self._most, self._limit + (1.0 if self._doubles else 1.0 / self._limit))
                self._changed.notify()


class RequestTurn:
    """A request that may be sent now."""

    def __init__(self, limit: RequestLimit, falls: int) -> None:
        self._limit = limit
        self._falls = falls

    def answered(self, status: int) -> None:
        """The endpoint's status; not called where none came."""
        self._limit.answered(status in OVERLOADED, self._falls)
