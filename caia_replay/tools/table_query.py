"""SQL over the recorded tables of a chain, and over one contract's decoded events."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from caia_replay.chain.sql_query import MoreTable, SqlRange, run_sql
from caia_replay.chain.sql_table import SqlTable, create_from, number_casts, number_columns
from caia_replay.core.tool import Served
from caia_replay.errors import ToolError
from caia_replay.tools.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from caia_replay.tools.tool_context import ToolContext

MOST_ROWS: Final = 1_000
USUAL_ROWS: Final = 100
EVENTS: Final = "events"


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
        "columns_not_recorded": found.absent,
    }
