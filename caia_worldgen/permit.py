"""EIP-2612 permits: an owner's signed word that somebody may take an amount, which costs the owner no transaction."""

from __future__ import annotations

from typing import Any

from eth_account.signers.local import LocalAccount

_FIELDS = ("owner", "spender", "value", "nonce", "deadline")


def sign_permit(
    chain_id: int, token: str, name: str, owner: LocalAccount, spender: str, amount: int, nonce: int, deadline: int
) -> tuple[int, bytes, bytes]:
    """v, r and s of a permit for ``amount`` smallest units until ``deadline`` (seconds since 1970).

    ``name`` is the token's own; its EIP-712 version is "1". Equal arguments give an equal signature (RFC 6979).
    """
    types = {"Permit": [{"name": field, "type": _type(field)} for field in _FIELDS]}
    domain = {"name": name, "version": "1", "chainId": chain_id, "verifyingContract": token}
    values: tuple[Any, ...] = (owner.address, spender, amount, nonce, deadline)
    signed = owner.sign_typed_data(domain, types, dict(zip(_FIELDS, values, strict=True)))
    return signed.v, signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big")


def _type(field: str) -> str:
    return "address" if field in ("owner", "spender") else "uint256"
