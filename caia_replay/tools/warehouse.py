"""SQL over a warehouse's decoded tables, such as ``dex.trades``: Dune's, in Trino's SQL, as it was recorded.

What no node tells (labels, decoded programs of other chains, sales of NFTs) stands in such tables. No world has the
tables: it has the statements that were executed when it was recorded, each with its result. Any other one is a miss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caia_replay.canonical import strict_json
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.dune.provider import execute_request, results_request
from caia_replay.tools.figure import reading
from caia_replay.tools.tool_context import refusal_words

if TYPE_CHECKING:
    from caia_replay.core.provider import HttpRequest
    from caia_replay.tools.tool_context import ToolContext


def describe_result(world: ToolContext, sql: str, offset: int, limit: int) -> dict[str, Any]:
    """A part of the rows that a statement gave, and when it was executed. Raises ``Miss`` and ``ToolError``."""
    execution = _asked(world, execute_request(sql)).get("execution_id")
    if not isinstance(execution, str):
        raise Miss("http", "an execution of the statement", "what was recorded names none")
    page = _asked(world, results_request(execution, max(limit, 1), offset))
    with reading("a result of the warehouse"):
        found, metadata = page["result"]["rows"][:limit], page["result"]["metadata"]
        names = metadata["column_names"]
        following = offset + limit
        return {
            "source": "Dune",
            "executed_at": page.get("execution_ended_at"),
            "columns": names,
            "types": metadata.get("column_types"),
            "total_rows": metadata["total_row_count"],
            "offset": offset,
            "next_offset": following if following < metadata["total_row_count"] else None,
            "rows": [[row.get(name) for name in names] for row in found],
        }


def _asked(world: ToolContext, request: HttpRequest) -> dict[str, Any]:
    reply = world.fetch(request)
    try:
        content = strict_json(reply.body)
    except ValueError:
        raise Miss("http", f"{request.method} {request.url:.200}", "what was recorded is no JSON") from None
    if reply.status != 200:
        raise ToolError(f"Dune refused with status {reply.status}: {refusal_words(content)}")
    if not isinstance(content, dict):
        raise Miss("http", f"{request.method} {request.url:.200}", "what was recorded is no JSON object")
    return content
