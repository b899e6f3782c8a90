"""A tool call: its specification, how it was served, and what the model is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol

Authority = Literal["authoritative", "open-web", "social"]


class Served(StrEnum):
    """The class of a served call. ``ERROR`` is a call that was wrong in itself and asked nothing."""

    HIT = "HIT"
    DERIVED = "DERIVED"
    FORK = "FORK"
    RANKED = "RANKED"
    COMPUTED = "COMPUTED"
    MISS = "MISS"
    ERROR = "ERROR"


UNAVAILABLE: Final[Mapping[str, str]] = MappingProxyType(
    {"type": "unavailable", "message": "This is unavailable. Try another way."}
)
"""What a model is told of every miss. It is the same for all of them, so that it says nothing of what is recorded."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What an agent is told of a tool. ``parameters`` is a strict JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    category: str
    authority: Authority


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The outcome of one call. Exactly one of ``result`` and ``error`` is not None.

    The ``error`` of a miss says what is not recorded, for people and records; the model is shown ``UNAVAILABLE``.

    ``altered_by`` names the attacks that touched the call, ``altered_at`` the places of what they planted and the call
    handed out; the model never sees either, nor ``served``.
    ``nearest`` explains a miss to people; the model never sees it either.
    """

    served: Served
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    altered_by: tuple[str, ...] = ()
    nearest: str = ""
    altered_at: tuple[str, ...] = ()

    def shown(self) -> Mapping[str, Any]:
        """What the model sees: the result, or ``{"error": {...}}``."""
        if self.served is Served.MISS:
            return {"error": dict(UNAVAILABLE)}
        return self.result if self.result is not None else {"error": self.error}


class Tool(Protocol):
    """One of the 23, bound to one task's world."""

    @property
    def spec(self) -> ToolSpec: ...

    def call(self, arguments: str) -> ToolReply:
        """Serve one call; ``arguments`` is the model's JSON text, taken as data."""


class Toolset(Protocol):
    """What an agent is given: some tools of one task's world. Wrappers wrap a Toolset."""

    def specs(self) -> Sequence[ToolSpec]: ...

    def call(self, name: str, arguments: str) -> ToolReply:
        """Serve a call by name; an unknown name is an ``ERROR`` reply, not an exception."""


def objection_to(toolset: Toolset, answer: str) -> str:
    """Why a defence within ``toolset`` lets an answer not pass, in words for the agent; "" where it does, or where none
    judges answers."""
    judge = getattr(toolset, "objection", None)
    return "" if judge is None else str(judge(answer))
