"""A living chain that keeps a record of what it touched. Loaded for ``origin_reads``.

The coverage of a capture is not taken from the capture. A bare node is born with its own accounts and one
contract, and nothing but transactions changes the chain: every key of the state can be known, so all are
inside. A node that was given something ``hidden`` at birth holds what nobody can name. Every transaction is
written down here together with the accounts and slots that its code, known byte by byte, must load. One
touch makes a key known at every height; every slot of a contract that a transaction made is known too, for
it was born without any; all else is outside, and so is a call that needs it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.column import to_hex
from caia_replay.chain.raw_transaction import created_address
from caia_replay.chain.rpc_connection import RpcConnection
from caia_worldgen.artifact import load_artifact

Json = dict[str, Any]
Key = str | tuple[str, int]
"""An account (lower-case address) or a slot of one."""

GENESIS_TIME = 1_700_000_000
ZERO = "0x" + "00" * 20
SHA256 = "0x" + "00" * 19 + "02"
MINERS = tuple(f"0x{0xC0FFEE00 + at:040x}" for at in range(3))
KNOWN, STRANGE = (tuple(f"0x{base + at:040x}" for at in range(40)) for base in (0xABCD0000, 0xEF010000))
"""Plain receivers that transactions may touch, and addresses that none ever names."""

RICH, SECRET = STRANGE[0], KNOWN[0]
"""Where there is something to hide: an account that no transaction names, and one with a slot that none does."""
HIDDEN_SLOT = 77

TOKEN = load_artifact("ProjectToken")
# 32 bytes of calldata: returns that slot. 64: stores the second word in the first's slot, and logs it.
STORE = "366040146013576000355460005260206000f35b6020356000355560203560005260003560206000a100"
# Calldata is the init code of a child, made with CREATE2 and salt 0.
FACTORY = "36600060003760003660006000f500"
# Writes slot 0, then reverts with the first word of calldata.
REVERTER = "600160005560003560005260206000fd"
# Its balance goes to the address in calldata; under Cancun's rules the contract stays.
MORTAL = "600035ff"
# Calls the address in the first word with the rest of calldata and returns what that returned.
FORWARD = "60203603806020600037600060009160006000600035" + "5af13d600060003e3d6000f3"
# BALANCE, EXTCODEHASH and EXTCODESIZE of the address in calldata.
PROBE = "6000358031600052803f602052" + "3b60405260606000f3"
OPCODES = ("48", "41", "45", "42", "44", "43", "4a", "3a", "600140", "6001430340")
MIRROR = "".join(f"{code}61{at * 32:04x}52" for at, code in enumerate(OPCODES)) + f"61{len(OPCODES) * 32:04x}6000f3"
DYING_INIT = "600760095560006000a033ff"
"""Init code that writes slot 9, logs, and destroys itself: same address each time, nothing remains."""


def words(*values: int | str) -> str:
    """32-byte words as hex digits; addresses are padded."""
    return "".join(f"{int(value, 16) if isinstance(value, str) else value:064x}" for value in values)


def emitter(topics: int) -> str:
    """Code that logs: four words of topics in calldata, of which ``topics`` are used, then the data."""
    pushes = "".join(f"60{32 * at:02x}35" for at in reversed(range(topics)))
    return f"{pushes}608036038060806000376000a{topics}00"


def pool(token_in: str, token_out: str) -> str:
    """A constant-product pool without a fee: reserves in slots 0 and 1, calldata is the amount to swap.

    It takes the caller's approved ``token_in`` and pays in ``token_out``; where either fails it reverts.
    """
    bubble = "5b3d600060003e3d6000fd"
    take = "6323b872dd60e01b600052336004523060245260003560445260206000606460006000" + f"73{token_in[2:]}5af115"
    trade = "6000356000548101806000559060015402048060015403600155"
    give = "63a9059cbb60e01b600052336004526024526020600060446000600073" + f"{token_out[2:]}5af115"
    end = len(take + trade + give) // 2 + 14
    return f"{take}61{end:04x}57{trade}{give}61{end:04x}5760006000a000{bubble}"


def creation(runtime: str, first: str = "") -> str:
    """Init code that runs ``first`` and deploys ``runtime``."""
    size, offset = len(runtime) // 2, len(first) // 2 + 13
    return f"{first}61{size:04x}8061{offset:04x}6000396000f3{runtime}"


def mapped(key: str, slot: int, second: str | None = None) -> int:
    """Where Solidity keeps ``mapping[key]``, or ``mapping[key][second]``."""
    place = keccak(bytes.fromhex(words(key, slot)))
    if second is not None:
        place = keccak(bytes.fromhex(words(second)) + place)
    return int.from_bytes(place, "big")


@dataclass(frozen=True, slots=True)
class Act:
    """A call object without its sender and what running it loads: ``needs`` in any case, ``passed`` when
    it succeeds, and ``born``, the slots of the contract it creates when that succeeds."""

    fields: Json
    needs: frozenset[Key] = frozenset()
    passed: frozenset[Key] = frozenset()
    born: frozenset[int] = frozenset()


@dataclass(slots=True)
class Record:
    """What the scenario did: keys touched with the first height, transactions and blocks by height."""

    touched: dict[Key, int] = field(default_factory=dict)
    transactions: list[tuple[str, int]] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    logs: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    hidden: bool = False

    @property
    def head(self) -> int:
        """The last block."""
        return len(self.hashes) - 1


class Origin:
    """The living chain: one Anvil that forks and prunes nothing; equal seeds give equal chains."""

    def __init__(self, rpc: RpcConnection, url: str, seed: int) -> None:
        self.rpc, self.url, self.record = rpc, url, Record()
        self.rng = random.Random(seed)
        self.senders: list[str] = [account.lower() for account in rpc.demand("eth_accounts")]
        self._nonces: Counter[str] = Counter()
        self.record.hashes.append(rpc.demand("eth_getBlockByNumber", ["0x0", False])["hash"])
        deploys = [TOKEN.creation([f"Token {at}", f"T{at}", 10**24, self.senders[at]]).hex() for at in range(2)]
        runtimes = (STORE, STORE, FACTORY, REVERTER, MORTAL, FORWARD, PROBE, MIRROR, *map(emitter, range(5)))
        deploys += [creation(runtime) for runtime in runtimes]
        made = [to_address(self.senders[0], nonce) for nonce in range(len(deploys) + 2)]
        self.tokens, self.stores = made[:2], made[2:4]
        self.factory, self.reverter, self.mortal, self.forward, self.probe, self.mirror = made[4:10]
        self.emitters, self.proxy = made[10:15], made[15]
        self.pool = made[16]
        deploys.append(creation("363d3d373d3d3d363d73" + self.stores[0][2:] + "5af43d82803e903d91602b57fd5bf3"))
        deploys.append(creation(pool(*self.tokens), f"69{10**22:020x}60005569{10**22:020x}600155"))
        self.contracts = made
        acts = [Act({"data": "0x" + data, "gas": "0x200000"}) for data in deploys]
        for at in range(2):
            acts[at] = replace(acts[at], born=frozenset((2, 3, 4, mapped(self.senders[at], 0))))
        acts[-1] = replace(acts[-1], born=frozenset((0, 1)))
        self.mine([(self.senders[0], act) for act in acts])
        self.mine(list(self._liquidity()))
        assert self.record.outcomes["failed"] == 0
        assert all(rpc.demand("eth_getCode", [address, "latest"]) != "0x" for address in made)

    def mine(self, sends: Sequence[tuple[str, Act]]) -> None:
        """One block of exactly ``sends``, at a stated time, and all of it in the record."""
        ask, record, height = self.rpc.demand, self.record, self.record.head + 1
        miner = miner_of(height)
        ask("anvil_setCoinbase", [miner])
        hashes, made = [], []
        for sender, act in sends:
            hashes.append(ask("eth_sendTransaction", [{"from": sender, "gas": "0x40000", **act.fields}]))
            made.append(to_address(sender, self._nonces[sender]))
            self._nonces[sender] += 1
        ask("evm_setNextBlockTimestamp", [GENESIS_TIME + 12 * height])
        ask("evm_mine")
        block = ask("eth_getBlockByNumber", [hex(height), True])
        assert [item["hash"] for item in block["transactions"]] == hashes, f"block {height} is not what was sent"
        receipts = ask("eth_getBlockReceipts", [hex(height)])
        for (sender, act), born, receipt in zip(sends, made, receipts, strict=True):
            target = act.fields.get("to", born)
            keys: set[Key] = {sender, target, miner, *act.needs}
            if receipt["status"] == "0x1":
                keys |= act.passed | {(born, slot) for slot in act.born}
            for key in keys:
                record.touched.setdefault(key, height)
            record.outcomes["succeeded" if receipt["status"] == "0x1" else "failed"] += 1
            record.outcomes.update(f"{len(log['topics'])} topics" for log in receipt["logs"])
            record.logs += [(log["address"], tuple(log["topics"])) for log in receipt["logs"]]
        record.outcomes.update(f"type {int(item['type'], 16)}" for item in block["transactions"])
        record.hashes.append(block["hash"])
        record.transactions += [(sent, height) for sent in hashes]

    def words(self) -> str:
        """What was lived through, in one line."""
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.record.outcomes.items()))
        return f"{self.record.head} blocks, {len(self.record.transactions)} transactions: {counts}"

    def live(self, blocks: int, transactions: int) -> None:
        """Go on to ``blocks`` blocks with ``transactions`` in all."""
        while self.record.head < blocks:
            left, height = transactions - len(self.record.transactions), self.record.head
            share = -(-left // (blocks - height))
            count = left if height == blocks - 1 else max(0, share + self.rng.randint(-2, 2))
            self.mine([self._transaction() for _ in range(count)])

    def _transaction(self) -> tuple[str, Act]:
        rng, sender = self.rng, self.rng.choice(self.senders[:8])
        act = self.act(sender, rng.choice(KNOWN[:30]), rng.randrange(24))
        dress: Json = rng.choice([{}, {"maxFeePerGas": hex(10**11), "maxPriorityFeePerGas": hex(10**9)},
                                   {"gasPrice": hex(10**11)}, {"gasPrice": hex(10**11), "accessList": []}])  # fmt: skip
        if "accessList" in dress or rng.random() < 0.1:
            slot = words(rng.randrange(24))
            dress = {**dress, "accessList": [{"address": self.stores[1], "storageKeys": ["0x" + slot]}]}
        if rng.random() < 0.03:  # runs out of gas at a place that is not worked out here, or does not
            act = Act({**act.fields, "gas": hex(64_000)})
        return sender, replace(act, fields={**act.fields, **dress})

    def act(self, sender: str, other: str, slot: int) -> Act:
        """Something ``sender`` may do, for a transaction, a call or an estimate."""
        rng = self.rng
        kinds = (self._token, self._trade, self._store, self._pay, self._emit, self._revert, self._die, self._create,
                 self._child, self._forward, self._probe)  # fmt: skip
        return rng.choices(kinds, (22, 10, 25, 10, 12, 4, 4, 5, 5, 3, 2))[0](sender, other, slot)

    def _liquidity(self) -> Iterator[tuple[str, Act]]:
        """The pool gets what it pays with, everyone gets what to trade, and lets the pool take it."""
        (token, other), owners = self.tokens, self.senders
        yield owners[1], self._moves(other, owners[1], self.pool, 10**23)
        for sender in owners[:8]:
            yield owners[0], self._moves(token, owners[0], sender, 10**22)
            data = "0x" + TOKEN.call("approve", [self.pool, 10**21]).hex()
            yield sender, Act({"to": token, "data": data}, slots_of(token, [mapped(sender, 1, self.pool)]))

    def _moves(self, token: str, sender: str, other: str, amount: int) -> Act:
        data = "0x" + TOKEN.call("transfer", [other, amount]).hex()
        needs = slots_of(token, [mapped(sender, 0)]) | {token}
        return Act({"to": token, "data": data}, needs, slots_of(token, [mapped(other, 0)]))

    def _trade(self, sender: str, other: str, slot: int) -> Act:
        (token, paid), amount = self.tokens, self.rng.randrange(10**19)
        moved = slots_of(token, [mapped(at, 0) for at in (sender, self.pool)])
        moved |= slots_of(paid, [mapped(at, 0) for at in (sender, self.pool)]) | slots_of(self.pool, [0, 1])
        needs = slots_of(token, [mapped(sender, 1, self.pool)]) | {self.pool, token}
        return Act({"to": self.pool, "data": "0x" + words(amount)}, needs, moved | {paid})

    def _token(self, sender: str, other: str, slot: int) -> Act:
        token, amount, owner = self.rng.choice(self.tokens), self.rng.choice([0, 1, 10**18, 10**30]), self.senders[0]
        mine, theirs, allowed = mapped(sender, 0), mapped(other, 0), mapped(owner, 1, sender)
        function, arguments, first, then = self.rng.choice([
            ("transfer", [other, amount], [mine], [theirs]),
            ("transfer", [ZERO, amount], [], [mine]),
            ("approve", [other, amount], [mapped(sender, 1, other)], []),
            ("transferFrom", [owner, other, amount], [allowed], [mapped(owner, 0), theirs]),
            ("burn", [amount], [mine], [2]),
        ])  # fmt: skip
        data = "0x" + TOKEN.call(function, arguments).hex()
        return Act({"to": token, "data": data}, slots_of(token, first) | {token}, slots_of(token, then))

    def _store(self, sender: str, other: str, slot: int) -> Act:
        target = self.rng.choice([*self.stores, self.proxy])
        data = words(slot, self.rng.choice([0, 0, self.rng.getrandbits(256)]))
        needs: set[Key] = {target, (target, slot), *([self.stores[0]] if target == self.proxy else [])}
        return Act({"to": target, "data": "0x" + data}, frozenset(needs))

    def _pay(self, sender: str, other: str, slot: int) -> Act:
        return Act({"to": other, "value": hex(self.rng.randrange(10**15))}, frozenset((other,)))

    def _emit(self, sender: str, other: str, slot: int) -> Act:
        target = self.rng.choice(self.emitters)
        topics = words(*(self.rng.randrange(6) for _ in range(4)))
        return Act({"to": target, "data": f"0x{topics}{self.rng.randbytes(self.rng.randrange(70)).hex()}"})

    def _revert(self, sender: str, other: str, slot: int) -> Act:
        return Act({"to": self.reverter, "data": "0x" + words(slot)}, frozenset((self.reverter, (self.reverter, 0))))

    def _die(self, sender: str, other: str, slot: int) -> Act:
        return Act({"to": self.mortal, "value": "0x9", "data": "0x" + words(other)}, frozenset((self.mortal, other)))

    def _create(self, sender: str, other: str, slot: int) -> Act:
        write = f"60{slot % 200 + 1:02x}60{slot:02x}55"
        data, born = self.rng.choice([
            (creation(STORE, write), [slot]), (DYING_INIT, [9]), (write + "60006000fd", []), ("fe", []),
        ])  # fmt: skip
        return Act({"data": "0x" + data}, born=frozenset(born))

    def _child(self, sender: str, other: str, slot: int) -> Act:
        init = self.rng.choice([DYING_INIT, creation(STORE, f"6001{'60'}{slot:02x}55"), "600160005560006000fd"])
        child = to_hex(keccak(b"\xff" + bytes.fromhex(self.factory[2:]) + bytes(32) + keccak(bytes.fromhex(init)))[12:])
        own = 9 if init == DYING_INIT else 0 if init.endswith("fd") else slot
        return Act({"to": self.factory, "data": "0x" + init}, passed=frozenset((self.factory, child, (child, own))))

    def _forward(self, sender: str, other: str, slot: int) -> Act:
        target = self.rng.choice([SHA256, self.stores[1], other])
        needs: set[Key] = {self.forward, target, *([(target, slot)] if target == self.stores[1] else [])}
        return Act({"to": self.forward, "data": "0x" + words(target, slot)}, frozenset(needs))

    def _probe(self, sender: str, other: str, slot: int) -> Act:
        return Act({"to": self.probe, "data": "0x" + words(other)}, frozenset((self.probe, other)))


def miner_of(height: int) -> str:
    """Who is paid for a block."""
    return MINERS[height // 7 % len(MINERS)] if height else ZERO


def to_address(sender: str, nonce: int) -> str:
    """The contract that transaction ``nonce`` of ``sender`` creates."""
    return to_hex(created_address(bytes.fromhex(sender[2:]), nonce))


def slots_of(address: str, slots: Sequence[int]) -> frozenset[Key]:
    """The keys of some slots of one account."""
    return frozenset((address, slot) for slot in slots)


@contextmanager
def living_origin(blocks: int, transactions: int, seed: int, hidden: bool = False) -> Iterator[Origin]:
    """An origin that has lived through its scenario, running until the ``with`` block ends. ``hidden``: it
    was born with state that no transaction names."""
    arguments = ["--chain-id", "7003", "--hardfork", "cancun", "--order", "fifo", "--no-mining"]
    node = AnvilProcess(find_anvil(), [*arguments, "--timestamp", str(GENESIS_TIME)])
    rpc = node.connect()
    try:
        if hidden:
            rpc.demand("anvil_setBalance", [RICH, "0x5"])
            rpc.demand("anvil_setCode", [SECRET, "0x00"])
            rpc.demand("anvil_setStorageAt", [SECRET, "0x" + words(HIDDEN_SLOT), "0x" + words(9)])
        origin = Origin(rpc, f"http://127.0.0.1:{node.port}", seed)
        origin.record.hidden = hidden
        origin.live(blocks, transactions)
        yield origin
    finally:
        rpc.close()
        node.stop()
