"""The airdrop: claims are the contract's events, each once; wrong ones fail; the rest goes back."""

from __future__ import annotations

from collections import Counter
from typing import Any

from caia_replay.origin.act.airdrop import CONTRACT, PROJECT, RECIPIENTS
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.contracts.merkle import leaf, root
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene

DISTRIBUTOR = load_artifact("AirdropDistributor")


_REASONS = {"AlreadyClaimed": "claimed already", "WrongProof": "wrong proof", "Closed": "closed",
            "StillOpen": "still open", "NotOwner": "not the owner"}  # fmt: skip
ERRORS = {selector.hex(): _REASONS[name] for name, selector in load_artifact("AirdropDistributor").errors.items()
          if name in _REASONS}  # fmt: skip
"""Selector of the revert -> the reason as the story tells it."""


def events(scene: Scene, name: str) -> list[dict[str, Any]]:
    asked = {
        "fromBlock": "0x0",
        "address": scene.main.contracts[CONTRACT].address,
        "topics": [DISTRIBUTOR.events[name].topic0],
    }
    return DISTRIBUTOR.logs(name, scene.main.ask("eth_getLogs", asked))


def test_claims_are_the_events(scene: Scene) -> None:
    """Index, account and amount of each, in order; over at least three weeks; most of the recipients, not all."""
    deeds = list(done(scene.main.deeds, "claimed", PROJECT))
    meant = [tuple(dict(deed.figures)[name] for name in ("index", "account", "amount")) for deed in deeds]
    assert [(log["index"], log["account"], log["amount"]) for log in events(scene, "Claimed")] == meant
    assert RECIPIENTS // 2 < len(meant) == len({claim[0] for claim in meant}) < RECIPIENTS
    times = scene.main.calendar.times
    assert times[deeds[-1].block] - times[deeds[0].block] > 21 * DAY_S


def test_the_root_is_over_what_was_allotted(scene: Scene) -> None:
    """Forty different people, different amounts, and the tree that anybody can build from the deeds."""
    allotted = list(done(scene.main.deeds, "was allotted", PROJECT))
    leaves = [leaf(deed.figure("index"), deed.actor, deed.figure("amount")) for deed in allotted]
    (opened,) = done(scene.main.deeds, "opened airdrop", PROJECT)
    assert dict(opened.figures)["root"] == "0x" + root(leaves).hex()
    assert len({deed.actor for deed in allotted}) == len({deed.figure("amount") for deed in allotted}) == RECIPIENTS
    assert opened.figure("total") == sum(deed.figure("amount") for deed in allotted)


def test_what_is_left_goes_back_after_the_deadline(scene: Scene) -> None:
    """Swept is what was paid in less what was claimed, after the deadline, and nothing stays."""
    (opened,), (swept,) = (list(done(scene.main.deeds, verb, PROJECT)) for verb in ("opened airdrop", "swept airdrop"))
    claimed = sum(deed.figure("amount") for deed in done(scene.main.deeds, "claimed", PROJECT))
    assert swept.figure("amount") == opened.figure("total") - claimed > 0
    assert [log["amount"] for log in events(scene, "Swept")] == [swept.figure("amount")]
    assert scene.main.calendar.times[swept.block] > opened.figure("deadline")
    assert scene.balance(scene.main, scene.assets[PROJECT], scene.main.contracts[CONTRACT].address) == 0


def test_refusals_are_failed_transactions(scene: Scene) -> None:
    """Double claims, wrong proofs, late claims and early or foreign sweeps: each failed for the reason that is told."""
    failed = [deed for verb in ("failed to claim", "failed to sweep") for deed in done(scene.main.deeds, verb)]
    reasons = Counter(dict(deed.figures)["reason"] for deed in failed)
    assert set(reasons) == {"claimed already", "wrong proof", "closed", "still open", "not the owner"}
    found = []
    for block in sorted({deed.block for deed in failed}):
        for sent in scene.main.ask("eth_getBlockByNumber", hex(block), True)["transactions"]:
            status = scene.main.ask("eth_getTransactionReceipt", sent["hash"])["status"]
            if sent["to"] == scene.main.contracts[CONTRACT].address and status == "0x0":
                traced = scene.main.ask("debug_traceTransaction", sent["hash"], {"tracer": "callTracer"})
                found.append((block, sent["from"], ERRORS[traced["output"][2:10]]))
    assert Counter(found) == Counter((deed.block, deed.actor, dict(deed.figures)["reason"]) for deed in failed)
