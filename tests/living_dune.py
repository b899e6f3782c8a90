"""A small living Dune: two queries, their nightly executions and those that are asked for, a function of the moment."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest

DAY_S = 86_400
RUNS_S = 20
"""How long an execution runs."""
MOST = 25
"""Rows the server gives at most."""


def stamp(moment: int) -> str:
    """A moment as the vendor writes it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.123456789Z")


def rows_of(number: str) -> list[dict[str, Any]]:
    """An execution's rows: how many depends on the query, what they say on when it ran."""
    query, moment = number[1:].split("T")
    return [
        {"at": f'row "{at}"', "value": int(moment) % 97 + at / 8, "raw": str(10**20 + at)} for at in range(int(query))
    ]


class Dune:
    """Query 60 has sixty rows, query 7 seven; execution numbers tell query and start."""

    def __call__(self, request: HttpRequest, now: int) -> HttpReply:
        """The reply at ``now``, with its Date."""
        parts = urlsplit(request.url)
        path, told = parts.path.split("/")[3:], dict(parse_qsl(parts.query))
        date = {"date": formatdate(now, usegmt=True), "content-type": "application/json"}
        if path[2] == "execute":
            made = {"execution_id": f"E{path[1]}T{now}", "state": "QUERY_STATE_PENDING"}
            return HttpReply(200, date, json.dumps(made).encode())
        number = path[1]
        if path[0] == "query":
            number = f"E{path[1]}T{(now - RUNS_S) // DAY_S * DAY_S}"
        started = int(number.split("T")[1])
        if started > now:
            return HttpReply(404, date, b'{"error": "no such execution"}')
        is_over = now >= started + RUNS_S
        state = {"execution_id": number, "query_id": int(number[1:].split("T")[0]), "submitted_at": stamp(started)}
        state |= {"is_execution_finished": is_over, "state": f"QUERY_STATE_{'COMPLETED' if is_over else 'EXECUTING'}"}
        if is_over:
            state["execution_ended_at"] = stamp(started + RUNS_S)
        if path[2] == "status" or not is_over:
            return HttpReply(200, date, json.dumps(state).encode())
        every, offset = rows_of(number), int(told.get("offset", "0"))
        rows = every[offset : offset + min(int(told.get("limit", str(MOST))), MOST)]
        end = offset + len(rows)
        uri = f"https://api.dune.com{parts.path}?" + urlencode({**told, "limit": len(rows), "offset": end})
        if path[-1] == "csv":
            lines = [",".join('"' + str(cell).replace('"', '""') + '"' for cell in row.values()) + "\n" for row in rows]
            more = {"x-dune-next-offset": str(end), "x-dune-next-uri": uri} if end < len(every) and rows else {}
            return HttpReply(200, date | more, ("at,value,raw\n" + "".join(lines)).encode())
        metadata = {"column_names": ["at", "value", "raw"], "row_count": len(rows), "total_row_count": len(every),
                    "datapoint_count": 3 * len(rows), "result_set_bytes": 31 * len(rows)}  # fmt: skip
        body = state | {"result": {"rows": rows, "metadata": metadata}}
        if end < len(every) and rows:
            body |= {"next_offset": end, "next_uri": uri}
        return HttpReply(200, date, json.dumps(body).encode())
