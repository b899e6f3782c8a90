"""The model of an external agent, and the run that its program plays.

The model is never asked by us: it is known by the name it was given. A ``ClientRun`` lies between two threads, the one
that plays the run and the one that speaks with the program; calls are executed one at a time, in the order they came.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Final

from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, PolicyHints, Price, RunKey, Usage
from caia_replay.core.tool import ToolReply, ToolSpec
from caia_replay.errors import BadInput, Interrupted, ModelFault

EXTERNAL: Final = "external/"
SERVE: Final = "caia-replay serve tools --name NAME"
"""How an external agent plays."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST_WAITING: Final = 64


def external_name(name: str) -> str:
    """The model's label of the agent called ``name``. Raises ``BadInput`` for what is no name."""
    if not _NAME.fullmatch(name):
        what = f"{name!r:.80} is no name: letters, digits, '.', '_' and '-', at most 64"
        raise BadInput(what, where="--name", next_command="--name my-agent")
    return EXTERNAL + name


class RunOver(Exception):
    """The run has ended by ``stop``; nothing more can be asked in it. "" where the whole command ends."""

    def __init__(self, stop: str) -> None:
        super().__init__(stop)
        self.stop = stop


class TooMany(Exception):
    """More is asked at once than is kept waiting."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a client is told as its run begins."""

    question: str
    tools: tuple[ToolSpec, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call, or a ``text`` that is submitted; a ``fault`` ends the run instead."""

    name: str = ""
    arguments: str = ""
    text: str | None = None
    fault: Exception | None = None
    reply: Future[ToolReply] = field(default_factory=Future)


class ClientRun:
    """One run in the hands of one client: a ``ClientSession`` for the thread that plays it.

    ``id`` is a secret that names it to its client. ``offered`` and ``ended`` are set as the run begins and once its
    outcome is kept; both raise ``RunOver`` where it was broken off.
    """

    def __init__(self, idle_s: float) -> None:
        self.id = secrets.token_urlsafe(24)
        self.idle_s = idle_s
        self.calls = 0
        self.offered: Future[Offer] = Future()
        self.ended: Future[str] = Future()
        self._asked = SimpleQueue[_Asked]()
        self._lock = Lock()
        self._over: str | None = None
        """The stop reason, from when it is sure; "" where the run is broken off."""
        self._now: _Asked | None = None
        self._submitted = ""

    # the client's side

    @property
    def over(self) -> str | None:
        """Why nothing more can be asked; None while it can."""
        return self._over

    def call(self, name: str, arguments: str) -> Future[ToolReply]:
        """Call a tool. Raises ``RunOver``, and ``TooMany`` where calls are on their way already."""
        asked = _Asked(name, arguments)
        self._ask(asked)
        return asked.reply

    def submit(self, text: str) -> Future[str]:
        """End the run with an answer; ``ended``. Raises ``RunOver`` where that was done before."""
        whole = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be written down
        self._ask(_Asked(text=whole), over="answered")
        return self.ended

    def leave(self, why: str) -> Future[str]:
        """End the run without an answer; ``ended``."""
        self._ask(_Asked(fault=ModelFault("gone", why)), over="client_gone")
        return self.ended

    def _ask(self, asked: _Asked, over: str | None = None) -> None:
        with self._lock:
            if self._over is not None:
                raise RunOver(self._over)
            if over is None and self._asked.qsize() >= _MOST_WAITING:
                raise TooMany
            self._over = over
            self._asked.put(asked)

    # the run's side

    def open(self, question: str, tools: Sequence[ToolSpec]) -> None:
        """As ``ClientSession``."""
        _settle(self.offered, Offer(question, tuple(tools)))

    def next_call(self, reply: ToolReply | None) -> ToolCall | None:
        """As ``ClientSession``. The clock runs while there is nothing to do."""
        if self._now is not None and reply is not None:
            _settle(self._now.reply, reply)
        while True:
            try:
                self._now = asked = self._asked.get(timeout=self.idle_s)
            except Empty:
                raise ModelFault("gone", f"nothing was asked for {self.idle_s:g} s") from None
            if asked.fault is not None:
                raise asked.fault
            if asked.text is not None:
                self._submitted = asked.text
                return None
            if asked.reply.set_running_or_notify_cancel():
                self.calls += 1
                return ToolCall(f"call_{self.calls}", asked.name, asked.arguments)

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """What was submitted; nobody has counted what it took."""
        return Completion(Message("assistant", self._submitted), Usage(0, 0, reported=False), "unknown")

    def close(self) -> None:
        """Nothing is open."""

    def end(self, stop: str) -> None:
        """The run has ended by ``stop`` and is kept; "" breaks it off, as if it had never been begun. Who waits is
        told."""
        with self._lock:
            self._over = stop
        left = [self._now] if self._now is not None else []
        with suppress(Empty):
            while True:
                left.append(self._asked.get_nowait())
        if not stop:
            self._asked.put(_Asked(fault=Interrupted("the command was stopped")))
        for one in left:
            _settle(one.reply, fault=RunOver(stop))
        _settle(self.offered, fault=RunOver(stop))
        _settle(self.ended, stop) if stop else _settle(self.ended, fault=RunOver(stop))


def _settle(future: Future[Any], value: Any = None, fault: Exception | None = None) -> None:
    """Unless it is settled already: a run may end while its last call is answered."""
    with suppress(InvalidStateError):
        future.set_result(value) if fault is None else future.set_exception(fault)


class ExternalModel:
    """An external agent's model, by the ``name`` it was given; with a ``run``, the one that is played."""

    is_policy = False
    needs_gold = False
    price: Price | None = None

    def __init__(self, name: str, run: ClientRun | None = None) -> None:
        self.name = name
        self._run = run

    @property
    def identity(self) -> Mapping[str, Any]:
        """Its name: nobody here sees what it is asked with."""
        return {"name": self.name, "parameters": {}}

    def session(self, key: RunKey, brief: PolicyHints) -> ClientRun:
        """The run that its client plays."""
        assert self._run is not None, "no client has taken this run"
        return self._run

    def close(self) -> None:
        """Nothing is open."""
