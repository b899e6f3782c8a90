"""Behaviour of a task's own copies of chains: a node each, the task's acts first, and nothing else moves time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.execution import Act, Execution
from caia_replay.errors import CheckFailed, ToolError
from caia_replay.tools.chain_copy import ChainCopies, calldata, wallet_on
from tests.execution_task import CHAIN, DOLLAR, FRIEND, HEIGHT, OWNER, WORLD, paying

TRANSFER = "transfer(address,uint256)"


@pytest.fixture(scope="module")
def snapshots() -> dict[str, Snapshot]:
    return {CHAIN: Snapshot.open(WORLD.parents[1] / "chain_snapshots" / CHAIN)}


def copies(snapshots: dict[str, Snapshot], execution: Execution) -> ChainCopies:
    return ChainCopies(snapshots, execution, lambda chain: HEIGHT)


@pytest.fixture
def copy(snapshots: dict[str, Snapshot]) -> Iterator[ChainCopies]:
    with copies(snapshots, paying()) as made:
        yield made


def moment(made: ChainCopies) -> int:
    return int(made.chain(CHAIN).rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)


def test_a_copy_stands_at_the_task_s_height_and_another_chain_is_refused(copy: ChainCopies) -> None:
    """A copy is pinned where the task is asked, and a chain that the task does not name cannot be written to."""
    assert copy.chain(CHAIN).block == HEIGHT
    with pytest.raises(ToolError, match="no transactions on chain 'mainnet'"):
        copy.chain("mainnet")


def test_two_sets_of_copies_are_two_processes_that_see_nothing_of_each_other(snapshots: dict[str, Snapshot]) -> None:
    """What one set mined is not there in another, whose node is another process; both end with their sets."""
    with copies(snapshots, paying()) as one, copies(snapshots, paying()) as other:
        one.send(CHAIN, OWNER, FRIEND, 5, "0x")
        assert (one.chain(CHAIN).block, other.chain(CHAIN).block) == (HEIGHT + 1, HEIGHT)
        pids = {*one.pids(), *other.pids()}
        assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_time_moves_by_transactions_and_waits_alone(copy: ChainCopies) -> None:
    """Reads leave the clock where it is; a transaction moves it by a block, a wait by its seconds."""
    begun = moment(copy)
    copy.chain(CHAIN).rpc("eth_getBalance", OWNER, "latest")
    assert moment(copy) == begun
    copy.send(CHAIN, OWNER, FRIEND, 1, "0x")
    assert moment(copy) == begun + 12
    copy.act(Act(CHAIN, wait_s=3_600))
    assert moment(copy) == begun + 12 + 3_600


def test_what_would_revert_is_refused_and_nothing_was_sent(copy: ChainCopies) -> None:
    """Without a gas limit a revert is a tool error, after which the chain is as it was; with one it is mined."""
    data = calldata(TRANSFER, [FRIEND, str(10**30)])
    with pytest.raises(ToolError):
        copy.send(CHAIN, OWNER, DOLLAR, 0, data)
    assert (copy.chain(CHAIN).block, copy.mined) == (HEIGHT, [])
    mined = copy.send(CHAIN, OWNER, DOLLAR, 0, data, gas=200_000)
    assert int(mined.receipt["status"], 16) == 0


def test_acts_before_the_agent_are_played_on_the_copy_alone(snapshots: dict[str, Snapshot]) -> None:
    """A task's own acts stand in the copy when it is first asked for, and are no transactions of the wallet."""
    gift = Act(CHAIN, OWNER, DOLLAR, TRANSFER, (FRIEND, "77"))
    with copies(snapshots, replace(paying(), before=(gift,))) as made:
        assert (made.chain(CHAIN).block, made.mined) == (HEIGHT + 1, [])


def test_an_act_that_reverts_is_a_fault_unless_it_may_fail(snapshots: dict[str, Snapshot]) -> None:
    """A world that cannot be set up ends the run by name; an act that may fail is left out."""
    theft = Act(CHAIN, FRIEND, DOLLAR, "transferFrom(address,address,uint256)", (OWNER, FRIEND, "1"))
    with copies(snapshots, replace(paying(), before=(replace(theft, may_fail=True),))) as made:
        assert made.chain(CHAIN).block == HEIGHT
    with (
        copies(snapshots, replace(paying(), before=(theft,))) as made,
        pytest.raises(CheckFailed, match="transferFrom"),
    ):
        made.chain(CHAIN)


def test_arguments_without_a_function_are_refused() -> None:
    """A plain payment has no data, and arguments with nobody to give them to are an error."""
    assert calldata("", []) == "0x"
    with pytest.raises(ToolError, match="no function"):
        calldata("", ["1"])


def test_a_wallet_without_an_account_on_a_chain_says_where_it_has_one() -> None:
    """The wallet's address is told by chain; another chain's name brings the nearest."""
    assert wallet_on(paying(), CHAIN) == OWNER
    with pytest.raises(ToolError, match=CHAIN):
        wallet_on(paying(), "lijatoc")
