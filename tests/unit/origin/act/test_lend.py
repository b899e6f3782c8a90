"""Lending: every deed as the markets' own events tell it, debts with interest, and refusals for the right reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from caia_replay.origin.act.lend import COLLATERALS
from caia_replay.origin.contracts.lending import BPS, next_index, owed
from caia_replay.origin.deed import Deed, done
from caia_replay.origin.dice import Dice
from caia_replay.origin.scene import Scene
from caia_replay.origin.view import Question

MARKETS = [f"{role} lending market" for role in COLLATERALS]
EVENTS: dict[str, tuple[str, Callable[[Deed], dict[str, Any]]]] = {
    "lent": ("Deposited", lambda one: {"lender": one.actor, **plain(one)}),
    "withdrew": ("Withdrawn", lambda one: {"lender": one.actor, **plain(one)}),
    "added collateral": ("CollateralAdded", lambda one: {"borrower": one.actor, **plain(one)}),
    "removed collateral": ("CollateralRemoved", lambda one: {"borrower": one.actor, **plain(one)}),
    "borrowed": ("Borrowed", lambda one: {"borrower": one.actor, **plain(one)}),
    "repaid": ("Repaid", lambda one: {"borrower": one.actor, **plain(one)}),
    "liquidated": ("Liquidated", lambda one: {"liquidator": one.actor, **plain(one)}),
}


def plain(deed: Deed) -> dict[str, Any]:
    """A deed's figures without what no event has."""
    return {name: value for name, value in deed.figures if name != "health_bps"}


def read(scene: Scene, market: str, function: str, *arguments: Any, block: int) -> int:
    """What the market answers at the end of a block."""
    contract = scene.main.contracts[market]
    call = {"to": contract.address, "data": "0x" + contract.artifact.call(function, arguments).hex()}
    answer: int = contract.artifact.decode(function, bytes.fromhex(scene.main.ask("eth_call", call, hex(block))[2:]))[0]
    return answer


@pytest.mark.parametrize("market", MARKETS)
def test_every_deed_is_an_event(scene: Scene, market: str) -> None:
    """What people did to a market is what it logged, kind by kind, in order, and every kind happened."""
    contract = scene.main.contracts[market]
    logs = scene.main.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": contract.address})
    for verb, (event, wanted) in EVENTS.items():
        told = contract.artifact.logs(event, logs)
        assert told == [wanted(deed) for deed in done(scene.main.deeds, verb, market)], verb
        assert told, verb


@pytest.mark.parametrize("market", MARKETS)
def test_debts_grow_as_the_stored_index_says(scene: Scene, market: str) -> None:
    """At any height, what the market says is owed follows from the scaled debts that the story wrote down."""
    stage, dice = scene.main, Dice(f"debts/{market}")
    (rate,) = stage.views.answer(Question(market, "rateBpsPerYear"), stage.calendar.last_block)
    debtors = sorted({deed.actor for deed in done(stage.deeds, "borrowed", market)})
    grown = 0
    for _ in range(40):
        who, block = dice.one(debtors), dice.number(2, stage.calendar.last_block)
        try:
            (scaled,) = stage.views.answer(Question(market, "scaledDebtOf", (who,)), block)
        except KeyError:
            continue
        (index,), (touched,) = (
            stage.views.answer(Question(market, name), block) for name in ("storedIndex", "touchedAt")
        )
        debt = owed(scaled, next_index(index, rate, stage.calendar.times[block] - touched))
        assert read(scene, market, "debtOf", who, block=block) == debt
        grown += debt > owed(scaled, index)
    assert grown


@pytest.mark.parametrize("market", MARKETS)
def test_whoever_is_liquidated_was_below_the_limit(scene: Scene, market: str) -> None:
    """Health at the moment is below the limit, and it was above when they last borrowed."""
    deeds = list(done(scene.main.deeds, "liquidated", market))
    for deed in deeds:
        who = dict(deed.figures)["borrower"]
        assert deed.figure("health_bps") < BPS
        loans = [one.block for one in done(scene.main.deeds, "borrowed", market) if one.actor == who]
        borrowed = max(block for block in loans if block < deed.block)
        assert read(scene, market, "healthBps", who, block=borrowed) >= BPS
    crash = scene.scale.days * 55 // 100
    assert any(scene.main.calendar.day_of(deed.block) >= crash for deed in deeds)


def test_refusals_have_their_reasons(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """Too large a loan, a healthy borrower's liquidation, a run on a market: each failed as the contract says."""
    found = {error for market in MARKETS for error in refusals(market)}
    assert found == {"OverLimit", "Healthy", "NotEnoughCash"}
