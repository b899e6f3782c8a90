"""Behaviour of the loopback server over real HTTP."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.chain.upstream import Upstream
from caia_replay.errors import Miss, ToolError


@pytest.fixture
def upstream(snapshot: Snapshot) -> Iterator[Upstream]:
    server = Upstream(snapshot, 5)
    server.start()
    yield server
    server.close()


def post(server: Upstream, body: bytes, path: str = "/") -> Any:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("POST", path, body)
    reply = connection.getresponse()
    assert reply.status == 200
    out = json.loads(reply.read())
    connection.close()
    return out


def call(method: str, *params: Any, call_id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": list(params)}


def test_a_batch_is_answered_in_order(upstream: Upstream) -> None:
    """Each call of a batch has its own reply under its own id, misses among them."""
    batch = [call("eth_blockNumber", call_id="a"), call("eth_getBalance", "0x" + "ab" * 20, "latest", call_id=2)]
    good, missed = post(upstream, json.dumps(batch).encode())
    assert good == {"jsonrpc": "2.0", "id": "a", "result": "0x5"}
    assert (missed["id"], missed["error"]["code"]) == (2, -32000)
    assert upstream.miss_count == 1
    assert upstream.miss(0).kind == "account"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"3", b'{"method": 3}', b"\xff\xfe", b"[" * 100_000, b'{"id":1,"id":2}']
)
def test_malformed_requests_get_an_error_and_the_server_lives(upstream: Upstream, body: bytes) -> None:
    """No body can stop the server or count as a miss."""
    assert "error" in post(upstream, body)
    assert upstream.miss_count == 0
    assert post(upstream, json.dumps(call("eth_chainId")).encode())["result"] == hex(7001)


def test_a_dropped_connection_is_tolerated(upstream: Upstream) -> None:
    """Anvil drops the loser of a race in the middle of a response."""
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", upstream.port)) as raw:
            raw.sendall(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
    assert post(upstream, json.dumps(call("eth_chainId")).encode())["result"] == hex(7001)


def test_the_pin_moves(upstream: Upstream) -> None:
    """What was hidden becomes visible when the pin passes it, and hidden again when it goes back."""
    body = json.dumps(call("eth_getBlockByNumber", "0x6", False)).encode()
    for pin, visible in ((5, False), (6, True), (4, False)):
        upstream.set_pin(pin)
        assert (post(upstream, body)["result"] is not None) is visible


def test_a_late_request_is_answered_at_its_own_pin_and_charged_to_nobody(upstream: Upstream) -> None:
    """What was asked under an earlier pin is that pin's business, whenever it arrives."""
    earlier = upstream.url.removeprefix(f"http://127.0.0.1:{upstream.port}")
    upstream.set_pin(3)
    later = upstream.url.removeprefix(f"http://127.0.0.1:{upstream.port}")
    height, unknown = (
        json.dumps(call(*asked)).encode() for asked in (("eth_blockNumber",), ("eth_getCode", "0x" + "ab" * 20))
    )
    assert [post(upstream, height, path)["result"] for path in (earlier, later, "/", "/99", "/x")] == [
        "0x5",
        *["0x3"] * 4,
    ]
    assert post(upstream, unknown, earlier)["error"]["code"] == -32000
    assert upstream.miss_count == 0
    assert post(upstream, unknown, later)["error"]["code"] == -32000
    assert upstream.miss_count == 1


def test_closing_ends_the_thread_and_the_listener(snapshot: Snapshot) -> None:
    """After close nothing of the server is left, also with a connection held open."""
    server = Upstream(snapshot, 5)
    server.start()
    held = socket.create_connection(("127.0.0.1", server.port))
    server.close()
    server.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "upstream-tiny"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))
    held.close()


def test_traces_proofs_and_fees_are_served_from_records(traces: Snapshot, rows: SnapshotRows, origin: Any) -> None:
    """What Anvil forwards of them is answered; what was not recorded is error -32000 and counted."""
    server = Upstream(traces, origin.last)
    server.start()
    sent = rows.transactions[0]["hash"]
    try:
        for method, params in (
            ("trace_transaction", [sent]),
            ("trace_block", ["0x5"]),
            ("debug_traceTransaction", [sent, {"tracer": "callTracer"}]),
            ("eth_feeHistory", ["0x2", "0x5", [50]]),
        ):
            reply = post(server, json.dumps(call(method, *params)).encode())["result"]
            assert reply == server.answer(method, params) and reply
        assert server.miss_count == 0
        missed = [("eth_getProof", [origin.store, [], "0x2"]), ("eth_feeHistory", ["0x1", "0x9"])]
        missed += [("debug_traceTransaction", [sent, {"tracer": "4byteTracer"}]), ("trace_block", ["safe"])]
        for method, params in missed:
            assert post(server, json.dumps(call(method, *params)).encode())["error"]["code"] == -32000
        assert [server.miss(at).kind for at in range(server.miss_count)] == ["proof", "state", "trace", "block"]
    finally:
        server.close()


def test_questions_of_our_own_are_counted_with_the_others(upstream: Upstream) -> None:
    """One counter, whichever way a question came; a refusal is none."""
    assert upstream.answer("eth_blockNumber", []) == "0x5"
    with pytest.raises(Miss) as missed:
        upstream.answer("eth_getBalance", ["0x" + "ab" * 20])
    assert upstream.miss(0) == missed.value.detail
    with pytest.raises(ToolError):
        upstream.answer("eth_getBalance", [])
    assert upstream.miss_count == 1


def test_a_damaged_file_is_a_miss_and_no_answer(snapshot: Snapshot, tmp_path: Path) -> None:
    """A table that broke under our feet: counted, told, and nothing is served from it."""
    folder = shutil.copytree(snapshot.folder, tmp_path / "tiny")
    server = Upstream(Snapshot.open(folder), 5)
    (path,) = folder.glob("*__accounts__*")
    path.write_bytes(b"PAR1")
    with pytest.raises(Miss, match="state not recorded: eth_getBalance: "):
        server.answer("eth_getBalance", ["0x" + "ab" * 20])
    assert server.miss_count == 1
