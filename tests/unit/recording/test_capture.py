"""A living chain captured whole and asked the same questions at every height; what a task may wish of one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.raw_transaction import created_address
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.task import NO_BLOCK, Anchor, CaptureRange, Task
from caia_replay.errors import BadInput, CheckFailed, Miss
from caia_replay.recording.capture import capture_archive
from caia_replay.recording.capture_range import claim_of, ranges_are_kept
from caia_replay.recording.capture_request import is_resolved, require_moment, resolve_anchor
from caia_replay.recording.origin_node import OriginNode

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
    rng = random.Random(7)
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
        for _ in range(rng.choice([0, 1, 3])):
            target = rng.choice([store, child])
            words = word(rng.randrange(5)) + word(rng.choice([0, 0, height]))
            todo.append({"from": rng.choice(senders[:3]), "to": target, "data": to_hex(words)})
        if height % 9 == 0:
            todo.append({"from": senders[2], "to": child, "data": "0x01"})
        if height % 9 in (0, 5):
            todo.append(birth)
        if height % 7 == 0:
            todo.append({"from": senders[3], "to": f"0x{0xABCD00 + height % 21:040x}", "value": "0x9"})
        mine(rpc, *todo)
    folder = tmp_path_factory.mktemp(hardfork) / "snap"
    url = f"http://127.0.0.1:{node.port}"
    capture_archive(url, folder, chain="toy", hardfork=hardfork, provenance="synthetic", source="a test")
    contracts = (store, factory, child)
    addresses = (*senders[:5], *MINERS, *contracts, f"0x{0xABCD00:040x}", "0x" + "99" * 20, "0x" + "00" * 20)
    yield Living(rpc, node.port, hardfork, folder, addresses, contracts)
    rpc.close()
    node.stop()


def test_everything_is_whole(living: Living) -> None:
    """State is proven at every height and never a miss where touched; blocks and receipts are as the origin says."""
    snapshot = Snapshot.open(living.folder)
    assert snapshot.heights == ((0, HEAD),)
    whole = [claim.table for claim in snapshot.claims if (claim.first, claim.last) == (0, HEAD)]
    assert whole == ["accounts", "blocks", "logs", "receipts", "storage", "transactions"]
    assert len(whole) == len(snapshot.claims.items)
    for height in range(HEAD + 1):
        assert snapshot.block(height, True) == living.rpc.demand("eth_getBlockByNumber", [hex(height), True])
        assert snapshot.receipts(height) == living.rpc.demand("eth_getBlockReceipts", [hex(height)])
    assert sum(len(snapshot.transactions(height)) for height in range(HEAD + 1)) > 50
    assert len(snapshot.logs(0, HEAD, LogFilter())) > 20
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


@pytest.mark.check
def test_a_capture_is_a_pure_function_of_the_chain(living: Living, tmp_path: Path) -> None:
    """Twice the same bytes; up to a lower block, the same rows cut short; the address nowhere."""
    again = {"chain": "toy", "hardfork": living.hardfork, "provenance": "synthetic", "source": "a test"}
    capture_archive(living.url, tmp_path / "again", **again)
    written = {path.name: path.read_bytes() for path in living.folder.iterdir()}
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert not any(str(living.port).encode() in data for name, data in written.items() if name.endswith(".json"))
    capture_archive(living.url, tmp_path / "lower", **again, to_block=20)
    assert Snapshot.open(tmp_path / "lower").heights == ((0, 20),)


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
    capture: dict[str, Any] = {"chain": "toy", "hardfork": "cancun", "provenance": "synthetic", "source": "a test"}
    for change, words in (
        ({"to_block": HEAD + 1}, "not on the origin"), ({"to_block": -1}, "not on the origin"),
        ({"chain": "Not A Name"}, "chain name"), ({"hardfork": "cancan"}, "hardfork"),
        ({"source": f"from {living.url}"}, "must not name"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=words):
            capture_archive(living.url, tmp_path / "out", **capture | change)
    with pytest.raises(BadInput, match="never written over"):
        capture_archive(living.url, living.folder, **capture)
    assert list(tmp_path.iterdir()) == []


ADDRESS, TOPIC = "0x" + "0A" * 20, "0x" + "0b" * 32


def task(*ranges: CaptureRange) -> Any:
    return SimpleNamespace(id="t", anchor=Anchor("toy", 9, 1), capture=ranges)


def test_a_range_becomes_the_claim_it_says() -> None:
    """Addresses in any case, topics by position, an empty one for any; kept where claimed, also in pieces."""
    wanted = CaptureRange("logs", 2, 9, (ADDRESS,), ((), (TOPIC,)))
    narrowed = (frozenset(), frozenset([bytes.fromhex(TOPIC[2:])]))
    assert claim_of(task(), wanted) == Claim("logs", 2, 9, frozenset([bytes.fromhex(ADDRESS[2:])]), narrowed)
    one, two = CaptureRange("logs", 1, 4), CaptureRange("blocks", 0, 3)
    snapshot: Any = SimpleNamespace(claims=Claims.of([Claim("logs", 1, 2), Claim("logs", 3, 9)]))
    assert ranges_are_kept(task(one), snapshot) and ranges_are_kept(task(), snapshot)
    assert not ranges_are_kept(task(one, two), snapshot)


@pytest.mark.parametrize(
    "wrong",
    [CaptureRange("logs", 2, 10), CaptureRange("logs", 5, 4), CaptureRange("blocks", 1, 2, (ADDRESS,)),
     CaptureRange("logs", 1, 2, ("0x01",)), CaptureRange("receipts", 1, 2, (), ((TOPIC,),)),
     CaptureRange("logs", 1, 2, (), (("0x",),)), CaptureRange("logs", -1, 2)],
)  # fmt: skip
def test_a_range_that_cannot_be_is_refused_by_task_and_table(wrong: CaptureRange) -> None:
    """Past the anchor, backwards, narrowed where nothing can be, or no hex."""
    with pytest.raises(BadInput, match=f"task t, capture of {wrong.table}"):
        claim_of(task(), wrong)


@pytest.fixture
def node(origin: Any) -> Iterator[OriginNode]:
    with OriginNode(f"http://127.0.0.1:{origin.port}") as found:
        yield found


def asked(living_origin: ModuleType, origin: Any, block: int, timestamp: int, question: str = "?") -> Task:
    task: Task = living_origin.tasks_on(origin)[0]
    tags = ("unresolved:block", "unresolved:timestamp", "kept")
    return replace(task, question=question, anchor=Anchor(living_origin.CHAIN, block, timestamp), tags=tags)


def test_a_moments_height_is_the_newest_block_by_then(node: OriginNode, origin: Any, living_origin: ModuleType) -> None:
    """Law: block n holds from its own second to the one before n + 1; a named block or transaction gets its second."""
    times = [origin.time(number) for number in range(living_origin.LAST + 1)]
    for number, at in enumerate(times):
        for moment in {at, times[number + 1] - 1 if number < living_origin.LAST else at}:
            found = resolve_anchor(asked(living_origin, origin, NO_BLOCK, moment), node)
            assert (found.anchor.block, found.anchor.timestamp) == (number, moment)
            assert found.tags == ("kept",)
    found = resolve_anchor(asked(living_origin, origin, 5, -1), node)
    assert found.anchor == Anchor(living_origin.CHAIN, 5, origin.time(5))
    assert resolve_anchor(found, node) is found
    require_moment(asked(living_origin, origin, NO_BLOCK, 1_748_800_000))
    unknown = asked(living_origin, origin, 7, -1)
    assert not is_resolved(unknown)
    with pytest.raises(BadInput, match="--rpc-url"):
        require_moment(unknown)


@pytest.mark.parametrize(
    ("block", "timestamp", "question", "told"),
    [
        (NO_BLOCK, 4_000_000_000, "?", "older than the moment"),
        (NO_BLOCK, 1_000_000_000, "?", "no block yet"),
        (99, -1, "?", "has no block 99"),
        (-1, -1, "Who sent it?", "names no block"),
        (-1, -1, f"Who sent 0x{'ab' * 32}?", "has no transaction"),
    ],
)
def test_what_the_node_does_not_have_is_one_line(
    node: OriginNode, origin: Any, living_origin: ModuleType, block: int, timestamp: int, question: str, told: str
) -> None:
    """Nothing is assumed in its place."""
    with pytest.raises(BadInput, match=told):
        resolve_anchor(asked(living_origin, origin, block, timestamp, question), node)
