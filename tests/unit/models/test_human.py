"""A person as a model: what their acts become, what a diary gives back, and what nobody can ask of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, PolicyHints, RunKey
from caia_replay.errors import BadInput, Interrupted
from caia_replay.models.human import NO_ANSWER, HumanModel, Said, Seat
from caia_replay.models.resolve import endpoint_hosts, endpoint_of, resolve_model

KEY = RunKey("t", "clean", "tools", "react", 1)
ASKED = (Message("system", "s"), Message("user", "q"))


class Book:
    """A diary in memory."""

    def __init__(self, *said: Said, key: RunKey = KEY) -> None:
        self.noted: list[dict[str, Any]] = [{"event": "said", "run": asdict(key), **asdict(one)} for one in said]

    def events(self) -> list[dict[str, Any]]:
        return self.noted

    def note(self, event: str, key: RunKey | None = None, **more: Any) -> None:
        self.noted.append({"event": event, "run": None if key is None else asdict(key), **more})

    def forget_typed(self) -> None:
        self.noted.append({"event": "forgotten"})


def asked(seat: Seat, acts: Sequence[Said]) -> list[Completion]:
    """What a session completes with while a person at the seat does these acts."""
    session = HumanModel("human/ana", seat).session(KEY, PolicyHints("q"))

    def person() -> None:
        for act in acts:
            turn = seat.turn(30)
            assert turn is not None and turn.messages == ASKED
            assert seat.say(turn.id, act)

    thread = threading.Thread(target=person)
    thread.start()
    found = [session.complete(ASKED, ()) for _ in acts]
    thread.join()
    return found


def test_acts_become_completions() -> None:
    """A call is a tool call with its number, an answer the line of the contract, and nobody counts tokens."""
    book = Book()
    first, second, third = asked(
        Seat(book, 1, ""), [Said("call", "a", "{}"), Said("call", "b", "[]"), Said("answer", text=" 1\n2 ")]
    )
    assert [(one.message.tool_calls[0].id, one.message.tool_calls[0].name) for one in (first, second)] == [
        ("call_1", "a"),
        ("call_2", "b"),
    ]
    assert (first.finish_reason, third.message.content, third.finish_reason) == (
        "tool_calls",
        "FINAL ANSWER: 1 2",
        "stop",
    )
    assert (third.usage.prompt_tokens, third.usage.completion_tokens, third.usage.reported) == (0, 0, False)
    assert [one["did"] for one in book.noted] == ["call", "call", "answer"]


def test_a_diary_says_again_what_was_said() -> None:
    """A run goes on after its own acts in the diary and asks only then; acts of other runs do not count."""
    other = Book(Said("answer", text="9"), key=RunKey("t", "attacked", "tools", "react", 1)).noted
    book = Book(Said("call", "a", "{}"))
    book.noted += other
    seat = Seat(book, 1, "")
    session = HumanModel("human/ana", seat).session(KEY, PolicyHints("q"))
    assert session.complete(ASKED, ()).message.tool_calls[0].name == "a"
    seat.stop()
    with pytest.raises(Interrupted):
        session.complete(ASKED, ())


def test_no_answer_is_said_again_to_a_reminder() -> None:
    """A person who has no answer is not asked a second time by the agent's reminder."""
    seat = Seat(Book(Said("none")), 1, "")
    session = HumanModel("human/ana", seat).session(KEY, PolicyHints("q"))
    assert [session.complete(ASKED, ()).message.content for _ in range(2)] == [NO_ANSWER] * 2


def test_an_act_counts_in_its_own_turn_alone() -> None:
    """Of two acts in one turn the first counts; none does when nothing is asked, or after a stop."""
    book = Book()
    seat = Seat(book, 1, "stopped")
    assert not seat.say("x", Said("none"))
    done: list[Said] = []
    thread = threading.Thread(target=lambda: done.append(seat.ask(KEY, ASKED, ())))
    thread.start()
    turn = seat.turn(30)
    assert turn is not None
    assert not seat.say("x", Said("none"))
    assert seat.say(turn.id, Said("answer", text="1"))
    assert not seat.say(turn.id, Said("answer", text="2"))
    thread.join()
    assert done == [Said("answer", text="1")] and len(book.noted) == 1
    seat.stop()
    assert seat.is_over and seat.turn() is None
    with pytest.raises(Interrupted, match="stopped"):
        seat.ask(KEY, ASKED, ())


@pytest.mark.parametrize("change", [{"did": "win"}, {"text": 1}, {"tool": None}])
def test_a_diary_of_impossible_acts_is_refused(change: dict[str, Any]) -> None:
    """What nobody can have done is one line that names the task."""
    book = Book(Said("answer", text="1"))
    book.noted[0] |= change
    with pytest.raises(BadInput, match="in t the diary says"):
        HumanModel("human/ana", Seat(book, 1, "")).session(KEY, PolicyHints("q"))


def test_nobody_but_a_replay_asks_a_person() -> None:
    """A person has no endpoint and no host, and whoever resolves the name is told where people play."""
    assert endpoint_hosts("human/ana", {}) == frozenset()
    for ask in (resolve_model, endpoint_of):
        with pytest.raises(BadInput, match=r"is a person.*caia-replay replay --model human/NAME"):
            ask("human/ana", {})
