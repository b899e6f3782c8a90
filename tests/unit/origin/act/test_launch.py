"""The launchpad: births, purchases and sales as its events tell them; most tokens die, three graduate."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from caia_replay.origin.act.launch import PAD
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene

LAUNCHPAD = load_artifact("Launchpad")


def events(scene: Scene, name: str) -> list[dict[str, Any]]:
    asked = {
        "fromBlock": "0x0",
        "address": scene.main.contracts[PAD].address,
        "topics": [LAUNCHPAD.events[name].topic0],
    }
    return LAUNCHPAD.logs(name, scene.main.ask("eth_getLogs", asked))


def token(scene: Scene, role: str) -> str:
    return scene.assets[role].address


def test_births_are_the_events(scene: Scene) -> None:
    """About one a week, each by its creator and under its project's name."""
    births = list(done(scene.main.deeds, "launched"))
    told = [(log["token"], log["creator"], log["name"]) for log in events(scene, "Created")]
    assert told == [(token(scene, deed.subject), deed.actor, dict(deed.figures)["name"]) for deed in births]
    assert 15 <= len(births) <= 19
    days = [scene.main.calendar.day_of(deed.block) for deed in births]
    assert all(2 <= later - earlier <= 12 for earlier, later in pairwise(days))


def test_trades_on_the_curve_are_the_events(scene: Scene) -> None:
    """Who, how much, for how much and with what fee: every purchase and every sale, in order."""
    bought = [
        (log["token"], log["buyer"], log["paidWei"], log["feeWei"], log["amount"]) for log in events(scene, "Bought")
    ]
    figures = ("paid_wei", "fee_wei", "amount")
    assert bought == [
        (token(scene, deed.subject), deed.actor, *(deed.figure(name) for name in figures))
        for deed in done(scene.main.deeds, "bought")
    ]
    sold = [
        (log["token"], log["seller"], log["paidWei"], log["feeWei"], log["amount"]) for log in events(scene, "Sold")
    ]
    assert sold == [
        (token(scene, deed.subject), deed.actor, *(deed.figure(name) for name in figures))
        for deed in done(scene.main.deeds, "sold")
    ]
    assert len(bought) > 20 and len(sold) > 4


def test_most_tokens_die(scene: Scene) -> None:
    """Some were never bought, some creators sold all they had, and fewer than a quarter graduated."""
    births = {deed.subject: deed for deed in done(scene.main.deeds, "launched")}
    bought = {deed.subject for deed in done(scene.main.deeds, "bought")}
    graduated = {deed.subject for deed in done(scene.main.deeds, "graduated")}
    ignored = set(births) - bought
    left = {
        deed.subject for deed in done(scene.main.deeds, "sold")
        if deed.actor == births[deed.subject].actor
        and scene.main.ledger.balance(token(scene, deed.subject), deed.actor) == 0
    }  # fmt: skip
    assert len(ignored) >= 3 and len(left) >= 2 and len(graduated) == 3
    assert all(scene.main.ledger.supply(token(scene, role)) == 0 for role in ignored)


def test_collected_fees_are_what_trades_paid(scene: Scene) -> None:
    """Each collection takes the fees of all trades since the one before it."""
    due, collected = 0, []
    for deed in scene.main.deeds:
        if deed.verb in ("bought", "sold"):
            due += deed.figure("fee_wei")
        elif deed.verb == "collected launch fees":
            assert deed.figure("amount_wei") == due
            collected.append(due)
            due = 0
    assert [log["amountWei"] for log in events(scene, "FeesCollected")] == collected and len(collected) >= 3


def test_refusals_are_failed_transactions(scene: Scene) -> None:
    """Who asked for more than the curve gives, and who wanted to sell to a closed curve, got a failed transaction."""
    failed = [deed for deed in scene.main.deeds if deed.verb in ("failed to buy", "failed to sell")]
    assert {dict(deed.figures)["reason"] for deed in failed} == {"too little", "graduated already"}
    found = []
    for block in sorted({deed.block for deed in failed}):
        for sent in scene.main.ask("eth_getBlockByNumber", hex(block), True)["transactions"]:
            status = scene.main.ask("eth_getTransactionReceipt", sent["hash"])["status"]
            if sent["to"] == scene.main.contracts[PAD].address and status == "0x0":
                found.append((block, sent["from"]))
    assert sorted(found) == sorted((deed.block, deed.actor) for deed in failed)
