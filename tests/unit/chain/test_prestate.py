"""Real and made blocks as snapshots of the state just before and just after them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import strict_json
from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.header import header_hash
from caia_replay.chain.node_answer import answer
from caia_replay.chain.prestate import import_prestate
from caia_replay.chain.raw_transaction import rlp_encode, shortest
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.secure_trie import ordered_root
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot
from caia_replay.errors import BadInput, Miss

MINER = "0x00000000000000000000000000000000000c0ffe"
BEACON_ROOTS = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02"
CHECKED = ["cancun", *(pytest.param(name, marks=pytest.mark.check) for name in ("shanghai", "prague"))]
TIMES = {"shanghai": 1_690_000_000, "cancun": 1_720_000_000, "prague": 1_750_000_000}
# Creates whatever code it is called with, by CREATE2.
FACTORY = "36600060003760003660006000f500"
# Stores 9 in slot 2; with any calldata it destroys itself instead.
CHILD = "36600a57" + "6009600255" + "00" + "5b33ff"
# Stores 7 in slot 1, then deploys CHILD.
CHILD_CREATION = "6007600155" + "6c" + CHILD + "600052" + "600d6013f3"
# Stores the beacon-roots ring's entry for now in slot 0xffff.
READS_RING = "42611fff90065461ffff5500"


@dataclass(frozen=True, slots=True)
class Made:
    """A living chain with id 1, and one of its blocks as three files."""

    rpc: RpcConnection
    folder: Path
    number: int
    child: str

    def state(self, address: str, height: int) -> tuple[int, int, str]:
        asked = ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
        balance, nonce, code = (self.rpc.demand(method, [address, hex(height)]) for method in asked)
        return int(balance, 16), int(nonce, 16), code


@pytest.fixture(scope="module", params=CHECKED)
def made(
    request: pytest.FixtureRequest, anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made]:
    """Births, deaths, rebirths, failures, first money to new addresses: all within one block."""
    hardfork: str = request.param
    arguments = ["--chain-id", "1", "--hardfork", hardfork, "--order", "fifo", "--no-mining"]
    node = AnvilProcess(anvil_binary, [*arguments, "--timestamp", str(TIMES[hardfork])])
    rpc = node.connect()
    senders = rpc.demand("eth_accounts")
    rpc.demand("anvil_setBlockTimestampInterval", [12])
    rpc.demand("anvil_setCoinbase", [MINER])

    def send(**fields: Any) -> None:
        rpc.demand("eth_sendTransaction", [{"from": senders[0], "gas": "0x80000", **fields}])

    send(data=f"0x6e{FACTORY}600052600f6011f3")
    rpc.demand("evm_mine")
    factory = rpc.demand("eth_getBlockReceipts", ["0x1"])[0]["contractAddress"]
    child = rpc.demand("eth_call", [{"to": factory, "data": "0x" + CHILD_CREATION}, "latest"])
    send(to=factory, data="0x" + CHILD_CREATION)
    rpc.demand("evm_mine")
    traced = rpc.demand("debug_traceBlockByNumber", ["0x2", {"tracer": "prestateTracer"}])
    child = next(a for a, v in traced[0]["result"].items() if "storage" in v)
    send(to=child)
    rpc.demand("evm_mine")
    number = 4
    if hardfork != "shanghai":
        # The origin does not write the ring itself; a real chain's contract would hold this already.
        timestamp = TIMES[hardfork] + 12 * number
        rpc.demand("anvil_setCode", [BEACON_ROOTS, "0x" + READS_RING])
        rpc.demand("anvil_setStorageAt", [BEACON_ROOTS, to_hex(word(timestamp % 8191)), to_hex(word(timestamp))])
        rpc.demand("evm_setNextBlockTimestamp", [timestamp])
        send(to=BEACON_ROOTS)
    send(to=child, data="0x01")
    send(to="0x" + "ab" * 20, value="0x5")
    send(to=factory, data="0x" + CHILD_CREATION, gasPrice=hex(5 * 10**9))
    send(to=child, accessList=[{"address": child, "storageKeys": [to_hex(word(1))]}])
    send(data="0x" + CHILD_CREATION)
    send(data="0xfe")
    send(**{"from": senders[1], "to": senders[2], "value": "0x1"})
    rpc.demand("evm_mine")
    folder = tmp_path_factory.mktemp(hardfork)
    asked = {
        "block.json": ("eth_getBlockByNumber", [hex(number), True]),
        "prestatetrace.json": ("debug_traceBlockByNumber", [hex(number), {"tracer": "prestateTracer"}]),
        "receipts.json": ("eth_getBlockReceipts", [hex(number)]),
    }
    for name, (method, params) in asked.items():
        (folder / name).write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": rpc.demand(method, params)}))
    yield Made(rpc, folder, number, child)
    rpc.close()
    node.stop()


def test_every_value_at_both_heights_is_the_origin_s(made: Made, tmp_path: Path) -> None:
    """Each account and slot row, before and after the block, equals what the living chain answers."""
    report = import_prestate(made.folder, tmp_path / "snap")
    assert report.chain == f"mainnet-{made.number}" and report.transactions >= 7
    info, rows = read_snapshot(tmp_path / "snap")
    assert info.heights == ((made.number - 1, made.number),)
    codes = {row.code_hash: to_hex(row.code) for row in rows.codes}
    heights = set()
    for account in rows.accounts:
        for height in range(account.from_block, account.to_block + 1):
            heights.add(height)
            recorded = (account.balance, account.nonce, codes.get(account.code_hash, "0x"))
            assert recorded == made.state(to_hex(account.address), height), (to_hex(account.address), height)
    for slot in rows.storage:
        for height in range(slot.from_block, slot.to_block + 1):
            asked = [to_hex(slot.address), to_hex(slot.slot), hex(height)]
            assert to_hex(slot.value) == made.rpc.demand("eth_getStorageAt", asked), asked
    assert heights == {made.number - 1, made.number}


def test_a_contract_that_died_and_was_born_again_keeps_only_what_is_proven(made: Made, tmp_path: Path) -> None:
    """Slots first seen after a death are unknown before the block, and known after it."""
    import_prestate(made.folder, tmp_path / "snap")
    snapshot = Snapshot.open(tmp_path / "snap")
    child, slot, top = bytes.fromhex(made.child[2:]), word(2), made.number
    assert snapshot.storage(child, slot, top) == word(9)
    if snapshot.hardforks[made.number - 1] == "shanghai":
        with pytest.raises(Miss):
            snapshot.storage(child, slot, top - 1)
    else:
        assert snapshot.storage(child, slot, top - 1) == word(9)


def test_the_protocol_s_writes_are_unknown_before_and_known_after(made: Made, tmp_path: Path) -> None:
    """The beacon roots ring: a transaction saw this block's entry, so the one before it is not known."""
    import_prestate(made.folder, tmp_path / "snap")
    snapshot = Snapshot.open(tmp_path / "snap")
    if snapshot.hardforks[made.number - 1] == "shanghai":
        return
    ring, timestamp = bytes.fromhex(BEACON_ROOTS[2:]), TIMES[snapshot.hardforks[made.number - 1]] + 12 * made.number
    assert snapshot.storage(ring, word(0xFFFF), made.number) == word(timestamp)
    assert snapshot.storage(ring, word(timestamp % 8191), made.number) == word(timestamp)
    with pytest.raises(Miss):
        snapshot.storage(ring, word(timestamp % 8191), made.number - 1)


def test_the_same_files_give_the_same_bytes(made: Made, tmp_path: Path) -> None:
    """Two imports are equal byte for byte, and a second into one folder is refused."""
    for name in ("a", "b"):
        import_prestate(made.folder, tmp_path / name, chain="block")
    written = [{p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("a", "b")]
    assert written[0] == written[1]
    with pytest.raises(BadInput, match="never written over"):
        import_prestate(made.folder, tmp_path / "a")


@pytest.mark.parametrize("change", ["code", "money", "account"])
def test_state_that_does_not_lead_to_the_block_is_refused(made: Made, tmp_path: Path, change: str) -> None:
    """Wrong code, a sender without money, a contract that is gone: nothing is written."""
    folder = shutil.copytree(made.folder, tmp_path / "in")
    reply = json.loads((folder / "prestatetrace.json").read_text())
    for trace in reply["result"]:
        if change == "account":
            trace["result"].pop(made.child, None)
        for touched in trace["result"].values():
            if change == "code":
                touched["code"] = touched.get("code", "0x").replace(CHILD, "fe")
            elif change == "money":
                touched["balance"] = "0x1"
    (folder / "prestatetrace.json").write_text(json.dumps(reply))
    with pytest.raises(BadInput, match=r"executing block 4 again|the fork refuses it"):
        import_prestate(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_later_trace_that_contradicts_the_execution_is_refused(made: Made, tmp_path: Path) -> None:
    """The last transaction's sight of its sender is one wei off: no root shows it, the trace does."""
    folder = shutil.copytree(made.folder, tmp_path / "in")
    reply = json.loads((folder / "prestatetrace.json").read_text())
    miner = reply["result"][-1]["result"][MINER]
    miner["balance"] = hex(int(miner["balance"], 16) + 1)
    (folder / "prestatetrace.json").write_text(json.dumps(reply))
    with pytest.raises(BadInput, match=rf"1 differences, trace \d+ {MINER} balance: mined"):
        import_prestate(folder, tmp_path / "out")


def test_withdrawals_are_credited_after_the_block(made: Made, tmp_path: Path) -> None:
    """Gwei to a known account at N, twice to one recipient; an unknown recipient stays unknown."""
    folder = shutil.copytree(made.folder, tmp_path / "in")
    reply = json.loads((folder / "block.json").read_text())
    unknown = "0x" + "77" * 20
    reply["result"]["withdrawals"] = [
        {"index": hex(n), "validatorIndex": "0x1", "address": address, "amount": "0x3"}
        for n, address in enumerate((MINER, unknown, MINER))
    ]
    header = reply["result"]
    old_hash = header["hash"]
    leaves = [[shortest(n), b"\1", bytes.fromhex(w["address"][2:]), b"\3"] for n, w in enumerate(header["withdrawals"])]
    header["withdrawalsRoot"] = to_hex(ordered_root([rlp_encode(leaf) for leaf in leaves]))
    (folder / "block.json").write_text(json.dumps(reply))
    new_hash = to_hex(header_hash(header))
    for path in folder.iterdir():
        path.write_text(path.read_text().replace(old_hash, new_hash))
    import_prestate(folder, tmp_path / "out")
    snapshot, miner = Snapshot.open(tmp_path / "out"), bytes.fromhex(MINER[2:])
    assert snapshot.account(miner, made.number).balance == made.state(MINER, made.number)[0] + 6 * 10**9
    assert snapshot.account(miner, made.number - 1).balance == made.state(MINER, made.number - 1)[0]
    with pytest.raises(Miss):
        snapshot.account(bytes.fromhex(unknown[2:]), made.number)


@pytest.fixture(scope="module")
def real_snapshot(real_data: Path, anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mainnet block 22244135, imported."""
    out = tmp_path_factory.mktemp("real") / "snap"
    import_prestate(real_data / "mainnet-22244135", out)
    return out


@pytest.mark.check
@pytest.mark.real
def test_a_real_block_s_state_is_what_the_traces_hold(real_data: Path, real_snapshot: Path) -> None:
    """264 accounts, 79 with code, 433 slots before the block; nonces of senders have moved after it."""
    _, rows = read_snapshot(real_snapshot)
    before = [row for row in rows.accounts if row.from_block == 22244134]
    empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert len(before) == 264
    assert sum(row.code_hash.hex() != empty for row in before) == 79
    assert sum(row.from_block == 22244134 for row in rows.storage) == 433
    snapshot = Snapshot.open(real_snapshot)
    block = strict_json((real_data / "mainnet-22244135" / "block.json").read_bytes())["result"]
    for sender in {transaction["from"] for transaction in block["transactions"]}:
        sent = [int(t["nonce"], 16) for t in block["transactions"] if t["from"] == sender]
        address = bytes.fromhex(sender[2:])
        assert snapshot.account(address, 22244134).nonce == min(sent)
        assert snapshot.account(address, 22244135).nonce == max(sent) + 1


def test_each_transaction_s_trace_is_kept(made: Made, tmp_path: Path) -> None:
    """The tracer's own words about every transaction of the block, there from the block on."""
    import_prestate(made.folder, tmp_path / "snap")
    traced = strict_json((made.folder / "prestatetrace.json").read_bytes())["result"]
    snapshot = Snapshot.open(tmp_path / "snap")
    assert len(traced) >= 7
    for entry in traced:
        asked = [entry["txHash"], {"tracer": "prestateTracer"}]
        assert answer(snapshot, made.number, "debug_traceTransaction", asked) == entry["result"]
        with pytest.raises(Miss, match="trace not recorded"):
            answer(snapshot, made.number - 1, "debug_traceTransaction", asked)
