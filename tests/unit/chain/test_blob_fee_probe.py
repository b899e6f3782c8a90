"""The blob base fee that code is told: right or a miss, on every chain and under all rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.blob_fee_probe import blob_fee_probe
from caia_replay.chain.fee_history import blob_base_fee
from caia_replay.chain.fork_node import ForkNode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import AccountRow, CodeRow, SnapshotRows, read_snapshot, write_snapshot
from caia_replay.errors import Miss, ToolError

SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
PRECOMPILE = "0x" + "00" * 19 + "02"
EXCESS = 40 << 20
REVERTING, ENDLESS = "0x" + "c0" * 20, "0x" + "c1" * 20


@pytest.mark.parametrize(
    ("chain_id", "hardfork", "excess", "price"),
    [
        (1, "cancun", EXCESS, blob_base_fee(EXCESS, 3_338_477)),
        (1, "prague", EXCESS, None),  # a block of the year 2023 whose rules only we know
        (1, "osaka", EXCESS, None),
        (7001, "cancun", EXCESS, None),
        (100, "cancun", EXCESS, None),
        (100, "cancun", 0, None),  # where blobs cost more than one wei at least
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
