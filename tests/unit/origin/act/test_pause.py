"""Pauses: nothing moves meanwhile, and everything does afterwards."""

from __future__ import annotations

from collections.abc import Callable

from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene


def test_nothing_moves_while_the_coin_stands_still(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """Until it is unpaused the credit coin has no movement and payments are refused; some went before and after."""
    stage = scene.main
    (stopped,), (going,) = (list(done(stage.deeds, verb, "credit")) for verb in ("paused", "unpaused"))
    assert stage.calendar.day_of(going.block) - stage.calendar.day_of(stopped.block) == 2
    credit = stage.contracts["credit token"].address
    assert not stage.ledger.within(credit, stopped.block, going.block - 1)
    paid = [one.block for one in done(stage.deeds, "paid", "credit")]
    assert min(paid) < stopped.block < going.block <= max(paid)
    assert set(refusals("credit token")) == {"EnforcedPause", "OwnableUnauthorizedAccount"}


def test_the_dollar_stops_for_a_moment(scene: Scene) -> None:
    """One block holds both of the issuer's events with a failed payment between them, and dollars move in the next."""
    stage, dollar = scene.main, scene.assets["dollar"]
    (stopped,), (going,) = (list(done(stage.deeds, verb, "dollar")) for verb in ("paused", "unpaused"))
    assert stopped.block == going.block
    receipts = stage.ask("eth_getBlockReceipts", hex(stopped.block))
    topics = {dollar.contract.artifact.events[name].topic0: name for name in ("Paused", "Unpaused")}
    order = [
        "failed" if one["status"] == "0x0" else topics.get(one["logs"][0]["topics"][0] if one["logs"] else "", "other")
        for one in receipts
        if one["to"] == dollar.address
    ]
    at = order.index("Paused")
    assert order[at : at + 3] == ["Paused", "failed", "Unpaused"]
    assert stage.ledger.within(dollar.address, stopped.block, stopped.block + 2)
