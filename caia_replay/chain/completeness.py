"""A table that says it lacks nothing, held against the headers of its blocks.

A complete table turns "no row" into an answer, so a row that was lost, or a file that was emptied,
would read as zero. Headers say what a block must hold: whether it has transactions, which events it
logged (the bloom) and how much gas its receipts add up to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.chain.manifest import SnapshotInfo
from caia_replay.errors import BadInput

EMPTY_ROOT: Final = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
"""The root of a trie without entries: a block with it has no transactions, or no receipts."""

_BLOOM_BYTES: Final = 256

Rows = Sequence[Mapping[str, Any]]


def check_claims(info: SnapshotInfo, blocks: Rows, transactions: Rows, receipts: Rows, logs: Rows) -> None:
    """Raise ``BadInput`` naming table and block where a complete table cannot be.

    All rows are RPC objects. Fields that ``info`` calls reconstructed prove nothing and are not used.
    """
    headers = {int(header["number"], 16): header for header in blocks}
    by_block = {
        "transactions": _by_block(transactions),
        "receipts": _by_block(receipts),
        "logs": _by_block(logs),
    }
    for first, last in info.claims.spans("blocks"):
        for number in range(first, last + 1):
            if number not in headers:
                raise _broken("blocks", number, "has no header")
    for number, header in sorted(headers.items()):
        fields = {name: value for name, value in header.items() if name not in info.reconstructed.get(number, ())}
        for table, check in _CHECKS.items():
            if info.claims.covers(table, number):
                fault = check(fields, by_block[table][number])
                if fault:
                    raise _broken(table, number, fault)
        if all(info.claims.covers(table, number) for table in ("transactions", "receipts")):
            counts = [len(by_block[table][number]) for table in ("transactions", "receipts")]
            if counts[0] != counts[1]:
                raise _broken("receipts", number, f"has {counts[1]} receipts for {counts[0]} transactions")


def bloom(logs: Iterable[Mapping[str, Any]]) -> str:
    """The 2048-bit bloom of some logs as 0x text (Yellow Paper, section 4.3.1)."""
    bits = 0
    for log in logs:
        for item in (log["address"], *log["topics"]):
            digest = keccak(bytes.fromhex(item[2:]))
            for at in (0, 2, 4):
                bits |= 1 << (int.from_bytes(digest[at : at + 2], "big") & 2047)
    return "0x" + bits.to_bytes(_BLOOM_BYTES, "big").hex()


def _transactions_fault(header: Mapping[str, Any], found: Rows) -> str:
    root = header.get("transactionsRoot")
    if root is not None and (root == EMPTY_ROOT) != (not found):
        return f"has {len(found)} transactions, and its transactionsRoot says otherwise"
    listed = header.get("transactions")
    return f"lists {len(listed)} transactions and has {len(found)}" if listed and len(listed) != len(found) else ""


def _receipts_fault(header: Mapping[str, Any], found: Rows) -> str:
    root = header.get("receiptsRoot")
    if root is not None and (root == EMPTY_ROOT) != (not found):
        return f"has {len(found)} receipts, and its receiptsRoot says otherwise"
    used = max((int(receipt["cumulativeGasUsed"], 16) for receipt in found), default=0)
    wanted = header.get("gasUsed")
    if wanted is not None and used != int(wanted, 16):
        return f"used {int(wanted, 16)} gas, and its receipts add up to {used}"
    return ""


def _logs_fault(header: Mapping[str, Any], found: Rows) -> str:
    wanted = header.get("logsBloom")
    if wanted is not None and bloom(found) != wanted.lower():
        return f"has {len(found)} logs, and its logsBloom says otherwise"
    return ""


_CHECKS: Final = {"transactions": _transactions_fault, "receipts": _receipts_fault, "logs": _logs_fault}


def _by_block(rows: Rows) -> defaultdict[int, list[Mapping[str, Any]]]:
    grouped: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[int(row["blockNumber"], 16)].append(row)
    return grouped


def _broken(table: str, number: int, fault: str) -> BadInput:
    return BadInput(
        f"{table} is said to be complete, but block {number} {fault}",
        where="snapshot",
        next_command="bring the rows back (git checkout), or take the claim out of complete in manifest.json",
    )
