"""Tokens, honest and not, on a real node."""

from __future__ import annotations

from typing import Any

from eth_account.messages import encode_typed_data

from caia_replay.origin.contracts.swap import v2_out

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
    assert told == [
        (bob.address.lower(), carol.address.lower(), 7),
        (carol.address.lower(), bob.address.lower(), 9),
    ]
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


def test_votes_count_once_delegated(stage: Any, cast: Any) -> None:
    """A holder has no votes until they delegate; burning takes them away again."""
    alice, *_ = cast
    token = stage.deploy(alice, "GovernanceToken", "Gov", "GOV", 10 * COIN, alice)
    assert token.read("getVotes", alice) == 0
    token.send(alice, "delegate", alice)
    token.send(alice, "burn", COIN)
    assert token.read("getVotes", alice) == 9 * COIN == token.read("totalSupply")
