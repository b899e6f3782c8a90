"""The frozen clock: one moment per task, and waiting that is counted but never seen."""

from __future__ import annotations

from datetime import UTC, datetime

from caia_replay.core.task import Anchor


class Clock:
    """Stands still at the anchor. ``waited_s`` grows by what a live run would have waited."""

    def __init__(self, anchor: Anchor) -> None:
        self.now = anchor.timestamp
        self.waited_s = 0

    def wait(self, seconds: int) -> None:
        """Count a wait (Retry-After, back-off) without sleeping and without moving ``now``."""
        self.waited_s += max(0, seconds)

    def has_happened(self, moment: int | None) -> bool:
        """Whether what is known since ``moment`` can be shown now; None, known since never provably, cannot."""
        return moment is not None and moment <= self.now


def utc_text(seconds: int) -> str:
    """Seconds since 1970 as ``2025-04-11T07:26:11Z``."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
