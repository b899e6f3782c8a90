"""Behaviour of events as checks want them: emitted by the named contract in a successful transaction of the wallet."""

from __future__ import annotations

from dataclasses import replace

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.execution import EventCheck, Receipt, Sent
from caia_replay.errors import BadInput
from caia_replay.scoring.event_log import alike, event_fault

VAULT, OWN = (f"0x{digit * 40}" for digit in "ab")
LOCKED = "Locked(uint256 indexed nonce, address sender, uint256 amount)"
CHECK = EventCheck("one", VAULT, LOCKED, {"sender": OWN, "amount": "7"})


def locked(amount: int, nonce: int = 3, status: str = "0x1", own: bool = True, chain: str = "one") -> Receipt:
    topics = ["0x" + keccak(text="Locked(uint256,address,uint256)").hex(), f"0x{nonce:064x}"]
    data = "0x" + encode(["address", "uint256"], [OWN, amount]).hex()
    log = {"address": VAULT, "topics": topics, "data": data}
    return Receipt(Sent(chain, OWN, VAULT, 0, "0x", 1, "0x"), own, {"status": status, "logs": [log]}, {})


@given(st.integers(0, 2**256 - 1))
def test_an_event_is_read_as_it_was_written(amount: int) -> None:
    """Whatever the amount, a check of it holds and a check of the next one does not."""
    right = replace(CHECK, values={"amount": str(amount), "nonce": "3"})
    assert event_fault(right, [locked(amount)]) == ""
    assert event_fault(replace(CHECK, values={"amount": str(amount + 1)}), [locked(amount)]) != ""


@pytest.mark.parametrize("other", [locked(7, status="0x0"), locked(7, own=False), locked(7, chain="two"), locked(8)])
def test_what_is_not_the_wallet_s_success_there_is_no_event_of_it(other: Receipt) -> None:
    """A reverted transaction, an act of the task, another chain and another amount do not count."""
    assert "wanted one with" in event_fault(CHECK, [other])
    assert event_fault(CHECK, [other, locked(7)]) == ""


def test_another_contract_s_log_is_not_taken_for_it() -> None:
    """Anybody can emit an event of the same name; only the named contract's counts."""
    assert event_fault(replace(CHECK, contract=OWN), [locked(7)]) != ""


def test_a_wrong_event_is_refused_by_name() -> None:
    """A text that is no event, and a parameter that it has not."""
    with pytest.raises(BadInput, match="is no event"):
        event_fault(replace(CHECK, event="Locked(uint256["), [])
    with pytest.raises(BadInput, match=r"no parameter 'who'.*nearest"):
        event_fault(replace(CHECK, values={"who": OWN}), [])


def test_addresses_are_alike_in_any_case_and_texts_letter_by_letter() -> None:
    """Checksums say nothing; a text is what it is."""
    assert alike("0xAB", "0xab") and alike("True", "true") and not alike("Gold", "gold")
