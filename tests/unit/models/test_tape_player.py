"""The transport that plays tapes."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from caia_replay.core.model import RunKey
from caia_replay.core.tape import TapedFault, TapedReply, TapedTurn
from caia_replay.errors import ModelFault
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, run_text
from caia_replay.models.tape_player import TapePlayer

KEY = RunKey("t", "clean", "tools", "react", 1)
ASKED = {"messages": [{"role": "user", "content": "x"}]}
TURNS = (
    TapedTurn(json.dumps(ASKED), TapedReply(200, "application/json", '"é"')),
    TapedTurn(json.dumps(ASKED), TapedFault("timeout", "too late")),
    TapedTurn("", TapedReply(503, "", "busy")),
)


def ask(player: TapePlayer, turn: Any, key: RunKey = KEY, body: Any = ASKED) -> httpx2.Response:
    """One request, of the given run and turn."""
    headers = {RUN_HEADER: run_text(key), TURN_HEADER: str(turn)}
    with httpx2.Client(transport=player) as client:
        return client.post("http://tape.invalid/v1/chat/completions", json=body, headers=headers)


@pytest.fixture
def player() -> TapePlayer:
    """A player of one run."""
    made = TapePlayer()
    made.put(KEY, TURNS)
    return made


def test_a_turn_gets_its_reply(player: TapePlayer) -> None:
    """By its number, as often as it is asked, with status, type and bytes as recorded."""
    for _ in range(2):
        got = ask(player, 1)
        assert (got.status_code, got.headers["content-type"], got.content) == (200, "application/json", '"é"'.encode())
    last = ask(player, 3, body={"messages": []})  # recorded before any request was made
    assert (last.status_code, last.text) == (503, "busy") and "content-type" not in last.headers


def test_a_fault_is_raised_again(player: TapePlayer) -> None:
    """With its reason and words."""
    with pytest.raises(ModelFault, match="too late") as caught:
        ask(player, 2)
    assert caught.value.reason == "timeout"


@pytest.mark.parametrize(
    ("turn", "key", "body", "told"),
    [
        (4, KEY, ASKED, "turn 4 was never recorded: the run has 3 turns"),
        (0, KEY, ASKED, "turn 0 was never recorded"),
        ("x", KEY, ASKED, "names no run"),
        (1, RunKey("t", "clean", "tools", "react", 2), ASKED, "turn 1 was never recorded: the run has 0 turns"),
        (1, KEY, {"messages": [{"role": "user", "content": "y"}]}, "turn 1: message 1 .user.: from character 1"),
        (2, KEY, {"messages": []}, "turn 2: message 1 .user. was recorded and is not asked"),
    ],
)
def test_what_nobody_recorded_is_a_typed_miss(player: TapePlayer, turn: Any, key: RunKey, body: Any, told: str) -> None:
    """Another turn, another run, another question; also where a fault was recorded."""
    with pytest.raises(ModelFault, match=told) as caught:
        ask(player, turn, key, body)
    assert caught.value.reason == "not_recorded"


def test_a_dropped_run_is_forgotten(player: TapePlayer) -> None:
    """Nothing of a run that is over stays."""
    player.drop(KEY)
    player.drop(KEY)
    with pytest.raises(ModelFault, match="0 turns"):
        ask(player, 1)
