"""A task's frozen world over plain HTTP on loopback, so that a client in any language can be pointed at it.

    GET  /                       what is served, and how the calls so far were served
    any  /<host>/<path>?<query>  the API of https://<host>, or http where it was recorded so alone: a recorded answer,
                                 or one narrowed from recordings
    POST /rpc                    JSON-RPC on the fork at the task's block, guarded as the tools are

A client that keeps the vendor's name in its Host header needs no prefix. What is not recorded is answered with 501 and
``{"error": {"type": "unavailable", ...}}`` (a JSON-RPC error on /rpc): no vendor's status, so that no client takes a
hole in the world for a fact about it. What clients ask of a server before they begin, and what says nothing of the
world, is answered in our own name. The Date of every answer is the world's clock.

Whatever a client sends, the fork behind goes on: what no node could read is refused here, and what a client holds open
is bounded in number, time and memory.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from email.utils import formatdate
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.identity import fields
from caia_replay.cassette.url import CanonicalUrl
from caia_replay.chain.rpc_guard import BLOCK_AT
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.tool import UNAVAILABLE, Served
from caia_replay.errors import BadInput, ForkFault, Miss, MissDetail, ToolError, WallLimit
from caia_replay.interop.rpc_error import TOO_LATE, RpcError, call_fault, id_of, rpc_error
from caia_replay.loopback import LOCAL, BodyRoom, Limits, Receive, Send, headers_of, read_body, target_of
from caia_replay.providers.search_api.provider import ORIGIN as SEARCH
from caia_replay.providers.search_api.provider import SearchApiProvider, question_of, result_list
from caia_replay.world.world import TaskWorld

MISSED: Final = 501
_RPC_MISSED: Final = -32004
_RPC_MALFORMED: Final = -32600
_RPC_TOO_MUCH: Final = -32003
_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?(:\d+)?", re.IGNORECASE)
_KEPT_HEADERS: Final = ("content-type", "link", "retry-after")
"""Of a recording's headers, those that mean something to whoever reads the replay."""
_ALWAYS: Final = {
    # A recorded page that a browser shows must not ask on in our name.
    "content-security-policy": "sandbox",
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
}
_MOST_AT_ONCE: Final = 1_000
_LONGEST_RPC_BYTES: Final = 2 * 2**20
"""As much as the node reads of one call."""
_MOST_ANSWERED_BYTES: Final = 25 * 2**20
"""Of one batch."""
_MOST_MISSES: Final = 10_000
_EXECUTED: Final = frozenset(
    ("eth_call", "eth_estimateGas", "eth_getBalance", "eth_getCode", "eth_getStorageAt", "eth_getTransactionCount")
)
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,16}")
_OF_THE_NODE: Final[Mapping[str, Any]] = {
    "eth_accounts": [],
    "eth_maxPriorityFeePerGas": "0x0",
    "eth_syncing": False,
    "net_listening": True,
    "net_peerCount": "0x0",
    "web3_clientVersion": "caia-replay",
}
"""What a node says of itself: it has no keys and no peers, and on a frozen chain nobody outbids anybody."""
_GAS_PRICE: Final = "eth_gasPrice"
_OF_THE_SERVER: Final[Mapping[str, Callable[[int], Any]]] = {
    "api.coingecko.com/api/v3/ping": lambda now: {"gecko_says": "caia-replay"},
    **{f"{host}/ping": lambda now: {} for host in ("api.binance.com/api/v3", "fapi.binance.com/fapi/v1")},
    **{
        f"{host}/time": lambda now: {"serverTime": now * 1000}
        for host in ("api.binance.com/api/v3", "fapi.binance.com/fapi/v1")
    },
}
"""Whether a vendor is there, and what time it is there: by the world's clock, in seconds."""


class Gateway:
    """The ASGI application over one task's world. One call at a time: a world belongs to one run.

    ``question`` is told to whoever asks what is here. ``misses`` are the first of those that were counted.
    """

    limits: Final = Limits(connections=256, idle_s=300, request_s=30)

    def __init__(self, world: TaskWorld, question: str = "") -> None:
        self.served: Counter[Served] = Counter()
        self.misses: list[MissDetail] = []
        self._world, self._question = world, question or world.task.question
        self._search = SearchApiProvider()
        self._turn = threading.Lock()
        self._room = BodyRoom(32 * 2**20)

    @cached_property
    def origins(self) -> frozenset[str]:
        """``https://host`` of every vendor that this world was recorded from, and of the search API."""
        recorded = self._world.world.recordings(None).questions()
        return frozenset(f"https://{fields(key)['host']}" for key in recorded) | {SEARCH}

    @cached_property
    def _unencrypted(self) -> frozenset[str]:
        """``host:port`` of what was recorded over http alone; a path here names no scheme."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for key in self._world.world.recordings(None).questions():
            url = CanonicalUrl(*(fields(key)[name] for name in ("scheme", "host", "port", "path", "query")))
            found[url.scheme == "http"].add(urlsplit(url.text()).netloc)
        return frozenset(found[True] - found[False])

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        headers, target = headers_of(scope), target_of(scope)
        kept: dict[str, str]
        if target == "/" and LOCAL.fullmatch(headers.get("host", "")):  # answered whatever else is going on
            status, kept, content = 200, {}, canonical_bytes(self.about())
        else:
            with self._room.share() as take:
                body = await read_body(receive, take)
                status, kept, content = await asyncio.to_thread(
                    self._one_at_a_time, scope["method"], target, headers, body
                )
        told = {**_ALWAYS, "date": formatdate(self._world.clock.now, usegmt=True), **kept}
        raw = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in sorted(told.items())]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})

    def _one_at_a_time(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        with self._turn:
            host = headers.get("host", "")
            if not LOCAL.fullmatch(host):
                return self._api(HttpRequest(method, f"https://{host}{target}", body, headers))
            if target == "/rpc":
                return 200, {}, self._rpc(body)
            host, _, rest = target[1:].partition("/")
            return self._api(HttpRequest(method, f"https://{host}/{rest}", body, headers))

    def about(self) -> dict[str, Any]:
        """What is served here: the task, its moment, and how the calls so far were served."""
        anchor = self._world.anchor
        return {
            "task": self._world.task.id,
            "question": self._question,
            "world": self._world.world.folder.info.id,
            "provenance": self._world.world.folder.info.provenance,
            "anchor": {"chain": anchor.chain, "block": anchor.block, "timestamp": anchor.timestamp},
            "use": {"api": "/<host>/<path>", "json_rpc": "/rpc"},
            "served": {str(kind): self.served[kind] for kind in Served if self.served[kind]},
        }

    def _api(self, request: HttpRequest) -> tuple[int, dict[str, str], bytes]:
        try:
            if not _HOST.fullmatch(urlsplit(request.url).netloc):
                raise BadInput(f"{urlsplit(request.url).netloc!r:.80} is no host", next_command="/<host>/<path>")
            reply = self._answered(request)
        except Miss as miss:
            self._count(miss)
            return MISSED, {}, canonical_bytes({"error": dict(UNAVAILABLE)})
        except (BadInput, ToolError, ValueError) as fault:
            self.served[Served.ERROR] += 1
            return 400, {}, canonical_bytes(_bad(str(fault)))
        return reply.status, {name: reply.headers[name] for name in _KEPT_HEADERS if name in reply.headers}, reply.body

    def _answered(self, request: HttpRequest) -> HttpReply:
        if self._search.match(request):  # as web_search: always ranked by the local index
            asked = question_of(request)
            found = self._world.search(asked.query, asked.limit, asked.offset, asked.tbs)
            self.served[Served.RANKED] += 1
            return HttpReply(200, {}, canonical_bytes(result_list(asked, found, self._world.clock.now)))
        own = _OF_THE_SERVER.get(request.url.partition("://")[2]) if request.method == "GET" else None
        if own is not None:
            self.served[Served.COMPUTED] += 1
            return HttpReply(200, {}, canonical_bytes(own(self._world.clock.now)))
        rest = request.url.partition("://")[2]
        if rest.partition("/")[0].lower() in self._unencrypted:
            request = replace(request, url=f"http://{rest}")
        reply, served = self._world.answer(request)
        self.served[served] += 1
        return reply

    def _rpc(self, body: bytes) -> bytes:
        if len(body) > _LONGEST_RPC_BYTES:
            return canonical_bytes(_error(None, _RPC_MALFORMED, f"a body has at most {_LONGEST_RPC_BYTES} bytes"))
        try:
            asked = strict_json(body)
        except ValueError as fault:
            return canonical_bytes(_error(None, -32700, f"not JSON: {fault}"))
        if not isinstance(asked, list):
            answer = self._call(asked)
            return b"" if answer is None else canonical_bytes(answer)
        if not 0 < len(asked) <= _MOST_AT_ONCE:
            return canonical_bytes(_error(None, _RPC_MALFORMED, f"a batch has 1 to {_MOST_AT_ONCE} calls"))
        items, size, ended = list[bytes](), 0, None
        for call in asked:
            answer = self._call(call, ended)
            if answer is None:
                continue
            if answer.get("error", {}).get("code") == TOO_LATE:
                ended = answer["error"]  # a batch of slow calls would hold up everybody for hours
            item = canonical_bytes(answer)
            size += len(item)
            if size > _MOST_ANSWERED_BYTES and ended is None:
                ended = {"code": _RPC_TOO_MUCH, "message": f"a batch is answered with {_MOST_ANSWERED_BYTES} bytes"}
            items.append(item)
        return b"[" + b",".join(items) + b"]" if items else b""

    def _call(self, call: Any, ended: RpcError | None = None) -> dict[str, Any] | None:
        """One call's answer; None for a notification, which asks for none. ``ended`` answers in place of the world."""
        number, fault = id_of(call), call_fault(call)
        if fault:
            return _error(number, _RPC_MALFORMED, fault)
        if "id" not in call:
            return None
        if ended is not None:
            return _failed(number, ended)
        if call["method"] in _OF_THE_NODE:
            self.served[Served.COMPUTED] += 1
            return {"jsonrpc": "2.0", "id": number, "result": _OF_THE_NODE[call["method"]]}
        try:
            height, params = self._stand(call["method"], call.get("params", []))
            with self._world.fork(height) as fork:
                if call["method"] == _GAS_PRICE:
                    result = _base_fee(fork.rpc("eth_getBlockByNumber", ["latest", False]))
                else:
                    result = fork.rpc(call["method"], params)
        except Miss as miss:
            self._count(miss)
            return _error(number, _RPC_MISSED, UNAVAILABLE["message"])
        except (BadInput, ToolError, ForkFault, WallLimit) as refused:
            self.served[Served.ERROR] += 1
            return _failed(number, rpc_error(refused))
        self.served[Served.COMPUTED if call["method"] == _GAS_PRICE else Served.FORK] += 1
        return {"jsonrpc": "2.0", "id": number, "result": result}

    def _stand(self, method: str, params: list[Any]) -> tuple[int | None, list[Any]]:
        """Where a call that names an earlier block is executed: on a fork pinned there, whose newest block it is."""
        at = BLOCK_AT.get(method)
        if method not in _EXECUTED or at is None or len(params) <= at:
            return None, params
        named = params[at]
        if not (isinstance(named, str) and _NUMBER.fullmatch(named) and int(named, 16) < self._world.anchor.block):
            return None, params
        return int(named, 16), [*params[:at], "latest", *params[at + 1 :]]

    def _count(self, miss: Miss) -> None:
        # What is missing, and what is recorded nearby, is kept for people: it must not betray an answer to a client.
        self.served[Served.MISS] += 1
        if len(self.misses) < _MOST_MISSES:
            self.misses.append(miss.detail)  # the exception would keep the request it came of


def _base_fee(header: Mapping[str, Any]) -> str:
    """What the newest block's header asks of every transaction. Raises ``ToolError`` before there were base fees."""
    fee = header.get("baseFeePerGas")
    if not isinstance(fee, str):
        raise ToolError("eth_gasPrice is the newest block's base fee, and its header has none")
    return fee


def _bad(message: str) -> dict[str, Any]:
    return {"error": {"type": "bad_request", "message": message}}


def _error(number: Any, code: int, message: str) -> dict[str, Any]:
    return _failed(number, {"code": code, "message": message})


def _failed(number: Any, error: RpcError) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": error}
