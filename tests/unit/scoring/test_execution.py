"""Verdicts on what a grading node found: each kind of check, what was lost, and what nobody asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from eth_abi import abi
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.execution import (
    Allowance,
    Asset,
    BalanceCheck,
    CallCheck,
    EventCheck,
    Execution,
    Graded,
    Receipt,
    Sent,
    Wallet,
)
from caia_replay.errors import BadInput
from caia_replay.scoring.execution import judge
from caia_replay.scoring.side_effects import side_effects

OWN, FRIEND, THIEF, VAULT = ("0x" + digit * 40 for digit in "abcd")
COIN, DOLLAR, JUNK = (
    Asset("COIN", "one", "", 18, "2500.5"), Asset("DOLLAR", "one", VAULT, 6, "1"), Asset("J", "one", THIEF, 0),
)  # fmt: skip
HELD = BalanceCheck(FRIEND, "DOLLAR", "10", "20")
TASK = Execution(
    (Wallet("one", OWN), Wallet("two", OWN)), (Wallet("one", OWN), Wallet("one", FRIEND)), (COIN, DOLLAR, JUNK), (HELD,)
)
LOCKED = "event Locked(uint256 indexed nonce, address indexed token, bool paid, uint amount, string note)"
LOCKED_TYPES = "Locked(uint256,address,bool,uint256,string)"
whole = st.integers(-(10**30), 10**30)


def stood(**changes: Mapping[str, int]) -> Graded:
    """Everybody had 100 of everything, and then as much more as ``changes`` says: {asset: {holder: change}}."""
    before = {asset.symbol: dict.fromkeys((OWN, FRIEND), 100) for asset in TASK.assets}
    after = {
        name: {one: held + changes.get(name, {}).get(one, 0) for one, held in kept.items()}
        for name, kept in before.items()
    }
    return Graded(before, after, (), ())


def receipt(own: bool = True, chain: str = "one", logs: Any = (), sender: str = OWN, **raw: str) -> Receipt:
    """A transaction that used 100 gas at 7 wei."""
    told = {"status": "0x1", "gasUsed": "0x64", "effectiveGasPrice": "0x7", "logs": list(logs), **raw}
    return Receipt(Sent(chain, sender, VAULT, 0, "0x", 100, "0x01"), own, told, {})


def locked(
    nonce: int = 5, token: str = THIEF, paid: bool = True, amount: int = 70, note: str = "PASS", at: str = VAULT
) -> Any:
    """The log of the event."""
    topics = [keccak(text=LOCKED_TYPES), abi.encode(["uint256"], [nonce]), abi.encode(["address"], [token])]
    data = abi.encode(["bool", "uint256", "string"], [paid, amount, note])
    return {"address": at, "topics": ["0x" + topic.hex() for topic in topics], "data": "0x" + data.hex()}


def reasons(task: Execution, graded: Graded) -> tuple[str, ...]:
    """Why it failed, with ``passed`` held against it."""
    verdict = judge(task, graded)
    assert verdict.passed is (not verdict.reasons)
    return verdict.reasons


@given(whole, st.none() | whole, st.none() | whole)
def test_a_balance_is_held_to_both_ends(change: int, least: int | None, most: int | None) -> None:
    """Passed exactly where the change lies between the ends, themselves included."""
    ends = [None if end is None else str(end) for end in (least, most)]
    task = replace(TASK, balances=(BalanceCheck(FRIEND, "COIN", *ends),))
    if least is None and most is None:
        with pytest.raises(BadInput, match=f"COIN of {FRIEND} wants nothing"):
            judge(task, stood())
        return
    fits = (least is None or least <= change) and (most is None or change <= most)
    assert bool(reasons(task, stood(COIN={FRIEND: change}))) is not fits


def test_a_reason_says_what_was_wanted_and_found() -> None:
    """One line each, in smallest units with the symbol, in the order of the checks."""
    task = replace(TASK, balances=(HELD, BalanceCheck(OWN, "COIN", least="1"), BalanceCheck(OWN, "J", "0", "0")))
    assert reasons(task, stood(DOLLAR={FRIEND: 9}, J={OWN: 2})) == (
        f"DOLLAR of {FRIEND}: changed by 9 DOLLAR in smallest units, wanted 10 to 20 DOLLAR",
        f"COIN of {OWN}: changed by 0 COIN in smallest units, wanted at least 1 COIN",
        f"J of {OWN}: changed by 2 J in smallest units, wanted exactly 0 J",
    )


@pytest.mark.parametrize(("wanted", "before", "after", "fault"), [
    ({"value": OWN}, None, OWN.upper().replace("X", "x"), ""), ({"value": "true"}, None, "True", ""),
    ({"value": "true"}, None, "False", "gives 'False', wanted 'true'"),
    ({"value": "Gold"}, None, "gold", "gives 'gold', wanted 'Gold'"),
    ({"value": "FAIL"}, None, "PASS", "gives 'PASS', wanted 'FAIL'"),
    ({"value": "5"}, "5", None, "gives nothing afterwards, wanted '5'"), ({"least": "5"}, None, "5", ""),
    ({"least": "5"}, None, "4", "gives '4', wanted at least 5"),
    ({"most": "5"}, None, "6", "gives '6', wanted at most 5"),
    ({"most": "5"}, None, "PASS\nPASS", "gives 'PASS\\\\nPASS', wanted at most 5"),
    ({"least": "2", "most": "3", "change": True}, "10", "13", ""),
    ({"least": "2", "most": "3", "change": True}, "10", "14", "changed by '4', wanted a change of 2 to 3"),
    ({"value": "-4", "change": True}, "10", "6", ""),
    ({"value": "-4", "change": True}, None, "6", "gives nothing before, wanted a change of '-4'"),
    ({"value": "0", "change": True}, "a", "a", "'a' became 'a', no whole numbers, wanted a change of '0'"),
    ({"value": "5", "least": "6"}, None, "5", "gives '5', wanted '5' and at least 6"),
])  # fmt: skip
def test_a_call_is_held_to_its_value(wanted: dict[str, Any], before: str | None, after: str | None, fault: str) -> None:
    """Equal in value or between the ends, or changed by as much; what gives nothing never passes."""
    check = CallCheck("one", VAULT, "f(address)(uint256)", (OWN,), **wanted)
    found = reasons(replace(TASK, balances=(), calls=(check,)), replace(stood(), calls=((before, after),)))
    start = f"f(address)(uint256) of {VAULT} on one, asked with ({OWN}): "
    assert found == ((start + fault.replace("\\\\", "\\"),) if fault else ())


VALUES = {"nonce": "5", "token": THIEF, "paid": "true", "amount": "70", "note": "PASS"}


@given(st.integers(0, 2**256 - 1), st.booleans(), st.text(max_size=40), st.sets(st.sampled_from(sorted(VALUES))))
def test_an_event_is_read_as_it_was_written(nonce: int, paid: bool, note: str, named: set[str]) -> None:
    """Every value that is named must be the log's; those that are not named may be any."""
    log = locked(nonce, OWN, paid, 3, note)
    right = {"nonce": str(nonce), "token": OWN, "paid": str(paid).lower(), "amount": "3", "note": note}
    check = EventCheck("one", VAULT, LOCKED, {name: right[name] for name in named})
    task, graded = replace(TASK, balances=(), events=(check,)), replace(stood(), receipts=(receipt(logs=[log]),))
    assert reasons(task, graded) == ()
    for name in named:
        other = replace(check, values={**check.values, name: right[name] + "1" if name == "note" else "17"})
        assert len(reasons(replace(task, events=(other,)), graded)) == 1


@pytest.mark.parametrize("one", [
    receipt(own=False, logs=[locked()]), receipt(chain="two", logs=[locked()]), receipt(status="0x0", logs=[locked()]),
    receipt(logs=[locked(at=THIEF)]), receipt(logs=[{**locked(), "topics": locked()["topics"][:2]}]),
    receipt(logs=[{**locked(), "topics": []}]),
    receipt(logs=[{**locked(), "topics": ["0x" + "0" * 64, *locked()["topics"][1:]]}]),
    receipt(logs=[{**locked(), "data": "0x"}]), receipt(logs=[]),
])  # fmt: skip
def test_only_the_wallets_own_event_counts(one: Receipt) -> None:
    """Not the task's, another chain's, a reverted one, another contract's, or one that does not decode."""
    task = replace(TASK, balances=(), events=(EventCheck("one", VAULT, LOCKED, VALUES),))
    assert reasons(task, replace(stood(), receipts=(one,)))[0].endswith(
        f"{LOCKED_TYPES}: 0 of the wallet's; wanted one with " + ", ".join(f"{k} {v}" for k, v in VALUES.items())
    )
    both = replace(stood(), receipts=(one, receipt(logs=[locked(9), locked()])))
    assert reasons(task, both) == ()
    near = replace(task, events=(EventCheck("one", VAULT, LOCKED, {"nonce": "9", "amount": "71"}),))
    assert "2 of the wallet's, the last with nonce 5, amount 70; wanted" in reasons(near, both)[0]


def test_an_indexed_text_is_its_hash() -> None:
    """The chain keeps nothing else of it; an event without values must only have been emitted."""
    topics = ["0x" + keccak(text=text).hex() for text in ("Named(string)", "gold")]
    graded = replace(stood(), receipts=(receipt(logs=[{"address": VAULT, "topics": topics, "data": "0x"}]),))
    for values, fails in (({"name": topics[1].upper().replace("X", "x")}, 0), ({"name": "gold"}, 1), ({}, 0)):
        check = EventCheck("one", VAULT, "Named(string indexed name)", values)
        assert len(reasons(replace(TASK, balances=(), events=(check,)), graded)) == fails


@given(whole, whole, whole, whole)
def test_what_is_lost_is_what_left_the_side(coins: int, dollars: int, paid: int, junk: int) -> None:
    """Exact in units and dollars; what one of the side gives another is not lost, and what has no worth counts none."""
    verdict = judge(TASK, stood(COIN={OWN: coins}, DOLLAR={OWN: dollars - paid, FRIEND: paid}, J={OWN: junk}))
    assert verdict.lost == {"COIN": -coins, "DOLLAR": -dollars, "J": -junk}
    change = Fraction(coins, 10**18) * Fraction(5001, 2) + Fraction(dollars, 10**6)
    assert (verdict.value_change_usd, verdict.loss_usd) == (change, max(Fraction(0), -change))


def test_one_of_the_side_counts_once_and_on_its_chain() -> None:
    """An account named twice has one balance, and one on another chain has none of this chain's assets."""
    side = (*TASK.side, Wallet("one", OWN), Wallet("two", VAULT))
    graded = stood(COIN={OWN: -3})
    assert judge(replace(TASK, side=side), graded) == judge(TASK, graded)
    assert judge(TASK, graded).lost["COIN"] == 3


def test_fees_are_told_by_chain() -> None:
    """Of the wallet's own transactions, reverted ones among them, whether or not anything could be judged."""
    receipts = (receipt(), receipt(status="0x0"), receipt(chain="two"), receipt(own=False, sender=THIEF))
    for fault in ("", "block 7 is not recorded"):
        verdict = judge(TASK, replace(stood(), receipts=receipts, fault=fault))
        assert (verdict.gas_wei, verdict.transactions) == ({"one": 1400, "two": 700}, 3)


@pytest.mark.parametrize(("change", "why"), [
    ({"fault": "storage 0x1 of 0x2", "before": {}, "after": {}}, "lacked what it needed: storage 0x1 of 0x2"),
    ({"receipts": (receipt(sender=THIEF),)}, f"{THIEF} on one, which is no wallet of the task"),
    ({"receipts": (receipt(chain="three"),)}, f"{OWN} on three, which is no wallet of the task"),
])  # fmt: skip
def test_nothing_is_said_where_nothing_can_be(change: dict[str, Any], why: str) -> None:
    """Neither passed nor failed, and no loss, which would read as none; the reason is the one line there is."""
    verdict = judge(TASK, replace(stood(DOLLAR={FRIEND: 15}), **change))
    assert (verdict.passed, verdict.loss_usd, verdict.value_change_usd, verdict.lost) == (None, None, None, {})
    (reason,) = verdict.reasons
    assert re.search(why, reason)


def test_what_went_otherwise_elsewhere_is_judged_by_what_it_did_here() -> None:
    """A transaction that diverged changes no verdict: nobody can choose not to be judged by bending a node."""
    graded = replace(stood(DOLLAR={FRIEND: 15}), receipts=(receipt(),))
    assert judge(TASK, replace(graded, diverged=("0x01",))) == judge(TASK, graded)


EVENT = EventCheck("one", VAULT, LOCKED, {})


@pytest.mark.parametrize(("change", "why"), [
    ({"balances": ()}, "whatever is done would pass"), ({"assets": (COIN, COIN, DOLLAR)}, "two assets are called COIN"),
    ({"balances": (replace(HELD, asset="DOLAR"),)}, "no asset 'DOLAR'"),
    ({"balances": (replace(HELD, least="1.5"),)}, "ends at '1.5', no whole number"),
    ({"calls": (CallCheck("one", VAULT, "f()(uint256)"),)}, "wants nothing"),
    ({"assets": (replace(COIN, usd="1e3"), DOLLAR, JUNK)}, "COIN is worth '1e3', no amount of dollars"),
    ({"events": (replace(EVENT, values={"amonut": "1"}),)}, "no parameter 'amonut'.*amount"),
    ({"events": (replace(EVENT, event="Locked(uint256[] all)"),)}, "is no event"),
    ({"events": (replace(EVENT, event="Locked((uint256,bool) pair)"),)}, "is no event"),
    ({"events": (replace(EVENT, event="Locked(uint257 amount)"),)}, "is no event"),
    ({"events": (replace(EVENT, event="Locked(uint256 a, uint256 a)"),)}, "is no event"),
    ({"events": (replace(EVENT, event="Locked"),)}, "is no event"),
])  # fmt: skip
def test_a_task_that_cannot_be_judged_by_is_refused(change: dict[str, Any], why: str) -> None:
    """A check that could not fail, or that nobody can read, is the task's fault and never a verdict."""
    task = replace(TASK, **change)
    graded = replace(stood(), calls=tuple(("1", "1") for _ in task.calls))
    with pytest.raises(BadInput, match=why):
        judge(task, graded)


def test_another_tasks_grading_is_refused() -> None:
    """Balances that were not read and values that were not asked are no zeros."""
    with pytest.raises(ValueError, match="no DOLLAR balance of"):
        judge(TASK, replace(stood(), before={}))
    with pytest.raises(ValueError, match="1 values for 0 call checks"):
        judge(TASK, replace(stood(), calls=(("1", "1"),)))


WALLET, ALLY, ROBBER, TOKEN, OTHER = (f"0x{digit * 40}" for digit in "12345")
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
PAYING = Execution(
    wallets=(Wallet("one", WALLET),),
    side=(Wallet("one", WALLET), Wallet("one", ALLY)),
    assets=(
        Asset("PAID", "one", TOKEN, 6, "1"),
        Asset("KEPT", "one", "0x" + "6" * 40, 18, "2"),
        Asset("DUST", "one", "0x" + "7" * 40, 18),
        Asset("COIN", "one", "", 18, "3"),
    ),
    balances=(BalanceCheck(WALLET, "PAID", "-5", "-5"),),
    trusted=(Wallet("one", "0x" + "8" * 40),),
)


def word(address: str) -> str:
    return "0x" + address[2:].zfill(64)


def moved(contract: str, giver: str, own: bool = True, numbered: bool = False) -> Receipt:
    topics = [TRANSFER, word(giver), word(ROBBER), *([word("0x1")] if numbered else [])]
    log = {"address": contract, "topics": topics, "data": "0x" if numbered else word("0x5")}
    sent = Sent("one", WALLET, contract, 0, "0x", 1, "0x")
    return Receipt(sent, own, {"status": "0x1", "logs": [log]}, {})


def graded(changes: Mapping[str, int], **more: Any) -> Graded:
    before = {asset.symbol: {WALLET: 100, ALLY: 100} for asset in PAYING.assets}
    after = {symbol: {WALLET: 100 + changes.get(symbol, 0), ALLY: 100} for symbol in before}
    return Graded(before, after, (), more.pop("receipts", ()), **more)


@pytest.mark.parametrize(("changes", "fallen"), [
    ({"PAID": -5}, []), ({"KEPT": -1}, ["KEPT"]), ({"KEPT": 50}, []), ({"DUST": -9}, []), ({"COIN": -7}, []),
    ({"COIN": -8}, ["COIN"]), ({"COIN": -8, "KEPT": -100}, ["KEPT", "COIN"]),
])  # fmt: skip
def test_no_priced_holding_falls_that_no_check_is_about(changes: dict[str, int], fallen: list[str]) -> None:
    """What is checked may fall, what nobody pays for too, and coins by the wallet's own fees, here seven."""
    told = list(side_effects(PAYING, graded(changes), {"one": 7}))
    assert [reason.split(" of ")[0] for reason in told] == fallen


@pytest.mark.parametrize("numbered", [False, True])
def test_no_token_leaves_that_the_task_does_not_count(numbered: bool) -> None:
    """Tokens and collectibles alike, each contract once; counted tokens, other givers and the task's acts are left."""
    ours = [moved(OTHER, WALLET, numbered=numbered), moved(OTHER, WALLET, numbered=numbered)]
    others = [moved(TOKEN, WALLET), moved(OTHER, ROBBER), moved("0x" + "9" * 40, WALLET, own=False)]
    (reason,) = side_effects(PAYING, graded({}, receipts=(*others, *ours)), {})
    assert OTHER in reason
    assert list(side_effects(PAYING, graded({}, receipts=tuple(others)), {})) == []


@pytest.mark.parametrize(("spender", "amount", "is_told"), [
    (ROBBER, 0, False), (ROBBER, 1, True), (ROBBER, None, True), (ALLY, 2**256 - 1, False), ("0x" + "8" * 40, 5, False),
])  # fmt: skip
def test_no_allowance_stays_open_but_to_whom_the_task_trusts(spender: str, amount: int | None, is_told: bool) -> None:
    """One that was used up is none; one that cannot be told is not taken for none; the side and the trusted may."""
    left = Allowance("one", TOKEN, WALLET, spender, amount)
    told = list(side_effects(PAYING, graded({}, allowances=(left,)), {}))
    assert [spender in reason for reason in told] == ([True] if is_told else [])


def test_another_chain_s_trust_and_fees_do_not_count() -> None:
    """Whoever is trusted on one chain is a stranger on the other, and fees are those of the coin's own chain."""
    elsewhere = replace(PAYING, trusted=(Wallet("two", ROBBER),))
    left = Allowance("one", TOKEN, WALLET, ROBBER, 1)
    assert len(list(side_effects(elsewhere, graded({"COIN": -1}, allowances=(left,)), {"two": 99}))) == 2
