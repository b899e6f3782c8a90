"""Behaviour of a chain that a test may write to: tried before mined, guarded, and honest about absence."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.fee_history import blob_base_fee
from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.scratch_chain import ScratchChain, as_rpc
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot, write_snapshot
from caia_replay.errors import BadInput, ForkFault, Miss, ToolError

MINI = Path(__file__).resolve().parents[3] / "chain_snapshots" / "mini"
MARE = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
NORU = "0xd0dbb13f312d0707e535c47975f05803a103aad5"
HOLDER = "0x8ec2894193029aac8406d421066b29b13177754f"
FRIEND = "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"
STRANGER = "0x" + "ab" * 20
SUPPLY = {"to": MARE, "data": "0x18160ddd"}

SEES = ("42", "43", "48", "41", "45", "3a")
"""TIMESTAMP, NUMBER, BASEFEE, COINBASE, GASLIMIT, GASPRICE."""
STORED = "".join(f"{code}60{32 * at:02x}52" for at, code in enumerate(SEES))
LOGGED = f"0x{STORED}60{32 * len(SEES):02x}6000a060{32 * len(SEES):02x}6000f3"
"""Bytecode that logs what its block looks like, and returns the same."""

READS_BLOB_FEE = "0x4a60005260206000f3"

READS_SLOT_OF_TIME = "0x425400"
"""TIMESTAMP, SLOAD, STOP: what it touches depends on the block it runs in."""


def transfer(to: str, amount: int) -> str:
    return "0xa9059cbb" + to[2:].zfill(64) + f"{amount:064x}"


@pytest.fixture(scope="module")
def pool() -> Iterator[ForkPool]:
    with ForkPool({"mini": Snapshot.open(MINI)}) as made:
        yield made


@pytest.fixture
def lease(pool: ForkPool) -> Iterator[Fork]:
    with pool.lease("mini", 60, writes=True) as leased:
        yield leased


@pytest.fixture
def chain(lease: Fork) -> ScratchChain:
    return ScratchChain(lease)


def balance(chain: ScratchChain, holder: str) -> int:
    return int(chain.call({"to": MARE, "data": "0x70a08231" + holder[2:].zfill(64)}), 16)


def test_a_miss_mines_nothing_and_the_next_transaction_works(chain: ScratchChain, lease: Fork) -> None:
    """With and without a gas limit, three times over: no block, nothing pending, the nonce unchanged."""
    for gas in ({}, {"gas": 100_000}, {"gas": "0x30d40"}):
        with pytest.raises(Miss) as missed:
            chain.send({"from": HOLDER, "to": MARE, "data": transfer(STRANGER, 5), **gas})
        assert missed.value.detail.kind == "storage"
        assert chain.block == int(chain.rpc("eth_blockNumber"), 16) == 60
        assert lease.operate("txpool_status") == {"pending": "0x0", "queued": "0x0"}
    receipt = chain.send({"from": HOLDER, "to": MARE, "data": bytes.fromhex(transfer(FRIEND, 5)[2:])})
    assert (receipt["status"], receipt["blockNumber"], len(receipt["logs"])) == ("0x1", hex(61), 1)
    assert balance(chain, HOLDER) == 25930 * 10**18 - 5


def test_a_sender_that_is_not_recorded_is_a_miss_and_refusals_leave_nothing(chain: ScratchChain, lease: Fork) -> None:
    """Nobody's nonce is made up; wrong nonces and fees, and more ether than there is: no block, nothing pending."""
    with pytest.raises(Miss, match="account not recorded: 0xabab"):
        chain.send({"from": STRANGER, "to": HOLDER, "value": 1})
    assert chain.block == 60
    for wanted, words in (
        ({"from": HOLDER, "to": FRIEND, "nonce": 99}, "next nonce of 0x8ec2.* is 11, not 99"),
        ({"from": HOLDER, "to": FRIEND, "value": 10**30}, "(?i)insufficient funds"),
        ({"from": MARE, "to": FRIEND}, "(?i)insufficient funds|lack of funds"),
        ({"from": HOLDER, "to": FRIEND, "gasPrice": 1}, "(?i)fee"),
    ):
        for gas in ({}, {"gas": 50_000}):
            with pytest.raises(ToolError, match=words):
                chain.send({**wanted, **gas})
            assert lease.operate("txpool_status") == {"pending": "0x0", "queued": "0x0"}
    assert chain.block == 60
    assert chain.send({"from": HOLDER, "to": FRIEND, "nonce": 11, "value": "0x1", "type": 0})["type"] == "0x0"


def test_the_trial_runs_in_the_block_that_is_mined(chain: ScratchChain, lease: Fork) -> None:
    """Time, number, base fee, coinbase, gas limit and price: tried, mined and read back, all equal."""
    lease.operate("anvil_setCode", [NORU, LOGGED])
    told = []
    for _ in range(3):
        told.append(chain.send({"from": HOLDER, "to": NORU})["logs"][0]["data"])
        header = chain.rpc("eth_getBlockByNumber", "latest", False)
        words = [int(told[-1][2 + 64 * at : 66 + 64 * at], 16) for at in range(len(SEES))]
        fields = ("timestamp", "number", "baseFeePerGas", "miner", "gasLimit", "baseFeePerGas")
        assert words == [int(header[name], 16) for name in fields]
        assert chain.call({"to": NORU})[: 2 + 64 * 5] == told[-1][: 2 + 64 * 5]
        assert int(header["timestamp"], 16) - 12 * (chain.block - 60) == 0x6681A12C
    for number, seen in zip((61, 62, 63), told, strict=True):
        assert chain.rpc("eth_call", {"to": NORU}, hex(number))[: 2 + 64 * 5] == seen[: 2 + 64 * 5]


def test_a_slot_that_only_the_mined_block_would_touch_is_found_by_the_trial(chain: ScratchChain, lease: Fork) -> None:
    """A trial in the pinned block would read a known slot here, and mining would then miss."""
    lease.operate("anvil_setCode", [NORU, READS_SLOT_OF_TIME])
    now = int(chain.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
    lease.operate("anvil_setStorageAt", [NORU, hex(now), "0x" + f"{1:064x}"])
    chain.call({"to": NORU})
    with pytest.raises(Miss, match=f"slot 0x{now + 12:064x}"):
        chain.send({"from": HOLDER, "to": NORU, "gas": 100_000})
    assert chain.send({"from": HOLDER, "to": FRIEND, "value": 1})["status"] == "0x1"
    assert chain.block == 61


def test_a_revert_is_told_or_mined(chain: ScratchChain) -> None:
    """Without a gas limit it is an error and no block; with one it is a mined failure, and no token moves."""
    wanted: dict[str, Any] = {"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 10**30)}
    with pytest.raises(ToolError, match="revert"):
        chain.send(wanted)
    assert chain.block == 60
    assert chain.send({**wanted, "gas": 100_000})["status"] == "0x0"
    assert (chain.block, balance(chain, HOLDER)) == (61, 25930 * 10**18)


def test_reads_before_and_after_a_write(chain: ScratchChain) -> None:
    """The guard follows the newest block; recorded blocks, logs and receipts stay as they were."""
    before = [chain.rpc("eth_getBlockByNumber", hex(n), True) for n in (0, 31, 60)]
    logs = chain.rpc("eth_getLogs", {"fromBlock": "0x37", "toBlock": "0x3c"})
    with pytest.raises(ToolError, match="later than the pinned block 60"):
        chain.rpc("eth_getBlockByNumber", "0x3d", False)
    receipt = chain.send({"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 5)})
    assert [chain.rpc("eth_getBlockByNumber", hex(n), True) for n in (0, 31, 60)] == before
    assert chain.rpc("eth_getBlockByHash", before[1]["hash"], True) == before[1]
    after = chain.rpc("eth_getLogs", {"fromBlock": "0x37", "toBlock": "latest"})
    assert (after[:-1], after[-1]["transactionHash"]) == (logs, receipt["transactionHash"])
    assert chain.rpc("eth_getTransactionReceipt", receipt["transactionHash"]) == receipt
    assert chain.rpc("eth_getBlockByNumber", "0x3d", False)["transactions"] == [receipt["transactionHash"]]
    at_pin = chain.rpc("eth_call", {"to": MARE, "data": "0x70a08231" + HOLDER[2:].zfill(64)}, "0x3c")
    assert int(at_pin, 16) == balance(chain, HOLDER) + 5
    with pytest.raises(Miss):
        chain.rpc("eth_call", SUPPLY, "0x1e")
    for method in ("anvil_setBalance", "evm_mine", "eth_sendTransaction", "eth_sendRawTransaction"):
        with pytest.raises(ToolError, match="is not available"):
            chain.rpc(method)
    assert chain.mine(3) == chain.block == int(chain.rpc("eth_blockNumber"), 16) == 64
    assert balance(chain, HOLDER) == 25930 * 10**18 - 5


def test_wrong_transactions_are_refused_by_name(chain: ScratchChain) -> None:
    """Unknown fields, wrong types, no sender, another chain: one line each and no block."""
    for wanted, words in (
        ({"from": HOLDER, "too": MARE}, "no field 'too'; nearest: to"),
        ({"from": HOLDER, "value": 1.5}, "value of a transaction is an int or 0x hex, not 1.5"),
        ({"from": HOLDER, "value": -1}, "value of a transaction"),
        ({"from": HOLDER, "value": True}, "value of a transaction"),
        ({"from": HOLDER, "value": "12"}, "value of a transaction"),
        ({"from": HOLDER, "data": "0xzz"}, "data of a transaction is bytes or 0x hex, not '0xzz'"),
        ({"from": HOLDER, "value": "0x1_0"}, "value of a transaction"),
        ({"from": HOLDER, "data": "0x123"}, "data of a transaction"), ({"to": HOLDER}, "needs the address it is from"),
        ({"from": HOLDER, "to": FRIEND, "type": 3}, "of type 0 to 2, not 3"),
        ({"from": HOLDER, "to": FRIEND, "type": "0x04", "gas": 50_000}, "of type 0 to 2, not 4"),
        ({"from": HOLDER, "to": FRIEND, "type": 9}, "of type 0 to 2, not 9"),
        ({"from": HOLDER, "to": FRIEND, "chainId": 1}, "another chain id than 700177"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=words):
            chain.send(wanted)
    with pytest.raises(BadInput, match="a transaction is a dict"):
        chain.call("0x")  # type: ignore[arg-type]
    for blocks in (0, -1, True, 1.0, 10_001):
        with pytest.raises(BadInput, match="blocks to mine"):
            chain.mine(blocks)  # type: ignore[arg-type]
    assert chain.block == 60
    assert as_rpc({"to": None, "data": b"\x01", "gas": 16}) == {"data": "0x01", "gas": "0x10"}


def test_a_dead_node_and_an_ended_lease_are_faults(pool: ForkPool) -> None:
    """Killed under a write, the chain says so from then on; the next lease is whole."""
    with pool.lease("mini", 60, writes=True) as leased:
        chain = ScratchChain(leased)
        chain.mine()
        os.kill(pool.pids()[0], signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(ForkFault):
                chain.mine()
    with pool.lease("mini", 60, writes=True) as leased:
        assert balance(ScratchChain(leased), HOLDER) == 25930 * 10**18
    with pytest.raises(ForkFault, match="lease had ended"):
        ScratchChain(leased).call(SUPPLY)


@pytest.mark.parametrize(("used", "right"), [(0, True), (1 << 17, False)])
def test_what_the_node_counts_on_with_is_no_price(tmp_path: Path, used: int, right: bool) -> None:
    """After a block with blobs on a chain whose target is not known, its excess of nothing is not known either."""
    info, rows = read_snapshot(MINI)
    rows.blocks = [{**block, "blobGasUsed": hex(used)} for block in rows.blocks]
    write_snapshot(tmp_path / "mini", replace(info, hardforks={0: "cancun"}), rows)
    with ForkPool({"mini": Snapshot.open(tmp_path / "mini")}) as pool, pool.lease("mini", 60, writes=True) as leased:
        chain = ScratchChain(leased)
        leased.operate("anvil_setCode", [NORU, READS_BLOB_FEE])
        assert int(chain.call({"to": NORU}), 16) == 1
        chain.mine()
        assert chain.rpc("eth_getBlockByNumber", "latest", False)["excessBlobGas"] == "0x0"
        if right:
            assert int(chain.call({"to": NORU}), 16) == 1
        else:
            with pytest.raises(Miss, match="blob base fee"):
                chain.call({"to": NORU})


@pytest.mark.parametrize(("chain_id", "told"), [(1, True), (700177, False)])
def test_no_code_reads_a_blob_fee_that_is_not_the_block_s(tmp_path: Path, chain_id: int, told: bool) -> None:
    """Older blocks, blocks yet to be mined, and chains whose figures are not known; other code runs everywhere."""
    info, rows = read_snapshot(MINI)
    rows.blocks = [{**block, "excessBlobGas": hex(40 << 20)} for block in rows.blocks]
    write_snapshot(tmp_path / "mini", replace(info, chain_id=chain_id, hardforks={0: "cancun"}), rows)
    with ForkPool({"mini": Snapshot.open(tmp_path / "mini")}) as pool, pool.lease("mini", 60, writes=True) as leased:
        chain = ScratchChain(leased)
        leased.operate("anvil_setCode", [NORU, READS_BLOB_FEE])

        def price(at: str) -> str:
            header = chain.rpc("eth_getBlockByNumber", at, False)
            return "0x" + f"{blob_base_fee(int(header['excessBlobGas'], 16), 3_338_477):064x}"

        def reads(at: str, right: bool) -> None:
            assert int(chain.rpc("eth_call", SUPPLY, at), 16) > 0
            if right:
                assert chain.rpc("eth_call", {"to": NORU}, at) == price(at)
                return
            for method in ("eth_call", "eth_estimateGas"):
                with pytest.raises(Miss, match="blob base fee of block"):
                    chain.rpc(method, {"to": NORU}, at)

        reads("latest", told)
        for gas in ({}, {"gas": 100_000}):
            with pytest.raises(Miss, match="blob base fee"):
                chain.send({"from": HOLDER, "to": NORU, **gas})
        assert chain.block == 60
        assert chain.send({"from": HOLDER, "to": FRIEND, "value": 1})["status"] == "0x1"
        chain.mine()
        for at, right in ((hex(60), False), (hex(61), False), (hex(62), told), ("latest", told)):
            reads(at, right)


@pytest.mark.check
@pytest.mark.real
def test_where_the_snapshot_proves_nothing_it_is_a_miss(real_block: Path) -> None:
    """An unknown hash in two blocks of mainnet is not null, and no block is mined on a header that was computed."""
    snapshot = Snapshot.open(real_block.parents[1] / "chain_snapshots" / "mainnet-22244135")
    first, _ = snapshot.heights[0]
    assert snapshot.reconstructed[first]
    with ForkPool({"mainnet": snapshot}) as pool, pool.lease("mainnet", first, writes=True) as leased:
        chain = ScratchChain(leased)
        for method, kind in (("eth_getTransactionByHash", "transaction"), ("eth_getTransactionReceipt", "receipt")):
            with pytest.raises(Miss) as missed:
                chain.rpc(method, "0x" + "12" * 32)
            assert missed.value.detail.kind == kind
        for write in (chain.mine, lambda: chain.send({"from": HOLDER, "to": FRIEND})):
            with pytest.raises(Miss, match=f"timestamp.* of block {first}"):
                write()
        assert int(chain.rpc("eth_blockNumber"), 16) == chain.block == first


def test_records_are_served_and_what_was_mined_here_has_none(chain: ScratchChain, lease: Fork) -> None:
    """Traces, proofs and fees up to the pinned block; after it a refusal in words, never the node's own."""
    recorded = lease.snapshot.transactions(60) or lease.snapshot.transactions(59)
    fees = chain.rpc("eth_feeHistory", "0x4", "latest", [50])
    assert fees["oldestBlock"] == hex(57) and len(fees["baseFeePerGas"]) == 5
    mined = chain.send({"from": HOLDER, "to": FRIEND, "value": 1})
    assert int(fees["baseFeePerGas"][-1], 16) == int(
        chain.rpc("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16
    )
    assert chain.rpc("eth_feeHistory", "0x4", hex(60), [50]) == fees
    here = {"blockHash": mined["blockHash"]}
    for method, *params in (
        ("eth_feeHistory", "0x4", "latest"), ("eth_feeHistory", "0x4", hex(61)), ("eth_getProof", MARE, []),
        ("eth_getProof", MARE, [], "latest"), ("eth_getProof", MARE, [], here),
        ("trace_block", {"blockNumber": hex(61)}), ("trace_block", here),
        ("trace_transaction", mined["transactionHash"]),
        ("debug_traceTransaction", "0x" + mined["transactionHash"][2:].upper(), {"tracer": "callTracer"}),
    ):  # fmt: skip
        with pytest.raises(ToolError, match=f"{method} is served from the record, which ends at block 60"):
            chain.rpc(method, *params)
    with pytest.raises(ToolError, match="later than the pinned block 61"):
        chain.rpc("trace_block", hex(62))
    for kind, method, *params in (
        ("trace", "trace_transaction", recorded[0]["hash"]),
        ("trace", "debug_traceTransaction", recorded[0]["hash"], {}), ("proof", "eth_getProof", MARE, [], hex(60)),
        ("proof", "eth_getProof", MARE, [], {"blockHash": lease.snapshot.header(60)["hash"]}),
    ):  # fmt: skip
        with pytest.raises(Miss) as missed:
            chain.rpc(method, *params)
        assert missed.value.detail.kind == kind
    assert chain.block == 61


def test_waiting_moves_the_clock_and_what_was_mined_here_has_a_call_tree(chain: ScratchChain) -> None:
    """A wait is one empty block so long after the newest; a tree tells the value sent; others are refused."""
    begun = int(chain.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
    assert chain.wait(3_600) == 61
    assert int(chain.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16) == begun + 3_600
    for seconds in (0, -5, True, 10**12, "60"):
        with pytest.raises(BadInput, match="seconds to wait"):
            chain.wait(seconds)  # type: ignore[arg-type]
    assert chain.mine() == 62
    assert int(chain.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16) == begun + 3_612
    mined = chain.send({"from": HOLDER, "to": FRIEND, "value": 7})
    tree = chain.trace(mined["transactionHash"])
    assert (tree["type"], tree["from"], tree["to"], int(tree["value"], 16)) == ("CALL", HOLDER, FRIEND, 7)
    with pytest.raises(ToolError, match="was not mined here"):
        chain.trace("0x" + "00" * 32)
