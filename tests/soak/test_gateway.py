"""A client of the gateway that draws its calls, and its very bytes, at random. GATEWAY_CALLS changes the count."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

from caia_replay.chain.rpc_guard import BLOCK_AT
from caia_replay.interop.gateway import Gateway
from caia_replay.loopback import LoopbackServer
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

pytestmark = pytest.mark.soak
CALLS = int(os.environ.get("GATEWAY_CALLS", "4000"))
SOUND = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
TOKEN = "0xd0dbb13f312d0707e535c47975f05803a103aad5"
WORDS = (
    "0x0",
    "0x1",
    "0x2c",
    "latest",
    "earliest",
    "pending",
    TOKEN,
    "0x" + "ab" * 32,
    "0x18160ddd",
    "0x",
    "",
    "\ud800",
)
NAMES = (
    "to",
    "from",
    "data",
    "input",
    "gas",
    "gasLimit",
    "value",
    "fromBlock",
    "toBlock",
    "address",
    "topics",
    "blockHash",
)


def anything(rng: Random, depth: int = 0) -> Any:
    """A JSON value of the kinds that calls are made of, or of none."""
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind < 4:
        return rng.choice(WORDS)
    if kind < 6:
        return rng.choice((None, True, -1, 5, 2**64, 10**40, 1.5, "0x" + "f" * rng.randrange(200)))
    if kind == 6:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(NAMES): anything(rng, depth + 1) for _ in range(rng.randrange(5))}


def drawn(rng: Random) -> Any:
    """A call, mostly of a method that is allowed."""
    method = rng.choice((*BLOCK_AT, "eth_sendTransaction", "anvil_setBalance", "evm_revert", "\udfff", ""))
    params = [anything(rng) for _ in range(rng.randrange(4))]
    if method in ("eth_call", "eth_estimateGas") and rng.randrange(2):
        params[:1] = [{"to": TOKEN, rng.choice(NAMES): anything(rng)}]
    return {**SOUND, "method": method, "params": params, **({"id": anything(rng)} if rng.randrange(9) == 0 else {})}


@pytest.fixture(scope="module")
def served(shipped: Path) -> Iterator[tuple[FrozenWorld, LoopbackServer]]:
    """The gateway over a task of the shipped world."""
    folder = open_world(str(shipped))
    with (
        FrozenWorld(folder) as world,
        LoopbackServer(Gateway(world.task(folder.task("mini6-supply")))) as server,
    ):
        yield world, server


def is_sound(server: LoopbackServer) -> bool:
    """Whether an ordinary call is answered."""
    return httpx2.post(f"{server.url}/rpc", json=SOUND, timeout=600).json()["result"].startswith("0x")


def test_no_call_is_an_answer_of_another_kind_or_costs_a_node(served: tuple[FrozenWorld, LoopbackServer]) -> None:
    """HTTP 200 and one result or error each; the same Anvil serves from the first to the last."""
    world, server = served
    rng, found = Random("gateway"), Counter[str]()
    assert is_sound(server)
    node = world.pool.pids()
    with httpx2.Client(timeout=600) as client:
        for _ in range(CALLS):
            call = drawn(rng)
            body = json.dumps(call).encode()
            reply = client.post(f"{server.url}/rpc", content=body, headers={"Content-Type": "application/json"})
            assert reply.status_code == 200, (call, reply.text)
            answer = reply.json()
            assert ("result" in answer) != ("error" in answer), (call, answer)
            found["result" if "result" in answer else str(answer["error"]["code"])] += 1
    print(f"{CALLS:,} calls: {dict(found)}")
    assert world.pool.pids() == node and is_sound(server)


def test_no_bytes_break_the_server(served: tuple[FrozenWorld, LoopbackServer]) -> None:
    """A request with bytes changed, cut or doubled is refused or answered; nobody else notices."""
    world, server = served
    assert is_sound(server)
    rng, node = Random("bytes"), world.pool.pids()
    content = json.dumps(SOUND).encode()
    whole = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
    sent = whole % (len(content), content)
    for number in range(CALLS // 4):
        data = bytearray(sent)
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        data = data[: rng.randrange(len(data))] if number % 3 == 0 else data * (1 + number % 2)
        with socket.create_connection(("127.0.0.1", server.port), 600) as client, suppress(OSError):
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            while client.recv(65_536):
                pass
    assert is_sound(server) and world.pool.pids() == node
