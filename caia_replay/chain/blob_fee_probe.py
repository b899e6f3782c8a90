"""Asking a node which blob base fee it tells code, and whether the code of a call reads it.

Both take Anvil: an eth_call with a state override for the first, a tracer in JavaScript for the second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from caia_replay.core.task import ZERO_ADDRESS

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_LAST_PRECOMPILE: Final = 0xFFFF
"""Above every address whose code cannot be overridden, since it is not code."""

_TELLS_BLOB_FEE: Final = "0x4a60005260206000f3"
"""Bytecode that returns BLOBBASEFEE."""

MOST_STEPS: Final = 200_000
"""Of one traced call: two seconds, where a call that uses up its gas would take more than a minute."""

CLEAR: Final = 0
READ: Final = 1
"""What the tracer says of a call; any other word means that it ran too long to be followed."""

_TOO_LONG: Final = 2
BLOB_FEE_TRACER: Final = f"""{{
    found: {CLEAR}, steps: 0,
    step: function(log) {{
        if (log.op.toNumber() == 0x4a) this.found = {READ};
        if (++this.steps > {MOST_STEPS}) {{ if (!this.found) this.found = {_TOO_LONG}; throw "too long"; }}
    }},
    fault: function() {{}},
    result: function() {{ return this.found; }}
}}"""


def blob_fee_probe(call: Any) -> tuple[dict[str, str], dict[str, dict[str, str]]] | None:
    """A call from the same sender to the same account (or to the sender), and a state override that makes
    it tell the blob base fee; None where no account of the call can be given code."""
    if not isinstance(call, Mapping):
        return None
    sender, to = call.get("from") or ZERO_ADDRESS, call.get("to") or call.get("from") or ZERO_ADDRESS
    if any(not isinstance(address, str) or not _ADDRESS.fullmatch(address) for address in (sender, to)):
        return None
    if 0 < int(to, 16) <= _LAST_PRECOMPILE:
        return None
    return {"from": sender, "to": to}, {to: {"code": _TELLS_BLOB_FEE}}
