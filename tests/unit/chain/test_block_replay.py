"""Executing a recorded block again, and what is said when it differs."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.block_replay import SystemWrite, replay_block
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.prestate import import_prestate
from caia_replay.chain.recorded_block import RecordedBlock, read_recorded_block
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput

pytestmark = pytest.mark.real

PARENT = 22244134


@pytest.fixture(scope="module")
def recorded(real_data: Path) -> RecordedBlock:
    return read_recorded_block(real_data / "mainnet-22244135")


@pytest.fixture(scope="module")
def pool(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkPool]:
    out = tmp_path_factory.mktemp("replay") / "snap"
    import_prestate(real_data / "mainnet-22244135", out, chain="block")
    with ForkPool({"block": Snapshot.open(out)}) as forks:
        yield forks


@pytest.fixture
def fork(pool: ForkPool) -> Iterator[Fork]:
    with pool.lease("block", PARENT, writes=True) as leased:
        yield leased


def test_a_block_can_be_replayed_again_and_again(pool: ForkPool, recorded: RecordedBlock) -> None:
    """A lease undoes the block, so the next replay on the same fork is just as exact."""
    for _ in range(3):
        with pool.lease("block", PARENT, writes=True) as fork:
            replayed = replay_block(fork, recorded.header, recorded.transactions, recorded.receipts)
        assert replayed.exact and replayed.equal_receipts == 125 and replayed.gas_used == 9145346


@pytest.mark.parametrize(
    ("field", "value"),
    [("receiptsRoot", "0x" + "00" * 32), ("gasUsed", "0x1"), ("excessBlobGas", "0x0"), ("baseFeePerGas", "0x1")],
)
def test_a_header_that_differs_is_named(fork: Fork, recorded: RecordedBlock, field: str, value: str) -> None:
    """The first difference says the field, what was mined and what was recorded."""
    replayed = replay_block(fork, {**recorded.header, field: value}, recorded.transactions, recorded.receipts)
    assert not replayed.exact
    if field != "baseFeePerGas":
        assert replayed.differences[0].startswith(f"{field}: mined '0x") and replayed.equal_receipts == 125
    else:
        assert any("effectiveGasPrice" in text for text in replayed.differences)


def test_receipts_and_logs_that_differ_are_named(fork: Fork, recorded: RecordedBlock) -> None:
    """Each by its index; the others still count as equal."""
    receipts: list[dict[str, Any]] = copy.deepcopy(list(recorded.receipts))  # type: ignore[arg-type]
    receipts[0]["logs"][1]["data"] = "0x"
    receipts[5]["gasUsed"] = "0x1"
    receipts[9]["logs"] = [*receipts[9]["logs"], receipts[0]["logs"][0]]
    replayed = replay_block(fork, recorded.header, recorded.transactions, receipts)
    assert [text.split(":")[0] for text in replayed.differences] == [
        "receipt 0 log 0x1 data", "receipt 5 gasUsed", "receipt 9 logs",
    ]  # fmt: skip
    assert replayed.equal_receipts == 122


def test_a_transaction_the_node_refuses_is_bad_input(fork: Fork, recorded: RecordedBlock) -> None:
    """The same transaction twice: refused by name, before anything is mined."""
    twice = (recorded.transactions[0], recorded.transactions[0])
    with pytest.raises(BadInput, match=f"{recorded.transactions[0]['hash']}: the fork refuses it"):
        replay_block(fork, recorded.header, twice, recorded.receipts[:2])


def test_fewer_transactions_are_a_difference(fork: Fork, recorded: RecordedBlock) -> None:
    """A shorter block has other roots, and the missing receipts are counted."""
    replayed = replay_block(fork, recorded.header, recorded.transactions[:3], recorded.receipts)
    assert "receipts: 3 mined, 125 recorded" in replayed.differences and replayed.transactions == 3


def test_system_writes_are_in_the_state_the_block_finds(fork: Fork, recorded: RecordedBlock) -> None:
    """Written before the first transaction, and still there after the last."""
    address = bytes.fromhex(recorded.header["miner"][2:])
    write = SystemWrite(address, word(4), word(5))
    replay_block(fork, recorded.header, recorded.transactions, recorded.receipts, [write])
    assert fork.operate("eth_getStorageAt", [to_hex(address), to_hex(word(4)), "latest"]) == to_hex(word(5))
