"""Calls of Solana's JSON-RPC: one request's calls, each in one spelling, and the recorded results of each.

Defaults that the vendor documents are left out of a call (``commitment`` finalized, ``encoding`` json of blocks and
transactions), so that a call that names them is the same call. The JSON-RPC id never counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at

_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "getBlock": {"encoding": "json", "transactionDetails": "full", "rewards": True},
    "getTransaction": {"encoding": "json"},
    "getSignaturesForAddress": {"limit": 1_000},
}
_POSITIONS: Final[Mapping[str, int]] = {
    "getSlot": 0, "getBlockHeight": 0, "getEpochInfo": 0, "getVersion": 0, "getGenesisHash": 0, "getSupply": 0,
}  # fmt: skip
"""Where a method's options stand among its parameters; most have them second."""
_MOST_CALLS: Final = 100


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its positional ``subject``, and its options without those that are the vendor's defaults."""

    method: str
    subject: tuple[Any, ...]
    options: Mapping[str, Any]
    id: Any

    @property
    def key(self) -> bytes:
        """Equal for calls that ask the same."""
        return canonical_bytes([self.method, list(self.subject), dict(self.options)])

    def without(self, *names: str) -> dict[str, Any]:
        """The options that are not named here."""
        return {name: value for name, value in self.options.items() if name not in names}

    def request(self, options: Mapping[str, Any], like: HttpRequest) -> HttpRequest:
        """The same call alone with these options, sent as ``like`` was."""
        params = [*self.subject, *([dict(options)] if options else [])]
        body = {"jsonrpc": "2.0", "id": 1, "method": self.method, "params": params}
        return HttpRequest("POST", like.url, canonical_bytes(body), like.headers)


@dataclass(frozen=True, slots=True)
class Told:
    """What one call was answered: ``part`` holds ``result`` or ``error``. ``made`` is when, if that is known.

    ``whole`` is the recorded reply, where the call was its only one.
    """

    call: Call
    part: Mapping[str, Any]
    made: int | None
    whole: HttpReply | None

    @property
    def result(self) -> Any:
        """The result; None for an error."""
        return self.part.get("result")


def calls_of(request: HttpRequest) -> tuple[list[Call], bool]:
    """A request's calls, and whether they were sent as a batch. Raises ``Miss`` for a body that is none."""
    wanted = f"POST {request.body.decode('utf-8', 'replace'):.200}"
    try:
        body = strict_json(request.body)
    except ValueError as fault:
        raise Miss("http", wanted, "a body that is no JSON-RPC") from fault
    sent = body if isinstance(body, list) else [body]
    calls = [call for one in sent if (call := _call(one)) is not None]
    if not calls or len(calls) != len(sent) or len(calls) > _MOST_CALLS:
        raise Miss("http", wanted, "a body that is no JSON-RPC call with an id, or none this long")
    return calls, isinstance(body, list)


def told_by(recorded: Sequence[Recorded], methods: frozenset[str]) -> Iterator[Told]:
    """What was recorded of calls of these methods, alone or in batches. Bodies of other methods are not looked at."""
    for found in recorded:
        if found.reply.status != 200 or not any(method.encode() in found.request.body for method in methods):
            continue
        try:
            calls, is_batch = calls_of(found.request)
            body = strict_json(found.reply.body)
        except (Miss, ValueError):
            continue
        made = answered_at(found.reply)
        if not is_batch:
            if calls[0].method in methods and _is_answer(body):
                yield Told(calls[0], body, made, found.reply)
            continue
        parts = _by_id(body)
        for call in calls:
            part = parts.get(canonical_bytes(call.id))
            if call.method in methods and part is not None and len(parts) == len(calls):
                yield Told(call, part, made, None)


def answer(part: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """A call's answer as it is sent: its result or error under its id."""
    name = "error" if isinstance(part.get("error"), dict) else "result"
    return {"jsonrpc": "2.0", name: part[name], "id": call.id}


def _call(one: Any) -> Call | None:
    if not isinstance(one, dict) or "jsonrpc" not in one or "id" not in one or not isinstance(one.get("method"), str):
        return None
    params = one.get("params", [])
    if not isinstance(params, list) or isinstance(one["id"], dict | list):
        return None
    method, place = one["method"], _POSITIONS.get(one["method"], 1)
    options: dict[str, Any] = {}
    if len(params) == place + 1 and isinstance(params[place], dict):
        options, params = dict(params[place]), params[:place]
    if options.get("commitment") == "finalized":
        del options["commitment"]
    for name, value in _DEFAULTS.get(method, {}).items():
        if name in options and canonical_bytes(options[name]) == canonical_bytes(value):
            del options[name]
    return Call(method, tuple(params), options, one["id"])


def _is_answer(body: Any) -> bool:
    return isinstance(body, dict) and ("result" in body) != isinstance(body.get("error"), dict)


def _by_id(body: Any) -> dict[bytes, Mapping[str, Any]]:
    """A batch's answers by their ids; nothing where two have one."""
    if not isinstance(body, list) or not all(_is_answer(one) for one in body):
        return {}
    found = {canonical_bytes(one.get("id")): one for one in body}
    return found if len(found) == len(body) else {}
