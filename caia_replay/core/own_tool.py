"""Tools that a suite brings itself: each is one request to an HTTP API, as data in the world's ``tools.toml``.

catalog = ["code_execution"]        # which of the package's tools stand beside; left out: all of them

[[tool]]
name = "loan"
description = "One loan by its number."
authority = "authoritative"
url = "https://api.library.example/loans/{number}"
show = "$.title"

[tool.parameters.number]
type = "integer"
description = "The loan's number."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from caia_replay.core.tool import Authority

ParameterType = Literal["text", "integer", "number", "boolean"]

GAP: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""Where an argument goes in a template."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_NOT_OURS: Final = frozenset({"read_question", "submit_answer"})
"""Names that the MCP server has for itself."""
_URL: Final = re.compile(r"https?://([^/?#\s]+)(?:/[^?#\s]*)?")
_PLACE: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_-]*)|\['([^']+)'\]|\[(\d+)\]|(\.\*|\[\*\])")


@dataclass(frozen=True, slots=True)
class OwnParameter:
    """One parameter. Without ``required`` an agent may leave it out, and what it would fill is left out too."""

    type: ParameterType
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class OwnTool:
    """One tool and its request. ``{name}`` in ``url``, ``query`` and ``body`` stands for an argument; a text of
    ``body`` that is nothing else becomes the argument with its type. ``body`` is sent as JSON.

    ``show`` selects from the reply's JSON: ``$``, then ``.name``, ``['name']``, ``[0]`` and ``[*]``. With a ``[*]`` it
    is a list. "" shows the whole body as text.

    Raises ``ValueError`` for what could never be asked.
    """

    name: str
    description: str
    authority: Authority
    url: str
    method: Literal["GET", "POST"] = "GET"
    query: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    body: Mapping[str, Any] | None = None
    show: str = ""
    category: str = "Own tools"
    parameters: Mapping[str, OwnParameter] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise ValueError(f"tool {self.name!r:.80}: {fault}")

    def places(self) -> tuple[tuple[str | int | None, ...], bool]:
        """The steps of ``show``, None for a ``[*]``; and whether it selects a list. "" has none."""
        parts = _PLACE.findall(self.show[1:])
        steps = [None if star else int(at) if at else name or quoted for name, quoted, at, star in parts]
        return tuple(steps), None in steps

    def _faults(self) -> Iterator[str]:
        if not _NAME.fullmatch(self.name) or self.name in _NOT_OURS:
            yield "its name is not of a-z, 0-9 and _, or is taken"
        for name in self.parameters:
            if not _NAME.fullmatch(name) or name == "world":
                yield f"parameter {name!r:.80} is not of a-z, 0-9 and _, or is taken"
        if not self.description.strip():
            yield "its description is empty"
        address = _URL.fullmatch(self.url)
        if address is None:
            yield "url is no https://host/path; what follows a ? goes to [tool.query]"
        elif "@" in address[1] or GAP.search(address[1]):
            yield "the host of url is to be a plain name: no user, no parameter"
        if self.body is not None and self.method == "GET":
            yield 'a GET has no body; next: method = "POST"'
        if self.show and not (self.show[0] == "$" and _PLACE.sub("", self.show[1:]) == ""):
            yield f"show is {self.show!r:.80}, and understood are $, .name, ['name'], [0] and [*]"
        yield from self._gap_faults()

    def _gap_faults(self) -> Iterator[str]:
        in_path = set(GAP.findall(self.url))
        used = in_path | {name for text in texts_of([self.query, self.body]) for name in GAP.findall(text)}
        for name in sorted(used - self.parameters.keys()):
            yield f"{{{name}}} is no parameter"
        for name in sorted(self.parameters.keys() - used):
            yield f"parameter {name!r} is used nowhere"
        for name in sorted(in_path):
            if not self.parameters[name].required:
                yield f"parameter {name!r} stands in the url, so it cannot be left out"


@dataclass(frozen=True, slots=True)
class OwnTools:
    """tools.toml: the suite's own tools, and which of the package's stand beside them, None for all."""

    tool: tuple[OwnTool, ...] = ()
    catalog: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        names = [one.name for one in self.tool]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two tools are called {name!r}")


def texts_of(value: Any) -> Iterator[str]:
    """Every text in plain data, at any depth; not the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from texts_of(child)
