"""How long to wait before an endpoint is asked again, and when to stop asking."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_OWN_WAIT_S = 30.0
TIMEOUT_RETRIES = 1
"""A server that kept silent for a whole deadline may have lost the connection once; twice is its answer."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds of waiting, all in seconds.

    Own waits double from ``first_s``. A server that asks for a wait gets it up to ``longest_s``: more is its way of
    saying no. ``total_s`` bounds all waits of one completion together. ``sleep`` does the waiting.
    """

    first_s: float = 0.5
    longest_s: float = 60.0
    total_s: float = 180.0
    sleep: Callable[[float], None] = time.sleep


@dataclass(slots=True)
class Retries:
    """The retries of one completion. What is counted is what was planned, so that no clock decides."""

    patience: Patience
    most: int
    taken: int = 0
    waited_s: float = 0.0
    timeouts: int = field(default=0)

    def again(self, reason: str, asked_s: float | None = None) -> bool:
        """Wait and return True, or False when it is enough; ``asked_s`` is what the server asked for."""
        own = min(self.patience.first_s * 2.0 ** min(self.taken, 60), LONGEST_OWN_WAIT_S)
        wait = own if asked_s is None else max(asked_s, 0.0)
        late = reason == "timeout" and self.timeouts >= TIMEOUT_RETRIES
        if late or self.taken >= self.most or wait > self.patience.longest_s:
            return False
        if self.waited_s + wait > self.patience.total_s:
            return False
        self.taken += 1
        self.timeouts += reason == "timeout"
        self.waited_s += wait
        self.patience.sleep(wait)
        return True


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The wait a reply's headers ask for, in seconds: retry-after-ms, or Retry-After as seconds or as a date.

    A date is read against the server's own Date where it sends one. None without a wait that can be read.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return seconds * unit_s
    then = _moment(headers.get("retry-after", ""))
    if then is None:
        return None
    return (then - (_moment(headers.get("date", "")) or datetime.now(UTC))).total_seconds()


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
