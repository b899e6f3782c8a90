"""Recorded transactions as signed bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.typed_transactions import TypedTransaction
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.chain.raw_transaction import created_address, raw_transaction, rlp_encode
from caia_replay.errors import BadInput

_KEY = "0x" + "11" * 32
_OTHER = "0x" + "22" * 20

_ITEMS = st.recursive(st.binary(max_size=80), lambda inner: st.lists(inner, max_size=4), max_leaves=8)
_UINT64 = st.integers(0, (1 << 64) - 2)
_ACCESS = st.lists(
    st.fixed_dictionaries(
        {
            "address": st.binary(min_size=20, max_size=20).map(lambda b: "0x" + b.hex()),
            "storageKeys": st.lists(st.binary(min_size=32, max_size=32).map(lambda b: "0x" + b.hex()), max_size=3),
        }
    ),
    max_size=3,
)


def _rpc(signed: Any, fields: dict[str, Any], kind: int) -> dict[str, Any]:
    """What a node says of a transaction that ``eth_account`` signed."""
    out = {name: hex(value) if isinstance(value, int) else value for name, value in fields.items()}
    out["input"] = out.pop("data")
    out |= {"type": hex(kind), "hash": "0x" + bytes(signed.hash).hex()}
    out |= {"v": hex(signed.v), "r": hex(signed.r), "s": hex(signed.s)}
    out["to"] = out.get("to")
    return out


@given(_ITEMS)
def test_rlp_agrees_with_the_reference_library(item: Any) -> None:
    """Any nesting of byte strings encodes as the ``rlp`` package encodes it."""
    rlp = pytest.importorskip("rlp")
    assert rlp_encode(item) == rlp.encode(item)


@settings(max_examples=40)
@given(
    kind=st.sampled_from([0, 1, 2, 4]),
    nonce=_UINT64,
    value=st.integers(0, 1 << 200),
    data=st.binary(max_size=100),
    access=_ACCESS,
    create=st.booleans(),
)
def test_bytes_are_those_that_were_signed(
    kind: int, nonce: int, value: int, data: bytes, access: list[Any], create: bool
) -> None:
    """For every type, the JSON of a transaction signed by an independent library gives its very bytes."""
    fields: dict[str, Any] = {"nonce": nonce, "gas": 100_000, "value": value, "data": "0x" + data.hex(), "chainId": 1}
    if not create or kind == 4:
        fields["to"] = _OTHER
    fields |= {"gasPrice": 7} if kind < 2 else {"maxFeePerGas": 9, "maxPriorityFeePerGas": 0}
    if kind:
        fields |= {"type": kind, "accessList": access}
    extra: dict[str, Any] = {}
    if kind == 4:
        signed = Account.sign_authorization({"chainId": 1, "address": _OTHER, "nonce": nonce + 1}, _KEY)
        fields["authorizationList"] = [signed]
        extra["authorizationList"] = [
            {"chainId": "0x1", "address": _OTHER, "nonce": hex(nonce + 1), "yParity": hex(signed.y_parity),
             "r": hex(signed.r), "s": hex(signed.s)}
        ]  # fmt: skip
    signed_transaction = Account.sign_transaction(fields, _KEY)
    rpc = _rpc(signed_transaction, fields, kind) | extra
    assert raw_transaction(rpc) == bytes(signed_transaction.raw_transaction)


def test_a_blob_transaction_hashes_without_its_sidecar() -> None:
    """Type 3 as it stands in a block, without blobs, commitments and proofs."""
    fields: dict[str, Any] = {
        "type": 3, "chainId": 1, "nonce": 0, "gas": 21000, "to": _OTHER, "value": 0, "data": "0x", "accessList": [],
        "maxFeePerGas": 5, "maxPriorityFeePerGas": 1, "maxFeePerBlobGas": 3, "v": 1, "r": 1 << 200, "s": 1 << 100,
        "blobVersionedHashes": ["0x01" + "ab" * 31],
    }  # fmt: skip
    raw = TypedTransaction.from_dict(fields).encode()
    rpc = {name: hex(value) if isinstance(value, int) else value for name, value in fields.items() if name != "data"}
    assert raw_transaction({**rpc, "input": "0x", "hash": "0x" + keccak(raw).hex()}) == raw


def test_a_changed_field_is_found_by_the_hash() -> None:
    """One more wei in the value, and the transaction is refused."""
    fields = {"nonce": 1, "gas": 21000, "value": 5, "data": "0x", "chainId": 1, "to": _OTHER, "gasPrice": 7}
    rpc = _rpc(Account.sign_transaction(fields, _KEY), fields, 0)
    with pytest.raises(BadInput, match="a signed field is wrong"):
        raw_transaction({**rpc, "value": "0x6"})


@pytest.mark.parametrize("change", [{"type": "0x5"}, {"type": None}, {"r": "5"}, {"to": "0x12"}, {"hash": 1}])
def test_malformed_fields_are_bad_input(change: dict[str, Any]) -> None:
    """Wrong types and unknown kinds are told in one line."""
    fields = {"nonce": 1, "gas": 21000, "value": 5, "data": "0x", "chainId": 1, "to": _OTHER, "gasPrice": 7}
    rpc = _rpc(Account.sign_transaction(fields, _KEY), fields, 0)
    with pytest.raises(BadInput):
        raw_transaction({**rpc, **change})


def test_an_absent_recipient_is_not_a_creation() -> None:
    """Only an explicit null creates a contract."""
    fields = {"nonce": 1, "gas": 21000, "value": 5, "data": "0x", "chainId": 1, "gasPrice": 7}
    rpc = _rpc(Account.sign_transaction(fields, _KEY), fields, 0)
    assert raw_transaction(rpc)
    with pytest.raises(BadInput, match="lacks 'to'"):
        raw_transaction({name: value for name, value in rpc.items() if name != "to"})


def test_created_addresses_are_the_known_ones() -> None:
    """The first contracts of the first development account, known to every user of a devnet."""
    sender = bytes.fromhex("f39fd6e51aad88f6f4ce6ab8827279cfffb92266")
    assert created_address(sender, 0).hex() == "5fbdb2315678afecb367f032d93f642f64180aa3"
    assert created_address(sender, 1).hex() == "e7f1725e7734ce288f8367e1bb143e90bb3f0512"


@pytest.mark.real
def test_every_transaction_of_a_real_block_hashes(real_data: Path) -> None:
    """All 125 transactions of mainnet block 22244135, of three types."""
    block = strict_json((real_data / "mainnet-22244135" / "block.json").read_bytes())["result"]
    assert len([raw_transaction(transaction) for transaction in block["transactions"]]) == 125
