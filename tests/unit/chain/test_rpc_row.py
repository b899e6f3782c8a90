"""Behaviour of the codec between RPC objects and rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain import rpc_row, table
from caia_replay.chain.column import to_hex
from caia_replay.errors import BadInput

RPC_TABLES = (table.BLOCKS, table.TRANSACTIONS, table.RECEIPTS, table.LOGS)
ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
QUANTITY = st.integers(0, 2**70).map(hex)
HASH = st.binary(min_size=32, max_size=32).map(to_hex)
ADDRESS = st.binary(min_size=20, max_size=20).map(to_hex)


@st.composite
def rpc_object(draw: st.DrawFn, spec: table.RpcTable) -> dict[str, Any]:
    """An object with all key fields, some others fit or odd, and some that no table knows."""
    out: dict[str, Any] = {}
    for item in spec.columns:
        kind = str(item.form.arrow)
        fits = {"fixed_size_binary[20]": ADDRESS, "fixed_size_binary[32]": HASH, "binary": HASH}.get(kind, QUANTITY)
        if item.required:
            out[item.field] = draw(st.integers(0, 2**63).map(hex) if kind == "uint64" else fits)
        elif item.field not in spec.foreign and draw(st.booleans()):
            out[item.field] = draw(st.one_of(fits, ODD))
    if spec is table.LOGS:
        out["topics"] = draw(st.lists(HASH, max_size=4))
    unknown = draw(st.dictionaries(st.text(max_size=6), ODD, max_size=2))
    return {**{k: v for k, v in unknown.items() if k not in spec.foreign}, **out}


@pytest.mark.parametrize("spec", RPC_TABLES, ids=lambda spec: spec.name)
@settings(max_examples=40)
@given(data=st.data())
def test_a_row_gives_back_the_identical_object(spec: table.RpcTable, data: st.DataObject) -> None:
    """Absent, null, odd and unknown fields all survive the round trip."""
    rpc = data.draw(rpc_object(spec))
    back = rpc_row.decode(spec, rpc_row.encode(spec, rpc))
    assert json.dumps(back, sort_keys=True) == json.dumps(rpc, sort_keys=True)


@pytest.mark.real
def test_a_real_block_gives_back_the_identical_objects(real_data: Path) -> None:
    """Mainnet block 22244135, its transactions, receipts and logs need no extra and lose nothing."""
    folder = real_data / "mainnet-22244135"
    block = json.loads((folder / "block.json").read_bytes())["result"]
    receipts = json.loads((folder / "receipts.json").read_bytes())["result"]
    logs = [log for receipt in receipts for log in receipt.pop("logs")]
    assert (len(block["transactions"]), len(receipts), len(logs)) == (125, 125, 176)
    transactions = block.pop("transactions")
    for spec, items in zip(RPC_TABLES, ([block], transactions, receipts, logs), strict=True):
        for item in items:
            cells = rpc_row.encode(spec, item)
            assert cells[table.EXTRA] is None
            assert rpc_row.decode(spec, cells) == item


@pytest.mark.parametrize(
    ("spec", "rpc", "word"),
    [
        (table.BLOCKS, {"number": None}, "number"),
        (table.BLOCKS, {}, "number"),
        (table.BLOCKS, {"transactions": [{}]}, "bodies"),
        (table.RECEIPTS, {"logs": []}, "own table"),
        (table.LOGS, {"topics": ["0x1"]}, "topics"),
        (table.LOGS, {}, "topics"),
        (table.BLOCKS, [], "JSON object"),
    ],
)
def test_what_is_no_row_is_bad_input(spec: table.RpcTable, rpc: Any, word: str) -> None:
    """A key that is missing or odd, and content of another table, are named and refused."""
    with pytest.raises(BadInput, match=word):
        rpc_row.encode(spec, rpc)


def test_a_broken_extra_is_bad_input() -> None:
    """A hand-edited extra column that is not JSON is refused, not ignored."""
    cells = {item.name: None for item in table.RECEIPTS.columns}
    for text in ("{", "[]", '{"fields": 1}', '{"fields": {}, "absent": 3}'):
        with pytest.raises(BadInput, match="receipts"):
            rpc_row.decode(table.RECEIPTS, {**cells, table.EXTRA: text})
