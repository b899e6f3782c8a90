"""Ordinary days: bundles, shared income, permits, burns and failures, each as the chain tells it."""

from __future__ import annotations

from typing import Any

from caia_replay.origin.deed import done
from caia_replay.origin.people import address_of
from caia_replay.origin.scene import Scene


def receipts(scene: Scene, block: int) -> list[dict[str, Any]]:
    """A block's receipts."""
    found: list[dict[str, Any]] = scene.main.ask("eth_getBlockReceipts", hex(block))
    return found


def test_income_is_shared_as_agreed(scene: Scene) -> None:
    """The splitter's Received and Paid events are the deeds, and what it still has is what the deeds leave."""
    stage, splitter = scene.main, scene.main.contracts["splitter"]
    logs = stage.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": splitter.address})
    came = [(one["from"], one["amount"]) for one in splitter.artifact.logs("Received", logs)]
    went = [(one["payee"], one["amount"]) for one in splitter.artifact.logs("Paid", logs)]
    assert came == [(one.actor, one.figure("amount")) for one in done(stage.deeds, "paid the splitter")]
    assert went == [(dict(one.figures)["recipient"], one.figure("amount")) for one in done(stage.deeds, "distributed")]
    held = int(stage.ask("eth_getBalance", splitter.address, "latest"), 16)
    assert held == sum(amount for _, amount in came) - sum(amount for _, amount in went) and went


def test_permits_are_used_once(scene: Scene) -> None:
    """Each buyer's numbers count from 0 without a gap, and the token says how many they used."""
    stage, dollar, used = scene.main, scene.assets["dollar"], {}
    for one in done(stage.deeds, "paid by permit", "dollar"):
        assert one.figure("nonce") == used.get(one.actor, 0)
        used[one.actor] = one.figure("nonce") + 1
    for buyer, count in used.items():
        data = "0x" + dollar.contract.artifact.call("nonces", (buyer,)).hex()
        assert int(stage.ask("eth_call", {"to": dollar.address, "data": data}, "latest"), 16) == count
    merchant = scene.people.address("merchant")
    paid = sum(one.figure("amount") for one in done(stage.deeds, "paid by permit", "dollar"))
    got = [one for one in stage.ledger.within(dollar.address, 0, stage.height) if one.recipient == merchant]
    assert paid == sum(one.amount for one in got) > 0


def test_bundles_are_one_transaction(scene: Scene) -> None:
    """All payments of a bundle are logs of one receipt, sent by the bundling contract, which keeps nothing."""
    stage, bundler = scene.main, scene.main.contracts["bundler"].address
    bundles = list(done(stage.deeds, "bundled"))
    for one in bundles:
        token = scene.assets[one.subject].address
        sent = [
            [int(log["data"], 16) for log in got["logs"] if log["address"] == token and bundler[2:] in log["topics"][1]]
            for got in receipts(scene, one.block)
            if got["to"] == bundler and got["status"] == "0x1"
        ]
        assert any(len(amounts) == one.figure("payments") and sum(amounts) == one.figure("amount") for amounts in sent)
        assert stage.ledger.balance(token, bundler) == 0
    assert len(bundles) > 2


def test_announced_burns_are_done(scene: Scene) -> None:
    """Of each announcement there is one burn on the announced day, of the amount announced, out of the supply."""
    stage = scene.main
    announced = {one.subject: one for one in done(stage.deeds, "announced a burn")}
    assert len(announced) == 3
    for role, one in announced.items():
        (burned,) = done(stage.deeds, "burned", role)
        assert burned.figure("amount") == one.figure("amount") > 0
        assert stage.calendar.day_of(burned.block) == one.figure("day")
        token = scene.assets[role].address
        gone = stage.ledger.supply(token, burned.block - 1) - stage.ledger.supply(token, burned.block)
        assert gone >= burned.figure("amount")


def test_failures_fail_as_they_are_meant_to(scene: Scene) -> None:
    """Refusals of tokens are failed transactions of that sender; who ran out of gas used all of it."""
    stage, kinds = scene.main, set()
    for one in done(stage.deeds, "was refused"):
        error = str(dict(one.figures)["error"]) if one.subject.endswith(" token") else ""
        if error.startswith(("ERC20", "ERC2612", "Ownable")):
            contract = stage.contracts[one.subject]
            ends = {(got["from"], got["to"], got["status"]) for got in receipts(scene, one.block)}
            assert (one.actor, contract.address, "0x0") in ends and error in contract.artifact.errors
            kinds.add(error)
    assert len(kinds) >= 4
    starved = list(done(stage.deeds, "ran out of gas"))
    for one in starved:
        used = {
            int(got["gasUsed"], 16)
            for got in receipts(scene, one.block)
            if got["status"] == "0x0" and got["to"] == stage.contracts[one.subject].address
        }
        assert one.figure("gas") in used
    assert starved and {one.actor for one in starved} == {address_of(scene.people.roles["exchange"])}


def test_people_create_contracts(scene: Scene) -> None:
    """What a deed calls a contract has code, and its creator is the deed's."""
    made = list(done(scene.main.deeds, "created a contract"))
    for one in made:
        told = {got["contractAddress"]: got["from"] for got in receipts(scene, one.block) if got["contractAddress"]}
        assert told[str(dict(one.figures)["contract"])] == one.actor
    assert made
