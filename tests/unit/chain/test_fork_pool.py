"""Behaviour of leases: the origin's answers at the pinned block, misses, and nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import CodeRow, SnapshotRows, read_snapshot, write_snapshot
from caia_replay.errors import BadInput, ForkFault, Miss, ToolError

SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
RECEIVER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
READ_1 = "0x" + f"{1:064x}"
LAST = 6
SHANGHAI, CANCUN = 3, 5
"""Where the rules of the rewritten chain begin; before the first of them it runs Paris."""
LATER_FIELDS = {
    SHANGHAI: ("withdrawals", "withdrawalsRoot"),
    CANCUN: ("blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot"),
    LAST + 1: ("requestsHash",),
}
# By block of introduction: PUSH0, and MCOPY, TLOAD after TSTORE, BLOBBASEFEE. Each returns a word that is not zero.
OPCODES = {
    "5f602a0160005260206000f3": SHANGHAI,
    "602a6000526020600060405e60206040f3": CANCUN,
    "602a60015d60015c60005260206000f3": CANCUN,
    "4a60005260206000f3": CANCUN,
}


def test_reads_equal_the_living_origin(origin: Any, pool: ForkPool, rows: SnapshotRows) -> None:
    """Calls, state, blocks, transactions, receipts and logs, re-pinned back and forth."""
    for block in (6, 2, 5, 3, 6):
        at = hex(block)
        with pool.lease("tiny", block) as fork:
            asked: list[tuple[str, list[Any], list[Any]]] = [
                (
                    "eth_call",
                    [{"to": origin.store, "data": READ_1}, "latest"],
                    [{"to": origin.store, "data": READ_1}, at],
                ),
                ("eth_call", [{"to": origin.mirror}], [{"to": origin.mirror}, at]),
                ("eth_getBlockReceipts", [at], [at]),
                ("eth_getLogs", [{"fromBlock": "0x0"}], [{"fromBlock": "0x0", "toBlock": at}]),
                ("eth_getStorageAt", [origin.store, "0x1", "latest"], [origin.store, "0x1", at]),
            ]
            for name in ("eth_getBalance", "eth_getTransactionCount", "eth_getCode"):
                asked += [(name, [address, "latest"], [address, at]) for address in (SENDER, RECEIVER, origin.store)]
                asked += [(name, [SENDER, "0x1"], [SENDER, "0x1"])]
            for number in range(block + 1):
                asked += [("eth_getBlockByNumber", [hex(number), full], [hex(number), full]) for full in (True, False)]
            for item in rows.transactions:
                if int(item["blockNumber"], 16) <= block:
                    for name in ("eth_getTransactionByHash", "eth_getTransactionReceipt"):
                        asked.append((name, [item["hash"]], [item["hash"]]))
            for method, here, there in asked:
                assert fork.rpc(method, here) == origin.rpc.demand(method, there), (block, method, here)


def test_unknown_state_is_a_miss_and_the_future_invisible(origin: Any, pool: ForkPool, rows: SnapshotRows) -> None:
    """Never zero, whatever touches it; one block later exists in the snapshot and not for a fork one block earlier."""
    with pool.lease("tiny", 5) as fork:
        for method, params, kind in (
            ("eth_getBalance", ["0x" + "ab" * 20, "latest"], "account"),
            ("eth_getCode", ["0x" + "ab" * 20, "latest"], "account"),
            ("eth_getStorageAt", [origin.store, "0x9", "latest"], "storage"),
            ("eth_call", [{"to": origin.store, "data": "0x" + f"{9:064x}"}, "latest"], "storage"),
            ("eth_call", [{"to": origin.store, "data": READ_1, "from": "0x" + "ab" * 20}], "account"),
            ("eth_call", [{"to": origin.store, "data": READ_1}, "0x3"], "state"),
        ):
            for _ in range(2):
                with pytest.raises(Miss) as missed:
                    fork.rpc(method, params)
                assert missed.value.detail.kind == kind
        assert fork.rpc("eth_call", [{"to": origin.store, "data": READ_1}]) == "0x" + f"{12:064x}"
    later = rows.blocks[LAST]
    with pool.lease("tiny", LAST) as fork:
        assert fork.rpc("eth_getBlockByHash", [later["hash"], False])["number"] == later["number"]
    with pool.lease("tiny", LAST - 1) as fork:
        assert fork.rpc("eth_blockNumber") == hex(LAST - 1)
        assert fork.rpc("eth_getBlockByHash", [later["hash"], False]) is None
        assert fork.rpc("eth_getTransactionByHash", [rows.transactions[-1]["hash"]]) is None
        assert fork.rpc("eth_getTransactionReceipt", [rows.transactions[-1]["hash"]]) is None
        with pytest.raises(ToolError, match="later than the pinned block"):
            fork.rpc("eth_getBlockByNumber", [later["number"], False])


def test_what_a_node_does_not_read_is_the_callers_error_and_costs_no_node(origin: Any, pool: ForkPool) -> None:
    """Oversized, misspelled and nested calls, and too much gas in any spelling: refused, and the same Anvil goes on."""
    nested: Any = "0x"
    for _ in range(20_000):
        nested = [nested]
    odd = [{"data": "0x" + "00" * 2_000_000}, {"data": "\ud800"}, {"data": nested}, {"data": 7}, {"accessList": 3}]
    odd += [{name: gas} for name in ("gas", "gasLimit", "GAS") for gas in (
        50_000_001, "50000001", "0x2faf081", "0x" + f"{50_000_001:064x}", "0x" + "f" * 65, -1, True, [],
    )]  # fmt: skip
    with pool.lease("tiny", 5) as fork:
        assert fork.rpc("eth_blockNumber") == "0x5"
        node = pool.pids()
        for fields in odd:
            with pytest.raises(ToolError):
                fork.rpc("eth_call", [{"to": origin.store, **fields}])
        assert fork.rpc("eth_call", [{"to": origin.store, "data": READ_1, "gas": "0x2faf080"}]) == "0x" + f"{12:064x}"
        assert pool.pids() == node


def test_reverts_and_transactions_that_cannot_run_are_told(origin: Any, pool: ForkPool) -> None:
    """Revert bytes are in the tool error; a miss while mining is no empty block."""
    with pool.lease("tiny", 5, writes=True) as fork:
        fork.operate("anvil_setCode", [origin.store, "0x63deadbeef6000526004601cfd"])
        with pytest.raises(ToolError, match=r"revert.*0xdeadbeef"):
            fork.rpc("eth_call", [{"to": origin.store}])
    with pytest.raises(Miss) as missed, pool.lease("tiny", 5, writes=True) as fork:
        fork.operate("anvil_impersonateAccount", [SENDER])
        data = "0x" + f"{9:064x}{1:064x}"
        fork.operate("eth_sendTransaction", [{"from": SENDER, "to": origin.store, "data": data, "gas": "0x30d40"}])
        fork.operate("evm_mine")
    assert missed.value.detail.kind == "storage"
    with pool.lease("tiny", 5) as fork:
        assert fork.rpc("eth_blockNumber") == "0x5"


def test_nothing_of_a_writing_lease_remains(origin: Any, pool: ForkPool) -> None:
    """Balances, storage, mined and pending transactions, and block settings are gone with it."""
    reads: list[tuple[str, list[Any]]] = [
        ("eth_call", [{"to": origin.mirror}]), ("eth_call", [{"to": origin.store, "data": READ_1}]),
        ("eth_getBalance", [SENDER, "latest"]),
        ("eth_getTransactionCount", [SENDER, "latest"]), ("eth_blockNumber", []),
    ]  # fmt: skip
    with pool.lease("tiny", 5) as fork:
        before = [fork.rpc(method, params) for method, params in reads]
    with pool.lease("tiny", 5, writes=True) as fork:
        fork.operate("anvil_impersonateAccount", [SENDER])
        sent = fork.operate("eth_sendTransaction", [{"from": SENDER, "to": RECEIVER, "value": "0x1", "gas": "0x5208"}])
        fork.operate("evm_mine")
        assert fork.operate("eth_getTransactionReceipt", [sent])["status"] == "0x1"
        fork.operate("eth_sendTransaction", [{"from": SENDER, "to": RECEIVER, "value": "0x2", "gas": "0x5208"}])
        fork.operate("anvil_setCoinbase", [RECEIVER])
        fork.operate("evm_setNextBlockTimestamp", [1_800_000_000])
        fork.operate("anvil_setStorageAt", [origin.store, "0x1", "0x" + "00" * 31 + "63"])
        assert [fork.rpc(method, params) for method, params in reads] != before
    with pool.lease("tiny", 5, writes=True) as fork:
        assert [fork.rpc(method, params) for method, params in reads] == before
        assert fork.operate("txpool_status")["pending"] == "0x0"
        with pytest.raises(ToolError):
            fork.operate("eth_sendTransaction", [{"from": SENDER, "to": RECEIVER, "value": "0x1", "gas": "0x5208"}])


def test_a_block_mined_after_a_repin_is_the_one_the_origin_mined(
    origin: Any, pool: ForkPool, rows: SnapshotRows
) -> None:
    """A writing lease starts from the pinned block's own fee and time, whatever was leased before."""
    with pool.lease("tiny", 2) as fork:
        fork.rpc("eth_blockNumber")
    with pool.lease("tiny", 3) as fork:
        fork.rpc("eth_blockNumber")
    with pool.lease("tiny", 3, writes=True) as fork:
        fork.operate("evm_mine")
        mined = fork.operate("eth_getBlockByNumber", ["latest", False])
    for name in ("number", "baseFeePerGas", "timestamp", "gasLimit", "miner", "parentHash"):
        assert mined[name] == rows.blocks[4][name]


def test_readers_at_different_heights_never_see_each_others_block(origin: Any, pool: ForkPool) -> None:
    """Four threads re-pin one fork in turn; every answer is of the height that was leased."""
    expected = {3: 11, 4: 11, 5: 12, 6: 13}
    right: list[int] = []

    def read(block: int) -> None:
        for _ in range(10):
            with pool.lease("tiny", block) as fork:
                value = int(fork.rpc("eth_call", [{"to": origin.store, "data": READ_1}]), 16)
                if value == expected[block] and fork.rpc("eth_blockNumber") == hex(block):
                    right.append(block)

    threads = [threading.Thread(target=read, args=(block,)) for block in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(right) == sorted([*expected] * 10)


def test_a_node_killed_between_two_calls_changes_no_answer(origin: Any, pool: ForkPool) -> None:
    """Before a lease, inside one, and before a re-pin; only a writing lease is lost with its node."""
    asked = {"to": origin.store, "data": READ_1}
    for before, inside, height in ((True, False, 5), (False, True, 6), (True, True, 4), (False, False, 5)):
        for pid in pool.pids() if before else ():
            os.kill(pid, signal.SIGKILL)
        with pool.lease("tiny", height) as fork:
            for pid in pool.pids() if inside else ():
                os.kill(pid, signal.SIGKILL)
            assert int(fork.rpc("eth_call", [asked]), 16) == {4: 11, 5: 12, 6: 13}[height]
    with pool.lease("tiny", 5, writes=True) as fork:
        os.kill(pool.pids()[0], signal.SIGKILL)
        with pytest.raises(ForkFault):
            fork.rpc("eth_call", [asked])


@pytest.mark.parametrize("writes", [False, pytest.param(True, marks=pytest.mark.check)])
def test_a_node_killed_while_it_starts_is_started_again(
    snapshot: Snapshot, anvil_binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: bool
) -> None:
    """Two starts that end by kill -9 are made up for; one that always ends so is a fault in the node's words."""
    deaths = tmp_path / "deaths"
    dying = tmp_path / "anvil"
    dying.write_text(f"""#!/bin/sh
if [ "$1" != --version ] && [ -s {deaths} ]; then
    sed -i 1d {deaths}
    kill -9 $$
fi
exec {anvil_binary} "$@"
""")
    dying.chmod(0o755)
    monkeypatch.setenv("CAIA_REPLAY_ANVIL", str(dying))
    deaths.write_text("now\n" * 2)
    with ForkPool({"tiny": snapshot}) as pool, pool.lease("tiny", 5, writes=writes) as fork:
        assert fork.rpc("eth_blockNumber") == "0x5" and deaths.read_text() == ""
    deaths.write_text("now\n" * 9)
    with (
        ForkPool({"tiny": snapshot}) as pool,
        pytest.raises(ForkFault, match="did not start"),
        pool.lease("tiny", 5, writes=writes),
    ):
        pass
    assert len(deaths.read_text()) > 0


@pytest.mark.check
def test_one_chain_s_fault_on_closing_leaves_no_other_chain_open(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault is raised when everything else is closed."""
    pool = ForkPool({"first": snapshot, "second": snapshot})
    for chain in ("first", "second"):
        with pool.lease(chain, 5) as fork:
            fork.rpc("eth_blockNumber")
    node = pool._nodes["first"]

    def broken() -> None:
        raise OSError("first")

    with monkeypatch.context() as broken_once:
        broken_once.setattr(node, "close", broken)
        other = pool._nodes["second"].pid
        with pytest.raises(OSError, match="first"):
            pool.close()
    node.close()
    assert other is not None and pool.pids() == ()
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


def test_a_lease_is_refused_where_there_is_nothing_to_lease(pool: ForkPool) -> None:
    """Unknown chains, heights outside, nesting, use after the end, and writing without asking."""
    with pytest.raises(BadInput, match="nearest: tiny"), pool.lease("tinny", 5):
        pass
    for block in (0, LAST + 1):
        with pytest.raises(Miss, match=f"block not recorded: {block} "), pool.lease("tiny", block):
            pass
    with pool.lease("tiny", 5) as fork:
        with pytest.raises(ForkFault, match="already leases"), pool.lease("tiny", 5):
            pass
        with pytest.raises(ForkFault, match="writes=True"):
            fork.operate("evm_mine")
        with pytest.raises(ToolError):
            fork.rpc("evm_mine")
    with pytest.raises(ForkFault, match="lease had ended"):
        fork.rpc("eth_blockNumber")


def test_no_process_and_no_thread_is_left_after_close(snapshot: Snapshot) -> None:
    """Also when the block of code ends in an exception."""
    before = set(threading.enumerate())
    with pytest.raises(RuntimeError, match="mine"), ForkPool({"tiny": snapshot}) as pool:
        with pool.lease("tiny", 5) as fork:
            fork.rpc("eth_blockNumber")
        (pid,) = pool.pids()
        raise RuntimeError("mine")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert pool.pids() == ()
    assert set(threading.enumerate()) <= before
    with pytest.raises(ForkFault, match="closed"), pool.lease("tiny", 5):
        pass


@pytest.fixture
def upgraded(origin: Any, snapshot: Snapshot, tmp_path: Path) -> Iterator[tuple[ForkPool, dict[str, int]]]:
    """The chain as if its rules had changed twice; contracts by address, each with one opcode, and since when."""
    info, rows = read_snapshot(snapshot.folder)
    for block in rows.blocks:
        for since, names in LATER_FIELDS.items():
            for name in names if int(block["number"], 16) < since else ():
                block.pop(name, None)
    contracts = dict(zip((origin.mirror, origin.store, RECEIVER, "0x" + "c0" * 20), OPCODES, strict=True))
    code_of = {bytes.fromhex(address[2:]): bytes.fromhex(code) for address, code in contracts.items()}
    known = [row for row in rows.accounts if row.address == bytes.fromhex(origin.mirror[2:])]
    rows.accounts = [row for row in rows.accounts if row.address not in code_of]
    for address, code in code_of.items():
        rows.accounts += [replace(row, address=address, nonce=1, code_hash=keccak(code)) for row in known]
        rows.codes.append(CodeRow(keccak(code), code))
    changed = replace(info, hardforks={0: "paris", SHANGHAI: "shanghai", CANCUN: "cancun"})
    write_snapshot(tmp_path / "tiny", changed, rows)
    with ForkPool({"tiny": Snapshot.open(tmp_path / "tiny")}) as pool:
        yield pool, {address: OPCODES[code] for address, code in contracts.items()}


def test_a_fork_runs_and_mines_under_the_rules_of_its_own_block(upgraded: tuple[ForkPool, dict[str, int]]) -> None:
    """Over two hard forks an opcode runs from its first block on, and mined headers have their own rules' fields."""
    pool, contracts = upgraded
    for block in (5, 2, 4, 6, 3, 5, 4, 2, 3, 6):
        with pool.lease("tiny", block) as fork:
            for address, since in contracts.items():
                if block >= since:
                    assert int(fork.rpc("eth_call", [{"to": address}]), 16) > 0
                else:
                    with pytest.raises(ToolError, match="NotActivated"):
                        fork.rpc("eth_call", [{"to": address}])
            assert fork.rpc("eth_blockNumber") == hex(block)
    assert len(pool.pids()) == 1
    pool, contracts = upgraded
    for block in (4, 5, 2):
        with pool.lease("tiny", block, writes=True) as fork:
            fork.operate("anvil_impersonateAccount", [SENDER])
            for address, since in contracts.items():
                wanted = {"from": SENDER, "to": address, "gas": "0x30d40"}
                sent = fork.operate("eth_sendTransaction", [wanted])
                fork.operate("evm_mine")
                receipt = fork.operate("eth_getTransactionReceipt", [sent])
                assert receipt["status"] == ("0x1" if block >= since else "0x0")
            header = fork.operate("eth_getBlockByNumber", ["latest", False])
            assert ("withdrawalsRoot" in header, "excessBlobGas" in header) == (block >= SHANGHAI, block >= CANCUN)
