"""Reading the parameters of a JSON-RPC call as generously as nodes do, and refusing the rest in words.

Everything here raises ``errors.ToolError`` for nonsense: that is the caller's error, not a hole in
what was recorded. Files are read more strictly, see ``rpc_value``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import ADDRESS, HASH, UNFIT, Form, to_hex, word
from caia_replay.errors import Miss, ToolError

UNRECORDED_TAGS: Final = frozenset(("safe", "finalized", "pending"))
"""Which head was safe or final at a moment is not recorded, and nothing is pending on a recorded chain."""

_HASH_LENGTH: Final = 66

_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}")


def at(params: Sequence[Any], index: int) -> Any:
    """One parameter by its place; None when it was left out."""
    return params[index] if index < len(params) else None


def address(value: Any) -> str:
    """An address in lower case."""
    return to_hex(_data(ADDRESS, value, "address", 40))


def hash32(value: Any) -> str:
    """A hash in lower case."""
    return to_hex(_data(HASH, value, "hash", 64))


def slot_word(value: Any) -> str:
    """A storage slot, in any number of digits up to 64, as 32 bytes."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise ToolError(f"storage slot {value!r:.80} is not 0x and hex digits")
    return to_hex(word(int(value, 16)))


def block_number(value: Any, pin: int, where: str = "") -> int:
    """A block named by number or tag, no later than ``pin``; None is latest, which is ``pin``.

    Raises ``Miss`` (told to be at ``where``) for safe, finalized, pending and later numbers.
    """
    number = any_number(value, pin, where)
    if number > pin:
        raise Miss("state", f"state of block {number}", where or f"block {pin}", f"block {pin}")
    return number


def named_block(chain: ChainSource, value: Any, pin: int) -> int | None:
    """A block named by number, tag, hash, or an object with either (EIP-1898); numbers may be past ``pin``.

    None when the hash is provably of no block up to ``pin``. Raises ``Miss`` when that is not known.
    """
    by_hash = value if isinstance(value, str) and len(value) == _HASH_LENGTH else None
    if isinstance(value, Mapping):
        by_hash, by_number = value.get("blockHash"), value.get("blockNumber")
        if (by_hash is None) == (by_number is None):
            raise ToolError(f"a block object holds either blockHash or blockNumber, not {sorted(value)!r:.80}")
        value = by_number
    if by_hash is not None:
        return chain.number_of(bytes.fromhex(hash32(by_hash)[2:]), pin)
    return any_number(value, pin, _where(chain, pin))


def state_block(chain: ChainSource, value: Any, pin: int) -> int:
    """``named_block`` for a question about state, which there is none of past ``pin``: ``Miss``.

    Raises ``ToolError`` for the hash of no block.
    """
    number = named_block(chain, value, pin)
    if number is None:
        raise ToolError(f"no block {value!r:.90} at block {pin}")
    return block_number(hex(number), pin, _where(chain, pin))


def any_number(value: Any, pin: int, where: str = "") -> int:
    """``block_number`` that lets numbers past ``pin`` through."""
    if value is None or value == "latest":
        return pin
    if value == "earliest":
        return 0
    if isinstance(value, str) and value in UNRECORDED_TAGS:
        raise Miss("block", value, where or f"block {pin}", "a block number")
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise ToolError(f"block {value!r:.80} is not 0x and hex digits, latest or earliest")
    return int(value, 16)


def _where(chain: ChainSource, pin: int) -> str:
    return f"{chain.name} at block {pin}"


def _data(form: Form, value: Any, what: str, digits: int) -> bytes:
    cell: Any = form.encode(value.lower()) if isinstance(value, str) else UNFIT
    if cell is UNFIT:
        raise ToolError(f"{what} {value!r:.80} is not 0x and {digits} hex digits")
    return bytes(cell)
