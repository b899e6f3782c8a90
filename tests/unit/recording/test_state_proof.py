"""What rows are proven to be complete for, when some of them are lost or false."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.claim import Claims
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.secure_trie import EMPTY_TRIE
from caia_replay.chain.snapshot_schema import AccountRow, StorageRow, read_snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH
from caia_replay.errors import CheckFailed
from caia_replay.recording import state_proof
from caia_replay.recording.capture import capture_archive
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.state_history import StateHistory
from caia_replay.recording.state_proof import ProvenState, Touches, prove_state
from tests.live_draft import Reply, answering

HEAD = 12
EVERYTHING = [("accounts", 0, HEAD, 0), ("storage", 0, HEAD, 0)]
# The constructor writes slots 7 and 8. Calldata of one word: slot 5 is read, slot 1 becomes the word.
KEEPER = "60016007556002600855" + "600b6016600039600b6000f3" + "600554506000356001" + "5500"
RECEIVER = "0x" + "ee" * 20


@dataclass(frozen=True, slots=True)
class Origin:
    """A living chain, the rows of its capture and the two contracts that a transaction made."""

    url: str
    accounts: list[AccountRow]
    storage: list[StorageRow]
    contracts: tuple[bytes, bytes]

    def prove(self, touches: dict[int, Touches] | None = None) -> ProvenState:
        with OriginNode(self.url) as node:
            return prove_state(node, HEAD, self.accounts, self.storage, touches or {})


@pytest.fixture(scope="module")
def origin(anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Origin]:
    """Two contracts, writes, zeroes and transfers; some blocks are empty."""
    node = AnvilProcess(anvil_binary, ["--hardfork", "cancun", "--order", "fifo", "--no-mining"])
    rpc = node.connect()
    senders = rpc.demand("eth_accounts")
    made = []
    for height in range(1, HEAD + 1):
        for at in range(2 if height == 2 else 0):
            rpc.demand("eth_sendTransaction", [{"from": senders[at], "data": "0x" + KEEPER, "gas": "0x80000"}])
        for contract in made if height % 3 == 0 else ():
            data = to_hex(word(height % 2))
            rpc.demand("eth_sendTransaction", [{"from": senders[2], "to": contract, "data": data, "gas": "0x80000"}])
        if height % 4 == 0:
            rpc.demand("eth_sendTransaction", [{"from": senders[3], "to": RECEIVER, "value": "0x9"}])
        rpc.demand("evm_mine")
        made += [r["contractAddress"] for r in rpc.demand("eth_getBlockReceipts", ["latest"]) if r["contractAddress"]]
    url, folder = f"http://127.0.0.1:{node.port}", tmp_path_factory.mktemp("proof") / "origin"
    capture_archive(url, folder, chain="t", hardfork="cancun", provenance="synthetic", source="a test")
    _, rows = read_snapshot(folder)
    first, second = (bytes.fromhex(contract[2:]) for contract in made)
    yield Origin(url, rows.accounts, rows.storage, (first, second))
    rpc.close()
    node.stop()


def told(proven: ProvenState) -> list[tuple[str, int, int, int]]:
    """Claims as table, range, and how many contracts they name."""
    return [(claim.table, claim.first, claim.last, len(claim.addresses)) for claim in proven.claims]


def test_all_rows_are_the_whole_state(origin: Origin) -> None:
    """At every height, whatever is said of touches; a balance or slot that is not the origin's takes the claim."""
    proven = origin.prove()
    assert told(proven) == EVERYTHING and proven.unproven == {}
    assert {row.slot for row in origin.storage} >= {word(7), word(8)}
    touched = Touches([], [(contract, word(slot)) for contract in origin.contracts for slot in (1, 5)])
    helped = origin.prove({3: touched})
    assert told(helped) == EVERYTHING and helped.proofs < proven.proofs
    never = Touches([b"\x12" * 20], [(origin.contracts[0], word(99)), (b"\x13" * 20, word(1))])
    assert told(origin.prove({5: never})) == EVERYTHING
    rows = sorted(origin.accounts, key=lambda row: row.from_block)
    false = [*rows[:-1], replace(rows[-1], balance=rows[-1].balance + 1)]
    proven = replace(origin, accounts=false).prove()
    heights = set(range(rows[-1].from_block, rows[-1].to_block + 1))
    assert set(proven.unproven) == heights and "state root" in proven.unproven[HEAD]
    assert not any(Claims.of(proven.claims).covers("accounts", height) for height in heights)
    slots = [replace(row, value=word(3)) if row.slot == word(7) and any(row.value) else row for row in origin.storage]
    assert told(replace(origin, storage=slots).prove()) == [("accounts", 0, 1, 0), ("storage", 0, 1, 0)]


@pytest.mark.parametrize("slot", [7, 8])
def test_a_lost_constructor_slot_takes_that_contract_s_claim(origin: Origin, slot: int) -> None:
    """From the contract's birth on; before it nothing was lost, and the other contract is whole throughout."""
    first, second = origin.contracts
    kept = [row for row in origin.storage if (row.address, row.slot) != (first, word(slot))]
    proven = replace(origin, storage=kept).prove()
    claims = Claims.of(proven.claims)
    assert claims.covers("accounts", 0, HEAD) and claims.covers("storage", 0, HEAD, [second])
    assert claims.covers("storage", 0, 1, [first])
    assert not any(claims.covers("storage", height, height, [first]) for height in range(2, HEAD + 1))
    assert not any(claims.covers("storage", height) for height in range(2, HEAD + 1))


def test_a_lost_account_takes_the_accounts_claim(origin: Origin) -> None:
    """From its first balance on, its contract's too; a row cut short does not live on."""
    kept = [row for row in origin.accounts if to_hex(row.address) != RECEIVER]
    claims = Claims.of(replace(origin, accounts=kept).prove().claims)
    assert claims.covers("accounts", 0, 3) and claims.covers("storage", 0, HEAD, origin.contracts)
    assert not any(claims.covers("accounts", height) for height in range(4, HEAD + 1))
    first, second = origin.contracts
    claims = Claims.of(replace(origin, accounts=[r for r in origin.accounts if r.address != first]).prove().claims)
    assert claims.covers("storage", 0, HEAD, [second])
    assert not any(claims.covers("storage", height, height, [first]) for height in range(2, HEAD + 1))
    first, _ = origin.contracts
    whole = next(row for row in origin.storage if (row.address, row.slot, row.to_block) == (first, word(7), HEAD))
    cut = [row for row in origin.storage if row != whole]
    cut += [replace(whole, to_block=5), replace(whole, from_block=8)]
    claims = Claims.of(replace(origin, storage=cut).prove().claims)
    assert [claims.covers("storage", h, h, [first]) for h in range(4, 10)] == [True, True, False, False, True, True]
    rich = next(row for row in origin.accounts if (row.from_block, row.to_block) == (0, HEAD) and row.balance)
    short = [row for row in origin.accounts if row != rich]
    short += [replace(rich, to_block=6), replace(rich, from_block=9)]
    claims = Claims.of(replace(origin, accounts=short).prove().claims)
    assert [claims.covers("accounts", h) for h in (5, 6, 7, 8, 9, HEAD)] == [True, True, False, False, True, True]


@contextmanager
def served(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[str]:
    """The URL of a node that gives ``answer`` to each call, its result or its error."""

    def reply(_: object, body: bytes) -> Reply:
        calls = json.loads(body)
        batch = calls if isinstance(calls, list) else [calls]
        replies = [{"jsonrpc": "2.0", "id": call["id"], **answer(call)} for call in batch]
        return 200, (), json.dumps(replies if isinstance(calls, list) else replies[0]).encode()

    with answering(reply) as url:
        yield url


@pytest.mark.parametrize("nodes", [[], ["0x80"]])
@pytest.mark.parametrize("state", [b"\x11" * 32, None, EMPTY_TRIE])
def test_a_proof_without_nodes_is_an_empty_state_only_where_the_header_says_so(
    nodes: list[str], state: bytes | None
) -> None:
    """A node that leaves its proofs out would make everything provably nothing; also an empty trie is no word alone."""
    header = None if state is None else {"stateRoot": to_hex(state)}

    def answer(call: dict[str, Any]) -> dict[str, Any]:
        proof = {"accountProof": nodes, "storageProof": []}
        return {"result": proof if call["method"] == "eth_getProof" else header}

    late = AccountRow(b"\xaa" * 20, 2, 3, 5, 0, EMPTY_CODE_HASH)
    with served(answer) as url, OriginNode(url) as node:
        proven = prove_state(node, 3, [late], [], {})
        if state == EMPTY_TRIE:
            assert told(proven) == [("accounts", 0, 1, 0), ("storage", 0, 1, 0)] and set(proven.unproven) == {2, 3}
        else:
            assert proven.claims == [] and set(proven.unproven) == set(range(4))
            assert "no nodes" in proven.unproven[0]


def test_a_height_without_a_proof_takes_nothing_from_the_others(origin: Origin) -> None:
    """What changed there is known at the next height."""
    gap = 6

    def answer(call: dict[str, Any]) -> dict[str, Any]:
        if call["method"] == "eth_getProof" and call["params"][-1] == hex(gap):
            return {"result": {"accountProof": [], "storageProof": []}}
        with OriginNode(origin.url) as node:
            return {"result": node.ask_all([(call["method"], tuple(call["params"]))])[0]}

    with served(answer) as url:
        proven = replace(origin, url=url).prove()
    assert set(proven.unproven) == {gap}
    assert told(proven) == [(name, *span, 0) for name in ("accounts", "storage") for span in ((0, 5), (7, HEAD))]


def test_a_state_too_large_to_walk_is_given_up(origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rows and few questions, or a node that refuses proofs: every height says so, and nothing is claimed."""
    fault = {"code": -32601, "message": "the method eth_getProof does not exist"}
    with served(lambda call: {"error": fault}) as url:
        refused = replace(origin, url=url).prove()
    monkeypatch.setattr(state_proof, "_MOST_PROOFS", 3)
    for proven, words in ((refused, "does not exist"), (replace(origin, accounts=[], storage=[]).prove(), "too much")):
        assert proven.claims == [] and set(proven.unproven) == set(range(HEAD + 1))
        assert words in proven.unproven[0]


_VALUES = st.lists(st.integers(0, 2), min_size=1, max_size=30)


@given(values=_VALUES, touched=st.sets(st.integers(1, 29)))
def test_the_intervals_are_the_history(values: list[int], touched: set[int]) -> None:
    """Whatever a key did, the intervals say its value at every block exactly once, from block 0 if ever found."""
    history: StateHistory[str, int] = StateHistory("slot")
    for block in range(1, len(values)):
        if values[block] != values[block - 1] or block in touched:
            history.found("k", block, values[block - 1], "k")
            history.left("k", block, values[block])
    told: dict[int, int] = {}
    for _, first, last, value in history.intervals(len(values) - 1):
        for block in range(first, last + 1):
            assert block not in told
            told[block] = value
    assert told == (dict(enumerate(values)) if "k" in history else {})


def test_a_value_that_nobody_wrote_is_refused() -> None:
    """What is found must be what was left, or the chain was edited; before a first reading nothing is claimed."""
    history: StateHistory[str, int] = StateHistory("slot")
    history.left("k", 3, 7)
    assert list(history.intervals(5)) == [("k", 3, 5, 7)] and len(history) == 1
    with pytest.raises(CheckFailed, match="slot k is 7 after block 3 and 8 before block 9"):
        history.found("k", 9, 8, "k")
