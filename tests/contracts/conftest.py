"""A chain of its own for each test, on which contracts are deployed and called by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from caia_replay.chain.rpc_connection import NodeRefusal, RpcConnection
from caia_worldgen.artifact import Artifact, load_artifact
from caia_worldgen.chain import Genesis, OriginChain, funded, wallet

START = 1_700_000_000
ALICE, BOB, CAROL, DAVE = people = tuple(wallet(f"contracts/{name}") for name in ("alice", "bob", "carol", "dave"))
GAS = 9_000_000
REASON = "08c379a0"


@dataclass(frozen=True, eq=False)
class Placed:
    """A deployed contract. Wallets may stand for their addresses in arguments."""

    stage: Stage
    artifact: Artifact
    address: str

    def send(self, who: LocalAccount, function: str, *arguments: Any, value: int = 0, after: int = 12) -> Any:
        """A transaction that must succeed, alone in a block ``after`` seconds later; returns its receipt."""
        data = self.artifact.call(function, plain(arguments)) if function else b""
        self.stage.chain.send(who, self.address, data, value_wei=value, gas=GAS)
        return self.stage.mine(after)[0]

    def read(self, function: str, *arguments: Any) -> Any:
        """What a call at the last block returns: the value, or a tuple of several."""
        data = self.artifact.call(function, plain(arguments))
        answer = self.stage.chain.ask("eth_call", {"to": self.address, "data": "0x" + data.hex()}, "latest")
        values = self.artifact.decode(function, bytes.fromhex(answer[2:]))
        return values[0] if len(values) == 1 else values

    def refusal(self, who: LocalAccount, function: str, *arguments: Any, value: int = 0) -> str:
        """Why a call at the last block reverts: the custom error's name, or the reason in words.

        The errors of the contract called are known by name, those of others by their selector; a call that
        does not revert has no reason, the empty string.
        """
        data = self.artifact.call(function, plain(arguments))
        call = {"from": who.address, "to": self.address, "data": "0x" + data.hex(), "value": hex(value)}
        refused = self.stage.rpc.ask("eth_call", [call, "latest"])
        if not isinstance(refused, NodeRefusal):
            return ""
        selector = (refused.data or "0x")[2:10]
        names = {known.hex(): name for name, known in self.artifact.errors.items()}
        return names.get(selector, refused.message if selector == REASON else selector)

    def logs(self, event: str, receipt: Any) -> list[dict[str, Any]]:
        """The arguments of this contract's own logs of that event."""
        return self.artifact.logs(event, [log for log in receipt["logs"] if log["address"] == self.address])


class Stage:
    """One origin chain under Cancun's rules whose blocks hold one transaction each."""

    def __init__(self, chain: OriginChain, rpc: RpcConnection) -> None:
        self.chain, self.rpc, self.time = chain, rpc, START

    def mine(self, after: int) -> list[Any]:
        """A block of what is queued, ``after`` seconds later."""
        self.time += after
        return self.chain.mine(self.time)

    def deploy(self, who: LocalAccount, name: str, *arguments: Any) -> Placed:
        """Deploy the contract of that name."""
        artifact = load_artifact(name)
        self.chain.send(who, None, artifact.creation(plain(arguments)), gas=GAS)
        return self.at(name, self.mine(12)[0]["contractAddress"])

    def at(self, name: str, address: str) -> Placed:
        """A contract that another one deployed."""
        return Placed(self, load_artifact(name), address.lower())

    def balance(self, who: LocalAccount | Placed) -> int:
        """Native coin in wei."""
        return int(self.chain.ask("eth_getBalance", who.address, "latest"), 16)

    def code(self, address: str) -> bytes:
        """What is deployed at an address."""
        return bytes.fromhex(self.chain.ask("eth_getCode", address, "latest")[2:])

    def exchange(self) -> tuple[Placed, Placed, Placed]:
        """Wrapped coin, v2 factory and v2 router."""
        wrapped = self.deploy(ALICE, "WETH9")
        factory = self.deploy(ALICE, "UniswapV2Factory", ALICE)
        return wrapped, factory, self.deploy(ALICE, "UniswapV2Router02", factory, wrapped)


def plain(value: Any) -> Any:
    """Arguments as they are encoded: addresses for wallets and contracts."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return to_checksum_address(value.address) if isinstance(value, (Placed, LocalAccount)) else value


@pytest.fixture
def stage() -> Iterator[Stage]:
    genesis = Genesis(7005, "cancun", START, 30_000_000, funded(people, 10**24))
    with OriginChain(genesis) as chain:
        rpc = chain._node.connect()
        try:
            yield Stage(chain, rpc)
        finally:
            rpc.close()


@pytest.fixture
def cast() -> tuple[LocalAccount, ...]:
    """Four funded wallets; the first deploys."""
    return people
