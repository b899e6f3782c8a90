"""Every contract on a real node, held against its artifact."""

from __future__ import annotations

from typing import Any

import pytest
from eth_utils.crypto import keccak

from caia_worldgen.artifact import artifact_names, load_artifact

FOREVER = 2**40


def deploy_all(stage: Any, cast: Any) -> dict[str, Any]:
    """Every contract by name, those that others deploy included."""
    alice, bob, *_ = cast
    wrapped, factory, router = stage.exchange()
    found = {"WETH9": wrapped, "UniswapV2Factory": factory, "UniswapV2Router02": router}

    def put(name: str, *arguments: Any) -> Any:
        found[name] = stage.deploy(alice, name, *arguments)
        return found[name]

    token = put("ProjectToken", "One", "ONE", 10**24, alice)
    votes = put("GovernanceToken", "Two", "TWO", 10**24, alice)
    put("StableCoin", "Three", "THREE", alice)
    put("TaxToken", "Four", "FOUR", 10**24, alice, bob, 300)
    put("HoneypotToken", "Five", "FIVE", 10**24, alice)
    put("SpoofToken", "Six", "SIX")
    put("InscribedToken", "Ten", "TEN", 10**24, alice)
    put("BridgedToken", "Seven", "SEVEN", 8, bob)
    put("VestingVault", token, 1, 2, 3)
    put("VestingSchedule", alice, 1_700_000_000, 1000, 100)
    put("Collectible", "Eight", "EIGHT", alice, "ipfs://eight/")
    timelock = put("TimelockController", 60, [alice], [alice], alice)
    put("ProtocolGovernor", votes, timelock, 1, 10, 0, 4)
    vault = put("FeeVaultV1")
    put("FeeVaultV2")
    put("ERC1967Proxy", vault, vault.artifact.call("initialize", (alice.address, 30)))
    oracle = put("PriceOracle", alice)
    put("LendingMarket", token, votes, oracle, 18, 18, 7000, 8000, 500, 400)
    put("StakingPool", token, votes, 10**12, FOREVER)
    put("AirdropDistributor", token, b"\1" * 32, FOREVER, alice)
    put("NftMarket", 250, bob)
    pad = put("Launchpad", router, wrapped, 10**9, 5, 10**18, 100)
    put("BridgeVault", bob)
    put("BridgeMinter", bob)
    put("Multicall")
    put("PaymentSplitter", [alice, bob], [1, 2])
    put("Drainer", bob)
    wide = put("UniswapV3Factory")
    put("SwapRouter", wide, wrapped)
    put("NonfungiblePositionManager", wide, wrapped, bob)
    put("QuoterV2", wide, wrapped)
    pad.send(alice, "create", "Nine", "NINE")
    found["LaunchToken"] = stage.at("LaunchToken", pad.read("tokens", 0))
    factory.send(alice, "createPair", token, votes)
    found["UniswapV2Pair"] = stage.at("UniswapV2Pair", factory.read("getPair", token, votes))
    wide.send(alice, "createPool", token, votes, 3000)
    found["UniswapV3Pool"] = stage.at("UniswapV3Pool", wide.read("getPool", token, votes, 3000))
    return found


def test_every_contract_is_deployed_as_its_artifact_says(stage: Any, cast: Any) -> None:
    """Code on the chain is the artifact's up to immutables, every immutable is written, and any other byte counts."""
    found = deploy_all(stage, cast)
    assert sorted(found) == artifact_names()
    for name, placed in found.items():
        artifact, code = placed.artifact, stage.code(placed.address)
        assert artifact.runtime_matches(code), name
        inside = {at for start, length in artifact.immutables for at in range(start, start + length)}
        assert (code == artifact.deployed) is not inside, name
        for start, length in artifact.immutables:
            assert code[start : start + length] != bytes(length), (name, start)
        for at in {0, len(code) // 2, len(code) - 1} - inside:
            assert not artifact.runtime_matches(code[:at] + bytes([code[at] ^ 1]) + code[at + 1 :]), (name, at)
        assert not artifact.runtime_matches(code + b"\0")


@pytest.mark.parametrize(
    ("part", "user"),
    [
        ("UniswapV2Pair", "UniswapV2Router02"), ("UniswapV3Pool", "SwapRouter"), ("UniswapV3Pool", "QuoterV2"),
        ("UniswapV3Pool", "NonfungiblePositionManager"),
    ],
)  # fmt: skip
def test_routers_know_the_pools_they_route_to(part: str, user: str) -> None:
    """The hash of the pool's creation code stands in the code that computes pool addresses."""
    assert keccak(load_artifact(part).bytecode) in load_artifact(user).deployed
