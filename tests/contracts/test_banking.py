"""The lending market and the staking pool on a real node against their mirrors, digit by digit."""

from __future__ import annotations

import random
from typing import Any

import pytest

from caia_worldgen.contracts.lending import Market, next_index
from caia_worldgen.contracts.payout import Pool

COIN, CENT = 10**18, 10**4
MILLION = 10**6
DOLLAR_E8 = 10**8


class Bank:
    """The market, its oracle and tokens, and the mirror that is told the same."""

    def __init__(self, stage: Any, cast: Any, rate_bps: int = 1500) -> None:
        self.stage, (alice, bob, carol, dave) = stage, cast
        self.owner, self.people = alice, {"bob": bob, "carol": carol, "dave": dave}
        self.gold = stage.deploy(alice, "ProjectToken", "Gold", "GOLD", MILLION * COIN, alice)
        self.coin = stage.deploy(alice, "StableCoin", "Coin", "COIN", alice)
        self.oracle = stage.deploy(alice, "PriceOracle", alice)
        self.oracle.send(alice, "post", self.coin, DOLLAR_E8)
        self.price(2000 * DOLLAR_E8 + 7)
        terms = (18, 6, 7500, 8000, 500, rate_bps)
        self.market = stage.deploy(alice, "LendingMarket", self.gold, self.coin, self.oracle, *terms)
        self.mirror = Market(COIN, MILLION, 7500, 8000, 500, rate_bps, stage.time)
        for wallet in self.people.values():
            self.gold.send(alice, "transfer", wallet, 1000 * COIN)
            self.coin.send(alice, "mint", wallet, MILLION * MILLION)
            self.gold.send(wallet, "approve", self.market, 2**255)
            self.coin.send(wallet, "approve", self.market, 2**255)

    def price(self, gold_e8: int) -> None:
        """Post a price of the collateral."""
        self.oracle.send(self.owner, "post", self.gold, gold_e8)
        self.prices = (gold_e8, DOLLAR_E8)

    def do(self, name: str, function: str, *arguments: Any, after: int = 12) -> Any:
        """A call by that person; ``after`` seconds later."""
        return self.market.send(self.people[name], function, *arguments, after=after)

    def agree(self) -> None:
        """Every view equals the mirror's at the last block."""
        at, mirror, market = self.stage.time, self.mirror, self.market
        assert market.read("currentIndex") == mirror.index_at(at)
        assert market.read("totalDebt") == mirror.total_debt(at)
        assert (market.read("cash"), market.read("totalShares")) == (mirror.cash, mirror.total_shares)
        assert self.coin.read("balanceOf", market) == mirror.cash
        for name, wallet in self.people.items():
            assert market.read("debtOf", wallet) == mirror.debt_of(name, at)
            assert market.read("sharesOf", wallet) == mirror.shares.get(name, 0)
            assert market.read("collateralOf", wallet) == mirror.collateral.get(name, 0)
            health = mirror.health_bps(name, self.prices, at)
            assert market.read("healthBps", wallet) == (2**256 - 1 if health is None else health)


@pytest.fixture
def bank(stage: Any, cast: Any) -> Bank:
    return Bank(stage, cast)


@pytest.mark.check
def test_the_books_equal_the_mirror_over_a_long_random_story(bank: Bank) -> None:
    """Sixty random calls with random pauses: shares, debts, interest, cash and health agree after each."""
    draw = random.Random(5)
    mirror, stage = bank.mirror, bank.stage
    bank.do("bob", "deposit", 500_000 * MILLION)
    mirror.deposit("bob", 500_000 * MILLION, stage.time)
    for _ in range(60):
        name, pause = draw.choice(sorted(bank.people)), draw.choice((1, 12, 3600, 86_400 * 9))
        at = stage.time + pause
        room = min(mirror.most_borrowable(name, bank.prices, at), mirror.cash)
        match draw.choice(("deposit", "withdraw", "addCollateral", "borrow", "borrow", "repay", "removeCollateral")):
            case "deposit":
                amount = draw.randrange(1, 10**10)
                bank.do(name, "deposit", amount, after=pause)
                mirror.deposit(name, amount, at)
            case "withdraw" if mirror.shares.get(name, 0) > 10 and mirror.cash > 2 * 10**11:
                shares = min(draw.randrange(1, mirror.shares[name]), 10**11)
                bank.do(name, "withdraw", shares, after=pause)
                mirror.withdraw(name, shares, at)
            case "addCollateral":
                amount = draw.randrange(1, 20 * COIN)
                bank.do(name, "addCollateral", amount, after=pause)
                mirror.move_collateral(name, amount, at)
            case "borrow" if room > 1:
                amount = draw.randrange(1, room)
                bank.do(name, "borrow", amount, after=pause)
                mirror.borrow(name, amount, at)
            case "repay" if mirror.debt_of(name, at):
                amount = draw.choice((draw.randrange(1, 2 * mirror.debt_of(name, at)), 2**200))
                bank.do(name, "repay", amount, after=pause)
                mirror.repay(name, amount, at)
            case "removeCollateral" if mirror.collateral.get(name, 0) and not mirror.debt_of(name, at):
                bank.do(name, "removeCollateral", mirror.collateral[name], after=pause)
                mirror.move_collateral(name, -mirror.collateral[name], at)
        bank.agree()
    assert mirror.index > COIN
    assert mirror.total_scaled


def test_a_loan_goes_up_to_its_limit_and_no_further(bank: Bank) -> None:
    """The limit is the collateral value times the ratio; rounding may cost one unit, and more is refused."""
    bank.do("bob", "deposit", 10_000 * MILLION)
    bank.do("carol", "addCollateral", 2 * COIN)
    limit = 2 * bank.prices[0] * 7500 // 10_000 // 100
    carol = bank.people["carol"]
    assert bank.market.refusal(carol, "borrow", limit + 1) == "OverLimit"
    bank.mirror.move_collateral("carol", 2 * COIN, bank.stage.time)
    assert bank.mirror.most_borrowable("carol", bank.prices, bank.stage.time) == limit - 1
    bank.do("carol", "borrow", limit - 1)
    assert bank.market.refusal(carol, "removeCollateral", COIN // 100) == "OverLimit"
    assert bank.market.refusal(carol, "removeCollateral", 3 * COIN) == "NotEnoughCollateral"
    bank.do("dave", "addCollateral", 100 * COIN)
    assert bank.market.refusal(bank.people["dave"], "borrow", 10_000 * MILLION) == "NotEnoughCash"
    assert bank.market.refusal(bank.people["bob"], "withdraw", 10_000 * MILLION) == "NotEnoughCash"
    assert bank.market.refusal(carol, "withdraw", 1) == "NotEnoughShares"


def test_a_price_fall_lets_others_liquidate(bank: Bank) -> None:
    """Healthy debt is refused; afterwards the liquidator gets the repaid value and the bonus in collateral."""
    mirror, stage = bank.mirror, bank.stage
    bank.do("bob", "deposit", 10_000 * MILLION)
    mirror.deposit("bob", 10_000 * MILLION, stage.time)
    bank.do("carol", "addCollateral", 2 * COIN)
    mirror.move_collateral("carol", 2 * COIN, stage.time)
    bank.do("carol", "borrow", 2_900 * MILLION)
    mirror.borrow("carol", 2_900 * MILLION, stage.time)
    carol, dave = bank.people["carol"], bank.people["dave"]
    assert bank.market.refusal(dave, "liquidate", carol, 1) == "Healthy"
    bank.price(1_700 * DOLLAR_E8 + 3)
    assert bank.market.read("healthBps", carol) < 10_000
    receipt = bank.do("dave", "liquidate", carol, 1_234_567_891, after=3600)
    paid, seized = mirror.liquidate("carol", 1_234_567_891, bank.prices, stage.time)
    log = bank.market.logs("Liquidated", receipt)[0]
    assert (log["repaid"], log["seized"]) == (paid, seized)
    assert bank.gold.read("balanceOf", dave) == 1000 * COIN + seized
    bank.agree()
    bank.price(100 * DOLLAR_E8)
    assert bank.market.refusal(dave, "liquidate", carol, 1_000 * MILLION) == "NotEnoughCollateral"


def test_the_index_is_public_and_the_oracle_knows_only_what_was_posted(bank: Bank) -> None:
    """Anybody can compute the index; a token without a price is refused, and only the owner posts."""
    draw = random.Random(7)
    for _ in range(50):
        given = (draw.randrange(COIN, 100 * COIN), draw.randrange(10**5), draw.randrange(10**9))
        assert bank.market.read("nextIndex", *given) == next_index(*given)
    assert bank.oracle.refusal(bank.owner, "price", bank.market) == "NoPrice"
    assert bank.oracle.refusal(bank.owner, "post", bank.gold, 0) == "NoPrice"
    assert bank.oracle.refusal(bank.people["bob"], "post", bank.gold, 1) == "OwnableUnauthorizedAccount"
    bank.price(5)
    assert (bank.oracle.read("price", bank.gold), bank.oracle.read("updatedAt", bank.gold)) == (5, bank.stage.time)
    assert bank.oracle.read("updatedAt", bank.market) == 0


COIN_STAKING = 10**18
RATE = 3 * 10**13 + 1


@pytest.mark.check
def test_rewards_equal_the_mirror_before_and_after_the_end(stage: Any, cast: Any) -> None:
    """Random stakes, withdrawals and claims with random pauses; nothing is earned after the end."""
    draw = random.Random(11)
    alice, *others = cast
    stake, reward = (
        stage.deploy(alice, "ProjectToken", name, name, 10**6 * COIN_STAKING, alice) for name in ("S", "R")
    )
    end = stage.time + 86_400 * 40
    pool = stage.deploy(alice, "StakingPool", stake, reward, RATE, end)
    mirror = Pool(RATE, end, stage.time)
    reward.send(alice, "transfer", pool, 10**6 * COIN_STAKING)
    for wallet in others:
        stake.send(alice, "transfer", wallet, 1000 * COIN_STAKING)
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
    token = stage.deploy(alice, "ProjectToken", "One", "ONE", COIN_STAKING, alice)
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
