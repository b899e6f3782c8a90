"""A JSON-RPC origin that recordings are made from.

Its address may carry a key, so it is kept out of every message, file and representation; errors
speak of "the origin node" and of the method that was asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import TracebackType
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.canonical import strict_json
from caia_replay.errors import BadInput

_BATCH: Final = 400
"""Calls in one request: large enough that the round trip is free, small enough for any node."""

Call = tuple[str, Sequence[Any]]
"""A method and its parameters."""


class OriginNode:
    """One keep-alive connection to an HTTP JSON-RPC node; not shared between threads."""

    def __init__(self, rpc_url: str, timeout_s: float = 120.0) -> None:
        """Raises ``BadInput`` for anything but an http or https address."""
        try:
            parts = urlsplit(rpc_url)
            port = parts.port
        except ValueError:
            raise BadInput("the RPC address of the origin node is not a URL") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput("the RPC address of the origin node must begin with http:// or https://")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._http = kind(parts.hostname, port, timeout=timeout_s)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def __repr__(self) -> str:
        return "OriginNode(...)"

    def __enter__(self) -> OriginNode:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next call would open a new one."""
        self._http.close()

    def ask(self, method: str, *params: Any) -> Any:
        """The result of one call. Raises ``BadInput`` when the node is away or refuses."""
        return self.ask_all([(method, params)])[0]

    def ask_all(self, calls: Sequence[Call]) -> list[Any]:
        """The results of many calls, in order. Raises ``BadInput`` for the first that is refused."""
        results: list[Any] = []
        for start in range(0, len(calls), _BATCH):
            results += self._batch(calls[start : start + _BATCH])
        return results

    def _batch(self, calls: Sequence[Call]) -> list[Any]:
        body = [
            {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}
            for index, (method, params) in enumerate(calls)
        ]
        replies = self._post(json.dumps(body).encode(), calls[0][0])
        if not isinstance(replies, list):
            raise BadInput(f"the origin node refuses a batch: {_words(replies)}")
        by_id = {reply.get("id"): reply for reply in replies if isinstance(reply, dict)}
        results = []
        for index, (method, params) in enumerate(calls):
            reply = by_id.get(index)
            if reply is None or "result" not in reply:
                asked = json.dumps(list(params))
                raise BadInput(f"the origin node refuses {method} {asked:.120}: {_words(reply)}")
            results.append(reply["result"])
        return results

    def _post(self, body: bytes, method: str) -> Any:
        try:
            self._http.request("POST", self._path, body, {"Content-Type": "application/json"})
            reply = self._http.getresponse()
            data = reply.read()
        except (OSError, HTTPException) as fault:
            self._http.close()
            # The cause is dropped on purpose: its words may hold the address.
            raise BadInput(f"the origin node cannot be reached for {method} ({type(fault).__name__})") from None
        if reply.status != 200:
            raise BadInput(f"the origin node answers {method} with HTTP {reply.status}")
        try:
            return strict_json(data)
        except ValueError as fault:
            raise BadInput(f"the origin node's reply to {method} is not JSON: {fault}") from fault


def _words(reply: Any) -> str:
    error = reply.get("error") if isinstance(reply, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return f"{message!r:.200}" if isinstance(message, str) else "no result and no message"
