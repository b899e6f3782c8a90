"""A living chain captured whole, then asked the same questions at every height."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.raw_transaction import created_address
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot
from caia_replay.errors import BadInput, CheckFailed, Miss
from caia_replay.recording.capture import CaptureReport, capture_archive

HEAD = 70
MINERS = ("0x00000000000000000000000000000000000c0ffe", "0x000000000000000000000000000000000000babe")
# 64 bytes of calldata: stores the second word in the slot that the first names, and logs it with the
# slot as topic. Any other calldata destroys the contract.
STORE = "3660401460095733ff" + "5b60203560003555" + "60003560006000a100"
FACTORY = "36600060003760003660006000f500"


def creation(runtime: str, first: str = "") -> str:
    """Code that runs ``first`` and deploys ``runtime``."""
    size, offset = len(runtime) // 2, len(first) // 2 + 11
    return f"{first}60{size:02x}8060{offset:02x}6000396000f3{runtime}"


@dataclass(frozen=True, slots=True)
class Living:
    """The origin, what was captured of it, and the addresses worth asking for."""

    rpc: RpcConnection
    port: int
    hardfork: str
    folder: Path
    report: CaptureReport
    addresses: tuple[str, ...]
    contracts: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def start(binary: Path, hardfork: str) -> tuple[AnvilProcess, RpcConnection]:
    arguments = ["--chain-id", "7002", "--hardfork", hardfork, "--order", "fifo", "--timestamp", "1700000000"]
    node = AnvilProcess(binary, [*arguments, "--no-mining"])
    rpc = node.connect()
    rpc.demand("anvil_setBlockTimestampInterval", [12])
    return node, rpc


def mine(rpc: RpcConnection, *transactions: dict[str, Any]) -> list[dict[str, Any]]:
    for fields in transactions:
        rpc.demand("eth_sendTransaction", [{"gas": "0x80000", **fields}])
    rpc.demand("evm_mine")
    receipts: list[dict[str, Any]] = rpc.demand("eth_getBlockReceipts", ["latest"])
    return receipts


OLDER = [pytest.param(name, marks=pytest.mark.check) for name in ("shanghai", "cancun")]


@pytest.fixture(scope="module", params=[*OLDER, "prague"])
def living(
    request: pytest.FixtureRequest, anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Living]:
    """Writes, zeroes, births, deaths and rebirths, two coinbases, empty blocks, failures."""
    hardfork: str = request.param
    node, rpc = start(anvil_binary, hardfork)
    senders = rpc.demand("eth_accounts")
    dice = random.Random(7)
    first = mine(rpc, {"from": senders[0], "data": "0x" + creation(STORE, "600b600155")},
                 {"from": senders[0], "data": "0x" + creation(FACTORY)})  # fmt: skip
    store, factory = (receipt["contractAddress"] for receipt in first)
    birth = {"from": senders[1], "to": factory, "data": "0x" + creation(STORE, "600c600255")}
    mine(rpc, birth)
    traced = rpc.demand("debug_traceBlockByNumber", ["0x2", {"tracer": "prestateTracer"}])
    child = next(a for a, v in traced[0]["result"].items() if "storage" in v)
    for height in range(3, HEAD + 1):
        rpc.demand("anvil_setCoinbase", [MINERS[height // 20 % 2]])
        todo: list[dict[str, Any]] = []
        for _ in range(dice.choice([0, 1, 3])):
            target = dice.choice([store, child])
            words = word(dice.randrange(5)) + word(dice.choice([0, 0, height]))
            todo.append({"from": dice.choice(senders[:3]), "to": target, "data": to_hex(words)})
        if height % 9 == 0:
            todo.append({"from": senders[2], "to": child, "data": "0x01"})
        if height % 9 in (0, 5):
            todo.append(birth)
        if height % 7 == 0:
            todo.append({"from": senders[3], "to": f"0x{0xABCD00 + height % 21:040x}", "value": "0x9"})
        mine(rpc, *todo)
    folder = tmp_path_factory.mktemp(hardfork) / "snap"
    url = f"http://127.0.0.1:{node.port}"
    report = capture_archive(url, folder, chain="toy", hardfork=hardfork, provenance="synthetic", source="a test")
    contracts = (store, factory, child)
    addresses = (*senders[:5], *MINERS, *contracts, f"0x{0xABCD00:040x}", "0x" + "99" * 20, "0x" + "00" * 20)
    yield Living(rpc, node.port, hardfork, folder, report, addresses, contracts)
    rpc.close()
    node.stop()


@pytest.mark.check
def test_every_answer_is_the_origin_s(living: Living) -> None:
    """Balances, nonces, codes and slots through a fork, around births and deaths, touched by anything or not."""
    snapshot = Snapshot.open(living.folder)
    questions: list[list[Any]] = []
    for method in ("eth_getBalance", "eth_getTransactionCount", "eth_getCode"):
        questions += [[method, address] for address in living.addresses]
    questions += [["eth_getStorageAt", a, to_hex(word(slot))] for a in living.contracts for slot in (*range(6), 999)]
    with ForkPool({"toy": snapshot}) as pool:
        for height in (0, 1, 2, 4, 5, 8, 9, 10, 32, 45, 46, HEAD - 1, HEAD):
            with pool.lease("toy", height) as fork:
                for method, *params in questions:
                    wanted = living.rpc.demand(method, [*params, hex(height)])
                    assert fork.rpc(method, [*params, "latest"]) == wanted, (method, params, height)


def test_what_transactions_touched_is_never_a_miss(living: Living) -> None:
    """From genesis to the head: the coverage is computed from the origin's own traces."""
    snapshot = Snapshot.open(living.folder)
    for height in range(1, HEAD + 1):
        for trace in living.rpc.demand("debug_traceBlockByNumber", [hex(height), {"tracer": "prestateTracer"}]):
            for address, touched in trace["result"].items():
                for known in (height, HEAD):
                    state = snapshot.account(bytes.fromhex(address[2:]), known)
                    assert hex(state.balance) == living.rpc.demand("eth_getBalance", [address, hex(known)])
                for slot in touched.get("storage", {}):
                    asked = [address, slot, hex(height)]
                    found = snapshot.storage(bytes.fromhex(address[2:]), bytes.fromhex(slot[2:]), height)
                    assert to_hex(found) == living.rpc.demand("eth_getStorageAt", asked)


def test_everything_is_whole(living: Living) -> None:
    """State is proven at every height; blocks, transactions and receipts are as the origin says them."""
    snapshot = Snapshot.open(living.folder)
    assert snapshot.heights == ((0, HEAD),)
    whole = [claim.table for claim in snapshot.claims if (claim.first, claim.last) == (0, HEAD)]
    assert whole == ["accounts", "blocks", "logs", "receipts", "storage", "transactions"]
    assert len(whole) == len(snapshot.claims.items) and living.report.proven.unproven == {}
    for height in range(HEAD + 1):
        assert snapshot.block(height, True) == living.rpc.demand("eth_getBlockByNumber", [hex(height), True])
        assert snapshot.receipts(height) == living.rpc.demand("eth_getBlockReceipts", [hex(height)])
    assert living.report.transactions > 50 and living.report.logs > 20 and living.report.sampled >= 200


def test_a_fork_of_the_head_can_mine(living: Living) -> None:
    """Two blocks on top of the captured head write a slot that it knows and one that it claims to be zero."""
    sender = living.rpc.demand("eth_accounts")[0]
    with ForkPool({"toy": Snapshot.open(living.folder)}) as pool, pool.lease("toy", HEAD, writes=True) as fork:
        fork.operate("anvil_impersonateAccount", [sender])
        call = {"from": sender, "to": living.contracts[0], "data": to_hex(word(1) + word(5)), "gas": "0x80000"}
        fork.operate("eth_sendTransaction", [call])
        fork.operate("evm_mine", [])
        fork.operate("eth_sendTransaction", [{**call, "data": to_hex(word(997) + word(6))}])
        fork.operate("evm_mine", [])
        assert len(fork.operate("eth_getBlockByNumber", [hex(HEAD + 1), False])["transactions"]) == 1
        read = [
            fork.operate("eth_getStorageAt", [living.contracts[0], to_hex(word(n)), "latest"]) for n in (1, 997, 998)
        ]
    assert read == [to_hex(word(5)), to_hex(word(6)), to_hex(word(0))]


def test_a_capture_is_a_pure_function_of_the_chain(living: Living, tmp_path: Path) -> None:
    """Twice the same bytes; up to a lower block, the same rows cut short; the address nowhere."""
    again = {"chain": "toy", "hardfork": living.hardfork, "provenance": "synthetic", "source": "a test"}
    capture_archive(living.url, tmp_path / "again", **again)
    written = {path.name: path.read_bytes() for path in living.folder.iterdir()}
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert not any(str(living.port).encode() in data for name, data in written.items() if name.endswith(".json"))
    capture_archive(living.url, tmp_path / "lower", **again, to_block=20)
    lower, whole = Snapshot.open(tmp_path / "lower"), Snapshot.open(living.folder)
    assert lower.heights == ((0, 20),)
    _, rows = read_snapshot(tmp_path / "lower")
    for row in rows.accounts:
        assert whole.account(row.address, row.to_block).balance == row.balance


def test_nothing_is_claimed_of_a_slot_from_before_a_death(anvil_binary: Path, tmp_path: Path) -> None:
    """A genesis slot that no transaction used dies with its contract: unknown before, zero after."""
    node, rpc = start(anvil_binary, "shanghai")
    try:
        sender = rpc.demand("eth_accounts")[0]
        factory = created_address(bytes.fromhex(sender[2:]), 0)
        init = bytes.fromhex(creation(STORE))
        child = to_hex(keccak(b"\xff" + factory + bytes(32) + keccak(init))[12:])
        rpc.demand("anvil_setCode", [child, "0x" + STORE])
        rpc.demand("anvil_setStorageAt", [child, to_hex(word(3)), to_hex(word(9))])
        mine(rpc, {"from": sender, "data": "0x" + creation(FACTORY)})
        mine(rpc, {"from": sender, "to": child, "data": "0x01"})
        mine(rpc, {"from": sender, "to": to_hex(factory), "data": to_hex(init)})
        mine(rpc, {"from": sender, "to": child, "data": to_hex(word(3) + word(7))})
        heights = [int(rpc.demand("eth_getStorageAt", [child, to_hex(word(3)), hex(n)]), 16) for n in range(5)]
        assert heights == [9, 9, 0, 0, 7]
        url = f"http://127.0.0.1:{node.port}"
        capture_archive(url, tmp_path / "out", chain="t", hardfork="shanghai", provenance="synthetic", source="a test")
    finally:
        rpc.close()
        node.stop()
    snapshot, address = Snapshot.open(tmp_path / "out"), bytes.fromhex(child[2:])
    for height in (0, 1):
        with pytest.raises(Miss):
            snapshot.storage(address, word(3), height)
        with pytest.raises(Miss):
            snapshot.storage(address, word(4), height)
    assert [int.from_bytes(snapshot.storage(address, word(3), n), "big") for n in (2, 3, 4)] == [0, 0, 7]
    assert snapshot.claims.spans("accounts") == ((0, 4),) and snapshot.claims.spans("storage") == ((2, 4),)
    assert snapshot.claims.covers("storage", 0, 1, [factory])


@pytest.mark.check
def test_an_edited_chain_is_refused(anvil_binary: Path, tmp_path: Path) -> None:
    """Balances set by a cheat after a transaction, touched again or not, before or at the head."""
    for touched_again in (True, False):
        node, rpc = start(anvil_binary, "cancun")
        try:
            senders = rpc.demand("eth_accounts")
            transfer = {"from": senders[0], "to": senders[1], "value": "0x1"}
            mine(rpc, transfer)
            mine(rpc)
            rpc.demand("anvil_setBalance", [senders[1], "0x5"])
            mine(rpc, *([transfer] if touched_again else []))
            with pytest.raises(CheckFailed, match="edited outside"):
                capture_archive(
                    f"http://127.0.0.1:{node.port}", tmp_path / "out", chain="toy", hardfork="cancun",
                    provenance="synthetic", source="a test",
                )  # fmt: skip
            assert not (tmp_path / "out").exists()
        finally:
            rpc.close()
            node.stop()


@pytest.mark.check
def test_the_address_is_not_taken_as_a_source(living: Living, tmp_path: Path) -> None:
    """It may hold a key; what cannot be is refused, nothing is left behind, and no folder is written over."""
    wish: dict[str, Any] = {"chain": "toy", "hardfork": "cancun", "provenance": "synthetic", "source": "a test"}
    for change, words in (
        ({"to_block": HEAD + 1}, "not on the origin"), ({"to_block": -1}, "not on the origin"),
        ({"chain": "Not A Name"}, "chain name"), ({"hardfork": "cancan"}, "hardfork"),
        ({"source": f"from {living.url}"}, "must not name"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=words):
            capture_archive(living.url, tmp_path / "out", **wish | change)
    with pytest.raises(BadInput, match="never written over"):
        capture_archive(living.url, living.folder, **wish)
    assert list(tmp_path.iterdir()) == []
