"""Questions to a node: widened to rows, asked once, refused when the answer is another thing's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.log_filter import LogFilter
from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import OriginNode, OriginRefusal
from caia_replay.recording.origin_reader import OriginReader
from caia_replay.recording.reply_journal import JournaledNode


@pytest.fixture
def reader(door: Any, tmp_path: Path) -> Iterator[OriginReader]:
    with OriginNode(door.url) as node, JournaledNode(node, tmp_path / "journal", "toy") as journal:
        yield OriginReader(journal, "toy")


def test_logs_too_many_for_the_node_are_asked_in_halves(origin: Any, door: Any, reader: OriginReader) -> None:
    """Whatever a node's largest range, the logs are the same, in order, and claimed as one range."""
    wanted = origin.rpc.demand("eth_getLogs", [{"fromBlock": "0x1", "toBlock": "0xb"}])
    for most in (1, 2, 3, 100):
        door.most_blocks = most
        assert reader.logs(1, 11, LogFilter()) == wanted and len(wanted) == 9
    door.most_blocks = 0
    with pytest.raises(OriginRefusal):
        reader.logs(2, 11, LogFilter(frozenset([bytes(20)])))
    assert len(reader.kept.claims) == 4


def test_receipts_are_those_of_the_block(origin: Any, reader: OriginReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one question, or one by one where a node has no such method; never another block's."""
    wanted = origin.rpc.demand("eth_getBlockReceipts", ["0x5"])
    assert reader.receipts(5) == wanted
    ask = reader._node.node.ask_all

    def older(calls: Any) -> Any:
        if calls[0][0] == "eth_getBlockReceipts":
            if calls[0][1] == ("0x7",):
                return [wanted]
            raise OriginRefusal("no such method")
        return ask(calls)

    monkeypatch.setattr(reader._node.node, "ask_all", older)
    assert reader.receipts(6) == origin.rpc.demand("eth_getBlockReceipts", ["0x6"])
    with pytest.raises(BadInput, match="not those of the block's transactions"):
        reader.receipts(7)
    assert reader.receipts(500) is None


def test_an_account_is_read_whole_and_once(origin: Any, door: Any, reader: OriginReader) -> None:
    """Balance, nonce and code in one batch; the second question costs nothing."""
    address = bytes.fromhex(origin.store[2:])
    row = reader.account(address, 6)
    assert reader.kept.codes[row.code_hash] and row.nonce == 1
    asked = len(door.asked)
    assert reader.account(address, 6) is row and len(door.asked) == asked


def test_what_the_node_does_not_have_is_none(reader: OriginReader) -> None:
    """A block past its head, and hashes of nothing."""
    nothing = b"\x01" * 32
    assert reader.header(500) is None and reader.bodies(500) is None
    assert reader.transaction(nothing, 9) is None and reader.receipt(nothing, 9) is None
    assert reader.block_of(nothing, 9) is None


@pytest.mark.parametrize("hardfork", ["prague", "osaka", "istanbul", None])
def test_a_development_node_is_asked_for_its_rules(anvil_binary: Path, tmp_path: Path, hardfork: str | None) -> None:
    """What its headers do not show, such as Prague or Osaka, Anvil says itself; a fork of it says nothing."""
    arguments = ["--hardfork", hardfork] if hardfork else []
    node = AnvilProcess(anvil_binary, arguments)
    fork = AnvilProcess(anvil_binary, ["--fork-url", f"http://127.0.0.1:{node.port}"])
    told = []
    for port in (node.port, fork.port):
        with OriginNode(f"http://127.0.0.1:{port}") as origin, JournaledNode(origin, tmp_path / str(port), "t") as kept:
            told.append(OriginReader(kept, "t").own_hardfork())
    fork.stop()
    node.stop()
    assert told == [hardfork or "bpo1", None]


def test_a_node_that_is_no_anvil_says_nothing_of_its_rules(reader: OriginReader, monkeypatch: Any) -> None:
    """A refusal is no fault."""

    def refuse(calls: Any) -> Any:
        raise OriginRefusal("the method does not exist")

    monkeypatch.setattr(reader._node.node, "ask_all", refuse)
    assert reader.own_hardfork() is None and reader.own_hardfork() is None
