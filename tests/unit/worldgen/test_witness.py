"""Two witnesses, story and chain, that agree on everything, and whose every disagreement is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from caia_replay.errors import CheckFailed
from caia_worldgen.chain_check import check_days, check_deeds, check_fact, check_movements, facts
from caia_worldgen.cross_audit import _agree, _near
from caia_worldgen.ledger import Ledger, Movement
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene

pytestmark = pytest.mark.check
FACTS = 300


def stages(scene: Scene) -> list[Any]:
    return [stage for stage in (scene.main, scene.rollup) if stage.ledger.movements]


def test_the_ledger_and_the_chain_agree(scene: Scene) -> None:
    """All movements, three hundred facts by lot at any height, and who was active on each day."""
    for stage in stages(scene):
        assert check_movements(stage, stage.ask) == len(stage.ledger.movements) > 100
        drawn = facts(stage, Rng("witness"))
        for _ in range(FACTS):
            check_fact(next(drawn), stage.ask)
        assert check_days(stage, stage.ask) > 100


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
    at = Rng("mutation").number(0, len(stage.ledger.movements) - 1)
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

    drawn = facts(scene.main, Rng("flipped"))
    for _ in range(20):
        with pytest.raises(CheckFailed):
            check_fact(next(drawn), flipped)
    with pytest.raises(CheckFailed, match="the ledger alone has"):
        check_movements(scene.main, flipped)
    with pytest.raises(CheckFailed, match="active on day"):
        check_days(scene.main, flipped)


def test_deeds_stand_in_their_blocks(scene: Scene) -> None:
    """Every figure a block can say of a deed it says, and every failed transaction is somebody's deed."""
    for stage in (scene.main, scene.rollup):
        assert check_deeds(stage, stage.ask) > 1_000


@pytest.mark.parametrize("change", ["figure", "party", "block", "failure left out", "failure made up"])
def test_a_mutated_deed_is_caught(scene: Scene, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure, an address, a block, and a failure too many or too few: each ends the comparison."""
    deeds = list(scene.main.deeds)
    at = next(at for at, deed in enumerate(deeds) if deed.verb == "issued" and deed.block > 30)
    failed = next(at for at, deed in enumerate(deeds) if deed.verb == "was refused")
    figures = dict(deeds[at].figures)
    if change == "figure":
        deeds[at] = replace(deeds[at], figures=(("amount", int(figures["amount"]) + 1),))
    elif change == "party":
        deeds[at] = replace(deeds[at], figures=(("recipient", "0x" + "12" * 20),))
    elif change == "block":
        deeds[at] = replace(deeds[at], block=deeds[at].block + 1)
    elif change == "failure left out":
        del deeds[failed]
    else:
        deeds.append(replace(deeds[failed], block=deeds[failed].block + 1))
    monkeypatch.setattr(scene.main, "deeds", deeds)
    with pytest.raises(CheckFailed, match="main block"):
        check_deeds(scene.main, scene.main.ask)


VIEW: Any = SimpleNamespace(world=SimpleNamespace(task=SimpleNamespace(id="t")))


def test_tellings_that_differ_end_the_audit() -> None:
    """Whole numbers must be equal, rounded ones within a millionth; the fault names task and both sides."""
    _agree(VIEW, "x", 5, 5)
    _near(VIEW, "x", Fraction(10**6), 10**6 + 1)
    with pytest.raises(CheckFailed, match="task t: x is 5 by one tool and 6 by another"):
        _agree(VIEW, "x", 5, 6)
    with pytest.raises(CheckFailed, match="by another"):
        _near(VIEW, "x", Fraction(10**6), 10**6 + 3)
