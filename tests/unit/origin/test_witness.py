"""Two witnesses that agree on everything, and whose every disagreement is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.dice import Dice
from caia_replay.origin.ledger import Ledger, Movement
from caia_replay.origin.scene import Scene
from caia_replay.origin.witness import check_days, check_fact, check_movements, facts

FACTS = 300


def stages(scene: Scene) -> list[Any]:
    return [stage for stage in (scene.main, scene.rollup) if stage.ledger.movements]


def test_the_ledger_and_the_chain_agree(scene: Scene) -> None:
    """All movements, three hundred facts by lot at any height, and who was active on each day."""
    for stage in stages(scene):
        assert check_movements(stage, stage.ask) == len(stage.ledger.movements) > 100
        drawn = facts(stage, Dice("witness"))
        for _ in range(FACTS):
            check_fact(next(drawn), stage.ask)
        assert check_days(stage, stage.ask) > 100


def test_facts_are_of_every_kind(scene: Scene) -> None:
    """Balances, supplies and views are all drawn, at many heights."""
    drawn = facts(scene.main, Dice("kinds"))
    found = [next(drawn) for _ in range(FACTS)]
    kinds = {fact.words.split()[0].split("(")[0] for fact in found}
    assert {"supply", "balance"} < kinds and len(kinds) > 5
    assert len({fact.block for fact in found}) > 50


@pytest.mark.parametrize(
    "change",
    [
        lambda one: replace(one, amount=one.amount + 1),
        lambda one: replace(one, recipient=one.sender, sender=one.recipient),
        lambda one: None,
    ],
    ids=["amount", "direction", "missing"],
)
def test_a_mutated_ledger_is_caught(scene: Scene, change: Callable[[Movement], Movement | None]) -> None:
    """One changed or missing movement anywhere fails the comparison, and says which side has it."""
    stage = scene.main
    at = Dice("mutation").number(0, len(stage.ledger.movements) - 1)
    kept, stage.ledger = stage.ledger, Ledger()
    try:
        for number, one in enumerate(kept.movements):
            made = change(one) if number == at else one
            if made is not None:
                stage.ledger.move(made.block, made.token, made.sender, made.recipient, made.amount)
        with pytest.raises(CheckFailed, match="alone has"):
            check_movements(stage, stage.ask)
    finally:
        stage.ledger = kept


def test_a_mutated_chain_is_caught(scene: Scene) -> None:
    """A chain that answers one bit otherwise, leaves out a log or a sender, is not the ledger's chain."""

    def flipped(method: str, *params: Any) -> Any:
        reply = scene.main.ask(method, *params)
        if method == "eth_call":
            return hex(int(reply, 16) ^ 1)[:2] + f"{int(reply, 16) ^ 1:0{len(reply) - 2}x}"
        if method == "eth_getLogs":
            return reply[:-1]
        reply["transactions"] = reply["transactions"][1:]
        return reply

    drawn = facts(scene.main, Dice("flipped"))
    for _ in range(20):
        with pytest.raises(CheckFailed):
            check_fact(next(drawn), flipped)
    with pytest.raises(CheckFailed, match="the ledger alone has"):
        check_movements(scene.main, flipped)
    with pytest.raises(CheckFailed, match="active on day"):
        check_days(scene.main, flipped)
