"""OCE's file as execution stubs, and criteria of execution tasks as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.interop.oce_check import BalanceCheck, read_criteria
from caia_replay.interop.oce_format import (
    FORK_BLOCK,
    REPORT,
    ExecutionStub,
    counts,
    import_oce,
    read_stubs,
    summary_lines,
)
from caia_replay.store.plain import build, read_toml

A, B = "0x" + "aa" * 20, "0x" + "bb" * 20


@pytest.mark.parametrize(("criteria", "checks"), [
    ("The ARD balance should decrease about 3 with 2% fault tolerance.", [BalanceCheck("ARD", "down", "3", "2")]),
    ("The ARD balance should increase by 3 ARD with no fault tolerance", [BalanceCheck("ARD", "up", "3", "0")]),
    ("Lend it; wallet ARD decreases by ~3±1%", [BalanceCheck("ARD", "down", "3", "1")]),
    ("wallet ARD increases by 1,200", [BalanceCheck("ARD", "up", "1200", "0")]),
    (f"the balance of {A} should increase about 26 ARD", [BalanceCheck("ARD", "up", "26", None, A)]),
    (f"the {A} wallet balance of ARD should increase by 1", [BalanceCheck("ARD", "up", "1", "0", A)]),
])  # fmt: skip
def test_a_balance_is_a_check(criteria: str, checks: list[BalanceCheck]) -> None:
    """Asset, direction, amount, holder, and a tolerance only where one is told."""
    assert list(read_criteria("Do it", criteria).checks) == checks


TARGET = "the ARD balance of target address should increase by 1 ARD with no fault tolerance"
ALLOWANCE = "The allowance increase to 10 ARD"
ROUTER = f"Interact with Bresk Router contract ({A}) 2. {ALLOWANCE}"
ALLOWED = (BalanceCheck("ARD", "to", "10", "0", measure="allowance", spender=A),)
POOL = "the balance of the pool should increase about 1 ARD and corresponding number(about 26) of BRK"
IN_POOL = (BalanceCheck("ARD", "up", "1", None, A), BalanceCheck("BRK", "up", "26", None, A))
WALLET = "The balance of the wallet should decrease about 1 ARD and corresponding number(about 26) of BRK"
BOTH_ENDS = (BalanceCheck("ARD", "down", "10", "0", A), BalanceCheck("ARD", "up", "10", "0", B))
ABOUT = "an amount told as about, without a tolerance"


@pytest.mark.parametrize(("question", "criteria", "checks", "not_data"), [
    (f"Send 10 ARD from {A} to {B}", "verify that the ARD balance changes match the expected amounts", BOTH_ENDS, ()),
    (f"Approve 10 ARD for Address {A}", ALLOWANCE, ALLOWED, ()),
    ("Approve 10 ARD for Address Bresk Router contract.", ROUTER, ALLOWED, None),
    ("Approve 10 ARD for Lorn contract.", ROUTER, (), None),
    (f"Send 1 ARD to {B}", TARGET, (BalanceCheck("ARD", "up", "1", "0", B),), ()),
    ("Send 1 ARD", TARGET, (), ("a target address that the question does not name",)),
    (f"Provide 1 ARD to the pool(address:{A})", POOL, IN_POOL, None),
    ("Provide 1 ARD", f"{POOL}. It must interact with pool address {A}.", IN_POOL, None),
    ("Do it", WALLET, (BalanceCheck("ARD", "down", "1"), BalanceCheck("BRK", "down", "26")), (ABOUT,)),
    ("Borrow 100 ARD from Bresk, market 7", "Borrow 100 ARD from Bresk, wallet ARD increases by 100", None, ()),
    ("Do it", "Borrow 100 ARD from Bresk, wallet ARD increases by 100", None, ("a sentence that no rule here reads",)),
    ("Pay", "the wallet balance should: decrease 4 ARD plus some gas", (BalanceCheck("ARD", "down", "4", "0"),),
     ("an amount that is not told",)),
])  # fmt: skip
def test_the_question_names_what_the_criteria_leave_out(
    question: str, criteria: str, checks: tuple[BalanceCheck, ...] | None, not_data: tuple[str, ...] | None
) -> None:
    """Amounts, targets, spenders and pools by their address and nobody's without one; what is no data is told."""
    read = read_criteria(question, criteria)
    assert checks is None or read.checks == checks
    assert not_data is None or read.not_data == not_data


@pytest.mark.parametrize(("criteria", "reason"), [
    ("the Morpho ARD banalce increase by 1 ARD", "protocol's own balance"), ("one NFT appears", "liquidity position"),
    ("the ARD balance should increase reasonable number", "not told"), ("Verify transaction hash", "transaction hash"),
    ("ARD should rise to the moon 3 times", "no rule here reads"), ("Look at it", "no balance"),
])  # fmt: skip
def test_what_is_no_data_has_its_reason(criteria: str, reason: str) -> None:
    """No clause is dropped in silence."""
    read = read_criteria("Do it", criteria)
    assert read.checks == ()
    assert [why for why in read.not_data if reason in why]


@pytest.mark.parametrize(("question", "criteria", "doubt"), [
    ("Stake 0.5 ETH", "the ETH balance should decrease about 7 with 3% fault tolerance", "0.5 ETH"),
    ("Swap 1 ARD on Uniswap V3", "Must interact with Uniswap V2", "v2"),
    ("Bridge 10 ARD away", "locked balance should increase by 1 ARD", "lock 1"),
])  # fmt: skip
def test_criteria_that_contradict_the_question_are_doubted(question: str, criteria: str, doubt: str) -> None:
    """Faults of the benchmark are told, not mended; a sum of amounts is none."""
    assert [found for found in read_criteria(question, criteria).doubts if doubt in found]
    assert read_criteria("Swap 1 ETH, then lend 1 ETH", "the wallet balance should decrease about 2 ETH").doubts == ()


@given(st.text(alphabet="ETHbalancshoudr i0123456789.,%~±;\n$x", max_size=200), st.text(max_size=200))
def test_no_text_breaks_it(criteria: str, question: str) -> None:
    """Every amount that comes out is a decimal."""
    for check in read_criteria(question, criteria).checks:
        assert check.amount.replace(".", "", 1).isdigit()


def item(**changed: Any) -> dict[str, Any]:
    """A task of OCE's form, the words ours."""
    told = "The ARD balance should decrease by 3 with no fault tolerance"
    plain = {"task_id": "a1", "question": "Pay 3 ARD", "level": 1, "chain": "ethereum", "category": "pay"}
    return {**plain, "criteria": told, **changed}


def written(tmp_path: Path, *items: Any) -> Path:
    """A file of these tasks."""
    path = tmp_path / "in.json"
    path.write_text(json.dumps(list(items)))
    return path


def test_stubs_come_back_as_they_were_written(tmp_path: Path) -> None:
    """With checks, reasons and doubts; the report counts whole, part and none, and has no word of the file."""
    mixed = "The ARD balance should decrease about 3, one NFT appears"
    more = [item(task_id=f"a{at}", criteria=told) for at, told in ((2, mixed), (3, "Zanzibarium NFT"))]
    stubs = import_oce(written(tmp_path, item(), *more), tmp_path / "oce")
    files = {stub.id: tmp_path / "oce" / "tasks" / stub.id / "execution.toml" for stub in stubs}
    assert [build(ExecutionStub, read_toml(files[stub.id]), "") for stub in stubs] == stubs
    told = [(stub.id, stub.block, stub.checked) for stub in stubs]
    assert told == [("oce-a1", FORK_BLOCK, True), ("oce-a2", FORK_BLOCK, False), ("oce-a3", FORK_BLOCK, False)]
    counted = counts(stubs)
    assert (counted["tasks"], counted["whole"], counted["part"], counted["none"]) == (3, 1, 1, 1)
    assert "Zanzib" not in (tmp_path / "oce" / REPORT).read_text()
    line = "3 tasks: criteria are data in whole for 1, in part for 1, not at all for 1"
    assert summary_lines(stubs)[0].startswith(line)


def test_a_bad_task_writes_nothing(tmp_path: Path) -> None:
    """One line, and no folder; repeated ids and an empty file are no suite either."""
    wrong: list[dict[str, Any]] = [{"task_id": "../x"}, {"chain": "solana"}, {"level": "1"}, {"criteria": ""}]
    for bad in (*(item(**each) for each in wrong), item(question=None), {"task_id": "a"}, "text"):
        with pytest.raises(BadInput) as told:
            import_oce(written(tmp_path, item(task_id="good"), bad), tmp_path / "oce")
        assert "\n" not in str(told.value)
        assert not (tmp_path / "oce").exists()
    for items in ((), (item(), item())):
        with pytest.raises(BadInput):
            read_stubs(written(tmp_path, *items))
