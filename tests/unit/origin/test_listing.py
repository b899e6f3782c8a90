"""Listings: pairs beside the exchange's own, at the address and with the reserves that the story says."""

from __future__ import annotations

import pytest

from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene

ROLES = ("honeypot/native", "rug/native", "tax/dollar")


@pytest.mark.parametrize("role", ROLES)
def test_the_factory_made_the_pair(scene: Scene, role: str) -> None:
    """The factory's event names the pair at the address that was foretold, and no arbitrageur's market is it."""
    stage, factory = scene.main, load_artifact("UniswapV2Factory")
    (born,) = done(stage.deeds, "created", role)
    wanted = {"fromBlock": hex(born.block), "toBlock": hex(born.block), "address": stage.contracts["factory"].address}
    made = [log["pair"] for log in factory.logs("PairCreated", stage.ask("eth_getLogs", wanted))]
    assert stage.contracts[role].address in made
    assert stage.contracts[role].address not in {market.pair.address for market in scene.markets.values()}


@pytest.mark.parametrize("role", ROLES)
def test_every_swap_is_an_event(scene: Scene, role: str) -> None:
    """What came in and what was paid out are what the pair logged, swap by swap; a tax is told beside them."""
    stage, pair = scene.main, load_artifact("UniswapV2Pair")
    asked = {"fromBlock": "0x0", "toBlock": "latest", "address": stage.contracts[role].address}
    told = pair.logs("Swap", stage.ask("eth_getLogs", asked))
    meant = list(done(stage.deeds, "swapped", role))
    assert [log["amount0Out"] + log["amount1Out"] for log in told] == [one.figure("amount_out") for one in meant] != []
    for log, deed in zip(told, meant, strict=True):
        assert log["amount0In"] + log["amount1In"] == deed.figure("amount_in")
        assert (deed.figure("tax") > 0) if role == "tax/dollar" else ("tax" not in dict(deed.figures))
