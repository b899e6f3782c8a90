"""A chain that whoever leases it may write to: recorded up to the pinned block, executed from there on.

Reads are guarded as an agent's are. A transaction is tried first in the very block it would be
mined in, so that what the snapshot lacks is told before anything is mined: Anvil itself would mine
an empty block, and the sender's later transactions would hang behind the one that cannot run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from caia_replay.chain import rpc_guard
from caia_replay.chain.fork_node import EXECUTED, WHOLE_BLOCKS
from caia_replay.chain.fork_pool import Fork
from caia_replay.chain.node_answer import FROM_RECORDS
from caia_replay.errors import BadInput, ForkFault, Miss, ToolError, nearest

_NUMBERS: Final = ("chainId", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce", "type", "value")
_TEXTS: Final = ("from", "to", "data", "input")
_FIELDS: Final = frozenset((*_NUMBERS, *_TEXTS, "accessList"))
_FEES: Final = frozenset(("gasPrice", "maxFeePerGas", "maxPriorityFeePerGas"))
_DIGITS: Final = re.compile(r"0x[0-9a-fA-F]+")
_BYTES: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_NEWEST_TYPE: Final = 2
"""Blobs and delegations need more than a transaction's own fields, and Anvil would mine type 2 instead."""

_HASH_LENGTH: Final = 66
_MAX_WAIT_S: Final = 10 * 365 * 86_400
_MAX_BLOCKS: Final = 10_000
"""Most blocks one call of ``mine`` makes: each costs Anvil about a millisecond, and more as the chain grows."""


class ScratchChain:
    """A writing lease as a chain. Not shared between threads; unusable when the lease is over.

    Everything raises ``errors.Miss`` when the snapshot lacks what the answer needs, ``ToolError`` when
    the guard or the node refuses (reverts included, in the node's words, with the revert data), and
    ``ForkFault`` when Anvil died.
    """

    def __init__(self, fork: Fork) -> None:
        """``fork`` is a lease with ``writes`` that nobody else uses."""
        self._fork: Final = fork
        self._head = fork.block
        self._impersonated: set[str] = set()
        self._mined_here: set[str] = set()
        self._fault: ForkFault | None = None

    @property
    def block(self) -> int:
        """The newest block's number: the pinned one, and one more for each that was mined."""
        return self._head

    @property
    def chain_id(self) -> int:
        """The recorded chain's id."""
        return self._fork.snapshot.chain_id

    def rpc(self, method: str, *params: Any) -> Any:
        """One JSON-RPC read up to the newest block; cheat methods and sending are refused, see ``send``.

        Traces, proofs and the fee history are recorded for the pinned block and those before it; about
        what was mined here they are refused with ``ToolError``.
        None for a block, transaction or receipt means that there provably is none.
        """
        self._require_sound()
        rpc_guard.check(method, params, self._head)
        result = self._fork.rpc(method, params) if self._head == self._fork.block else self._read(method, params)
        if result is None:
            self._require_absence(method, params)
        return result

    def call(self, transaction: Mapping[str, Any]) -> str:
        """The ``0x`` hex a call returns in the newest block; ``transaction`` as in ``send``, ``from`` optional."""
        result: str = self.rpc("eth_call", as_rpc(transaction), "latest")
        return result

    def send(self, transaction: Mapping[str, Any]) -> dict[str, Any]:
        """Mine one block with this transaction alone, and return its receipt as JSON-RPC gives it.

        ``from`` may be any recorded account, contracts too: no key is needed. Numbers are int (wei, gas)
        or ``0x`` hex, ``data`` bytes or ``0x`` hex. Without a fee the sender pays the base fee and no
        tip. Without ``gas`` it is estimated, and a revert raises ``ToolError``; with it a revert is
        mined, with status 0x0. After a ``Miss`` or ``ToolError`` nothing was mined or is pending.
        Raises ``BadInput`` for fields that no transaction has.
        """
        self._require_sound()
        self._require_recorded_parent()
        wanted = as_rpc(transaction)
        sender = wanted.get("from")
        if not isinstance(sender, str):
            raise BadInput("a transaction needs the address it is from", next_command="fork.send({'from': '0x...'})")
        if int(wanted.pop("chainId", hex(self.chain_id)), 16) != self.chain_id:
            raise BadInput(f"the transaction is for another chain id than {self.chain_id}")
        operate = self._fork.operate
        pending = operate("eth_getBlockByNumber", ["pending", False])
        count = operate("eth_getTransactionCount", [sender, "latest"])
        if int(wanted.setdefault("nonce", count), 16) != int(count, 16):
            raise ToolError(f"the next nonce of {sender} is {int(count, 16)}, not {int(wanted['nonce'], 16)}")
        self._set_fee(wanted, pending)
        self._try(wanted, pending)
        if sender.lower() not in self._impersonated:
            operate("anvil_impersonateAccount", [sender])
            self._impersonated.add(sender.lower())
        return self._mined(operate("eth_sendTransaction", [wanted]))

    def mine(self, blocks: int = 1) -> int:
        """Mine this many empty blocks, twelve seconds apart, and return the newest block's number."""
        self._require_sound()
        if isinstance(blocks, bool) or not isinstance(blocks, int) or not 1 <= blocks <= _MAX_BLOCKS:
            raise BadInput(f"blocks to mine are a number from 1 to {_MAX_BLOCKS}, not {blocks!r:.40}")
        self._require_recorded_parent()
        for _ in range(blocks):
            self._mine()
        return self._head

    def wait(self, seconds: int) -> int:
        """Let time pass: mine one empty block so many seconds after the newest; its number."""
        self._require_sound()
        if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= _MAX_WAIT_S:
            raise BadInput(f"seconds to wait are a number from 1 to {_MAX_WAIT_S}, not {seconds!r:.40}")
        self._require_recorded_parent()
        newest = self._fork.operate("eth_getBlockByNumber", ["latest", False])
        self._fork.operate("evm_setNextBlockTimestamp", [int(newest["timestamp"], 16) + seconds])
        self._mine()
        return self._head

    def trace(self, transaction_hash: str) -> dict[str, Any]:
        """The call tree of a transaction that was mined here, as callTracer has it. Raises ``ToolError`` for others."""
        self._require_sound()
        if transaction_hash not in self._mined_here:
            raise ToolError(f"{transaction_hash!r:.80} was not mined here; recorded traces are read by rpc")
        fields: dict[str, Any] = self._fork.operate(
            "debug_traceTransaction", [transaction_hash, {"tracer": "callTracer"}]
        )
        return fields

    def _mine(self) -> None:
        try:
            self._fork.operate("evm_mine")
        except (Miss, ForkFault) as fault:
            # Anvil may have mined an empty block, or be gone: what stands there is nobody's chain.
            self._fault = ForkFault(f"the fork is unusable since mining failed: {fault}")
            raise
        self._head += 1

    def _mined(self, transaction_hash: str) -> dict[str, Any]:
        self._mine()
        self._mined_here.add(transaction_hash)
        receipt: dict[str, Any] | None = self._fork.operate("eth_getTransactionReceipt", [transaction_hash])
        if receipt is None:
            self._fault = ForkFault(f"the node took transaction {transaction_hash} and did not mine it")
            raise self._fault
        return receipt

    def _try(self, wanted: dict[str, Any], pending: Mapping[str, Any]) -> None:
        """Run the transaction in the block it would be in; sets ``gas`` where it is not given."""
        environment = {
            "number": pending["number"],
            "time": pending["timestamp"],
            "gasLimit": pending["gasLimit"],
            "coinbase": pending["miner"],
            "random": pending["mixHash"],
        }
        if pending.get("baseFeePerGas") is not None:
            environment["baseFee"] = pending["baseFeePerGas"]
        self._fork.require_blob_fee(wanted, "latest", pending, environment)
        explicit = "gas" in wanted
        if not explicit:
            wanted["gas"] = self._fork.operate("eth_estimateGas", [wanted, "latest", None, environment])
        try:
            self._fork.operate("eth_call", [wanted, "latest", None, environment])
        except ToolError:
            # Whoever names the gas gets the revert mined, as on any chain.
            if not explicit:
                raise

    def _set_fee(self, wanted: dict[str, Any], pending: Mapping[str, Any]) -> None:
        base_fee = pending.get("baseFeePerGas")
        if base_fee is None or _FEES & wanted.keys():
            return
        if int(wanted.get("type", "0x2"), 16) < 2:
            wanted["gasPrice"] = base_fee
        else:
            wanted |= {"maxFeePerGas": base_fee, "maxPriorityFeePerGas": "0x0"}

    def _read(self, method: str, params: Sequence[Any]) -> Any:
        """A read after the first mined block, where the lease's own correction no longer fits.

        It holds for the pinned block; here each block's own base fee is put into what runs in it.
        """
        ask = self._fork.operate
        if method in FROM_RECORDS:
            self._require_recorded(method, params)
            return self._fork.rpc(method, params)
        if method in EXECUTED:
            at = params[1] if len(params) > 1 and params[1] is not None else "latest"
            number = self._head if at == "latest" else 0 if at == "earliest" else int(at, 16)
            if number >= self._fork.block:  # Anvil takes no override below the block it forked at
                header = ask("eth_getBlockByNumber", [hex(number), False])
                call, fee = params[0] if params else {}, header.get("baseFeePerGas")
                environment = {"baseFee": fee} if fee else {}
                self._fork.require_blob_fee(call, hex(number), header, environment)
                return ask(method, [call, hex(number), None, environment])
        result = ask(method, params)
        if method in WHOLE_BLOCKS and result is not None and int(result["number"], 16) <= self._fork.block:
            self._fork.snapshot.block(int(result["number"], 16), full=False)
        return result

    def _require_recorded(self, method: str, params: Sequence[Any]) -> None:
        """Raise ``ToolError`` for a trace, proof or fee history of what was mined here: nobody recorded it."""
        at = rpc_guard.BLOCK_AT[method]
        named = params[at] if at is not None and len(params) > at else None
        if isinstance(named, Mapping):
            named = named["blockNumber"] if named.get("blockHash") is None else named["blockHash"]
        if at is None:
            mined = bool(params) and str(params[0]).lower() in self._mined_here
        elif named in (None, "latest", "earliest"):
            mined = named != "earliest"
        elif len(named) == _HASH_LENGTH:
            found = self._fork.operate("eth_getBlockByHash", [named, False])
            mined = found is not None and int(found["number"], 16) > self._fork.block
        else:
            mined = int(named, 16) > self._fork.block
        if mined:
            raise ToolError(f"{method} is served from the record, which ends at block {self._fork.block}")

    def _require_absence(self, method: str, params: Sequence[Any]) -> None:
        """Raise ``Miss`` unless the snapshot proves that what was asked by hash does not exist."""
        snapshot = self._fork.snapshot
        known: Mapping[str, Callable[[bytes, int], Any]] = {
            "eth_getTransactionByHash": snapshot.transaction,
            "eth_getTransactionReceipt": snapshot.receipt,
            "eth_getBlockByHash": snapshot.number_of,
            "eth_getBlockReceipts": snapshot.number_of,
        }
        if method in known and isinstance(params[0], str) and len(params[0]) == 66:
            known[method](bytes.fromhex(params[0][2:]), self._fork.block)

    def _require_recorded_parent(self) -> None:
        absent = self._fork.snapshot.reconstructed.get(self._fork.block, ())
        if absent:
            # A mined block takes its time, fee and limits from its parent.
            where = f"{self._fork.snapshot.name} at block {self._fork.block}"
            raise Miss("block", f"{', '.join(sorted(absent))} of block {self._fork.block}", where)

    def _require_sound(self) -> None:
        if self._fault is not None:
            raise self._fault


def as_rpc(transaction: Mapping[str, Any]) -> dict[str, Any]:
    """A transaction as JSON-RPC writes it: int and bytes as ``0x`` hex, fields that are None left out.

    Raises ``BadInput`` for a field that no transaction has, or a value that cannot be written so.
    """
    if not isinstance(transaction, Mapping):
        raise BadInput(f"a transaction is a dict, not {transaction!r:.60}")
    written: dict[str, Any] = {}
    for name, value in transaction.items():
        if name not in _FIELDS:
            known = nearest(str(name), _FIELDS) or ", ".join(sorted(_FIELDS))
            raise BadInput(f"a transaction has no field {name!r:.60}", nearest=known)
        if value is None:
            continue
        written[name] = value if name == "accessList" else _hex(name, value)
    if int(written.get("type", "0x0"), 16) > _NEWEST_TYPE:
        raise BadInput(f"a transaction here is of type 0 to {_NEWEST_TYPE}, not {int(written['type'], 16)}")
    return written


def _hex(name: str, value: Any) -> str:
    if isinstance(value, bytes | bytearray) and name in _TEXTS:
        return "0x" + bytes(value).hex()
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0 and name in _NUMBERS:
        return hex(value)
    if isinstance(value, str) and (_DIGITS if name in _NUMBERS else _BYTES).fullmatch(value):
        return value
    wanted = "an int or 0x hex" if name in _NUMBERS else "bytes or 0x hex"
    raise BadInput(f"{name} of a transaction is {wanted}, not {value!r:.60}")
