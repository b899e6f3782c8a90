"""Recorded model traffic: what a model's endpoint answered in one run, turn by turn.

A tape is keyed by run and turn, never by what was asked alone: five identical prompts have five answers. What was
asked is kept to prove that a replay asks the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.model import RunKey


@dataclass(frozen=True, slots=True)
class TapedReply:
    """An endpoint's last word in a turn: an HTTP reply as it came, its coding taken off, credentials taken out."""

    status: int
    content_type: str
    body: str


@dataclass(frozen=True, slots=True)
class TapedFault:
    """No reply: why the endpoint failed (a ``ModelFault``'s reason) and in which words."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class TapedTurn:
    """One completion asked for. ``request`` is the request body's JSON text, credentials taken out."""

    request: str
    outcome: TapedReply | TapedFault


class TapeSource(Protocol):
    """Tapes that replay."""

    def turns(self, key: RunKey) -> Sequence[TapedTurn] | None:
        """Every turn of one run, in order; None when the run was never recorded."""

    def nearest(self, key: RunKey) -> str:
        """The recorded run most like ``key``, in words; empty when there is none."""


class TapeSink(Protocol):
    """Where tapes are kept."""

    def keep(self, key: RunKey, turns: Sequence[TapedTurn]) -> None:
        """Keep one run whole, in place of what was kept of it before."""
