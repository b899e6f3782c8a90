"""Fee history and the blob fee: a living Anvil's where it keeps to the specification, the specification elsewhere."""

from __future__ import annotations

import random
import time
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.blob_fee_probe import blob_fee_probe
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.fee_history import blob_base_fee, fee_history, next_base_fee
from caia_replay.chain.fork_node import ForkNode
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import (
    AccountRow,
    CodeRow,
    SnapshotInfo,
    SnapshotRows,
    read_snapshot,
    write_snapshot,
)
from caia_replay.errors import Miss, ToolError

BLOCKS = 24
DECREED = 15
"""The block whose base fee does not follow from its parent's."""
HARDFORKS = ("prague", *(pytest.param(name, marks=pytest.mark.check) for name in ("shanghai", "cancun", "osaka")))


@dataclass(frozen=True, slots=True)
class Lived:
    """A living chain and everything that was recorded of it."""

    rpc: RpcConnection
    snapshot: Snapshot
    info: SnapshotInfo
    rows: SnapshotRows
    folder: Path

    def asked(self, *params: Any) -> dict[str, Any]:
        """The living chain's answer; a reward nobody asked for left out."""
        answer: dict[str, Any] = self.rpc.demand("eth_feeHistory", list(params))
        return {name: value for name, value in answer.items() if value != []}


@pytest.fixture(scope="module", params=HARDFORKS)
def lived(request: pytest.FixtureRequest, living: Any, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """Blocks from empty to full, with tips of every size, and one base fee by decree."""
    hardfork, folder = request.param, tmp_path_factory.mktemp(request.param)
    arguments = ["--chain-id", "7001", "--hardfork", hardfork, "--order", "fifo", "--no-mining"]
    rpc = living(*arguments, "--timestamp", "1700000000")
    rpc.demand("anvil_setBlockTimestampInterval", [12])
    senders, chance = rpc.demand("eth_accounts"), random.Random(hardfork)
    for number in range(1, BLOCKS + 1):
        rpc.demand("evm_setBlockGasLimit", [hex(chance.randrange(300_000, 900_000))])
        if number == DECREED:
            rpc.demand("anvil_setNextBlockBaseFeePerGas", [hex(987_654_321)])
        for sender in chance.sample(senders, chance.choice((0, 1, 3, 9))):
            sent = {"from": sender, "to": senders[0], "gas": "0xffff"}
            fee = {"gasPrice": hex(chance.randrange(4 * 10**9, 5 * 10**9))}
            if chance.random() < 0.5:
                fee = {"maxFeePerGas": hex(4 * 10**9), "maxPriorityFeePerGas": hex(chance.randrange(10**9))}
            data = "0x" + "".join(chance.choices(("00", "ff", "5b"), k=chance.randrange(500)))
            rpc.demand("eth_sendTransaction", [{**sent, "data": data, **fee}])
        rpc.demand("evm_mine")
    rows = SnapshotRows()
    for number in range(BLOCKS + 1):
        block = rpc.demand("eth_getBlockByNumber", [hex(number), True])
        rows.transactions += block.pop("transactions")
        rows.blocks.append(block)
        for receipt in rpc.demand("eth_getBlockReceipts", [hex(number)]) or []:
            rows.logs += receipt.pop("logs")
            rows.receipts.append(receipt)
    claims = Claims.of(Claim(name, 0, BLOCKS) for name in ("blocks", "transactions", "receipts", "logs"))
    info = SnapshotInfo("fees", 7001, {0: hardfork}, ((0, BLOCKS),), "synthetic", "a test", claims)
    write_snapshot(folder / "whole", info, rows)
    made = Lived(rpc, Snapshot.open(folder / "whole"), info, rows, folder)
    # Anvil fills its fee history beside mining, and answers with fewer blocks until it has.
    for _ in range(500):
        if len(made.asked(hex(BLOCKS + 1), "latest")["gasUsedRatio"]) == BLOCKS + 1:
            break
        time.sleep(0.01)
    return made


def cut(lived: Lived, name: str, change: Any = None, **info: Any) -> Snapshot:
    """A snapshot of the same chain with other rows or another manifest."""
    rows = SnapshotRows(*([*getattr(lived.rows, field)] for field in ("blocks", "transactions", "receipts", "logs")))
    if change is not None:
        change(rows)
    folder = lived.folder / name
    if not folder.exists():
        write_snapshot(folder, replace(lived.info, **info), rows)
    return Snapshot.open(folder)


def test_it_is_the_living_chain_s(lived: Lived) -> None:
    """Random ranges and whole percentiles are answered alike, but for what Anvil gets wrong."""
    # Anvil rounds percentiles, gives every block the base fee after its head, and an early genesis a blob fee of 1.
    seen = set()

    @settings(max_examples=120, deadline=None)
    @given(
        newest=st.integers(1, BLOCKS),
        count=st.integers(1, BLOCKS),
        percentiles=st.lists(st.integers(0, 100), max_size=9, unique=True).map(sorted),
    )
    def holds(newest: int, count: int, percentiles: list[int]) -> None:
        count = min(count, newest)
        wanted = lived.asked(hex(count), hex(newest), percentiles)
        if newest < BLOCKS:
            following = lived.rpc.demand("eth_getBlockByNumber", [hex(newest + 1), False])
            wanted["baseFeePerGas"][-1] = following["baseFeePerGas"]
        assert fee_history(lived.snapshot, BLOCKS, [hex(count), hex(newest), percentiles]) == wanted
        seen.update(fee for rewards in wanted.get("reward", ()) for fee in rewards)

    holds()
    assert len(seen) > 30


def test_the_next_base_fee_is_computed_only_where_the_chain_keeps_to_the_rule(lived: Lived) -> None:
    """At each pin it is what came to be; after a fee by decree, such as Anvil's own in block 1, it is a miss."""
    for pin in range(1, BLOCKS):
        following = lived.rows.blocks[pin + 1]["baseFeePerGas"]
        if pin in (1, DECREED):
            with pytest.raises(Miss, match=f"baseFeePerGas of block {pin + 1}"):
                fee_history(lived.snapshot, pin, [1, "latest"])
            continue
        told = fee_history(lived.snapshot, pin, [1, "latest"])["baseFeePerGas"][-1]
        assert (told == following) == (pin + 1 != DECREED)
        assert fee_history(lived.snapshot, pin + 1, [1, hex(pin)])["baseFeePerGas"][-1] == following


@given(data=st.data())
def test_rewards_are_the_tip_at_that_much_of_the_block_s_gas(lived: Lived, data: st.DataObject) -> None:
    """Any percentiles, repeated and between two transactions too, against a search in the running sum of gas."""
    number = data.draw(st.integers(0, BLOCKS))
    base_fee = int(lived.rows.blocks[number]["baseFeePerGas"], 16)
    mine = [receipt for receipt in lived.rows.receipts if receipt["blockNumber"] == hex(number)]
    paid = sorted((int(item["effectiveGasPrice"], 16) - base_fee, int(item["gasUsed"], 16)) for item in mine)
    running = list(accumulate(gas for _, gas in paid))
    ends = st.sampled_from([100 * reached / running[-1] for reached in running] or [0.0])
    percentiles = sorted(data.draw(st.lists(st.floats(0, 100) | ends, min_size=1, max_size=6)))
    wanted = ["0x0"] * len(percentiles)
    if paid:
        places = [bisect_left(running, int(running[-1] * percentile / 100)) for percentile in percentiles]
        wanted = [hex(paid[min(place, len(paid) - 1)][0]) for place in places]
    assert fee_history(lived.snapshot, BLOCKS, ["0x1", hex(number), percentiles])["reward"] == [wanted]


def test_a_range_ends_where_the_chain_began(lived: Lived) -> None:
    """Fewer blocks than asked for only because there were no more."""
    for count in (4, 5, 1024):
        told = fee_history(lived.snapshot, 4, [hex(count), "0x3"])
        assert (told["oldestBlock"], len(told["gasUsedRatio"]), len(told["baseFeePerGas"])) == ("0x0", 4, 5)
    assert fee_history(lived.snapshot, 4, ["0x9", "earliest"])["oldestBlock"] == "0x0"
    for spelled in (3, "3", "03", "0x3", "0x03"):
        assert len(fee_history(lived.snapshot, 5, [spelled, "latest"])["gasUsedRatio"]) == 3


FIELDS = ("baseFeePerGas", "gasUsed", "gasLimit")


@pytest.mark.parametrize("field", [*FIELDS, "blobGasUsed", "excessBlobGas"])
def test_a_field_that_is_absent_or_reconstructed_is_a_miss(lived: Lived, field: str) -> None:
    """In any block of the range: never zero, never left out of the series."""
    hardfork = lived.info.hardforks[0]
    if hardfork == "shanghai" and field not in FIELDS:
        return

    def without(rows: SnapshotRows) -> None:
        rows.blocks[4] = {name: value for name, value in rows.blocks[4].items() if name != field}

    for holed in (
        cut(lived, f"without-{field}", without),
        cut(lived, f"computed-{field}", reconstructed={4: (field,)}),
    ):
        for params in (["0x1", "0x4"], ["0x3", "0x5"], ["0x2", "0x4"]):
            with pytest.raises(Miss) as missed:
                fee_history(holed, 6, params)
            assert (missed.value.detail.kind, "of block 4" in missed.value.detail.wanted) == ("block", True)
        assert fee_history(holed, 9, ["0x2", "0x9"]) == fee_history(lived.snapshot, 9, ["0x2", "0x9"])


def test_a_block_nobody_recorded_is_a_miss(lived: Lived) -> None:
    """And so are receipts, where rewards are asked for; without rewards they are not needed."""
    claims = Claims.of([Claim("logs", 0, 1)])

    def thin(rows: SnapshotRows) -> None:
        del rows.blocks[4]
        rows.receipts.clear()
        rows.logs.clear()
        rows.transactions.clear()

    thinned = cut(lived, "thin", thin, claims=claims)
    with pytest.raises(Miss, match="block not recorded: 4"):
        fee_history(thinned, 6, ["0x3", "latest"])
    busy = next(int(item["blockNumber"], 16) for item in lived.rows.receipts if int(item["blockNumber"], 16) > 5)
    params = ["0x1", hex(busy)]
    assert fee_history(thinned, BLOCKS, params) == fee_history(lived.snapshot, BLOCKS, params)
    with pytest.raises(Miss):
        fee_history(thinned, BLOCKS, [*params, [50]])


def test_zero_blob_fees_need_rules_without_blobs(lived: Lived) -> None:
    """Headers without blob fields are zeros under rules before Cancun and a miss under later ones."""
    if lived.info.hardforks[0] != "shanghai":
        return
    told = fee_history(lived.snapshot, 5, ["0x2", "latest"])
    assert (told["baseFeePerBlobGas"], told["blobGasUsedRatio"]) == (["0x0"] * 3, [0.0] * 2)
    for name in ("cancun", "prague", "osaka"):
        with pytest.raises(Miss, match="blob gas of block 4"):
            fee_history(cut(lived, f"as-{name}", hardforks={0: name}), 5, ["0x2", "latest"])


def test_the_price_of_blobs_follows_the_rules(lived: Lived) -> None:
    """Excess and use give price and ratio on mainnet; from Osaka on and elsewhere the figures are not known."""
    hardfork = lived.info.hardforks[0]
    if hardfork == "shanghai":
        return
    figures = {"cancun": (3, 6, 3338477), "prague": (6, 9, 5007716)}

    def dear(rows: SnapshotRows) -> None:
        rows.blocks[5] = {**rows.blocks[5], "excessBlobGas": hex(80 << 20), "blobGasUsed": hex(5 << 17)}

    changed = cut(lived, "dear", dear, chain_id=1)
    unknown = [cut(lived, "dear-elsewhere", dear), cut(lived, "gnosis", chain_id=100)]
    for elsewhere in unknown if hardfork in figures else [*unknown, changed]:
        with pytest.raises(Miss, match="of block 5"):
            fee_history(elsewhere, 5, [1, "latest"])
    if hardfork not in figures:
        return
    target, most, fraction = figures[hardfork]
    told = fee_history(changed, 5, [1, "latest"])
    excess = (80 << 20) + (5 - target << 17)
    wanted = [hex(blob_base_fee(amount, fraction)) for amount in (80 << 20, excess)]
    assert (told["baseFeePerBlobGas"], told["blobGasUsedRatio"]) == (wanted, [5 / most])


@pytest.mark.parametrize(
    "params",
    [
        [], ["0x0", "latest"], ["0x401", "latest"], [True, "latest"], [-1, "latest"], ["ten", "latest"],
        ["0x1_0", "latest"], ["1_0", "latest"], [" 7 ", "latest"], ["+3", "latest"], ["0x+3", "latest"],
        ["\N{FULLWIDTH DIGIT THREE}", "latest"], ["0x\N{FULLWIDTH DIGIT THREE}", "latest"], ["0x", "latest"],
        ["", "latest"], ["9" * 5000, "latest"], ["0x1", 5], ["0x1", "newest"], ["0x1", {"blockHash": "0x" + "11" * 32}],
        ["0x1", "latest", 50], ["0x1", "latest", ["50"]], ["0x1", "latest", [True]], ["0x1", "latest", [-1]],
        ["0x1", "latest", [101]], ["0x1", "latest", [50, 20]], ["0x1", "latest", [float("nan")]],
        ["0x1", "latest", list(range(101))],
    ],
)  # fmt: skip
def test_nonsense_is_told(snapshot: Snapshot, params: list[Any]) -> None:
    """Counts outside 1 to 1024, percentiles that do not ascend from 0 to 100, what is no block."""
    with pytest.raises(ToolError):
        fee_history(snapshot, 5, params)


@pytest.mark.parametrize("newest", ["0x6", "safe", "finalized", "pending"])
def test_a_newest_block_that_is_not_there_yet_or_not_known_is_a_miss(snapshot: Snapshot, newest: str) -> None:
    """Nothing past the pin, and no tag whose block at that moment nobody recorded."""
    with pytest.raises(Miss):
        fee_history(snapshot, 5, ["0x1", newest])


KNOWN: Mapping[tuple[int, int, int], int] = {
    (1_000, 15_000_000, 30_000_000): 1_000,
    (1_000, 30_000_000, 30_000_000): 1_125,
    (1_000, 0, 30_000_000): 875,
    (7, 0, 30_000_000): 7,
    (7, 15_000_001, 30_000_000): 8,
    (10**9, 20_000_000, 30_000_000): 1_041_666_666,
}


def test_rules_give_the_specification_s_figures() -> None:
    """EIP-1559: an eighth up or down, at least one wei up, floors below; EIP-4844: e to a power."""
    for figures, wanted in KNOWN.items():
        assert next_base_fee(*figures) == wanted
    assert [blob_base_fee(excess, 3_338_477) for excess in (0, 2_314_057, 2_314_058, 10 << 20)] == [1, 1, 2, 23]


SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
PRECOMPILE = "0x" + "00" * 19 + "02"
EXCESS = 40 << 20
REVERTING, ENDLESS = "0x" + "c0" * 20, "0x" + "c1" * 20


@pytest.mark.parametrize(
    ("chain_id", "hardfork", "excess", "price"),
    [
        (1, "cancun", EXCESS, blob_base_fee(EXCESS, 3_338_477)),
        (1, "prague", EXCESS, None),  # a block of the year 2023 whose rules only we know
        pytest.param(1, "osaka", EXCESS, None, marks=pytest.mark.check),
        pytest.param(7001, "cancun", EXCESS, None, marks=pytest.mark.check),
        (100, "cancun", EXCESS, None),
        pytest.param(100, "cancun", 0, None, marks=pytest.mark.check),  # where blobs cost more than one wei at least
        (8453, "cancun", 0, 1),
        (42161, "cancun", None, None),
        (7001, "shanghai", None, 0),
    ],
)
def test_code_is_told_the_chain_s_own_blob_fee_or_nothing(
    origin: Any, rows: SnapshotRows, snapshot: Snapshot, tmp_path: Path,
    chain_id: int, hardfork: str, excess: int | None, price: int | None,
) -> None:  # fmt: skip
    """Where it is not known to be right, whatever reads it is a miss, deep down too; other code runs."""
    blocks = [{**block} for block in rows.blocks]
    for block in blocks:
        for name in ("excessBlobGas", "blobGasUsed") if excess is None else ():
            del block[name]
        if excess is not None:
            block["excessBlobGas"] = hex(excess)
    # DELEGATECALL the mirror, and revert whatever it gave; and JUMP to and fro until the gas is gone.
    codes = {REVERTING: f"600080808073{origin.mirror[2:]}5af4600080fd", ENDLESS: "5b600056"}
    changed = replace(rows, blocks=blocks, codes=[*rows.codes], accounts=[*rows.accounts])
    for address, code in codes.items():
        code_hash = keccak(bytes.fromhex(code))
        changed.codes.append(CodeRow(code_hash, bytes.fromhex(code)))
        changed.accounts.append(AccountRow(bytes.fromhex(address[2:]), 1, origin.last, 0, 1, code_hash))
    info, _ = read_snapshot(snapshot.folder)
    write_snapshot(tmp_path / "tiny", replace(info, chain_id=chain_id, hardforks={0: hardfork}), changed)
    node = ForkNode(Snapshot.open(tmp_path / "tiny"))
    sees: dict[str, Any] = {"to": origin.mirror}
    try:
        for block in (5, 3, 5):
            node.stand_at(block)
            stored = "0x" + f"{ {3: 11, 5: 12}[block]:064x}"
            assert node.read("eth_call", [{"to": origin.store, "data": "0x" + f"{1:064x}"}, hex(block)]) == stored
            for sender in ({}, {"from": SENDER}, {"from": origin.store}, {"from": PRECOMPILE}):
                if price == 0:  # there is no such opcode yet
                    with pytest.raises((ToolError, Miss), match=r"NotActivated|account not recorded"):
                        node.read("eth_call", [{**sees, **sender}])
                elif price is None or int(sender.get("from", "0x0"), 16) == 2:
                    with pytest.raises(Miss):
                        node.read("eth_call", [{**sees, **sender}])
                else:
                    told = node.read("eth_call", [{**sees, **sender}, "latest"])
                    assert int(told[2 + 64 * 6 : 2 + 64 * 7], 16) == price
            if price is None:
                for method in ("eth_call", "eth_estimateGas"):
                    for to in (origin.mirror, REVERTING):
                        with pytest.raises(Miss, match=f"blob base fee of block {block} "):
                            node.read(method, [{"to": to}, "latest"])
        for nonsense in ("0x", {"from": "zz"}, {"from": 7}, {"to": origin.store, "from": SENDER, "value": hex(10**30)}):
            with pytest.raises(ToolError):
                node.read("eth_call", [nonsense])
        if (chain_id, excess) == (100, 0):
            with pytest.raises(Miss, match="over 200000 steps may read it"):
                node.read("eth_call", [{"to": ENDLESS}])
        elif price is not None:
            with pytest.raises(ToolError, match="OutOfGas"):
                node.read("eth_call", [{"to": ENDLESS}])
    finally:
        node.close()


def test_only_accounts_of_the_call_are_asked() -> None:
    """The node would ask for any other, which nobody may have recorded; a precompile has no code to replace."""
    asked = blob_fee_probe({"from": PRECOMPILE, "to": SENDER, "data": "0x12", "value": "0x1"})
    assert asked is not None
    assert (asked[0], list(asked[1])) == ({"from": PRECOMPILE, "to": SENDER}, [SENDER])
    for call in ({"from": SENDER, "to": PRECOMPILE}, {"from": PRECOMPILE}, {"to": "zz"}, {"from": 7}, "0x", None):
        assert blob_fee_probe(call) is None
