"""A chain nobody recorded, as a dry run sees it: its tables and its forks, which count what a node would be asked.

Times of blocks are stand-ins: the newest block is of the task's moment, the others lie before it at the chain's pace.
What a fork reads is counted as its upstream asks it of a node: an account by three calls, a storage slot by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from eth_abi import abi

from caia_replay.chain.claim import Span
from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.errors import Miss, ToolError
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.tools.signature import Signature, parse_signature

KNOWN: Final[Mapping[str, tuple[int, int]]] = {
    "ethereum": (1, 12_000), "mainnet": (1, 12_000), "optimism": (10, 2_000), "bsc": (56, 1_500),
    "gnosis": (100, 5_000), "polygon": (137, 2_100), "base": (8453, 2_000), "arbitrum": (42161, 250),
    "avalanche": (43114, 1_800), "linea": (59144, 2_500), "scroll": (534352, 3_000), "celo": (42220, 1_000),
    "gravity": (1625, 1_000), "hemi": (43111, 12_000), "cyber": (7560, 2_000), "sepolia": (11155111, 12_000),
}  # fmt: skip
"""Chain ids (chainlist) and about how many milliseconds lie between two blocks."""

_BEGAN: Final = 1_438_269_973
"""Ethereum's first block, 30 July 2015; no chain here is older."""
_YEAR_MS: Final = 365 * 86_400_000
_ACCOUNT: Final = ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
_CALL_ACCOUNTS, _CALL_SLOTS = 2, 3
"""What a view function reads, about: a proxy and the code behind it; its slot, a balance, a flag."""
_STANDARD: Final = (
    "totalSupply()(uint256)", "decimals()(uint8)", "symbol()(string)", "name()(string)",
    "balanceOf(address)(uint256)", "balanceOf(address,uint256)(uint256)", "ownerOf(uint256)(address)",
    "supportsInterface(bytes4)(bool)", "allowance(address,address)(uint256)",
)  # fmt: skip


@dataclass(slots=True)
class Hint:
    """What is known of a call before it is made: the functions and the event that its arguments name."""

    functions: list[Signature] = field(default_factory=list)
    called: Signature | None = None
    event: Signature | None = None


class PlanChain:
    """One chain: what ``ChainSource`` asks of it, as far as tools ask it. ``counts`` are calls by method."""

    reconstructed: Mapping[int, tuple[str, ...]] = {}

    def __init__(self, name: str, newest: int, now: int, stand: StandIn) -> None:
        self.name = name
        self.newest = newest
        self.counts: Counter[str] = Counter()
        self.hint = Hint()
        self.stand = stand
        self._now = now
        self.chain_id, self._pace_ms = KNOWN.get(name, (0, 2_000))
        if not self.chain_id:
            self.chain_id = stand.number(f"chain id of {name}")
        self._headers: set[int] = set()
        self._accounts: set[bytes] = set()

    @property
    def heights(self) -> tuple[Span, ...]:
        """Everything up to the newest block."""
        return ((0, self.newest),)

    def time(self, number: int) -> int:
        """When a block was made: at the chain's pace for three years back, and evenly before."""
        recent = min(self.newest, 3 * _YEAR_MS // self._pace_ms)
        bend = self.newest - recent
        at_bend = max(_BEGAN, self._now - recent * self._pace_ms // 1000)
        if number >= bend:
            return self._now - (self.newest - number) * (self._now - at_bend) // max(1, recent)
        return _BEGAN + (at_bend - _BEGAN) * number // bend

    def header(self, number: int) -> dict[str, Any]:
        """A header; its first reading is a call. Raises ``Miss`` past the newest block."""
        if not 0 <= number <= self.newest:
            raise Miss("block", str(number), self.name)
        if number not in self._headers:
            self._headers.add(number)
            self.counts["eth_getBlockByNumber"] += 1
        what = f"{self.name} {number}"
        return {
            "number": hex(number),
            "hash": self.stand.hash(f"block {what}"),
            "parentHash": self.stand.hash(f"block {self.name} {number - 1}"),
            "timestamp": hex(self.time(number)),
            "miner": self.stand.address(f"fees {what}"),
            **{name: hex(self.stand.number(f"{name} {what}")) for name in ("gasUsed", "gasLimit", "baseFeePerGas")},
            **{name: hex(self.stand.number(f"{name} {what}")) for name in ("size", "blobGasUsed", "excessBlobGas")},
            "extraData": self.stand.hash(f"extra {what}"),
            **{name: self.stand.hash(f"{name} {what}") for name in ("stateRoot", "transactionsRoot", "receiptsRoot")},
        }

    def block(self, number: int, full: bool) -> dict[str, Any]:
        """A block with three transactions, or with their hashes."""
        sent = [self.sent(self.stand.hash(f"transaction {at} of {number}"), number, at) for at in range(3)]
        return {**self.header(number), "transactions": sent if full else [one["hash"] for one in sent]}

    def sent(self, wanted: str, number: int, index: int) -> dict[str, Any]:
        """A transaction as a node tells it; its input calls the hinted function, or a token's ``transfer``."""
        called = self.hint.called or parse_signature("transfer(address to, uint256 value)")
        values = [self.stand.abi_value(part.type, f"{part.name} of {wanted}") for part in called.inputs]
        data = (called.hash[:4] + abi.encode([part.type for part in called.inputs], values)).hex()
        figures = ("value", "gasPrice", "gas", "nonce")
        return {
            "hash": wanted,
            "from": self.stand.address(f"sender of {wanted}"),
            "to": self.stand.address(f"receiver of {wanted}"),
            "input": f"0x{data}",
            "type": "0x2",
            "blockNumber": hex(number),
            "transactionIndex": hex(index),
            **{name: hex(self.stand.number(f"{name} of {wanted}")) for name in figures},
        }

    def transactions(self, number: int) -> list[dict[str, Any]]:
        """None of a block's transactions; to read them all is a call."""
        self.counts["eth_getBlockByNumber"] += 1
        return []

    def receipts(self, number: int) -> list[dict[str, Any]]:
        """None of a block's receipts; to read them all is a call."""
        self.counts["eth_getBlockReceipts"] += 1
        return []

    def account(self, address: bytes, block: int) -> Any:
        """Never known; to ask is three calls. Raises ``Miss``."""
        self.read_account(address)
        raise Miss("account", f"0x{address.hex()}", self.name)

    def code(self, code_hash: bytes) -> bytes:
        """Never known. Raises ``Miss``."""
        raise Miss("code", f"0x{code_hash.hex()}", self.name)

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        """Never known; to ask is a call. Raises ``Miss``."""
        self.counts["eth_getStorageAt"] += 1
        raise Miss("storage", f"0x{slot.hex()}", self.name)

    def caller(self, block: int) -> str:
        """The zero address, as nodes take it."""
        return ZERO_ADDRESS

    def read_account(self, address: bytes) -> None:
        """Count what a node is asked for an account, once."""
        if address not in self._accounts:
            self._accounts.add(address)
            self.counts.update(_ACCOUNT)


class PlanFork:
    """A lease on a chain at a block: answers with stand-ins, of the shapes that the call's hint tells."""

    def __init__(self, chain: PlanChain, block: int) -> None:
        self.snapshot = chain
        self.block = block
        self.caller = chain.caller(block)

    def rpc(self, method: str, params: Sequence[Any] = ()) -> Any:
        """What a node might say. Raises ``Miss`` for a method that no tool asks."""
        answer = getattr(self, f"_{method.partition('_')[2]}", None)
        if answer is None:
            raise Miss("rpc", method, self.snapshot.name)
        return answer(*params)

    def _getBlockByNumber(self, number: str, full: bool) -> dict[str, Any]:
        return self.snapshot.block(int(number, 16), full)

    def _getBlockByHash(self, wanted: str, full: bool) -> dict[str, Any]:
        self.snapshot.counts["eth_getBlockByHash"] += 1
        return {**self.snapshot.block(self._height(wanted), full), "hash": wanted}

    def _getTransactionByHash(self, wanted: str) -> dict[str, Any]:
        self.snapshot.counts["eth_getTransactionByHash"] += 1
        return self.snapshot.sent(wanted, self._height(wanted), 0)

    def _getTransactionReceipt(self, wanted: str) -> dict[str, Any]:
        self.snapshot.counts["eth_getTransactionReceipt"] += 1
        stand, logs = self.snapshot.stand, []
        for at in range(2):
            topics = [_TRANSFER, *(_word(stand.address(f"{at} {side} {wanted}")) for side in ("from", "to"))]
            data = f"0x{stand.number(f'{at} value {wanted}'):064x}"
            token = stand.address(f"token {at} of {wanted}")
            logs.append({"address": token, "topics": topics, "data": data, "logIndex": hex(at)})
        gas, price = (hex(stand.number(f"{what} {wanted}")) for what in ("gas used", "gas price"))
        return {"status": "0x1", "gasUsed": gas, "effectiveGasPrice": price, "contractAddress": None, "logs": logs}

    def _getLogs(self, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        self.snapshot.counts["eth_getLogs"] += 1
        event, stand = self.snapshot.hint.event, self.snapshot.stand
        if event is None:
            return []
        plain = [part for part in event.inputs if not part.indexed]
        indexed = [part for part in event.inputs if part.indexed]
        found = []
        for at in range(3):
            data = abi.encode(
                [part.type for part in plain], [stand.abi_value(one.type, f"{at} {one}") for one in plain]
            )
            topics = [query["topics"][0]]
            for part, asked in zip(indexed, query["topics"][1:], strict=False):
                dynamic = part.type in ("string", "bytes") or part.type[-1] in ")]"
                value = stand.hash(f"{at} {part}") if dynamic else _encoded(part.type, stand, f"{at} {part}")
                topics.append(value if asked is None else asked)
            height = max(0, int(query["toBlock"], 16) - stand.number(f"{at} log") % 1_000)
            found.append({"blockNumber": hex(height), "transactionHash": stand.hash(f"{at} {query}"), "topics": topics,
                          "logIndex": hex(at), "data": f"0x{data.hex()}", "address": query["address"]})  # fmt: skip
        return found

    def _getBalance(self, address: str, _: str) -> str:
        self.snapshot.read_account(bytes.fromhex(address[2:]))
        return hex(self.snapshot.stand.number(f"balance of {address}"))

    def _getStorageAt(self, address: str, slot: str, _: str) -> str:
        self.snapshot.counts["eth_getStorageAt"] += 1
        return self.snapshot.stand.hash(f"slot {slot} of {address}")

    def _call(self, call: Mapping[str, Any], _: str) -> str:
        self.snapshot.read_account(bytes.fromhex(call["to"][2:]))
        self.snapshot.counts.update(_ACCOUNT * (_CALL_ACCOUNTS - 1))
        self.snapshot.counts["eth_getStorageAt"] += _CALL_SLOTS
        for known in (*self.snapshot.hint.functions, *map(parse_signature, _STANDARD)):
            if "0x" + known.hash[:4].hex() == call["data"][:10]:
                types = [part.type for part in known.outputs]
                values = [self.snapshot.stand.abi_value(kind, f"{at} {call}") for at, kind in enumerate(types)]
                return f"0x{abi.encode(types, values).hex()}"
        raise ToolError("the contract's reply is not known before it is asked")

    def _traceTransaction(self, wanted: str, _: Mapping[str, str]) -> dict[str, Any]:
        self.snapshot.counts["debug_traceTransaction"] += 1
        stand = self.snapshot.stand
        parties = {side: stand.address(f"inner {side} of {wanted}") for side in ("from", "to")}
        inner = {"type": "CALL", "value": hex(stand.number(f"inner {wanted}")), **parties}
        return {"type": "CALL", "calls": [inner, inner]}

    def _height(self, wanted: str) -> int:
        return max(0, self.snapshot.newest - 1 - self.snapshot.stand.number(f"height of {wanted}") % 900_000)


def _encoded(kind: str, stand: StandIn, what: str) -> str:
    return "0x" + abi.encode([kind], [stand.abi_value(kind, what)]).hex()


def _word(address: str) -> str:
    return f"0x{address[2:]:0>64}"


_TRANSFER: Final = "0x" + parse_signature("Transfer(address,address,uint256)").hash.hex()
