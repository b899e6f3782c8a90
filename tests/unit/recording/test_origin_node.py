"""A JSON-RPC origin asked and compared, and what rows are proven to be complete for by it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.secure_trie import EMPTY_TRIE
from caia_replay.chain.snapshot_schema import AccountRow, StorageRow, read_snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH
from caia_replay.errors import BadInput, CheckFailed, Interrupted
from caia_replay.recording import state_proof
from caia_replay.recording.capture import capture_archive
from caia_replay.recording.origin_node import OriginNode, OriginRefusal
from caia_replay.recording.origin_state import OriginState, StateHistory
from caia_replay.recording.state_proof import Touches, prove_state
from tests.live_draft import Reply, answering

SECRET = "key-that-must-not-show"


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Any], tuple[Any, ...]]], str]]:
    """Starts a server that answers each body as told; gives its URL with a secret in its path."""
    with ExitStack() as stack:

        def start(answer: Callable[[Any], tuple[Any, ...]]) -> str:
            def reply(_: object, asked: bytes) -> Reply:
                status, body, *more = answer(json.loads(asked))
                return status, (more[0] if more else {}).items(), body

            return f"{stack.enter_context(answering(reply))}/{SECRET}"

        yield start


def test_results_come_in_the_order_of_the_calls(serve: Any) -> None:
    """A node may answer a batch in any order, and a long list is split; a stale connection is renewed."""

    def answer(body: Any) -> tuple[int, bytes]:
        if isinstance(body, dict):
            return 200, json.dumps({"id": body["id"], "result": body["params"][0] * 2}).encode()
        return 200, json.dumps([{"id": c["id"], "result": c["params"][0] * 2} for c in reversed(body)]).encode()

    with OriginNode(serve(answer)) as node:
        assert node.ask_all([("double", (n,)) for n in range(1001)]) == [2 * n for n in range(1001)]
        assert node.ask_all([]) == []
        assert node.ask("double", 21) == 42
    node = OriginNode(serve(lambda _: (200, b'{"id": 0, "result": "0x1"}')))
    assert node.ask("eth_x") == "0x1"
    assert node._http.sock is not None
    node._http.sock.shutdown(2)
    assert node.ask("eth_x") == "0x1"
    node.close()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, b'{"id": 0, "error": {"code": 1, "message": "no such state"}}', "refuses eth_x .*no such state"),
        (200, b"[]", "refuses eth_x"),
        (200, b'{"error": {"message": "no batches"}}', "refuses eth_x .*no batches"),
        (200, b'{"id": 0, "error": {"code": -32005, "message": "query returned more than 10 results"}}', "than 10 res"),
        (200, b"<html>", "is not JSON"), (200, b'{"id": 0, "id": 0}', "is not JSON"), (401, b"", "HTTP 401"),
    ],
)  # fmt: skip
def test_refusals_are_bad_input_without_the_address(serve: Any, status: int, body: bytes, words: str) -> None:
    """Errors name the method and the node's words; too many results are no limit to wait for; the URL is in none."""
    node = OriginNode(serve(lambda _: (status, body)), wait=lambda _: pytest.fail("waited"))
    with pytest.raises(BadInput, match=words) as told:
        node.ask("eth_x", "0x1")
    assert SECRET not in str(told.value) and SECRET not in repr(node)
    node.close()
    with pytest.raises(BadInput, match="cannot be reached for eth_x") as away:
        OriginNode(f"http://127.0.0.1:1/{SECRET}").ask("eth_x")
    assert SECRET not in str(away.value) and away.value.__cause__ is None


@pytest.mark.parametrize(
    "limit",
    [
        (429, b"", {"Retry-After": "7"}),
        (503, b"<html>", {"Retry-After": "Wed, 01 Jan 2020 00:00:00 GMT"}),
        (200, b'{"id": 0, "error": {"code": -32005, "message": "daily request count exceeded"}}', {}),
        (200, b'{"error": {"code": 429, "message": "slow down"}}', {}),
    ],
)
def test_a_node_that_limits_its_callers_is_waited_for(serve: Any, limit: tuple[int, bytes, dict[str, str]]) -> None:
    """As long as it says, else twice as long each time; one that never stops is exit code 3, not a loop."""
    replies = [limit, limit, (200, b'{"id": 0, "result": "0x1"}')]
    waited: list[float] = []
    node = OriginNode(serve(lambda _: replies.pop(0)), wait=waited.append)
    assert node.ask("eth_x") == "0x1"
    assert waited == ([7.0, 7.0] if limit[2].get("Retry-After") == "7" else [0.0, 0.0] if limit[2] else [1.0, 2.0])
    replies, waited[:] = [limit] * 2_000, []
    if not limit[2]:
        with pytest.raises(Interrupted, match="the same command goes on"):
            node.ask("eth_x")
        assert sum(waited) >= 600 and max(waited) <= 120
    node.close()


@pytest.mark.parametrize(
    "url",
    ["", "ws://127.0.0.1", "http://", f"file:///{SECRET}", "http://127.0.0.1:x", "http://[::1", "http://a..b/",
     f"http://127.0.0.1/{SECRET}é", f"http://127.0.0.1/{SECRET} x", "http://" + "a" * 70, "http://127.0.0.1:0"],
)  # fmt: skip
def test_only_http_addresses_are_taken(url: str) -> None:
    """Anything else is refused before a connection, and not repeated."""
    with pytest.raises(BadInput, match="RPC address") as told:
        OriginNode(url)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("spelling", [SECRET, SECRET.upper(), "\\u006bey" + SECRET[3:]])
@pytest.mark.parametrize("where", ["path", "query name", "query value", "basic"])
def test_no_spelling_of_a_key_is_kept_or_shown(serve: Any, spelling: str, where: str) -> None:
    """In capitals, escaped, as a name or value of the query, in a header: refused in a result, masked in a refusal."""
    replies: list[bytes] = []
    url = serve(lambda _: (200, replies.pop(0)))
    bare = url.replace(f"/{SECRET}", "")
    url = {"path": url, "query name": f"{bare}/?{SECRET}", "query value": f"{bare}/?k={SECRET}",
           "basic": bare.replace("//", f"//me:{SECRET}@")}[where]  # fmt: skip
    with OriginNode(url) as node:
        replies.append(f'{{"id": 0, "result": {{"extraData": ["see {spelling}"]}}}}'.encode())
        with pytest.raises(BadInput, match="repeats a part of its own address") as refused:
            node.ask("eth_x")
        replies.append(f'{{"id": 0, "error": {{"message": "no {spelling} at 127.0.0.1"}}}}'.encode())
        with pytest.raises(OriginRefusal, match=r"no \*\*\* at \*\*\*") as told:
            node.ask("eth_x")
        assert SECRET.lower() not in f"{told.value} {refused.value}".lower()


def test_what_a_node_leaves_out_of_a_batch_is_asked_alone(serve: Any) -> None:
    """Limited, forgotten, with an id of another kind, or no batch taken at all: each call is answered in the end."""

    def answer(body: Any) -> tuple[int, bytes]:
        if isinstance(body, dict):
            return 200, json.dumps({"id": 0, "result": body["params"][0] * 2}).encode()
        told = [{"id": call["id"], "result": call["params"][0] * 2} for call in body[:2]]
        limited = {"id": 2, "error": {"code": 429, "message": "slow down"}}
        return 200, json.dumps([*told, limited, {"id": [], "result": 1}, {"id": "3", "result": 1}]).encode()

    fault = b'{"id": null, "error": {"code": -32600, "message": "batch too large"}}'
    for batch in (None, (200, b"[" + fault + b"]"), (400, fault)):
        told = lambda body, batch=batch: batch if batch and isinstance(body, list) else answer(body)  # noqa: E731
        with OriginNode(serve(told)) as node:
            assert node.ask_all([("double", (n,)) for n in range(5)]) == [0, 2, 4, 6, 8]


HOLDER, CODE = b"\x51" * 20, b"\x60\x00"


@pytest.fixture
def state(anvil_binary: Path) -> Iterator[OriginState]:
    """One contract with 7 wei and one slot."""
    node = AnvilProcess(anvil_binary, ["--hardfork", "cancun", "--no-mining"])
    rpc = node.connect()
    rpc.demand("anvil_setBalance", [to_hex(HOLDER), "0x7"])
    rpc.demand("anvil_setCode", [to_hex(HOLDER), to_hex(CODE)])
    rpc.demand("anvil_setStorageAt", [to_hex(HOLDER), to_hex(word(3)), to_hex(word(4))])
    with OriginNode(f"http://127.0.0.1:{node.port}") as origin:
        yield OriginState(origin)
    rpc.close()
    node.stop()


def test_rows_are_held_against_the_origin(state: OriginState) -> None:
    """Equal ones pass; another balance, nonce, code or value is named with what the origin says."""
    (balance, nonce, code_hash), row = state.accounts([HOLDER], 0)[0], StorageRow(HOLDER, word(3), 0, 0, word(4))
    account = AccountRow(HOLDER, 0, 0, balance, nonce, code_hash)
    state.compare([(account, 0), (row, 0)])
    wrong = [replace(account, balance=8), replace(account, nonce=nonce + 1)]
    wrong += [replace(account, code_hash=EMPTY_CODE_HASH)]
    for lie, method in zip([*wrong, replace(row, value=word(5))], ("Balance", "Count", "Code", "Storage"), strict=True):
        with pytest.raises(CheckFailed, match=rf"{method}.* is '0x.* on the origin"):
            state.compare([(account, 0), (lie, 0)])


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

    def prove(self, touches: dict[int, Touches] | None = None) -> list[Claim]:
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


def told(proven: list[Claim]) -> list[tuple[str, int, int, int]]:
    """Claims as table, range, and how many contracts they name."""
    return [(claim.table, claim.first, claim.last, len(claim.addresses)) for claim in proven]


def test_all_rows_are_the_whole_state(origin: Origin) -> None:
    """At every height; a balance or slot that is not the origin's takes the claim."""
    proven = origin.prove()
    assert told(proven) == EVERYTHING
    assert {row.slot for row in origin.storage} >= {word(7), word(8)}
    rows = sorted(origin.accounts, key=lambda row: row.from_block)
    false = [*rows[:-1], replace(rows[-1], balance=rows[-1].balance + 1)]
    proven = replace(origin, accounts=false).prove()
    heights = set(range(rows[-1].from_block, rows[-1].to_block + 1))
    covered = [Claims.of(proven).covers("accounts", height) for height in range(HEAD + 1)]
    assert covered == [height not in heights for height in range(HEAD + 1)]
    slots = [replace(row, value=word(3)) if row.slot == word(7) and any(row.value) else row for row in origin.storage]
    assert told(replace(origin, storage=slots).prove()) == [("accounts", 0, 1, 0), ("storage", 0, 1, 0)]


@pytest.mark.parametrize("slot", [7, 8])
def test_a_lost_constructor_slot_takes_that_contract_s_claim(origin: Origin, slot: int) -> None:
    """From the contract's birth on; before it nothing was lost, and the other contract is whole throughout."""
    first, second = origin.contracts
    kept = [row for row in origin.storage if (row.address, row.slot) != (first, word(slot))]
    proven = replace(origin, storage=kept).prove()
    claims = Claims.of(proven)
    assert claims.covers("accounts", 0, HEAD) and claims.covers("storage", 0, HEAD, [second])
    assert claims.covers("storage", 0, 1, [first])
    assert not any(claims.covers("storage", height, height, [first]) for height in range(2, HEAD + 1))


def test_a_lost_account_takes_the_accounts_claim(origin: Origin) -> None:
    """From its first balance on, its contract's too; a row cut short does not live on."""
    kept = [row for row in origin.accounts if to_hex(row.address) != RECEIVER]
    claims = Claims.of(replace(origin, accounts=kept).prove())
    assert claims.covers("accounts", 0, 3) and claims.covers("storage", 0, HEAD, origin.contracts)
    assert not any(claims.covers("accounts", height) for height in range(4, HEAD + 1))
    first, _ = origin.contracts
    whole = next(row for row in origin.storage if (row.address, row.slot, row.to_block) == (first, word(7), HEAD))
    cut = [row for row in origin.storage if row != whole]
    cut += [replace(whole, to_block=5), replace(whole, from_block=8)]
    claims = Claims.of(replace(origin, storage=cut).prove())
    assert [claims.covers("storage", h, h, [first]) for h in range(4, 10)] == [True, True, False, False, True, True]
    rich = next(row for row in origin.accounts if (row.from_block, row.to_block) == (0, HEAD) and row.balance)
    short = [row for row in origin.accounts if row != rich]
    short += [replace(rich, to_block=6), replace(rich, from_block=9)]
    claims = Claims.of(replace(origin, accounts=short).prove())
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
            assert told(proven) == [("accounts", 0, 1, 0), ("storage", 0, 1, 0)]
        else:
            assert proven == []


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
    assert told(proven) == [(name, *span, 0) for name in ("accounts", "storage") for span in ((0, 5), (7, HEAD))]


def test_a_state_too_large_to_walk_is_given_up(origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rows and few questions, or a node that refuses proofs: nothing is claimed."""
    fault = {"code": -32601, "message": "the method eth_getProof does not exist"}
    with served(lambda call: {"error": fault}) as url:
        refused = replace(origin, url=url).prove()
    monkeypatch.setattr(state_proof, "_MOST_PROOFS", 3)
    assert refused == replace(origin, accounts=[], storage=[]).prove() == []


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
