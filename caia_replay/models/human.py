"""A person as a model: the same messages and tools in, one call or one answer out, by way of a page.

A ``Seat`` lies between two threads, the one that plays the runs and the one that serves the page. What a person does is
written into the diary before anything follows from it. So a run that was broken off is played up to where it was, by
what the diary says was done in it, since a frozen world gives the same replies again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Condition
from typing import Any, Final, Literal, Protocol

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, PolicyHints, Price, RunKey, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, Interrupted

HUMAN: Final = "human/"
PLAY: Final = "caia-replay replay --model human/NAME --suite S"
"""How a person plays."""
DECLINED: Final = "not agreed to: nothing was asked, and nothing is kept"
NO_ANSWER: Final = "I give no answer."
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_UNCOUNTED: Final = Usage(0, 0, reported=False)


def require_human_name(name: str) -> None:
    """Raise ``BadInput`` for a ``name`` that is not ``human/`` and a name."""
    if not _NAME.fullmatch(name.removeprefix(HUMAN)):
        what = f"{name!r:.80} is no person's name here: letters, digits, '.', '_' and '-', at most 64"
        raise BadInput(what, where="MODEL", next_command="--model human/ana")


@dataclass(frozen=True, slots=True)
class Said:
    """What a person did in a turn: call the ``tool`` with ``text`` as arguments, answer ``text``, or give no answer."""

    did: Literal["call", "answer", "none"]
    tool: str = ""
    text: str = ""


class Diary(Protocol):
    """Where it is written what a person did, and when."""

    def events(self) -> Sequence[Mapping[str, Any]]:
        """All that was written down so far, in order."""

    def note(self, event: str, key: RunKey | None = None, **more: Any) -> None:
        """Write down one event; it is kept when this returns."""

    def forget_typed(self) -> None:
        """What was typed and not sent belongs to a run that has ended."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person is asked: the conversation as a model gets it, and what may be called. ``id`` says nothing."""

    id: str
    key: RunKey
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]


class Seat:
    """Where one person plays ``total`` runs. ``stopped`` is what the command says when they stop for now."""

    def __init__(self, diary: Diary, total: int, stopped: str) -> None:
        self.diary, self.total, self.done = diary, total, 0
        self._stopped, self._changed = stopped, Condition()
        self._turn: Turn | None = None
        self._said: Said | None = None
        self._is_stopping = False
        self.has_declined = False

    # the run's side

    def said(self, key: RunKey) -> list[Said]:
        """What the diary says was done in a run so far. Raises ``BadInput`` for what nobody can have done."""
        of, found = asdict(key), []
        for event in self.diary.events():
            if event["event"] == "said" and event.get("run") == of:
                did, tool, text = (event.get(name) for name in ("did", "tool", "text"))
                if did not in ("call", "answer", "none") or not isinstance(tool, str) or not isinstance(text, str):
                    raise BadInput(f"in {key.task} the diary says {did!r:.40} was done", where="person.jsonl")
                found.append(Said(did, tool, text))
        return found

    def ask(self, key: RunKey, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Said:
        """Wait for what the person does, for as long as that takes. Raises ``Interrupted`` when they stop for now."""
        with self._changed:
            self._turn = Turn(secrets.token_urlsafe(12), key, tuple(messages), tuple(tools))
            self._said = None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._said is not None or self._is_stopping)
            self._turn = None
            if self._said is None:
                raise Interrupted(DECLINED if self.has_declined else self._stopped)
            return self._said

    def run_ended(self) -> None:
        """One more run has ended, or was there already."""
        with self._changed:
            self.done += 1
            self._changed.notify_all()

    # the page's side

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be asked."""
        return self._is_stopping or self.done >= self.total

    def turn(self, wait_s: float = 0.0) -> Turn | None:
        """What is asked now; waits a while for it. None where nothing is."""
        with self._changed:
            self._changed.wait_for(lambda: (self._turn and self._said is None) or self.is_over, wait_s)
            return None if self._said is not None or self._is_stopping else self._turn

    def say(self, turn: str, said: Said) -> bool:
        """Do something in a turn; whether it is the turn that is asked now."""
        with self._changed:
            now = self._turn
            if now is None or now.id != turn or self._said is not None or self._is_stopping:
                return False
            self.diary.note("said", now.key, **asdict(said))
            self._said = said
            self._changed.notify_all()
            return True

    def stop(self) -> None:
        """Stop for now; the run that is being played goes on with the next command."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    def decline(self) -> None:
        """Agree to nothing: nothing is asked then, and nothing was done that is worth keeping."""
        with self._changed:
            self.has_declined = True
            self.stop()


class HumanModel:
    """A person, by their chosen ``name``, at a ``seat``."""

    is_policy = False
    needs_gold = False
    price: Price | None = None

    def __init__(self, name: str, seat: Seat) -> None:
        self.name = name
        self._seat = seat

    @property
    def identity(self) -> Mapping[str, Any]:
        """The name: a person has no parameters."""
        return {"name": self.name, "parameters": {}}

    def session(self, key: RunKey, brief: PolicyHints) -> HumanSession:
        """One run, begun anew or gone on with. The brief is not for people."""
        return HumanSession(key, self._seat)

    def close(self) -> None:
        """Nothing is open."""


class HumanSession:
    """One run of a person."""

    def __init__(self, key: RunKey, seat: Seat) -> None:
        self._key, self._seat = key, seat
        self._again = seat.said(key)
        self._calls, self._gave_none = 0, False

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """What the person does next; what they did before a stop is taken from the diary. Nobody counts their tokens.

        Raises ``Interrupted`` when they stop for now.
        """
        if self._gave_none:  # an agent asks once more; a person has said it
            return _completion(Message("assistant", NO_ANSWER))
        said = self._again.pop(0) if self._again else self._seat.ask(self._key, messages, tools)
        if said.did == "call":
            self._calls += 1
            return _completion(Message("assistant", "", (ToolCall(f"call_{self._calls}", said.tool, said.text),)))
        if said.did == "answer":
            return _completion(Message("assistant", f"FINAL ANSWER: {' '.join(said.text.split())}"))
        self._gave_none = True
        return _completion(Message("assistant", NO_ANSWER))

    def close(self) -> None:
        """The run has ended: what was typed in it and not sent is of no use."""
        self._seat.diary.forget_typed()


def _completion(message: Message) -> Completion:
    return Completion(message, _UNCOUNTED, "tool_calls" if message.tool_calls else "stop")
