"""Forks beside a plain Anvil, and a contract call through the tool beside the bare call."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from eth_abi import abi

from caia_replay.bench.row import Row, median, side_by_side
from caia_replay.chain.anvil import AnvilProcess, fork_arguments
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.chain_source import ChainSource, hardfork_at
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.upstream import Upstream
from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.signature import encode_call, parse_signature
from caia_replay.world.world import FrozenWorld, TaskWorld

_START_LIMIT, _CALL_LIMIT = 1.5, 1.5
_STARTS, _ROUNDS, _CALLS = 9, 15, 40


def rows(suite: str) -> Iterator[Row]:
    """Start, re-pin and eth_call on the snapshot of ``suite``'s first task that has a contract call."""
    folder = open_world(suite)
    with FrozenWorld(folder) as world:
        task, arguments = _contract_call(folder.task(task_id) for task_id in folder.suite.active())
        yield _start(world.snapshots[task.anchor.chain])
        yield _call(world.task(task), arguments)


def _contract_call(tasks: Iterator[Task]) -> tuple[Task, dict[str, object]]:
    for task in tasks:
        for step in task.gold.steps:
            plain = all(not str(value).startswith(("$", "= ")) for value in step.arguments.values())
            if step.tool == "data_query" and step.arguments.get("function") and plain:
                return task, json.loads(json.dumps(dict(step.arguments), default=list))
    raise BadInput("no task of this suite calls a contract with plain arguments")


def _start(snapshot: ChainSource) -> Row:
    """From nothing to the first answer: a leased fork with its upstream, and an Anvil of its own chain."""
    binary = find_anvil()
    block = snapshot.heights[-1][1]
    forks: list[float] = []
    plain: list[float] = []
    for _ in range(_STARTS):
        begin = time.perf_counter()
        pool = ForkPool({snapshot.name: snapshot})
        with pool.lease(snapshot.name, block) as fork:
            fork.rpc("eth_chainId")
            forks.append((time.perf_counter() - begin) * 1e3)
        pool.close()
        begin = time.perf_counter()
        node = AnvilProcess(binary, [])
        connection = node.connect()
        connection.demand("eth_chainId")
        plain.append((time.perf_counter() - begin) * 1e3)
        connection.close()
        node.stop()
    return Row("fork ready", median(forks), "ms", median(plain), _START_LIMIT)


def _call(world: TaskWorld, arguments: dict[str, object]) -> Row:
    """The floor: eth_abi, one keep-alive request to a fork of its own, eth_abi."""
    tool, text = CATALOG["data_query"], json.dumps(arguments)
    signature = parse_signature(str(arguments["function"]))
    inputs = [parameter.type for parameter in signature.inputs]
    outputs = [parameter.type for parameter in signature.outputs]
    given = list(arguments.get("arguments") or [])  # type: ignore[call-overload]
    selector = signature.hash[:4]
    assert encode_call(signature, given).startswith("0x" + selector.hex())
    block = arguments.get("block")
    height = block if isinstance(block, int) else world.anchor.block
    snapshot = world.world.snapshots[world.anchor.chain]
    upstream = Upstream(snapshot, height)
    upstream.start()
    node = AnvilProcess(
        find_anvil(), fork_arguments(upstream.url, height, snapshot.chain_id, hardfork_at(snapshot.hardforks, height))
    )
    connection = node.connect()

    def bare() -> object:
        data = "0x" + (selector + abi.encode(inputs, given)).hex()
        reply = connection.demand("eth_call", [{"to": arguments["contract"], "data": data}, "latest"])
        return abi.decode(outputs, bytes.fromhex(reply[2:]))

    def through_tool() -> object:
        reply = tool.call(world, text)
        assert reply.result is not None, reply.error
        return reply

    try:
        spent = side_by_side({"tool": through_tool, "bare": bare}, rounds=_ROUNDS, calls=_CALLS)
    finally:
        connection.close()
        node.stop()
        upstream.close()
    return Row("eth_call through data_query", spent["tool"], "us", spent["bare"], _CALL_LIMIT)
