"""A JSON-RPC origin: batches in order, refusals in words, its address never shown, state compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.state_row import EMPTY_CODE_HASH, AccountRow, StorageRow
from caia_replay.errors import BadInput, CheckFailed, Interrupted
from caia_replay.recording.origin_node import OriginNode, OriginRefusal
from caia_replay.recording.origin_state import OriginState
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
    """As long as it says, else twice as long each time; and then the call is answered."""
    replies = [limit, limit, (200, b'{"id": 0, "result": "0x1"}')]
    waited: list[float] = []
    node = OriginNode(serve(lambda _: replies.pop(0)), wait=waited.append)
    assert node.ask("eth_x") == "0x1"
    assert waited == ([7.0, 7.0] if limit[2].get("Retry-After") == "7" else [0.0, 0.0] if limit[2] else [1.0, 2.0])
    node.close()


def test_patience_ends_in_an_interruption_that_can_be_taken_up(serve: Any) -> None:
    """A node that never stops limiting is exit code 3, not a loop and not a fault of the input."""
    waited: list[float] = []
    node = OriginNode(serve(lambda _: (429, b"")), wait=waited.append)
    with pytest.raises(Interrupted, match=r"HTTP 429 .*the same command goes on"):
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


HOLDER, NOBODY, CODE = b"\x51" * 20, b"\x52" * 20, b"\x60\x00"


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
