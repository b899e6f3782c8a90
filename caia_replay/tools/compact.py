"""Tools told in fewer words, for models with a small context: the calls and what they answer stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.tools.catalog import CATALOG, WALLET

_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


class Compact:
    """A toolset around another one. Of a description its first sentence is told, of a parameter its name, its type and
    the values it takes."""

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools

    def specs(self) -> Sequence[ToolSpec]:
        """The same tools in the same order."""
        return [compact(spec) for spec in self._tools.specs()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """As the tools themselves."""
        return self._tools.call(name, arguments)


def compact(spec: ToolSpec) -> ToolSpec:
    """A specification without all that a caller could do without; what an attack put below its description stays."""
    known = CATALOG.get(spec.name) or WALLET.get(spec.name)
    own = known.spec.description if known else spec.description
    first = _SENTENCE_END.split(" ".join(own.split()), maxsplit=1)[0]
    return replace(spec, description=first + spec.description.removeprefix(own), parameters=_bare(spec.parameters))


def _bare(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        named = {key: value for key, value in schema.items() if key != "description" or isinstance(value, Mapping)}
        kept = {key: _bare(value) for key, value in named.items()}
        nullable = kept.get("anyOf")
        if isinstance(nullable, list) and len(nullable) == 2 and {"type": "null"} in nullable:
            other = next(one for one in nullable if one != {"type": "null"})
            if set(other) == {"type"} and isinstance(other["type"], str):  # said in one word more, and not in ten
                kept.pop("anyOf")
                kept["type"] = [other["type"], "null"]
        return kept
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema
