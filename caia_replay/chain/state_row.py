"""Rows of chain state: one value of one key, and the blocks for which it is known to hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.canonical import strict_json
from caia_replay.chain.column import json_text, to_hex, word
from caia_replay.errors import BadInput

EMPTY_CODE_HASH: Final = bytes.fromhex("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
"""Keccak-256 of no bytes: the code hash of an account without code."""

NO_ACCOUNT_HASH: Final = bytes(32)
"""What some nodes answer as the code hash of an address that does not exist."""


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account's state at the end of every block from ``from_block`` to ``to_block``, inclusive.

    ``address`` is 20 bytes, ``balance`` in wei, ``code_hash`` 32 bytes.
    """

    address: bytes
    from_block: int
    to_block: int
    balance: int
    nonce: int
    code_hash: bytes


@dataclass(frozen=True, slots=True)
class StorageRow:
    """One 32-byte slot's 32-byte value at the end of every block of the interval, inclusive."""

    address: bytes
    slot: bytes
    from_block: int
    to_block: int
    value: bytes


@dataclass(frozen=True, slots=True)
class CodeRow:
    """Deployed bytecode under its Keccak-256."""

    code_hash: bytes
    code: bytes


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A node's result for one exact question, which exists from block ``block_number`` on.

    ``params`` and ``reply`` are JSON text as ``column.json_text`` writes it; addresses, hashes and
    blocks in ``params`` are lower-case hex, blocks by number.
    """

    method: str
    params: str
    block_number: int
    reply: str

    @property
    def question(self) -> bytes:
        """The 32-byte key it is found by."""
        return question_key(self.method, self.params)


def question_key(method: str, params: str) -> bytes:
    """Keccak-256 over method and parameters (JSON text), a line break between."""
    return bytes(keccak(f"{method}\n{params}".encode()))


def to_cells(name: str, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Sorted cells of the state table ``name``; touching intervals of equal value become one.

    Raises ``BadInput`` for malformed rows, contradicting overlaps, and code that is not its hash, before
    the first row is given.
    """
    if name == "codes":
        return iter(_codes(rows))
    if name == "replies":
        return iter(_replies(rows))
    kind = AccountRow if name == "accounts" else StorageRow
    for row in rows:
        if not isinstance(row, kind):
            raise BadInput(f"a row of {name} must be {kind.__name__}, found {type(row).__name__}")
        _check(row)
    merged = _merge(rows)
    if name == "accounts":
        return ({**_cells(row), "balance": word(row.balance)} for row in merged)
    return map(_cells, merged)


def from_cells(name: str, cells: dict[str, Any]) -> AccountRow | StorageRow | CodeRow | ReplyRow:
    """The row that ``cells`` of the state table ``name`` were made of."""
    if name == "codes":
        return CodeRow(**cells)
    if name == "replies":
        return ReplyRow(**{name: cell for name, cell in cells.items() if name != "question"})
    if name == "storage":
        return StorageRow(**cells)
    return AccountRow(**{**cells, "balance": int.from_bytes(cells["balance"], "big")})


def _cells(row: AccountRow | StorageRow | ReplyRow) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _key(row: AccountRow | StorageRow) -> tuple[bytes, bytes]:
    return (row.address, row.slot if isinstance(row, StorageRow) else b"")


def _merge(rows: Iterable[Any]) -> list[Any]:
    out: list[Any] = []
    for row in sorted(rows, key=lambda row: (*_key(row), row.from_block, row.to_block)):
        last = out[-1] if out and _key(out[-1]) == _key(row) else None
        if last is None or row.from_block > last.to_block + 1:
            out.append(row)
        elif replace(row, from_block=last.from_block, to_block=last.to_block) == last:
            out[-1] = replace(last, to_block=max(last.to_block, row.to_block))
        elif row.from_block > last.to_block:
            out.append(row)
        else:
            slot = f" slot {to_hex(row.slot)}" if isinstance(row, StorageRow) else ""
            raise BadInput(
                f"blocks {last.from_block} to {last.to_block} and {row.from_block} to {row.to_block} "
                "overlap with different values",
                where=f"{to_hex(row.address)}{slot}",
            )
    return out


def _codes(rows: Sequence[Any]) -> list[dict[str, Any]]:
    found: dict[bytes, bytes] = {}
    for row in rows:
        if not isinstance(row, CodeRow):
            raise BadInput(f"a row of codes must be CodeRow, found {type(row).__name__}")
        _bytes(row.code_hash, 32, "code_hash")
        if not isinstance(row.code, bytes) or keccak(row.code) != row.code_hash:
            raise BadInput("the code is not the preimage of its hash", where=f"code {to_hex(row.code_hash)}")
        found[row.code_hash] = row.code
    return [{"code_hash": code_hash, "code": found[code_hash]} for code_hash in sorted(found)]


def _replies(rows: Sequence[Any]) -> list[dict[str, Any]]:
    found: dict[bytes, ReplyRow] = {}
    for row in rows:
        if not isinstance(row, ReplyRow):
            raise BadInput(f"a row of replies must be ReplyRow, found {type(row).__name__}")
        _number(row.block_number, 64, "block_number")
        for text in (row.params, row.reply):
            try:
                plain = json_text(strict_json(text)) == text
            except (ValueError, TypeError, RecursionError):
                plain = False
            if not plain:
                raise BadInput(f"{text!r:.80} is not JSON as json_text writes it", where=row.method)
        if found.setdefault(row.question, row) != row:
            raise BadInput(f"two different replies to {row.params:.120}", where=row.method)
    return [{"question": key, **_cells(row)} for key, row in sorted(found.items())]


def _check(row: AccountRow | StorageRow) -> None:
    _bytes(row.address, 20, "address")
    if isinstance(row, StorageRow):
        _bytes(row.slot, 32, "slot")
        _bytes(row.value, 32, "value")
    else:
        _bytes(row.code_hash, 32, "code_hash")
        _number(row.nonce, 64, "nonce")
        _number(row.balance, 256, "balance")
    _number(row.from_block, 64, "from_block")
    _number(row.to_block, 64, "to_block")
    if row.from_block > row.to_block:
        raise BadInput(f"the interval {row.from_block} to {row.to_block} runs backwards", where=to_hex(row.address))


def _bytes(value: Any, width: int, name: str) -> None:
    if not isinstance(value, bytes) or len(value) != width:
        raise BadInput(f"{name} must be {width} bytes, found {value!r:.80}")


def _number(value: Any, bits: int, name: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << bits:
        raise BadInput(f"{name} must be an unsigned {bits}-bit integer, found {value!r:.80}")
