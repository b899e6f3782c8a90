"""Laws of the contracts' arithmetic, which tests/contracts holds against the chain; a range pool's here, by steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from eth_abi import abi
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.artifact import load_artifact
from caia_worldgen.calendar import draw_calendar
from caia_worldgen.chain import Genesis, OriginChain, funded, wallet
from caia_worldgen.concentrated import FEE_PIPS, FULL_RANGE, SPACING, RangePool, sqrt_price_of, sqrt_ratio, tick_at
from caia_worldgen.concentrated import Pool as PairPool
from caia_worldgen.contracts.exchange import Curve, v2_out
from caia_worldgen.contracts.lending import Market
from caia_worldgen.contracts.payout import Schedule, proof, root
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST
from caia_worldgen.stage import Contract, Stage, created2

COIN = 10**18
curves = st.builds(Curve, st.integers(1, 10**15), st.integers(1, 10**9), st.integers(0, 10_000))
money = st.integers(0, 1000 * COIN)


@given(curves, st.lists(money, min_size=1, max_size=6), st.lists(st.integers(1, 100), max_size=6))
def test_trading_never_takes_out_more_than_was_put_in(curve: Curve, buys: list[int], parts: list[int]) -> None:
    """Whatever the order, buyers paid for all that sellers got and all fees, and the reserve covers what is left."""
    held = paid = got = fees = 0
    for at, value in enumerate(buys):
        trade = curve.buy(value)
        held, paid, fees = held + trade.amount, paid + value, fees + trade.fee_wei
        if at < len(parts):
            sale = curve.sell(held * parts[at] // 100)
            held, got, fees = held - sale.amount, got + sale.paid_wei, fees + sale.fee_wei
        assert curve.sold == held
        assert curve.raised_wei == paid - got - fees >= curve.reserve_at(held)


rates = st.integers(0, 20_000)


def market(rate_bps: int) -> Market:
    """18-decimal collateral, 6-decimal debt, from time 0."""
    return Market(10**18, 10**6, 7500, 8000, 500, rate_bps, 0)


@given(rates, st.integers(1, 10**15), st.lists(st.tuples(st.integers(1, 10**12), st.integers(0, 10**7)), max_size=5))
def test_a_lender_never_leaves_with_more_than_there_is(rate: int, first: int, loans: list[tuple[int, int]]) -> None:
    """After all loans are paid back, the only lender's shares are worth all the cash, interest included."""
    books, at = market(rate), 0
    books.deposit("lender", first, at)
    paid = 0
    for amount, pause in loans:
        amount = min(amount, books.cash)
        at += pause
        books.borrow("borrower", amount, at)
        at += pause
        paid += books.repay("borrower", 2**255, at) - amount
        assert books.debt_of("borrower", at) == books.total_debt(at) == 0
    assert paid >= 0
    assert books.withdraw("lender", books.shares["lender"], at) == first + paid
    assert books.cash == books.total_shares == 0


trees = st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=40, unique=True)


def climbed(node: bytes, path: list[bytes]) -> bytes:
    """The root a verifier comes to."""
    for neighbour in path:
        node = keccak(min(node, neighbour) + max(node, neighbour))
    return node


@given(trees, st.data())
def test_every_leaf_climbs_to_the_root_and_no_other_does(leaves: list[bytes], data: st.DataObject) -> None:
    """A proof leads its own leaf to the root; any other leaf comes out elsewhere."""
    index = data.draw(st.integers(0, len(leaves) - 1))
    path = proof(leaves, index)
    assert climbed(leaves[index], path) == root(leaves)
    assert climbed(bytes(31) + b"\7", path) != root(leaves)


reserves = st.integers(10**4, 10**30)
amounts = st.integers(1, 10**28)


@given(amounts, reserves, reserves)
def test_v2_keeps_its_product(amount: int, here: int, there: int) -> None:
    """The product of the reserves never falls, and by no more than the fee says could another unit be taken."""
    out = v2_out(amount, here, there)
    kept = here * 1000 + amount * 997
    assert kept * (there - out) >= here * there * 1000 > kept * (there - out - 1)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Any schedule whose cliff is not after its end."""
    start, duration = draw(st.integers(0, 2**32)), draw(st.integers(1, 2**28))
    return Schedule(start, start + draw(st.integers(0, duration)), duration, draw(st.integers(0, 10**30)))


moments = st.integers(0, 2**33)


@given(schedules(), moments, moments)
def test_it_never_falls_and_stays_within_the_total(schedule: Schedule, one: int, other: int) -> None:
    """Later is never less; nothing before the cliff, everything from the end on."""
    assert 0 <= schedule.vested(min(one, other)) <= schedule.vested(max(one, other)) <= schedule.total
    assert schedule.vested(schedule.end) == schedule.total
    if schedule.cliff > schedule.start:
        assert schedule.vested(schedule.cliff - 1) == 0


AMOUNTS = st.integers(10**6, 10**27)


def filled(amount0: int, amount1: int) -> PairPool:
    pool = PairPool()
    pool.deposit(amount0, amount1)
    return pool


@given(AMOUNTS, AMOUNTS, st.lists(st.tuples(st.integers(0, 1), st.integers(10**6, 10**24)), max_size=12))
def test_trading_never_shrinks_the_product(amount0: int, amount1: int, trades: list[tuple[int, int]]) -> None:
    """Whatever is swapped, the reserves' product grows or stays, and nobody gets a pool's whole reserve."""
    pool = filled(amount0, amount1)
    for side, amount in trades:
        before = pool.reserves[0] * pool.reserves[1]
        if pool.quote(side, amount) == 0:
            with pytest.raises(ValueError, match="buys nothing"):
                pool.swap(side, amount)
            continue
        paid = pool.swap(side, amount)
        assert paid > 0 and pool.reserves[1 - side] > 0
        assert pool.reserves[0] * pool.reserves[1] >= before


@given(AMOUNTS, AMOUNTS, st.integers(0, 1), st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_trade_to_a_price_comes_near_it(
    amount0: int, amount1: int, side: int, numerator: int, denominator: int
) -> None:
    """After it the price is the wanted one within the fee, or it was cheaper already and nothing is sold."""
    pool = filled(amount0, amount1)
    amount = pool.amount_to_price(side, numerator, denominator)
    before = pool.reserves[1 - side] * denominator / (pool.reserves[side] * numerator)
    if amount == 0 or pool.quote(side, amount) == 0:
        assert before < 1.004 or pool.reserves[side] * numerator < 10**4
        return
    pool.swap(side, amount)
    after = pool.reserves[1 - side] * denominator / (pool.reserves[side] * numerator)
    assert after <= before and (0.99 < after < 1.01 or min(pool.reserves) < 10**4)


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
        self.router = stage.deploy(OWNER, "SwapRouter", (factory.address, ZERO_ADDRESS))
        self.manager = stage.deploy(OWNER, "NonfungiblePositionManager", (factory.address, ZERO_ADDRESS, ZERO_ADDRESS))
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


@pytest.mark.check
def test_every_step_is_the_deployed_pools(deployed: Deployed) -> None:
    """Deposits, swaps of one unit and across words of the bitmap both ways, and collected fees: equal to the unit."""
    mirror, rng, words = RangePool(sqrt_price_of(*PRICE)), Rng("concentrated"), set()
    for number in range(90):
        kind = "deposit" if number % 30 == 0 else "collect" if number % 13 == 12 else "swap"
        if kind == "deposit":
            desired = [rng.number(10**21, 10**23), rng.number(10**12, 10**14)]
            _, *taken = mirror.deposit(*desired)
            order = (*deployed.addresses, FEE_PIPS, -FULL_RANGE, FULL_RANGE, *desired, *taken, OWNER.address, MOST)
            assert deployed.moved("mint", deployed.manager, order) == tuple(taken)
        elif kind == "collect":
            at = rng.number(0, len(mirror.positions) - 1)
            paid = mirror.collect(at)
            order = (at + 1, OWNER.address, 2**128 - 1, 2**128 - 1)
            assert deployed.moved("collect", deployed.manager, order) == (-paid[0], -paid[1])
        else:
            side = rng.number(0, 1)
            most = mirror.liquidity * 2**96 // mirror.sqrt_price_x96 if side == 0 else 0
            most = most or mirror.liquidity * mirror.sqrt_price_x96 // 2**96
            amount = rng.number(most // 10**6, 3 * most // 10 ** rng.number(0, 5)) + 1
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


@given(st.integers(-887_271, 887_271))
def test_a_tick_is_found_from_its_price(tick: int) -> None:
    """Its own root price, and any up to the next one's, belong to it."""
    price = sqrt_ratio(tick)
    assert tick_at(price) == tick == tick_at(sqrt_ratio(tick + 1) - 1)


@given(st.integers(10**3, 10**10), st.integers(10**3, 10**10), st.integers(10**12, 10**24))
def test_a_trade_to_a_price_comes_near_it_of_concentrated(start: int, wanted: int, amount: int) -> None:
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
