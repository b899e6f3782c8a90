"""The staking pool on a real node against its mirror."""

from __future__ import annotations

import random
from typing import Any

from caia_replay.origin.contracts.staking import Pool

COIN = 10**18
RATE = 3 * 10**13 + 1


def test_rewards_equal_the_mirror_before_and_after_the_end(stage: Any, cast: Any) -> None:
    """Random stakes, withdrawals and claims with random pauses; nothing is earned after the end."""
    draw = random.Random(11)
    alice, *others = cast
    stake, reward = (stage.deploy(alice, "ProjectToken", name, name, 10**6 * COIN, alice) for name in ("S", "R"))
    end = stage.time + 86_400 * 40
    pool = stage.deploy(alice, "StakingPool", stake, reward, RATE, end)
    mirror = Pool(RATE, end, stage.time)
    reward.send(alice, "transfer", pool, 10**6 * COIN)
    for wallet in others:
        stake.send(alice, "transfer", wallet, 1000 * COIN)
        stake.send(wallet, "approve", pool, 2**255)
    for _ in range(40):
        wallet, pause = draw.choice(others), draw.choice((1, 600, 86_400, 86_400 * 3))
        who, at = wallet.address, stage.time + pause
        held = mirror.staked.get(who, 0)
        match draw.choice(("stake", "unstake", "claim")):
            case "unstake" if held:
                amount = draw.randrange(1, held + 1)
                pool.send(wallet, "unstake", amount, after=pause)
                mirror.stake(who, -amount, at)
            case "claim" if mirror.earned(who, at):
                before = reward.read("balanceOf", wallet)
                pool.send(wallet, "claim", after=pause)
                assert reward.read("balanceOf", wallet) - before == mirror.claim(who, at)
            case _:
                amount = draw.randrange(1, 10 ** draw.randrange(1, 20))
                pool.send(wallet, "stake", amount, after=pause)
                mirror.stake(who, amount, at)
        assert [pool.read("earned", other) for other in others] == [
            mirror.earned(other.address, stage.time) for other in others
        ]
    assert stage.time > end
    assert pool.read("rewardPerUnit") == mirror.per_unit > 0


def test_stakes_are_never_paid_out_as_rewards(stage: Any, cast: Any) -> None:
    """With one token for both, a claim beyond what was funded is refused and the stake comes back whole."""
    alice, bob, *_ = cast
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN, alice)
    pool = stage.deploy(alice, "StakingPool", token, token, 1000, stage.time + 10**6)
    token.send(alice, "transfer", bob, 500_000)
    token.send(bob, "approve", pool, 500_000)
    pool.send(bob, "stake", 500_000)
    stage.mine(100)
    assert pool.read("earned", bob) == 100_000
    assert pool.refusal(bob, "claim") == "Unfunded"
    assert pool.refusal(bob, "unstake", 500_001) == "NotEnoughStaked"
    assert pool.refusal(alice, "claim") == pool.refusal(alice, "stake", 0) == "ZeroAmount"
    pool.send(bob, "unstake", 500_000)
    assert token.read("balanceOf", bob) == 500_000
