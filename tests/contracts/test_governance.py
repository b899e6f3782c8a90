"""A vote that upgrades a proxy through the timelock."""

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


def test_a_vote_below_the_quorum_fails(stage: Any, cast: Any) -> None:
    """Without a fifth of the supply behind it nothing is queued."""
    alice, _, carol, _ = cast
    token, governor, _, vault = parliament(stage, cast)
    token.send(alice, "transfer", carol, 5 * COIN)
    token.send(carol, "delegate", carol)
    deed = ([vault], [0], [vault.artifact.call("setFee", (1,))])
    number = governor.logs("ProposalCreated", governor.send(carol, "propose", *deed, "Less"))[0]["proposalId"]
    for _ in range(WAIT):
        stage.mine(12)
    governor.send(carol, "castVote", number, SUPPORTED)
    for _ in range(PERIOD):
        stage.mine(12)
    assert governor.read("state", number) == DEFEATED
    queue = "queue(address[],uint256[],bytes[],bytes32)"
    assert governor.refusal(carol, queue, *deed, keccak(text="Less")) == "GovernorUnexpectedProposalState"


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
