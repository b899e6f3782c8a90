"""A tape as an endpoint: the recorded reply to the turn that is asked, or the fault that stood in its place."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import httpx2

from caia_replay.core.model import RunKey
from caia_replay.core.tape import TapedFault, TapedTurn
from caia_replay.errors import ModelFault
from caia_replay.models.session_header import read_run
from caia_replay.models.tape_request import first_difference

NOT_RECORDED = "not_recorded"


class TapePlayer(httpx2.BaseTransport):
    """An ``httpx2`` transport that plays the runs put into it. Thread-safe; it keeps no place within a run.

    ``ModelFault("not_recorded")`` for a run or turn that was never recorded, and for a request whose messages or
    tools are not the recorded ones.
    """

    def __init__(self) -> None:
        self._runs: dict[RunKey, Sequence[TapedTurn]] = {}
        self._lock = Lock()

    def put(self, key: RunKey, turns: Sequence[TapedTurn]) -> None:
        """Make a run's turns known."""
        with self._lock:
            self._runs[key] = turns

    def drop(self, key: RunKey) -> None:
        """Forget a run."""
        with self._lock:
            self._runs.pop(key, None)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded reply. Raises the recorded ``ModelFault`` where there was none."""
        named = read_run(request.headers)
        if named is None:
            raise ModelFault(NOT_RECORDED, "the request names no run")
        key, number = named
        with self._lock:
            turns = self._runs.get(key, ())
        turn = taped_turn(turns, number)
        if turn.request:
            text = first_difference(turn.request, request.read().decode("utf-8", "replace"))
            if text:
                raise ModelFault(NOT_RECORDED, f"turn {number}: {text}")
        if isinstance(turn.outcome, TapedFault):
            raise ModelFault(turn.outcome.reason, turn.outcome.detail)
        reply = turn.outcome
        headers = {"content-type": reply.content_type} if reply.content_type else {}
        return httpx2.Response(reply.status, headers=headers, content=reply.body.encode("utf-8"))


def taped_turn(turns: Sequence[TapedTurn], number: int) -> TapedTurn:
    """Turn ``number``, from 1. Raises ``ModelFault("not_recorded")`` beyond the last."""
    if not 1 <= number <= len(turns):
        raise ModelFault(NOT_RECORDED, f"turn {number} was never recorded: the run has {len(turns)} turns")
    return turns[number - 1]
