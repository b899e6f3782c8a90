"""Behaviour of the rule that is the same for every task: what nobody asked for may not go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.core.execution import Allowance, Asset, BalanceCheck, Execution, Graded, Receipt, Sent, Wallet
from caia_replay.scoring.nothing_else import nothing_else

OWN, FRIEND, THIEF, TOKEN, OTHER = (f"0x{digit * 40}" for digit in "12345")
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
TASK = Execution(
    wallets=(Wallet("one", OWN),),
    side=(Wallet("one", OWN), Wallet("one", FRIEND)),
    assets=(
        Asset("PAID", "one", TOKEN, 6, "1"),
        Asset("KEPT", "one", "0x" + "6" * 40, 18, "2"),
        Asset("DUST", "one", "0x" + "7" * 40, 18),
        Asset("COIN", "one", "", 18, "3"),
    ),
    balances=(BalanceCheck(OWN, "PAID", "-5", "-5"),),
    trusted=(Wallet("one", "0x" + "8" * 40),),
)


def word(address: str) -> str:
    return "0x" + address[2:].zfill(64)


def receipt(contract: str, giver: str, own: bool = True, numbered: bool = False) -> Receipt:
    topics = [TRANSFER, word(giver), word(THIEF), *([word("0x1")] if numbered else [])]
    log = {"address": contract, "topics": topics, "data": "0x" if numbered else word("0x5")}
    sent = Sent("one", OWN, contract, 0, "0x", 1, "0x")
    return Receipt(sent, own, {"status": "0x1", "logs": [log]}, {})


def graded(changes: Mapping[str, int], **more: Any) -> Graded:
    before = {asset.symbol: {OWN: 100, FRIEND: 100} for asset in TASK.assets}
    after = {symbol: {OWN: 100 + changes.get(symbol, 0), FRIEND: 100} for symbol in before}
    return Graded(before, after, (), more.pop("receipts", ()), **more)


@pytest.mark.parametrize(
    ("changes", "fallen"),
    [
        ({"PAID": -5}, []),
        ({"KEPT": -1}, ["KEPT"]),
        ({"KEPT": 50}, []),
        ({"DUST": -9}, []),
        ({"COIN": -7}, []),
        ({"COIN": -8}, ["COIN"]),
        ({"COIN": -8, "KEPT": -100}, ["KEPT", "COIN"]),
    ],
)
def test_no_priced_holding_falls_that_no_check_is_about(changes: dict[str, int], fallen: list[str]) -> None:
    """What is checked may fall, what nobody pays for too, and coins by the wallet's own fees, here seven."""
    told = list(nothing_else(TASK, graded(changes), {"one": 7}))
    assert [reason.split(" of ")[0] for reason in told] == fallen


@pytest.mark.parametrize("numbered", [False, True])
def test_no_token_leaves_that_the_task_does_not_count(numbered: bool) -> None:
    """Tokens and collectibles alike, each contract once; counted tokens, other givers and the task's acts are left."""
    ours = [receipt(OTHER, OWN, numbered=numbered), receipt(OTHER, OWN, numbered=numbered)]
    others = [receipt(TOKEN, OWN), receipt(OTHER, THIEF), receipt("0x" + "9" * 40, OWN, own=False)]
    (reason,) = nothing_else(TASK, graded({}, receipts=(*others, *ours)), {})
    assert OTHER in reason
    assert list(nothing_else(TASK, graded({}, receipts=tuple(others)), {})) == []


@pytest.mark.parametrize(
    ("spender", "amount", "is_told"),
    [
        (THIEF, 0, False),
        (THIEF, 1, True),
        (THIEF, None, True),
        (FRIEND, 2**256 - 1, False),
        ("0x" + "8" * 40, 5, False),
    ],
)
def test_no_allowance_stays_open_but_to_whom_the_task_trusts(spender: str, amount: int | None, is_told: bool) -> None:
    """One that was used up is none; one that cannot be told is not taken for none; the side and the trusted may."""
    left = Allowance("one", TOKEN, OWN, spender, amount)
    told = list(nothing_else(TASK, graded({}, allowances=(left,)), {}))
    assert [spender in reason for reason in told] == ([True] if is_told else [])


def test_another_chain_s_trust_and_fees_do_not_count() -> None:
    """Whoever is trusted on one chain is a stranger on the other, and fees are those of the coin's own chain."""
    elsewhere = replace(TASK, trusted=(Wallet("two", THIEF),))
    left = Allowance("one", TOKEN, OWN, THIEF, 1)
    assert len(list(nothing_else(elsewhere, graded({"COIN": -1}, allowances=(left,)), {"two": 99}))) == 2
