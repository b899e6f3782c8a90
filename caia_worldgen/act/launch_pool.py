"""A graduated token's pair with the wrapped native coin: how it is born, traded for coin, and emptied.

People pay and get native coin; the router wraps and unwraps it on the way, which the ledger sees as tokens born and
burnt in the router's hands.
"""

from __future__ import annotations

from dataclasses import dataclass
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

DEAD: Final = "0x000000000000000000000000000000000000dead"
"""Where the launchpad sends a pair's shares, so that nobody can take the liquidity out."""

_PAIR_CODE_HASH: Final = keccak(load_artifact("UniswapV2Pair").bytecode)
_SMALL: Final = (3 * 10**16, 6 * 10**17)


@dataclass(slots=True)
class LaunchPool:
    """One pair. ``role`` is what the story calls it: the token's role and "native"."""

    role: str
    token: Asset
    native: Asset
    market: Market
    emptied: bool = False

    def trade(self, scene: Scene, stage: Stage, rng: Rng, buys: bool) -> None:
        """Somebody of the crowd buys for a little coin, or sells a part; after a rug pull those left only sell."""
        if buys and not self.emptied:
            self._buy(scene, stage, rng.one(scene.people.crowd).wallet, rng.odd(*_SMALL, digits=7))
            return
        owners = [one for one in scene.people.crowd if scene.balance(stage, self.token, one.address) > self.token.unit]
        if owners:
            person = rng.one(owners)
            owned = scene.balance(stage, self.token, person.address)
            self._sell(scene, stage, person.wallet, owned * rng.number(15, 90) // 100)

    def pull(self, scene: Scene, stage: Stage, creator: LocalAccount) -> None:
        """The creator sells all at once."""
        amount = scene.balance(stage, self.token, address_of(creator))
        before = self.market.pool.reserves[self.market.side(self.native)]
        paid = self._sell(scene, stage, creator, amount)
        self.emptied = True
        stage.deed(
            address_of(creator), "rug pulled", self.token.role, amount=amount, paid_wei=paid, reserve_wei=before
        )  # fmt: skip

    def _buy(self, scene: Scene, stage: Stage, buyer: LocalAccount, paid: int) -> None:
        router, side, who = stage.contracts["router"], self.market.side(self.native), address_of(buyer)
        path, least = [self.native.address, self.token.address], self.market.pool.quote(side, paid)
        stage.call(buyer, router, "swapExactETHForTokens", least, path, buyer.address, MOST, value_wei=paid)
        got, pair = self.market.pool.swap(side, paid), self.market.pair.address
        stage.ledger.move(stage.height, self.native.address, ZERO_ADDRESS, router.address, paid)
        stage.ledger.move(stage.height, self.native.address, router.address, pair, paid)
        stage.ledger.move(stage.height, self.token.address, pair, who, got)
        self._tell(stage, who, self.native, self.token, paid, got)

    def _sell(self, scene: Scene, stage: Stage, seller: LocalAccount, amount: int) -> int:
        router, side, who = stage.contracts["router"], self.market.side(self.token), address_of(seller)
        scene.approve(stage, seller, self.token, router.address)
        path, least = [self.token.address, self.native.address], self.market.pool.quote(side, amount)
        stage.call(seller, router, "swapExactTokensForETH", amount, least, path, seller.address, MOST)
        got, pair = self.market.pool.swap(side, amount), self.market.pair.address
        stage.ledger.move(stage.height, self.token.address, who, pair, amount)
        stage.ledger.move(stage.height, self.native.address, pair, router.address, got)
        stage.ledger.burn(stage.height, self.native.address, router.address, got)
        self._tell(stage, who, self.token, self.native, amount, got)
        return got

    def _tell(self, stage: Stage, who: str, sold: Asset, bought: Asset, amount: int, got: int) -> None:
        know_reserves(stage, self)
        stage.deed(who, "swapped", self.role, sold=sold.role, bought=bought.role, amount_in=amount, amount_out=got)


def graduate(
    scene: Scene, stage: Stage, pad: Contract, token: Asset, raised_wei: int, amount: int, buyer: str
) -> LaunchPool:
    """The pad mints ``amount``, wraps ``raised_wei`` and makes a pair of both; all in the last buyer's transaction."""
    native, router = scene.assets["native"], stage.contracts["router"]
    first, second = sorted((token, native), key=lambda one: one.address)
    salt = keccak(bytes.fromhex(first.address[2:] + second.address[2:]))
    role = f"{token.role}/native"
    at = created2(stage.contracts["factory"].address, salt, _PAIR_CODE_HASH)
    market = scene.markets[token.role, "native"] = Market(
        stage.adopt(at, "UniswapV2Pair", role), (first, second), Pool()
    )  # fmt: skip
    scene.born(stage, token, pad.address, amount)
    stage.ledger.move(stage.height, token.address, pad.address, at, amount)
    stage.ledger.move(stage.height, native.address, ZERO_ADDRESS, router.address, raised_wei)
    stage.ledger.move(stage.height, native.address, router.address, at, raised_wei)
    shares = market.pool.deposit(*((amount, raised_wei) if first is token else (raised_wei, amount)))
    stage.ledger.move(stage.height, at, ZERO_ADDRESS, ZERO_ADDRESS, LOCKED)
    stage.ledger.move(stage.height, at, ZERO_ADDRESS, DEAD, shares)
    made = LaunchPool(role, token, native, market)
    know_reserves(stage, made)
    stage.deed(buyer, "graduated", token.role, pair=at, raised_wei=raised_wei, amount=amount, shares=shares)
    return made


def know_reserves(stage: Stage, pool: LaunchPool) -> None:
    """Write down the reserves as the pair tells them from this block on."""
    stage.know(pool.role, "getReserves", answer=(*pool.market.pool.reserves, stage.now % 2**32))
