"""Every deed that a contract logs is an event of it on the chain, in order and to the digit; and refusals fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from caia_worldgen.act import airdrop, collect, govern, launch, post_prices, rollup
from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.act.motion import Side
from caia_worldgen.act.stake import POOLS
from caia_worldgen.act.vest import GRANTS, schedule_of
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage

pytestmark = pytest.mark.check
LENT = [f"{role} lending market" for role in COLLATERALS]
STAKED = [f"{terms.staked} staking pool" for terms in POOLS]
TRADE = "actor paid_wei fee_wei amount"
LOGGED = [
    # contract, event, its values; verb, subject, figures (actor: who did it; time: of its block; side: as a number)
    ("airdrop", "Claimed", "index account amount", "claimed", airdrop.PROJECT, "index account amount"),
    ("airdrop", "Swept", "amount", "swept airdrop", airdrop.PROJECT, "amount"),
    ("bridge vault", "Locked", "nonce recipient amount", "locked", None, "nonce recipient amount"),
    ("bridge vault", "Released", "nonce recipient amount", "released", None, "nonce recipient amount"),
    ("bridge minter", "Minted", "nonce recipient amount", "minted", None, "nonce recipient amount"),
    ("bridge minter", "Burned", "nonce recipient amount", "burned", None, "nonce recipient amount"),
    (collect.MARKET, "Listed", "seller id priceWei", "listed", None, "actor id price_wei"),
    (collect.MARKET, "Cancelled", "seller id", "unlisted", None, "actor id"),
    (collect.MARKET, "Sold", "id seller buyer price fee", "purchased", None, "id seller actor price_wei fee_wei"),
    ("splitter", "Received", "from amount", "paid the splitter", None, "actor amount"),
    ("splitter", "Paid", "payee amount", "distributed", None, "recipient amount"),
    ("drainer", "Drained", "victim amount", "drained", "dollar", "victim amount"),
    ("governor", "ProposalCreated", "proposalId voteStart voteEnd description", "proposed", None,
     "id snapshot deadline text"),
    ("governor", "ProposalQueued", "proposalId etaSeconds", "queued", None, "id eta"),
    ("governor", "ProposalExecuted", "proposalId", "executed", None, "id"),
    ("governor", "VoteCast", "voter proposalId support weight", "voted", None, "actor id side weight"),
    (govern.VAULT, "Swept", "burned sent", "swept", govern.VAULT, "burned sent"),
    (govern.VAULT, "Deposited", "from amount", "paid fees", govern.VAULT, "actor amount"),
    (launch.PAD, "Created", "creator name", "launched", None, "actor name"),
    (launch.PAD, "Bought", "buyer paidWei feeWei amount", "bought", None, TRADE),
    (launch.PAD, "Sold", "seller paidWei feeWei amount", "sold", None, TRADE),
    (launch.PAD, "FeesCollected", "amountWei", "collected launch fees", None, "amount_wei"),
    (launch.PAD, "Graduated", "raisedWei amount liquidity", "graduated", None, "raised_wei amount shares"),
    *((name, *row) for name in LENT for row in (
        ("Deposited", "lender amount shares", "lent", name, "actor amount shares"),
        ("Withdrawn", "lender amount shares", "withdrew", name, "actor amount shares"),
        ("CollateralAdded", "borrower amount", "added collateral", name, "actor amount"),
        ("CollateralRemoved", "borrower amount", "removed collateral", name, "actor amount"),
        ("Borrowed", "borrower amount", "borrowed", name, "actor amount"),
        ("Repaid", "borrower amount", "repaid", name, "actor amount"),
        ("Liquidated", "borrower liquidator repaid seized", "liquidated", name, "borrower actor repaid seized"),
    )),
    *((name, event, "account amount", event.lower(), name, "actor amount")
      for name in STAKED for event in ("Staked", "Unstaked", "Claimed")),
    (post_prices.ORACLE, "Posted", "priceE8 at", "posted price", None, "price_e8 time"),
    (rollup.POOL, "Mint", "amount", "added liquidity", rollup.POOL, "liquidity"),
    (rollup.POOL, "Collect", "amount0 amount1", "collected fees", rollup.POOL, "amount0 amount1"),
]  # fmt: skip
REFUSED = {
    "governor": {"GovernorInsufficientProposerVotes", "GovernorAlreadyCastVote", "GovernorUnexpectedProposalState",
                 "TimelockUnexpectedOperationState"},
    govern.VAULT: {"NotOwner"}, "bridge vault": {"AlreadyReleased", "NotRelayer"},
    "credit token": {"EnforcedPause", "OwnableUnauthorizedAccount"}, "drainer": {"NothingToTake", "NotOwner"},
    STAKED[0]: {"Unfunded", "NotEnoughStaked"}, STAKED[1]: {"NotEnoughStaked"},
}  # fmt: skip
"""Contract -> the errors with which it refused somebody."""


def home(scene: Scene, role: str) -> Stage:
    """The chain on which a contract lives."""
    return scene.main if role in scene.main.contracts else scene.rollup


def logs(scene: Scene, role: str, event: str) -> list[dict[str, Any]]:
    """A contract's events of one kind, in order."""
    stage, contract = home(scene, role), home(scene, role).contracts[role]
    asked = {"fromBlock": "0x0", "address": contract.address, "topics": [contract.artifact.events[event].topic0]}
    return contract.artifact.logs(event, stage.ask("eth_getLogs", asked))


def figure(stage: Stage, deed: ChainEvent, name: str) -> object:
    """One of a deed's figures as an event has it."""
    if name in ("actor", "time"):
        return deed.actor if name == "actor" else stage.calendar.times[deed.block]
    value = dict(deed.figures)[name]
    return Side[str(value).upper()] if name == "side" else value


@pytest.mark.parametrize("row", LOGGED, ids=lambda row: f"{row[0]}: {row[1]}")
def test_every_deed_is_an_event(scene: Scene, row: tuple[str, str, str, str, str | None, str]) -> None:
    """What people did to a contract is what it logged: who, how much, in order; and every kind happened."""
    role, event, values, verb, subject, figures = row
    stage = home(scene, role)
    deeds = [one for one in done(stage.deeds, verb, subject)
             if "nonce" not in figures or "nonce" in dict(one.figures)]  # fmt: skip
    told = [tuple(log[name] for name in values.split()) for log in logs(scene, role, event)]
    assert told == [tuple(figure(stage, deed, name) for name in figures.split()) for deed in deeds] != []


def test_every_release_is_what_had_vested(scene: Scene) -> None:
    """Of each vesting contract, in order; each brings what was released up to what had vested by then."""
    granted = list(done(scene.main.deeds, "granted"))
    assert len(granted) == len(GRANTS)
    for grant in granted:
        terms, paid = schedule_of(grant), 0
        released = list(done(scene.main.deeds, "released", grant.subject))
        told = [log["amount"] for log in logs(scene, grant.subject, "ERC20Released")]
        assert told == [deed.figure("amount") for deed in released]
        for deed in released:
            paid += deed.figure("amount")
            assert paid == terms.vested(scene.main.calendar.times[deed.block])


def test_every_swap_is_an_event_of_its_pair(scene: Scene) -> None:
    """Amounts in and out are the pair's own, of markets and of listings beside them; a tax is told beside them."""
    pairs = [role for role in scene.main.contracts if "/" in role]
    assert len(pairs) > 11
    for role in pairs:
        told = [(log["amount0In"] + log["amount1In"], log["amount0Out"] + log["amount1Out"])
                for log in logs(scene, role, "Swap")]  # fmt: skip
        meant = list(done(scene.main.deeds, "swapped", role))
        assert told == [(one.figure("amount_in"), one.figure("amount_out")) for one in meant] != [], role
        assert all(("tax" in dict(one.figures)) == (role == "tax/dollar") for one in meant)


@pytest.mark.parametrize("role", REFUSED)
def test_refusals_have_their_reasons(refusals: Callable[[str], list[str]], role: str) -> None:
    """Each failed on the chain for the error that the deed tells: late votes, strangers, pauses, empty pools."""
    assert set(refusals(role)) == REFUSED[role]
