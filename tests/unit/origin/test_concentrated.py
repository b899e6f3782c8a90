"""The full-range pool beside the deployed one: the same price, tick, fees and payments after every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from eth_abi import abi
from eth_utils.crypto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.calendar import draw_calendar
from caia_replay.origin.chain import Genesis, OriginChain, funded, wallet
from caia_replay.origin.concentrated import (
    FEE_PIPS,
    FULL_RANGE,
    SPACING,
    RangePool,
    sqrt_price_of,
    sqrt_ratio,
    tick_at,
)
from caia_replay.origin.dice import Dice
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.scene import MOST
from caia_replay.origin.stage import Contract, Stage, created2

OWNER = wallet("concentrated/owner")
PRICE = (1_843 * 10**6, 10**18)
WORD = 256 * SPACING


class Deployed:
    """A pool of two tokens on a chain of its own."""

    def __init__(self, chain: OriginChain) -> None:
        calendar = draw_calendar("pool", 1, 40, 4)
        self.stage = stage = Stage("pool", chain, calendar, 1)
        supply = 10**33
        made = [stage.deploy(OWNER, "ProjectToken", (name, name, supply, OWNER.address), name) for name in "AB"]
        self.tokens = sorted(made, key=lambda one: one.address)
        factory = stage.deploy(OWNER, "UniswapV3Factory")
        self.router = stage.deploy(OWNER, "SwapRouter", (factory.address, NOBODY))
        self.manager = stage.deploy(OWNER, "NonfungiblePositionManager", (factory.address, NOBODY, NOBODY))
        self.addresses = [token.address for token in self.tokens]
        stage.call(OWNER, factory, "createPool", *self.addresses, FEE_PIPS, gas=6_000_000)
        salt = keccak(abi.encode(("address", "address", "uint24"), (*self.addresses, FEE_PIPS)))
        code = keccak(load_artifact("UniswapV3Pool").bytecode)
        self.pool = stage.adopt(created2(factory.address, salt, code), "UniswapV3Pool", "pool")
        stage.call(OWNER, self.pool, "initialize", sqrt_price_of(*PRICE))
        for token in self.tokens:
            for spender in (self.router, self.manager):
                stage.call(OWNER, token, "approve", spender.address, MOST)
        stage.mine()

    def ask(self, contract: Contract, function: str, *arguments: Any) -> tuple[Any, ...]:
        call = {"to": contract.address, "data": "0x" + contract.artifact.call(function, arguments).hex()}
        reply = self.stage.ask("eth_call", call, "latest")
        return contract.artifact.decode(function, bytes.fromhex(reply[2:]))

    def moved(self, function: str, contract: Contract, *arguments: Any) -> tuple[int, int]:
        """Do it in a block of its own: how much of each token the pool got."""
        before = self.held()
        self.stage.call(OWNER, contract, function, *arguments, gas=5_000_000)
        self.stage.mine()
        after = self.held()
        return after[0] - before[0], after[1] - before[1]

    def held(self) -> list[int]:
        return [self.ask(token, "balanceOf", self.pool.address)[0] for token in self.tokens]


@pytest.fixture(scope="module")
def deployed() -> Iterator[Deployed]:
    """An empty pool at the starting price."""
    genesis = Genesis(700_000_001, "cancun", draw_calendar("pool", 1, 40, 4).times[0], 600_000_000, {})
    genesis.balances_wei.update(funded([OWNER], 10**24))
    with OriginChain(genesis) as chain:
        yield Deployed(chain)


def test_every_step_is_the_deployed_pools(deployed: Deployed) -> None:
    """Deposits, swaps of one unit and across words of the bitmap both ways, and collected fees: equal to the unit."""
    mirror, dice, words = RangePool(sqrt_price_of(*PRICE)), Dice("concentrated"), set()
    for number in range(90):
        kind = "deposit" if number % 30 == 0 else "collect" if number % 13 == 12 else "swap"
        if kind == "deposit":
            desired = [dice.number(10**21, 10**23), dice.number(10**12, 10**14)]
            _, *taken = mirror.deposit(*desired)
            order = (*deployed.addresses, FEE_PIPS, -FULL_RANGE, FULL_RANGE, *desired, *taken, OWNER.address, MOST)
            assert deployed.moved("mint", deployed.manager, order) == tuple(taken)
        elif kind == "collect":
            at = dice.number(0, len(mirror.positions) - 1)
            paid = mirror.collect(at)
            order = (at + 1, OWNER.address, 2**128 - 1, 2**128 - 1)
            assert deployed.moved("collect", deployed.manager, order) == (-paid[0], -paid[1])
        else:
            side = dice.number(0, 1)
            most = mirror.liquidity * 2**96 // mirror.sqrt_price_x96 if side == 0 else 0
            most = most or mirror.liquidity * mirror.sqrt_price_x96 // 2**96
            amount = dice.number(most // 10**6, 3 * most // 10 ** dice.number(0, 5)) + 1
            sold, bought = deployed.addresses[side], deployed.addresses[1 - side]
            paid_out = mirror.swap(side, amount)
            order = (sold, bought, FEE_PIPS, OWNER.address, MOST, amount, paid_out, 0)
            wanted = (amount, -paid_out) if side == 0 else (-paid_out, amount)
            assert deployed.moved("exactInputSingle", deployed.router, order) == wanted
        price, tick, *_ = deployed.ask(deployed.pool, "slot0")
        assert (price, tick) == (mirror.sqrt_price_x96, mirror.tick), number
        assert deployed.ask(deployed.pool, "liquidity") == (mirror.liquidity,)
        growth = [deployed.ask(deployed.pool, f"feeGrowthGlobal{side}X128")[0] for side in (0, 1)]
        assert growth == mirror.growth
        words.add(mirror.tick // WORD)
    assert len(words) > 2


@settings(max_examples=200, deadline=None)
@given(st.integers(-887_271, 887_271))
def test_a_tick_is_found_from_its_price(tick: int) -> None:
    """Its own root price, and any up to the next one's, belong to it."""
    price = sqrt_ratio(tick)
    assert tick_at(price) == tick == tick_at(sqrt_ratio(tick + 1) - 1)


@settings(max_examples=150, deadline=None)
@given(st.integers(10**3, 10**10), st.integers(10**3, 10**10), st.integers(10**12, 10**24))
def test_a_trade_to_a_price_comes_near_it(start: int, wanted: int, amount: int) -> None:
    """After it the price is the wanted one within a part in a million; the right token was sold."""
    pool = RangePool(sqrt_price_of(start, 10**6))
    pool.deposit(amount * 10**6, amount * 10**6)
    side, sold = pool.amount_to_price(wanted, 10**6)
    assert side == (0 if wanted < start else 1)
    if sold and pool.quote(side, sold):
        pool.swap(side, sold)
        target = sqrt_price_of(wanted, 10**6)
        assert abs(pool.sqrt_price_x96 - target) * 10**6 <= target


def test_too_little_is_an_error() -> None:
    """A deposit that makes no liquidity and a swap that buys nothing are refused and change nothing."""
    pool = RangePool(sqrt_price_of(*PRICE))
    with pytest.raises(ValueError, match="no liquidity"):
        pool.deposit(1, 0)
    pool.deposit(10**20, 10**12)
    before = (pool.sqrt_price_x96, pool.tick, list(pool.growth))
    with pytest.raises(ValueError, match="buys nothing"):
        pool.swap(0, 1)
    assert (pool.sqrt_price_x96, pool.tick, pool.growth) == before
