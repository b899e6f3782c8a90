"""A recorded model: its answers come from a tape, through the client that a live model is asked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from threading import Lock
from typing import Any

import httpx2

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, ModelSession, PolicyHints, Price, RunKey
from caia_replay.core.tape import TapedFault, TapedTurn, TapeSource
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.session_header import read_run
from caia_replay.models.tape_request import first_difference

NOT_RECORDED = "not_recorded"

_NOWHERE = "http://tape.invalid/v1"


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


class RecordedModel:
    """Replays a tape. Needs no key and asks nobody; a model, not a policy: its scores are the recorded model's."""

    is_policy = False
    needs_gold = False

    def __init__(
        self,
        name: str,
        tape: TapeSource,
        price: Price | None = None,
        identity: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.price = price
        self.identity = identity or {"name": name, "parameters": None}
        self._tape = tape
        self._player = TapePlayer()
        self._chat = OpenAICompatibleModel(name, _NOWHERE, "none", transport=self._player, max_retries=0, keyed=True)

    def session(self, key: RunKey, brief: PolicyHints) -> RecordedSession:
        """A run's conversation. Raises ``BadInput`` when the tape's file of that run cannot be used."""
        turns = self._tape.turns(key)
        if turns is None:
            return RecordedSession(key, None, self._player, self._tape.nearest(key))
        self._player.put(key, turns)
        self._chat.client()  # shared by the copies
        own = copy(self._chat)  # what one run's replies refuse is asked for again in the others
        return RecordedSession(key, own.session(key, brief), self._player, "")

    def close(self) -> None:
        """Close the client."""
        self._chat.close()


class RecordedSession:
    """One run of a tape. ``chat`` is None when nobody recorded it; ``nearest`` then names one that was."""

    def __init__(self, key: RunKey, chat: ModelSession | None, player: TapePlayer, nearest: str) -> None:
        self._key = key
        self._chat = chat
        self._player = player
        self._nearest = nearest

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """The recorded completion of this turn.

        Raises ``ModelFault`` with reason not_recorded when nobody recorded what is asked, and as it was recorded else.
        """
        if self._chat is None:
            key = self._key
            asked = f"{key.task}, arm {key.arm}, condition {key.condition}, agent {key.agent}, attempt {key.attempt}"
            nearest = f"; nearest: {self._nearest}" if self._nearest else ""
            raise ModelFault(NOT_RECORDED, f"the tape has no run of task {asked}{nearest}")
        try:
            return self._chat.complete(messages, tools, most_tokens)
        except BadInput as fault:  # a live model's settings are the user's to mend; a tape has none
            raise ModelFault("server", f"the tape's reply is no completion: {fault.what}") from fault

    def close(self) -> None:
        """Forget the run's turns."""
        if self._chat is not None:
            self._chat.close()
            self._player.drop(self._key)
