"""Where a scenario is played: one chain, its calendar and its ledger, moved on together block by block.

An act queues transactions and writes what they mean into the ledger at once; nothing is read back from the chain, so
the ledger stays a witness of its own. When a block is made, each transaction must have ended as it was meant to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_worldgen.artifact import Artifact, load_artifact
from caia_worldgen.calendar import OPENING, Calendar
from caia_worldgen.chain import GWEI, OriginChain
from caia_worldgen.event import ChainEvent
from caia_worldgen.ledger import Ledger
from caia_worldgen.rng import Rng
from caia_worldgen.view import ViewCall, Views

_CALL_GAS: Final = 600_000
_MOST_AT_ONCE: Final = 30
"""Transactions of an opening block: tracing a block takes time by the square of them."""
_DEPLOY_GAS: Final = 500_000
_DEPLOY_GAS_PER_BYTE: Final = 240


class Contract:
    """A deployed contract: its address (lower case) and how it is called."""

    __slots__ = ("address", "artifact")

    def __init__(self, address: str, artifact: Artifact) -> None:
        self.address = address
        self.artifact = artifact


class Stage:
    """One chain in the making. ``height`` and ``now`` are those of the block that is being filled.

    During the opening a full block is made before the next transaction is queued. So: queue, then write what it means.
    """

    def __init__(self, name: str, chain: OriginChain, calendar: Calendar, seed: int) -> None:
        self.name = name
        self.calendar = calendar
        self.ledger = Ledger()
        self.deeds: list[ChainEvent] = []
        self.views = Views()
        self.contracts: dict[str, Contract] = {}
        self.senders: dict[int, set[str]] = {}
        self.sent: list[tuple[int, str, str]] = []
        """Every transaction that was queued: its block, who sent it, and to whom; a creation is sent to nobody, ""."""
        self.transactions = 0
        self.height = 1
        self._opening = True
        self._waiting = 0
        self._chain = chain
        self._gas_limit = chain.genesis.gas_limit
        self._room = 0
        self._nonces: dict[str, int] = {}
        self._tips = Rng(f"{name}/{seed}/tips")

    @property
    def now(self) -> int:
        """The timestamp of the block that is being filled."""
        return self.calendar.times[self.height]

    @property
    def day(self) -> int:
        """The day of the story, from 0."""
        return self.calendar.day_of(self.height)

    @property
    def chain_id(self) -> int:
        """What signatures for this chain name."""
        return self._chain.genesis.chain_id

    @property
    def born(self) -> list[str]:
        """Every account of the genesis, sorted."""
        return sorted(self._chain.genesis.balances_wei)

    @property
    def genesis_supply_wei(self) -> int:
        """All of the native coin there ever is: what the genesis gave out."""
        return sum(self._chain.genesis.balances_wei.values())

    @property
    def url(self) -> str:
        """The chain's JSON-RPC address on loopback."""
        return self._chain.url

    def reaches(self, moment: int) -> bool:
        """Whether ``moment`` lies after the last block and not after the one that is being filled."""
        return self.calendar.times[self.height - 1] < moment <= self.now

    def deploy(self, wallet: LocalAccount, name: str, arguments: Sequence[Any] = (), role: str = "") -> Contract:
        """Queue a contract's creation; ``role`` (default: its name) is what the story calls it. Known at once."""
        artifact = load_artifact(name)
        address = created(str(wallet.address), self._nonces.get(wallet.address, 0))
        gas = _DEPLOY_GAS + _DEPLOY_GAS_PER_BYTE * len(artifact.bytecode)
        self._queue(wallet, None, artifact.creation(arguments), 0, gas, True, f"creating {role or name}")
        made = self.contracts[role or name] = Contract(address, artifact)
        return made

    def adopt(self, address: str, name: str, role: str) -> Contract:
        """Name a contract that another contract created."""
        made = self.contracts[role] = Contract(address.lower(), load_artifact(name))
        return made

    def call(
        self,
        wallet: LocalAccount,
        contract: Contract,
        function: str,
        *arguments: Any,
        value_wei: int = 0,
        gas: int = _CALL_GAS,
        succeeds: bool = True,
    ) -> None:
        """Queue a call. ``succeeds=False`` is a transaction that is meant to fail."""
        data, words = contract.artifact.call(function, arguments), f"{contract.artifact.name}.{function}{arguments}"
        self._queue(wallet, contract.address, data, value_wei, gas, succeeds, words)

    def pay(self, wallet: LocalAccount, to: str, value_wei: int, gas: int = 21_000, succeeds: bool = True) -> None:
        """Queue a plain payment in the native coin."""
        self._queue(wallet, to, b"", value_wei, gas, succeeds, f"paying {value_wei} wei to {to}")

    def deed(self, actor: str, verb: str, subject: str, **figures: int | str) -> None:
        """Write down who did what in this block."""
        self.deeds.append(
            ChainEvent(self.name, self.height, actor.lower(), verb, subject, tuple(sorted(figures.items())))
        )

    def know(self, role: str, function: str, *arguments: Any, answer: tuple[Any, ...]) -> None:
        """Write down what a contract's view function answers from the end of this block on."""
        self.views.know(self.height, ViewCall(role, function, arguments), *answer)

    def set_gas_limit(self, gas_limit: int) -> None:
        """The gas limit of every block after this one."""
        self._gas_limit = gas_limit
        self._chain.set_gas_limit(gas_limit)

    def make_room(self, gas: int) -> None:
        """Let the block that is being filled, and it alone, hold ``gas`` more: for a rare great transaction."""
        self._room += gas
        self._chain.set_gas_limit(self._gas_limit + self._room)

    def ask(self, method: str, *params: Any) -> Any:
        """What the chain itself says, for whoever compares; no act may use it."""
        return self._chain.ask(method, *params)

    def end_opening(self, gas_limit: int) -> None:
        """From here on ``mine`` alone makes blocks, with ``gas_limit``; what the opening did not need is left out."""
        if self._waiting:
            self.mine()
        self._opening = False
        self.calendar = self.calendar.without(range(self.height, OPENING + 1))
        self.set_gas_limit(gas_limit)

    def mine(self) -> None:
        """Make the block of what is queued. Raises ``ForkFault`` when anything ended other than meant."""
        self.transactions += len(self._chain.mine(self.now))
        if self._room:
            self._room = 0
            self._chain.set_gas_limit(self._gas_limit)
        self.height += 1
        self._waiting = 0

    def _queue(
        self, wallet: LocalAccount, to: str | None, data: bytes, value_wei: int, gas: int, succeeds: bool, words: str
    ) -> None:
        if self._opening and self._waiting == _MOST_AT_ONCE:
            self.mine()
        self._waiting += 1
        tip = GWEI * self._tips.number(2, 9) // 4
        self._chain.send(wallet, to, data, value_wei=value_wei, gas=gas, tip_wei=tip, succeeds=succeeds, words=words)
        self._nonces[wallet.address] = self._nonces.get(wallet.address, 0) + 1
        self.senders.setdefault(self.day, set()).add(str(wallet.address).lower())
        self.sent.append((self.height, str(wallet.address).lower(), (to or "").lower()))


def created(creator: str, nonce: int) -> str:
    """The address of what an account or contract creates with ``nonce``; a contract's nonces begin at 1 (EIP-161)."""
    number = b"\x80" if nonce == 0 else nonce.to_bytes((nonce.bit_length() + 7) // 8, "big")
    if nonce > 0x7F:
        number = bytes([0x80 + len(number)]) + number
    body = b"\x94" + bytes.fromhex(creator[2:]) + number
    return "0x" + keccak(bytes([0xC0 + len(body)]) + body).hex()[-40:]


def created2(creator: str, salt: bytes, init_code_hash: bytes) -> str:
    """The address of the contract that a contract creates with CREATE2 (EIP-1014)."""
    return "0x" + keccak(b"\xff" + bytes.fromhex(creator[2:]) + salt + init_code_hash).hex()[-40:]
