"""Trading on the chain's exchange: pairs, liquidity, people who buy and sell, and the one who evens out prices.

The pools start at the outside venue's prices. People push them about; the arbitrageur sells whatever is dearer on the
chain than outside until the difference is within the fee.
"""

from __future__ import annotations

from typing import Final

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.artifact import load_artifact
from caia_worldgen.concentrated import LOCKED, Pool
from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST, Asset, Market, Scene
from caia_worldgen.stage import Contract, Stage, created2

TOLERANCE_PPM: Final = 15_000
"""How far a pool may stand from the venue, in millionths, before it pays to even it out: the fee five times."""

_PPM: Final = 1_000_000
_DEEP_DOLLARS: Final = (300_000, 2_400_000)
_WRAPPED_AT_MOST_WEI: Final = 15_000 * 10**18
"""Three quarters of the coins the exchange begins with."""
_PAIR_CODE_HASH: Final = keccak(load_artifact("UniswapV2Pair").bytecode)


class Trade:
    """Every project's token against the dollar, and the native coin against the dollar."""

    def __init__(self) -> None:
        self._wrapped_wei = 0

    def open(self, scene: Scene) -> None:
        """Factory, router and a pair for each token, filled by the market maker at the venue's price."""
        stage, rng = scene.main, scene.rng("trade")
        founders, maker = scene.people.roles["founders"], scene.people.roles["market maker"]
        factory = stage.deploy(founders, "UniswapV2Factory", (founders.address,), "factory")
        native, dollar = scene.assets["native"], scene.assets["dollar"]
        stage.deploy(founders, "UniswapV2Router02", (factory.address, native.address), "router")
        wrapped = rng.odd(600, 1_400) * native.unit
        stage.call(maker, native.contract, "deposit", value_wei=wrapped)
        scene.born(stage, native, address_of(maker), wrapped)
        stage.deed(address_of(maker), "wrapped", "native", amount=wrapped)
        for role, asset in scene.assets.items():
            if role == "dollar":
                continue
            stage.call(founders, factory, "createPair", asset.address, dollar.address, gas=3_000_000)
            market = self._pair(scene, factory, asset, dollar)
            price = scene.venue.price_e8(asset.role, stage.now)
            depth = rng.odd(*_DEEP_DOLLARS) * dollar.unit
            owned = scene.balance(stage, asset, address_of(maker))
            amount = min(depth * asset.unit * 10**8 // (price * dollar.unit), owned * 9 // 10)
            depth = amount * price * dollar.unit // (asset.unit * 10**8)
            self._add(scene, stage, maker, market, {asset.role: amount, "dollar": depth})

    def play(self, scene: Scene, stage: Stage) -> None:
        """A few people trade; sometimes somebody adds or removes liquidity; then the arbitrageur looks round."""
        if stage is not scene.main:
            return
        rng = scene.rng(f"trade/{stage.height}")
        markets = [scene.markets[key] for key in sorted(scene.markets)]
        for _ in range(rng.number(1, max(1, scene.scale.transactions // 2))):
            self._trade(scene, stage, rng, rng.one(markets))
        if rng.happens(12):
            self._provide(scene, stage, rng, rng.one(markets))
        for market in markets:
            if scene.assets["dollar"] in market.assets:  # the venue has no price of what is paid for in native coin
                self._even_out(scene, stage, market)

    def _trade(self, scene: Scene, stage: Stage, rng: Rng, market: Market) -> None:
        person = rng.one(scene.people.crowd)
        sold = rng.one(market.assets)
        owned = scene.balance(stage, sold, person.address)
        largest = market.pool.reserves[market.side(sold)] * rng.number(1, 40) // 10_000
        amount = min(owned * rng.number(5, 60) // 100, largest)
        if amount > sold.unit // 100:
            self._swap(scene, stage, person.wallet, market, sold, amount)

    def _even_out(self, scene: Scene, stage: Stage, market: Market) -> None:
        token = next(asset for asset in market.assets if asset.role != "dollar")
        dollar = scene.assets["dollar"]
        side, worth = market.side(token), scene.venue.price_e8(token.role, stage.now)
        # One smallest unit of the token is worth this many smallest units of the dollar, as a fraction.
        numerator, denominator = worth * dollar.unit, 10**8 * token.unit
        here = market.pool.reserves[1 - side] * denominator
        there = market.pool.reserves[side] * numerator
        trader = scene.people.roles["arbitrageur"]
        if abs(here - there) * _PPM <= there * TOLERANCE_PPM:
            return
        sold = token if here > there else dollar
        wanted = (numerator, denominator) if sold is token else (denominator, numerator)
        amount = market.pool.amount_to_price(market.side(sold), *wanted)
        amount = self._fetched(scene, stage, sold, amount)
        if amount > sold.unit // 100 and market.pool.quote(market.side(sold), amount) > 0:
            self._swap(scene, stage, trader, market, sold, amount)
            stage.deed(address_of(trader), "evened out", token.role, sold=sold.role, amount=amount)

    def _fetched(self, scene: Scene, stage: Stage, asset: Asset, wanted: int) -> int:
        """How much the arbitrageur can sell: what is bought outside comes from the exchange's wallet, and goes back."""
        trader, venue = (scene.people.roles[role] for role in ("arbitrageur", "exchange"))
        owned = scene.balance(stage, asset, address_of(trader))
        if owned < wanted:
            if asset.role == "native":
                self._wrap(scene, stage, venue, asset, 2 * (wanted - owned))
            bought = min(6 * wanted - owned, scene.balance(stage, asset, address_of(venue)) // 2)
            if bought > 0:
                scene.transfer(stage, venue, asset, address_of(trader), bought)
                stage.deed(address_of(venue), "supplied the arbitrageur", asset.role, amount=bought)
        elif owned > 20 * wanted:
            scene.transfer(stage, trader, asset, address_of(venue), owned - 6 * wanted)
            stage.deed(address_of(trader), "gave back to the exchange", asset.role, amount=owned - 6 * wanted)
        return min(wanted, scene.balance(stage, asset, address_of(trader)))

    def _wrap(self, scene: Scene, stage: Stage, venue: LocalAccount, native: Asset, needed: int) -> None:
        """The exchange turns coins of its own into wrapped ones, for it has more of them than of those."""
        amount = min(needed - scene.balance(stage, native, address_of(venue)), _WRAPPED_AT_MOST_WEI - self._wrapped_wei)
        if amount > 0:
            self._wrapped_wei += amount
            stage.call(venue, native.contract, "deposit", value_wei=amount)
            scene.born(stage, native, address_of(venue), amount)
            stage.deed(address_of(venue), "wrapped", "native", amount=amount)

    def _swap(self, scene: Scene, stage: Stage, trader: LocalAccount, market: Market, sold: Asset, amount: int) -> None:
        router, side = stage.contracts["router"], market.side(sold)
        bought = market.assets[1 - side]
        scene.approve(stage, trader, sold, router.address)
        path, who = [sold.address, bought.address], address_of(trader)
        least = market.pool.quote(side, amount)
        stage.call(trader, router, "swapExactTokensForTokens", amount, least, path, trader.address, MOST)
        paid = market.pool.swap(side, amount)
        stage.ledger.move(stage.height, sold.address, who, market.pair.address, amount)
        stage.ledger.move(stage.height, bought.address, market.pair.address, who, paid)
        _know(stage, market)
        stage.deed(who, "swapped", _name(market), sold=sold.role, bought=bought.role, amount_in=amount, amount_out=paid)

    def _provide(self, scene: Scene, stage: Stage, rng: Rng, market: Market) -> None:
        person = rng.one(scene.people.crowd)
        shares = stage.ledger.balance(market.pair.address, person.address)
        if shares and rng.happens(60):
            self._remove(scene, stage, person.wallet, market, shares if rng.happens(50) else shares // 3)
            return
        owned = [scene.balance(stage, asset, person.address) // 3 for asset in market.assets]
        if all(amount > asset.unit for amount, asset in zip(owned, market.assets, strict=True)):
            amounts = {asset.role: amount for asset, amount in zip(market.assets, owned, strict=True)}
            self._add(scene, stage, person.wallet, market, amounts)

    def _add(self, scene: Scene, stage: Stage, owner: LocalAccount, market: Market, desired: dict[str, int]) -> None:
        router, who = stage.contracts["router"], address_of(owner)
        first, second = market.assets
        taken = market.pool.matched(desired[first.role], desired[second.role])
        for asset in market.assets:
            scene.approve(stage, owner, asset, router.address)
        stage.call(
            owner, router, "addLiquidity", first.address, second.address,
            desired[first.role], desired[second.role], *taken, owner.address, MOST,
        )  # fmt: skip
        for asset, amount in zip(market.assets, taken, strict=True):
            stage.ledger.move(stage.height, asset.address, who, market.pair.address, amount)
        if market.pool.shares == 0:
            stage.ledger.move(stage.height, market.pair.address, ZERO_ADDRESS, ZERO_ADDRESS, LOCKED)
        shares = market.pool.deposit(*taken)
        stage.ledger.move(stage.height, market.pair.address, ZERO_ADDRESS, who, shares)
        _know(stage, market)
        stage.deed(who, "added liquidity", _name(market), shares=shares, amount0=taken[0], amount1=taken[1])

    def _remove(self, scene: Scene, stage: Stage, owner: LocalAccount, market: Market, shares: int) -> None:
        router, who, pair = stage.contracts["router"], address_of(owner), market.pair
        scene.approve(stage, owner, Asset("shares", market.assets[0].project, pair, 18), router.address)
        first, second = market.assets
        stage.call(owner, router, "removeLiquidity", first.address, second.address, shares, 0, 0, owner.address, MOST)
        stage.ledger.move(stage.height, pair.address, who, pair.address, shares)
        stage.ledger.burn(stage.height, pair.address, pair.address, shares)
        paid = market.pool.withdraw(shares)
        for asset, amount in zip(market.assets, paid, strict=True):
            stage.ledger.move(stage.height, asset.address, pair.address, who, amount)
        _know(stage, market)
        stage.deed(who, "removed liquidity", _name(market), shares=shares, amount0=paid[0], amount1=paid[1])

    def _pair(self, scene: Scene, factory: Contract, asset: Asset, dollar: Asset) -> Market:
        first, second = sorted((asset, dollar), key=lambda one: one.address)
        salt = keccak(bytes.fromhex(first.address[2:] + second.address[2:]))
        role = f"{asset.role}/dollar"
        pair = scene.main.adopt(created2(factory.address, salt, _PAIR_CODE_HASH), "UniswapV2Pair", role)
        market = scene.markets[asset.role, "dollar"] = Market(pair, (first, second), Pool())
        return market


def _know(stage: Stage, market: Market) -> None:
    stage.know(_name(market), "getReserves", answer=(*market.pool.reserves, stage.now % 2**32))


def _name(market: Market) -> str:
    return "/".join(sorted((asset.role for asset in market.assets), key=_rank))


def _rank(role: str) -> int:
    """What is paid with comes last, and the dollar after the native coin."""
    return ("native", "dollar").index(role) if role in ("native", "dollar") else -1
