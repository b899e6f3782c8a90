"""Recorded models: no key, no network, and a miss that says what to look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from caia_replay.cassette.egress import egress_guard
from caia_replay.core.message import Message
from caia_replay.core.model import Brief, Price, RunKey, Usage
from caia_replay.core.tape import TapedFault, TapedReply, TapedTurn
from caia_replay.errors import ModelFault, SealBroken
from caia_replay.models.recorded import RecordedModel
from caia_replay.models.tape_player import TapePlayer

KEY = RunKey("t", "clean", "tools", "react", 1)
ASK = [Message("system", "Be exact."), Message("user", "What?")]
REQUEST = json.dumps({"messages": [{"role": message.role, "content": message.content} for message in ASK]})


@dataclass
class Tape:
    """A tape in memory."""

    runs: dict[RunKey, Sequence[TapedTurn]] = field(default_factory=dict)
    broken: bool = False

    def turns(self, key: RunKey) -> Sequence[TapedTurn] | None:
        if self.broken:
            raise SealBroken("differs from what was recorded", where="1.json")
        return self.runs.get(key)

    def nearest(self, key: RunKey) -> str:
        return f"attempt {max(run.attempt for run in self.runs)}" if self.runs else ""


def reply(text: str, status: int = 200) -> TapedReply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body: dict[str, Any] = {
        "choices": [choice],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    return TapedReply(status, "application/json", json.dumps(body))


def streamed(*pieces: str) -> TapedReply:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return TapedReply(200, "text/event-stream; charset=utf-8", "".join(lines) + "data: [DONE]\n\n")


def model(*outcomes: TapedReply | TapedFault) -> RecordedModel:
    """A recorded model with one run, of as many equal requests."""
    return RecordedModel("recorded/x", Tape({KEY: [TapedTurn(REQUEST, outcome) for outcome in outcomes]}))


def test_turns_replay_in_order_without_a_key_or_network() -> None:
    """Equal questions get each turn's own answer, streamed or not; nothing leaves the process."""
    made = model(reply("one"), streamed("t", "wo"), reply("three"))
    with egress_guard():
        session = made.session(KEY, Brief("What?"))
        got = [session.complete(ASK, ()) for _ in range(3)]
        session.close()
    made.close()
    assert [completion.message.content for completion in got] == ["one", "two", "three"]
    assert (got[0].usage, got[0].finish_reason, got[1].usage.reported) == (Usage(7, 3), "stop", False)


def test_it_is_a_model_with_the_price_of_what_was_recorded() -> None:
    """It is no policy, and never handed gold."""
    price = Price("1", "2", "2026-11-01", "a list")
    made = RecordedModel("recorded/x", Tape(), price)
    assert (made.name, made.is_policy, made.needs_gold, made.price) == ("recorded/x", False, False, price)


def test_attempts_have_their_own_answers() -> None:
    """Runs are told apart by their key, at the same time too."""
    keys = [RunKey("t", "clean", "tools", "react", attempt) for attempt in range(1, 6)]
    made = RecordedModel("r", Tape({key: [TapedTurn(REQUEST, reply(f"answer {key.attempt}"))] for key in keys}))
    sessions = [made.session(key, Brief("What?")) for key in keys]
    got = [session.complete(ASK, ()).message.content for session in reversed(sessions)]
    assert got == [f"answer {attempt}" for attempt in (5, 4, 3, 2, 1)]


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (TapedFault("timeout", "no whole answer within 600 s"), "timeout"),
        (TapedFault("connection", "the stream ended early"), "connection"),
        (TapedReply(429, "application/json", '{"error": {"message": "slow down"}}'), "rate_limit"),
        (TapedReply(500, "", ""), "server"),
        (TapedReply(400, "application/json", '{"error": {"code": "context_length_exceeded"}}'), "context_overflow"),
        (TapedReply(200, "text/html", "<html>"), "malformed"),
        (TapedReply(200, "text/event-stream", "data: {}\n\n"), "connection"),
        (TapedReply(307, "", ""), "server"),
        (TapedReply(401, "application/json", '{"error": {"message": "bad key"}}'), "server"),
        (TapedReply(404, "", ""), "server"),
    ],
)
def test_a_recorded_fault_is_the_same_fault(
    outcome: TapedReply | TapedFault, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked once, never a setting for the user to mend: whatever a tape holds ends the run by a named reason."""
    play, asked = TapePlayer.handle_request, []

    def once(player: TapePlayer, request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        if len(asked) > 1:
            pytest.fail("a tape is asked again, after a wait")
        return play(player, request)

    monkeypatch.setattr(TapePlayer, "handle_request", once)
    with pytest.raises(ModelFault) as caught:
        model(outcome).session(KEY, Brief("What?")).complete(ASK, ())
    assert caught.value.reason == reason


def test_a_refused_parameter_on_a_tape_is_no_endless_loop() -> None:
    """A stranger's tape that refuses whatever is sent ends like any other."""
    refusal = TapedReply(400, "application/json", '{"error": {"message": "Unsupported", "param": "temperature"}}')
    with pytest.raises(ModelFault) as caught:
        model(refusal).session(KEY, Brief("What?")).complete(ASK, ())
    assert caught.value.reason == "server"


def test_what_one_run_is_refused_is_asked_for_in_the_next() -> None:
    """A recorded refusal of a role ends its own run, by its own reason; no other run asks otherwise for it."""
    words = {"error": {"message": "Unsupported value: 'system' role", "param": "messages[0].role"}}
    other = RunKey("t", "clean", "tools", "react", 2)
    refusal = TapedTurn(REQUEST, TapedReply(400, "application/json", json.dumps(words)))
    made = RecordedModel("r", Tape({KEY: [refusal], other: [TapedTurn(REQUEST, reply("two"))]}))
    waiting = made.session(other, Brief("What?"))
    with pytest.raises(ModelFault) as caught:
        made.session(KEY, Brief("What?")).complete(ASK, ())
    assert caught.value.reason == "server"
    for session in (waiting, made.session(other, Brief("What?"))):
        assert session._chat is not None and not session._chat._model.refused_parameters  # type: ignore[attr-defined]
        assert session.complete(ASK, ()).message.content == "two"


def test_a_changed_prompt_is_a_miss_that_names_it() -> None:
    """The turn, the message, its role, what was recorded and what was asked."""
    session = model(reply("one"), reply("two")).session(KEY, Brief("What?"))
    session.complete(ASK, ())
    told = r"turn 2: message 2 \(user\): from character 5, recorded 'What\?', asked 'What now\?'"
    with pytest.raises(ModelFault, match=told) as caught:
        session.complete([ASK[0], Message("user", "What now?")], ())
    assert caught.value.reason == "not_recorded"


def test_a_run_or_turn_nobody_recorded_is_a_miss() -> None:
    """With the nearest run that was recorded."""
    made = model(reply("one"))
    other = RunKey("t", "clean", "tools", "react", 2)
    with pytest.raises(ModelFault, match=r"no run of task t, .* attempt 2; nearest: attempt 1") as caught:
        made.session(other, Brief("What?")).complete(ASK, ())
    assert caught.value.reason == "not_recorded"
    session = made.session(KEY, Brief("What?"))
    session.complete(ASK, ())
    with pytest.raises(ModelFault, match="turn 2 was never recorded: the run has 1 turns"):
        session.complete(ASK, ())


def test_a_broken_tape_ends_the_command() -> None:
    """A file that is not as it was recorded is told as such, not as a model's fault."""
    with pytest.raises(SealBroken, match=r"1\.json"):
        RecordedModel("r", Tape(broken=True)).session(KEY, Brief("What?"))


def test_a_closed_session_keeps_nothing() -> None:
    """Closing twice is once."""
    made = model(reply("one"))
    session = made.session(KEY, Brief("What?"))
    session.close()
    session.close()
    with pytest.raises(ModelFault, match="0 turns"):
        session.complete(ASK, ())
