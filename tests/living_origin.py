"""A small living chain, a gate in front of it that asks for a key, and a world that was never recorded.

Given to tests by the fixture ``living_origin``. Two chains grown with different values have the same
blocks at the same times and differ in state, hashes and logs: a changed origin.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerSpec, CaptureRange, Task
from caia_replay.store.world_folder import WorldInfo, save_task, save_world

CHAIN, CHAIN_ID, WORLD = "toy", 7005, "toy-world"
KEY, PASSWORD = "k3y-that-must-not-show-0123456789", "pass-that-must-not-show"
LAST = 12
SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
RECEIVER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
# Up to 32 bytes of calldata: returns the slot they name, padded on the right, so a bare selector names one.
# 64 bytes: stores the second word in the slot named by the first, and logs the value under that topic.
STORE = "366040146013576000355460005260206000f35b6020356000355560203560005260003560206000a100"
VALUE_SLOT = keccak(b"value()")[:4] + bytes(28)
EVENT = keccak(b"Stored(uint256)")
EVENT_TEXT = "0x" + EVENT.hex()


@dataclass(frozen=True, slots=True)
class Origin:
    """A chain of ``LAST`` blocks; ``hashes`` are its transactions in order."""

    rpc: RpcConnection
    port: int
    store: str
    value: int
    hashes: tuple[str, ...]

    def time(self, block: int) -> int:
        return int(self.rpc.demand("eth_getBlockByNumber", [hex(block), False])["timestamp"], 16)


@contextmanager
def living(binary: Path, value: int = 7, chain_id: int = CHAIN_ID, hardfork: str = "cancun") -> Iterator[Origin]:
    """A chain on which ``value`` is stored in block 3, and value + n logged in each later block n."""
    arguments = ["--chain-id", str(chain_id), "--hardfork", hardfork, "--order", "fifo", "--no-mining"]
    node = AnvilProcess(binary, [*arguments, "--timestamp", "1700000000"])
    try:
        rpc = node.connect()
        rpc.demand("anvil_setBlockTimestampInterval", [12])
        hashes = []

        def mine(transaction: dict[str, Any]) -> dict[str, Any]:
            hashes.append(rpc.demand("eth_sendTransaction", [{"from": SENDER, "gas": "0x30d40", **transaction}]))
            rpc.demand("evm_mine")
            receipt: dict[str, Any] = rpc.demand("eth_getTransactionReceipt", [hashes[-1]])
            assert receipt["status"] == "0x1"
            return receipt

        mine({"to": RECEIVER, "value": "0xde0b6b3a7640000"})
        created = "0x60" + f"{len(STORE) // 2:02x}" + "80600b6000396000f3" + STORE
        store = mine({"data": created})["contractAddress"]
        mine({"to": store, "data": "0x" + VALUE_SLOT.hex() + f"{value:064x}"})
        for number in range(4, LAST + 1):
            mine({"to": store, "data": "0x" + EVENT.hex() + f"{value + number:064x}"})
        yield Origin(rpc, node.port, store, value, tuple(hashes))
        rpc.close()
    finally:
        node.stop()


@dataclass(slots=True)
class Gate:
    """A provider's door: without the key nobody passes. ``asked`` are the methods that did.

    ``limit_every`` refuses each n-th request with HTTP 429, ``limit_after`` all from the n-th on;
    ``hold`` lets requests of the method it names wait until it is lifted; ``held`` says that one waits;
    ``most_blocks`` is how many blocks one eth_getLogs may span; ``batches`` whether batches are taken;
    ``hide`` answers the methods it names with null, that many times.
    """

    port: int
    url: str = ""
    requests: int = 0
    asked: list[str] = field(default_factory=list)
    limit_every: int | None = None
    limit_after: int | None = None
    hold: str | None = None
    held: bool = False
    most_blocks: int | None = None
    batches: bool = True
    hide: dict[str, int] = field(default_factory=dict)


@contextmanager
def gate(port: int) -> Iterator[Gate]:
    """A gate before the node on ``port``, on a port of its own."""
    state = Gate(port)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, reply, more = self.answer(body)
            self.send_response(status)
            for name, text in {"Content-Length": str(len(reply)), **more}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(reply)

        def answer(self, body: bytes) -> tuple[int, bytes, dict[str, str]]:
            if self.path != f"/v2/{KEY}" or "Authorization" not in self.headers:
                return 401, b'{"error": {"message": "no key"}}', {}
            state.requests += 1
            every, after = state.limit_every, state.limit_after
            while state.hold is not None and state.hold.encode() in body:
                state.held = True
                time.sleep(0.01)
            if (every and state.requests % every == 0) or (after is not None and state.requests > after):
                return 429, b"", {"Retry-After": "0"}
            calls = json.loads(body)
            if isinstance(calls, list) and not state.batches:
                return 400, b'{"error": {"code": -32600, "message": "no batches"}}', {}
            for call in calls if isinstance(calls, list) else [calls]:
                state.asked.append(call["method"])
                if state.hide.get(call["method"], 0) > 0:
                    state.hide[call["method"]] -= 1
                    return 200, json.dumps({"id": call["id"], "result": None}).encode(), {}
                if call["method"] == "eth_getLogs" and state.most_blocks is not None:
                    span = int(call["params"][0]["toBlock"], 16) - int(call["params"][0]["fromBlock"], 16)
                    if span >= state.most_blocks:
                        error = {"code": -32005, "message": "query exceeds max block range"}
                        return 200, json.dumps([{"id": call["id"], "error": error}]).encode(), {}
            behind = HTTPConnection("127.0.0.1", state.port, timeout=600)
            behind.request("POST", "/", body, {"Content-Type": "application/json"})
            reply = behind.getresponse().read()
            behind.close()
            return 200, reply, {}

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://user:{PASSWORD}@127.0.0.1:{server.server_port}/v2/{KEY}"
    try:
        yield state
    finally:
        state.hold = None
        server.shutdown()
        server.server_close()
        thread.join()


def draft_world(root: Path, origin: Origin, provenance: Any = "live", extra: Sequence[Task] = ()) -> Path:
    """A world whose tasks stand on ``origin``, with no snapshot, no cassette and no seal; returns its folder."""
    world = root / "cassettes" / WORLD
    tasks = [*tasks_on(origin), *extra]
    suite = Suite(WORLD, "1.0.0", tuple(SuiteEntry(task.id, "2026-11-21") for task in tasks), {})
    save_world(world, WorldInfo(WORLD, provenance, (CHAIN,), False, "A world for tests"), suite)
    for task in tasks:
        save_task(world, task)
    return world


def tasks_on(origin: Origin) -> list[Task]:
    """One task for each way a tool asks a chain: call, slot, events, balances, block, transaction."""
    store = origin.store
    return [
        _task(origin, "toy-call", 5, str(origin.value), "$1.values[0]",
              _step("data_query", contract=store, function="value()(uint256)")),
        _task(origin, "toy-slot", 7, "0x" + f"{origin.value:064x}", "$1.value",
              _step("data_query", contract=store, slot="0x" + VALUE_SLOT.hex())),
        _task(origin, "toy-events", 11, "6", "count($1.events)",
              _step("data_query", contract=store, event="Stored(uint256 value)", from_block=4, to_block=9)),
        _task(origin, "toy-balance", 9, "10001", "$1.amount", _step("balance_query", address=RECEIVER),
              _step("balance_query", address=RECEIVER, block=0)),
        _task(origin, "toy-block", 10, "1", "$1.transaction_count", _step("block_query", include_transactions=True),
              _step("block_query", block=4)),
        _task(origin, "toy-transaction", 8, "success", "$1.status",
              _step("transaction_query", hash=origin.hashes[5], include_logs=True)),
        _task(origin, "toy-range", 6, str(origin.value), "$1.values[0]",
              _step("data_query", contract=store, function="value()(uint256)"),
              capture=(CaptureRange("logs", 1, 6), CaptureRange("receipts", 2, 5), CaptureRange("blocks", 0, 6),
                       CaptureRange("transactions", 3, 4), CaptureRange("logs", 1, 6, (store,), ((EVENT_TEXT,),)))),
    ]  # fmt: skip


def _step(tool: str, **arguments: Any) -> GoldStep:
    return GoldStep(tool, arguments)


def _task(
    origin: Origin, name: str, block: int, answer: str, result: str, *steps: GoldStep,
    capture: tuple[CaptureRange, ...] = (),
) -> Task:  # fmt: skip
    kind: Any = "number" if answer.isdecimal() else "text"
    return Task(
        name, f"What does {name} ask?", "on-chain analysis", "en", name, Anchor(CHAIN, block, origin.time(block)),
        AnswerSpec(kind, (answer,)), GoldChain(tuple(steps), result), "1", "A test.", capture=capture,
    )  # fmt: skip
