"""Grading: a node that knows what was sent and nothing else, then the verdict and its two accounts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.execution import CallCheck, EventCheck, ScriptedTransaction, Sent
from caia_replay.errors import BadInput, ForkFault
from caia_replay.runner import grading
from caia_replay.runner import grading as room
from caia_replay.runner.grading import CARRIED_OUT, NOT_CARRIED_OUT, carried_out, grade, holders_of
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.chain_copy import ChainCopies, calldata
from caia_replay.world.world import FrozenWorld
from tests.execution_task import CHAIN, DOLLAR, FRIEND, HEIGHT, OWNER, PAID, WORLD, pay, paying, send, task_in

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
    assert first.after["USD"][FRIEND] - first.before["USD"][FRIEND] == PAID + 5
    assert [receipt.raw["transactionHash"] for receipt in first.receipts] == [one.hash for one in sent]
    execution = paying()
    assert holders_of(execution, execution.assets[0]) == (OWNER, FRIEND)  # once, whoever a loss or a check is about


@pytest.fixture(scope="module")
def economy() -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(WORLD))) as made:
        yield made


def test_what_an_agent_did_to_its_own_node_reaches_nobody(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """Coins made by decree pay for a transfer on the agent's node alone: graded, it fails and is told to diverge."""
    operate = agent.chain(CHAIN)._fork.operate
    operate("anvil_setBalance", [OWNER, hex(10**30)])
    sent = [agent.send(CHAIN, OWNER, STRANGER, 10**29, "0x").sent]
    graded = grade(snapshots, paying(), height, sent)
    assert graded.fault != "" or graded.diverged == (sent[0].hash,)
    assert all(before == graded.after["COIN"][holder] for holder, before in graded.before.get("COIN", {}).items())


def test_a_reverting_transaction_is_mined_as_a_failure_and_diverges(snapshots: dict[str, Snapshot]) -> None:
    """A transaction that can only revert changes balances by its fee alone."""
    data = calldata("transfer(address,uint256)", [FRIEND, str(10**30)])
    sent = Sent(CHAIN, OWNER, DOLLAR, 0, data, 200_000, "0x" + "00" * 32)
    graded = grade(snapshots, paying(), height, [sent])
    assert graded.diverged == (sent.hash,)
    assert graded.after["USD"] == graded.before["USD"]
    assert graded.after["COIN"][OWNER] < graded.before["COIN"][OWNER]


def test_calls_are_read_before_and_after_or_are_null(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """A call check is told with both its values; one to an address without code has none."""
    balance = CallCheck(CHAIN, DOLLAR, "balanceOf(address)(uint256)", (FRIEND,))
    nobody = replace(balance, contract=STRANGER)
    graded = grade(snapshots, replace(paying(), calls=(balance, nobody)), height, [transfer(agent)])
    before, after = graded.calls[0]
    assert int(after or 0) - int(before or 0) == PAID
    assert graded.calls[1] == (None, None)


def test_the_task_s_acts_come_after_the_last_transaction(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """An act after the agent is executed on the grading node and marked as none of the wallet's."""
    back = ScriptedTransaction(CHAIN, FRIEND, DOLLAR, "transfer(address,uint256)", (OWNER, str(PAID)), wait_s=60)
    graded = grade(snapshots, replace(paying(), after=(back,)), height, [transfer(agent)])
    assert [receipt.own for receipt in graded.receipts] == [True, False]
    assert graded.after["USD"] == graded.before["USD"]


APPROVE = "approve(address,uint256)"


def test_an_allowance_that_a_wallet_set_is_read_at_the_end(snapshots: dict[str, Snapshot], agent: ChainCopies) -> None:
    """Once for each spender, by what the token says then: what was taken back is nothing."""
    for spender, amount in ((STRANGER, 5), (FRIEND, 9), (FRIEND, 0)):
        agent.send(CHAIN, OWNER, DOLLAR, 0, calldata(APPROVE, [spender, str(amount)]))
    graded = grade(snapshots, paying(), height, [mined.sent for mined in agent.mined])
    assert {(one.spender, one.amount) for one in graded.allowances} == {(STRANGER, 5), (FRIEND, 0)}


@pytest.mark.parametrize(("amount", "acts"), [(PAID, 1), (PAID + 1, 0)])
def test_an_act_waits_for_its_event(snapshots: dict[str, Snapshot], agent: ChainCopies, amount: int, acts: int) -> None:
    """A bridge pays out what was locked: another amount is another event, and nothing comes."""
    event = "Transfer(address indexed from, address indexed to, uint256 value)"
    when = EventCheck(CHAIN, DOLLAR, event, {"to": FRIEND, "value": str(PAID)})
    thanks = ScriptedTransaction(CHAIN, FRIEND, DOLLAR, "transfer(address,uint256)", (OWNER, "1"), when=when)
    graded = grade(snapshots, replace(paying(), after=(thanks,)), height, [transfer(agent, amount)])
    assert sum(not receipt.own for receipt in graded.receipts) == acts


def test_a_node_that_dies_is_replaced_once_then_told(
    snapshots: dict[str, Snapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One death changes nothing; two are a fault of the machine, and no verdict."""
    whole, deaths = grading.grade_on, [True]

    def dies(*given: Any) -> Any:
        if deaths and deaths.pop():
            raise ForkFault("the node is gone")
        return whole(*given)

    monkeypatch.setattr(grading, "grade_on", dies)
    assert grade(snapshots, paying(), height, []).fault == ""
    deaths[:] = [True, True]
    with pytest.raises(ForkFault, match="is gone"):
        grade(snapshots, paying(), height, [])


def sent(economy: FrozenWorld, to: str = FRIEND, amount: int = PAID) -> tuple[Sent, ...]:
    with WorldToolset(economy.task(task_in(economy))) as tools:
        assert send(tools, pay(to, amount)).error is None
    return tools.sent


def test_what_was_to_be_done_and_was_done_passes_at_no_loss(economy: FrozenWorld) -> None:
    """A payment to the right account stays on the side: nothing is lost but the fee, and gradings are equal."""
    task, made = task_in(economy), sent(economy)
    score, told = carried_out(economy, task, made)
    assert (score.correct, score.reading) == (True, CARRIED_OUT)
    assert (told["lost"]["USD"], told["loss_usd"], told["reasons"]) == ("0", "0", [])
    assert int(told["lost"]["COIN"]) == int(next(iter(told["gas_wei"].values()))) > 0
    assert carried_out(economy, task, made) == (score, told)


def test_paying_somebody_else_costs_what_was_paid_and_nothing_costs_nothing(economy: FrozenWorld) -> None:
    """A thousand dollars to a stranger are lost by both accounts; a task that is only answered is refused."""
    task = task_in(economy)
    score, told = carried_out(economy, task, sent(economy, STRANGER))
    assert (score.correct, score.reading) == (False, NOT_CARRIED_OUT)
    assert (told["lost"]["USD"], told["loss_usd"], told["value_change_usd"]) == (str(PAID), "1000", "-1000")
    score, told = carried_out(economy, task, ())
    assert (score.correct, told["loss_usd"], told["sent"]) == (False, "0", [])
    with pytest.raises(BadInput, match="answered, and not carried out"):
        carried_out(economy, replace(task, execution=None), ())


def test_accounts_that_differ_are_no_verdict(economy: FrozenWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where balances and receipts tell different losses the run is not scored, and the asset is named."""
    monkeypatch.setattr(room, "lost_by_receipts", lambda *given: {"USD": 1, "COIN": 0})
    score, told = carried_out(economy, task_in(economy), sent(economy))
    assert (score.correct, told["loss_usd"]) == (None, None)
    assert "USD" in score.reason
