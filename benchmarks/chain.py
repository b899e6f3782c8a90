"""Forks beside a plain Anvil, and a contract call through the tool beside the bare call."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eth_abi import abi

from benchmarks.row import Row, median, side_by_side
from caia_replay.chain.anvil import AnvilProcess, fork_arguments
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.upstream import Upstream
from caia_replay.core.task import Task
from caia_replay.core.tool import ToolReply, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.tools.signature import Signature, encode_call, parse_signature
from caia_replay.tools.tool_context import Session
from caia_replay.world.world import FrozenWorld, TaskWorld

_START_LIMIT, _CALL_LIMIT = 1.5, 1.5
_STARTS, _ROUNDS, _CALLS = 9, 15, 40


@dataclass(frozen=True)
class ContractCall:
    """A suite's first contract call, with its arguments as they are made: what every row of a call measures."""

    task: Task
    arguments: dict[str, Any]

    @property
    def block(self) -> int:
        """The height it is made at."""
        block = self.arguments.get("block")
        return block if isinstance(block, int) else self.task.anchor.block

    @cached_property
    def signature(self) -> Signature:
        """The function."""
        return parse_signature(str(self.arguments["function"]))

    @property
    def given(self) -> list[Any]:
        """The function's arguments."""
        return list(self.arguments.get("arguments") or [])

    @property
    def transaction(self) -> dict[str, str]:
        """As a call object of eth_call."""
        return {"to": str(self.arguments["contract"]), "data": encode_call(self.signature, self.given)}


def contract_call(folder: WorldFolder) -> ContractCall:
    """Raises ``BadInput`` when no task of the suite calls a contract of its own chain.

    Arguments that a gold chain computes are those that it makes its call with, at the task's own block.
    """
    calling = []
    for task in map(folder.task, folder.suite.active()):
        for step in task.gold.steps:
            arguments = json.dumps(dict(step.arguments), default=list)
            if step.tool == "data_query" and step.arguments.get("function"):
                if '"$' not in arguments and '"= ' not in arguments:
                    return ContractCall(task, json.loads(arguments))
                calling.append(task)
    with FrozenWorld(folder) as world:
        for task in calling:
            with WorldToolset(world.task(task)) as tools:
                for asked in _made(tools, task):
                    if asked.get("function") and asked.get("chain") in (None, task.anchor.chain):
                        return ContractCall(task, asked | {"block": None})
    raise BadInput("no task of this suite calls a contract of its own chain", where=folder.path)


def _made(tools: WorldToolset, task: Task) -> list[dict[str, Any]]:
    """The arguments of the data queries that a task's gold chain makes."""
    made: list[dict[str, Any]] = []

    class Noting:
        def specs(self) -> Sequence[ToolSpec]:
            return tools.specs()

        def call(self, name: str, arguments: str) -> ToolReply:
            if name == "data_query":
                made.append(json.loads(arguments))
            return tools.call(name, arguments)

    run_gold(task.gold, Noting())
    return made


@contextmanager
def bare_fork(snapshot: ChainSource, block: int) -> Iterator[tuple[RpcConnection, Upstream, str]]:
    """The floor of every fork: an Anvil with our flags on an upstream of its own, and nothing of ours between.

    Gives a keep-alive connection, the upstream, and Anvil's address.
    """
    upstream = Upstream(snapshot, block)
    upstream.start()
    try:
        arguments = fork_arguments(upstream.url, block, snapshot.chain_id, snapshot.hardfork(block))
        node = AnvilProcess(find_anvil(), arguments)
        connection = node.connect()
        try:
            yield connection, upstream, node.url
        finally:
            connection.close()
            node.stop()
    finally:
        upstream.close()


def rows(suite: str) -> Iterator[Row]:
    """Start and eth_call on the snapshot of ``suite``'s first task that has a contract call."""
    folder = open_world(suite)
    with FrozenWorld(folder) as world:
        asked = contract_call(folder)
        yield _start(world.snapshots[asked.task.anchor.chain])
        yield _call(world.task(asked.task), asked)


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


def _call(world: TaskWorld, asked: ContractCall) -> Row:
    """The floor: eth_abi, one keep-alive request to a fork of its own, eth_abi."""
    tool, text, session = CATALOG["data_query"], json.dumps(asked.arguments), Session()
    inputs = [parameter.type for parameter in asked.signature.inputs]
    outputs = [parameter.type for parameter in asked.signature.outputs]
    contract, given, selector = asked.transaction["to"], asked.given, asked.signature.hash[:4]
    assert asked.transaction["data"].startswith("0x" + selector.hex())
    snapshot = world.world.snapshots[world.anchor.chain]

    def through_tool() -> object:
        reply = tool.call(world, text, session)
        assert reply.result is not None, reply.error
        return reply

    with bare_fork(snapshot, asked.block) as (connection, _, _):

        def bare() -> object:
            data = "0x" + (selector + abi.encode(inputs, given)).hex()
            reply = connection.demand("eth_call", [{"to": contract, "data": data}, "latest"])
            return abi.decode(outputs, bytes.fromhex(reply[2:]))

        spent = side_by_side({"tool": through_tool, "bare": bare}, rounds=_ROUNDS, calls=_CALLS)
    return Row("eth_call through data_query", spent["tool"], "us", spent["bare"], _CALL_LIMIT)
