"""One Anvil process, the connection to it, and the loopback server it asks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from caia_replay.chain import anvil_binary
from caia_replay.chain.anvil import AnvilProcess, fork_arguments
from caia_replay.chain.rpc_connection import NodeRefusal, RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.chain.upstream import Upstream
from caia_replay.errors import BadInput, ForkFault, Miss, WallLimit
from tests.odd_threads import dying


def gone(pid: int) -> bool:
    """Whether no process has this id, after the moment that the kernel needs."""
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


class SlowOutput:
    """An output that takes a moment to close, and must be let alone meanwhile."""

    def __init__(self, output: Any) -> None:
        self._output = output
        self._closing = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)

    def close(self) -> None:
        if self._closing:
            raise OSError("it is being closed")
        self._closing = True
        time.sleep(0.02)
        self._output.close()
        self._closing = False


def test_it_listens_on_its_own_port_and_leaves_nothing(anvil_binary: Path) -> None:
    """Two processes have two ports, answer with their own chain, and are gone after stop."""
    nodes = [AnvilProcess(anvil_binary, ["--chain-id", str(chain)]) for chain in (71, 72)]
    for chain, node in zip((71, 72), nodes, strict=True):
        connection = node.connect()
        assert connection.demand("eth_chainId") == hex(chain)
        connection.close()
        assert node.alive
    for node in nodes:
        node.stop()
        node.stop()
        assert gone(node.pid)
        assert not node.alive


@pytest.mark.check
def test_it_may_be_stopped_by_several_threads_at_once(anvil_binary: Path) -> None:
    """Each of them returns when the process is gone, and none of them trips over another."""
    faults: list[Exception] = []
    for _ in range(4):
        node = AnvilProcess(anvil_binary, [])
        together = threading.Barrier(8)
        output = node._child._output
        node._child._output = SlowOutput(output)  # type: ignore[assignment]

        def stop(node: AnvilProcess = node, together: threading.Barrier = together) -> None:
            together.wait()
            try:
                node.stop()
            except (OSError, ValueError) as fault:
                faults.append(fault)

        threads = [threading.Thread(target=stop) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert output.closed and gone(node.pid)
    assert faults == []


def test_a_child_that_cannot_start_says_why(anvil_binary: Path, tmp_path: Path) -> None:
    """Its last words are in the fault."""
    with pytest.raises(ForkFault, match="--no-such-flag"):
        AnvilProcess(anvil_binary, ["--no-such-flag"])
    with pytest.raises(ForkFault, match="missing"):
        AnvilProcess(tmp_path / "missing", [])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_is_a_fault_and_no_wait_for_ever(anvil_binary: Path) -> None:
    """Whoever starts a node hears that its thread died as it started."""
    with dying("anvil-keeper"), pytest.raises(ForkFault, match="its thread died"):
        AnvilProcess(anvil_binary, [])


def test_it_outlives_the_thread_that_started_it(anvil_binary: Path) -> None:
    """The kernel's death signal follows a thread, and worker threads come and go."""
    made: list[AnvilProcess] = []
    starter = threading.Thread(target=lambda: made.append(AnvilProcess(anvil_binary, [])))
    starter.start()
    starter.join()
    connection = made[0].connect()
    assert connection.demand("eth_blockNumber") == "0x0"
    connection.close()
    made[0].stop()


@pytest.mark.check
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills a child with its parent")
@pytest.mark.parametrize("end", ["kill", "exit"])
def test_it_dies_with_its_parent(anvil_binary: Path, end: str) -> None:
    """Neither a killed parent nor one that forgets to stop leaves a node behind."""
    code = (
        "import sys, time; from pathlib import Path; from caia_replay.chain.anvil import AnvilProcess\n"
        f"node = AnvilProcess(Path({str(anvil_binary)!r}), []); print(node.pid, flush=True)\n"
        f"time.sleep(60) if {end!r} == 'kill' else sys.exit(0)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    if end == "kill":
        os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert gone(pid)


def script(folder: Path, text: str) -> Path:
    """A program called anvil that prints ``text``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "anvil"
    path.write_text(f"#!/bin/sh\necho '{text}'\n")
    path.chmod(0o755)
    return path


def test_the_named_binary_comes_first_and_must_be_right(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment variable beats PATH; another version or a missing file is refused with the remedy."""
    named = script(tmp_path, f"anvil Version: {anvil_binary.ANVIL_VERSION}")
    monkeypatch.setenv(anvil_binary.ANVIL_VARIABLE, str(named))
    assert anvil_binary.find_anvil() == named
    for text in ["anvil Version: 1.4.0", "something else", "anvil Version: 1.7.10"]:
        monkeypatch.setenv(anvil_binary.ANVIL_VARIABLE, str(script(tmp_path, text)))
        with pytest.raises(BadInput, match=r"Anvil 1\.7\.1 is needed.*next: unset CAIA_REPLAY_ANVIL"):
            anvil_binary.find_anvil()
    monkeypatch.setenv(anvil_binary.ANVIL_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(BadInput, match="names no file"):
        anvil_binary.find_anvil()


def test_another_version_on_the_path_is_passed_by(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user's own Anvil does not hide the pinned one of the project."""
    monkeypatch.delenv(anvil_binary.ANVIL_VARIABLE, raising=False)
    expected = anvil_binary.find_anvil()
    monkeypatch.setenv("PATH", str(script(tmp_path, "anvil Version: 9.9.9").parent))
    found = anvil_binary.find_anvil()
    assert found != tmp_path / "anvil"
    assert found.name == expected.name


def served_once(reply: bytes) -> int:
    """A port where one request gets exactly these bytes, and then the connection closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(65_536)
            connection.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1])


def http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    "reply",
    [
        b"", b"garbage\r\n\r\n", http(b"{"), http(b"3"), http(b'{"id":9,"result":1}'), http(b'{"id":1}'),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", http(b'{"id":1,"result":NaN}'),
    ],
)  # fmt: skip
def test_a_node_that_breaks_its_protocol_is_a_fault(reply: bytes) -> None:
    """Silence, half replies, foreign ids and non-JSON never become an answer."""
    with pytest.raises(ForkFault, match="eth_x"):
        RpcConnection(served_once(reply), timeout_s=5).ask("eth_x")


def test_a_refusal_keeps_the_nodes_words_and_revert_data() -> None:
    """Code, message and data reach the caller; a refused demand of our own is a fault that names itself."""
    for error, refusal in [
        (b'{"code":3,"message":"execution reverted","data":"0xaa"}', NodeRefusal(3, "execution reverted", "0xaa")),
        (b'{"code":-32000,"message":"no","data":"0x"}', NodeRefusal(-32000, "no")),
        (b'"odd"', NodeRefusal(0, "odd")),
    ]:
        found: Any = RpcConnection(served_once(http(b'{"id":1,"error":%s}' % error)), timeout_s=5).ask("eth_x")
        assert found == refusal
        assert refusal.message in str(refusal.as_tool_error())
        assert (refusal.data or "") in str(refusal.as_tool_error())
    port = served_once(http(b'{"id":1,"error":{"code":1,"message":"why not"}}'))
    with pytest.raises(ForkFault, match="refused eth_x: why not"):
        RpcConnection(port, timeout_s=5).demand("eth_x")


def test_a_node_that_takes_too_long_is_a_limit_of_real_time_and_no_fault() -> None:
    """Another machine would have had the answer, so nobody may certify what comes of it."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(WallLimit, match=r"eth_x took longer than 0\.2 s"),
    ):
        RpcConnection(silent.getsockname()[1], timeout_s=0.2).ask("eth_x")


@pytest.fixture
def upstream(snapshot: Snapshot) -> Iterator[Upstream]:
    server = Upstream(snapshot, 5)
    server.start()
    yield server
    server.close()


def key(server: Upstream) -> dict[str, str]:
    """What Anvil sends to say that it was given the server's address."""
    return {"Authorization": f"Basic {b64encode(urlsplit(server.url).netloc.partition('@')[0].encode()).decode()}"}


def post(server: Upstream, body: bytes, path: str = "/") -> Any:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=600)
    connection.request("POST", path, body, key(server))
    reply = connection.getresponse()
    assert reply.status == 200
    out = json.loads(reply.read())
    connection.close()
    return out


def call(method: str, *params: Any, call_id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": list(params)}


def test_a_batch_is_answered_in_order(upstream: Upstream) -> None:
    """Each call has its own id, and a miss among them is counted."""
    batch = [call("eth_blockNumber", call_id="a"), call("eth_getBalance", "0x" + "ab" * 20, "latest", call_id=2)]
    good, missed = post(upstream, json.dumps(batch).encode())
    assert good == {"jsonrpc": "2.0", "id": "a", "result": "0x5"}
    assert (missed["id"], missed["error"]["code"]) == (2, -32000)
    assert upstream.miss_count == 1
    assert upstream.miss(0).kind == "account"


def test_malformed_and_dropped_requests_leave_the_server_alive(upstream: Upstream) -> None:
    """No body can stop it or count as a miss; Anvil drops the loser of a race in the middle of a response."""
    for body in [b"", b"{", b"[]", b"3", b'{"method": 3}', b"\xff\xfe", b"[" * 100_000, b'{"id":1,"id":2}']:
        assert "error" in post(upstream, body)
        assert upstream.miss_count == 0
        assert post(upstream, json.dumps(call("eth_chainId")).encode())["result"] == hex(7001)
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", upstream.port)) as raw:
            raw.sendall(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
    assert post(upstream, json.dumps(call("eth_chainId")).encode())["result"] == hex(7001)


def test_a_late_request_is_answered_at_its_own_pin_and_charged_to_nobody(upstream: Upstream) -> None:
    """What was asked under an earlier pin is that pin's business, whenever it arrives."""
    earlier, later = "/0", "/1"
    assert upstream.url.endswith(earlier)
    upstream.set_pin(3)
    assert upstream.url.endswith(later)
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


def test_who_does_not_know_the_secret_is_told_nothing(upstream: Upstream, snapshot: Snapshot) -> None:
    """A page may guess port and pin: it gets no answer and makes no call miss. Anvil keeps the secret in its errors."""
    unknown = json.dumps(call("eth_getBalance", "0x" + "ab" * 20, "latest"))
    for headers in ({}, key(Upstream(snapshot, 5)), {"Authorization": "Basic"}):
        connection = HTTPConnection("127.0.0.1", upstream.port, timeout=600)
        connection.request("POST", "/0", unknown, headers | {"Content-Type": "application/json"})
        reply = connection.getresponse()
        assert (reply.status, reply.read()) == (404, b"")
        connection.close()
    assert upstream.miss_count == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_a_fork_listens_where_no_page_can_find_it(upstream: Upstream, anvil_binary: Path) -> None:
    """At one of 16 million addresses, drawn anew for each; nothing answers on the port at the usual one."""
    nodes = [AnvilProcess(anvil_binary, fork_arguments(upstream.url, 5, 7001, "prague")) for _ in range(2)]
    try:
        for node in nodes:
            connection = node.connect()
            assert connection.demand("eth_chainId") == hex(7001)
            connection.close()
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", node.port))
        upstream.close()
        told = nodes[0].connect()
        refused = told.ask("eth_getBalance", ["0x" + "ab" * 20, "latest"])
        told.close()
        assert f"127.0.0.1:{upstream.port}" in str(refused) and key(upstream)["Authorization"] not in str(refused)
        assert urlsplit(upstream.url).password not in str(refused)
        assert len({"127.0.0.1", *(node.host for node in nodes)}) == 3
    finally:
        for node in nodes:
            node.stop()


def test_closing_ends_the_thread_and_the_listener(snapshot: Snapshot) -> None:
    """After close nothing of the server is left, also with a connection held open."""
    before = set(threading.enumerate())
    server = Upstream(snapshot, 5)
    server.start()
    held = socket.create_connection(("127.0.0.1", server.port))
    server.close()
    server.close()
    assert not set(threading.enumerate()) - before
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
            ("trace_transaction", [sent]), ("trace_block", ["0x5"]),
            ("debug_traceTransaction", [sent, {"tracer": "callTracer"}]), ("eth_feeHistory", ["0x2", "0x5", [50]]),
        ):  # fmt: skip
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


def test_a_damaged_file_is_a_miss_and_no_answer(snapshot: Snapshot, tmp_path: Path) -> None:
    """A table that broke under our feet: counted, told, and nothing is served from it."""
    folder = shutil.copytree(snapshot.folder, tmp_path / "tiny")
    server = Upstream(Snapshot.open(folder), 5)
    (path,) = folder.glob("*__accounts__*")
    path.write_bytes(b"PAR1")
    with pytest.raises(Miss, match="state not recorded: eth_getBalance: "):
        server.answer("eth_getBalance", ["0x" + "ab" * 20])
    assert server.miss_count == 1
