"""Life on the roll-up: what came over the bridge is paid with and traded there, on one pool of the newer kind.

The pool of bridged coins and dollars spans every price. It opens as soon as the market maker's tokens have arrived;
people trade on it, some add to it, and the arbitrageur keeps it near the venue as far as their purse goes.
"""

from __future__ import annotations

from typing import Final

from eth_abi import abi
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.artifact import load_artifact
from caia_worldgen.concentrated import FEE_PIPS, FULL_RANGE, RangePool, sqrt_price_of
from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST, Asset, Scene
from caia_worldgen.stage import Stage, created2

POOL: Final = "bridged native/dollar"
TOLERANCE_PPM: Final = 9_000
"""How far the pool may stand from the venue, in millionths, before the arbitrageur moves."""

_PPM: Final = 1_000_000
_POOL_CODE_HASH: Final = keccak(load_artifact("UniswapV3Pool").bytecode)
_POOL_GAS: Final = 6_000_000
_ALL_128: Final = 2**128 - 1
_HARVEST_DAYS: Final = 21


class Rollup:
    """Payments, swaps and liquidity on the roll-up, and the mistakes people make there."""

    def __init__(self) -> None:
        self._pool = RangePool(1 << 96)
        self._assets: tuple[Asset, ...] = ()
        self._owners: list[str] = []

    def open(self, scene: Scene) -> None:
        """Factory, router, position manager and the empty pool at the venue's price."""
        stage, founders = scene.rollup, scene.people.roles["founders"]
        factory = stage.deploy(founders, "UniswapV3Factory", (), "range factory")
        wrapped = stage.deploy(founders, "WETH9", (), "wrapped gas")
        stage.deploy(founders, "SwapRouter", (factory.address, wrapped.address), "range router")
        stage.deploy(
            founders, "NonfungiblePositionManager", (factory.address, wrapped.address, ZERO_ADDRESS), "position manager"
        )
        pair = (scene.bridged["native"], scene.bridged["dollar"])
        self._assets = tuple(sorted(pair, key=lambda asset: asset.address))
        addresses = [asset.address for asset in self._assets]
        salt = keccak(abi.encode(("address", "address", "uint24"), (*addresses, FEE_PIPS)))
        pool = stage.adopt(created2(factory.address, salt, _POOL_CODE_HASH), "UniswapV3Pool", POOL)
        stage.call(founders, factory, "createPool", *addresses, FEE_PIPS, gas=_POOL_GAS)
        self._pool = RangePool(sqrt_price_of(*self._worth(scene)))
        stage.call(founders, pool, "initialize", self._pool.sqrt_price_x96)
        stage.deed(address_of(founders), "created", POOL)
        self._know(stage)

    def play(self, scene: Scene, stage: Stage) -> None:
        """The pool opens, people pay and trade, the arbitrageur looks round."""
        if stage is not scene.rollup:
            return
        rng = scene.rng(f"rollup/{stage.height}")
        maker = scene.people.roles["market maker"]
        if not self._owners:
            purse = [scene.balance(stage, asset, address_of(maker)) * 9 // 10 for asset in self._assets]
            if all(purse):
                self._provide(scene, stage, maker, purse)
        many = scene.scale.transactions
        for _ in range(rng.number(many // 2, many * 3 // 2 - 4)):
            self._one(scene, stage, rng)
        if self._owners:
            if rng.happens(4):
                person = rng.one(scene.people.crowd)
                purse = [scene.balance(stage, asset, person.address) // 4 for asset in self._assets]
                if all(amount > asset.unit // 10 for amount, asset in zip(purse, self._assets, strict=True)):
                    self._provide(scene, stage, person.wallet, purse)
            if (
                stage.day % _HARVEST_DAYS == _HARVEST_DAYS - 1
                and stage.height == stage.calendar.blocks_of(stage.day)[0]
            ):
                self._harvest(scene, stage, maker)
            self._even_out(scene, stage)

    def _one(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """One ordinary transaction: a trade, a payment in tokens or coins, or one that fails."""
        person, other, roll = *rng.some(scene.people.crowd, 2), rng.number(1, 100)
        if roll <= 46 and self._owners:
            sold = rng.one(self._assets)
            amount = scene.balance(stage, sold, person.address) * rng.number(4, 45) // 100
            if amount > sold.unit // 1_000:
                self._swap(scene, stage, person.wallet, sold, amount)
                return
        if roll <= 80:
            owned = [asset for asset in scene.bridged.values() if scene.balance(stage, asset, person.address)]
            if owned:
                asset = rng.one(owned)
                amount = scene.balance(stage, asset, person.address) * rng.number(1, 30) // 100
                scene.transfer(stage, person.wallet, asset, other.address, amount)
                stage.deed(person.address, "paid", asset.role, recipient=other.address, amount=amount)
                return
        if roll >= 95:
            asset = scene.bridged[rng.one(list(scene.bridged))]
            amount = scene.balance(stage, asset, person.address) + rng.number(1, 90) * asset.unit
            stage.call(person.wallet, asset.contract, "transfer", other.address, amount, succeeds=False)
            stage.deed(person.address, "was refused", asset.role, error="ERC20InsufficientBalance", amount=amount)
            return
        amount = rng.number(2 * 10**14, 6 * 10**16)
        stage.pay(person.wallet, other.address, amount)
        stage.deed(person.address, "paid", "gas coin", recipient=other.address, amount=amount)

    def _swap(self, scene: Scene, stage: Stage, trader: LocalAccount, sold: Asset, amount: int) -> None:
        router, who, side = stage.contracts["range router"], address_of(trader), self._assets.index(sold)
        bought, pool = self._assets[1 - side], stage.contracts[POOL].address
        scene.approve(stage, trader, sold, router.address)
        least = self._pool.quote(side, amount)
        order = (sold.address, bought.address, FEE_PIPS, trader.address, MOST, amount, least, 0)
        stage.call(trader, router, "exactInputSingle", order)
        paid = self._pool.swap(side, amount)
        stage.ledger.move(stage.height, sold.address, who, pool, amount)
        stage.ledger.move(stage.height, bought.address, pool, who, paid)
        self._know(stage)
        stage.deed(who, "swapped", POOL, sold=sold.role, bought=bought.role, amount_in=amount, amount_out=paid)

    def _provide(self, scene: Scene, stage: Stage, owner: LocalAccount, desired: list[int]) -> None:
        manager, who = stage.contracts["position manager"], address_of(owner)
        for asset in self._assets:
            scene.approve(stage, owner, asset, manager.address)
        first, second = (asset.address for asset in self._assets)
        made, *taken = self._pool.deposit(desired[0], desired[1])
        order = (first, second, FEE_PIPS, -FULL_RANGE, FULL_RANGE, *desired, *taken, owner.address, MOST)
        stage.call(owner, manager, "mint", order, gas=900_000)
        for asset, amount in zip(self._assets, taken, strict=True):
            stage.ledger.move(stage.height, asset.address, who, stage.contracts[POOL].address, amount)
        self._owners.append(who)
        self._know(stage)
        number = len(self._owners)  # the manager counts positions from 1
        stage.know("position manager", "ownerOf", number, answer=(who,))
        stage.deed(who, "added liquidity", POOL, number=number, liquidity=made, amount0=taken[0], amount1=taken[1])

    def _harvest(self, scene: Scene, stage: Stage, owner: LocalAccount) -> None:
        """The first position's fees go to its owner."""
        who = address_of(owner)
        paid = self._pool.collect(self._owners.index(who))
        order = (self._owners.index(who) + 1, owner.address, _ALL_128, _ALL_128)
        stage.call(owner, stage.contracts["position manager"], "collect", order)
        for asset, amount in zip(self._assets, paid, strict=True):
            if amount:
                stage.ledger.move(stage.height, asset.address, stage.contracts[POOL].address, who, amount)
        stage.deed(who, "collected fees", POOL, amount0=paid[0], amount1=paid[1])

    def _even_out(self, scene: Scene, stage: Stage) -> None:
        trader = scene.people.roles["arbitrageur"]
        numerator, denominator = self._worth(scene)
        here, there = self._pool.sqrt_price_x96**2, numerator * (1 << 192) // denominator
        if abs(here - there) * _PPM <= there * TOLERANCE_PPM:
            return
        side, wanted = self._pool.amount_to_price(numerator, denominator)
        sold = self._assets[side]
        amount = self._fetched(scene, stage, sold, wanted)
        if amount > sold.unit // 100:
            self._swap(scene, stage, trader, sold, amount)
            stage.deed(address_of(trader), "evened out", POOL, sold=sold.role, amount=amount)

    def _fetched(self, scene: Scene, stage: Stage, asset: Asset, wanted: int) -> int:
        """How much the arbitrageur can sell: what is missing comes from the exchange's wallet, and goes back later."""
        trader, venue = (scene.people.roles[role] for role in ("arbitrageur", "exchange"))
        owned = scene.balance(stage, asset, address_of(trader))
        if owned < wanted:
            bought = min(wanted - owned, scene.balance(stage, asset, address_of(venue)) // 2)
            if bought > 0:
                scene.transfer(stage, venue, asset, address_of(trader), bought)
                stage.deed(address_of(venue), "supplied the arbitrageur", asset.role, amount=bought)
        elif owned > 3 * wanted:
            scene.transfer(stage, trader, asset, address_of(venue), owned - 2 * wanted)
            stage.deed(address_of(trader), "gave back to the exchange", asset.role, amount=owned - 2 * wanted)
        return min(wanted, scene.balance(stage, asset, address_of(trader)))

    def _worth(self, scene: Scene) -> tuple[int, int]:
        """What one smallest unit of token 0 is worth outside, in smallest units of token 1, as a fraction."""
        native, dollar = scene.bridged["native"], scene.bridged["dollar"]
        price = scene.venue.price_e8("native", scene.rollup.now)
        of_native = price * dollar.unit, 10**8 * native.unit
        return of_native if self._assets[0] is native else (of_native[1], of_native[0])

    def _know(self, stage: Stage) -> None:
        pool = self._pool
        stage.know(POOL, "slot0", answer=(pool.sqrt_price_x96, pool.tick, 0, 1, 1, 0, True))
        stage.know(POOL, "liquidity", answer=(pool.liquidity,))
        for side in (0, 1):
            stage.know(POOL, f"feeGrowthGlobal{side}X128", answer=(pool.growth[side],))
