"""How long an answer asks its caller to wait before asking again (RFC 9110, section 10.2.3).

The recorder really waits that long; a replay counts it on the run's ``waited_s`` and asks again at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

BUSY = frozenset({429, 503})
"""The statuses that mean: the same question may be answered later."""
LONGEST_PAUSE_S = 3600
"""No answer makes anybody wait longer than this at once."""


def pause_s(status: int, headers: Mapping[str, str], attempt: int, now: int) -> int | None:
    """Whole seconds to wait before asking again, or None when the answer is one to keep.

    ``headers`` have lower-case names. Retry-After counts in seconds or as a date; a date is read against the answer's
    own Date, or ``now`` (seconds since 1970) without one. Where it is missing or malformed the pause doubles with every
    ``attempt``, from 1 second at attempt 1.
    """
    if status not in BUSY:
        return None
    value = retry_after_s(headers, now)
    return min(1 << min(attempt - 1, 30) if value is None else value, LONGEST_PAUSE_S)


def retry_after_s(headers: Mapping[str, str], now: int) -> int | None:
    """What Retry-After says, in whole seconds from 0 up; None when it is missing or malformed. ``now`` as above."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return int(text[:9])
    until = _moment(text)
    if until is None:
        return None
    since = _moment(headers.get("date", ""))
    return max(until - (now if since is None else since), 0)


def _moment(text: str) -> int | None:
    try:
        moment = parsedate_to_datetime(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None
