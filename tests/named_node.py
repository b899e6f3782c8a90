"""An archive node of any chain that knows whatever height, contract and transaction it is asked for.

Blocks come at an even pace and hold one transaction each. Every contract that a chain names has one code, which answers
a call with the storage word that the call's own bytes lead to; what that word is the node decides by what is called.
Every five hundredth block has one log of any event. A range of more blocks than the node takes is refused in a
vendor's words.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.canonical import strict_json
from caia_replay.recording.capture_request import CHAIN_IDS
from caia_replay.recording.plan_table import PlannedTask
from caia_worldgen.services.service import Answer, Asked
from tests.named_vendors import share

ORIGIN: Final = "https://archive-node.example"
EVERY: Final = 500
POOL: Final = "0x" + "c0de" * 10
"""What a function that tells an address tells, and a proxy's slot: a contract like the others."""
_PACE_S: Final[Mapping[str, int]] = {"ethereum": 12, "optimism": 12, "base": 2}
_SLOWLY_S: Final = 600
"""On other chains, so that a day has 144 blocks."""
_HEIGHT: Final[Mapping[str, tuple[int, int]]] = {"ethereum": (19_000_000, 1_705_173_443)}
"""A block of a chain and its time; (0, 2023-01-01) on others."""
_TEXT: Final = f"{32:064x}{3:064x}" + b"TOK".hex().ljust(64, "0")
_LOAD: Final = "365f5f37365f2054"
"""The word of storage that the hash of the call's bytes leads to."""
_EIGHT: Final = "".join(f"8060{32 * at:02x}52" for at in range(8)) + "6101005ff3"
_SIGNATURE: Final = re.compile(r"(\w+)\((.*?)\)")


def _code() -> str:
    """Texts for name() and symbol(), else eight times the word of storage."""
    told = "".join(f"7f{_TEXT[at * 64 : at * 64 + 64]}60{32 * at:02x}52" for at in range(3)) + "60605ff3"
    check = "".join(f"5f3560e01c63{selector(name)}1460XX57" for name in ("name()", "symbol()"))
    body = _LOAD + _EIGHT
    place = (len(check) + len(body)) // 2
    return "0x" + check.replace("XX", f"{place:02x}") + body + "5b" + told


def selector(signature: str) -> str:
    """The first four bytes of a function's hash."""
    return keccak(signature.encode()).hex()[:8]


def slot_of(signature: str) -> str:
    """Where a call without arguments finds its word."""
    return "0x" + keccak(bytes.fromhex(selector(signature))).hex()


CODE: Final = _code()


@dataclass(frozen=True, slots=True)
class Event:
    """How a log of it looks: which parameters are topics, and the types of all."""

    indexed: tuple[bool, ...]
    types: tuple[str, ...]


def events_of(tasks: Iterable[PlannedTask]) -> Iterator[tuple[tuple[str, str], Event]]:
    """The events that chains name, by contract and topic; by "" where an earlier step tells the contract."""
    for task in tasks:
        for step in task.gold.steps:
            found = _SIGNATURE.match(str(step.arguments.get("event", "")))
            if found:
                fields = [part.split() for part in found[2].split(",")]
                types = tuple(part[0] for part in fields)
                topic = "0x" + keccak(f"{found[1]}({','.join(types)})".encode()).hex()
                contract = str(step.arguments.get("contract", "")).lower()
                yield (
                    (contract if contract.startswith("0x") else "", topic),
                    Event(tuple("indexed" in part for part in fields), types),
                )


@dataclass
class NamedNode:
    """The nodes, one a chain, at ``ORIGIN``/<chain>. ``most_blocks`` is how many blocks one question for logs spans."""

    tasks: Sequence[PlannedTask]
    most_blocks: int = 10
    origins: tuple[str, ...] = (ORIGIN,)
    asked: dict[str, int] = field(default_factory=dict)

    @cached_property
    def _events(self) -> Mapping[tuple[str, str], Event]:
        return dict(events_of(self.tasks))

    @cached_property
    def _addresses(self) -> frozenset[str]:
        """Slots in which a call that tells an address finds it."""
        found = {"360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"}
        for task in self.tasks:
            for step in task.gold.steps:
                text = str(step.arguments.get("function", ""))
                if text.endswith("(address)"):
                    signature = text.removesuffix("(address)")
                    words = [_word(one) for one in step.arguments.get("arguments", ())]
                    found.add(keccak(bytes.fromhex(selector(signature) + "".join(words))).hex())
        return frozenset(found)

    def answer(self, asked: Asked, now: int) -> Answer:
        """One JSON-RPC reply, or several."""
        body = strict_json(asked.body)
        chain = _Chain(asked.segments()[0], now, self)
        replies = [chain.reply(one) for one in (body if isinstance(body, list) else [body])]
        return Answer(200, replies if isinstance(body, list) else replies[0])

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, {"error": {"code": 429, "message": "Too many requests"}}, {"Retry-After": "0"})

    def storage(self, slot: str, block: int) -> int:
        """A word: an address where one is told, one where a truth value is among what is told, a supply that grows
        with the blocks, else a small number."""
        if slot.removeprefix("0x") in self._addresses:
            return int(POOL, 16)
        if slot == slot_of("totalSupply()"):
            return 10**24 + 10**18 * block
        return 1 if slot == slot_of("slot0()") else 7 + int(slot, 16) % 11

    def event(self, contract: str, topic: str) -> Event | None:
        """How a contract's log with this first topic looks; of contracts that a step tells, as of any other."""
        return self._events.get((contract.lower(), topic)) or self._events.get(("", topic))


def _word(value: Any) -> str:
    text = str(value)
    return text[2:].lower().rjust(64, "0") if text.startswith("0x") else f"{int(text):064x}"


@dataclass(frozen=True)
class _Chain:
    """One chain at a moment."""

    name: str
    now: int
    node: NamedNode

    def reply(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one call."""
        told: dict[str, Any] = {"jsonrpc": "2.0", "id": call["id"]}
        method, given = call["method"], call.get("params") or []
        self.node.asked[method] = self.node.asked.get(method, 0) + 1
        find = getattr(self, "_" + method.partition("_")[2], None) if method.startswith("eth_") else None
        if find is None:
            return told | {"error": {"code": -32601, "message": f"the method {method} does not exist"}}
        result = find(*given)
        if isinstance(result, Answer):
            return told | {"error": result.content}
        return told | {"result": result}

    def time(self, number: int) -> int:
        """When a block was made."""
        height, at = _HEIGHT.get(self.name, (0, 1_672_531_200))
        return at + (number - height) * _PACE_S.get(self.name, _SLOWLY_S)

    @property
    def head(self) -> int:
        """The newest block."""
        height, at = _HEIGHT.get(self.name, (0, 1_672_531_200))
        return height + (self.now - at) // _PACE_S.get(self.name, _SLOWLY_S)

    def _chainId(self) -> str:
        return hex(CHAIN_IDS[self.name])

    def _blockNumber(self) -> str:
        return hex(self.head)

    def _getBalance(self, address: str, block: str) -> str:
        return hex(10**18 + int(address[-4:], 16))

    def _getTransactionCount(self, address: str, block: str) -> str:
        return "0x1"

    def _getCode(self, address: str, block: str) -> str:
        return "0x" if int(address, 16) < 2**64 or address.startswith("0x0000") else CODE

    def _getStorageAt(self, address: str, slot: str, block: str) -> str:
        return f"0x{self.node.storage(slot, int(block, 16)):064x}"

    def _getBlockByNumber(self, number: str, full: bool) -> dict[str, Any] | None:
        at = self.head if number == "latest" else int(number, 16)
        return self._block(at, full) if 0 <= at <= self.head else None

    def _getBlockByHash(self, wanted: str, full: bool) -> dict[str, Any] | None:
        return self._block(int(wanted, 16), full) if int(wanted, 16) <= self.head else None

    def _getTransactionByHash(self, wanted: str) -> dict[str, Any] | None:
        return self._transaction(self._height_of(wanted), wanted)

    def _getTransactionReceipt(self, wanted: str) -> dict[str, Any] | None:
        return self._receipt(self._height_of(wanted), wanted)

    def _getBlockReceipts(self, number: str) -> list[dict[str, Any]]:
        at = int(number, 16)
        return [self._receipt(at, self._hash(at))]

    def _getLogs(self, wanted: Mapping[str, Any]) -> Any:
        first, last = (int(wanted[name], 16) for name in ("fromBlock", "toBlock"))
        if last - first >= self.node.most_blocks:
            return Answer(200, {"code": -32600, "message": f"up to a {self.node.most_blocks} block range"})
        topics = [one[0] if isinstance(one, list) else one for one in wanted.get("topics", ())]
        address = wanted.get("address")
        address = address[0] if isinstance(address, list) else address
        event = self.node.event(address, topics[0]) if topics and address else None
        if event is None:
            return []
        place = int(1_000 * share(address, topics)) + 1
        begun = place if any(topics[1:]) else 0  # who asks for some alone is told of other blocks
        blocks = range(begun + -(-(first - begun) // EVERY) * EVERY, last + 1, EVERY)
        return [{**self._log(at, address, topics, event), "logIndex": hex(place)} for at in blocks]

    def _log(self, at: int, address: str, wanted: Sequence[str | None], event: Event) -> dict[str, Any]:
        topics = [wanted[0], *(f"0x{7 + place:064x}" for place, is_topic in enumerate(event.indexed) if is_topic)]
        for place, topic in enumerate(wanted):
            topics[place] = topic or topics[place]
        data = "".join(f"{1_000_000 + at % 997:064x}" if kind not in _SMALL else f"{1:064x}"
                       for kind, is_topic in zip(event.types, event.indexed, strict=True) if not is_topic)  # fmt: skip
        return {"address": address, "topics": topics, "data": "0x" + data, "blockNumber": hex(at),
                "transactionHash": self._hash(at), "transactionIndex": "0x0", "blockHash": f"0x{at:064x}",
                "removed": False}  # fmt: skip

    def _hash(self, at: int) -> str:
        """The hash of a block's one transaction: a real one at the height that is its own."""
        named = {self._height_of(one): one for one in self._named}
        return named.get(at, f"0x{'aa' * 16}{at:032x}")

    @property
    def _named(self) -> list[str]:
        texts = [str(step.arguments.get("hash", "")) for task in self.node.tasks for step in task.gold.steps]
        return [text.lower() for text in dict.fromkeys(texts) if re.fullmatch("0x[0-9a-fA-F]{64}", text)]

    def _height_of(self, wanted: str) -> int:
        if wanted.startswith("0x" + "aa" * 16):
            return int(wanted[34:], 16)
        height, _ = _HEIGHT.get(self.name, (0, 0))
        return height + 1_000 + int(hashlib.sha256(wanted.lower().encode()).hexdigest()[:4], 16)

    def _block(self, at: int, full: bool) -> dict[str, Any]:
        wanted = self._hash(at)
        zeros = {name: "0x" + "00" * 32 for name in ("stateRoot", "receiptsRoot", "transactionsRoot", "mixHash",
                 "sha3Uncles", "withdrawalsRoot", "parentBeaconBlockRoot")}  # fmt: skip
        return {"number": hex(at), "hash": f"0x{at:064x}", "parentHash": f"0x{max(0, at - 1):064x}", **zeros,
                "timestamp": hex(self.time(at)), "gasLimit": hex(36_000_000), "gasUsed": hex(21_000),
                "baseFeePerGas": hex(10**9 + at % 10**6), "miner": "0x" + "fe" * 20, "difficulty": "0x0",
                "totalDifficulty": "0x0", "extraData": "0x", "logsBloom": "0x" + "ff" * 256, "nonce": "0x" + "00" * 8,
                "size": "0x400", "uncles": [], "withdrawals": [], "blobGasUsed": "0x0", "excessBlobGas": "0x0",
                "transactions": [self._transaction(at, wanted) if full else wanted]}  # fmt: skip

    def _transaction(self, at: int, wanted: str) -> dict[str, Any]:
        return {"hash": wanted, "blockNumber": hex(at), "blockHash": f"0x{at:064x}", "transactionIndex": "0x0",
                "from": "0x" + "ab" * 20, "to": POOL, "value": hex(10**17 + at), "gas": hex(60_000), "type": "0x2",
                "gasPrice": hex(2 * 10**9 + at % 997), "maxFeePerGas": hex(3 * 10**9), "maxPriorityFeePerGas": "0x1",
                "input": "0x", "nonce": "0x0", "chainId": self._chainId(), "accessList": [], "v": "0x0", "r": "0x1",
                "s": "0x1", "yParity": "0x0"}  # fmt: skip

    def _receipt(self, at: int, wanted: str) -> dict[str, Any]:
        return {"transactionHash": wanted, "blockNumber": hex(at), "blockHash": f"0x{at:064x}", "status": "0x1",
                "transactionIndex": "0x0", "from": "0x" + "ab" * 20, "to": POOL, "gasUsed": hex(21_000), "logs": [],
                "cumulativeGasUsed": hex(21_000), "effectiveGasPrice": hex(2 * 10**9 + at % 997), "type": "0x2",
                "contractAddress": None, "logsBloom": "0x" + "00" * 256}  # fmt: skip


_SMALL: Final = frozenset({"uint8", "int24", "uint32", "bool"})


_NOT_FREE: Final = (
    "Free API access is not supported for this chain. Please upgrade your api plan for full chain coverage."
)


class Explorer:
    """Etherscan's API: one interface, and one creation, of every contract; nothing within a transaction."""

    origins: Final = ("https://api.etherscan.io",)
    _PAID_CHAINS: Final = frozenset({"10", "56", "8453", "43114"})
    _NAMES: Final = ("depositV3(address)", "totalSupply()", "permit(address)", "exactInputSingle(address)")

    def answer(self, asked: Asked, now: int) -> Answer:
        """See ``Service.answer``."""
        given = asked.parameters
        if given.get("chainid") in self._PAID_CHAINS and given.get("action") not in ("getabi", "getsourcecode"):
            return Answer(200, {"status": "0", "message": "NOTOK", "result": _NOT_FREE})
        match given.get("action"):
            case "getabi":
                functions = [
                    {"type": "function", "name": name.partition("(")[0], "stateMutability": "payable", "outputs": [],
                     "inputs": [{"name": "who", "type": "address"}] if "address" in name else []}
                    for name in self._NAMES
                ]  # fmt: skip
                moved = {"type": "event", "name": "Transfer", "anonymous": False, "inputs": [
                    {"name": name, "type": kind, "indexed": kind == "address"}
                    for name, kind in (("from", "address"), ("to", "address"), ("value", "uint256"))]}  # fmt: skip
                return Answer(200, {"status": "1", "message": "OK", "result": json.dumps([*functions, moved])})
            case "getcontractcreation":
                row = {"contractAddress": given["contractaddresses"], "contractCreator": "0x" + "ab" * 20,
                       "txHash": f"0x{'aa' * 16}{19_000_500:032x}", "blockNumber": "19000500",
                       "timestamp": str(1_705_173_443 + 500 * 12), "contractFactory": "",
                       "creationBytecode": CODE}  # fmt: skip
                return Answer(200, {"status": "1", "message": "OK", "result": [row]})
        return Answer(200, {"status": "0", "message": "No transactions found", "result": []})

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(200, {"status": "0", "message": "NOTOK", "result": "Max rate limit reached"})
