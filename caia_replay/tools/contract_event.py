"""A contract's decoded events over a range of blocks, filtered by their arguments, listed in parts; and SQL over them
and over the recorded tables of a chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from eth_utils.crypto import keccak

from caia_replay.chain.sql_query import MoreTable, SqlRange, run_sql
from caia_replay.chain.sql_table import SqlTable, create_from, number_casts, number_columns
from caia_replay.core.tool import Served
from caia_replay.errors import ToolError, nearest
from caia_replay.tools.chain_height import shown_block
from caia_replay.tools.signature import Parameter, Signature, decode_event, decode_outputs, encode_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from caia_replay.tools.tool_context import ToolContext

MOST_EVENTS: Final = 1_000
USUAL_EVENTS: Final = 200

MOST_ROWS: Final = 1_000
USUAL_ROWS: Final = 100
EVENTS: Final = "events"


def describe_events(
    world: ToolContext,
    chain: str,
    contract: str,
    signature: Signature,
    first: int,
    last: int,
    where: Sequence[str],
    offset: int,
    limit: int,
) -> dict[str, Any]:
    """The events of blocks ``first`` to ``last`` that match, in chain order: how many in all, and a part of them."""
    found = matching_events(world, chain, contract, signature, first, last, where)
    listed = found[offset : offset + limit]
    times = {block: shown_block(world, chain, block)["time_utc"] for block in {event["block"] for event in listed}}
    following = offset + limit if offset + limit < len(found) else None
    return {
        "contract": contract,
        "chain": chain,
        "event": signature.canonical,
        "from_block": first,
        "to_block": last,
        "count": len(found),
        "offset": offset,
        "next_offset": following,
        "events": [{**event, "time_utc": times[event["block"]]} for event in listed],
    }


def matching_events(
    world: ToolContext, chain: str, contract: str, signature: Signature, first: int, last: int, where: Sequence[str]
) -> list[dict[str, Any]]:
    """Every event of the range whose arguments are as ``where`` says (``name=value``), in chain order."""
    wanted = _wanted(signature, where)
    topics: list[str | None] = ["0x" + signature.hash.hex()]
    topics += [_topic(found, wanted[found.name]) for found in signature.inputs if found.indexed]
    query = {"address": contract, "topics": topics, "fromBlock": hex(first), "toBlock": hex(last)}
    with world.fork(chain=chain) as fork:
        logs = world.require(fork.rpc("eth_getLogs", [query]), "logs", f"{signature.canonical} of {contract}")
    plain = {found.name: _same(found, wanted[found.name]) for found in signature.inputs if not found.indexed}
    events = (
        {
            "block": int(log["blockNumber"], 16),
            "transaction": log["transactionHash"],
            "log_index": int(log["logIndex"], 16),
            "arguments": decode_event(signature, log["topics"], log["data"]),
        }
        for log in logs
    )
    return [
        event
        for event in events
        if all(value is None or event["arguments"][name] == value for name, value in plain.items())
    ]


def _wanted(signature: Signature, where: Sequence[str]) -> Mapping[str, str | None]:
    """By argument the text of the value it must have, or None."""
    wanted: dict[str, str | None] = dict.fromkeys(found.name for found in signature.inputs)
    for text in where:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value:
            raise ToolError(f"where is {text[:80]!r}; it takes name=value, such as to=0x…")
        if name not in wanted:
            near = nearest(name, wanted) or ", ".join(wanted)
            raise ToolError(f"{signature.canonical} has no argument {name[:80]!r}; nearest: {near}")
        if wanted[name] is not None:
            raise ToolError(f"where gives {name} twice; an event has one value of it")
        wanted[name] = value
    return wanted


def _topic(parameter: Parameter, value: str | None) -> str | None:
    """The topic of an indexed argument: the word itself, or the hash of a text or bytes. None matches any."""
    if value is None:
        return None
    if parameter.type == "string":
        return "0x" + keccak(text=value).hex()
    data = _encoded(parameter, value)
    if parameter.type == "bytes":
        return "0x" + keccak(hexstr=value).hex()
    if len(data) != 64 or parameter.type[-1] in ")]":
        raise ToolError(f"events cannot be looked up by {parameter.name}: the chain keeps only its hash")
    return "0x" + data


def _same(parameter: Parameter, value: str | None) -> Any:
    """The value as a decoded event shows it; None matches any."""
    if value is None:
        return None
    shown = Signature("", (), (Parameter(parameter.type, parameter.name, False),))
    return decode_outputs(shown, "0x" + _encoded(parameter, value))[0]


def _encoded(parameter: Parameter, value: str) -> str:
    """The ABI's hex of one value."""
    if parameter.type[-1] in ")]":
        raise ToolError(f"{parameter.name} is a list or tuple; where takes single values")
    text = value.lower() if parameter.type == "address" else value
    return encode_call(Signature("where", (parameter,), ()), [text])[10:]


class EventTable(MoreTable):
    """Decoded events as the table ``events``: block_number, log_index, transaction_hash, and each argument.

    Whole numbers come as NAME (HUGEINT, where all fit), NAME_string and NAME_f64; lists and tuples as text.
    """

    name = EVENTS

    def __init__(self, signature: Signature, events: Sequence[Mapping[str, Any]]) -> None:
        self._signature = signature
        self._events = events

    def make(self, folder: Path) -> SqlTable:
        """The table, its rows in a file in ``folder``."""
        columns: dict[str, Any] = {
            "block_number": pa.array([event["block"] for event in self._events], pa.int64()),
            "log_index": pa.array([event["log_index"] for event in self._events], pa.int64()),
            "transaction_hash": pa.array([event["transaction"] for event in self._events], pa.string()),
        }
        casts: dict[str, str] = {}
        wide: frozenset[str] = frozenset()
        for found in self._signature.inputs:
            name = found.name
            while {name.lower(), f"{name}_string".lower(), f"{name}_f64".lower()} & {made.lower() for made in columns}:
                name += "_"
            values = [event["arguments"][found.name] for event in self._events]
            if found.type.startswith(("uint", "int")) and found.type[-1].isdigit():
                numbers, unfit = number_columns(name, [int(value) for value in values])
                columns |= numbers
                casts |= {column: cast for column, cast in number_casts([name]).items() if column in numbers}
                wide |= {column.lower() for column in unfit}
            elif found.type == "bool":
                columns[name] = pa.array(values, pa.bool_())
            else:
                columns[name] = pa.array([str(value) for value in values], pa.string())
        create = create_from(EVENTS, pa.table(columns), folder, "block_number, log_index", casts)
        return SqlTable(create, wide=wide)


def describe_table(
    world: ToolContext, chain: str, text: str, first: int, last: int, events: EventTable | None, offset: int, limit: int
) -> dict[str, Any]:
    """The rows one SELECT gives over blocks ``first`` to ``last``. Raises ``ToolError``, ``Miss``, ``WallLimit``."""
    world.touch(Served.DERIVED)
    found = run_sql(text, SqlRange(world.chain(chain), first, last), limit=limit, offset=offset, more=events)
    if not found.counted and offset >= found.total:
        raise ToolError(f"rows are counted up to {found.total:,}; offset is {offset:,}: ask for fewer in the statement")
    following = offset + limit if offset + limit < found.total or not found.counted else None
    return {
        "chain": chain,
        "from_block": first,
        "to_block": last,
        "tables": found.tables,
        "columns": [column["name"] for column in found.columns],
        "types": [column["type"] for column in found.columns],
        "total_rows": found.total if found.counted else None,
        "at_least_rows": found.total,
        "offset": offset,
        "next_offset": following,
        "rows": found.rows,
        "columns_unavailable": found.absent,
    }
