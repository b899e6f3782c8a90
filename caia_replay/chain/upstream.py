"""The loopback JSON-RPC server an Anvil forks from; it believes that this is the real chain.

Answers come from ``node_answer`` on one snapshot up to a pin. A miss is JSON-RPC error -32000,
the form that Anvil passes on within milliseconds (it retries HTTP 429 for seconds, and reads null
or "0x0" as silently nothing), and it is kept and counted: not every miss reaches the client,
because Anvil mines an *empty* block when a transaction it already accepted cannot be executed.

Every pin has an address of its own. Anvil asks for one account in several requests at once, goes on
with the first answer, and the rest may arrive after the next pin: they are answered as of their own
pin, and a miss of theirs is not charged to a call that came later.

The addresses hold a secret as their password, and who does not send it finds nothing: a page in a browser may send here
as well as Anvil, and a question of its own would count as a miss of the call that runs. Anvil's errors name an address
without its password; a path they would tell.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.node_answer import answer
from caia_replay.errors import BadInput, ForkFault, Miss, MissDetail, ToolError
from caia_replay.loopback import LoopbackServer, Receive, Send, headers_of, read_body

_MISS: Final = -32000
_NOT_JSON: Final = -32700
_NOT_A_CALL: Final = -32600
_BAD_PARAMS: Final = -32602
_HEADERS: Final = [(b"content-type", b"application/json")]


class Upstream:
    """Serves one snapshot on 127.0.0.1, from its own daemon thread, until ``close``."""

    def __init__(self, snapshot: ChainSource, pin: int) -> None:
        self._snapshot = snapshot
        self._pins = [pin]
        self._misses: list[MissDetail] = []
        self._lock = threading.Lock()
        self._server: LoopbackServer | None = None
        self._login = f"fork:{secrets.token_hex(16)}"
        self._wanted = b"Basic " + base64.b64encode(self._login.encode())
        self.port = 0

    @property
    def url(self) -> str:
        """What Anvil is given as its fork URL while the present pin holds."""
        return f"http://{self._login}@127.0.0.1:{self.port}/{len(self._pins) - 1}"

    @property
    def fault(self) -> str:
        """Why it answers nobody; "" while it does."""
        return "" if self._server is None else self._server.fault

    @property
    def miss_count(self) -> int:
        """How many misses there were so far; compare before and after a call."""
        return len(self._misses)

    def miss(self, at: int) -> MissDetail:
        """One miss by its place in the order, from 0."""
        with self._lock:
            return self._misses[at]

    def set_pin(self, block: int) -> None:
        """From now on nothing past ``block`` exists, and ``url`` is another."""
        with self._lock:
            self._pins.append(block)

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        """One call of our own at the present pin. Raises ``Miss``, counted with the others, and ``ToolError``."""
        return self._answer(method, params, len(self._pins) - 1)

    def start(self) -> None:
        """Bind an OS-chosen port and serve. Raises ``ForkFault`` when that fails."""
        try:
            self._server = LoopbackServer(self._app, grace_s=0).start()
        except BadInput as fault:
            raise ForkFault(f"the upstream of {self._snapshot.name} did not start: {fault}") from fault
        self.port = self._server.port

    def close(self) -> None:
        """Stop serving and end the thread; open connections are dropped. May be called twice."""
        if self._server is not None:
            self._server.close()
        self._server = None

    async def _app(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if hmac.compare_digest(headers_of(scope).get("authorization", "").encode("latin-1"), self._wanted):
            pin_number = self._pin_number(scope["path"])
            status, reply = 200, canonical_bytes(self._reply(await read_body(receive), pin_number))
        else:
            status, reply = 404, b""
        headers = [*_HEADERS, (b"content-length", b"%d" % len(reply))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": reply})

    def _pin_number(self, path: str) -> int:
        """Which pin a request is about; a path that names none means the present one."""
        named = path.strip("/")
        present = len(self._pins) - 1
        return min(int(named), present) if named.isdecimal() and len(named) < 10 else present

    def _reply(self, body: bytes, pin_number: int) -> Any:
        try:
            call = strict_json(body)
        except ValueError as fault:
            return _error(None, _NOT_JSON, f"not JSON: {fault}")
        if isinstance(call, list) and call:
            return [self._one(item, pin_number) for item in call]
        return self._one(call, pin_number)

    def _one(self, call: Any, pin_number: int) -> dict[str, Any]:
        if not isinstance(call, dict) or not isinstance(call.get("method"), str):
            return _error(None, _NOT_A_CALL, "a call is an object with a method")
        params = call.get("params") or []
        if not isinstance(params, Sequence) or isinstance(params, str):
            return _error(call.get("id"), _BAD_PARAMS, "params must be a list")
        try:
            result = self._answer(call["method"], params, pin_number)
        except Miss as miss:
            return _error(call.get("id"), _MISS, str(miss))
        except ToolError as fault:
            return _error(call.get("id"), _BAD_PARAMS, str(fault))
        return {"jsonrpc": "2.0", "id": call.get("id"), "result": result}

    def _answer(self, method: str, params: Sequence[Any], pin_number: int) -> Any:
        try:
            return answer(self._snapshot, self._pins[pin_number], method, params)
        except Miss as miss:
            self._keep(miss.detail, pin_number)
            raise
        except BadInput as fault:
            # A file changed under our feet: no answer may come from it, so it counts as a miss.
            broken = Miss("state", f"{method}: {fault}", self._snapshot.name)
            self._keep(broken.detail, pin_number)
            raise broken from fault

    def _keep(self, detail: MissDetail, pin_number: int) -> None:
        with self._lock:
            if pin_number == len(self._pins) - 1:
                self._misses.append(detail)


def _error(call_id: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}}
