"""One block in three files, read strictly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.recorded_block import read_recorded_block, read_traces
from caia_replay.errors import BadInput

pytestmark = pytest.mark.real

Edit = Callable[[Any], Any]


@pytest.fixture
def copy(real_data: Path, tmp_path: Path) -> Path:
    """A private copy of the real block's files."""
    folder = tmp_path / "block"
    folder.mkdir()
    for path in (real_data / "mainnet-22244135").glob("*.json"):
        shutil.copyfile(path, folder / path.name)
    return folder


def edit(folder: Path, name: str, change: Edit) -> None:
    path = folder / name
    reply = json.loads(path.read_bytes())
    reply["result"] = change(reply["result"])
    path.write_text(json.dumps(reply))


def put(*keys: Any, value: Any) -> Edit:
    """Sets what the path of keys leads to; Ellipsis as the value removes it."""

    def change(result: Any) -> Any:
        place = result
        for key in keys[:-1]:
            place = place[key]
        if value is ...:
            del place[keys[-1]]
        else:
            place[keys[-1]] = value
        return result

    return change


def test_whole_replies_and_bare_results_read_the_same(copy: Path) -> None:
    """A file may be what the node sent or only its result."""
    whole = read_recorded_block(copy)
    for path in copy.iterdir():
        path.write_text(json.dumps(json.loads(path.read_bytes())["result"]))
    assert read_recorded_block(copy) == whole
    assert (whole.number, len(whole.transactions), len(whole.receipts), len(whole.traces)) == (22244135, 125, 125, 125)
    assert [entry["result"] for entry in json.loads((copy / "prestatetrace.json").read_bytes())] == [
        *whole.trace_replies
    ]
    assert sum(whole.withdrawals.values()) == sum(int(w["amount"], 16) for w in whole.header["withdrawals"]) * 10**9


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("block.json", put("gasUsed", value="0x1"), "not to its own hash"),
        ("block.json", put("gasUsed", value=1), "'gasUsed' is not in its canonical form"),
        ("block.json", put("stateRoot", value=...), "lacks 'stateRoot'"),
        ("block.json", put("transactions", value=...), "transactions must be a JSON array"),
        ("block.json", put("transactions", 3, value="0x00"), "transaction 3: a transaction must be a JSON object"),
        ("block.json", put("transactions", 3, "value", value="0x1"), "a signed field is wrong"),
        ("block.json", put("transactions", 3, "blockNumber", value="0x1"), "transaction 3: blockNumber is '0x1'"),
        ("block.json", put("transactions", 3, "type", value="0x3"), "blob transactions cannot"),
        ("block.json", put("transactions", 0, "chainId", value="0xa"), "is of chain 10"),
        ("block.json", put("withdrawals", value=...), "must come together"),
        ("block.json", put("withdrawals", 0, "amount", value="17"), "'amount' is not in its canonical form"),
        (
            "block.json",
            put("withdrawals", 0, "amount", value="0x1"),
            "not those of its withdrawalsRoot",
        ),
        ("block.json", put("transactions", 124, value=...), "124 items listed are not those of its transactionsRoot"),
        ("block.json", lambda _: None, "the block must be a JSON object"),
        ("receipts.json", lambda r: r[:-1], "124 receipts for 125 transactions"),
        ("receipts.json", put(7, "transactionHash", value="0x"), "receipt 7: is not of transaction"),
        ("receipts.json", put(7, "blockNumber", value="0x1"), "receipt 7: blockNumber"),
        ("receipts.json", put(0, "logs", value=None), "logs must be a JSON array"),
        ("receipts.json", put(0, "logs", 0, "blockHash", value=None), "blockHash is None"),
        ("prestatetrace.json", lambda r: r[1:], "124 traces for 125 transactions"),
        ("prestatetrace.json", lambda r: r[::-1], "trace 0: is not of transaction"),
        ("prestatetrace.json", put(0, "result", value={"pre": {}, "post": {}}), "is a diffMode trace"),
        ("prestatetrace.json", put(0, "result", value={"0x12": {}}), "an address is not in its canonical form"),
        ("prestatetrace.json", put(0, "result", value=...), "result must be a JSON object"),
    ],
)
def test_whatever_is_off_is_told_in_one_line(copy: Path, name: str, change: Edit, words: str) -> None:
    """Edited, cut, reordered, of another kind: bad input that names the file or entry."""
    edit(copy, name, change)
    with pytest.raises(BadInput, match=words) as told:
        read_recorded_block(copy)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b'{"jsonrpc": "2.0", "result"', "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 2_000, "is not JSON"),
        (b"1" * 5000, "is not JSON"),
        (b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "pruned"}}', "is an error reply: .*pruned"),
    ],
)
def test_files_that_are_no_reply_are_bad_input(copy: Path, content: bytes, words: str) -> None:
    """Empty, truncated, not UTF-8, nested too deeply, a number too long, or the node's refusal."""
    (copy / "receipts.json").write_bytes(content)
    with pytest.raises(BadInput, match=words):
        read_recorded_block(copy)


def test_a_missing_file_is_named_with_its_nearest(copy: Path) -> None:
    """And so is a folder that is not there."""
    (copy / "receipts.json").rename(copy / "receipt.json")
    with pytest.raises(BadInput, match=r"receipts.json: is missing; .*nearest: receipt.json"):
        read_recorded_block(copy)
    with pytest.raises(BadInput, match="is missing"):
        read_recorded_block(copy / "nowhere")


@pytest.mark.parametrize(
    "touched",
    [[], {}, {"balance": "1"}, {"balance": "0x1", "nonce": "0x1"}, {"balance": "0x1", "nonce": True},
     {"balance": "0x1", "nonce": -1}, {"balance": "0x1", "nonce": 1 << 64}, {"balance": "0x1", "storage": []},
     {"balance": "0x1", "storage": {"0x1": "0x1"}}, {"balance": "0x1", "code": "6000"}, {"balance": "0x1", "x": 1}],
)  # fmt: skip
def test_an_account_of_a_trace_is_read_strictly(touched: Any) -> None:
    """A balance must be there; nothing is coerced, and an unknown field is not passed over."""
    trace = [{"txHash": "0x1", "result": {"0x" + "ab" * 20: touched}}]
    with pytest.raises(BadInput, match=r"^here trace 0 0xabab"):
        read_traces(trace, [{"hash": "0x1"}], "here")
