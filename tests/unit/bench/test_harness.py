"""The rows of the harness, and what stands behind each."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.bench import harness
from caia_replay.bench.harness import PEERS, Clients, conversation, inspect_ms
from tests.peer_python import peer_python


def test_every_row_is_there_beside_its_floor(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours is held to its limit, the peer's row is left out where it is not installed, and all figures are positive."""
    monkeypatch.setattr(harness, "_ROUNDS", 2)
    monkeypatch.setattr(harness, "PEERS", Path("nowhere"))
    rows = list(harness.rows(str(shipped)))
    assert [row.name for row in rows] == [
        "a run beyond client and tools",
        "a run of three calls, all of it",
        "4 completions by create(), 23 tools",
    ]
    assert (rows[0].floor, rows[0].limit) == (5.0, 1.0)
    assert all(row.value > 0 and row.floor > 0 for row in rows[1:])


RECORD = {
    "prompt": [{"role": "user", "content": "What?"}],
    "steps": [
        {
            "kind": "model", "content": "", "finish_reason": "tool_calls", "prompt_tokens": 2, "completion_tokens": 1,
            "tool_calls": [{"id": "c", "name": "time_conversion", "arguments": "{}"}],
        },
        {"kind": "tool", "call_id": "c", "shown": {"unix": 1}},
        {
            "kind": "model", "content": "FINAL ANSWER: 1", "finish_reason": "stop", "prompt_tokens": 9,
            "completion_tokens": 4, "tool_calls": [],
        },
    ],
}  # fmt: skip


def test_the_client_is_asked_what_the_run_asked() -> None:
    """A record gives each turn's messages back, the last with the tool's result; both ways of asking take them."""
    requests, replies = conversation(RECORD)
    assert [len(messages) for messages in requests] == [1, 3] and len(replies) == 2
    assert requests[1][2] == {"role": "tool", "tool_call_id": "c", "content": '{"unix":1}'}
    clients = Clients(RECORD)
    clients.post()
    clients.create()
    clients.close()


def test_inspect_ai_plays_its_sample() -> None:
    """The peer really runs, in its own environment; without it there is no figure."""
    assert peer_python().parts[-len(PEERS.parts) :] == PEERS.parts
    milliseconds = inspect_ms(peer_python(), 2)
    assert milliseconds is not None and milliseconds > 0
    assert inspect_ms(Path("nowhere"), 2) is None
