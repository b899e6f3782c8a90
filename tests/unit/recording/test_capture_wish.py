"""The checks before a recording: whose chain a node serves, and whose rows a world takes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput
from caia_replay.recording.capture_wish import Wish, anchor_hash, check_world, checked_chain_id


class Node:
    """Answers as it was told to."""

    def __init__(self, **told: Any) -> None:
        self._told = told

    def ask(self, method: str, *params: Any) -> Any:
        return self._told[method]


def wish(chain: str = "toy", provenance: str = "live", origin: Any = "live") -> Wish:
    info = SimpleNamespace(id="w", chains=("toy",), provenance=provenance)
    folder: Any = SimpleNamespace(info=info, path=Path("cassettes/w"), snapshots=Path("chain_snapshots"))
    task: Any = SimpleNamespace(id="t", anchor=Anchor(chain, 5, 1_700_000_000))
    return Wish(folder, task, origin, "http://secret")


def test_a_world_takes_rows_of_its_own_chains_and_kind() -> None:
    """Live and synthetic never mix, in either direction; an imported world takes live rows."""
    check_world(wish())
    check_world(wish(provenance="imported"))
    check_world(wish(provenance="synthetic", origin="synthetic"))
    for wrong in (wish("other"), wish(provenance="synthetic"), wish(origin="synthetic")):
        with pytest.raises(BadInput, match=r"world\.toml"):
            check_world(wrong)


def test_a_chain_is_known_by_its_snapshot_or_its_name() -> None:
    """What a snapshot says counts, then what everybody calls ethereum; another name takes what it gets."""
    base: Any = SimpleNamespace(chain_id=7)
    assert checked_chain_id(wish(), Node(eth_chainId="0x7"), base) == 7  # type: ignore[arg-type]
    assert checked_chain_id(wish(), Node(eth_chainId="0x9"), None) == 9  # type: ignore[arg-type]
    assert checked_chain_id(wish("base"), Node(eth_chainId="0x2105"), None) == 8453  # type: ignore[arg-type]
    for named, chain_id, known in ((wish(), "0x8", base), (wish("base"), "0x1", None)):
        with pytest.raises(BadInput, match="serves chain id"):
            checked_chain_id(named, Node(eth_chainId=chain_id), known)  # type: ignore[arg-type]


def test_an_anchor_is_its_block() -> None:
    """The block is there, at the anchor's time."""
    block = {"hash": "0x" + "11" * 32, "timestamp": hex(1_700_000_000)}
    assert anchor_hash(Node(eth_getBlockByNumber=block), wish().task) == block["hash"]  # type: ignore[arg-type]
    for told, words in ((None, "block 5 is not on"), ({**block, "timestamp": "0x1"}, "timestamp is 1700000000"),
                        ([], "must be a JSON object")):  # fmt: skip
        with pytest.raises(BadInput, match=words):
            anchor_hash(Node(eth_getBlockByNumber=told), wish().task)  # type: ignore[arg-type]


def test_a_wish_never_shows_its_address() -> None:
    """Not in its representation, and its files are named by world, chain and task."""
    assert "secret" not in repr(wish()) and "secret" not in str(wish().journal)
    assert wish().journal == Path(".cache/record/w__toy__t.jsonl")
