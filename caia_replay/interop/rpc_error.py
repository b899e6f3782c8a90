"""What JSON-RPC says of a call that has no result: as any node says it, so that clients raise what they always do.

A fork tells a refusal in words and puts what a revert returned behind them: ``... (data 0x08c379a0...)``. Clients read
the reason from that data, by the code nodes give such an error. A call that the node behind could not even read must
not reach it: it would answer without saying to which call, and be replaced for that.
"""

from __future__ import annotations

import re
from typing import Any, Final, NotRequired, TypedDict

from caia_replay.errors import BadInput, ForkFault, ToolError, WallLimit

REVERTED: Final = 3
"""The code nodes give a revert that carries data."""
REFUSED: Final = -32000
"""The code of everything else that a node does not do."""
TOO_LATE: Final = -32002
"""The code nodes give a call that takes too long."""

_DATA: Final = re.compile(r" \(data (0x[0-9a-f]+)\)$")
_NUMBERS: Final = range(-(2**63), 2**64)
_DEEPEST: Final = 32
"""Lists and objects in one another; an access list is four deep."""


class RpcError(TypedDict):
    """The ``error`` of a JSON-RPC answer; ``data`` is what a revert returned, in hexadecimal digits."""

    code: int
    message: str
    data: NotRequired[str]


def rpc_error(fault: BadInput | ToolError | ForkFault | WallLimit) -> RpcError:
    """What a node would have said; of a revert with data the words without it."""
    words = str(fault)
    data = _DATA.search(words)
    if isinstance(fault, WallLimit):
        return {"code": TOO_LATE, "message": words}
    if data is None:
        return {"code": REFUSED, "message": words}
    return {"code": REVERTED, "message": words[: data.start()], "data": data[1]}


def id_of(call: Any) -> str | int | float | None:
    """The id to answer with: of a parsed call whose id cannot be told again, null."""
    number = call.get("id") if isinstance(call, dict) else None
    return number if _is_id(number) else None


def call_fault(call: Any) -> str:
    """Why a parsed call is none that a node reads; empty for one that is."""
    if not (isinstance(call, dict) and isinstance(call.get("method"), str) and call["method"].isascii()):
        return "a call is an object with a method and params"
    if not _is_id(call.get("id")):
        return "an id is a text, a number of 64 bits or null"
    params = call.get("params", [])
    return _params_fault(params) if isinstance(params, list) else "params is a list"


def _is_id(number: Any) -> bool:
    if isinstance(number, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in number)
    return number is None or isinstance(number, float) or (type(number) is int and number in _NUMBERS)


def _params_fault(params: list[Any]) -> str:
    left: list[tuple[Any, int]] = [(params, 1)]
    while left:
        value, depth = left.pop()
        if isinstance(value, str) and not value.isascii():
            return "a text in params is ASCII"
        if isinstance(value, int) and value not in _NUMBERS:
            return "a number in params has 64 bits; a longer one is a text of 0x and hexadecimal digits"
        if isinstance(value, list | dict):
            if depth > _DEEPEST:
                return f"params are nested more than {_DEEPEST} deep"
            left += [(item, depth + 1) for item in value]  # an object's keys
            if isinstance(value, dict):
                left += [(item, depth + 1) for item in value.values()]
    return ""
