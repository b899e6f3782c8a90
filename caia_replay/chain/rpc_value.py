"""Strict reading of JSON-RPC values from files and nodes: the exact form, or ``BadInput``.

The forms are those of the tables (``column``): lower-case hex, quantities without leading zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caia_replay.chain.column import ADDRESS, DATA, HASH, UINT256, UNFIT, Form
from caia_replay.errors import BadInput


def quantity(rpc: Mapping[str, Any], name: str, where: object) -> int:
    """Field ``name`` as an unsigned integer below 2**256."""
    return int.from_bytes(_field(UINT256, rpc, name, where), "big")


def hash32(rpc: Mapping[str, Any], name: str, where: object) -> bytes:
    """Field ``name`` as 32 bytes."""
    return bytes(_field(HASH, rpc, name, where))


def address(rpc: Mapping[str, Any], name: str, where: object) -> bytes:
    """Field ``name`` as a 20-byte address."""
    return bytes(_field(ADDRESS, rpc, name, where))


def data(rpc: Mapping[str, Any], name: str, where: object) -> bytes:
    """Field ``name`` as bytes of any length."""
    return bytes(_field(DATA, rpc, name, where))


def address_key(text: str, where: object) -> bytes:
    """An object key that is an address, as 20 bytes."""
    return bytes(_decode(ADDRESS, text, "an address", where))


def word_key(text: Any, what: str, where: object) -> bytes:
    """A 32-byte word written with all its 64 digits, as storage slots and values are."""
    return bytes(_decode(HASH, text, what, where))


def mapping(value: Any, what: str, where: object) -> Mapping[str, Any]:
    """``value`` when it is a JSON object."""
    if not isinstance(value, dict):
        raise BadInput(f"{what} must be a JSON object, found {type(value).__name__}", where=where)
    return value


def sequence(value: Any, what: str, where: object) -> list[Any]:
    """``value`` when it is a JSON array."""
    if not isinstance(value, list):
        raise BadInput(f"{what} must be a JSON array, found {type(value).__name__}", where=where)
    return value


def _field(form: Form, rpc: Mapping[str, Any], name: str, where: object) -> Any:
    if name not in rpc:
        raise BadInput(f"lacks {name!r}", where=where)
    return _decode(form, rpc[name], repr(name), where)


def _decode(form: Form, value: Any, what: str, where: object) -> Any:
    cell = form.encode(value)
    if cell is UNFIT:
        raise BadInput(f"{what} is not in its canonical form: {value!r:.80}", where=where)
    return cell
