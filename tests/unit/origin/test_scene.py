"""The scene: what acts share, and the small things they do through it."""

from __future__ import annotations

import pytest

from caia_replay.origin.scene import Scene


def test_chance_is_the_acts_own(scene: Scene) -> None:
    """Two acts draw different streams, one act the same again."""
    rolls = [[scene.dice(name).number(0, 10**9) for _ in range(3)] for name in ("a", "b", "a")]
    assert rolls[0] == rolls[2] != rolls[1]


def test_a_pair_knows_its_sides(scene: Scene) -> None:
    """Assets stand in the pair's own order; one of another pair is an error."""
    for (role, other), market in scene.markets.items():
        first, second = market.assets
        assert first.address < second.address and {first.role, second.role} == {role, other}
        assert [market.side(asset) for asset in market.assets] == [0, 1]
    market = scene.markets["lend", "dollar"]
    with pytest.raises(ValueError):
        market.side(scene.assets["arena"])


def test_units_are_whole_tokens(scene: Scene) -> None:
    """Six decimals for the dollar, eighteen for the rest, as the contracts say."""
    for asset in scene.assets.values():
        data = asset.contract.artifact.call("decimals", ())
        told = int(scene.main.ask("eth_call", {"to": asset.address, "data": "0x" + data.hex()}, "latest"), 16)
        assert asset.unit == 10**told == 10**asset.decimals


def test_nobody_approves_twice(scene: Scene) -> None:
    """One approval per owner, token and spender is enough for the whole story."""
    approvals = [deed for deed in scene._approved if deed[0] == "main"]
    topic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
    router = scene.main.contracts["router"].address
    logs = scene.main.ask(
        "eth_getLogs",
        {"fromBlock": "0x0", "toBlock": "latest", "topics": [topic, None, "0x" + router[2:].rjust(64, "0")]},
    )
    given = {("0x" + log["topics"][1][-40:], log["address"].lower()) for log in logs if int(log["data"], 16) > 2**200}
    assert given == {(owner, token) for _, owner, token, spender in approvals if spender == router}
