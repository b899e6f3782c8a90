"""The second account of a loss: events and call trees by hand, each rule of what moves and what does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.execution import Asset, Execution, Receipt, Sent, Wallet
from caia_replay.errors import BadInput
from caia_replay.scoring import receipt_loss
from caia_replay.scoring.receipt_loss import lost_by_receipts

OWN, FRIEND, THIEF, TOKEN = ("0x" + digit * 40 for digit in "abcd")
NOBODY = "0x" + "0" * 40
SIDE = (Wallet("one", OWN), Wallet("one", FRIEND))
TASK = Execution((SIDE[0],), SIDE, (Asset("COIN", "one", "", 18), Asset("TOKEN", "one", TOKEN, 6)))


def log(event: str, *parties: str, amount: int = 5, at: str = TOKEN) -> dict[str, Any]:
    """An event of parties and an amount."""
    topics = ["0x" + keccak(text=event).hex(), *("0x" + party[2:].zfill(64) for party in parties)]
    return {"address": at, "topics": topics, "data": f"0x{amount:064x}"}


def transfer(giver: str, taker: str, amount: int = 5, at: str = TOKEN) -> dict[str, Any]:
    return log("Transfer(address,address,uint256)", giver, taker, amount=amount, at=at)


def receipt(*logs: Any, sender: str = THIEF, chain: str = "one", trace: Any = None, status: str = "0x1") -> Receipt:
    """A transaction that used 10 gas at 3 wei."""
    told = {"status": status, "gasUsed": "0xa", "effectiveGasPrice": "0x3", "from": sender, "logs": list(logs)}
    return Receipt(Sent(chain, sender, TOKEN, 0, "0x", 10, "0x01"), True, told, trace or call("CALL", sender, TOKEN))


def call(kind: str, giver: str, taker: str, value: int = 0, *calls: Any, error: str = "") -> dict[str, Any]:
    """A frame of a call tree, with the calls that it made."""
    frame: dict[str, Any] = {"type": kind, "from": giver, "to": taker, "value": hex(value), "calls": list(calls)}
    return frame | ({"error": error} if error else {})


def tokens(*logs: Any) -> int:
    return lost_by_receipts(TASK, [receipt(*logs)])["TOKEN"]


def coins(trace: Mapping[str, Any]) -> int:
    return lost_by_receipts(TASK, [receipt(trace=trace)])["COIN"]


def test_the_topics_are_the_events() -> None:
    """The three hashes are those of the signatures that they stand for."""
    told = {
        "Transfer(address,address,uint256)": receipt_loss._TRANSFER,
        "Deposit(address,uint256)": receipt_loss._DEPOSIT,
        "Withdrawal(address,uint256)": receipt_loss._WITHDRAWAL,
    }
    assert {text: "0x" + keccak(text=text).hex() for text in told} == told


@given(st.lists(st.tuples(*[st.sampled_from((OWN, FRIEND, THIEF, NOBODY))] * 2, st.integers(0, 2**256 - 1))))
def test_tokens_are_the_sums_of_their_transfers(moves: list[tuple[str, str, int]]) -> None:
    """Whatever is sent, made or ended: as books kept move by move say, whether in one transaction or in many."""
    books = dict.fromkeys((OWN, FRIEND, THIEF, NOBODY), 0)
    for giver, taker, amount in moves:
        books[giver] -= amount
        books[taker] += amount
    logs = [transfer(*move) for move in moves]
    assert tokens(*logs) == -books[OWN] - books[FRIEND]
    assert lost_by_receipts(TASK, map(receipt, logs))["TOKEN"] == tokens(*logs)


@pytest.mark.parametrize("other", [
    transfer(OWN, THIEF, at=FRIEND), {**transfer(OWN, THIEF), "data": "0x"},
    {**transfer(OWN, THIEF), "topics": [*transfer(OWN, THIEF)["topics"], "0x" + "1".zfill(64)]},
    {**transfer(OWN, THIEF), "topics": []}, log("Approval(address,address,uint256)", OWN, THIEF),
    log("Deposit(address,uint256)", OWN, at=THIEF), log("Deposit(address,uint256)", OWN, FRIEND),
])  # fmt: skip
def test_other_events_move_no_tokens(other: dict[str, Any]) -> None:
    """Another contract's, a collectible's, an allowance, and what only looks like a transfer or a deposit."""
    assert tokens(other) == 0
    assert tokens(other, transfer(OWN, THIEF)) == 5


def test_wrapping_makes_and_unwrapping_ends_tokens() -> None:
    """A wrapped coin emits no transfers for it; a token that does means the same tokens, and not as many again."""
    deposit, withdrawal = log("Deposit(address,uint256)", OWN), log("Withdrawal(address,uint256)", OWN, amount=3)
    assert (tokens(deposit), tokens(withdrawal), tokens(deposit, deposit, withdrawal)) == (-5, 3, -7)
    assert tokens(deposit, transfer(NOBODY, OWN, 4)) == -4
    assert tokens(withdrawal, transfer(OWN, NOBODY, 2)) == 2
    assert tokens(deposit, transfer(NOBODY, FRIEND, 4), transfer(OWN, THIEF, 1)) == -8


@pytest.mark.parametrize(("inner", "lost"), [
    (call("CALL", TOKEN, OWN, 7), -7), (call("CALL", OWN, THIEF, 7), 7), (call("CALL", OWN, FRIEND, 7), 0),
    (call("CREATE", OWN, THIEF, 7), 7), (call("CREATE2", OWN, THIEF, 7), 7),
    (call("CALL", OWN, THIEF, 7, error="execution reverted"), 0),
    (call("CALL", TOKEN, THIEF, 1, call("CALL", THIEF, OWN, 7), error="out of gas"), 0),
    ({"type": "CREATE", "from": OWN, "value": "0x7", "error": "insufficient balance for transfer"}, 0),
    (call("DELEGATECALL", TOKEN, OWN, 7), 0), (call("CALLCODE", TOKEN, OWN, 7), 0),
    ({"type": "STATICCALL", "from": TOKEN, "to": OWN}, 0),
    (call("DELEGATECALL", TOKEN, THIEF, 7, call("CALL", TOKEN, OWN, 2)), -2),
    (call("CALL", TOKEN, THIEF, 0, call("SELFDESTRUCT", THIEF, OWN, 7)), -7),
    (call("CALL", TOKEN, OWN, 7, call("SELFDESTRUCT", TOKEN, OWN, 7)), -7),
    (call("CALL", TOKEN, OWN, 0, call("SELFDESTRUCT", OWN, THIEF, 7)), 7),
    (call("CALL", TOKEN, OWN, 0, {"type": "SELFDESTRUCT", "from": NOBODY, "value": "0x0"}), 0),
    (call("CALL", TOKEN, OWN, 0, call("DELEGATECALL", OWN, TOKEN, 0, call("SELFDESTRUCT", OWN, THIEF, 7))), 7),
])  # fmt: skip
def test_coins_move_by_calls(inner: dict[str, Any], lost: int) -> None:
    """What is undone or only borrows code moves nothing; only who runs can destroy itself and give."""
    assert coins(call("CALL", THIEF, TOKEN, 1, inner)) == lost
    assert coins(call("CALL", THIEF, TOKEN, 1, inner, error="execution reverted")) == 0


def test_fees_are_lost_by_the_side_alone() -> None:
    """Whoever of the side sends pays, reverted or not; a revert moves neither coins nor tokens."""
    paid = {"trace": call("CALL", OWN, THIEF, 7), "sender": OWN}
    assert lost_by_receipts(TASK, [receipt(transfer(OWN, THIEF), **paid)]) == {"COIN": 37, "TOKEN": 5}
    assert lost_by_receipts(TASK, [receipt(transfer(OWN, THIEF), **paid, status="0x0")]) == {"COIN": 30, "TOKEN": 0}
    acted = replace(receipt(sender=FRIEND), own=False)
    assert lost_by_receipts(TASK, [acted, receipt(sender=THIEF)]) == {"COIN": 30, "TOKEN": 0}


def test_chains_are_kept_apart() -> None:
    """What happens on another chain, by accounts of the same address, is no loss of this chain's assets."""
    far = receipt(transfer(OWN, THIEF), sender=OWN, trace=call("CALL", OWN, THIEF, 7), chain="two")
    assert lost_by_receipts(TASK, [far]) == {"COIN": 0, "TOKEN": 0}
    there = replace(TASK, side=(Wallet("two", OWN),))
    assert lost_by_receipts(there, [receipt(transfer(OWN, THIEF), sender=OWN)]) == {"COIN": 0, "TOKEN": 0}


def test_a_call_of_unknown_kind_is_refused() -> None:
    """What it moves is not known, and nothing is no answer."""
    with pytest.raises(BadInput, match="a 'EXTCALL', of which it is not known"):
        coins(call("EXTCALL", OWN, THIEF, 7))
