"""JSON-RPC over HTTP on loopback, for one chain: a plain archive node, or an Anvil that may be written to.

What is not recorded is one JSON-RPC error that names the account, slot or block, and the command that would bring it.
Each such miss is counted, and told to whoever listens: ``MissLog`` keeps them in a file for ``rpc why-miss``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.chain.column import json_text
from caia_replay.chain.plain_node import UnknownMethod
from caia_replay.chain.rpc_connection import MOST_BYTES
from caia_replay.errors import BadInput, ForkFault, Miss, MissDetail, ToolError, WallLimit, one_line
from caia_replay.interop.rpc_error import REFUSED, call_fault, id_of, rpc_error
from caia_replay.loopback import BodyRoom, Limits, Receive, Send, read_body

_MALFORMED: Final = -32600
_NOT_JSON: Final = -32700
_UNKNOWN: Final = -32601
_MOST_AT_ONCE: Final = 1_000
_HEADERS: Final = [(b"content-type", b"application/json"), (b"x-content-type-options", b"nosniff")]
_SLOW: Final = frozenset(("eth_call", "eth_estimateGas"))
"""Methods that wait for Anvil; the others are looked up at once."""


class Answering(Protocol):
    """What answers one call at a time or many at once. Raises ``Miss``, ``ToolError`` and the faults of a fork."""

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        """The JSON result of one call."""


@dataclass(slots=True)
class MissLog:
    """The misses of one run, each once, in memory and, as they come, in ``file`` as JSON lines.

    The first line says which chain was served at which block. Raises ``OSError`` when the file cannot be written.
    """

    chain: str
    block: int
    file: Path | None = None
    found: dict[MissDetail, str] = field(default_factory=dict)
    """What was missed, and by which method first."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Begin the file anew."""
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json_text({"block": self.block, "chain": self.chain}) + "\n", "utf-8")

    def add(self, method: str, detail: MissDetail) -> None:
        """Keep one more miss."""
        with self._lock:
            if detail in self.found:
                return
            self.found[detail] = method
            if self.file is not None:
                row = {name: getattr(detail, name) for name in ("kind", "wanted", "where", "nearest")}
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(json_text({"method": method, **row}) + "\n")

    @property
    def count(self) -> int:
        """How many different things were missed."""
        return len(self.found)

    def lines(self) -> list[str]:
        """One line for people for each thing that was missed, in a fixed order."""
        return sorted(miss_line(method, detail) for detail, method in self.found.items())


def miss_line(method: str, detail: MissDetail) -> str:
    """A miss in one line: what was missing, who asked first, and the nearest recorded row."""
    near = f"; nearest: {detail.nearest}" if detail.nearest else ""
    return one_line(f"missed: {detail.kind} {detail.wanted} ({detail.where}), asked by {method}{near}")


class RpcNode:
    """The ASGI application. ``advice`` is a command that would bring what is missing; "" when there is none."""

    limits: Final = Limits(connections=1_000, idle_s=300, request_s=30)

    def __init__(
        self,
        node: Answering,
        on_miss: Callable[[str, MissDetail], None],
        *,
        advice: str = "",
        waits: bool = False,
        watch: Callable[[str, Sequence[Any]], None] | None = None,
    ) -> None:
        """``waits``: every answer may take long, as those of another node do. ``watch`` is told of each call."""
        self._node, self._on_miss, self._advice = node, on_miss, advice
        self._waits, self._watch = waits, watch
        self._room = BodyRoom(64 * 2**20)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        with self._room.share() as take:
            body = await read_body(receive, take)
            if scope["method"] != "POST":
                status, content = 405, canonical_bytes({"error": "this is a JSON-RPC node: POST a call"})
            else:
                status, content = 200, await self._reply(body)
        headers = [*_HEADERS, (b"content-length", b"%d" % len(content))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})

    async def _reply(self, body: bytes) -> bytes:
        if len(body) > MOST_BYTES:
            return canonical_bytes(_error(None, _MALFORMED, f"a body has at most {MOST_BYTES} bytes"))
        try:
            asked = strict_json(body)
        except ValueError as fault:
            return canonical_bytes(_error(None, _NOT_JSON, f"not JSON: {fault}"))
        if isinstance(asked, list) and not 0 < len(asked) <= _MOST_AT_ONCE:
            return canonical_bytes(_error(None, _MALFORMED, f"a batch has 1 to {_MOST_AT_ONCE} calls"))
        calls = asked if isinstance(asked, list) else [asked]
        slow = self._waits or any(isinstance(call, dict) and call.get("method") in _SLOW for call in calls)
        answers = await asyncio.to_thread(self._all, calls) if slow else self._all(calls)
        if not answers:
            return b""
        return canonical_bytes(answers if isinstance(asked, list) else answers[0])

    def _all(self, calls: Sequence[Any]) -> list[dict[str, Any]]:
        return [answer for answer in map(self._one, calls) if answer is not None]

    def _one(self, call: Any) -> dict[str, Any] | None:
        """One call's answer; None for a notification, which asks for none."""
        number, fault = id_of(call), call_fault({"params": [], **call} if _no_params(call) else call)
        if fault:
            return _error(number, _MALFORMED, fault)
        if "id" not in call:
            return None
        method, params = call["method"], call.get("params") or []
        if self._watch is not None:
            self._watch(method, params)
        try:
            return {"jsonrpc": "2.0", "id": number, "result": self._node.answer(method, params)}
        except Miss as miss:
            self._on_miss(method, miss.detail)
            return {"jsonrpc": "2.0", "id": number, "error": self._miss_error(miss.detail)}
        except UnknownMethod as refused:
            return _error(number, _UNKNOWN, str(refused))
        except (BadInput, ToolError, ForkFault, WallLimit) as refused:
            return {"jsonrpc": "2.0", "id": number, "error": rpc_error(refused)}

    def _miss_error(self, detail: MissDetail) -> dict[str, Any]:
        told = f"not recorded: {detail.kind} {detail.wanted} ({detail.where})"
        data = {"kind": detail.kind, "wanted": detail.wanted, "where": detail.where}
        if self._advice:
            told = f"{told}; next: {self._advice}"
        return {"code": REFUSED, "message": told, "data": data}


def _no_params(call: Any) -> bool:
    return isinstance(call, dict) and call.get("params") is None


def _error(number: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
