"""Tapes that play: no key, no network, and a miss that says what to look at."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from caia_replay.cassette.egress import egress_guard
from caia_replay.core.model import PolicyHints, RunKey, Usage
from caia_replay.core.tape import TapedFault, TapedReply, TapedTurn
from caia_replay.errors import ModelFault, SealBroken
from caia_replay.models.recorded import RecordedModel, TapePlayer
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, run_text
from tests.unit.models.conftest import ASK, Tape, completion, delta, sse

KEY = RunKey("t", "clean", "tools", "react", 1)
REQUEST = json.dumps({"messages": [{"role": message.role, "content": message.content} for message in ASK]})


def reply(text: str, status: int = 200) -> TapedReply:
    return TapedReply(status, "application/json", json.dumps(completion({"content": text})))


def model(*outcomes: TapedReply | TapedFault) -> RecordedModel:
    """A recorded model with one run, of as many equal requests."""
    return RecordedModel("recorded/x", Tape({KEY: [TapedTurn(REQUEST, outcome) for outcome in outcomes]}))


def test_turns_replay_in_order_without_a_key_or_network() -> None:
    """Equal questions get each turn's own answer, streamed or not; closed, twice or once, a session keeps nothing."""
    stream = sse(delta({"content": "t"}), delta({"content": "wo"}), delta({}, "stop")).decode()
    made = model(reply("one"), TapedReply(200, "text/event-stream; charset=utf-8", stream), reply("three"))
    with egress_guard():
        session = made.session(KEY, PolicyHints("What?"))
        got = [session.complete(ASK, ()) for _ in range(3)]
        session.close()
        session.close()
        with pytest.raises(ModelFault, match="0 turns"):
            session.complete(ASK, ())
    made.close()
    assert [completion.message.content for completion in got] == ["one", "two", "three"]
    assert (got[0].usage, got[0].finish_reason, got[1].usage.reported) == (Usage(7, 3), "stop", False)


def test_a_broken_tape_ends_the_command() -> None:
    """A tape that is not as it was recorded is no model's fault."""
    with pytest.raises(SealBroken, match=r"1\.json"):
        RecordedModel("r", Tape(broken=True)).session(KEY, PolicyHints("What?"))


REFUSAL = TapedReply(400, "application/json", '{"error": {"message": "Unsupported", "param": "temperature"}}')


@pytest.mark.parametrize(("outcome", "reason"), [
    (TapedFault("timeout", "no whole answer within 600 s"), "timeout"),
    (TapedFault("connection", "the stream ended early"), "connection"),
    (TapedReply(429, "application/json", '{"error": {"message": "slow down"}}'), "rate_limit"),
    (TapedReply(400, "application/json", '{"error": {"code": "context_length_exceeded"}}'), "context_overflow"),
    (TapedReply(200, "text/html", "<html>"), "malformed"),
    (TapedReply(200, "text/event-stream", "data: {}\n\n"), "connection"),
    (TapedReply(401, "application/json", '{"error": {"message": "bad key"}}'), "server"),
    (TapedReply(500, "", ""), "server"), (TapedReply(307, "", ""), "server"), (TapedReply(404, "", ""), "server"),
    (REFUSAL, "server"),
], ids=range(11))  # fmt: skip
def test_a_recorded_fault_is_the_same_fault(
    outcome: TapedReply | TapedFault, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked once (but for a refused parameter), never a setting to mend: a run ends by a named reason."""
    play, asked = TapePlayer.handle_request, []

    def once(player: TapePlayer, request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        if len(asked) > 1 and outcome != REFUSAL:
            pytest.fail("a tape is asked again, after a wait")
        return play(player, request)

    monkeypatch.setattr(TapePlayer, "handle_request", once)
    with pytest.raises(ModelFault) as caught:
        model(outcome).session(KEY, PolicyHints("What?")).complete(ASK, ())
    assert caught.value.reason == reason


def test_what_one_run_is_refused_is_asked_for_in_the_next() -> None:
    """A recorded refusal of a role ends its own run, by its own reason; no other run asks otherwise for it."""
    words = {"error": {"message": "Unsupported value: 'system' role", "param": "messages[0].role"}}
    other = RunKey("t", "clean", "tools", "react", 2)
    refusal = TapedTurn(REQUEST, TapedReply(400, "application/json", json.dumps(words)))
    made = RecordedModel("r", Tape({KEY: [refusal], other: [TapedTurn(REQUEST, reply("two"))]}))
    waiting = made.session(other, PolicyHints("What?"))
    with pytest.raises(ModelFault) as caught:
        made.session(KEY, PolicyHints("What?")).complete(ASK, ())
    assert caught.value.reason == "server"
    for session in (waiting, made.session(other, PolicyHints("What?"))):
        assert session._chat is not None and not session._chat._model.refused_parameters  # type: ignore[attr-defined]
        assert session.complete(ASK, ()).message.content == "two"


def test_a_run_nobody_recorded_is_a_miss() -> None:
    """With the nearest run that was recorded."""
    other = RunKey("t", "clean", "tools", "react", 2)
    with pytest.raises(ModelFault, match=r"no run of task t, .* attempt 2; nearest: attempt 1") as caught:
        model(reply("one")).session(other, PolicyHints("What?")).complete(ASK, ())
    assert caught.value.reason == "not_recorded"


ASKED = {"messages": [{"role": "user", "content": "x"}]}
TURNS = (
    TapedTurn(json.dumps(ASKED), TapedReply(200, "application/json", '"é"')),
    TapedTurn(json.dumps(ASKED), TapedFault("timeout", "too late")),
    TapedTurn("", TapedReply(503, "", "busy")),
)


def play_turn(player: TapePlayer, turn: Any, key: RunKey = KEY, body: Any = ASKED) -> httpx2.Response:
    """One request, of the given run and turn."""
    headers = {RUN_HEADER: run_text(key), TURN_HEADER: str(turn)}
    with httpx2.Client(transport=player) as client:
        return client.post("http://tape.invalid/v1/chat/completions", json=body, headers=headers)


@pytest.fixture
def player() -> TapePlayer:
    made = TapePlayer()
    made.put(KEY, TURNS)
    return made


def test_what_nobody_recorded_is_a_typed_miss(player: TapePlayer) -> None:
    """Another turn, another run, another question; also where a fault was recorded; nothing stays of a dropped run."""
    other = {"messages": [{"role": "user", "content": "y"}]}

    def miss(told: str, turn: Any, key: RunKey = KEY, body: Any = ASKED) -> None:
        with pytest.raises(ModelFault, match=told) as caught:
            play_turn(player, turn, key, body)
        assert caught.value.reason == "not_recorded"

    miss("turn 4 was never recorded: the run has 3 turns", 4)
    miss("turn 0 was never recorded", 0)
    miss("names no run", "x")
    miss("turn 1 was never recorded: the run has 0 turns", 1, RunKey("t", "clean", "tools", "react", 2))
    miss("turn 1: message 1 .user.: from character 1", 1, body=other)
    miss("turn 2: message 1 .user. was recorded and is not asked", 2, body={"messages": []})
    player.drop(KEY)
    player.drop(KEY)
    miss("0 turns", 1)
