"""A JSON-RPC origin that recordings are made from.

Its address may carry a key, so it is kept out of every message, file and representation: errors
speak of "the origin node" and of the method that was asked, and a reply that repeats the key is
refused. A node that limits its callers is waited for, as long as it says or twice as long each time.
"""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import TracebackType
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from caia_replay.canonical import strict_json
from caia_replay.errors import BadInput, Interrupted

_BATCH: Final = 400
"""Calls in one request: large enough that the round trip is free, small enough for any node."""

_LIMITED: Final = frozenset((429, -32005, -32029))
"""JSON-RPC error codes by which nodes say "too many requests"."""

_AWAY: Final = frozenset((502, 503, 504))
_LONGEST_WAIT_S: Final = 120.0
_PATIENCE_S: Final = 600.0
"""What one request may wait in all before the capture is given up for now; it can be taken up again."""

_MIN_SECRET_CHARS: Final = 8

Call = tuple[str, Sequence[Any]]
"""A method and its parameters."""


class OriginRefusal(BadInput):
    """The node answered one call with a JSON-RPC error."""


class OriginNode:
    """One keep-alive connection to an HTTP JSON-RPC node; not shared between threads."""

    def __init__(self, rpc_url: str, timeout_s: float = 120.0, wait: Callable[[float], None] = time.sleep) -> None:
        """Raises ``BadInput`` for anything but an http or https address. ``wait`` takes seconds."""
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
        self._headers = {"Content-Type": "application/json"}
        if parts.username is not None:
            user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + b64encode(user.encode()).decode()
        self._secrets = _secrets(rpc_url)
        self._wait = wait
        self._one_by_one = False

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
        """The result of one call. Raises as ``ask_all``."""
        return self.ask_all([(method, params)])[0]

    def ask_all(self, calls: Sequence[Call]) -> list[Any]:
        """The results of many calls, in order.

        Raises ``OriginRefusal`` for the first that is refused, ``BadInput`` when the node is away or
        speaks no JSON-RPC, ``Interrupted`` when it limits us for longer than is patient.
        """
        results: list[Any] = []
        for start in range(0, len(calls), _BATCH):
            results += self._batch(calls[start : start + _BATCH])
        return results

    def _batch(self, calls: Sequence[Call]) -> list[Any]:
        if self._one_by_one or len(calls) == 1:
            return [self._one(call) for call in calls]
        body = [_body(index, call) for index, call in enumerate(calls)]
        replies = self._exchange(body, calls[0][0])
        if not isinstance(replies, list):
            # Some nodes take no batches, or only small ones: the calls go one by one from here on.
            self._one_by_one = True
            return [self._one(call) for call in calls]
        by_id = {reply.get("id"): reply for reply in replies if isinstance(reply, dict)}
        return [self._result(by_id.get(index), call) for index, call in enumerate(calls)]

    def _one(self, call: Call) -> Any:
        return self._result(self._exchange(_body(0, call), call[0]), call)

    def _result(self, reply: Any, call: Call) -> Any:
        if isinstance(reply, dict) and "result" in reply and reply.get("error") is None:
            return reply["result"]
        method, params = call
        asked = json.dumps(list(params))
        raise OriginRefusal(f"the origin node refuses {method} {asked:.120}: {self._words(reply)}")

    def _exchange(self, body: Any, method: str) -> Any:
        """One request, repeated while the node asks for patience."""
        data, waited_s, pause_s = json.dumps(body).encode(), 0.0, 1.0
        while True:
            status, told_s, content = self._post(data, method)
            limited = status == 429 or status in _AWAY
            reply = None
            if not limited:
                if status != 200 and not content.lstrip().startswith((b"{", b"[")):
                    raise BadInput(f"the origin node answers {method} with HTTP {status}")
                reply = self._parsed(content, method)
                limited = _is_limited(reply)
            if not limited:
                return reply
            if waited_s >= _PATIENCE_S:
                reason = f"HTTP {status}" if status != 200 else "a request limit"
                raise Interrupted(
                    f"the origin node has answered {method} with {reason} for {round(waited_s)} s; what was read is "
                    "kept: the same command goes on from there"
                )
            rest_s = min(pause_s if told_s is None else told_s, _LONGEST_WAIT_S)
            self._wait(rest_s)
            waited_s, pause_s = waited_s + max(rest_s, 1.0), pause_s * 2

    def _post(self, data: bytes, method: str) -> tuple[int, float | None, bytes]:
        """Status, what Retry-After says in seconds, and the body. A connection that had gone stale is renewed."""
        stale = self._http.sock is not None
        while True:
            try:
                self._http.request("POST", self._path, data, self._headers)
                reply = self._http.getresponse()
                return reply.status, _retry_after_s(reply), reply.read()
            except (OSError, HTTPException) as fault:
                self._http.close()
                if stale:
                    stale = False
                    continue
                # The cause is dropped on purpose: its words may hold the address.
                raise BadInput(
                    f"the origin node cannot be reached for {method} ({type(fault).__name__})",
                    next_command="check the address after --rpc-url",
                ) from None

    def _parsed(self, content: bytes, method: str) -> Any:
        told = content
        for secret in self._secrets:
            told = told.replace(secret, b"***")
        try:
            reply = strict_json(told)
        except ValueError as fault:
            raise BadInput(f"the origin node's reply to {method} is not JSON: {fault}") from fault
        if told != content and any("result" in item for item in _items(reply)):
            # Refusals may quote the key they refuse; what is kept may not.
            raise BadInput(f"the origin node's reply to {method} repeats a part of its own address: not kept")
        return reply

    def _words(self, reply: Any) -> str:
        error = reply.get("error") if isinstance(reply, dict) else None
        message = error.get("message") if isinstance(error, dict) else None
        return f"{message!r:.200}" if isinstance(message, str) else "no result and no message"


def _body(index: int, call: Call) -> dict[str, Any]:
    method, params = call
    return {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}


def _items(reply: Any) -> list[dict[str, Any]]:
    return [item for item in (reply if isinstance(reply, list) else [reply]) if isinstance(item, dict)]


def _is_limited(reply: Any) -> bool:
    """Whether a reply, or any part of a batch, is refused for now and not for good."""
    for item in _items(reply):
        error = item.get("error")
        if isinstance(error, dict) and error.get("code") in _LIMITED and not _is_too_much(error):
            return True
    return False


def _is_too_much(error: dict[str, Any]) -> bool:
    """-32005 also means "more results than one reply may have", which waiting does not cure."""
    words = str(error.get("message", "")).lower()
    return error.get("code") == -32005 and any(word in words for word in ("result", "block range", "response size"))


def _retry_after_s(reply: HTTPResponse) -> float | None:
    """RFC 9110, section 10.2.3: seconds, or a date."""
    told = (reply.getheader("Retry-After") or "").strip()
    if told.isdecimal():
        return float(told[:9])
    try:
        return max(parsedate_to_datetime(told).timestamp() - time.time(), 0.0) if told else None
    except (ValueError, TypeError, OverflowError):
        return None


def _secrets(rpc_url: str) -> tuple[bytes, ...]:
    """The parts of an address that may be keys: user and password, query values, the path's long segments."""
    parts = urlsplit(rpc_url)
    found = [parts.username or "", parts.password or "", parts.fragment]
    found += [value for _, value in parse_qsl(parts.query, keep_blank_values=True)]
    # A plain word in the path, such as a network's name, is no key and may stand in any reply.
    found += [item for item in parts.path.split("/") if not (item.isalpha() and item.islower())]
    found += [unquote(item) for item in found]
    return tuple(sorted({item.encode() for item in found if len(item) >= _MIN_SECRET_CHARS}))
