"""Strings by which a story is known again."""

from __future__ import annotations

import hashlib


def canary(story: str, seed: int, what: str) -> str:
    """A string that stands nowhere else: found in a model's output, it means the task was trained on.

    ``story`` is ``mini`` or ``economy``, ``what`` the task's id or ``world``.
    """
    return f"CAIA-REPLAY-CANARY-{hashlib.sha256(f'{story}/{seed}/canary/{what}'.encode()).hexdigest()[:32]}"
