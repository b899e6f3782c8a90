"""A recorded block, executed again on a fork of its parent and compared with its own header.

The header's receipts root, transactions root, bloom and gas cover every status, log and unit of
gas of the block, so equality proves that the fork had all the state the block used, unchanged.
A state root is not among them: on a fork, Anvil has none.

Anvil has no setter for prevrandao and the parent beacon root. A block whose transactions read the
first differs and says so; the second lives in a contract's storage and is written there by
``SystemWrite``, as the protocol does before the first transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.chain import rpc_value
from caia_replay.chain.column import to_hex
from caia_replay.chain.fork_pool import Fork
from caia_replay.chain.raw_transaction import raw_transaction
from caia_replay.chain.recorded_block import Touched, read_traces
from caia_replay.errors import BadInput, ToolError

HEADER_FIELDS: Final = (
    "number", "parentHash", "miner", "timestamp", "gasLimit", "gasUsed", "baseFeePerGas", "blobGasUsed",
    "excessBlobGas", "transactionsRoot", "receiptsRoot", "logsBloom",
)  # fmt: skip
"""What must be equal. The rest a fork cannot know (state root) or set (mixHash, withdrawals)."""

RECEIPT_FIELDS: Final = (
    "transactionHash", "transactionIndex", "from", "to", "contractAddress", "type", "status", "gasUsed",
    "cumulativeGasUsed", "effectiveGasPrice", "logsBloom",
)  # fmt: skip

LOG_FIELDS: Final = ("address", "topics", "data", "logIndex", "transactionHash", "transactionIndex")


@dataclass(frozen=True, slots=True)
class SystemWrite:
    """A storage write the protocol makes before the first transaction. Words are 32 bytes."""

    address: bytes
    slot: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the execution gave. ``differences`` names each field that is not as recorded, in block
    order; empty means exact. ``equal_receipts`` counts receipts whose fields and logs all agree."""

    block: int
    transactions: int
    equal_receipts: int
    logs: int
    gas_used: int
    differences: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether header fields, receipts and logs all equal the recorded ones."""
        return not self.differences


def replay_block(
    fork: Fork,
    block: Mapping[str, Any],
    transactions: Sequence[Mapping[str, Any]],
    receipts: Sequence[Mapping[str, Any]],
    system_writes: Sequence[SystemWrite] = (),
) -> Replayed:
    """Mine ``block`` on ``fork``, a writing lease on its parent, and compare.

    ``block`` is the RPC header, ``transactions`` and ``receipts`` its RPC objects in order; receipts
    with their ``logs``. The fork stays one block higher. Raises ``Miss`` when the execution needs
    state that is not recorded, ``BadInput`` for malformed transactions or one the node refuses.
    """
    number = rpc_value.quantity(block, "number", "block")
    raws = [raw_transaction(transaction) for transaction in transactions]
    for write in system_writes:
        fork.operate("anvil_setStorageAt", [to_hex(write.address), to_hex(write.slot), to_hex(write.value)])
    fork.operate("anvil_setCoinbase", [block["miner"]])
    fork.operate("evm_setBlockGasLimit", [block["gasLimit"]])
    fork.operate("evm_setNextBlockTimestamp", [rpc_value.quantity(block, "timestamp", "block")])
    fork.operate("anvil_setNextBlockBaseFeePerGas", [block["baseFeePerGas"]])
    for transaction, raw in zip(transactions, raws, strict=True):
        _send(fork, transaction, raw)
    fork.operate("evm_mine", [])
    mined = rpc_value.mapping(fork.operate("eth_getBlockByNumber", [hex(number), False]), "mined block", "fork")
    given = rpc_value.sequence(fork.operate("eth_getBlockReceipts", [hex(number)]), "mined receipts", "fork")
    differences = _field_differences(HEADER_FIELDS, block, mined)
    if len(given) != len(receipts):
        differences.append(f"receipts: {len(given)} mined, {len(receipts)} recorded")
    equal = 0
    for index, (recorded, found) in enumerate(zip(receipts, given, strict=False)):
        wrong = _receipt_differences(recorded, found)
        equal += not wrong
        differences += [f"receipt {index} {text}" for text in wrong]
    return Replayed(
        block=number,
        transactions=len(given),
        equal_receipts=equal,
        logs=sum(len(receipt["logs"]) for receipt in given),
        gas_used=int(mined["gasUsed"], 16),
        differences=tuple(differences),
    )


def trace_differences(
    fork: Fork,
    number: int,
    transactions: Sequence[Mapping[str, Any]],
    traces: Sequence[Mapping[bytes, Touched]],
) -> tuple[str, ...]:
    """Where a block mined by ``replay_block`` found other state than its recorded ``traces`` say.

    The header covers what transactions did; this covers what they found, balances and nonces of
    accounts included, transaction by transaction. What only one side lists is not compared: nodes
    differ in listing empty accounts. Raises ``BadInput`` when the fork's own traces are malformed.
    """
    reply = fork.operate("debug_traceBlockByNumber", [hex(number), {"tracer": "prestateTracer"}])
    differences: list[str] = []
    for index, (recorded, found) in enumerate(zip(traces, read_traces(reply, transactions, "fork"), strict=True)):
        for address in sorted(recorded.keys() & found.keys()):
            was, now = recorded[address], found[address]
            label = f"trace {index} {to_hex(address)}"
            for name in ("balance", "nonce", "code"):
                if getattr(was, name) != getattr(now, name):
                    differences.append(f"{label} {_difference(name, getattr(now, name), getattr(was, name))}")
            for slot in sorted(was.storage.keys() & now.storage.keys()):
                if was.storage[slot] != now.storage[slot]:
                    differences.append(f"{label} {_difference(to_hex(slot), now.storage[slot], was.storage[slot])}")
    return tuple(differences)


def _send(fork: Fork, transaction: Mapping[str, Any], raw: bytes) -> None:
    try:
        fork.operate("eth_sendRawTransaction", [to_hex(raw)])
    except ToolError as fault:
        raise BadInput(f"the fork refuses it: {fault}", where=f"transaction {transaction['hash']}") from fault


def _receipt_differences(recorded: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    wrong = _field_differences(RECEIPT_FIELDS, recorded, found)
    if len(found["logs"]) != len(recorded["logs"]):
        return [*wrong, f"logs: {len(found['logs'])} mined, {len(recorded['logs'])} recorded"]
    for log, mined_log in zip(recorded["logs"], found["logs"], strict=True):
        wrong += [f"log {log['logIndex']} {text}" for text in _field_differences(LOG_FIELDS, log, mined_log)]
    return wrong


def _field_differences(names: Sequence[str], recorded: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    return [
        _difference(name, found.get(name), recorded[name])
        for name in names
        if name in recorded and found.get(name) != recorded[name]
    ]


def _difference(name: str, mined: object, recorded: object) -> str:
    words = [to_hex(value) if isinstance(value, bytes) else repr(value) for value in (mined, recorded)]
    return f"{name}: mined {words[0]:.70}, recorded {words[1]:.70}"
