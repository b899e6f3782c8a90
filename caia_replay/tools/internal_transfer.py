"""Coins that moved below a transaction, and why one failed: by recorded traces, by the explorer, or by running it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from caia_replay.chain.rpc_guard import MOST_GAS
from caia_replay.errors import Miss, ToolError, one_line
from caia_replay.tools.chain_call import scaled
from caia_replay.tools.explorer import ETHERSCAN
from caia_replay.tools.interface import Interface, decoded_call

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

COIN_DECIMALS: Final = 18
TRACE: Final = "the transaction's recorded trace"
_CALL_TRACER: Final = {"tracer": "callTracer"}
_CREATED: Final = ("CREATE", "CREATE2")
_MOST_ROWS: Final = 10_000
"""What the explorer gives on one page."""
_REVERT_DATA: Final = re.compile(r"\(data (0x[0-9a-f]{8,})\)$")


def internal_transfers(world: ToolContext, chain: str, transaction_hash: str, block: int) -> tuple[str, list[Any]]:
    """Calls that moved coins, and creations, below a transaction, and who says so. Raises ``Miss``.

    The explorer is asked first: not every node can be asked for a trace, and a recording ends where one refuses.
    """
    source = "the explorer"
    try:
        rows = [_of_row(row) for row in _explorer_rows(world, chain, transaction_hash, block)]
    except (Miss, KeyError, TypeError, ValueError) as missed:
        source = TRACE
        try:
            rows = [_of_call(call, failed) for call, failed in _below(_trace(world, chain, transaction_hash))]
        except (Miss, KeyError, TypeError, ValueError, AttributeError):
            raise Miss("trace", f"internal transfers of {transaction_hash}", chain) from missed
    return source, rows


def failure(
    world: ToolContext, chain: str, body: Mapping[str, Any], interface: Interface, traced: bool
) -> dict[str, Any]:
    """Why a failed transaction failed: by its trace, if ``traced``, or by the same call on the state before its block.

    ``reason`` is null where neither tells; ``error`` is the contract's own, by its verified interface.
    """
    try:
        trace = _trace(world, chain, body["hash"]) if traced else {}
        reason = trace.get("revertReason") or trace.get("error")
    except (Miss, AttributeError):
        reason = None
    if not reason:
        return _repeated(world, chain, body, interface)
    return {
        "reason": one_line(str(reason)),
        "error": _error(interface, str(trace.get("output") or "0x")),
        "source": TRACE,
    }


def _repeated(world: ToolContext, chain: str, body: Mapping[str, Any], interface: Interface) -> dict[str, Any]:
    block = int(body["blockNumber"], 16) - 1
    source = f"the same call run at the end of block {block}; earlier transactions of its own block are left out"
    call = {"from": body["from"], "data": body["input"], "value": body["value"]}
    call |= {"gas": hex(min(int(body["gas"], 16), MOST_GAS))} | ({"to": body["to"]} if body.get("to") else {})
    try:
        with world.fork(block, chain) as fork:
            fork.rpc("eth_call", [call, "latest"])
    except ToolError as refusal:
        data = _REVERT_DATA.search(str(refusal))
        value = _error(interface, data[1]) if data else None
        return {"reason": str(refusal), "error": value, "source": source}
    except Miss:
        return {"reason": None, "error": None, "source": "not recorded"}
    return {"reason": None, "error": None, "source": f"{source}: there it succeeds"}


def _error(interface: Interface, data: str) -> dict[str, Any] | None:
    """A contract's own error, by its verified interface."""
    signature = interface.errors.get(data[:10])
    found = decoded_call(signature, data) if signature else None
    return found and {"name": found["function"], "arguments": found["arguments"]}


def _trace(world: ToolContext, chain: str, transaction_hash: str) -> Any:
    with world.fork(chain=chain) as fork:
        return fork.rpc("debug_traceTransaction", [transaction_hash, _CALL_TRACER])


def _below(call: Mapping[str, Any], within_failed: bool = False) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The calls below one that move coins or create, depth first, and whether they or what they are part of failed."""
    failed = within_failed or bool(call.get("error"))
    for inner in call.get("calls") or ():
        ended = failed or bool(inner.get("error"))
        # A delegated call shows its caller's value, and moves nothing.
        moves = inner["type"] == "CALL" and int(inner.get("value") or "0x0", 16) > 0
        if moves or inner["type"] in (*_CREATED, "SELFDESTRUCT"):
            yield inner, ended
        yield from _below(inner, failed)


def _of_call(call: Mapping[str, Any], failed: bool) -> dict[str, Any]:
    created, kind = call["type"] in _CREATED, {"SELFDESTRUCT": "suicide"}.get(call["type"], "call")
    return _shown("create" if created else kind, call["from"], None if created else call.get("to"),
                  int(call.get("value") or "0x0", 16), call.get("to") if created else None, failed)  # fmt: skip


def _explorer_rows(world: ToolContext, chain: str, transaction_hash: str, block: int) -> list[Any]:
    """By the transaction's hash and, where that was not recorded, out of the list of its block."""
    asked: dict[str, str | int] = {
        "chainid": world.chain(chain).chain_id,
        "module": "account",
        "action": "txlistinternal",
    }
    try:
        return _rows(world.ask(ETHERSCAN, **asked, txhash=transaction_hash))
    except Miss as missed:
        span: dict[str, str | int] = {
            "startblock": block,
            "endblock": block,
            "page": 1,
            "offset": _MOST_ROWS,
            "sort": "asc",
        }
        try:
            rows = _rows(world.ask(ETHERSCAN, **asked, **span))
        except Miss:
            raise missed from None
        if len(rows) >= _MOST_ROWS:
            raise missed from None
        return [row for row in rows if row.get("hash") == transaction_hash]


def _rows(content: Any) -> list[Any]:
    rows = content.get("result") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Miss("trace", "internal transactions", "what was recorded is no list")
    return rows


def _of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    created = row.get("contractAddress") or None
    return _shown(row["type"], row["from"], row["to"] or None, int(row["value"]), created, row["isError"] == "1")


def _shown(kind: str, sender: str, to: str | None, wei: int, created: str | None, failed: bool) -> dict[str, Any]:
    return {
        "type": kind,
        "from": sender,
        "to": to,
        "value_wei": str(wei),
        "value": scaled(wei, COIN_DECIMALS),
        "created_contract": created,
        "failed": failed,
    }
