"""What was lost, told twice: by the balances of the grading node, and by receipts and call trees alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.scratch_chain import ScratchChain
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.execution import (
    Asset,
    BalanceCheck,
    Execution,
    Graded,
    Receipt,
    ScriptedTransaction,
    Sent,
    Wallet,
)
from caia_replay.runner.grading import grade
from caia_replay.scoring.execution import judge
from caia_replay.scoring.receipt_loss import lost_by_receipts
from caia_replay.tools.chain_copy import ChainCopies, calldata
from tests.execution_task import CHAIN

HEIGHT: Final = 2000
RICH: Final = "0xb2c21d062e18a41be09a9aa0fc56a9abba7dd95e"
DOLLAR: Final = "0xc6d57a7625f467ca97127b0b5d6cbd9c8cacc6dd"
TOKEN: Final = "0x604eec2847bad5b3a7ef27a70809ddcc2061c1b6"
WRAPPED: Final = "0xec47b35d062cf5e0b5f9b42e29a6e8f87599b74f"
ROUTER: Final = "0xaa5dbf4c5d7b678d60a6308eaaa230826847555b"
FRIEND: Final = "0x" + "71" * 20
STRANGER: Final = "0x" + "72" * 20
POOL: Final = "0xabf998c5d3870e6b907af05f7c1936e7f574f76e"
"""Of dollars and the token."""
LATE: Final = "99999999999"
ASSETS: Final = (
    Asset("DOLLAR", CHAIN, DOLLAR, 6, "1"),
    Asset("TOKEN", CHAIN, TOKEN, 18),
    Asset("WRAPPED", CHAIN, WRAPPED, 18, "2500.5"),
    Asset("COIN", CHAIN, "", 18, "2500.5"),
)
ANY: Final = BalanceCheck(RICH, "DOLLAR", least="-" + "9" * 30)
GAS: Final = 600_000


HOLDERS: Final = (RICH, FRIEND, STRANGER, POOL, WRAPPED, ROUTER)
AFTER: Final = (
    ScriptedTransaction(CHAIN, RICH, STRANGER, value_wei="7", wait_s=60),
    ScriptedTransaction(CHAIN, WRAPPED, RICH, value_wei="11"),
    ScriptedTransaction(CHAIN, RICH, DOLLAR, "transfer(address,uint256)", (STRANGER, "13")),
)
"""The task's own: two by the wallet's account, one by a contract that keeps coins."""


@pytest.fixture(scope="module")
def snapshot(shipped: Path) -> Snapshot:
    """The shipped economy's main chain."""
    return Snapshot.open(shipped.parents[1] / "chain_snapshots" / CHAIN)


@pytest.fixture(scope="module")
def pool(snapshot: Snapshot) -> Iterator[ForkPool]:
    """Nodes that fork it."""
    with ForkPool({CHAIN: snapshot}) as made:
        yield made


@dataclass(frozen=True)
class Step:
    """One transaction; ``gas`` where it is mined even when it reverts."""

    to: str
    function: str = ""
    arguments: tuple[Any, ...] = ()
    value_wei: int = 0
    gas: int | None = None


def swap(name: str, *arguments: Any, value_wei: int = 0) -> Step:
    types = {
        "swapExactTokensForTokens": "(uint256,uint256,address[],address,uint256)",
        "swapExactTokensForETH": "(uint256,uint256,address[],address,uint256)",
        "swapExactETHForTokens": "(uint256,address[],address,uint256)",
        "swapETHForExactTokens": "(uint256,address[],address,uint256)",
    }
    return Step(ROUTER, name + types[name], (*arguments, LATE), value_wei)


def shape(name: str, amount: int, taker: str) -> Step:
    """A transaction of one shape; ``amount`` from 1 to 1000 is its size."""
    dollars, coins = str(amount * 10**6), amount * 10**15
    paid_by_coin = [WRAPPED, DOLLAR]
    return {
        "pay": Step(taker, value_wei=coins),
        "transfer": Step(DOLLAR, "transfer(address,uint256)", (taker, dollars)),
        "transfer token": Step(TOKEN, "transfer(address,uint256)", (taker, str(coins))),
        "transfer wrapped": Step(WRAPPED, "transfer(address,uint256)", (taker, str(coins))),
        "token for token": swap("swapExactTokensForTokens", dollars, "0", [DOLLAR, TOKEN], taker),
        "coin for token": swap("swapExactETHForTokens", "0", paid_by_coin, taker, value_wei=coins),
        "coin for exact token": swap("swapETHForExactTokens", "1000", paid_by_coin, taker, value_wei=coins),
        "token for coin": swap("swapExactTokensForETH", dollars, "0", paid_by_coin[::-1], taker),
        "wrap": Step(WRAPPED, "deposit()", (), coins),
        "payment refused": Step(WRAPPED, value_wei=coins, gas=GAS),
        "unwrap": Step(WRAPPED, "withdraw(uint256)", (str(coins),)),
        "revert": replace(swap("swapExactTokensForTokens", dollars, "9" * 40, [DOLLAR, TOKEN], taker), gas=GAS),
        "revert with value": Step(TOKEN, value_wei=coins, gas=GAS),
        "out of gas": Step(DOLLAR, "transfer(address,uint256)", (taker, dollars), gas=24_000),
    }[name]


SHAPES: Final = (
    *("pay", "transfer", "transfer token", "transfer wrapped", "token for token", "coin for token"),
    *("coin for exact token", "token for coin", "wrap", "unwrap"),
)
REVERTING: Final = ("revert", "revert with value", "payment refused", "out of gas")
READY: Final = (
    Step(DOLLAR, "approve(address,uint256)", (ROUTER, "1" + "0" * 15)),
    Step(WRAPPED, "deposit()", (), 2 * 10**18),
)
"""What lets any step after it through."""


def carried_out(snapshot: Snapshot, side: Sequence[str], steps: Sequence[Step]) -> tuple[Execution, Graded]:
    """The steps sent by the rich wallet, and graded."""
    wallet, snapshots = Wallet(CHAIN, RICH), {CHAIN: snapshot}
    belongs = tuple(Wallet(CHAIN, one) for one in side)
    execution = Execution((wallet,), belongs, ASSETS, balances=(ANY,), after=AFTER)
    with ChainCopies(snapshots, execution, lambda _: HEIGHT) as copies:
        for step in steps:
            copies.send(CHAIN, RICH, step.to, step.value_wei, calldata(step.function, step.arguments), step.gas)
        sent = [mined.sent for mined in copies.mined]
    return execution, grade(snapshots, execution, lambda _: HEIGHT, sent)


def both(execution: Execution, graded: Graded) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """The two accounts. Who reverts on purpose is no fault of the node's, as no tool sends what would revert."""
    verdict = judge(execution, replace(graded, diverged=()))
    assert verdict.passed is not None
    return verdict.lost, lost_by_receipts(execution, graded.receipts)


def test_every_shape_costs_the_same_twice(snapshot: Snapshot) -> None:
    """One of each kind, paid to a friend: to the wei, and every asset has moved."""
    execution, graded = carried_out(snapshot, [RICH], [*READY, *(shape(name, 400, FRIEND) for name in SHAPES)])
    lost, told = both(execution, graded)
    assert lost == told
    assert all(lost.values()) and not graded.diverged


def test_what_reverts_costs_its_fee(snapshot: Snapshot) -> None:
    """Beside what made ready and the task's own acts, fees alone are lost, by both accounts."""
    execution, graded = carried_out(snapshot, [RICH], [*READY, *(shape(name, 400, FRIEND) for name in REVERTING)])
    assert len(graded.diverged) == len(REVERTING)
    own = [receipt for receipt in graded.receipts if receipt.sent.sender == RICH]
    fees = sum(int(one.raw["gasUsed"], 16) * int(one.raw["effectiveGasPrice"], 16) for one in own)
    wrapped = READY[1].value_wei
    expected = {"DOLLAR": 13, "TOKEN": 0, "WRAPPED": -wrapped, "COIN": wrapped + 7 - 11 + fees}
    assert both(execution, graded) == (expected, expected)


@pytest.mark.check
@settings(max_examples=10)
@given(
    st.lists(st.sampled_from(HOLDERS), min_size=1, max_size=4, unique=True),
    st.lists(
        st.tuples(st.sampled_from((*SHAPES, *REVERTING)), st.integers(1, 1000), st.sampled_from((RICH, FRIEND))),
        max_size=8,
    ),
)
def test_every_run_costs_the_same_twice(snapshot: Snapshot, side: list[str], drawn: list[tuple[str, int, str]]) -> None:
    """Any sequence of them, whoever is of the side: the wallet, who is paid, the pool, the wrapped coin's contract."""
    execution, graded = carried_out(snapshot, side, [*READY, *(shape(*one) for one in drawn)])
    lost, told = both(execution, graded)
    assert lost == told


PUSH: Final = 0x5F
OPERATIONS: Final = {"CALL": 0xF1, "CALLCODE": 0xF2, "DELEGATECALL": 0xF4, "STATICCALL": 0xFA}
MAKERS: Final = {"CREATE": 0xF0, "CREATE2": 0xF5}
PRECOMPILE: Final = "0x" + "4".zfill(40)
LEVELS: Final = 4
"""Contracts of one draw; each knows those that were made before it."""


def push(number: int) -> bytes:
    size = max(1, (number.bit_length() + 7) // 8)
    return bytes([PUSH + size]) + number.to_bytes(size, "big")


def ending(word: str, known: Mapping[str, str]) -> bytes:
    """How code ends: well, undone, all gas gone, or with its coins given to whom ``word`` names."""
    plain = {"stop": b"\x00", "revert": push(0) + push(0) + b"\xfd", "invalid": b"\xfe", "self": b"\x30\xff"}
    return plain[word] if word in plain else push(int(known[word], 16)) + b"\xff"


def made(run: bytes) -> bytes:
    """Code that makes a contract of ``run``."""
    head = 12
    return b"\x61" + len(run).to_bytes(2, "big") + b"\x80" + push(head) + push(0) + b"\x39" + push(0) + b"\xf3" + run


def action(kind: str, target: str, value: int, known: Mapping[str, str]) -> bytes:
    """One call, or one contract made by code that ends as ``target`` says, and its outcome ignored."""
    if kind in MAKERS:
        code = made(b"\x00") if target == "stop" else ending(target, known)
        kept = b"".join(
            b"\x7f" + code[at : at + 32].ljust(32, b"\0") + push(at) + b"\x52" for at in range(0, len(code), 32)
        )
        salt = push(7) if kind == "CREATE2" else b""
        return kept + salt + push(len(code)) + push(0) + push(value) + bytes([MAKERS[kind]]) + b"\x50"
    sent = push(value) if kind in ("CALL", "CALLCODE") else b""
    return push(0) * 4 + sent + push(int(known[target], 16)) + push(300_000) + bytes([OPERATIONS[kind]]) + b"\x50"


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[list[tuple[str, str, int]], str]]:
    """For each contract its calls and how it ends."""
    found = []
    for level in range(LEVELS):
        known = ["friend", "stranger", "precompile", *(f"contract {at}" for at in range(level))]
        value = st.sampled_from((3, 40, 0, 5000))
        calls = st.tuples(st.sampled_from(sorted(OPERATIONS)), st.sampled_from(known), value)
        makes = st.tuples(st.sampled_from(sorted(MAKERS)), st.sampled_from(("stop", "revert", "self", "friend")), value)
        steps = draw(st.lists(st.one_of(calls, calls, makes), min_size=2, max_size=4))
        found.append((steps, draw(st.sampled_from(("stop", "stop", "stop", "revert", "invalid", "self", *known[:2])))))
    return found


LENT: Final = ("DELEGATECALL", "contract 0", 0)


def calls_of(frame: Mapping[str, Any], acting: str = "") -> Iterator[tuple[Any, ...]]:
    """Who gave whom how much by each call of a tree, and whether the giver destroyed itself by it."""
    destroyed = frame["type"] == "SELFDESTRUCT" and frame["from"] == acting
    yield destroyed, (frame["from"], frame.get("to"), frame.get("value"))
    acting = frame.get("to", "") if frame["type"] in ("CALL", *MAKERS) else acting
    for call in frame.get("calls") or ():
        yield from calls_of(call, acting)


def told_twice(trace: Mapping[str, Any]) -> bool:
    """Whether an account that destroys itself gives what was given before, word by word: it may be that Anvil repeats
    it, as it does where an account destroys itself in its own favour."""
    seen = set()
    for destroys, moved in calls_of(trace):
        if destroys and moved in seen:
            return True
        seen.add(moved)
    return False


@pytest.mark.check
@settings(max_examples=24, phases=[Phase.explicit, Phase.generate])  # on a node, shrinking takes minutes
@given(programs())
@example([([], "friend"), ([LENT], "stop"), ([], "stop"), ([LENT], "stop")])
@example([([], "friend"), ([], "stop"), ([], "stop"), ([("CALL", "contract 0", 3)], "self")])
def test_any_tree_of_calls_moves_the_coins_it_tells(
    pool: ForkPool, drawn: list[tuple[list[tuple[str, str, int]], str]]
) -> None:
    """Contracts that call, borrow code, make and destroy each other, fail and run dry: every account is as told."""
    known = {"rich": RICH, "friend": FRIEND, "stranger": STRANGER, "precompile": PRECOMPILE}
    with pool.lease(CHAIN, HEIGHT, writes=True) as fork:
        chain = ScratchChain(fork)
        for at, (steps, end) in enumerate(drawn):
            code = b"".join(action(*step, known) for step in steps) + ending(end, known)
            receipt = chain.send({"from": RICH, "data": made(code), "value": 100})
            known[f"contract {at}"] = receipt["contractAddress"].lower()
            assert chain.rpc("eth_getCode", known[f"contract {at}"], "latest") == "0x" + code.hex()
        last = known[f"contract {LEVELS - 1}"]
        accounts = sorted(set(known.values()))
        before = {one: int(chain.rpc("eth_getBalance", one, "latest"), 16) for one in accounts}
        raw = chain.send({"from": RICH, "to": last, "value": 50, "gas": 3_000_000})
        after = {one: int(chain.rpc("eth_getBalance", one, "latest"), 16) for one in accounts}
        sent = Sent(CHAIN, RICH, last, 50, "0x", 3_000_000, raw["transactionHash"])
        receipts = (Receipt(sent, True, raw, chain.trace(sent.hash)),)
    assume(not told_twice(receipts[0].trace))
    coin = Asset("COIN", CHAIN, "", 18)
    for one in accounts:
        execution = Execution((), (Wallet(CHAIN, one),), (coin,))
        assert lost_by_receipts(execution, receipts) == {"COIN": before[one] - after[one]}
