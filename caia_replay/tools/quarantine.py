"""The defence ``quarantine``: what reads like an order in a tool's output is taken out before the agent reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.tools.injection_detector import orders_in

MASK: Final = "[instruction removed]"


class Quarantine:
    """Puts a placeholder in place of every line that reads like an order to a machine: in results, errors and
    descriptions of tools, whatever their class, for a token's name is anybody's text as well (``injection_detector``).

    What the agent's own code printed stays: it was read before it went in. Texts without an order stay as they are.

    What it cannot do. It reads forms, not intentions: an order in words that nobody here thought of, in another
    language, in letters that merely look alike, encoded, or in pieces that only the reader puts together passes. A lie
    is no order. A line that quotes an order, such as a report on injections, is taken out with it.
    """

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        specs = toolset.specs()
        self._tools = frozenset(spec.name for spec in specs)
        self._own = frozenset(spec.name for spec in specs if spec.category == "Execution")

    def specs(self) -> Sequence[ToolSpec]:
        """The tools, without what their descriptions order."""
        return [replace(spec, description=self._cleared(spec.description)) for spec in self._toolset.specs()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The call's reply; the very same where nothing in it is an order."""
        reply = self._toolset.call(name, arguments)
        shown = reply.shown()
        cleared = shown if name in self._own else self._value(shown)
        if cleared == shown:
            return reply
        if reply.result is not None:
            return replace(reply, result=cleared)
        return replace(reply, error=cleared["error"])

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._cleared(value)
        if isinstance(value, Mapping):
            return self._named(value)
        if isinstance(value, (list, tuple)):
            return type(value)(self._value(one) for one in value)
        return value

    def _named(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        """A mapping with its keys read as well; several that were orders are numbered."""
        made: dict[Any, Any] = {}
        for key, one in value.items():
            found = self._cleared(key) if isinstance(key, str) else key
            number = 2
            while found in made:
                found, number = f"{MASK} {number}", number + 1
            made[found] = self._value(one)
        return made

    def _cleared(self, text: str) -> str:
        parts, at = list[str](), 0
        for start, end in orders_in(text, self._tools):
            parts += [text[at:start], MASK]
            at = end
        return "".join([*parts, text[at:]])
