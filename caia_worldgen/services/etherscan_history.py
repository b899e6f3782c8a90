"""What an explorer has seen of one living chain: blocks, receipts and traces, each read once when first asked for.

Everything is read from the node by JSON-RPC and nothing from recorded tables: what the tables say is held against it.
Traces are the ones the node kept when it made the blocks; reading them executes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from eth_abi import abi as codec
from eth_abi.exceptions import DecodingError
from eth_utils.crypto import keccak

from caia_replay.errors import ForkFault
from caia_worldgen.services.etherscan_form import Refusal
from caia_worldgen.stage import Stage

TRANSFER: Final = "0x" + keccak(text="Transfer(address,address,uint256)").hex()

Rpc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mined:
    """A transaction with its receipt and the header of its block, as the node gives them."""

    block: int
    place: int
    transaction: Rpc
    receipt: Rpc
    header: Rpc


@dataclass(frozen=True, slots=True)
class Internal:
    """A call that moved coins, or a creation, below a transaction; ``failed`` when it or what it is part of did."""

    mined: Mined
    trace: Rpc
    failed: bool


@dataclass(frozen=True, slots=True)
class Token:
    """What a token says of itself; empty where it says nothing."""

    name: str
    symbol: str
    decimals: str


class History:
    """One chain's past. Lists are in chain order and hold the whole story: who asks cuts them at ``head``."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._tokens: dict[str, Token] = {}

    def head(self, moment: int) -> int:
        """The newest block at a moment. Raises ``Refusal`` before the genesis."""
        try:
            return self.stage.calendar.at(moment)
        except ValueError:
            raise Refusal("Error! No closest block found") from None

    @cached_property
    def blocks(self) -> list[Rpc]:
        """Every block with its transactions."""
        return [
            self.stage.ask("eth_getBlockByNumber", hex(number), True)
            for number in range(self.stage.calendar.last_block + 1)
        ]

    @cached_property
    def mined(self) -> list[Mined]:
        """Every transaction."""
        return [
            Mined(number, place, transaction, receipt, block)
            for number, block in enumerate(self.blocks)
            for place, (transaction, receipt) in enumerate(
                zip(block["transactions"], self.stage.ask("eth_getBlockReceipts", hex(number)), strict=True)
            )
        ]

    @cached_property
    def by_hash(self) -> dict[str, Mined]:
        """Every transaction by its hash."""
        return {found.transaction["hash"]: found for found in self.mined}

    @cached_property
    def by_account(self) -> dict[str, list[Mined]]:
        """The transactions an account sent or received, and the one that created it."""
        named: defaultdict[str, list[Mined]] = defaultdict(list)
        for found in self.mined:
            parties = (found.transaction["from"], found.transaction["to"], found.receipt["contractAddress"])
            for account in {party for party in parties if party}:
                named[account].append(found)
        return named

    @cached_property
    def logs(self) -> list[tuple[Mined, Rpc]]:
        """Every event."""
        return [(found, log) for found in self.mined for log in found.receipt["logs"]]

    @cached_property
    def transfers(self) -> list[tuple[Mined, Rpc]]:
        """Every event that is a token's Transfer."""
        return [(found, log) for found, log in self.logs if log["topics"][:1] == [TRANSFER] and len(log["topics"]) > 2]

    @cached_property
    def internals(self) -> list[Internal]:
        """Every internal transaction."""
        return [made for number in range(len(self.blocks)) for made in self._below("trace_block", hex(number))]

    def internals_of(self, transaction_hash: str) -> list[Internal]:
        """Those of one transaction."""
        return list(self._below("trace_transaction", transaction_hash))

    @cached_property
    def creations(self) -> dict[str, tuple[Mined, str, str]]:
        """By the address of a contract: its transaction, who created it (sender or factory) and its creation code."""
        found: dict[str, tuple[Mined, str, str]] = {}
        for number in range(len(self.blocks)):
            for trace in self.stage.ask("trace_block", hex(number)):
                if trace["type"] == "create" and not trace.get("error") and (trace.get("result") or {}).get("address"):
                    where = self.by_hash[trace["transactionHash"]]
                    made = (where, trace["action"]["from"], trace["action"]["init"])
                    found.setdefault(trace["result"]["address"], made)
        return found

    def up_to(self, mined: Sequence[Mined], first: int, last: int) -> Sequence[Mined]:
        """The part of a list that lies in blocks ``first`` to ``last``."""
        return mined[
            bisect_right(mined, first - 1, key=lambda found: found.block) : bisect_right(
                mined, last, key=lambda found: found.block
            )
        ]

    def token(self, address: str) -> Token:
        """What a token calls itself."""
        if address not in self._tokens:
            texts = [self._view(address, name, "string") for name in ("name()", "symbol()")]
            decimals = self._view(address, "decimals()", "uint8")
            self._tokens[address] = Token(str(texts[0]), str(texts[1]), str(decimals or 0))
        return self._tokens[address]

    def call(self, to: str, data: str, head: int) -> str:
        """What a contract returns at the end of a block. Raises ``ForkFault`` where it reverts."""
        return str(self.stage.ask("eth_call", {"to": to, "data": data}, hex(head)))

    def _view(self, address: str, signature: str, kind: str) -> Any:
        try:
            answer = self.call(address, "0x" + keccak(text=signature)[:4].hex(), self.stage.calendar.last_block)
            return codec.decode([kind], bytes.fromhex(answer[2:]))[0]
        except (ForkFault, ValueError, DecodingError):
            return ""

    def _below(self, method: str, key: str) -> Iterator[Internal]:
        traces = self.stage.ask(method, key) or []
        failed: dict[str, set[tuple[int, ...]]] = defaultdict(set)
        for trace in sorted(traces, key=itemgetter("traceAddress")):
            at, of = tuple(trace["traceAddress"]), failed[trace["transactionHash"]]
            if trace.get("error") or (at and at[:-1] in of):
                of.add(at)
        for trace in traces:
            at, action = tuple(trace["traceAddress"]), trace["action"]
            moves = trace["type"] != "call" or (action["callType"] == "call" and int(action["value"], 16) > 0)
            if at and moves:
                hash_ = trace["transactionHash"]
                yield Internal(self.by_hash[hash_], trace, at in failed[hash_])
