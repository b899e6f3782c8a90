"""Clients of the gateway that send what no node reads, hold what they do not use, or are a page in a browser."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.interop.gateway import Gateway
from caia_replay.loopback import LONGEST_BODY_BYTES, Limits, LoopbackServer, Receive, Send, read_body
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

CHAIN_ID = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
JSON = {"Content-Type": "application/json"}
HEAD = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def served(shipped: Path) -> Iterator[tuple[Gateway, LoopbackServer]]:
    folder = open_world(str(shipped))
    with FrozenWorld(folder) as world:
        gateway = Gateway(world.task(folder.task(folder.suite.active()[0])))
        with LoopbackServer(gateway) as server:
            yield gateway, server


def rpc(server: LoopbackServer, body: bytes | object) -> Any:
    """What is answered, which must be HTTP 200 and JSON in UTF-8."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    reply = httpx2.post(f"{server.url}/rpc", content=content, headers=JSON, timeout=600)
    assert reply.status_code == 200, reply.text
    return json.loads(reply.content.decode("utf-8"))


def calls() -> Iterator[tuple[str, object, int]]:
    """What no node reads, each with the error it is."""
    deep: Any = "0x1"
    for _ in range(400):
        deep = [deep]
    for name, fields in (
        ("id", {"id": "\ud800"}), ("true", {"id": True}), ("list", {"id": [1]}), ("huge", {"id": 10**30}),
        ("method", {"method": "eth_\udfff"}), ("text", {"params": ["\ud800", "latest"]}),
        ("key", {"params": [{"\ud800": "0x1"}, "latest"]}), ("deep", {"params": deep}),
        ("gas", {"method": "eth_call", "params": [{"gas": 10**30}, "latest"]}),
        ("below", {"method": "eth_getLogs", "params": [{"fromBlock": -(10**30)}]}),
        ("inside", {"method": "eth_call", "params": [{"data": deep}, "latest"]}),
    ):  # fmt: skip
        yield name, CHAIN_ID | {"method": "eth_getCode"} | fields, -32600
    yield "nothing", [], -32600
    yield "many", [CHAIN_ID] * 1_001, -32600
    yield "long", b'"' + b"x" * (2 * 2**20) + b'"', -32600
    for name, raw in (("digits", b"1" * 5_000), ("float", b"1e999"), ("deeper", b"[" * 600), ("bytes", b"\xff")):
        yield name, b'{"id":' + raw + b"}", -32700


@pytest.mark.parametrize(("body", "code"), [pytest.param(*rest, id=name) for name, *rest in calls()])
def test_what_no_node_reads_is_refused_before_it(
    served: tuple[Gateway, LoopbackServer], body: bytes | object, code: int
) -> None:
    """A JSON-RPC error, alone and among sound calls; the node behind is the same one afterwards."""
    gateway, server = served
    sound = rpc(server, CHAIN_ID)["result"]
    before = gateway._world.world.pool.pids()
    assert rpc(server, body)["error"]["code"] == code
    if isinstance(body, dict):
        batch = rpc(server, [CHAIN_ID, body, CHAIN_ID])
        assert [answer.get("result") for answer in batch] == [sound, None, sound]
        assert batch[1]["id"] in (1, None)
    assert gateway._world.world.pool.pids() == before


@pytest.mark.check
def test_a_call_that_takes_too_long_is_an_error_and_ends_its_batch(served: tuple[Gateway, LoopbackServer]) -> None:
    """No HTTP 500: each call of the batch has the code of a timeout, and the next request finds a new node."""
    gateway, server = served
    sound = rpc(server, CHAIN_ID)
    pool = gateway._world.world.pool
    (node,) = pool._nodes.values()
    node._connection._http.sock.settimeout(0.2)  # type: ignore[union-attr]
    (stopped,) = pool.pids()
    os.kill(stopped, signal.SIGSTOP)
    os.waitid(os.P_PID, stopped, os.WSTOPPED)  # until all its threads stand: one may still answer
    late = rpc(server, [CHAIN_ID, CHAIN_ID | {"id": "b"}, {"jsonrpc": "2.0", "method": "eth_chainId"}])
    assert [(answer["id"], answer["error"]["code"]) for answer in late] == [(1, -32002), ("b", -32002)]
    assert rpc(server, CHAIN_ID) == sound and pool.pids() != (stopped,)


@pytest.mark.check
def test_unfinished_bodies_hold_no_more_than_their_room(served: tuple[Gateway, LoopbackServer]) -> None:
    """Of eight long ones that never end all but four are refused at once; the room is free again when they are gone."""
    _, server = served
    part = b" " * (LONGEST_BODY_BYTES - 1)
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 60)) for _ in range(8)]
        for one in opened:
            one.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % LONGEST_BODY_BYTES + part)
        refused = 0
        for one in opened:
            one.settimeout(2)
            try:
                refused += one.recv(12) == b"HTTP/1.1 503"
            except TimeoutError:
                continue
        assert refused == 4
    assert rpc(server, b" " * (LONGEST_BODY_BYTES // 8) + json.dumps(CHAIN_ID).encode())["result"]


class Slow:
    """Answers a request when its body is whole, and longer after that than it waits for a client."""

    limits = Limits(connections=9, idle_s=1, request_s=2)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        await read_body(receive)
        await asyncio.sleep(2.5)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@pytest.mark.check
def test_a_connection_that_keeps_the_server_waiting_is_closed() -> None:
    """Before, in and after a request; an answer that takes longer is waited for. One too many is told so."""
    whole = HEAD + b"Content-Length: 1\r\n\r\nx"
    cases = {
        b"": b"", b"\r\n": b"", HEAD: b"", HEAD + b"Content-Length: 9\r\n\r\nx": b"",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nx": b"", HEAD + b"x: " + b"y" * 300_000: b"HTTP/1.1 431",
        whole: b"HTTP/1.1 200", whole + whole: b"HTTP/1.1 200", whole + b"\r\n": b"HTTP/1.1 200",
    }  # fmt: skip
    with LoopbackServer(Slow()) as server, ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 120)) for _ in [*cases, b"more"]
        ]
        assert opened.pop().recv(12) == b"HTTP/1.1 503"
        for one, sent in zip(opened, cases, strict=True):
            one.sendall(sent)
        for one, (sent, begin) in zip(opened, cases.items(), strict=True):
            told = b""
            with suppress(ConnectionResetError):
                while part := one.recv(65_536):
                    told += part
            assert told[:12] == begin and told.count(b"ok") == sent.count(whole), sent[:80]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("Origin: http://evil.example", 403), ("Origin: null", 403), ("Origin: http://127.0.0.1:1", 403),
        ("Sec-Fetch-Site: cross-site", 403), ("Sec-Fetch-Site: same-site", 403), ("Sec-Fetch-Site: none", 200),
        ("Host: evil.example", 421), ("Host: 127.0.0.1.evil.example", 421), ("Host: localhost:9", 200),
        ("Host: localhost:9 & Origin: http://localhost:9", 200),
        ("Host: google.serper.dev & Origin: http://google.serper.dev", 403),
        ("Content-Type: text/plain;charset=UTF-8", 415), ("Content-Type: multipart/form-data; boundary=x", 415),
        ("Content-Type: Application/X-WWW-form-urlencoded", 415),
    ],
)  # fmt: skip
def test_what_a_page_of_another_origin_can_send_is_refused(
    served: tuple[Gateway, LoopbackServer], sent: str, status: int
) -> None:
    """By its origin, by a host that is not ours, by a type that needs no leave; nothing is counted."""
    gateway, server = served
    before = dict(gateway.served), len(gateway.misses)
    headers = JSON | dict(line.split(": ") for line in sent.split(" & "))
    reply = httpx2.post(f"{server.url}/rpc", json=CHAIN_ID, headers=headers, timeout=600)
    assert reply.status_code == status and "access-control-allow-origin" not in reply.headers
    if status != 200:
        assert (dict(gateway.served), len(gateway.misses)) == before


PAGE = """<!doctype html><body><script>
const targets = TARGETS, read = []
const late = () => new Promise((_, no) => setTimeout(no, 5000))
const load = (kind, url) => new Promise((yes, no) => {
  const made = document.createElement(kind)
  made.onload = () => yes("loaded"); made.onerror = no; made.src = url
  document.body.append(made)
})
const socket = (url, body) => new Promise((yes, no) => {
  const made = new WebSocket(url.replace("http", "ws"))
  made.onopen = () => made.send(body); made.onmessage = event => yes(event.data); made.onerror = no
})
const text = async reply => { if (reply.type !== "opaque") return reply.status + " " + await reply.text() }
const post = (url, body, type, more) =>
  fetch(url, {method: "POST", body: new Blob([body], {type}), ...more}).then(text)
const ways = {
  get: url => fetch(url).then(text),
  blind: url => fetch(url, {mode: "no-cors"}).then(text),
  json: (url, body) => post(url, body, "application/json"),
  plain: (url, body) => post(url, body, "text/plain"),
  form: (url, body) => post(url, body, "application/x-www-form-urlencoded"),
  bare: (url, body) => post(url, body, "", {mode: "no-cors"}),
  beacon: async (url, body) => { navigator.sendBeacon(url, new Blob([body])) },
  script: url => load("script", url), image: url => load("img", url), socket,
}
const run = async () => {
  for (const [name, url, body] of targets)
    await Promise.all(Object.entries(ways).map(async ([way, ask]) => {
      try {
        const told = await Promise.race([ask(url, body), late()])
        if (told) read.push([name, way, told])
      } catch {}
    }))
  await fetch("/told", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(read)})
}
run()
</script>"""


class Bait:
    """A page of another origin, and what it says it read."""

    def __init__(self, targets: list[list[str]]) -> None:
        self.page = PAGE.replace("TARGETS", json.dumps(targets)).encode()
        self.read: list[list[str]] = []
        self.done = threading.Event()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["path"] == "/told":
            self.read = json.loads(await read_body(receive))
            self.done.set()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": self.page if scope["path"] == "/" else b""})


FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


def shown(bait: Bait, profile: Path) -> list[list[str]]:
    """What the page reads in Chromium. Skips where there is none, and fails there with REQUIRE_CLIENTS=1."""
    browser = shutil.which("chromium")
    if browser is None and os.environ.get("REQUIRE_CLIENTS") == "1":
        pytest.fail("chromium is not on the path")
    if browser is None:
        pytest.skip("chromium is not on the path")
    with LoopbackServer(bait) as server:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"http://localhost:{server.port}/"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
        try:
            assert bait.done.wait(300), "the page was not shown"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return bait.read


@pytest.mark.check
def test_a_page_in_a_browser_reads_nothing_and_changes_nothing(
    served: tuple[Gateway, LoopbackServer], anvil_binary: Path, tmp_path: Path
) -> None:
    """It knows every port, and tries whatever a page can: only a node at the usual address lets it in, by WebSocket."""
    gateway, server = served
    rpc(server, CHAIN_ID)
    (node,) = gateway._world.world.pool._nodes.values()
    fork, upstream, open_node = node._anvil, node._upstream, AnvilProcess(anvil_binary, [])
    assert fork is not None and node._connection is not None
    account = "0x" + "ee" * 20
    steal = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "anvil_setBalance", "params": [account, "0x7"]})
    ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "eth_getBalance", "params": [account, "latest"]})
    targets = [["open", f"http://127.0.0.1:{open_node.port}/", steal]]
    for host in ("127.0.0.1", "localhost", "[::1]"):
        at = {"fork": f"{fork.port}/", "upstream": f"{upstream.port}/0"}
        at |= {f"gateway {path}": f"{server.port}/{path}" for path in ("", "rpc", "x.example/y")}
        targets += [[name, f"http://{host}:{rest}", steal if name == "fork" else ask] for name, rest in at.items()]
    before = dict(gateway.served), list(gateway.misses), upstream.miss_count
    try:
        read = shown(Bait(targets), tmp_path)
        opened = open_node.connect()
        assert opened.demand("eth_getBalance", [account, "latest"]) == "0x7"
        opened.close()
    finally:
        open_node.stop()
    assert {(name, way) for name, way, _ in read} == {("open", "socket")}, read
    assert (dict(gateway.served), list(gateway.misses), upstream.miss_count) == before
    # The fork asks its upstream for an account that nobody recorded; one that was given a balance it would know.
    assert rpc(server, json.loads(ask))["error"]["code"] == -32004
