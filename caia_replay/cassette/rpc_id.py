"""The JSON-RPC id: taken out of a question's identity, put back into its answer's bytes.

A client counts its ids up, so the same question comes with another id every time. The answer must carry the id of
the request it answers, and nothing else of the recorded bytes may move.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from caia_replay.canonical import require_shallow

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_ABSENT = object()

RpcIds = tuple[str | None, ...]
"""The ids of a request in order, each as JSON text; None for a notification, which has no id."""


@dataclass(frozen=True, slots=True)
class IdSlots:
    """A reply cut at its ids: ``pieces`` has one element more than ``ids`` (JSON texts, in the reply's order)."""

    pieces: tuple[bytes, ...]
    ids: tuple[str, ...]

    def filled(self, new: RpcIds, recorded: RpcIds | None = None) -> bytes:
        """The reply's bytes with each id replaced by the new id of the request it answers.

        ``recorded`` holds the ids of the recorded request: a reply's id is looked up there, because a server may
        answer a batch in any order. Without it, or when it repeats an id, replies go by position. An id that answers
        no request (null in an error reply) stays as recorded.
        """
        values = self.ids
        if recorded is not None and len(set(recorded)) == len(recorded) == len(new):
            answer = {old: fresh for old, fresh in zip(recorded, new) if old is not None and fresh is not None}
            values = tuple(answer.get(old, old) for old in self.ids)
        elif (given := [fresh for fresh in new if fresh is not None]) and len(given) == len(self.ids):
            values = tuple(old if old == "null" else fresh for old, fresh in zip(self.ids, given))
        parts = [self.pieces[0]]
        for value, piece in zip(values, self.pieces[1:]):
            parts += (value.encode("utf-8", "surrogatepass"), piece)
        return b"".join(parts)


def rpc_ids(value: Any) -> RpcIds | None:
    """The ids of a parsed JSON-RPC request or batch, or None when ``value`` is neither."""
    if isinstance(value, dict):
        return (_id_text(value),) if "jsonrpc" in value else None
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) and "jsonrpc" in one for one in value):
        return None
    return tuple(_id_text(call) for call in value)


def _id_text(call: dict[str, Any]) -> str | None:
    value = call.get("id", _ABSENT)
    if type(value) is int:
        return str(value)
    return None if value is _ABSENT else json.dumps(value)


def id_slots(reply_body: bytes) -> IdSlots | None:
    """Where a JSON-RPC reply or batch of replies holds its ids, or None when it is neither."""
    try:
        require_shallow(reply_body)
        text = reply_body.decode("utf-8")
        spans = _spans(text)
    except (ValueError, IndexError):
        return None
    if not spans:
        return None
    cuts = [0, *(cut for start, end, _ in spans for cut in (start, end)), len(text)]
    pieces = tuple(text[cuts[i] : cuts[i + 1]].encode() for i in range(0, len(cuts), 2))
    return IdSlots(pieces, tuple(value for _, _, value in spans))


def _spans(text: str) -> list[tuple[int, int, str]]:
    """(start, end, id as JSON text) per reply; raises ValueError or IndexError where the text is not JSON."""
    at = _skip(text, 0)
    spans: list[tuple[int, int, str]] = []
    if text[at] != "[":
        _object(text, at, spans)
        return spans
    at = _skip(text, at + 1)
    while text[at] != "]":
        at = _skip(text, _object(text, at, spans))
        if text[at] == ",":
            at = _skip(text, at + 1)
        elif text[at] != "]":
            raise ValueError("not a JSON array")
    return spans


def _object(text: str, at: int, spans: list[tuple[int, int, str]]) -> int:
    """Walk one object's own members, add its id when it is a JSON-RPC reply, and return where it ends."""
    if text[at] != "{":
        raise ValueError("not an object")
    found: list[tuple[int, int, str]] = []
    is_rpc = False
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] != ":":
            raise ValueError("no value")
        start = _skip(text, at + 1)
        value, end = _DECODER.raw_decode(text, start)
        is_rpc = is_rpc or name == "jsonrpc"
        if name == "id":
            found.append((start, end, json.dumps(value)))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    if is_rpc and len(found) == 1:
        spans += found
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _SPACE:
        at += 1
    return at
