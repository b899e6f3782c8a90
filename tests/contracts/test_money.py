"""Tokens, honest and not, and what is done with them: airdrops, sales, splits, on a real node."""

from __future__ import annotations

from typing import Any

from eth_account.messages import encode_typed_data

from caia_worldgen.contracts.exchange import v2_out
from caia_worldgen.contracts.payout import leaf, proof, root

COIN = 10**18
FOREVER = 2**40


def test_a_permit_moves_coins_without_a_transaction_of_their_holder(stage: Any, cast: Any) -> None:
    """EIP-2612: a signature sets the allowance once; a second use of it is refused."""
    alice, bob, carol, _ = cast
    coin = stage.deploy(alice, "StableCoin", "Coin", "COIN", alice)
    coin.send(alice, "mint", bob, 1_000_000)
    signed = bob.sign_message(encode_typed_data(full_message=permit(stage, coin, bob, carol, 400_000)))
    given = (bob, carol, 400_000, FOREVER, signed.v, signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big"))
    coin.send(carol, "permit", *given)
    assert coin.read("allowance", bob, carol) == 400_000
    coin.send(carol, "transferFrom", bob, carol, 400_000)
    assert (coin.read("balanceOf", bob), coin.read("balanceOf", carol)) == (600_000, 400_000)
    assert coin.refusal(carol, "permit", *given) == "ERC2612InvalidSigner"


def permit(stage: Any, coin: Any, owner: Any, spender: Any, value: int) -> dict[str, Any]:
    """The typed data of a first permit."""
    fields = {"name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address"}
    message = {"owner": "address", "spender": "address", "value": "uint256", "nonce": "uint256", "deadline": "uint256"}
    chain_id = stage.chain.genesis.chain_id
    return {
        "types": {
            "EIP712Domain": [{"name": name, "type": kind} for name, kind in fields.items()],
            "Permit": [{"name": name, "type": kind} for name, kind in message.items()],
        },
        "primaryType": "Permit",
        "domain": {"name": "Coin", "version": "1", "chainId": chain_id, "verifyingContract": coin.address},
        "message": {
            "owner": owner.address,
            "spender": spender.address,
            "value": value,
            "nonce": 0,
            "deadline": FOREVER,
        },
    }


def test_the_issuer_mints_burns_and_pauses_its_coin(stage: Any, cast: Any) -> None:
    """Six decimals; a pause stops every movement; nobody else may mint, burn or pause."""
    alice, bob, *_ = cast
    coin = stage.deploy(alice, "StableCoin", "Coin", "COIN", alice)
    assert coin.read("decimals") == 6
    coin.send(alice, "mint", alice, 100)
    coin.send(alice, "burn", 40)
    assert coin.read("totalSupply") == 60
    for call in (("mint", bob, 1), ("burn", 1), ("pause",)):
        assert coin.refusal(bob, *call) == "OwnableUnauthorizedAccount"
    coin.send(alice, "pause")
    assert coin.refusal(alice, "transfer", bob, 1) == "EnforcedPause"
    coin.send(alice, "unpause")
    coin.send(alice, "transfer", bob, 1)


def test_a_tax_goes_to_the_treasury(stage: Any, cast: Any) -> None:
    """Rounded down, from every transfer but the treasury's; its owner alone sets the rate, up to all of it."""
    alice, bob, carol, treasury = cast
    token = stage.deploy(alice, "TaxToken", "Tax", "TAX", COIN, alice, treasury, 250)
    token.send(alice, "transfer", bob, 10_001)
    assert (token.read("balanceOf", bob), token.read("balanceOf", treasury)) == (10_001 - 250, 250)
    token.send(treasury, "transfer", carol, 250)
    assert token.read("balanceOf", carol) == 250
    assert token.refusal(bob, "setFee", 0) == "OwnableUnauthorizedAccount"
    assert token.refusal(alice, "setFee", 10_001) == "FeeTooHigh"
    token.send(alice, "setFee", 0)
    token.send(alice, "transfer", bob, 1001)
    assert token.read("balanceOf", treasury) == 0


def test_an_armed_honeypot_can_be_bought_and_not_sold(stage: Any, cast: Any) -> None:
    """Before it is armed a sale works; afterwards only the owner's does."""
    alice, bob, *_ = cast
    wrapped, factory, router = stage.exchange()
    token = stage.deploy(alice, "HoneypotToken", "Pot", "POT", 10**6 * COIN, alice)
    token.send(alice, "approve", router, 10**6 * COIN)
    token.send(bob, "approve", router, 10**6 * COIN)
    router.send(alice, "addLiquidityETH", token, 1000 * COIN, 0, 0, alice, FOREVER, value=10 * COIN)
    pair = factory.read("getPair", token, wrapped)
    router.send(bob, "swapExactETHForTokens", 0, [wrapped, token], bob, FOREVER, value=COIN)
    bought = token.read("balanceOf", bob)
    assert bought == v2_out(COIN, 10 * COIN, 1000 * COIN)
    sale = ("swapExactTokensForETH", bought // 2, 0, [token, wrapped], bob, FOREVER)
    assert router.refusal(bob, *sale) == ""
    assert token.refusal(bob, "arm", pair) == "OwnableUnauthorizedAccount"
    token.send(alice, "arm", pair)
    assert "TRANSFER_FROM_FAILED" in router.refusal(bob, *sale)
    assert token.refusal(bob, "transfer", pair, 1) == "TransferFailed"
    assert token.refusal(bob, "transfer", alice, 1) == ""
    router.send(bob, "swapExactETHForTokens", 0, [wrapped, token], bob, FOREVER, value=COIN)
    router.send(alice, "swapExactTokensForETH", COIN, 0, [token, wrapped], alice, FOREVER)


def test_a_spoofed_transfer_moves_nothing(stage: Any, cast: Any) -> None:
    """The maker alone states transfers, of lists of equal length; balances stay what they always are."""
    alice, bob, carol, _ = cast
    token = stage.deploy(alice, "SpoofToken", "Spoof", "SPOOF")
    before = token.read("balanceOf", carol)
    receipt = token.send(alice, "spoof", [bob, carol], [carol, bob], [7, 9])
    told = [(log["from"], log["to"], log["value"]) for log in token.logs("Transfer", receipt)]
    assert told == [(bob.address.lower(), carol.address.lower(), 7), (carol.address.lower(), bob.address.lower(), 9)]
    assert token.read("balanceOf", carol) == before
    assert token.refusal(bob, "spoof", [], [], []) == "NotMaker"
    assert token.refusal(alice, "spoof", [bob], [], []) == "LengthsDiffer"


def test_vesting_is_linear_after_its_cliff(stage: Any, cast: Any) -> None:
    """Nothing before the cliff, the elapsed share at it, all at the end, paid to the beneficiary."""
    alice, bob, *_ = cast
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    start = stage.time + 1000
    vault = stage.deploy(alice, "VestingSchedule", bob, start, 10_000, 2_500)
    token.send(alice, "transfer", vault, 999)
    asked = "vestedAmount(address,uint64)"
    steps = [(start + 2_499, 0), (start + 2_500, 249), (start + 9_999, 998), (start + 10_000, 999)]
    assert [vault.read(asked, token, at) for at, _ in steps] == [amount for _, amount in steps]
    receipt = vault.send(alice, "release(address)", token, after=start + 5_000 - stage.time)
    assert token.read("balanceOf", bob) == 499 == vault.logs("ERC20Released", receipt)[0]["amount"]


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
