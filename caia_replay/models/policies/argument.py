"""Valid arguments for any tool, made from its schema and what a question names: for calls that must only be real.

A parameter is filled by its schema where that decides (null, an enumeration, true or false, one of the words its
description offers), by its name where only the question can. Nothing here knows an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.policies.question import AskedAt, Named

ANY_NUMBER = 10
NO_HASH = "0x" + "0" * 64

_NUMBERS: Mapping[str, int] = MappingProxyType(
    {"limit": 5, "page": 1, "among": 100, "largest": 100, "count": 5, "offset": 0, "cursor": 0, "max_links": 0}
)
_STEP = re.compile(r"\b[0-9]{1,2}[mhdw]\b")
_FIRST_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Fill = Callable[[Named, AskedAt, str], Any]
"""A value from what the question names, its moment, and what to search for."""

_BY_NAME: Mapping[str, Fill] = MappingProxyType(
    {
        "query": lambda named, moment, query: query,
        "asset": lambda named, moment, query: named.ticker,
        "exchange": lambda named, moment, query: named.words[0],
        "url": lambda named, moment, query: (*named.sites, "https://www.example.com/")[0],
        "hash": lambda named, moment, query: (*named.hashes, NO_HASH)[0],
        "code": lambda named, moment, query: f"print({' + '.join(_terms(named)) or 0})",
        "threshold_percent": lambda named, moment, query: "5",
    }
)
_NEEDED: Mapping[tuple[str, str], Fill] = MappingProxyType(
    {
        ("balance_query", "address"): lambda named, moment, query: (*named.addresses, ZERO_ADDRESS)[0],
        ("data_query", "contract"): lambda named, moment, query: (*named.addresses, ZERO_ADDRESS)[0],
        ("data_query", "about"): lambda named, moment, query: "creation",
        ("social_stream", "topic"): lambda named, moment, query: query,
        ("time_conversion", "time"): lambda named, moment, query: moment.time.date().isoformat(),
    }
)
"""Parameters that may be null, though not all of a tool's may be at once."""


def arguments_for(
    tool: str, parameters: Mapping[str, Wire], named: Named, moment: AskedAt, query: str
) -> dict[str, Any]:
    """A value for every parameter of ``tool``, allowed by its schema; ``query`` is what to search for."""
    made: dict[str, Any] = {}
    for name, schema in parameters.items():
        fill = _NEEDED.get((tool, name)) or _BY_NAME.get(name)
        made[name] = fill(named, moment, query) if fill else _by_schema(name, schema)
    return made


def _by_schema(name: str, schema: Any) -> Any:
    """Null where it is allowed; else what the schema, or the words of its description, offer first."""
    if not isinstance(schema, Mapping):
        return None
    options = [schema, *(option for option in schema.get("anyOf") or () if isinstance(option, Mapping))]
    types = [option.get("type") for option in options]
    if "null" in types or any(isinstance(one, list) and "null" in one for one in types):
        return None
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    if "boolean" in types:
        return False
    if "integer" in types or "number" in types:
        return _NUMBERS.get(name, ANY_NUMBER)
    if "string" not in types:
        return [] if "array" in types else None
    value = str(schema.get("description") or "")
    offered = _STEP.search(value) or _FIRST_WORD.search(value)
    return offered[0] if offered else name


def _terms(named: Named) -> list[str]:
    """A few of the question's numbers as Python reads them."""
    return [number.lstrip("0") or "0" for number in named.numbers[:3]]
