"""The one catalog: every tool, its specification from its own signature, and calls by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType, TracebackType
from typing import Any, Final, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.execution import Sent
from caia_replay.core.own_tool import OwnTools
from caia_replay.core.tool import Authority, Served, Tool, ToolReply, ToolSpec
from caia_replay.errors import BadInput, Miss, ToolError, nearest, one_line
from caia_replay.store.plain import build, thawed
from caia_replay.store.world_folder import TOOLS, WorldFolder
from caia_replay.tools.activity import network_activity
from caia_replay.tools.balance import balance_query
from caia_replay.tools.block import block_query
from caia_replay.tools.code_execution import code_execution
from caia_replay.tools.contract import data_query
from caia_replay.tools.discovery import url_fetching, web_search
from caia_replay.tools.flow import exchange_overview, exchange_summary, revenue_analysis
from caia_replay.tools.own_tool import function_of
from caia_replay.tools.positioning import positioning_analysis
from caia_replay.tools.price import price_feed
from caia_replay.tools.protocol import protocol_metrics
from caia_replay.tools.ranking import ranking_query
from caia_replay.tools.release import release_schedule
from caia_replay.tools.social import social_stream, twitter_search
from caia_replay.tools.supply import supply_query
from caia_replay.tools.technical import indicator_analysis
from caia_replay.tools.textual import from_text, whole_json
from caia_replay.tools.time_conversion import time_conversion
from caia_replay.tools.tool_context import Session, ToolContext
from caia_replay.tools.transaction import transaction_query
from caia_replay.tools.trend import trend_detection
from caia_replay.tools.volatility import volatility_alerts
from caia_replay.tools.wallet import read_contract, send_transaction, wallet_state
from caia_replay.world.world import TaskWorld

ToolFunction = Callable[..., dict[str, Any]]


class _Arguments(BaseModel):
    """What every tool's arguments have in common.

    Unknown ones are refused, null means the default, true is no number, and JSON given as a text is read. Strict
    schemas have no optional parameter, so models send null for what they leave to the tool.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        meant = {
            name: from_text(value, cls.model_fields[name].annotation) if name in cls.model_fields else value
            for name, value in data.items()
        }
        for name, field in cls.model_fields.items():
            if isinstance(meant.get(name), bool) and bool not in (field.annotation, *get_args(field.annotation)):
                raise PydanticCustomError("boolean", "{name} takes no true or false", {"name": name})
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {name: value for name, value in meant.items() if value is not None or name not in optional}


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

    def refusal(self, arguments: Mapping[str, Any], unknown: str) -> str:
        """Why the schema refuses ``arguments``, "" where it does not. A value that is ``unknown``, or a list with such
        an item, is taken for whatever its parameter takes."""
        unset = {
            name for name, value in arguments.items() if unknown in (value if isinstance(value, list) else [value])
        }
        try:
            self.arguments.model_validate(dict(arguments))
        except ValidationError as fault:
            for found in _errors(fault):
                if not found["loc"] or found["loc"][0] not in unset & self.arguments.model_fields.keys():
                    return one_line(_told(found, self.arguments))
        return ""

    def call(self, world: TaskWorld, text: str, session: Session) -> ToolReply:
        """Serve one call with the model's JSON text as arguments. Misses and tool errors become replies."""
        view = ToolContext(world, session)
        try:
            arguments = self.arguments.model_validate(whole_json(text or "{}"))
        except ValidationError as fault:
            return error_reply("invalid_arguments", _told(_errors(fault)[0], self.arguments))
        except ValueError as fault:
            return error_reply("invalid_arguments", f"the arguments are no JSON object: {str(fault)[:200]}")
        try:
            values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
            result = self.function(view, **values)
            return ToolReply(view.served, result, None, view.altered_by, altered_at=view.altered_at)
        except Miss as miss:
            told = {"type": "not_recorded", "kind": miss.detail.kind, "message": f"not recorded: {miss.detail.wanted}"}
            return ToolReply(Served.MISS, None, told, view.altered_by, miss.detail.nearest, view.altered_at)
        except ToolError as fault:
            return replace(error_reply("tool_error", str(fault), view.altered_by), altered_at=view.altered_at)


CATALOG: Mapping[str, CatalogTool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            CatalogTool(price_feed, "Market data", "authoritative"),
            CatalogTool(ranking_query, "Market data", "authoritative"),
            CatalogTool(positioning_analysis, "Market data", "authoritative"),
            CatalogTool(volatility_alerts, "Market data", "authoritative"),
            CatalogTool(indicator_analysis, "Technical analysis", "authoritative"),
            CatalogTool(web_search, "Discovery", "open-web"),
            CatalogTool(url_fetching, "Discovery", "open-web"),
            CatalogTool(trend_detection, "Discovery", "authoritative"),
            CatalogTool(twitter_search, "Social", "social"),
            CatalogTool(social_stream, "Social", "social"),
            CatalogTool(protocol_metrics, "DeFi metrics", "authoritative"),
            CatalogTool(revenue_analysis, "DeFi metrics", "authoritative"),
            CatalogTool(network_activity, "DeFi metrics", "authoritative"),
            CatalogTool(exchange_summary, "DeFi metrics", "authoritative"),
            CatalogTool(exchange_overview, "DeFi metrics", "authoritative"),
            CatalogTool(supply_query, "On-chain", "authoritative"),
            CatalogTool(data_query, "On-chain", "authoritative"),
            CatalogTool(time_conversion, "On-chain", "authoritative"),
            CatalogTool(balance_query, "On-chain", "authoritative"),
            CatalogTool(transaction_query, "On-chain", "authoritative"),
            CatalogTool(block_query, "On-chain", "authoritative"),
            CatalogTool(release_schedule, "Token analytics", "authoritative"),
            CatalogTool(code_execution, "Execution", "authoritative"),
        )
    }
)

WALLET: Mapping[str, CatalogTool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            CatalogTool(wallet_state, "Wallet", "authoritative"),
            CatalogTool(send_transaction, "Wallet", "authoritative"),
            CatalogTool(read_contract, "Wallet", "authoritative"),
        )
    }
)
"""What tasks that are carried out have besides; the 23 of the catalog stay as they are."""


def catalog_of(folder: WorldFolder) -> Mapping[str, CatalogTool]:
    """The tools of one world: the package's, or those of them that its tools.toml names, and then its own.

    Raises ``BadInput`` for a file that cannot be read, a name that is taken, and a credential in a request.
    """
    own = folder.own_tools()
    if own == OwnTools():
        return CATALOG
    try:
        return _catalog(canonical_bytes(thawed(own)))
    except ValueError as fault:
        raise BadInput(str(fault), where=folder.path / TOOLS) from None


@lru_cache(maxsize=64)
def _catalog(text: bytes) -> Mapping[str, CatalogTool]:
    own = build(OwnTools, strict_json(text), TOOLS)
    for name in own.catalog or ():
        if name not in CATALOG:
            raise ValueError(f"catalog: no tool {name!r:.80}; nearest: {nearest(name, CATALOG)}")
    kept = {name: tool for name, tool in CATALOG.items() if own.catalog is None or name in own.catalog}
    for one in own.tool:
        if one.name in CATALOG or one.name in WALLET:
            raise ValueError(f"the package has a tool {one.name!r} already")
        kept[one.name] = CatalogTool(function_of(one), one.category, one.authority)
    return MappingProxyType(kept)


_IF_LIVE: Final[Mapping[str, str]] = {
    "data_query": "sql may instead read tables with a schema, such as dex.trades: Dune's, in Trino's SQL. Of those "
    "whole statements that were recorded are answered, and no others; each should end its time, as in "
    "block_time < TIMESTAMP '2025-06-01'.",
    "transaction_query": "hash may also be the signature of a transaction of Solana, in its own case.",
}
"""What no synthetic world has, so that nobody is told of it there."""


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool of the catalog in one task's world: core's ``Tool``."""

    tool: CatalogTool
    world: TaskWorld
    session: Session

    @property
    def spec(self) -> ToolSpec:
        """The catalog's specification, with what it reads in a world of the living internet and what an overlay puts
        below its description."""
        is_live = self.world.world.folder.info.provenance == "live"
        spec, added = self.tool.spec, self.world.planted.tools.get(self.tool.name)
        parts = [spec.description, _IF_LIVE.get(self.tool.name) if is_live else None, added]
        return replace(spec, description="\n\n".join(filter(None, parts))) if any(parts[1:]) else spec

    def call(self, arguments: str) -> ToolReply:
        """Serve one call; ``arguments`` is the model's JSON text."""
        return self.tool.call(self.world, arguments, self.session)


class WorldToolset:
    """Tools of the catalog bound to one task's world; ``names`` narrows them, an empty one gives none.

    A task that is carried out has its wallet's tools beside them, unless there are to be none at all. Close it, or use
    it as a context manager, so that nothing a run started outlives it.
    """

    def __init__(self, world: TaskWorld, names: Iterable[str] | None = None) -> None:
        known = catalog_of(world.world.folder)
        chosen = [known[name] for name in (known if names is None else names)]
        own = WALLET.values() if chosen and world.task.execution is not None else ()
        self._session = Session()
        self._tools: dict[str, Tool] = {tool.name: BoundTool(tool, world, self._session) for tool in (*chosen, *own)}

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The transactions that the task's wallet sent, oldest first; still told after ``close``."""
        return self._session.sent

    def __enter__(self) -> WorldToolset:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End what the run started; may be called twice."""
        self._session.close()

    def specs(self) -> Sequence[ToolSpec]:
        """The specifications in catalog order."""
        return [tool.spec for tool in self._tools.values()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """Serve a call; an unknown name is an ``ERROR`` reply that names the nearest tool."""
        tool = self._tools.get(name)
        if tool is None and name in WALLET and self._tools:
            return error_reply("unknown_tool", f"{name} is of tasks that are carried out; this one is answered")
        if tool is None:
            known = nearest(name, self._tools) or ", ".join(self._tools)
            message = f"no tool {name[:80]!r}; {f'nearest: {known}' if known else 'none is offered'}"
            return error_reply("unknown_tool", message)
        return tool.call(arguments)


def error_reply(kind: str, message: str, altered_by: tuple[str, ...] = ()) -> ToolReply:
    """A call that was wrong in itself, as the model is told of it."""
    return ToolReply(Served.ERROR, None, {"type": kind, "message": one_line(message)}, altered_by)


def _errors(fault: ValidationError) -> Sequence[Mapping[str, Any]]:
    return fault.errors(include_url=False, include_context=False, include_input=False)


def _told(found: Mapping[str, Any], arguments: type[BaseModel]) -> str:
    """One thing that is wrong, and what would be taken instead."""
    known = arguments.model_fields
    place = [str(part)[:80] for part in found["loc"]]
    there = f"there are: {', '.join(known)}" if known else "it takes none"
    if not place:
        return f"arguments: {found['msg']}; {there}"
    if place[0] in known:
        return f"{'.'.join(place)}: {found['msg']}; {place[0]}: {known[place[0]].description}"
    near = nearest(place[0], known)
    return f"{place[0]!r} is no argument{f', nearest: {near}' if near else ''}; {there}"


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
