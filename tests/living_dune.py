"""A small living warehouse behind Dune's API: trades by the moment, statements executed by DuckDB, rows in pages.

At ``now`` its tables hold what happened up to a few hours before, as a warehouse that is filled behind the chains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import duckdb

from caia_replay.canonical import strict_json
from caia_worldgen.services.service import Answer, Asked

ORIGIN: Final = "https://api.dune.com"
BEHIND_S: Final = 6 * 3_600
Trade = tuple[int, str, str, int]
"""Its moment, venue, trader and US dollars."""


class Dune:
    """The service. ``pending``: how many of the next reads of rows find the execution unfinished."""

    origins: Final = (ORIGIN,)

    def __init__(self, trades: Sequence[Trade], pending: int = 0) -> None:
        self._trades = trades
        self._done: dict[str, dict[str, Any]] = {}
        self.pending = pending

    def answer(self, asked: Asked, now: int) -> Answer:
        """An execution, or a page of one's rows."""
        path = asked.path.strip("/").split("/")
        if asked.method == "POST" and path == ["api", "v1", "sql", "execute"]:
            return self._execute(strict_json(asked.body)["sql"], now)
        if asked.method == "GET" and path[:3] == ["api", "v1", "execution"] and path[4:] == ["results"]:
            return self._results(path[3], asked.parameters)
        return Answer(404, {"error": "Not found"})

    def _execute(self, sql: str, now: int) -> Answer:
        execution = "01" + hashlib.sha256(f"{now} {sql}".encode()).hexdigest()[:24].upper()
        with duckdb.connect() as engine:
            engine.execute("SET timezone = 'UTC'; CREATE SCHEMA dex; CREATE SCHEMA dim")
            engine.execute(
                "CREATE TABLE dex.trades (block_time TIMESTAMP, block_date DATE, block_month DATE, project VARCHAR, "
                "trader VARCHAR, amount_usd BIGINT)"
            )
            engine.execute("CREATE TABLE dim.venues (project VARCHAR, founded DATE)")
            rows = ", ".join(
                f"(make_timestamp({at * 1_000_000}), '{project}', '{trader}', {usd})"
                for at, project, trader, usd in self._trades
                if at <= now - BEHIND_S
            )
            if rows:
                engine.execute(
                    "INSERT INTO dex.trades SELECT made, made::DATE, date_trunc('month', made)::DATE, project, who, "
                    f"usd FROM (VALUES {rows}) AS given(made, project, who, usd)"
                )
            try:
                found = engine.execute(sql)
                names = [column[0] for column in found.description or ()]
                types = [str(column[1]).lower() for column in found.description or ()]
                rows = [dict(zip(names, map(_plain, row), strict=True)) for row in found.fetchall()]
                self._done[execution] = {"names": names, "types": types, "rows": rows, "at": now}
            except duckdb.Error as fault:
                self._done[execution] = {"error": str(fault).splitlines()[0], "at": now}
        return Answer(200, {"execution_id": execution, "state": "QUERY_STATE_PENDING"})

    def _results(self, execution: str, given: Any) -> Answer:
        done = self._done.get(execution)
        if done is None:
            return Answer(404, {"error": "Execution not found"})
        head: dict[str, Any] = {"execution_id": execution, "query_id": 0}
        if self.pending:
            self.pending -= 1
            return Answer(200, {**head, "is_execution_finished": False, "state": "QUERY_STATE_EXECUTING"})
        ended = datetime.fromtimestamp(done["at"] + 2, UTC).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        head |= {"is_execution_finished": True, "execution_ended_at": ended}
        if "error" in done:
            failed = {"type": "syntax_error", "message": done["error"]}
            return Answer(200, {**head, "state": "QUERY_STATE_FAILED", "error": failed})
        limit, offset = int(given["limit"]), int(given.get("offset", 0))
        rows, total = done["rows"][offset : offset + limit], len(done["rows"])
        metadata = {"column_names": done["names"], "column_types": done["types"], "row_count": len(rows),
                    "total_row_count": total, "result_set_bytes": 8 * len(rows)}  # fmt: skip
        content = {**head, "state": "QUERY_STATE_COMPLETED", "result": {"metadata": metadata, "rows": rows}}
        if offset + limit < total:
            following = offset + limit
            address = f"{ORIGIN}/api/v1/execution/{execution}/results?limit={limit}&offset={following}"
            content |= {"next_offset": following, "next_uri": address}
        return Answer(200, content)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
