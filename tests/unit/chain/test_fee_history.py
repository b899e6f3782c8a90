"""Fee history: a living Anvil's own where it keeps to the specification, the specification elsewhere."""

from __future__ import annotations

import random
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.fee_history import blob_base_fee, fee_history, next_base_fee
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, write_snapshot
from caia_replay.errors import Miss, ToolError

BLOCKS = 24
DECREED = 15
"""The block whose base fee does not follow from its parent's."""
HARDFORKS = ("shanghai", "cancun", "prague", "osaka")


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


def lives(anvil_binary: Path, hardfork: str, folder: Path) -> Iterator[Lived]:
    arguments = ["--chain-id", "7001", "--hardfork", hardfork, "--order", "fifo", "--no-mining"]
    node = AnvilProcess(anvil_binary, [*arguments, "--timestamp", "1700000000"])
    rpc = node.connect()
    rpc.demand("anvil_setBlockTimestampInterval", [12])
    senders, chance = rpc.demand("eth_accounts"), random.Random(hardfork)
    for number in range(1, BLOCKS + 1):
        rpc.demand("evm_setBlockGasLimit", [hex(chance.randrange(300_000, 900_000))])
        if number == DECREED:
            rpc.demand("anvil_setNextBlockBaseFeePerGas", [hex(987_654_321)])
        for sender in chance.sample(senders, chance.choice((0, 1, 3, 9))):
            fee = {"gasPrice": hex(chance.randrange(4 * 10**9, 5 * 10**9))}
            if chance.random() < 0.5:
                fee = {"maxFeePerGas": hex(4 * 10**9), "maxPriorityFeePerGas": hex(chance.randrange(10**9))}
            data = "0x" + "".join(chance.choices(("00", "ff", "5b"), k=chance.randrange(500)))
            rpc.demand(
                "eth_sendTransaction", [{"from": sender, "to": senders[0], "data": data, "gas": "0xffff", **fee}]
            )
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
    yield Lived(rpc, Snapshot.open(folder / "whole"), info, rows, folder)
    rpc.close()
    node.stop()


@pytest.fixture(scope="module", params=HARDFORKS)
def lived(request: pytest.FixtureRequest, anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Blocks from empty to full, with tips of every size, and one base fee by decree."""
    chain = lives(anvil_binary, request.param, tmp_path_factory.mktemp(request.param))
    made = next(chain)
    # Anvil fills its fee history beside mining, and answers with fewer blocks until it has.
    for _ in range(500):
        if len(made.asked(hex(BLOCKS + 1), "latest")["gasUsedRatio"]) == BLOCKS + 1:
            break
        time.sleep(0.01)
    yield made
    next(chain, None)


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


@settings(max_examples=60, deadline=None)
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
        [],
        ["0x0", "latest"],
        ["0x401", "latest"],
        [True, "latest"],
        [-1, "latest"],
        ["ten", "latest"],
        ["0x1_0", "latest"],
        ["1_0", "latest"],
        [" 7 ", "latest"],
        ["+3", "latest"],
        ["0x+3", "latest"],
        ["\N{FULLWIDTH DIGIT THREE}", "latest"],
        ["0x\N{FULLWIDTH DIGIT THREE}", "latest"],
        ["0x", "latest"],
        ["", "latest"],
        ["9" * 5000, "latest"],
        ["0x1", 5],
        ["0x1", "newest"],
        ["0x1", {"blockHash": "0x" + "11" * 32}],
        ["0x1", "latest", 50],
        ["0x1", "latest", ["50"]],
        ["0x1", "latest", [True]],
        ["0x1", "latest", [-1]],
        ["0x1", "latest", [101]],
        ["0x1", "latest", [50, 20]],
        ["0x1", "latest", [float("nan")]],
        ["0x1", "latest", list(range(101))],
    ],
)
def test_nonsense_is_told(snapshot: Snapshot, params: list[Any]) -> None:
    """Counts outside 1 to 1024, percentiles that do not ascend from 0 to 100, what is no block."""
    with pytest.raises(ToolError):
        fee_history(snapshot, 5, params)


@pytest.mark.parametrize("newest", ["0x6", "safe", "finalized", "pending"])
def test_a_newest_block_that_is_not_there_yet_or_not_known_is_a_miss(snapshot: Snapshot, newest: str) -> None:
    """Nothing past the pin, and no tag whose block at that moment nobody recorded."""
    with pytest.raises(Miss):
        fee_history(snapshot, 5, ["0x1", newest])


def test_a_count_is_a_number_in_hex_or_in_digits(lived: Lived) -> None:
    """However it is written, it asks for as many blocks."""
    for count in (3, "3", "03", "0x3", "0x03"):
        assert len(fee_history(lived.snapshot, 5, [count, "latest"])["gasUsedRatio"]) == 3


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
