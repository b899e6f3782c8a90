"""Manifests of older schema versions, told in the words of the present one.

Version 1 knew one hardfork for the whole snapshot, one range of heights, and per table one range
for which all of it was complete. Version 2 has hardforks by block, several ranges, claims down to
accounts and log filters, and a table of recorded replies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from caia_replay.errors import BadInput

ADDED_TABLES: Final[Mapping[int, tuple[str, ...]]] = {2: ("replies",)}
"""Tables by the schema version that brought them: an older folder has none, which reads as no rows."""


def upgraded(body: Mapping[str, Any], where: object) -> Mapping[str, Any]:
    """``body``, of any known version, as the newest; unsealed parts of it. Raises ``BadInput``."""
    while (step := _STEPS.get(body["schema_version"])) is not None:
        body = step(body, where)
    return body


def tables_since(version: int) -> frozenset[str]:
    """The tables that a folder written in ``version`` does not have."""
    return frozenset(name for since, names in ADDED_TABLES.items() if since > version for name in names)


def _from_1(body: Mapping[str, Any], where: object) -> Mapping[str, Any]:
    complete = body.get("complete")
    if not isinstance(complete, dict):
        raise BadInput("complete must be a JSON object in schema version 1", where=where)
    # What version 1 let nobody use: codes are found by their hash, complete or not.
    spans = {name: span for name, span in complete.items() if span is not None and name != "codes"}
    if not all(isinstance(span, dict) and span.keys() == {"from", "to"} for span in spans.values()):
        raise BadInput("complete must give {from, to} or null for each table", where=where)
    kept = {name: value for name, value in body.items() if name != "hardfork"}
    return {
        **kept,
        "schema_version": 2,
        "hardforks": [{"from": 0, "name": body.get("hardfork")}],
        "heights": [body.get("heights")],
        "complete": [{"table": name, **spans[name]} for name in sorted(spans)],
    }


_STEPS: Final[Mapping[int, Callable[[Mapping[str, Any], object], Mapping[str, Any]]]] = {1: _from_1}
