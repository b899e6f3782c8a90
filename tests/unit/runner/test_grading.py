"""Behaviour of the grading node: it knows what was sent and nothing else, and says where the chain stood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.execution import Act, CallCheck, Sent
from caia_replay.runner.grading import grade, holders_of
from caia_replay.tools.chain_copy import ChainCopies, calldata
from tests.execution_task import CHAIN, DOLLAR, FRIEND, HEIGHT, OWNER, PAID, WORLD, paying

STRANGER = "0x" + "ab" * 20


@pytest.fixture(scope="module")
def snapshots() -> dict[str, Snapshot]:
    return {CHAIN: Snapshot.open(WORLD.parents[1] / "chain_snapshots" / CHAIN)}


def height(chain: str) -> int:
    return HEIGHT


@pytest.fixture
def agent(snapshots: dict[str, Snapshot]) -> Iterator[ChainCopies]:
    with ChainCopies(snapshots, paying(), height) as made:
        yield made


def transfer(agent: ChainCopies, amount: int = PAID) -> Sent:
    return agent.send(CHAIN, OWNER, DOLLAR, 0, calldata("transfer(address,uint256)", [FRIEND, str(amount)])).sent


def test_equal_transactions_give_equal_gradings_to_the_byte(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """Two gradings of one run are equal, receipts and traces included, and go as they went for the agent."""
    sent = [transfer(agent), transfer(agent, 5)]
    first, second = (grade(snapshots, paying(), height, sent) for _ in range(2))
    assert first == second
    assert (first.diverged, first.fault) == ((), "")
    assert first.after["DCJH"][FRIEND] - first.before["DCJH"][FRIEND] == PAID + 5
    assert [receipt.raw["transactionHash"] for receipt in first.receipts] == [one.hash for one in sent]


def test_what_an_agent_did_to_its_own_node_reaches_nobody(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """Coins made by decree pay for a transfer on the agent's node alone: graded, it fails and is told to diverge."""
    operate = agent.chain(CHAIN)._fork.operate
    operate("anvil_setBalance", [OWNER, hex(10**30)])
    sent = [agent.send(CHAIN, OWNER, STRANGER, 10**29, "0x").sent]
    graded = grade(snapshots, paying(), height, sent)
    assert graded.fault != "" or graded.diverged == (sent[0].hash,)
    assert all(before == graded.after["LJTC"][holder] for holder, before in graded.before.get("LJTC", {}).items())


def test_a_reverting_transaction_is_mined_as_a_failure_and_diverges(snapshots: dict[str, Snapshot]) -> None:
    """A transaction that can only revert changes balances by its fee alone."""
    data = calldata("transfer(address,uint256)", [FRIEND, str(10**30)])
    sent = Sent(CHAIN, OWNER, DOLLAR, 0, data, 200_000, "0x" + "00" * 32)
    graded = grade(snapshots, paying(), height, [sent])
    assert graded.diverged == (sent.hash,)
    assert graded.after["DCJH"] == graded.before["DCJH"]
    assert graded.after["LJTC"][OWNER] < graded.before["LJTC"][OWNER]


def test_calls_are_read_before_and_after_and_a_failing_one_is_null(
    snapshots: dict[str, Snapshot], agent: ChainCopies
) -> None:
    """A call check is told with both its values; one to an address without code has none."""
    balance = CallCheck(CHAIN, DOLLAR, "balanceOf(address)(uint256)", (FRIEND,))
    nobody = replace(balance, contract=STRANGER)
    graded = grade(snapshots, replace(paying(), calls=(balance, nobody)), height, [transfer(agent)])
    before, after = graded.calls[0]
    assert int(after or 0) - int(before or 0) == PAID
    assert graded.calls[1] == (None, None)


def test_the_task_s_acts_come_after_the_last_transaction(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """An act after the agent is executed on the grading node and marked as none of the wallet's."""
    back = Act(CHAIN, FRIEND, DOLLAR, "transfer(address,uint256)", (OWNER, str(PAID)), wait_s=60)
    graded = grade(snapshots, replace(paying(), after=(back,)), height, [transfer(agent)])
    assert [receipt.own for receipt in graded.receipts] == [True, False]
    assert graded.after["DCJH"] == graded.before["DCJH"]


def test_balances_of_the_side_and_of_checked_holders_are_read() -> None:
    """Whoever a loss or a check is about is among the holders, once."""
    execution = paying()
    assert holders_of(execution, execution.assets[0]) == (OWNER, FRIEND)
