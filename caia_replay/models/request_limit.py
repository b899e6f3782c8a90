"""How many requests an endpoint is sent at once, a number or as many as it bears; and how many a minute.

It begins with ``FIRST`` and doubles while the endpoint answers; the first refusal for load (429, 503 or 529) takes a
fifth away, and from then on it grows by one each time as many requests as it allows have been answered. Requests that
were sent before it fell do not make it fall again: they tell of the load that was.

What may be sent a minute is spread over the minute: a request of so many tokens makes the next one wait its share.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import Final, Protocol

from caia_replay.core.model import Usage
from caia_replay.errors import Interrupted

FIRST: Final = 20
MOST: Final = 200
OVERLOADED: Final = frozenset((429, 503, 529))
"""Statuses by which a server says that it is asked too much."""
_KEPT: Final = 0.8
_MINUTE_S: Final = 60.0


class Purse(Protocol):
    """What completions are paid from; other processes may pay from it too."""

    def require(self) -> None:
        """Raise ``Interrupted`` where nothing more may be asked."""

    def pay(self, usage: Usage) -> None:
        """A completion came, and this is what it took."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be asked of a model; None is without limit. ``share`` is how many models share what its endpoint bears,
    where nobody says how many requests are sent at once."""

    requests_a_minute: int | None = None
    tokens_a_minute: int | None = None
    purse: Purse | None = None
    share: int = 1


class Pace:
    """So many of something a minute, evenly; None is without limit. ``clock`` gives seconds."""

    def __init__(self, a_minute: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._each_s = _MINUTE_S / a_minute if a_minute else 0.0
        self._clock = clock
        self._free_s = clock()

    def wait_s(self) -> float:
        """Seconds until more may be taken."""
        return max(0.0, self._free_s - self._clock())

    def take(self, amount: float) -> None:
        """Take some, or give back what was taken too much (below zero)."""
        if self._each_s:
            self._free_s = max(self._free_s, self._clock()) + amount * self._each_s


class RequestLimit:
    """Of one endpoint, shared by all threads that ask it. With ``fixed`` the number never changes; ``share`` is how
    many processes ask the same endpoint, each of which takes its part. ``allowance`` is of all of them."""

    def __init__(self, fixed: int | None = None, *, share: int = 1, allowance: Allowance | None = None) -> None:
        self._allowed = allowance or Allowance()
        requests, tokens = self._allowed.requests_a_minute, self._allowed.tokens_a_minute
        self._requests, self._tokens = (Pace(each and each / share) for each in (requests, tokens))
        self._is_fixed = fixed is not None
        several = share * (self._allowed.share if fixed is None else 1)
        self._limit = max(1.0, (FIRST if fixed is None else fixed) / several)
        self._most = max(1.0, MOST / several)
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
    def request(self, expected_tokens: int = 0) -> Iterator[RequestTurn]:
        """One request, of about so many tokens, as soon as there is room for it; tell the turn how it was answered.
        Raises ``Interrupted`` after ``stop``, and as the purse."""
        with self._changed:
            self._waiting += 1
            try:
                self._wait()
            finally:
                self._waiting -= 1
            self._require()
            self._requests.take(1)
            self._tokens.take(expected_tokens)
            self._asking += 1
            turn = RequestTurn(self, self._falls, expected_tokens)
        try:
            yield turn
        finally:
            with self._changed:
                self._asking -= 1
                self._changed.notify()

    def _wait(self) -> None:
        while not self._is_stopped:
            pause_s = max(self._requests.wait_s(), self._tokens.wait_s())
            if self._asking < self.limit and not pause_s:
                return
            self._changed.wait(pause_s or None)
            if pause_s:
                self._require()  # who waits a minute learns of a stop sooner than at its turn
        raise Interrupted("the endpoint is asked no more")

    def _require(self) -> None:
        if self._allowed.purse is not None:
            try:
                self._allowed.purse.require()
            except Interrupted:
                self._changed.notify_all()  # this turn is given up, and nobody else would hand it on
                raise

    def used(self, usage: Usage, expected_tokens: int) -> None:
        """What a completion took that was sent as one of about ``expected_tokens``."""
        if self._allowed.purse is not None:
            self._allowed.purse.pay(usage)
        with self._changed:
            self._tokens.take(usage.prompt_tokens + usage.completion_tokens - expected_tokens)
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

    def __init__(self, limit: RequestLimit, falls: int, expected_tokens: int = 0) -> None:
        self._limit = limit
        self._falls = falls
        self._expected_tokens = expected_tokens

    def answered(self, status: int) -> None:
        """The endpoint's status; not called where none came."""
        self._limit.answered(status in OVERLOADED, self._falls)

    def used(self, usage: Usage) -> None:
        """What the completion took, by its server or by an estimate."""
        self._limit.used(usage, self._expected_tokens)
