"""Airdrop, NFT market, payment splitter, multicall and drainer on a real node."""

from __future__ import annotations

from typing import Any

from caia_replay.origin.contracts.merkle import leaf, proof, root

COIN = 10**18


def test_an_airdrop_pays_each_leaf_once_until_its_deadline(stage: Any, cast: Any) -> None:
    """A true proof pays, a second claim, a wrong amount and a late one do not; the owner sweeps the rest."""
    alice, bob, carol, dave = cast
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    shares = [(0, bob, 100), (1, carol, 250), (2, dave, 7)]
    leaves = [leaf(index, wallet.address, amount) for index, wallet, amount in shares]
    deadline = stage.time + 1000
    drop = stage.deploy(alice, "AirdropDistributor", token, root(leaves), deadline, alice)
    token.send(alice, "transfer", drop, 1000)
    drop.send(carol, "claim", 0, bob, 100, proof(leaves, 0))
    drop.send(dave, "claim", 2, dave, 7, proof(leaves, 2))
    assert [drop.read("isClaimed", at) for at in range(3)] == [True, False, True]
    assert (token.read("balanceOf", bob), token.read("balanceOf", dave)) == (100, 7)
    assert drop.refusal(bob, "claim", 0, bob, 100, proof(leaves, 0)) == "AlreadyClaimed"
    assert drop.refusal(carol, "claim", 1, carol, 251, proof(leaves, 1)) == "WrongProof"
    assert drop.refusal(carol, "claim", 1, bob, 250, proof(leaves, 1)) == "WrongProof"
    assert drop.refusal(alice, "sweep") == "StillOpen"
    stage.mine(deadline + 1 - stage.time)
    assert drop.refusal(carol, "claim", 1, carol, 250, proof(leaves, 1)) == "Closed"
    assert drop.refusal(bob, "sweep") == "NotOwner"
    assert drop.logs("Swept", drop.send(alice, "sweep"))[0]["amount"] == 893


def test_an_nft_is_sold_for_its_price_and_the_fee_is_kept(stage: Any, cast: Any) -> None:
    """Listed with an approval, bought for exactly the price; seller and treasury get it all between them."""
    alice, bob, carol, treasury = cast
    market = stage.deploy(alice, "NftMarket", 250, treasury)
    item = stage.deploy(alice, "Collectible", "Items", "ITEM", alice, "")
    item.send(alice, "mint", bob)
    assert market.refusal(alice, "list", item, 1, 999) == "NotOwner"
    assert market.refusal(bob, "list", item, 1, 999) == "NotApproved"
    item.send(bob, "setApprovalForAll", market, True)
    assert market.refusal(bob, "list", item, 1, 0) == "ZeroPrice"
    market.send(bob, "list", item, 1, 500)
    market.send(bob, "list", item, 1, 999)
    assert market.refusal(carol, "buy", item, 1, value=500) == "WrongPrice"
    assert market.refusal(carol, "cancel", item, 1) == "NotSeller"
    before = stage.balance(bob), stage.balance(treasury)
    sold = market.logs("Sold", market.send(carol, "buy", item, 1, value=999))[0]
    assert (sold["seller"], sold["buyer"]) == (bob.address.lower(), carol.address.lower())
    assert (sold["price"], sold["fee"]) == (999, 24)
    assert (stage.balance(bob) - before[0], stage.balance(treasury) - before[1]) == (975, 24)
    assert item.read("ownerOf", 1) == carol.address.lower()
    assert market.refusal(carol, "buy", item, 1, value=999) == "NotListed"
    item.send(carol, "approve", market, 1)
    market.send(carol, "list", item, 1, 5)
    market.send(carol, "cancel", item, 1)
    assert market.refusal(carol, "cancel", item, 1) == "NotListed"


def test_a_splitter_pays_by_shares_through_internal_transfers(stage: Any, cast: Any) -> None:
    """Each payee gets the rounded-down share; the remainder waits; nothing to pay is refused."""
    alice, bob, carol, dave = cast
    split = stage.deploy(alice, "PaymentSplitter", [bob, carol, dave], [5, 3, 1])
    assert split.refusal(alice, "distribute") == "NothingToPay"
    stage.chain.send(alice, split.address, value_wei=1000)
    assert split.logs("Received", stage.mine(12)[0])[0]["amount"] == 1000
    before = [stage.balance(wallet) for wallet in (bob, carol, dave)]
    paid = [log["amount"] for log in split.logs("Paid", split.send(alice, "distribute"))]
    after = [stage.balance(wallet) for wallet in (bob, carol, dave)]
    assert paid == [555, 333, 111] == [late - early for late, early in zip(after, before, strict=True)]
    assert stage.balance(split) == 1


def test_a_multicall_is_all_or_nothing_unless_told_otherwise(stage: Any, cast: Any) -> None:
    """aggregate undoes everything on one failure; tryAggregate keeps what worked and says what did not."""
    alice, bob, *_ = cast
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    many = stage.deploy(alice, "Multicall")
    token.send(alice, "transfer", many, 10)
    good, bad = (token.artifact.call("transfer", (bob.address, amount)) for amount in (6, 600))
    assert many.refusal(alice, "aggregate", [(token, good), (token, bad)]) == "CallFailed"
    answers = many.read("tryAggregate", [(token, good), (token, bad)])
    assert [success for success, _ in answers] == [True, False]
    many.send(alice, "tryAggregate", [(token, good), (token, bad)])
    assert token.read("balanceOf", bob) == 6
    balance = token.artifact.call("balanceOf", (bob.address,))
    assert [int.from_bytes(data, "big") for data in many.read("aggregate", [(token, balance)] * 2)] == [6, 6]


def test_a_drainer_takes_what_was_approved_and_there(stage: Any, cast: Any) -> None:
    """The lesser of balance and allowance, for its owner alone; without an approval there is nothing to take."""
    alice, victim, careful, thief = cast
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    trap = stage.deploy(thief, "Drainer", thief)
    for wallet in (victim, careful):
        token.send(alice, "transfer", wallet, 100)
        assert trap.logs("Registered", trap.send(wallet, "register"))[0]["account"] == wallet.address.lower()
    token.send(victim, "approve", trap, 60)
    assert trap.refusal(alice, "drain", token, victim) == "NotOwner"
    assert trap.refusal(thief, "drain", token, careful) == "NothingToTake"
    assert trap.logs("Drained", trap.send(thief, "drain", token, victim))[0]["amount"] == 60
    token.send(victim, "approve", trap, 2**256 - 1)
    trap.send(thief, "drain", token, victim)
    assert trap.refusal(alice, "withdraw", token) == "NotOwner"
    trap.send(thief, "withdraw", token)
    assert (token.read("balanceOf", victim), token.read("balanceOf", thief)) == (0, 100)
