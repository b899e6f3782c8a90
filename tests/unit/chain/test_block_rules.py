"""Headers, hard forks, signed transactions, and what the protocol writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.typed_transactions import TypedTransaction
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.chain.chain_source import can_pin, hardfork_at, rule_changes
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.header import MAINNET, OSAKA_TIMESTAMP, header_hardfork, mainnet_hardfork, parent_header
from caia_replay.chain.prestate_merge import EMPTY
from caia_replay.chain.raw_transaction import created_address, raw_transaction, rlp_encode
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.system_contract import (
    BEACON_ROOTS,
    BLOCK_HASHES,
    beacon_root_writes,
    block_hash_slot,
    block_hash_write,
    lent_block_hashes,
)
from caia_replay.errors import BadInput

Living = Callable[..., RpcConnection]
_CANCUN = MAINNET[2]


def _header(real_data: Path) -> dict[str, Any]:
    block = strict_json((real_data / "mainnet-22244135" / "block.json").read_bytes())["result"]
    return {name: value for name, value in block.items() if name != "transactions"}


@pytest.mark.parametrize(
    ("timestamp", "name"),
    [(1_663_224_179, "paris"), (1_681_338_454, "paris"), (1_681_338_455, "shanghai"), (1_710_338_134, "shanghai"),
     (1_710_338_135, "cancun"), (1_746_612_310, "cancun"), (1_746_612_311, "prague"), (1_764_798_550, "prague")],
)  # fmt: skip
def test_a_fork_begins_at_its_very_second(timestamp: int, name: str) -> None:
    """The second before belongs to the fork before."""
    assert mainnet_hardfork(timestamp).name == name


def test_other_eras_and_genesis_are_refused() -> None:
    """Proof of work, forks whose blob rules cannot be turned back, and what comes before block 0."""
    for timestamp in [0, 1_663_224_178, OSAKA_TIMESTAMP, 1 << 63]:
        with pytest.raises(BadInput, match="cannot be imported"):
            mainnet_hardfork(timestamp)
    with pytest.raises(BadInput, match="genesis"):
        parent_header({"number": "0x0"}, _CANCUN)


@pytest.mark.real
def test_a_parent_is_only_its_hash_and_number(real_data: Path) -> None:
    """Every other field is listed as reconstructed, and none pretends that the parent was empty."""
    child = _header(real_data)
    parent, reconstructed = parent_header(child, _CANCUN)
    assert parent["hash"] == child["parentHash"]
    assert int(parent["number"], 16) == 22244134
    assert set(parent) - set(reconstructed) == {"hash", "number"}
    assert parent["logsBloom"] == "0x" + "ff" * 256
    assert "transactions" not in parent and "withdrawals" not in parent


@given(excess=st.integers(0, 1 << 40), fork=st.sampled_from(MAINNET[2:]))
def test_the_excess_blob_gas_of_the_child_follows_from_the_parent(excess: int, fork: Any) -> None:
    """EIP-4844: child = max(0, parent excess + parent used - target)."""
    word = "0x" + "00" * 32
    child = {"number": "0x2", "parentHash": word, "sha3Uncles": word, "timestamp": "0x65f1b057", "gasLimit": "0x5208",
             "baseFeePerGas": "0x7", "excessBlobGas": hex(excess)}  # fmt: skip
    parent, _ = parent_header(child, fork)
    assert max(0, int(parent["excessBlobGas"], 16) - fork.target_blob_gas) == excess


@pytest.mark.parametrize("hardfork", ["london", "paris", "shanghai", "cancun", "prague", "osaka"])
def test_a_header_shows_the_rules_its_block_was_made_under(living: Living, hardfork: str) -> None:
    """Shanghai's and Cancun's fields do, the rest has to be named; mainnet's go by their time alone."""
    rpc = living("--hardfork", hardfork, "--chain-id", "7006")
    rpc.demand("evm_mine")
    header = rpc.demand("eth_getBlockByNumber", ["latest", False])
    if hardfork not in ("shanghai", "cancun"):
        with pytest.raises(BadInput, match="does not show which rules"):
            header_hardfork(7006, header)
    else:
        assert header_hardfork(7006, header) == hardfork
    for chain_id, wrong in ((7006, {"number": "0x1"}), (1, {**header, "timestamp": hex(OSAKA_TIMESTAMP)})):
        with pytest.raises(BadInput, match="--hardfork"):
            header_hardfork(chain_id, wrong)


_, _, CANCUN, PRAGUE = MAINNET
HASH = "0x" + "cd" * 32


@given(st.integers(0, 1 << 40))
def test_beacon_roots_are_two_rings(timestamp: int) -> None:
    """EIP-4788: the time at time mod 8191, the root 8191 slots further."""
    time, root = beacon_root_writes({"timestamp": hex(timestamp), "parentBeaconBlockRoot": HASH})
    assert (time.address, time.slot, time.value) == (BEACON_ROOTS, word(timestamp % 8191), word(timestamp))
    assert (root.address, root.slot, to_hex(root.value)) == (BEACON_ROOTS, word(timestamp % 8191 + 8191), HASH)


def test_what_comes_of_earlier_forks_and_of_what_is_known() -> None:
    """Before its fork nothing is written or lent; accounts and slots of the snapshot are never replaced."""
    assert list(beacon_root_writes({"timestamp": "0x1"})) == []
    assert list(block_hash_write({"number": "0x2", "parentHash": HASH}, CANCUN)) == []
    assert lent_block_hashes({"number": "0x2", "parentHash": HASH}, CANCUN, {}, {}) == ({}, {})
    header = {"number": "0x2", "parentHash": HASH}
    accounts, storage = lent_block_hashes(header, PRAGUE, {}, {})
    assert BLOCK_HASHES in accounts and storage == {(BLOCK_HASHES, word(1)): bytes(32)}
    known = dict.fromkeys(accounts, EMPTY)
    assert lent_block_hashes(header, PRAGUE, known, {(BLOCK_HASHES, word(1)): word(5)}) == ({}, {})


def test_block_hashes_are_written_as_the_node_writes_them(living: Living) -> None:
    """A node under Prague's rules has the code we lend, and each parent's hash in the slot we name."""
    rpc = living("--hardfork", "prague", "--no-mining")
    lent, _ = lent_block_hashes({"number": "0x1", "parentHash": HASH}, PRAGUE, {}, {})
    assert rpc.demand("eth_getCode", [to_hex(BLOCK_HASHES), "latest"]) == to_hex(lent[BLOCK_HASHES].code)
    for number in range(1, 4):
        rpc.demand("evm_mine")
        header = rpc.demand("eth_getBlockByNumber", [hex(number), False])
        (write,) = block_hash_write(header, PRAGUE)
        assert write.slot == block_hash_slot(number)
        stored = rpc.demand("eth_getStorageAt", [to_hex(BLOCK_HASHES), to_hex(write.slot), hex(number)])
        assert stored == to_hex(write.value) == header["parentHash"]


def test_block_hashes_are_a_ring() -> None:
    """EIP-2935: block n writes slot (n - 1) mod 8191."""
    for number in [1, 8191, 8192, 22_431_084]:
        assert int.from_bytes(block_hash_slot(number), "big") == (number - 1) % 8191


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


def test_a_field_that_is_wrong_or_absent_is_refused() -> None:
    """The hash finds a changed wei; only an explicit null creates a contract; kinds and types are told."""
    fields = {"nonce": 1, "gas": 21000, "value": 5, "data": "0x", "chainId": 1, "to": _OTHER, "gasPrice": 7}
    rpc = _rpc(Account.sign_transaction(fields, _KEY), fields, 0)
    with pytest.raises(BadInput, match="a signed field is wrong"):
        raw_transaction({**rpc, "value": "0x6"})
    fields = {"nonce": 1, "gas": 21000, "value": 5, "data": "0x", "chainId": 1, "gasPrice": 7}
    rpc = _rpc(Account.sign_transaction(fields, _KEY), fields, 0)
    assert raw_transaction(rpc)
    with pytest.raises(BadInput, match="lacks 'to'"):
        raw_transaction({name: value for name, value in rpc.items() if name != "to"})
    for change in [{"type": "0x5"}, {"type": None}, {"r": "5"}, {"to": "0x12"}, {"hash": 1}]:
        fields = {"nonce": 1, "gas": 21000, "value": 5, "data": "0x", "chainId": 1, "to": _OTHER, "gasPrice": 7}
        rpc = _rpc(Account.sign_transaction(fields, _KEY), fields, 0)
        with pytest.raises(BadInput):
            raw_transaction({**rpc, **change})


def test_created_addresses_are_the_known_ones() -> None:
    """The first contracts of the first development account, known to every user of a devnet."""
    sender = bytes.fromhex("f39fd6e51aad88f6f4ce6ab8827279cfffb92266")
    assert created_address(sender, 0).hex() == "5fbdb2315678afecb367f032d93f642f64180aa3"
    assert created_address(sender, 1).hex() == "e7f1725e7734ce288f8367e1bb143e90bb3f0512"


def test_heights_and_rules_hold_in_their_ranges() -> None:
    """Both ends can be pinned, gaps cannot; a hardfork holds to the next; rules that do not change are told once."""
    assert [block for block in range(10) if can_pin(((1, 2), (5, 7)), block)] == [1, 2, 5, 6, 7]
    forks = {0: "paris", 5: "shanghai", 7: "cancun"}
    assert [hardfork_at(forks, block) for block in (0, 4, 5, 6, 7, 99)] == [
        "paris", "paris", "shanghai", "shanghai", "cancun", "cancun",
    ]  # fmt: skip
    told = {9: "cancun", 2: "paris", 4: "paris", 6: "cancun"}
    assert rule_changes(told) == {2: "paris", 6: "cancun"}
    assert all(hardfork_at(rule_changes(told), block) == hardfork_at(told, block) for block in range(2, 12))
