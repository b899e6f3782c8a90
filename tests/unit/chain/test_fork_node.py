"""Behaviour of one node: re-pinned or fresh, it executes in the pinned block's own environment."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.fork_node import ForkNode
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.node_answer import answer
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.errors import ForkFault, Miss, ToolError


@pytest.fixture
def node(snapshot: Snapshot) -> Iterator[ForkNode]:
    made = ForkNode(snapshot)
    yield made
    made.close()


def test_every_height_executes_in_its_own_environment(origin: Any, node: ForkNode) -> None:
    """Everything code sees, and estimates, equal the origin's after any order of re-pins."""
    seen = set()
    for block in (2, 6, 3, 5, 4, 2, 6):
        node.stand_at(block)
        words = node.read("eth_call", [{"to": origin.mirror}, "latest"])
        assert words == origin.rpc.demand("eth_call", [{"to": origin.mirror}, hex(block)])
        assert words == node.read("eth_call", [{"to": origin.mirror}, hex(block)])
        seen.add(words)
    assert len(seen) == 5
    sender = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
    call = {"from": sender, "to": origin.store, "data": "0x" + f"{7:064x}{5:064x}"}
    for block in (2, 6, 4, 5):
        node.stand_at(block)
        assert node.read("eth_estimateGas", [call, "latest"]) == origin.rpc.demand(
            "eth_estimateGas", [call, hex(block)]
        )


def test_an_untouched_process_is_a_new_one_after_a_repin(node: ForkNode) -> None:
    """Reads share a process; who asks for an untouched one never gets one that stood elsewhere."""
    node.stand_at(3)
    first = node.pid
    node.stand_at(3, untouched=True)
    assert node.pid == first
    node.stand_at(4)
    assert node.pid == first
    node.stand_at(4, untouched=True)
    assert node.pid != first


def test_a_panicking_node_is_the_miss_that_caused_it(origin: Any, node: ForkNode, snapshot: Snapshot) -> None:
    """Anvil breaks off when an account that block building needs is not recorded."""
    node.stand_at(5, untouched=True)
    node.ask("anvil_setCoinbase", ["0x" + "99" * 20])
    transaction = {"from": "0x" + "98" * 20, "to": origin.store, "gas": "0x5208"}
    with pytest.raises(Miss) as missed:
        node.ask("anvil_impersonateAccount", [transaction["from"]])
        node.ask("eth_sendTransaction", [transaction])
        node.ask("evm_mine")
    assert missed.value.detail.kind == "account"


def test_a_killed_node_is_replaced_and_a_closed_one_is_not(origin: Any, node: ForkNode) -> None:
    """The call in flight fails by name, the next runs on another process; nothing lives after close."""
    node.stand_at(5)
    assert node.pid is not None
    os.kill(node.pid, signal.SIGKILL)
    with pytest.raises(ForkFault, match="eth_blockNumber"):
        node.ask("eth_blockNumber")
    node.stand_at(5)
    assert node.ask("eth_blockNumber") == "0x5"
    node.close()
    with pytest.raises(ForkFault, match="closed"):
        node.stand_at(5)
    assert node.pid is None


def test_traces_proofs_and_fees_never_come_from_anvil(traces: Snapshot, rows: SnapshotRows, origin: Any) -> None:
    """At every height what the records say; Anvil would trace from a cache, and tell its own fees."""
    node = ForkNode(traces)
    sent = rows.transactions[3]["hash"]
    asked: list[tuple[str, list[Any]]] = [
        ("debug_traceTransaction", [sent, {"tracer": "callTracer"}]),
        ("debug_traceTransaction", [sent, {}]),
        ("trace_transaction", [sent]),
        ("trace_block", ["latest"]),
        ("eth_feeHistory", ["0x3", "latest", [10, 90]]),
    ]
    try:
        for block in (6, 4, 6):
            node.stand_at(block)
            for method, params in asked:
                assert node.read(method, params) == answer(traces, block, method, params)
        proof = [origin.store, ["0x1", "0x7"], "latest"]
        assert node.read("eth_getProof", proof) == answer(traces, 6, "eth_getProof", proof)
        node.stand_at(2)
        with pytest.raises(ToolError, match="no transaction"):
            node.read(*asked[0])
        assert node.read("trace_transaction", [sent]) is None
        assert node.miss_count == 0
        for number, (method, params) in enumerate((("eth_getProof", proof), ("eth_feeHistory", ["0x1", "0x3"]))):
            with pytest.raises(Miss):
                node.read(method, params)
            assert node.miss_count == number + 1
        assert node.read("eth_getBlockByNumber", ["latest", False])["number"] == "0x2"
    finally:
        node.close()


def test_what_anvil_forwards_is_answered_from_records(traces: Snapshot, rows: SnapshotRows, origin: Any) -> None:
    """Our own unguarded calls reach the upstream too: the recorded words, or a miss."""
    node = ForkNode(traces)
    sent, proof = rows.transactions[2]["hash"], [origin.store, ["0x" + slot.zfill(64) for slot in "17"], "latest"]
    try:
        node.stand_at(6)
        for method, params in (("trace_transaction", [sent]), ("trace_block", ["0x3"]), ("eth_getProof", proof)):
            assert node.ask(method, params) == answer(traces, 6, method, params)
        for params in ([origin.store, [], "latest"], [origin.mirror, [], "0x6"]):
            with pytest.raises(Miss, match="proof not recorded"):
                node.ask("eth_getProof", params)
        assert node.miss_count == 2
    finally:
        node.close()


def test_records_are_not_read_without_a_standing_node(traces: Snapshot, rows: SnapshotRows) -> None:
    """The upstream's first pin is nobody's question."""
    node = ForkNode(traces)
    with pytest.raises(ForkFault, match="no running node"):
        node.read("trace_transaction", [rows.transactions[0]["hash"]])
    node.close()


@pytest.mark.check
def test_closing_while_a_node_starts_leaves_nothing(
    snapshot: Snapshot, anvil_binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that was starting it is told, and its process is gone when close returns."""
    # It has started, and only the word of it is held back.
    pid, held, go, slow = (tmp_path / name for name in ("pid", "held", "go", "anvil"))
    slow.write_text(f"""#!/bin/bash
if [ "$1" = --version ]; then exec {anvil_binary} "$@"; fi
echo $$ > {pid}
exec {anvil_binary} "$@" > >(while IFS= read -r line; do
    case "$line" in Listening*) touch {held}; while [ ! -e {go} ]; do sleep 0.01; done ;; esac
    echo "$line"
done)
""")
    slow.chmod(0o755)
    monkeypatch.setenv("CAIA_REPLAY_ANVIL", str(slow))
    pool, told = ForkPool({"tiny": snapshot}), []

    def use() -> None:
        try:
            with pool.lease("tiny", 5) as fork:
                told.append(fork.rpc("eth_blockNumber"))
        except ForkFault as fault:
            told.append(str(fault))

    user, closer = threading.Thread(target=use), threading.Thread(target=pool.close)
    user.start()
    while not held.exists():
        time.sleep(0.01)
    node = pool._nodes["tiny"]
    closer.start()
    while not node._closed:
        time.sleep(0.01)
    go.touch()
    user.join()
    closer.join()
    assert told == ["the fork of tiny is closed"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


class SlowLogs:
    """A snapshot that answers for logs only when told to, and whose questions time out soon."""

    timeout_s = 0.3

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.asked = 0
        self.released = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._snapshot, name)

    def logs(self, *wanted: Any) -> Any:
        self.asked += 1
        self.released.wait()
        raise Miss("logs", "those that took so long", "tiny")


@pytest.mark.parametrize("writes", [False, pytest.param(True, marks=pytest.mark.check)])
def test_a_question_that_takes_too_long_is_asked_once_and_is_a_fault(snapshot: Snapshot, writes: bool) -> None:
    """It is not the caller's error; its late miss is not charged to the next call, which another node answers."""
    slow: Any = SlowLogs(snapshot)
    with ForkPool({"tiny": slow}) as pool:
        try:
            with pool.lease("tiny", 5, writes=writes) as fork:
                pid = pool.pids()
                with pytest.raises(ForkFault, match="gave up on its upstream during eth_getLogs"):
                    fork.rpc("eth_getLogs", [{"fromBlock": "0x1"}])
                assert slow.asked == 1
                assert pool.pids() == ()
                if not writes:
                    # While the question still keeps the upstream busy, a start that waits for it is tried once.
                    started = len(pool._nodes["tiny"]._upstream._pins)
                    with pytest.raises(ForkFault, match="error sending request"):
                        fork.rpc("eth_blockNumber")
                    assert len(pool._nodes["tiny"]._upstream._pins) == started + 1
                    slow.released.set()
                    assert [fork.rpc("eth_blockNumber") for _ in range(20)] == ["0x5"] * 20
            started = len(pool._nodes["tiny"]._upstream._pins)
            if writes:
                with pytest.raises(ForkFault, match="error sending request"), pool.lease("tiny", 5):
                    pass
                assert len(pool._nodes["tiny"]._upstream._pins) == started + 1
            slow.released.set()
            with pool.lease("tiny", 5) as fork:
                assert fork.rpc("eth_blockNumber") == "0x5"
                assert pool.pids() != pid
        finally:
            slow.released.set()


def test_a_revert_that_speaks_of_transport_is_the_contract_s_own(pool: ForkPool, origin: Any) -> None:
    """Words that a contract chose retire no node."""
    words = b"Transport(error sending request".hex()
    reason = "08c379a0" + f"{32:064x}{len(words) // 2:064x}" + words.ljust(64, "0")
    code = "".join(f"63{reason[at : at + 8]}60e01b61{at // 2:04x}52" for at in range(0, len(reason), 8))
    with pool.lease("tiny", 5, writes=True) as fork:
        fork.operate("anvil_setCode", [origin.store, f"0x{code}61{len(reason) // 2:04x}6000fd"])
        before = pool.pids()
        with pytest.raises(ToolError, match=r"Transport\(error sending request"):
            fork.rpc("eth_call", [{"to": origin.store}])
        assert pool.pids() == before


def test_no_python_of_ours_runs_in_the_fork(anvil_binary: Path) -> None:
    """It may want a lock that another thread held when the process was copied, and then stands for ever."""
    ours, before = os.getpid(), threading.gettrace()
    read, write = os.pipe()

    def trace(frame: FrameType, event: str, argument: object) -> None:
        if os.getpid() != ours and "caia_replay" in frame.f_code.co_filename:
            os.write(write, frame.f_code.co_name.encode())

    threading.settrace(trace)
    try:
        AnvilProcess(anvil_binary, []).stop()
    finally:
        threading.settrace(before)  # type: ignore[arg-type]
        os.close(write)
    with os.fdopen(read, "rb") as ran:
        assert ran.read() == b""
