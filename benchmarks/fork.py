"""What a lease adds to a bare Anvil on the same recorded chain: re-pins, calls, web3, and writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from typing import Any

from web3 import HTTPProvider, Web3

from benchmarks.chain import ContractCall, bare_fork, contract_call
from benchmarks.row import Row, side_by_side
from caia_replay.chain.anvil import AnvilProcess, fork_arguments
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.errors import BadInput
from caia_replay.interop.scratch_chain import ScratchChain
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

_PIN_LIMIT, _CALL_LIMIT, _WRITE_LIMIT = 1.5, 1.5, 1.5
_PINS, _WRITES = 25, 15
_ROUNDS, _CALLS = 15, 40


def rows(suite: str) -> Iterator[Row]:
    """Re-pin, eth_call raw and through web3, and a write, where ``suite``'s first contract call stands."""
    folder = open_world(suite)
    with FrozenWorld(folder) as world:
        asked = contract_call(folder)
        snapshot = world.snapshots[asked.task.anchor.chain]
    with ForkPool({snapshot.name: snapshot}) as pool:
        yield _pin(pool, snapshot, asked.block)
        yield _raw(pool, snapshot, asked)
        yield _web3(pool, snapshot, asked)
        yield from _write(pool, snapshot, asked.block)


def _pin(pool: ForkPool, snapshot: ChainSource, block: int) -> Row:
    """A lease of the other of two blocks, corrections included, and a bare anvil_reset between the same two."""
    ours, theirs = cycle((block - 1, block)), cycle((block - 1, block))
    with bare_fork(snapshot, block) as (node, upstream, _):

        def repin() -> None:
            with pool.lease(snapshot.name, next(ours)):
                pass

        def reset() -> None:
            node.demand("anvil_reset", [{"forking": {"jsonRpcUrl": upstream.url, "blockNumber": next(theirs)}}])

        spent = side_by_side({"lease": repin, "reset": reset}, rounds=_PINS)
    return Row("re-pin", spent["lease"] / 1e3, "ms", spent["reset"] / 1e3, _PIN_LIMIT)


def _raw(pool: ForkPool, snapshot: ChainSource, asked: ContractCall) -> Row:
    """``Fork.rpc`` under a lease, and the same call on a keep-alive connection."""
    params = [asked.transaction, "latest"]
    with bare_fork(snapshot, asked.block) as (node, _, _), pool.lease(snapshot.name, asked.block) as fork:
        subjects = {"fork": lambda: fork.rpc("eth_call", params), "bare": lambda: node.demand("eth_call", params)}
        spent = side_by_side(subjects, rounds=_ROUNDS, calls=_CALLS)
    return Row("eth_call, raw", spent["fork"], "us", spent["bare"], _CALL_LIMIT)


def _web3(pool: ForkPool, snapshot: ChainSource, asked: ContractCall) -> Row:
    """A contract call by the plugin's web3, and by a web3 that talks HTTP to an Anvil of its own."""
    with ExitStack() as stack:
        _, _, url = stack.enter_context(bare_fork(snapshot, asked.block))
        leased = stack.enter_context(pool.lease(snapshot.name, asked.block, writes=True))
        bare = Web3(HTTPProvider(url))
        ours, theirs = (_function(web3, asked) for web3 in (ScratchChain(leased).web3, bare))
        assert ours.call() == theirs.call()
        spent = side_by_side({"ours": ours.call, "theirs": theirs.call}, rounds=_ROUNDS, calls=_CALLS)
    return Row("eth_call, web3", spent["ours"], "us", spent["theirs"], _CALL_LIMIT)


def _function(web3: Web3, asked: ContractCall) -> Any:
    """The asked call as web3's contract function with its arguments bound."""
    signature = asked.signature
    sides = {
        side: [{"name": item.name, "type": item.type} for item in parameters]
        for side, parameters in (("inputs", signature.inputs), ("outputs", signature.outputs))
    }
    entry = {"type": "function", "name": signature.name, "stateMutability": "view", **sides}
    address = Web3.to_checksum_address(asked.transaction["to"])
    contract = web3.eth.contract(address=address, abi=[entry])
    return contract.get_function_by_name(signature.name)(*asked.given)


def _write(pool: ForkPool, snapshot: ChainSource, block: int) -> Iterator[Row]:
    """One transaction tried, mined, read back and thrown away with its lease, beside two floors.

    A checkpoint on a running fork is far cheaper, and it leaves coinbase, base fee, clock and
    impersonation behind, which is why a writing lease is a process of its own: that row is told. What is
    held to a limit is the same work on a bare fork started for it and stopped.
    """
    sender = _sender(snapshot, block)
    fields = {"from": sender, "to": sender, "value": "0x0"}

    def leased() -> None:
        with pool.lease(snapshot.name, block, writes=True) as fork:
            assert ScratchChain(fork).send(fields)["status"] == "0x1"

    binary = find_anvil()
    with bare_fork(snapshot, block) as (node, upstream, _):
        node.demand("anvil_impersonateAccount", [sender])
        arguments = fork_arguments(upstream.url, block, snapshot.chain_id, snapshot.hardfork(block))

        def checkpointed() -> None:
            checkpoint = node.demand("evm_snapshot")
            _sent(node, fields)
            assert node.demand("evm_revert", [checkpoint])

        def fresh() -> None:
            own = AnvilProcess(binary, arguments)
            connection = own.connect()
            connection.demand("anvil_impersonateAccount", [sender])
            _sent(connection, fields)
            connection.close()
            own.stop()

        spent = side_by_side({"lease": leased, "checkpoint": checkpointed, "fresh": fresh}, rounds=_WRITES)
    name, cost = "write and throw away", spent["lease"] / 1e3
    yield Row(f"{name}, a process of its own", cost, "ms", spent["fresh"] / 1e3, _WRITE_LIMIT)
    yield Row(f"{name}, beside a checkpoint", cost, "ms", spent["checkpoint"] / 1e3)


def _sent(node: RpcConnection, fields: dict[str, str]) -> None:
    sent = node.demand("eth_sendTransaction", [{**fields, "gas": "0x5208"}])
    node.demand("evm_mine")
    assert node.demand("eth_getTransactionReceipt", [sent])["status"] == "0x1"


def _sender(snapshot: ChainSource, block: int) -> str:
    """Who sent the last recorded transaction up to ``block``. Raises ``BadInput`` when none is recorded."""
    for number in range(block, snapshot.heights[0][0], -1):
        receipts = snapshot.receipts(number)
        if receipts:
            return str(receipts[-1]["from"])
    raise BadInput(f"no receipt up to block {block} says who could send a transaction", where=snapshot.name)
