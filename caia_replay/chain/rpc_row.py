"""JSON-RPC objects as rows of the tables, and back without loss.

What no column takes is kept in the column ``extra``: JSON text ``{"absent": [...], "fields": {...}}``,
where ``absent`` lists fields that were left out although an empty cell of their column reads as null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.chain.column import HASH, UNFIT, json_text
from caia_replay.chain.table import BLOCKS, EXTRA, LOGS, TOPIC_FIELDS, RpcTable
from caia_replay.errors import BadInput


def encode(table: RpcTable, rpc: Mapping[str, Any]) -> dict[str, Any]:
    """One RPC object as cells by column name. Raises ``BadInput`` when a key field is missing or not
    in its canonical form, when a field of another table is inside, or when it is not JSON."""
    if not isinstance(rpc, Mapping):
        raise BadInput(f"a row of {table.name} must be a JSON object, found {type(rpc).__name__}")
    for name in table.foreign:
        if name in rpc:
            raise BadInput(f"a row of {table.name} must not hold {name!r}: it has its own table", where=_label(rpc))
    rest = _split_topics(rpc) if table is LOGS else dict(rpc)
    listed = rest.get("transactions") if table is BLOCKS else None
    if isinstance(listed, list) and any(isinstance(item, Mapping) for item in listed):
        raise BadInput("transaction bodies belong in the transactions table, hashes may stay", where=_label(rpc))
    cells: dict[str, Any] = {}
    absent: list[str] = []
    for column in table.columns:
        cells[column.name] = None
        if column.field not in rest:
            if column.required:
                raise BadInput(f"a row of {table.name} lacks {column.field!r}", where=_label(rpc))
            if column.null_cell:
                absent.append(column.field)
            continue
        value = rest[column.field]
        if value is None and column.null_cell:
            del rest[column.field]
            continue
        cell = column.form.encode(value)
        if cell is not UNFIT:
            cells[column.name] = cell
            del rest[column.field]
        elif column.required:
            raise BadInput(f"{table.name} field {column.field!r} is not canonical: {value!r:.80}", where=_label(rpc))
    try:
        cells[EXTRA] = json_text({"absent": sorted(absent), "fields": rest}) if absent or rest else None
    except (ValueError, TypeError, RecursionError) as fault:
        raise BadInput(f"a row of {table.name} holds what JSON cannot: {fault}", where=_label(rpc)) from fault
    return cells


def decode(table: RpcTable, cells: Mapping[str, Any]) -> dict[str, Any]:
    """The RPC object a row was made of. Raises ``BadInput`` when ``extra`` or a JSON cell is broken."""
    out: dict[str, Any] = {}
    try:
        for column in table.columns:
            cell = cells[column.name]
            if cell is not None:
                out[column.field] = column.form.decode(cell)
            elif column.null_cell:
                out[column.field] = None
        if cells[EXTRA] is not None:
            extra = strict_json(cells[EXTRA])
            if not isinstance(extra, dict) or not isinstance(extra.get("fields"), dict):
                raise ValueError("extra is not {absent, fields}")
            for name in extra.get("absent", ()):
                out.pop(name, None)
            out.update(extra["fields"])
    except (ValueError, TypeError) as fault:
        raise BadInput(f"a row of {table.name} cannot be read: {fault}") from fault
    if table is LOGS:
        out["topics"] = [out.pop(name) for name in TOPIC_FIELDS if name in out]
    return out


def _split_topics(rpc: Mapping[str, Any]) -> dict[str, Any]:
    topics = rpc.get("topics")
    if not isinstance(topics, list) or len(topics) > 4 or any(HASH.encode(topic) is UNFIT for topic in topics):
        raise BadInput(f"a log needs a list of at most four 32-byte topics, found {topics!r:.80}", where=_label(rpc))
    rest = {name: value for name, value in rpc.items() if name != "topics"}
    rest.update(zip(TOPIC_FIELDS, topics, strict=False))
    return rest


def _label(rpc: Mapping[str, Any]) -> str:
    for name in ("transactionHash", "hash", "number", "blockNumber"):
        if isinstance(rpc.get(name), str):
            return f"{name} {rpc[name]:.66}"
    return ""
