"""Criteria of execution tasks as data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.interop.oce_check import BalanceCheck, read_criteria

A, B = "0x" + "aa" * 20, "0x" + "bb" * 20


@pytest.mark.parametrize(
    ("criteria", "checks"),
    [
        ("The ARD balance should decrease about 3 with 2% fault tolerance.", [BalanceCheck("ARD", "down", "3", "2")]),
        ("The ARD balance should increase by 3 ARD with no fault tolerance", [BalanceCheck("ARD", "up", "3", "0")]),
        ("the balance of stARD should increase 0.5. The rest is kept", [BalanceCheck("stARD", "up", "0.5", "0")]),
        ("Lend it; wallet ARD decreases by ~3±1%", [BalanceCheck("ARD", "down", "3", "1")]),
        ("wallet ARD increases by 1,200", [BalanceCheck("ARD", "up", "1200", "0")]),
        (
            "1. ARD decrease about 0.5. BRK increase = 1300",
            [BalanceCheck("ARD", "down", "0.5"), BalanceCheck("BRK", "up", "1300", "0")],
        ),
        (f"the balance of {A} should increase about 26 ARD", [BalanceCheck("ARD", "up", "26", None, A)]),
        (f"the {A} wallet balance of ARD should increase by 1", [BalanceCheck("ARD", "up", "1", "0", A)]),
        ("the wallet balance should decrease by about 2 ARD", [BalanceCheck("ARD", "down", "2")]),
    ],
)
def test_a_balance_is_a_check(criteria: str, checks: list[BalanceCheck]) -> None:
    """Asset, direction, amount, holder, and a tolerance only where one is told."""
    assert list(read_criteria("Do it", criteria).checks) == checks


def test_about_without_a_tolerance_is_told() -> None:
    """None is not zero: whoever grades must choose."""
    read = read_criteria("Pay 3 ARD", "The ARD balance should decrease about 3")
    assert read.checks[0].tolerance_percent is None
    assert read.not_data == ("an amount told as about, without a tolerance",)


def test_a_transfer_is_checked_at_both_ends() -> None:
    """Where the criteria point to the question's own amounts."""
    read = read_criteria(
        f"Send 10 ARD from {A} to {B}", "verify that the ARD balance changes match the expected amounts"
    )
    assert read.checks == (BalanceCheck("ARD", "down", "10", "0", A), BalanceCheck("ARD", "up", "10", "0", B))
    assert read.not_data == ()


def test_an_allowance_needs_its_spender() -> None:
    """By address; a contract's name alone is no data."""
    told = "The allowance increase to 10 ARD"
    read = read_criteria(f"Approve 10 ARD for Address {A}", told)
    assert read.checks == (BalanceCheck("ARD", "to", "10", "0", measure="allowance", spender=A),)
    named = read_criteria("Approve 10 ARD for Bresk", told)
    assert named.checks == () and "without an address" in named.not_data[0]


def test_the_target_is_the_questions_address() -> None:
    """And nobody's where the question has none."""
    told = "the ARD balance of target address should increase by 1 ARD with no fault tolerance"
    assert read_criteria(f"Send 1 ARD to {B}", told).checks == (BalanceCheck("ARD", "up", "1", "0", B),)
    nobody = read_criteria("Send 1 ARD", told)
    assert nobody.checks == () and nobody.not_data == ("a target address that the question does not name",)


def test_a_contract_that_the_criteria_name_by_its_address_is_a_spender() -> None:
    """Where it is the one that the question approves, and not the token's own."""
    told = f"Interact with Bresk Router contract ({A}) 2. The allowance increase to 10 ARD"
    check = BalanceCheck("ARD", "to", "10", "0", measure="allowance", spender=A)
    assert read_criteria("Approve 10 ARD for Address Bresk Router contract.", told).checks == (check,)
    assert read_criteria("Approve 10 ARD for Lorn contract.", told).checks == ()


POOL_CLAUSE = "the balance of the pool should increase about 1 ARD and corresponding number(about 26) of BRK"


@pytest.mark.parametrize(
    ("question", "criteria"),
    [
        (f"Provide 1 ARD to the pool(address:{A})", POOL_CLAUSE),
        ("Provide 1 ARD", f"{POOL_CLAUSE}. It must interact with pool address {A}."),
    ],
)
def test_a_pool_that_is_named_by_its_address_holds_what_is_checked(question: str, criteria: str) -> None:
    """By the question or by the criteria, with each of the two amounts; and the pool is nobody without an address."""
    pool = (BalanceCheck("ARD", "up", "1", None, A), BalanceCheck("BRK", "up", "26", None, A))
    assert read_criteria(question, criteria).checks == pool
    assert read_criteria("Provide 1 ARD", POOL_CLAUSE).checks == ()


def test_an_amount_in_brackets_is_told() -> None:
    """For the wallet as for a pool; a corresponding number without one is not."""
    told = "The balance of the wallet should decrease about 1 ARD and corresponding number(about 26) of BRK"
    read = read_criteria("Do it", told)
    assert read.checks == (BalanceCheck("ARD", "down", "1"), BalanceCheck("BRK", "down", "26"))
    assert read.not_data == ("an amount told as about, without a tolerance",)
    assert "an amount that is not told" in read_criteria("Do it", told.replace("(about 26)", "")).not_data


def test_a_clause_that_repeats_the_question_asks_for_nothing_more() -> None:
    """Other sentences with a figure that no rule reads are still told."""
    told = "Borrow 100 ARD from Bresk, wallet ARD increases by 100"
    assert read_criteria("Borrow 100 ARD from Bresk, market 7", told).not_data == ()
    assert read_criteria("Do it", told).not_data == ("a sentence that no rule here reads",)


@pytest.mark.parametrize(
    ("criteria", "reason"),
    [
        ("the Morpho ARD banalce increase by 1 ARD", "protocol's own balance"),
        ("the Bresk debt increases by 120 USD", "lending position"),
        ("The balance of the pool should increase about 1 ARD", "protocol's own balance"),
        ("one NFT appears", "liquidity position"),
        ("the ARD balance should increase reasonable number", "not told"),
        ("Must wrap 1 ARD", "way to go"),
        ("Verify transaction hash", "transaction hash"),
        ("ARD should rise to the moon 3 times", "no rule here reads"),
        ("Look at it", "no balance"),
    ],
)
def test_what_is_no_data_has_its_reason(criteria: str, reason: str) -> None:
    """No clause is dropped in silence."""
    read = read_criteria("Do it", criteria)
    assert read.checks == ()
    assert [why for why in read.not_data if reason in why]


def test_a_check_keeps_the_reason_of_what_stands_beside_it() -> None:
    """A gas fee that nobody tells makes an amount inexact."""
    read = read_criteria("Pay", "the wallet balance should: decrease 4 ARD plus some gas")
    assert read.checks == (BalanceCheck("ARD", "down", "4", "0"),)
    assert read.not_data == ("an amount that is not told",)


def test_contracts_and_chains_are_kept() -> None:
    """In lower case, once each."""
    read = read_criteria(
        "Bridge", f"Must interact with the bridge contract {A.upper().replace('X', 'x')}. destination chainId = 137"
    )
    assert (read.must_touch, read.destination_chain_id, read.not_data) == ((A,), 137, read.not_data)


@pytest.mark.parametrize(
    ("question", "criteria", "doubt"),
    [
        ("Stake 0.5 ETH", "the ETH balance should decrease about 7 with 3% fault tolerance", "0.5 ETH"),
        ("Supply 1 WETH", "wallet ETH decreases by 1", "WETH"),
        ("Swap 1 ARD on Uniswap V3", "Must interact with Uniswap V2", "v2"),
        ("Bridge 10 ARD away", "locked balance should increase by 1 ARD", "lock 1"),
    ],
)
def test_criteria_that_contradict_the_question_are_doubted(question: str, criteria: str, doubt: str) -> None:
    """Faults of the benchmark are told, not mended."""
    assert [found for found in read_criteria(question, criteria).doubts if doubt in found]


def test_a_sum_of_amounts_is_no_doubt() -> None:
    """One to swap and one to lend are two."""
    assert read_criteria("Swap 1 ETH, then lend 1 ETH", "the wallet balance should decrease about 2 ETH").doubts == ()


@given(st.text(alphabet="ETHbalancshoudr i0123456789.,%~±;\n$x", max_size=200), st.text(max_size=200))
def test_no_text_breaks_it(criteria: str, question: str) -> None:
    """Every amount that comes out is a decimal."""
    for check in read_criteria(question, criteria).checks:
        assert check.amount.replace(".", "", 1).isdigit()
