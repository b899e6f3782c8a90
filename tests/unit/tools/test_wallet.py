"""Behaviour of the wallet's tools: they act on a copy, tell what it did, and refuse what is no transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WALLET, WorldToolset
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
    STORAGE,
    SWAP,
    WORLD,
    ask,
    pay,
    send,
    task_in,
)


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(WORLD))) as made:
        yield made


@pytest.fixture
def tools(world: FrozenWorld) -> Iterator[WorldToolset]:
    with WorldToolset(world.task(task_in(world))) as made:
        yield made


def told(tools: WorldToolset, name: str, **arguments: Any) -> dict[str, Any]:
    reply = ask(tools, name, **arguments)
    assert reply.served is Served.FORK, reply
    return dict(reply.shown())


def message(tools: WorldToolset, name: str, **arguments: Any) -> str:
    reply = ask(tools, name, **arguments)
    assert reply.served is Served.ERROR
    return str((reply.error or {})["message"])


def test_only_tasks_that_are_carried_out_have_a_wallet(world: FrozenWorld, tools: WorldToolset) -> None:
    """The 23 stay as they are; the wallet's three stand behind them in such a task, and in no other."""
    assert [spec.name for spec in tools.specs()] == [*CATALOG, *WALLET]
    task = world.folder.task(world.folder.suite.active()[0])
    with WorldToolset(world.task(task)) as plain, WorldToolset(world.task(task_in(world)), ()) as none:
        assert ([spec.name for spec in plain.specs()], none.specs()) == ([*CATALOG], [])


def test_what_was_sent_is_seen_by_the_wallet_and_not_by_the_23(tools: WorldToolset) -> None:
    """A payment moves the copy's balances and clock; balance_query goes on telling the recorded moment."""
    before = told(tools, "wallet_state", tokens=[DOLLAR])
    made = dict(send(tools, pay()).shown())
    assert made["transfers"] == [{"token": DOLLAR, "from": OWNER, "to": FRIEND, "raw": str(PAID)}]
    after = told(tools, "wallet_state", tokens=[DOLLAR])
    assert int(before["tokens"][0]["raw"]) - int(after["tokens"][0]["raw"]) == PAID
    assert int(before["raw"]) - int(after["raw"]) == int(made["fee_wei"])
    assert (after["block"], after["next_nonce"], after["sent"]) == (
        HEIGHT + 1,
        before["next_nonce"] + 1,
        [made["hash"]],
    )
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"to": "0x12"}, "no address"),
        ({"to": FRIEND, "value": "1.5"}, "in wei"),
        ({"to": FRIEND, "value": "-1"}, "in wei"),
        ({"to": FRIEND, "value": "0" * 80 + "9" * 4_300}, "in wei"),
        ({"to": FRIEND, "value": "9" * 200}, "in wei"),
        ({"to": FRIEND, "value": "٣"}, "in wei"),
        ({"to": FRIEND, "value": str(10**40)}, "nsufficient"),
        ({"to": FRIEND, "arguments": ["1"]}, "no function"),
        ({"to": DOLLAR, "function": "transfer(address,uint256)", "arguments": [FRIEND]}, "takes 2 arguments"),
        ({"to": FRIEND, "chain": "vefenosu-rollup"}, "no account on chain"),
    ],
)
def test_what_is_no_transaction_is_refused_and_nothing_is_sent(
    tools: WorldToolset, arguments: dict[str, Any], words: str
) -> None:
    """Each wrong argument is told by name, and the wallet has sent nothing."""
    assert words in message(tools, "send_transaction", **arguments)
    assert tools.sent == ()


def test_a_token_that_tells_no_balance_is_null_and_never_zero(tools: WorldToolset) -> None:
    """An address without code has no balance of anything: the wallet says null."""
    assert told(tools, "wallet_state", tokens=[FRIEND])["tokens"][0]["raw"] is None


def test_an_agent_that_sends_without_end_is_stopped(tools: WorldToolset) -> None:
    """After as many transactions as any task may need the wallet refuses more."""
    for _ in range(MOST_SENT):
        assert ask(tools, "send_transaction", to=FRIEND, value=1).served is Served.FORK
    assert "as many as one task may need" in message(tools, "send_transaction", to=FRIEND, value=1)


def test_the_chain_may_be_named_by_its_id(world: FrozenWorld, tools: WorldToolset) -> None:
    """Chains are named as in every other tool."""
    assert told(tools, "wallet_state", chain=str(world.snapshots[CHAIN].chain_id))["chain"] == CHAIN
