"""Votes that upgrade a proxy through the timelock, and both ends of the bridge."""

from __future__ import annotations

from typing import Any

from eth_utils.crypto import keccak

COIN = 10**18
DELAY_S, WAIT, PERIOD = 3600, 2, 10
SUPPORTED, SUCCEEDED, QUEUED, EXECUTED, DEFEATED = 1, 4, 5, 7, 3
ANYBODY = "0x" + "00" * 20


def parliament(stage: Any, cast: Any) -> tuple[Any, ...]:
    """Token, governor, timelock and the vault's proxy, which the timelock owns."""
    alice, bob, *_ = cast
    token = stage.deploy(alice, "GovernanceToken", "Gov", "GOV", 100 * COIN, alice)
    timelock = stage.deploy(alice, "TimelockController", DELAY_S, [], [ANYBODY], alice)
    governor = stage.deploy(alice, "ProtocolGovernor", token, timelock, WAIT, PERIOD, COIN, 20)
    for role in ("PROPOSER_ROLE", "CANCELLER_ROLE"):
        timelock.send(alice, "grantRole", timelock.read(role), governor)
    timelock.send(alice, "renounceRole", timelock.read("DEFAULT_ADMIN_ROLE"), alice)
    first = stage.deploy(alice, "FeeVaultV1")
    start = first.artifact.call("initialize", (timelock.address, 30))
    proxy = stage.deploy(alice, "ERC1967Proxy", first, start)
    token.send(alice, "transfer", bob, 30 * COIN)
    for wallet in (alice, bob):
        token.send(wallet, "delegate", wallet)
    return token, governor, timelock, stage.at("FeeVaultV1", proxy.address)


def test_a_vote_upgrades_the_vault_and_the_vault_burns(stage: Any, cast: Any) -> None:
    """Proposed, voted, queued, executed after the delay: version 2 keeps the storage and burns its share."""
    alice, bob, carol, _ = cast
    token, governor, timelock, vault = parliament(stage, cast)
    token.send(alice, "approve", vault, 40_003)
    vault.send(alice, "deposit", token, 40_003)
    second = stage.deploy(alice, "FeeVaultV2")
    upgrade = vault.artifact.call("upgradeToAndCall", (second.address, second.artifact.call("initializeV2", (2500,))))
    sweep = second.artifact.call("sweep", (token.address, carol.address))
    text = "Burn a quarter of the fees"
    deed = ([vault, vault], [0, 0], [upgrade, sweep])
    number = governor.logs("ProposalCreated", governor.send(alice, "propose", *deed, text))[0]["proposalId"]
    assert governor.refusal(carol, "propose", *deed, "Another") == "GovernorInsufficientProposerVotes"
    for _ in range(WAIT):
        stage.mine(12)
    governor.send(bob, "castVote", number, SUPPORTED)
    assert governor.refusal(bob, "castVote", number, SUPPORTED) == "GovernorAlreadyCastVote"
    assert governor.read("proposalVotes", number) == (0, 30 * COIN, 0)
    for _ in range(PERIOD):
        stage.mine(12)
    assert governor.read("state", number) == SUCCEEDED
    done = (*deed, keccak(text=text))
    governor.send(carol, "queue(address[],uint256[],bytes[],bytes32)", *done)
    assert governor.read("state", number) == QUEUED
    execute = "execute(address[],uint256[],bytes[],bytes32)"
    assert governor.refusal(carol, execute, *done) == timelock.artifact.errors["TimelockUnexpectedOperationState"].hex()
    governor.send(carol, execute, *done, after=DELAY_S)
    assert governor.read("state", number) == EXECUTED
    vault = stage.at("FeeVaultV2", vault.address)
    assert (vault.read("version"), vault.read("feeBps"), vault.read("burnShareBps")) == (2, 30, 2500)
    assert vault.read("owner") == timelock.address
    assert (token.read("balanceOf", carol), token.read("totalSupply")) == (40_003 - 10_000, 100 * COIN - 10_000)
    assert vault.refusal(alice, "initializeV2", 1) == "InvalidInitialization"
    assert vault.refusal(alice, "sweep", token, alice) == vault.refusal(alice, "setBurnShare", 1) == "NotOwner"


def test_only_the_owner_spends_sets_and_upgrades(stage: Any, cast: Any) -> None:
    """A stranger, and the implementation's own initializer, are refused."""
    alice, bob, *_ = cast
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    first = stage.deploy(alice, "FeeVaultV1")
    assert first.refusal(alice, "initialize", alice, 0) == "InvalidInitialization"
    start = first.artifact.call("initialize", (alice.address, 30))
    vault = stage.at("FeeVaultV1", stage.deploy(alice, "ERC1967Proxy", first, start).address)
    assert vault.refusal(alice, "initialize", alice, 0) == "InvalidInitialization"
    for call in (("withdraw", token, bob, 1), ("setFee", 1), ("upgradeToAndCall", first, b"")):
        assert vault.refusal(bob, *call) == "NotOwner"
    assert vault.refusal(alice, "setFee", 10_001) == "RateTooHigh"
    token.send(alice, "approve", vault, 10)
    vault.send(alice, "deposit", token, 10)
    vault.send(alice, "withdraw", token, bob, 4)
    assert (token.read("balanceOf", bob), token.read("balanceOf", vault)) == (4, 6)


NATIVE = "0x" + "00" * 20


def test_a_token_goes_over_and_comes_back(stage: Any, cast: Any) -> None:
    """Locked here, minted there, burnt there, released here; each nonce counts once, and only for the relayer."""
    alice, bob, carol, relayer = cast
    vault = stage.deploy(alice, "BridgeVault", relayer)
    minter = stage.deploy(alice, "BridgeMinter", relayer)
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    local = stage.deploy(alice, "BridgedToken", "One over", "oONE", 18, minter)
    assert minter.refusal(bob, "register", token, local) == "NotRelayer"
    minter.send(relayer, "register", token, local)
    assert minter.refusal(relayer, "register", token, local) == "AlreadyRegistered"

    token.send(alice, "approve", vault, COIN)
    locked = vault.logs("Locked", vault.send(alice, "lock", token, 700, bob))[0]
    assert (locked["nonce"], locked["recipient"], locked["amount"]) == (0, bob.address.lower(), 700)
    assert vault.refusal(alice, "lock", token, 0, bob) == "ZeroAmount"
    mint = ("mintFor", locked["nonce"], token, bob, 700)
    assert minter.refusal(bob, *mint) == "NotRelayer"
    minter.send(relayer, *mint)
    assert minter.refusal(relayer, *mint) == "AlreadyMinted"
    assert minter.refusal(relayer, "mintFor", 1, local, bob, 1) == "NotRegistered"
    assert local.read("balanceOf", bob) == 700 == local.read("totalSupply")
    assert local.refusal(bob, "mint", bob, 1) == local.refusal(bob, "burnFrom", bob, 1) == "NotBridge"

    burned = minter.logs("Burned", minter.send(bob, "burn", local, 300, carol))[0]
    assert (burned["nonce"], burned["remoteToken"], burned["amount"]) == (0, token.address, 300)
    assert minter.refusal(bob, "burn", token, 1, carol) == "NotRegistered"
    back = ("release", burned["nonce"], token, carol, 300)
    assert vault.refusal(carol, *back) == "NotRelayer"
    vault.send(relayer, *back)
    assert vault.refusal(relayer, *back) == "AlreadyReleased"
    assert token.read("balanceOf", carol) == 300
    assert token.read("balanceOf", vault) == 400 == local.read("totalSupply")


def test_native_coin_goes_over_under_the_zero_address(stage: Any, cast: Any) -> None:
    """lockNative keeps the coin sent; a release pays it out of the vault, and no more than is there."""
    alice, bob, carol, relayer = cast
    vault = stage.deploy(alice, "BridgeVault", relayer)
    receipt = vault.send(alice, "lockNative", bob, value=5 * COIN)
    assert vault.logs("Locked", receipt)[0]["token"] == NATIVE
    assert vault.read("nextNonce") == 1
    before = stage.balance(carol)
    vault.send(relayer, "release", 0, NATIVE, carol, 2 * COIN)
    assert (stage.balance(carol) - before, stage.balance(vault)) == (2 * COIN, 3 * COIN)
    assert vault.refusal(relayer, "release", 1, NATIVE, carol, 4 * COIN) != ""
