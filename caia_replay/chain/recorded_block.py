"""One block as a node's JSON-RPC replies in three files, read strictly.

    block.json           eth_getBlockByNumber, with full transactions
    prestatetrace.json   debug_traceBlockByNumber with prestateTracer (not diffMode)
    receipts.json        eth_getBlockReceipts

Each file is the whole reply or its bare result. The header must hash to its own block hash, every
transaction to its own, and the transactions and withdrawals to the header's roots, so nothing of
them can have been changed. Receipts and traces are proven by executing the block (``prestate``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.chain import rpc_value
from caia_replay.chain.column import to_hex
from caia_replay.chain.header import header_hash
from caia_replay.chain.raw_transaction import BLOB_TYPE, raw_transaction, rlp_encode, shortest
from caia_replay.chain.secure_trie import ordered_root
from caia_replay.errors import BadInput, nearest

BLOCK_FILE: Final = "block.json"
TRACE_FILE: Final = "prestatetrace.json"
RECEIPT_FILE: Final = "receipts.json"

_ACCOUNT_FIELDS: Final = frozenset(("balance", "nonce", "code", "storage", "codeHash"))


@dataclass(frozen=True, slots=True)
class Touched:
    """An account as one transaction found it: ``balance`` in wei, ``code`` bytes, and the slots the
    transaction used (32-byte words). The tracer leaves out a zero nonce, empty code and no slots."""

    balance: int
    nonce: int
    code: bytes
    storage: Mapping[bytes, bytes]


@dataclass(frozen=True, slots=True)
class RecordedBlock:
    """A block's parts in transaction order; ``header`` has no transactions, ``withdrawals`` are wei
    per 20-byte address. ``receipts`` hold their logs; ``trace_replies`` are the tracer's own words that
    ``traces`` were read from."""

    number: int
    header: Mapping[str, Any]
    transactions: tuple[Mapping[str, Any], ...]
    receipts: tuple[Mapping[str, Any], ...]
    traces: tuple[Mapping[bytes, Touched], ...]
    withdrawals: Mapping[bytes, int]
    trace_replies: tuple[Mapping[str, Any], ...] = ()


def read_recorded_block(source: Path) -> RecordedBlock:
    """Read the three files of folder ``source``.

    Raises ``BadInput`` naming the file and entry: missing file, not JSON, an error reply, a wrong
    shape, a hash that does not fit, counts or block numbers that disagree, a transaction that is
    not of chain 1 or carries blobs.
    """
    block = rpc_value.mapping(_result(source, BLOCK_FILE), "the block", source / BLOCK_FILE)
    where = source / BLOCK_FILE
    header = {name: value for name, value in block.items() if name != "transactions"}
    if header_hash(header) != rpc_value.hash32(header, "hash", where):
        raise BadInput(f"the header's fields hash to {to_hex(header_hash(header))}, not to its own hash", where=where)
    transactions = rpc_value.sequence(block.get("transactions"), "transactions", where)
    raws = [_check_transaction(transaction, header, index, where) for index, transaction in enumerate(transactions)]
    _check_root(header, "transactionsRoot", raws, where)
    receipts = rpc_value.sequence(_result(source, RECEIPT_FILE), "the receipts", source / RECEIPT_FILE)
    _check_receipts(receipts, transactions, header, source / RECEIPT_FILE)
    traced = _result(source, TRACE_FILE)
    return RecordedBlock(
        number=rpc_value.quantity(header, "number", where),
        header=header,
        transactions=tuple(transactions),
        receipts=tuple(receipts),
        traces=read_traces(traced, transactions, source / TRACE_FILE),
        withdrawals=_withdrawals(header, where),
        trace_replies=tuple(entry["result"] for entry in traced),
    )


def _result(source: Path, name: str) -> Any:
    path = source / name
    try:
        reply = strict_json(path.read_bytes())
    except FileNotFoundError as fault:
        present = [entry.name for entry in source.iterdir()] if source.is_dir() else []
        wanted = f"{BLOCK_FILE}, {TRACE_FILE} and {RECEIPT_FILE}"
        raise BadInput(f"is missing; wanted {wanted}", where=path, nearest=nearest(name, present)) from fault
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from fault
    except ValueError as fault:
        raise BadInput(f"is not JSON: {fault}", where=path) from fault
    if not isinstance(reply, dict) or "jsonrpc" not in reply:
        return reply
    if "result" not in reply:
        raise BadInput(f"is an error reply: {reply.get('error')!r:.200}", where=path)
    return reply["result"]


def _check_root(header: Mapping[str, Any], name: str, items: Sequence[bytes], path: Path) -> None:
    if ordered_root(items) != rpc_value.hash32(header, name, path):
        raise BadInput(f"the {len(items)} items listed are not those of its {name}", where=path)


def _check_transaction(transaction: Any, header: Mapping[str, Any], index: int, path: Path) -> bytes:
    """The transaction's signed bytes."""
    where = f"{path} transaction {index}"
    rpc = rpc_value.mapping(transaction, "a transaction", where)
    _same_place(rpc, header, index, where)
    if rpc_value.quantity(rpc, "type", where) == BLOB_TYPE:
        raise BadInput("blob transactions cannot be executed again: the chain has no sidecars", where=where)
    if rpc.get("chainId") is not None and rpc_value.quantity(rpc, "chainId", where) != 1:
        raise BadInput(f"is of chain {int(rpc['chainId'], 16)}; only mainnet (1) can be imported", where=where)
    rpc_value.address(rpc, "from", where)
    return raw_transaction(rpc)


def _check_receipts(receipts: list[Any], transactions: list[Any], header: Mapping[str, Any], path: Path) -> None:
    if len(receipts) != len(transactions):
        raise BadInput(f"{len(receipts)} receipts for {len(transactions)} transactions", where=path)
    for index, (receipt, transaction) in enumerate(zip(receipts, transactions, strict=True)):
        where = f"{path} receipt {index}"
        rpc = rpc_value.mapping(receipt, "a receipt", where)
        _same_place(rpc, header, index, where)
        if rpc.get("transactionHash") != transaction["hash"]:
            raise BadInput(f"is not of transaction {transaction['hash']}", where=where)
        for log in rpc_value.sequence(rpc.get("logs"), "logs", where):
            _same_place(rpc_value.mapping(log, "a log", where), header, index, where)


def _same_place(rpc: Mapping[str, Any], header: Mapping[str, Any], index: int, where: str) -> None:
    place = {"blockNumber": header["number"], "blockHash": header["hash"], "transactionIndex": hex(index)}
    for name, wanted in place.items():
        if rpc.get(name) != wanted:
            raise BadInput(f"{name} is {rpc.get(name)!r:.80}, wanted {wanted}", where=where)


def read_traces(
    reply: Any, transactions: Sequence[Mapping[str, Any]], where: object
) -> tuple[Mapping[bytes, Touched], ...]:
    """The result of ``debug_traceBlockByNumber`` with the plain prestateTracer, by address.

    Raises ``BadInput`` unless it is one trace for each of ``transactions``, in order.
    """
    traces = rpc_value.sequence(reply, "the traces", where)
    if len(traces) != len(transactions):
        raise BadInput(f"{len(traces)} traces for {len(transactions)} transactions", where=where)
    out: list[Mapping[bytes, Touched]] = []
    for index, (trace, transaction) in enumerate(zip(traces, transactions, strict=True)):
        place = f"{where} trace {index}"
        entry = rpc_value.mapping(trace, "a trace", place)
        if entry.get("txHash") != transaction["hash"]:
            raise BadInput(f"is not of transaction {transaction['hash']}", where=place)
        result = rpc_value.mapping(entry.get("result"), "result", place)
        if result.keys() == {"pre", "post"}:
            raise BadInput("is a diffMode trace; wanted the plain prestateTracer", where=place)
        out.append(
            {rpc_value.address_key(key, place): _touched(value, f"{place} {key}") for key, value in result.items()}
        )
    return tuple(out)


def _touched(value: Any, where: str) -> Touched:
    rpc = rpc_value.mapping(value, "an account", where)
    unknown = sorted(rpc.keys() - _ACCOUNT_FIELDS)
    if unknown:
        raise BadInput(f"has unknown fields {', '.join(unknown)}", where=where)
    nonce = rpc.get("nonce", 0)
    if not isinstance(nonce, int) or isinstance(nonce, bool) or not 0 <= nonce < 1 << 64:
        raise BadInput(f"nonce must be an unsigned 64-bit integer, found {nonce!r:.80}", where=where)
    storage = rpc_value.mapping(rpc.get("storage", {}), "storage", where)
    return Touched(
        balance=rpc_value.quantity(rpc, "balance", where),
        nonce=nonce,
        code=rpc_value.data(rpc, "code", where) if "code" in rpc else b"",
        storage={
            rpc_value.word_key(slot, "a slot", where): rpc_value.word_key(word, "a slot's value", where)
            for slot, word in storage.items()
        },
    )


def _withdrawals(header: Mapping[str, Any], where: Path) -> Mapping[bytes, int]:
    """Wei credited per address at the end of the block; the wire counts gwei (EIP-4895)."""
    if ("withdrawals" in header) != ("withdrawalsRoot" in header):
        raise BadInput("withdrawals and withdrawalsRoot must come together", where=where)
    credited: dict[bytes, int] = {}
    encoded: list[bytes] = []
    for item in rpc_value.sequence(header.get("withdrawals", []), "withdrawals", where):
        rpc = rpc_value.mapping(item, "a withdrawal", where)
        recipient = rpc_value.address(rpc, "address", where)
        index, validator, amount = (
            rpc_value.quantity(rpc, name, where) for name in ("index", "validatorIndex", "amount")
        )
        credited[recipient] = credited.get(recipient, 0) + amount * 10**9
        encoded.append(rlp_encode([shortest(index), shortest(validator), recipient, shortest(amount)]))
    if "withdrawalsRoot" in header:
        _check_root(header, "withdrawalsRoot", encoded, where)
    return credited
