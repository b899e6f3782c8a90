"""Traps: many get in and nobody gets out but the one who set it."""

from __future__ import annotations

from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.people import address_of
from caia_replay.origin.scene import Scene
from caia_replay.origin.view import Question


def failures(scene: Scene, block: int, sender: str) -> int:
    """How many of somebody's transactions to the router failed in a block."""
    router = scene.main.contracts["router"].address
    receipts = scene.main.ask("eth_getBlockReceipts", hex(block))
    return sum((one["from"], one["to"], one["status"]) == (sender, router, "0x0") for one in receipts)


def test_nobody_sells_the_honeypot(scene: Scene) -> None:
    """From the first purchase on each attempt fails on the chain; the scammer alone sells, and once."""
    swaps = list(done(scene.main.deeds, "swapped", "honeypot/native"))
    scammer = scene.people.address("scammer")
    sold = [one.actor for one in swaps if dict(one.figures)["sold"] == "honeypot"]
    buyers = {one.actor for one in swaps if dict(one.figures)["bought"] == "honeypot"}
    assert sold == [scammer] and len(buyers) > 4 and scammer not in buyers
    vain = list(done(scene.main.deeds, "could not sell", "honeypot"))
    assert len(vain) > 2 and all(one.actor in buyers and failures(scene, one.block, one.actor) for one in vain)
    for person in buyers:
        assert scene.main.ledger.balance(scene.main.contracts["honeypot token"].address, person) > 0


def test_the_rug_leaves_nothing(scene: Scene) -> None:
    """After the pull the pair's reserves are dust, the scammer has what was in it, and sales fail."""
    (pulled,) = done(scene.main.deeds, "pulled liquidity", "rug/native")
    head = scene.main.calendar.last_block
    question = Question("rug/native", "getReserves")
    before = scene.main.views.answer(question, pulled.block - 1)
    after = scene.main.views.answer(question, head)
    assert all(10**9 * late < early for early, late in zip(before[:2], after[:2], strict=True))
    burnt = load_artifact("UniswapV2Pair").events["Burn"].topic0
    pair = scene.main.contracts["rug/native"].address
    asked = {"fromBlock": "0x0", "toBlock": "latest", "address": pair, "topics": [burnt]}
    (told,) = load_artifact("UniswapV2Pair").logs("Burn", scene.main.ask("eth_getLogs", asked))
    assert {told["amount0"], told["amount1"]} == {pulled.figure("amount"), pulled.figure("native_wei")}
    vain = list(done(scene.main.deeds, "could not sell", "rug"))
    assert vain and all(one.block > pulled.block and failures(scene, one.block, one.actor) for one in vain)


def test_the_scammer_is_paid_in_native_coins(scene: Scene) -> None:
    """What the pull's block gave the scammer is the deed's amount less the fees of what they sent in it."""
    (pulled,) = done(scene.main.deeds, "pulled liquidity", "rug/native")
    scammer = address_of(scene.people.roles["scammer"])
    ask, block = scene.main.ask, pulled.block
    held = [int(ask("eth_getBalance", scammer, hex(height)), 16) for height in (block - 1, block)]
    fees = sum(
        int(one["gasUsed"], 16) * int(one["effectiveGasPrice"], 16)
        for one in ask("eth_getBlockReceipts", hex(block))
        if one["from"] == scammer
    )
    assert held[1] - held[0] == pulled.figure("native_wei") - fees
