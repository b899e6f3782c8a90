"""A JSON-RPC origin that recordings are made from.

Its address may carry a key, so it is kept out of every message, file and representation: errors
speak of "the origin node" and of the method that was asked, and a reply that repeats the key is
refused. A node that limits its callers is waited for, as long as it says or twice as long each time.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import TracebackType
from typing import Any, Final, Protocol
from urllib.parse import SplitResult, unquote, unquote_plus, urlsplit

from caia_replay.canonical import strict_json
from caia_replay.cassette.retry_after import retry_after_s
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


class AskedNode(Protocol):
    """A node that can be asked: an ``OriginNode``, or one whose answers are journaled."""

    def ask(self, method: str, *params: Any) -> Any:
        """The result of one call. Raises as ``OriginNode.ask``."""

    def ask_all(self, calls: Sequence[Call]) -> list[Any]:
        """The results of many calls, in order."""


class OriginRefusal(BadInput):
    """The node answered one call with a JSON-RPC error."""


class OriginAway(BadInput):
    """The node cannot be reached, or answers with something that is no JSON-RPC."""


class OriginNode:
    """One keep-alive connection to an HTTP JSON-RPC node; not shared between threads."""

    def __init__(self, rpc_url: str, timeout_s: float = 120.0, wait: Callable[[float], None] = time.sleep) -> None:
        """Raises ``BadInput`` for anything but an http or https address. ``wait`` takes seconds."""
        parts = _parts(rpc_url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._http = kind(parts.hostname or "", parts.port, timeout=timeout_s)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._headers = {"Content-Type": "application/json"}
        if parts.username is not None:
            user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + b64encode(user.encode()).decode()
        self._secret = _secret_pattern(parts, self._headers.get("Authorization", ""))
        self._host = re.compile(re.escape(parts.hostname or ""), re.IGNORECASE)
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
        by_id = {reply["id"]: reply for reply in _items(replies) if type(reply.get("id")) is int}
        self._one_by_one = not by_id
        results = []
        for index, call in enumerate(calls):
            reply = by_id.get(index)
            # What a node leaves out of a batch, or limits in it, is asked for alone.
            results.append(self._one(call) if reply is None or _is_limited(reply) else self._result(reply, call))
        return results

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
                    raise OriginAway(f"the origin node answers {method} with HTTP {status}")
                reply = self._parsed(content, method)
                limited = not isinstance(reply, list) and _is_limited(reply)
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
                fields = {name.lower(): value for name, value in reply.getheaders()}
                return reply.status, retry_after_s(fields, int(time.time())), reply.read()
            except (OSError, HTTPException, ValueError) as fault:
                self._http.close()
                if stale:
                    stale = False
                    continue
                # The cause is dropped on purpose: its words may hold the address.
                raise OriginAway(
                    f"the origin node cannot be reached for {method} ({type(fault).__name__})",
                    next_command="check the address after --rpc-url or --upstream",
                ) from None

    def _parsed(self, content: bytes, method: str) -> Any:
        try:
            reply = strict_json(content)
        except ValueError as fault:
            raise OriginAway(f"the origin node's reply to {method} is not JSON: {fault}") from fault
        # Refusals may quote the key they refuse, and are masked; what is kept may not.
        if self._secret.pattern != _NOTHING and any(
            "result" in item and self._tells_secret(item) for item in _items(reply)
        ):
            raise BadInput(f"the origin node's reply to {method} repeats a part of its own address: not kept")
        return reply

    def _tells_secret(self, value: Any) -> bool:
        if isinstance(value, str):
            return self._secret.search(value) is not None
        if isinstance(value, dict):
            return any(self._tells_secret(item) for pair in value.items() for item in pair)
        return isinstance(value, list) and any(self._tells_secret(item) for item in value)

    def _words(self, reply: Any) -> str:
        error = reply.get("error") if isinstance(reply, dict) else None
        message = error.get("message") if isinstance(error, dict) else None
        if not isinstance(message, str):
            return "no result and no message"
        return f"{self._host.sub('***', self._secret.sub('***', message))!r:.200}"


def _body(index: int, call: Call) -> dict[str, Any]:
    method, params = call
    return {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}


def _items(reply: Any) -> list[dict[str, Any]]:
    return [item for item in (reply if isinstance(reply, list) else [reply]) if isinstance(item, dict)]


def _is_limited(reply: Any) -> bool:
    """Whether a reply, or any part of a batch, is refused for now and not for good."""
    for item in _items(reply):
        error = item.get("error")
        if not isinstance(error, dict) or type(error.get("code")) is not int:
            continue
        if error["code"] in _LIMITED and not _is_too_much(error):
            return True
    return False


def _is_too_much(error: dict[str, Any]) -> bool:
    """-32005 also means "more results than one reply may have", which waiting does not cure."""
    words = str(error.get("message", "")).lower()
    return error.get("code") == -32005 and any(word in words for word in ("result", "block range", "response size"))


def _parts(rpc_url: str) -> SplitResult:
    """The address in parts. Raises ``BadInput``, without repeating it, for what no connection can be made to."""
    try:
        parts = urlsplit(rpc_url.strip())
        host = (parts.hostname or "").encode("idna")
        sound = parts.scheme in ("http", "https") and host and parts.port != 0
        if sound and rpc_url.isascii() and not any(character.isspace() for character in rpc_url.strip()):
            return parts
    except ValueError:  # a port that is no number, a host no DNS knows, letters that must be escaped
        pass
    raise BadInput(
        "the RPC address of the origin node must be a URL that begins with http:// or https://",
        next_command="check the address after --rpc-url or --upstream",
    )


_NOTHING: Final = r"(?!)"
"""Matches no text."""


def _secret_pattern(parts: SplitResult, authorization: str) -> re.Pattern[str]:
    """What of an address may be a key, in any spelling: user and password, the query, the path's segments."""
    found = [parts.username or "", parts.password or "", parts.fragment, authorization.removeprefix("Basic ")]
    found += re.split(r"[&=;]", parts.query)
    # A plain word in the path, such as a network's name, is no key and may stand in any reply.
    found += [item for item in parts.path.split("/") if not (item.isalpha() and item.islower() and len(item) < 16)]
    found += [unquote_plus(item) for item in found]
    kept = sorted({re.escape(item) for item in found if len(item) >= _MIN_SECRET_CHARS})
    return re.compile("|".join(kept) or _NOTHING, re.IGNORECASE)
