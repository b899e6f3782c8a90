"""Tokens and coins that moved in a transaction, and why one failed.

Tokens are told by the standard events among its logs; coins that moved below it by recorded traces or by the explorer;
a failure by its trace, or by running the call again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caia_replay.chain.rpc_guard import MOST_GAS
from caia_replay.errors import Miss, ToolError, one_line
from caia_replay.tools.chain_call import read_or_none, read_symbol, scaled
from caia_replay.tools.interface import ETHERSCAN, NOTHING_KNOWN, Interface, decoded_call, decoded_log

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

COIN_DECIMALS: Final = 18
TRACE: Final = "the transaction's recorded trace"
_CALL_TRACER: Final = {"tracer": "callTracer"}
_CREATED: Final = ("CREATE", "CREATE2")
_MOST_ROWS: Final = 10_000
"""What the explorer gives on one page."""
_REVERT_DATA: Final = re.compile(r"\(data (0x[0-9a-f]{8,})\)$")

_ALIKE: Final = "Transfer(address,address,uint256)"
_SINGLE: Final = "TransferSingle(address,address,address,uint256,uint256)"
_BATCH: Final = "TransferBatch(address,address,address,uint256[],uint256[])"


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
        return {"reason": None, "error": None, "source": "unavailable"}
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
    asked: dict[str, Any] = {"chainid": world.chain(chain).chain_id, "module": "account", "action": "txlistinternal"}
    try:
        return _rows(world.ask(ETHERSCAN, **asked, txhash=transaction_hash))
    except Miss as missed:
        span: dict[str, Any] = {"startblock": block, "endblock": block, "page": 1, "offset": _MOST_ROWS, "sort": "asc"}
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


@dataclass(frozen=True, slots=True)
class Moved:
    """One movement. ``token_id`` is None where the token's units are alike, ``raw`` where each is one of a kind."""

    standard: str
    token: str
    sender: str
    receiver: str
    token_id: str | None
    raw: str | None


def moved_tokens(logs: Iterable[Mapping[str, Any]]) -> Iterator[Moved]:
    """The movements of ERC-20, ERC-721 and ERC-1155 tokens in the order of their logs; batches one by one."""
    for log in logs:
        decoded = decoded_log(NOTHING_KNOWN, log["topics"], log["data"])
        if decoded is None:
            continue
        token, arguments = log["address"].lower(), decoded["arguments"]
        parties = (arguments.get("from", ""), arguments.get("to", ""))
        if decoded["event"] == _ALIKE and "value" in arguments:
            yield Moved("ERC-20", token, *parties, None, arguments["value"])
        elif decoded["event"] == _ALIKE:
            yield Moved("ERC-721", token, *parties, arguments["tokenId"], None)
        elif decoded["event"] == _SINGLE:
            yield Moved("ERC-1155", token, *parties, arguments["id"], arguments["value"])
        elif decoded["event"] == _BATCH and len(arguments["ids"]) == len(arguments["values"]):
            for token_id, raw in zip(arguments["ids"], arguments["values"], strict=True):
                yield Moved("ERC-1155", token, *parties, token_id, raw)


def shown_transfers(world: ToolContext, chain: str, block: int, moved: Iterable[Moved]) -> list[dict[str, Any]]:
    """Movements as the tool shows them, with what each token says of itself at the end of ``block``."""
    named: dict[str, tuple[str | None, int | None]] = {}
    shown = []
    for found in moved:
        if found.token not in named:
            named[found.token] = _named(world, chain, block, found.token)
        symbol, decimals = named[found.token]
        row: dict[str, Any] = {
            "standard": found.standard,
            "token": found.token,
            "symbol": symbol,
            "from": found.sender,
            "to": found.receiver,
        }
        if found.token_id is not None:
            row["token_id"] = found.token_id
        if found.raw is not None:
            row["raw"] = found.raw
        if found.raw is not None and found.token_id is None:
            row |= {
                "decimals": decimals,
                "amount": None if decimals is None else scaled(int(found.raw), decimals),
            }
        shown.append(row)
    return shown


def _named(world: ToolContext, chain: str, block: int, token: str) -> tuple[str | None, int | None]:
    """A token's symbol and decimals; None for what it does not say, and for what is not recorded."""
    try:
        with world.fork(block, chain) as fork:
            decimals = read_or_none(fork, token, "decimals()(uint8)")
            return read_symbol(fork, token), None if decimals is None else int(decimals)
    except Miss:
        return None, None
