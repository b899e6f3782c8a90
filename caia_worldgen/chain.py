"""The origin's own chain: one Anvil that forks nothing, fed signed transactions and told every time.

Equal input gives equal blocks, hashes and all: the genesis is a file, every block's timestamp is
stated, the fee recipient is fixed, transactions keep their order, and signatures are RFC 6979.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.errors import ForkFault

GWEI: Final = 10**9
_STATES: Final = 100_000
_FEE_RECIPIENT: Final = "0x" + keccak(text="caia_replay origin fee recipient").hex()[-40:]


@dataclass(frozen=True, slots=True)
class Genesis:
    """Block 0. ``time`` is seconds since 1970 UTC; ``balances_wei`` by lower-case address."""

    chain_id: int
    hardfork: str
    time: int
    gas_limit: int
    balances_wei: dict[str, int]


@dataclass(frozen=True, slots=True)
class Sent:
    """A transaction on its way; ``succeeds`` is what the scenario means to happen, ``words`` what it does."""

    hash: str
    succeeds: bool
    words: str


class OriginChain:
    """A running origin. Close it, or use it as a context manager."""

    def __init__(self, genesis: Genesis) -> None:
        """Start the node at ``genesis``. Raises ``ForkFault`` when it does not start."""
        self.genesis = genesis
        self._nonces: dict[str, int] = {}
        self._queued: list[Sent] = []
        self._folder = tempfile.TemporaryDirectory(prefix="caia-origin-")
        try:
            path = Path(self._folder.name, "genesis.json")
            path.write_text(json.dumps(_genesis_file(genesis)), encoding="utf-8")
            self._node = AnvilProcess(find_anvil(), _arguments(genesis, path))
        except BaseException:
            self._folder.cleanup()
            raise
        self._rpc = self._node.connect()
        self.ask("anvil_setCoinbase", _FEE_RECIPIENT)
        self.height = 0

    def __enter__(self) -> OriginChain:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the node."""
        self._rpc.close()
        self._node.stop()
        self._folder.cleanup()

    @property
    def url(self) -> str:
        """The node's JSON-RPC address on loopback."""
        return self._node.url

    def ask(self, method: str, *params: Any) -> Any:
        """One JSON-RPC call that must succeed; raises ``ForkFault`` otherwise."""
        return self._rpc.demand(method, params)

    def set_gas_limit(self, gas_limit: int) -> None:
        """The gas limit of every block from the next one on."""
        self.ask("evm_setBlockGasLimit", hex(gas_limit))

    def send(
        self,
        wallet: LocalAccount,
        to: str | None,
        data: bytes = b"",
        *,
        value_wei: int = 0,
        gas: int = 200_000,
        tip_wei: int = GWEI,
        succeeds: bool = True,
        words: str = "a transaction",
    ) -> Sent:
        """Queue a signed transaction for the next block; ``to`` None deploys. ``words`` tell of it in errors."""
        nonce = self._nonces.get(wallet.address, 0)
        fields: dict[str, Any] = {
            "type": 2,
            "chainId": self.genesis.chain_id,
            "nonce": nonce,
            "value": value_wei,
            "gas": gas,
            "maxFeePerGas": 20 * GWEI,
            "maxPriorityFeePerGas": tip_wei,
            "data": "0x" + data.hex(),
        }
        if to is not None:
            fields["to"] = bytes.fromhex(to[2:])
        signed = wallet.sign_transaction(fields)
        sent = Sent(
            str(self.ask("eth_sendRawTransaction", "0x" + bytes(signed.raw_transaction).hex())), succeeds, words
        )
        self._nonces[wallet.address] = nonce + 1
        self._queued.append(sent)
        return sent

    def mine(self, timestamp: int) -> list[dict[str, Any]]:
        """Make a block at ``timestamp`` of exactly what is queued, in its order; returns the receipts.

        Raises ``ForkFault`` when the block holds anything else, or a transaction ended other than meant.
        """
        self.ask("evm_setNextBlockTimestamp", timestamp)
        self.ask("evm_mine")
        self.height += 1
        block = self.ask("eth_getBlockByNumber", hex(self.height), False)
        queued, self._queued = self._queued, []
        if block["transactions"] != [sent.hash for sent in queued] or int(block["timestamp"], 16) != timestamp:
            raise ForkFault(f"block {self.height} is not what was queued for it")
        receipts = [self.ask("eth_getTransactionReceipt", sent.hash) for sent in queued]
        for sent, receipt in zip(queued, receipts, strict=True):
            if (receipt["status"] == "0x1") is not sent.succeeds:
                raise ForkFault(f"{sent.words} in block {self.height} did not end as the scenario meant: {sent.hash}")
        return receipts


def wallet(seed_text: str) -> LocalAccount:
    """The account whose key is the hash of ``seed_text``."""
    account: LocalAccount = Account.from_key(keccak(text=seed_text))
    return account


def funded(wallets: Iterable[LocalAccount], amount_wei: int) -> dict[str, int]:
    """Genesis balances that give each wallet the same amount."""
    return {account.address.lower(): amount_wei for account in wallets}


def _genesis_file(genesis: Genesis) -> dict[str, Any]:
    return {
        "config": {"chainId": genesis.chain_id},
        "timestamp": hex(genesis.time),
        "gasLimit": hex(genesis.gas_limit),
        "baseFeePerGas": hex(GWEI),
        "difficulty": "0x0",
        "nonce": "0x0",
        "coinbase": _FEE_RECIPIENT,
        "alloc": {address: {"balance": hex(balance)} for address, balance in sorted(genesis.balances_wei.items())},
    }


def _arguments(genesis: Genesis, path: Path) -> list[str]:
    """``--order fifo``: fee ordering would reorder transactions. ``--no-mining``: blocks are made one by one.

    ``--prune-history`` with more states than there will be blocks prunes none, and keeps them all in memory: without
    it Anvil moves all but the newest few hundred to disk, and reads a whole one back for every question about it.
    """
    return [
        *("--init", str(path), "--chain-id", str(genesis.chain_id), "--hardfork", genesis.hardfork),
        *("--timestamp", str(genesis.time), "--gas-limit", str(genesis.gas_limit)),
        *("--accounts", "0", "--no-mining", "--order", "fifo"),
        *("--prune-history", str(_STATES)),
    ]
