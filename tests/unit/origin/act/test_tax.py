"""The taxed token: each transfer leaves a part with the treasury, at the rate of its day."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene
from caia_replay.origin.view import Question


def test_every_payment_leaves_its_part(scene: Scene) -> None:
    """The fee of each deed is the rate then, rounded down, and went from the payer to the treasury in that block."""
    stage, treasury = scene.main, scene.people.address("launcher")
    token = stage.contracts["tax token"].address
    paid = list(done(stage.deeds, "paid", "tax"))
    (raised,) = done(stage.deeds, "raised the tax", "tax")
    assert {one.block < raised.block for one in paid} == {True, False}
    for one in paid:
        (rate,) = stage.views.answer(Question("tax token", "feeBps"), one.block)
        fee, amount = one.figure("fee"), one.figure("amount")
        moved = Counter((at.sender, at.recipient, at.amount) for at in stage.ledger.within(token, one.block, one.block))
        assert fee == amount * rate // 10_000 > 0
        assert moved[one.actor, treasury, fee] and moved[one.actor, str(dict(one.figures)["recipient"]), amount - fee]


def test_buyers_get_less_than_the_pair_pays(scene: Scene) -> None:
    """In the block of a purchase the buyer's balance on the chain grew by what was paid out less the tax."""
    stage = scene.main
    token, compared = stage.contracts["tax token"], 0
    busy = Counter((at.block, at.recipient) for at in stage.ledger.within(token.address, 0, stage.height))
    for one in done(stage.deeds, "swapped", "tax/dollar"):
        if dict(one.figures)["bought"] != "tax" or busy[one.block, one.actor] > 1:
            continue
        (rate,) = stage.views.answer(Question("tax token", "feeBps"), one.block)
        data = "0x" + token.artifact.call("balanceOf", (one.actor,)).hex()
        call = {"to": token.address, "data": data}
        held = [int(stage.ask("eth_call", call, hex(block)), 16) for block in (one.block - 1, one.block)]
        out = one.figure("amount_out")
        assert held[1] - held[0] == out - out * rate // 10_000
        compared += 1
    assert compared > 5


def test_the_ordinary_way_is_refused(scene: Scene) -> None:
    """Sales through the router's function for ordinary tokens fail."""
    vain, router = list(done(scene.main.deeds, "could not sell", "tax")), scene.main.contracts["router"].address
    assert vain
    for one in vain:
        receipts = scene.main.ask("eth_getBlockReceipts", hex(one.block))
        assert (one.actor, router, "0x0") in {(got["from"], got["to"], got["status"]) for got in receipts}
