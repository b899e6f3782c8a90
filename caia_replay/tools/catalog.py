"""The one catalog: every tool, its specification from its own signature, and calls by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from caia_replay.core.tool import Authority, Served, Tool, ToolReply, ToolSpec
from caia_replay.errors import Miss, ToolError, nearest, one_line
from caia_replay.tools.call_view import CallView
from caia_replay.tools.contract import data_query
from caia_replay.tools.discovery import url_fetching, web_search
from caia_replay.tools.onchain import balance_query, block_query, transaction_query
from caia_replay.world.world import TaskWorld

ToolFunction = Callable[..., dict[str, Any]]


class _Arguments(BaseModel):
    """What every tool's arguments have in common.

    Unknown ones are refused, null means the default, and true is no number. Strict schemas have no
    optional parameter, so models send null for what they leave to the tool.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _null_is_default(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        for name, field in cls.model_fields.items():
            if isinstance(data.get(name), bool) and bool not in (field.annotation, *get_args(field.annotation)):
                raise PydanticCustomError("boolean", "{name} takes no true or false", {"name": name})
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {name: value for name, value in data.items() if value is not None or name not in optional}


@dataclass(frozen=True)
class CatalogTool:
    """One tool: a typed function whose signature and docstring are its schema."""

    function: ToolFunction
    category: str
    authority: Authority

    @property
    def name(self) -> str:
        """The function's own name; there is no other."""
        return self.function.__name__

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The function's parameters after ``world`` as a pydantic model that refuses unknown ones."""
        hints = get_type_hints(self.function, include_extras=True)
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        fields: dict[str, Any] = {
            found.name: (hints[found.name], ... if found.default is found.empty else found.default)
            for found in parameters
        }
        return create_model(self.name, __base__=_Arguments, **fields)

    @cached_property
    def spec(self) -> ToolSpec:
        """What an agent is told; the schema is in OpenAI's strict form (all required, nothing else allowed)."""
        description = inspect.cleandoc(self.function.__doc__ or "")
        schema = _strict(self.arguments.model_json_schema())
        return ToolSpec(self.name, description, schema, self.category, self.authority)

    def call(self, world: TaskWorld, text: str) -> ToolReply:
        """Serve one call with the model's JSON text as arguments. Misses and tool errors become replies."""
        view = CallView(world)
        try:
            arguments = self.arguments.model_validate_json(text or "{}")
        except ValidationError as fault:
            return error_reply("invalid_arguments", _first(fault))
        try:
            values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
            result = self.function(view, **values)
            return ToolReply(view.served, result, None, view.altered_by)
        except Miss as miss:
            shown = {"type": "not_recorded", "kind": miss.detail.kind, "message": f"not recorded: {miss.detail.wanted}"}
            return ToolReply(Served.MISS, None, shown, view.altered_by, miss.detail.nearest)
        except ToolError as fault:
            return error_reply("tool_error", str(fault), view.altered_by)


CATALOG: Mapping[str, CatalogTool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            CatalogTool(web_search, "Discovery", "open-web"),
            CatalogTool(url_fetching, "Discovery", "open-web"),
            CatalogTool(data_query, "On-chain", "authoritative"),
            CatalogTool(balance_query, "On-chain", "authoritative"),
            CatalogTool(transaction_query, "On-chain", "authoritative"),
            CatalogTool(block_query, "On-chain", "authoritative"),
        )
    }
)


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool of the catalog in one task's world: core's ``Tool``."""

    tool: CatalogTool
    world: TaskWorld

    @property
    def spec(self) -> ToolSpec:
        """The catalog's specification."""
        return self.tool.spec

    def call(self, arguments: str) -> ToolReply:
        """Serve one call; ``arguments`` is the model's JSON text."""
        return self.tool.call(self.world, arguments)


class WorldToolset:
    """Tools of the catalog bound to one task's world; ``names`` narrows them, an empty one gives none."""

    def __init__(self, world: TaskWorld, names: Iterable[str] | None = None) -> None:
        chosen = CATALOG if names is None else names
        self._tools: dict[str, Tool] = {name: BoundTool(CATALOG[name], world) for name in chosen}

    def specs(self) -> Sequence[ToolSpec]:
        """The specifications in catalog order."""
        return [tool.spec for tool in self._tools.values()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """Serve a call; an unknown name is an ``ERROR`` reply that names the nearest tool."""
        tool = self._tools.get(name)
        if tool is None:
            message = f"no tool {name[:80]!r}; nearest: {nearest(name, self._tools) or ', '.join(self._tools)}"
            return error_reply("unknown_tool", message)
        return tool.call(arguments)


def error_reply(kind: str, message: str, altered_by: tuple[str, ...] = ()) -> ToolReply:
    """A call that was wrong in itself, as the model is told of it."""
    return ToolReply(Served.ERROR, None, {"type": kind, "message": one_line(message)}, altered_by)


def _first(fault: ValidationError) -> str:
    found = fault.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in found["loc"]) or "arguments"
    return f"{place}: {found['msg']}"


def _strict(schema: Any) -> Any:
    """A pydantic schema in OpenAI's strict subset: no titles or defaults, every property required."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _strict(item) for key, item in schema.items() if key not in ("default", "title")}
    if schema.get("type") == "object":
        properties = {name: _strict(item) for name, item in schema["properties"].items()}
        kept |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return kept
