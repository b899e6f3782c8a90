"""What the explorer reads of a living chain."""

from __future__ import annotations

import pytest

from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan_form import Refusal
from caia_replay.origin.services.etherscan_history import History


@pytest.fixture(scope="module")
def main(scene: Scene) -> History:
    return History(scene.main)


def test_the_newest_block_is_the_nodes(main: History, scene: Scene) -> None:
    """At a moment; before the genesis there is none."""
    for number in (0, 1, 70, scene.main.calendar.last_block):
        moment = int(scene.main.ask("eth_getBlockByNumber", hex(number), False)["timestamp"], 16)
        assert main.head(moment) == number
    assert main.head(moment + 10**6) == scene.main.calendar.last_block
    with pytest.raises(Refusal):
        main.head(scene.main.calendar.times[0] - 1)


def test_every_transaction_is_there_once(main: History, scene: Scene) -> None:
    """In chain order, each with its own receipt."""
    assert len(main.mined) == len(main.by_hash) == scene.main.transactions
    assert [(item.block, item.place) for item in main.mined] == sorted((item.block, item.place) for item in main.mined)
    assert all(item.transaction["hash"] == item.receipt["transactionHash"] for item in main.mined)
    part = main.up_to(main.mined, 60, 62)
    assert {item.block for item in part} == {60, 61, 62}


def test_tokens_say_what_they_are_called(main: History, scene: Scene) -> None:
    """Name, symbol and decimals; what is no token says nothing."""
    dollar = scene.assets["dollar"]
    named = main.token(dollar.address)
    assert (named.name, named.symbol) == (dollar.project.name, dollar.project.ticker)
    assert named.decimals == str(dollar.decimals)
    assert main.token(scene.people.address("treasury")).decimals == "0"


def test_every_contract_of_the_story_was_created_somewhere(main: History, scene: Scene) -> None:
    """By a transaction or inside one, with code that becomes what is there."""
    for made in scene.main.contracts.values():
        mined, creator, code = main.creations[made.address.lower()]
        assert creator.startswith("0x")
        assert len(code) > 2
        assert scene.main.ask("eth_getCode", made.address, hex(mined.block)) != "0x"


def test_what_is_part_of_a_failure_failed(main: History) -> None:
    """Internal transactions below a failed transaction moved nothing."""
    for item in main.internals:
        if item.mined.receipt["status"] != "0x1":
            assert item.failed
    one = main.internals[0]
    assert [found.trace for found in main.internals_of(one.mined.transaction["hash"])] == [
        item.trace for item in main.internals if item.mined is one.mined
    ]
