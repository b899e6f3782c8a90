"""A node's refusal as the JSON-RPC error it was, so that a client raises what it would raise on any node.

A fork tells a refusal in words and puts what a revert returned behind them: ``... (data 0x08c379a0...)``. Clients read
the reason from that data, by the code nodes give such an error.
"""

from __future__ import annotations

import re
from typing import Final, NotRequired, TypedDict

from caia_replay.errors import ForkFault, ToolError

REVERTED: Final = 3
"""The code nodes give a revert that carries data."""
REFUSED: Final = -32000
"""The code of everything else that a node does not do."""

_DATA: Final = re.compile(r" \(data (0x[0-9a-f]+)\)$")


class RpcError(TypedDict):
    """The ``error`` of a JSON-RPC answer; ``data`` is what a revert returned, in hexadecimal digits."""

    code: int
    message: str
    data: NotRequired[str]


def rpc_error(fault: ToolError | ForkFault) -> RpcError:
    """What a node would have said; of a revert with data the words without it."""
    words = str(fault)
    data = _DATA.search(words)
    if data is None:
        return {"code": REFUSED, "message": words}
    return {"code": REVERTED, "message": words[: data.start()], "data": data[1]}
