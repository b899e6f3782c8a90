"""What a task wishes to be recorded of a chain: its ranges, its world, its node and its moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from caia_replay.chain.claim import Claim, Claims
from caia_replay.core.task import NO_BLOCK, Anchor, CaptureRange, Task
from caia_replay.errors import BadInput
from caia_replay.recording.capture_range import claim_of, ranges_are_kept
from caia_replay.recording.capture_wish import Wish, anchor_hash, check_world, checked_chain_id
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.resolve_anchor import is_resolved, require_moment, resolve_anchor

ADDRESS, TOPIC = "0x" + "0A" * 20, "0x" + "0b" * 32


def task(*ranges: CaptureRange) -> Any:
    return SimpleNamespace(id="t", anchor=Anchor("toy", 9, 1), capture=ranges)


def test_a_range_becomes_the_claim_it_says() -> None:
    """Addresses in any case, topics by position, an empty one for any; kept where claimed, also in pieces."""
    wanted = CaptureRange("logs", 2, 9, (ADDRESS,), ((), (TOPIC,)))
    narrowed = (frozenset(), frozenset([bytes.fromhex(TOPIC[2:])]))
    assert claim_of(task(), wanted) == Claim("logs", 2, 9, frozenset([bytes.fromhex(ADDRESS[2:])]), narrowed)
    one, two = CaptureRange("logs", 1, 4), CaptureRange("blocks", 0, 3)
    snapshot: Any = SimpleNamespace(claims=Claims.of([Claim("logs", 1, 2), Claim("logs", 3, 9)]))
    assert ranges_are_kept(task(one), snapshot) and ranges_are_kept(task(), snapshot)
    assert not ranges_are_kept(task(one, two), snapshot)


@pytest.mark.parametrize(
    "wrong",
    [CaptureRange("logs", 2, 10), CaptureRange("logs", 5, 4), CaptureRange("blocks", 1, 2, (ADDRESS,)),
     CaptureRange("logs", 1, 2, ("0x01",)), CaptureRange("receipts", 1, 2, (), ((TOPIC,),)),
     CaptureRange("logs", 1, 2, (), (("0x",),)), CaptureRange("logs", -1, 2)],
)  # fmt: skip
def test_a_range_that_cannot_be_is_refused_by_task_and_table(wrong: CaptureRange) -> None:
    """Past the anchor, backwards, narrowed where nothing can be, or no hex."""
    with pytest.raises(BadInput, match=f"task t, capture of {wrong.table}"):
        claim_of(task(), wrong)


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
    """Live and synthetic never mix, in either direction; an imported world takes live rows; no address is shown."""
    check_world(wish())
    check_world(wish(provenance="imported"))
    check_world(wish(provenance="synthetic", origin="synthetic"))
    for wrong in (wish("other"), wish(provenance="synthetic"), wish(origin="synthetic")):
        with pytest.raises(BadInput, match=r"world\.toml"):
            check_world(wrong)
    assert "secret" not in repr(wish()) and wish().journal == Path(".cache/record/w__toy__t.jsonl")


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


@pytest.fixture
def node(origin: Any) -> Iterator[OriginNode]:
    with OriginNode(f"http://127.0.0.1:{origin.port}") as found:
        yield found


def asked(living_origin: ModuleType, origin: Any, block: int, timestamp: int, question: str = "?") -> Task:
    task: Task = living_origin.tasks_on(origin)[0]
    tags = ("unresolved:block", "unresolved:timestamp", "kept")
    return replace(task, question=question, anchor=Anchor(living_origin.CHAIN, block, timestamp), tags=tags)


def test_a_moments_height_is_the_newest_block_by_then(node: OriginNode, origin: Any, living_origin: ModuleType) -> None:
    """Law: for every second of the chain, block n holds from its own second to the one before block n + 1."""
    times = [origin.time(number) for number in range(living_origin.LAST + 1)]
    for number, at in enumerate(times):
        for moment in {at, times[number + 1] - 1 if number < living_origin.LAST else at}:
            found = resolve_anchor(asked(living_origin, origin, NO_BLOCK, moment), node)
            assert (found.anchor.block, found.anchor.timestamp) == (number, moment)
            assert found.tags == ("kept",)


def test_a_named_block_gets_its_own_second(node: OriginNode, origin: Any, living_origin: ModuleType) -> None:
    """A transaction, however its hash is written, its block; a task that has both, or a moment alone, is left."""
    found = resolve_anchor(asked(living_origin, origin, 5, -1), node)
    assert found.anchor == Anchor(living_origin.CHAIN, 5, origin.time(5))
    assert resolve_anchor(found, node) is found
    question = f"Who sent 0x{origin.hashes[5][2:].upper()}, and when?"
    assert resolve_anchor(asked(living_origin, origin, -1, -1, question), node).anchor.block == 6
    require_moment(asked(living_origin, origin, NO_BLOCK, 1_748_800_000))
    unknown = asked(living_origin, origin, 7, -1)
    assert not is_resolved(unknown)
    with pytest.raises(BadInput, match="--rpc-url"):
        require_moment(unknown)


@pytest.mark.parametrize(
    ("block", "timestamp", "question", "told"),
    [
        (NO_BLOCK, 4_000_000_000, "?", "older than the moment"),
        (NO_BLOCK, 1_000_000_000, "?", "no block yet"),
        (99, -1, "?", "has no block 99"),
        (-1, -1, "Who sent it?", "names no block"),
        (-1, -1, f"Who sent 0x{'ab' * 32}?", "has no transaction"),
    ],
)
def test_what_the_node_does_not_have_is_one_line(
    node: OriginNode, origin: Any, living_origin: ModuleType, block: int, timestamp: int, question: str, told: str
) -> None:
    """Nothing is assumed in its place."""
    with pytest.raises(BadInput, match=told):
        resolve_anchor(asked(living_origin, origin, block, timestamp, question), node)
