"""Random reads of a living chain and of forks of its capture. Given to tests by the fixture ``origin_reads``.

A question goes to the fork under a lease and to the origin at the same height, and both must say the
same. Estimates of gas are held to equality too: both sides search for them from the same block's limit.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eth_utils.address import to_checksum_address
from origin_scenario import (
    HIDDEN_SLOT,
    KNOWN,
    SECRET,
    SHA256,
    STRANGE,
    TOKEN,
    ZERO,
    Act,
    Json,
    Key,
    Origin,
    living_origin,
    mapped,
    miner_of,
    slots_of,
    to_address,
    words,
)

from caia_replay.chain.column import to_hex
from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.rpc_connection import NodeRefusal
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss, ToolError
from caia_replay.recording.capture import capture_archive

__all__ = ["Reader", "Tally", "captured", "living_origin"]


_NOTHING = (None, [], "0x", "0x0", "0x" + "00" * 32)


@dataclass(frozen=True, slots=True)
class Question:
    """A read of the fork, and the same of the origin; ``inside`` tells whether it may not miss.

    ``future`` marks what is mined only later, which the origin knows by now: at that height it was
    ``null``, or had to be ``refused``.
    """

    method: str
    of_fork: list[Any]
    of_origin: list[Any]
    inside: bool
    future: str = ""


@dataclass(slots=True)
class Tally:
    """Counts of reads, all in all and by method; every fault in words. ``telling`` answers are equal and
    neither null, empty nor zero; ``refused`` counts equal refusals."""

    reads: int = 0
    inside: int = 0
    missed_outside: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    telling: int = 0
    future: int = 0
    missed_inside: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """Everything that may not be: wrong answers, and misses inside coverage; at most twenty in words."""
        kinds = (("wrong", self.wrong), ("missed", self.missed_inside))
        return [f"{kind}: {words}" for kind, told in kinds for words in told[:10]]

    def words(self) -> str:
        """The figures in one line."""
        methods = ", ".join(f"{name} {count}" for name, count in sorted(self.methods.items()))
        return (
            f"{self.reads} reads, {self.inside / max(self.reads, 1):.1%} inside coverage, "
            f"{len(self.missed_inside)} misses inside and {self.missed_outside} outside, "
            f"{len(self.wrong)} wrong; {self.telling} neither null, empty nor zero, {self.refused} refused by both, "
            f"{self.future} of the future ({methods})"
        )


class Reader:
    """Draws questions about an origin at random heights and asks them of both sides."""

    def __init__(self, origin: Origin, seed: int) -> None:
        self._origin, self._record, self._rng = origin, origin.record, random.Random(seed)
        origin.rng = self._rng  # acts are drawn from it too, so equal seeds ask equal questions
        self._keys = sorted(key for key in self._record.touched if isinstance(key, tuple))
        self._accounts = [ZERO, *sorted(key for key in self._record.touched if isinstance(key, str))]

    def draw(self, height: int) -> Question:
        """A random question at ``height``, most of them about what was touched."""
        kinds = (self._account, self._slot, self._call, self._estimate, self._logs, self._block, self._by_hash)
        return self._rng.choices(kinds, (22, 14, 21, 9, 12, 10, 12))[0](height)

    def sweep(self, folder: Path, reads: int) -> Tally:
        """``reads`` questions, a few under each lease of a random height."""
        tally, rng = Tally(), self._rng
        with ForkPool({"origin": Snapshot.open(folder)}) as pool:
            while tally.reads < reads:
                height = rng.randint(0, self._record.head)
                with pool.lease("origin", height) as fork:
                    for _ in range(min(rng.randint(1, 8), reads - tally.reads)):
                        self._compare(fork, height, self.draw(height), tally)
        return tally

    def _compare(self, fork: Fork, height: int, question: Question, tally: Tally) -> None:
        asked = f"{question.method} {question.of_fork!r:.400} at {height}"
        tally.reads += 1
        tally.inside += question.inside
        tally.methods[question.method] += 1
        tally.future += bool(question.future)
        wanted = self._wanted(question)
        try:
            found: Any = ("is", fork.rpc(question.method, question.of_fork))
        except ToolError as refusal:
            found = ("refused", "" if question.future else str(refusal))
        except Miss as miss:
            if question.inside:
                tally.missed_inside.append(f"{asked}: {miss}")
            else:
                tally.missed_outside += 1
            return
        tally.refused += found[0] == wanted[0] == "refused"
        tally.telling += found == wanted and found[0] == "is" and found[1] not in _NOTHING
        if found != wanted:
            tally.wrong.append(f"{asked}: {found!r:.600} where the origin has {wanted!r:.600}")

    def _wanted(self, question: Question) -> tuple[str, Any]:
        if question.future:
            return ("is", None) if question.future == "null" else ("refused", "")
        reply = self._origin.rpc.ask(question.method, question.of_origin)
        return ("refused", str(reply.as_tool_error())) if isinstance(reply, NodeRefusal) else ("is", reply)

    def _covers(self, needs: frozenset[Key]) -> bool:
        return not self._record.hidden or all(self._known(key) for key in needs)

    def _known(self, key: Key) -> bool:
        # A call that names no sender runs as the zero address, which a capture keeps although nobody touched it.
        if key in self._record.touched or key == ZERO:
            return True
        return isinstance(key, tuple) and key[0] in self._origin.contracts

    def _here(self, height: int) -> str:
        return self._rng.choice(["latest", hex(height)])

    def _account(self, height: int) -> Question:
        method = self._rng.choice(["eth_getBalance", "eth_getTransactionCount", "eth_getCode"])
        address = self._rng.choice(STRANGE if self._odds(0.15) else self._accounts)
        if self._odds(0.05):
            address = to_hex(self._rng.randbytes(20))
        written = to_checksum_address(address) if self._odds(0.2) else address
        at, said = self._at_or_before(height)
        return Question(method, [written, said], [address, at], self._covers(frozenset((address,))))

    def _slot(self, height: int) -> Question:
        address, slot = self._rng.choice(self._keys)
        if self._odds(0.2):
            slot = self._rng.choice([self._rng.randrange(60), self._rng.getrandbits(256)])
        elif self._odds(0.1):
            address, slot = self._rng.choice([*STRANGE[:3], SECRET]), self._rng.choice([0, HIDDEN_SLOT])
        at, said = self._at_or_before(height)
        inside = self._covers(frozenset((address, (address, slot))))
        written = "0x" + words(slot) if self._odds(0.5) else hex(slot)
        return Question("eth_getStorageAt", [address, written, said], [address, hex(slot), at], inside)

    def _at_or_before(self, height: int) -> tuple[Any, Any]:
        """What the origin is asked for, and what the fork: its own block, or sometimes one before it, by
        number or hash (EIP-1898)."""
        if self._odds(0.7):
            return hex(height), self._here(height)
        at = self._rng.randint(0, height)
        forms: list[Any] = [
            hex(at),
            self._record.hashes[at],
            {"blockNumber": hex(at)},
            {"blockHash": self._record.hashes[at]},
        ]
        return hex(at), self._rng.choice(forms)

    def _call(self, height: int) -> Question:
        """A call at the fork's own block; now and then before it, where a miss is the only other answer."""
        act = self._act(height, self._rng.choice([*self._origin.senders, ZERO])) if self._odds(0.4) else self._view()
        inside = self._covers(act.needs | {miner_of(height), act.fields.get("from", ZERO)})
        call = self._dressed(act.fields)
        if self._odds(0.03):
            earlier = hex(self._rng.randint(0, height))
            return Question("eth_call", [call, earlier], [call, earlier], inside and int(earlier, 16) == height)
        return Question("eth_call", [call, self._here(height)], [call, hex(height)], inside)

    def _estimate(self, height: int) -> Question:
        act = self._act(height, self._rng.choice(self._origin.senders))
        inside = self._covers(act.needs | {miner_of(height), act.fields["from"]})
        call = self._dressed(act.fields)
        return Question("eth_estimateGas", [call, self._here(height)], [call, hex(height)], inside)

    def _dressed(self, fields: Json) -> Json:
        """The same call as clients also write it: fees, a limit, an access list (which reads no state),
        more value than there is, ``input`` for ``data``, the zero address left out."""
        rng, call = self._rng, dict(fields)
        if call.get("from") == ZERO:
            del call["from"]
        elif "from" in call and self._odds(0.25):
            call |= rng.choice([{"gasPrice": hex(10**11)}, {"maxFeePerGas": hex(10**11)}, {"gasPrice": "0x1"}])
        if self._odds(0.15):
            call["gas"] = hex(rng.choice([10**4, 5 * 10**4, 10**6]))
        if self._odds(0.15):
            named = rng.choice([*STRANGE, *self._origin.contracts])
            call["accessList"] = [{"address": named, "storageKeys": ["0x" + words(rng.randrange(60))]}]
        if "value" in call and self._odds(0.2):
            call["value"] = hex(10**30)
        if "data" in call and self._odds(0.3):
            call["input"] = call.pop("data")
        return call

    def _odds(self, share: float) -> bool:
        return self._rng.random() < share

    def _act(self, height: int, sender: str) -> Act:
        """An act of the scenario's kinds, its needs whole: whatever could be loaded counts."""
        rng = self._rng
        other = rng.choice(STRANGE if self._odds(0.1) else KNOWN[:30])
        act = self._origin.act(sender, other, rng.randrange(26))
        target = act.fields.get("to")
        if target is None:
            nonce = int(self._origin.rpc.demand("eth_getTransactionCount", [sender, hex(height)]), 16)
            target = to_address(sender, nonce)
        needs = act.needs | act.passed | {target} | slots_of(target, sorted(act.born))
        return Act({"from": sender, **act.fields}, needs)

    def _view(self) -> Act:
        rng, origin = self._rng, self._origin
        token, holder = rng.choice(origin.tokens), rng.choice([*origin.senders, *KNOWN[:30], STRANGE[0]])
        store, owner = rng.choice([*origin.stores, origin.proxy]), rng.choice(origin.senders)
        slot = rng.randrange(26)
        inner: set[Key] = {store, (store, slot), *([origin.stores[0]] if store == origin.proxy else [])}
        to, data, needs = rng.choice([
            (token, TOKEN.call("balanceOf", [holder]).hex(), {(token, mapped(holder, 0))}),
            (token, TOKEN.call("allowance", [owner, holder]).hex(), {(token, mapped(owner, 1, holder))}),
            (token, TOKEN.call("totalSupply", []).hex(), {(token, 2)}),
            (token, TOKEN.call("name", []).hex(), {(token, 3)}),
            (store, words(slot), inner),
            (origin.forward, words(store, slot), inner),
            (origin.forward, words(SHA256, slot), {SHA256}),
            (origin.mirror, "", set()),
            (origin.probe, words(holder), {holder}),
        ])  # fmt: skip
        return Act({"to": to, "data": "0x" + data}, frozenset(needs) | {to})

    def _logs(self, height: int) -> Question:
        """A range of blocks or one by hash; filters made of logs that exist, loosened and mixed."""
        rng = self._rng
        first, last = sorted(rng.randint(0, height) for _ in range(2))
        query: Json = {"fromBlock": hex(first), "toBlock": hex(last)}
        asked = dict(query)
        future = ""
        if self._odds(0.2):
            at = rng.randint(0, min(height + 2, self._record.head))
            query, asked = {"blockHash": self._record.hashes[at]}, {"blockHash": self._record.hashes[at]}
            future = "refused" if at > height else ""
        elif self._odds(0.3):
            query["toBlock"], asked["toBlock"] = hex(height), "latest"
        elif self._odds(0.1):
            query, asked = {"fromBlock": hex(height), "toBlock": hex(height)}, {}
        address, topics = rng.choice(self._record.logs)
        more: Json = {}
        if self._odds(0.5):
            more["address"] = rng.choice([address, [address, rng.choice(self._origin.contracts)], [STRANGE[0]]])
        if self._odds(0.7):
            other = rng.choice(self._record.logs)[1]
            wanted = [rng.choice([topic, None, [topic, *other[:1]]]) for topic in topics]
            more["topics"] = wanted[: rng.randint(0, 4)] + [None] * rng.choice([0, 0, 1])
            more["topics"] = more["topics"][:4]
        return Question("eth_getLogs", [{**asked, **more}], [{**query, **more}], True, future)

    def _block(self, height: int) -> Question:
        number, full = self._rng.randint(0, height), self._rng.choice([True, False])
        if self._odds(0.3):
            said = self._rng.choice([hex(number), self._record.hashes[number]])
            return Question("eth_getBlockReceipts", [said], [hex(number)], True)
        said = "earliest" if number == 0 else hex(number)
        if self._odds(0.1):
            said, number = "latest", height
        elif self._odds(0.05):
            return Question("eth_getBlockByNumber", [hex(height + 1), full], [], True, "refused")
        return Question("eth_getBlockByNumber", [said, full], [hex(number), full], True)

    def _by_hash(self, height: int) -> Question:
        """Blocks, transactions and receipts, also of blocks that are still to come, and of none."""
        rng = self._rng
        number = rng.randint(0, self._record.head)
        block_hash = self._record.hashes[number]
        if self._odds(0.1):
            method, future = rng.choice(["eth_getBalance", "eth_getCode"]), "refused" if number > height else ""
            account = rng.choice(self._accounts)
            return Question(method, [account, {"blockHash": block_hash}], [account, hex(number)], True, future)
        if self._odds(0.3):
            asked: list[Any] = [block_hash, rng.choice([True, False])]
            return Question("eth_getBlockByHash", asked, asked, True, "null" if number > height else "")
        method = rng.choice(["eth_getTransactionByHash", "eth_getTransactionReceipt"])
        sent, number = rng.choice(self._record.transactions)
        if self._odds(0.1):
            sent, number = to_hex(rng.randbytes(32)), 0
        return Question(method, [sent], [sent], True, "null" if number > height else "")


def captured(origin: Origin, folder: Path) -> Path:
    """The origin's whole chain as a snapshot."""
    capture_archive(origin.url, folder, chain="origin", hardfork="cancun", provenance="synthetic", source="a test")
    return folder
