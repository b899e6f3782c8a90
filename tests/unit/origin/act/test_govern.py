"""Governance: the proposals, votes and the upgrade as the contracts' own events tell them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caia_replay.origin.act.govern import VAULT, VOTER_TOKEN
from caia_replay.origin.act.motion import Side
from caia_replay.origin.deed import Deed, done
from caia_replay.origin.scene import Scene

SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
"""Where a proxy keeps the address of its implementation (EIP-1967)."""


def words(deed: Deed) -> dict[str, Any]:
    return dict(deed.figures)


def logs(scene: Scene, role: str, event: str) -> list[dict[str, Any]]:
    contract = scene.main.contracts[role]
    found = scene.main.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": contract.address})
    return contract.artifact.logs(event, found)


def test_every_proposal_is_an_event(scene: Scene) -> None:
    """Four are made with their numbers, dates and texts; the first two are defeated, the others executed."""
    proposed = list(done(scene.main.deeds, "proposed"))
    told = [
        (log["proposalId"], log["voteStart"], log["voteEnd"], log["description"])
        for log in logs(scene, "governor", "ProposalCreated")
    ]
    assert told == [tuple(words(deed)[name] for name in ("id", "snapshot", "deadline", "text")) for deed in proposed]
    ids = [one[0] for one in told]
    assert [deed.figure("id") for deed in done(scene.main.deeds, "defeated")] == ids[:2] and len(ids) == 4
    queued = [(deed.figure("id"), deed.figure("eta")) for deed in done(scene.main.deeds, "queued")]
    assert [(log["proposalId"], log["etaSeconds"]) for log in logs(scene, "governor", "ProposalQueued")] == queued
    assert [log["proposalId"] for log in logs(scene, "governor", "ProposalExecuted")] == ids[2:]
    assert [deed.figure("id") for deed in done(scene.main.deeds, "executed")] == [number for number, _ in queued]


def test_every_vote_is_an_event(scene: Scene) -> None:
    """Voter, side and weight of each, in order; all three sides were taken, and weights differ."""
    told = [
        (log["voter"], log["proposalId"], log["support"], log["weight"]) for log in logs(scene, "governor", "VoteCast")
    ]
    meant = [
        (deed.actor, deed.figure("id"), Side[str(words(deed)["side"]).upper()], deed.figure("weight"))
        for deed in done(scene.main.deeds, "voted")
    ]
    assert told == meant
    assert {side for _, _, side, _ in told} == set(Side) and len({weight for *_, weight in told}) > 8


def test_one_proposal_lacks_the_quorum_and_one_the_votes(scene: Scene) -> None:
    """Of the defeated, the first was noticed by too few; the second reached the quorum and was voted down."""
    sums = []
    for deed in done(scene.main.deeds, "defeated"):
        tally = [0, 0, 0]
        for vote in done(scene.main.deeds, "voted", deed.subject):
            tally[Side[str(words(vote)["side"]).upper()]] += vote.figure("weight")
        sums.append((tally, deed.figure("quorum")))
    (few, quorum), (many, _) = sums
    assert few[Side.FOR] + few[Side.ABSTAIN] < quorum
    assert many[Side.FOR] + many[Side.ABSTAIN] >= quorum and many[Side.AGAINST] > many[Side.FOR]


def test_the_vote_changes_the_code_behind_the_proxy(scene: Scene) -> None:
    """The implementation slot holds the first code until the block of the upgrade, and the second from then on."""
    (deed,) = done(scene.main.deeds, "upgraded", VAULT)
    days = scene.main.calendar.day_of(deed.block)
    assert days > scene.scale.days * 60 // 100
    vault = scene.main.contracts[VAULT].address
    (opened,) = done(scene.main.deeds, "opened", VAULT)
    for block, name in ((opened.block, "before"), (deed.block - 1, "before"), (deed.block, "implementation")):
        held = scene.main.ask("eth_getStorageAt", vault, SLOT, hex(block))
        assert "0x" + held[-40:] == words(deed)[name]
    assert words(deed)["before"] != words(deed)["implementation"]
    assert [log["implementation"] for log in logs(scene, "fee vault proxy", "Upgraded")] == [
        words(deed)["before"],
        words(deed)["implementation"],
    ]


def test_fees_come_in_and_a_share_is_burnt(scene: Scene) -> None:
    """Deposits and sweeps are the vault's events; each sweep burns the share that was voted, and it burns twice."""
    paid = [
        (scene.assets[str(words(deed)["token"])].address, deed.actor, deed.figure("amount"))
        for deed in done(scene.main.deeds, "paid fees", VAULT)
    ]
    assert [(log["token"], log["from"], log["amount"]) for log in logs(scene, VAULT, "Deposited")] == paid and paid
    swept = [(deed.figure("burned"), deed.figure("sent")) for deed in done(scene.main.deeds, "swept", VAULT)]
    assert [(log["burned"], log["sent"]) for log in logs(scene, VAULT, "Swept")] == swept and len(swept) == 2
    (upgraded,) = done(scene.main.deeds, "upgraded", VAULT)
    for burned, sent in swept:
        assert burned == (burned + sent) * upgraded.figure("burn_share_bps") // 10_000 > 0
    assert all(log["token"] == scene.assets[VOTER_TOKEN].address for log in logs(scene, VAULT, "Swept"))


def test_refusals_have_their_reasons(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """No votes, a second vote, a late vote, a lost vote queued, too early an execution, an upgrade without a vote."""
    assert set(refusals("governor")) == {
        "GovernorInsufficientProposerVotes",
        "GovernorAlreadyCastVote",
        "GovernorUnexpectedProposalState",
        "TimelockUnexpectedOperationState",
    }
    assert refusals(VAULT) == ["NotOwner"]
