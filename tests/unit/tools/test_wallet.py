"""The wallet's tools and the copies of chains they act on: a node each, the task's acts first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.execution import Execution, ScriptedTransaction
from caia_replay.core.tool import Served
from caia_replay.errors import CheckFailed, ToolError
from caia_replay.tools.catalog import CATALOG, WALLET, WorldToolset
from caia_replay.tools.chain_copy import ChainCopies, calldata, wallet_on
from caia_replay.tools.wallet import MOST_SENT
from caia_replay.world.world import FrozenWorld
from tests.execution_task import (
    CHAIN,
    DOLLAR,
    FRIEND,
    HEIGHT,
    LATE,
    OWNER,
    PAID,
    ROUTER,
    SECOND,
    STORAGE,
    SWAP,
    WORLD,
    ask,
    pay,
    paying,
    send,
    task_in,
)

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


def test_a_copy_stands_at_the_task_s_height(copy: ChainCopies) -> None:
    """Reads leave its clock, transactions and waits move it; what would revert is refused and nothing sent."""
    assert copy.chain(CHAIN).block == HEIGHT
    with pytest.raises(ToolError, match="no transactions on chain 'mainnet'"):
        copy.chain("mainnet")
    data = calldata(TRANSFER, [FRIEND, str(10**30)])
    with pytest.raises(ToolError):
        copy.send(CHAIN, OWNER, DOLLAR, 0, data)
    assert (copy.chain(CHAIN).block, copy.mined) == (HEIGHT, [])
    mined = copy.send(CHAIN, OWNER, DOLLAR, 0, data, gas=200_000)
    assert int(mined.receipt["status"], 16) == 0
    begun = moment(copy)
    copy.chain(CHAIN).rpc("eth_getBalance", OWNER, "latest")
    assert moment(copy) == begun
    copy.send(CHAIN, OWNER, FRIEND, 1, "0x")
    assert moment(copy) == begun + 12
    copy.act(ScriptedTransaction(CHAIN, wait_s=3_600))
    assert moment(copy) == begun + 12 + 3_600


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


def test_acts_before_the_agent_are_played_on_the_copy_alone(snapshots: dict[str, Snapshot]) -> None:
    """They are no transactions of the wallet; one that reverts ends the run by name unless it may fail."""
    gift = ScriptedTransaction(CHAIN, OWNER, DOLLAR, TRANSFER, (FRIEND, "77"))
    with copies(snapshots, replace(paying(), before=(gift,))) as made:
        assert (made.chain(CHAIN).block, made.mined) == (HEIGHT + 1, [])
    theft = ScriptedTransaction(CHAIN, FRIEND, DOLLAR, "transferFrom(address,address,uint256)", (OWNER, FRIEND, "1"))
    with copies(snapshots, replace(paying(), before=(replace(theft, may_fail=True),))) as made:
        assert made.chain(CHAIN).block == HEIGHT
    with (
        copies(snapshots, replace(paying(), before=(theft,))) as made,
        pytest.raises(CheckFailed, match="transferFrom"),
    ):
        made.chain(CHAIN)


def test_arguments_and_wallets_on_a_chain() -> None:
    """A plain payment has no data, arguments need a function; a wallet says where it has an account."""
    assert calldata("", []) == "0x"
    with pytest.raises(ToolError, match="no function"):
        calldata("", ["1"])
    assert wallet_on(paying(), CHAIN) == OWNER
    with pytest.raises(ToolError, match=CHAIN):
        wallet_on(paying(), CHAIN[:-1])


@pytest.fixture
def tools(large: FrozenWorld) -> Iterator[WorldToolset]:
    with WorldToolset(large.task(task_in(large))) as made:
        yield made


def told(tools: WorldToolset, name: str, **arguments: Any) -> dict[str, Any]:
    reply = ask(tools, name, **arguments)
    assert reply.served is Served.FORK, reply
    return dict(reply.shown())


def message(tools: WorldToolset, name: str, **arguments: Any) -> str:
    reply = ask(tools, name, **arguments)
    assert reply.served is Served.ERROR
    return str((reply.error or {})["message"])


def test_only_tasks_that_are_carried_out_have_a_wallet(large: FrozenWorld, tools: WorldToolset) -> None:
    """The 23 stay as they are; the wallet's three stand behind them in such a task, and in no other."""
    assert [spec.name for spec in tools.specs()] == [*CATALOG, *WALLET]
    task = large.folder.task(large.folder.suite.active()[0])
    with WorldToolset(large.task(task)) as plain, WorldToolset(large.task(task_in(large)), ()) as none:
        assert ([spec.name for spec in plain.specs()], none.specs()) == ([*CATALOG], [])


def test_what_was_sent_is_seen_by_the_wallet_and_not_by_the_23(tools: WorldToolset) -> None:
    """A payment moves the copy's balances and clock; balance_query goes on telling the recorded moment."""
    before = told(tools, "wallet_state", tokens=[DOLLAR])
    made = dict(send(tools, pay()).shown())
    assert made["transfers"] == [{"token": DOLLAR, "from": OWNER, "to": FRIEND, "raw": str(PAID)}]
    after = told(tools, "wallet_state", tokens=[DOLLAR])
    assert int(before["tokens"][0]["raw"]) - int(after["tokens"][0]["raw"]) == PAID
    assert int(before["raw"]) - int(after["raw"]) == int(made["fee_wei"])
    wanted = (HEIGHT + 1, before["next_nonce"] + 1, [made["hash"]])
    assert (after["block"], after["next_nonce"], after["sent"]) == wanted
    recorded = told(tools, "balance_query", address=OWNER, token=DOLLAR)
    assert (recorded["raw"], recorded["block"]) == (before["tokens"][0]["raw"], HEIGHT)


def test_arrays_and_big_numbers_are_taken_as_models_write_them(tools: WorldToolset) -> None:
    """A swap's path is a list, its amounts are decimal texts; a view reads the outcome; one without allowance fails."""
    swap = {"to": ROUTER, "function": SWAP, "arguments": [str(PAID), "0", [DOLLAR, STORAGE], OWNER, LATE]}
    told(tools, "send_transaction", to=DOLLAR, function="approve(address,uint256)", arguments=[ROUTER, str(PAID)])
    made = told(tools, "send_transaction", **swap)
    assert [moved["token"] for moved in made["transfers"]] == [DOLLAR, STORAGE]
    left = told(
        tools,
        "read_contract",
        contract=DOLLAR,
        function="allowance(address,address)(uint256)",
        arguments=[OWNER, ROUTER],
    )
    assert (left["values"], left["block"]) == (["0"], HEIGHT + 2)
    assert "TRANSFER_FROM_FAILED" in message(tools, "send_transaction", **swap)
    assert [one.to for one in tools.sent] == [DOLLAR, ROUTER]


def test_what_is_no_transaction_is_refused_and_nothing_is_sent(tools: WorldToolset, large: FrozenWorld) -> None:
    """Each argument by name; an unknown balance is null; sending without end is stopped."""
    for arguments, words in [
        ({"to": "0x12"}, "no address"), ({"to": FRIEND, "value": "1.5"}, "in wei"),
        ({"to": FRIEND, "value": "-1"}, "in wei"), ({"to": FRIEND, "value": "0" * 80 + "9" * 4_300}, "in wei"),
        ({"to": FRIEND, "value": "9" * 200}, "in wei"), ({"to": FRIEND, "value": "٣"}, "in wei"),
        ({"to": FRIEND, "value": str(10**40)}, "nsufficient"), ({"to": FRIEND, "arguments": ["1"]}, "no function"),
        ({"to": DOLLAR, "function": "transfer(address,uint256)", "arguments": [FRIEND]}, "takes 2 arguments"),
        ({"to": FRIEND, "chain": SECOND}, "no account on chain"),
    ]:  # fmt: skip
        assert words in message(tools, "send_transaction", **arguments)
        assert tools.sent == ()
    assert told(tools, "wallet_state", tokens=[FRIEND])["tokens"][0]["raw"] is None
    assert told(tools, "wallet_state", chain=str(large.snapshots[CHAIN].chain_id))["chain"] == CHAIN
    for _ in range(MOST_SENT):
        assert ask(tools, "send_transaction", to=FRIEND, value=1).served is Served.FORK
    assert "as many as one task may need" in message(tools, "send_transaction", to=FRIEND, value=1)
