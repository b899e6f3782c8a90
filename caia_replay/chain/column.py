"""How one JSON-RPC field becomes one typed Arrow cell, and comes back as the very same JSON value.

A form encodes only values it can give back exactly; anything else is ``UNFIT`` and the table
keeps it in its ``extra`` column, so nothing a node said is lost or changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from caia_replay.canonical import strict_json

UNFIT: Final = object()
"""What a form answers for a value it could not give back exactly."""

_QUANTITY = re.compile(r"0x(0|[1-9a-f][0-9a-f]{0,63})")
_DATA = re.compile(r"0x([0-9a-f]*)")  # without counting pairs, which takes three times as long; _data counts them


@dataclass(frozen=True, slots=True)
class Form:
    """An Arrow type with its two directions: ``decode(encode(value)) == value`` or ``UNFIT``."""

    arrow: pa.DataType
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One field of an RPC object.

    ``required`` fields are keys: absent or unfit ones are bad input. An empty cell means that the
    field was absent, or JSON null where ``null_cell`` is set (``to`` of a contract creation).
    """

    name: str
    field: str
    form: Form
    required: bool = False
    null_cell: bool = False


def fixed(width: int) -> Form:
    """Exactly ``width`` bytes, written ``0x`` and lower-case hex: addresses, hashes, blooms."""

    def encode(value: Any) -> Any:
        found = _data(value)
        return found if found is not UNFIT and len(found) == width else UNFIT

    return Form(pa.binary(width), encode, to_hex)


def to_hex(data: bytes) -> str:
    """Bytes as JSON-RPC data: ``0x`` and two lower-case digits a byte."""
    return "0x" + data.hex()


def word(value: int) -> bytes:
    """An unsigned integer as 32 big-endian bytes. Raises ``OverflowError`` outside 256 bits."""
    return value.to_bytes(32, "big")


def _data(value: Any) -> Any:
    found = _DATA.fullmatch(value) if isinstance(value, str) else None
    return bytes.fromhex(found[1]) if found and len(found[1]) % 2 == 0 else UNFIT


def _quantity(value: Any) -> Any:
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    return int(found[1], 16) if found else UNFIT


def _quantity_64(value: Any) -> Any:
    number = _quantity(value)
    return number if number is not UNFIT and number < 1 << 64 else UNFIT


def _quantity_256(value: Any) -> Any:
    number = _quantity(value)
    return UNFIT if number is UNFIT else word(number)


def _flag(value: Any) -> Any:
    return value if isinstance(value, bool) else UNFIT


def _hash_list(value: Any) -> Any:
    if not isinstance(value, list):
        return UNFIT
    cells = [HASH.encode(item) for item in value]
    return UNFIT if any(cell is UNFIT for cell in cells) else cells


def _json_list(value: Any) -> Any:
    if not isinstance(value, list):
        return UNFIT
    try:
        return json_text(value)
    except (ValueError, TypeError, RecursionError):
        return UNFIT


def json_text(value: Any) -> str:
    """JSON with sorted keys in ASCII, so that lone surrogates survive a UTF-8 column.

    Raises ``ValueError`` for NaN and infinity, ``TypeError`` for what JSON has no form for.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


ADDRESS: Final = fixed(20)
HASH: Final = fixed(32)
BLOOM: Final = fixed(256)
SEAL_NONCE: Final = fixed(8)
DATA: Final = Form(pa.binary(), _data, to_hex)
UINT64: Final = Form(pa.uint64(), _quantity_64, hex)
UINT256: Final = Form(pa.binary(32), _quantity_256, lambda cell: hex(int.from_bytes(cell, "big")))
FLAG: Final = Form(pa.bool_(), _flag, bool)
HASHES: Final = Form(pa.list_(pa.binary(32)), _hash_list, lambda cells: [to_hex(cell) for cell in cells])
JSON: Final = Form(pa.string(), _json_list, strict_json)
