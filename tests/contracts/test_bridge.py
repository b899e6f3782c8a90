"""Both ends of the bridge, here on one node."""

from __future__ import annotations

from typing import Any

COIN = 10**18
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
