"""A pair that one maker opens beside the exchange's own: its birth in three days, and its arithmetic.

The exchange's markets follow the outside venue; a listing follows nobody. It is kept out of ``scene.markets`` for that
reason: no arbitrageur looks at it.
"""

from __future__ import annotations

from typing import Final

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.artifact import load_artifact
from caia_worldgen.concentrated import LOCKED, Pool
from caia_worldgen.people import address_of
from caia_worldgen.scene import Asset, Market, Scene
from caia_worldgen.stage import Stage, created2

_PAIR_CODE_HASH: Final = keccak(load_artifact("UniswapV2Pair").bytecode)
_PAIR_GAS: Final = 2_700_000


class Listing:
    """A token, its maker and, from the second day on, its pair against the native coin or the dollar."""

    def __init__(self, scene: Scene, token: Asset, maker: LocalAccount, against: str) -> None:
        self.token = token
        self.maker = maker
        self.other = scene.assets[against]
        self.role = f"{token.role}/{against}"
        first, second = sorted((token, self.other), key=lambda one: one.address)
        factory = scene.main.contracts["factory"]
        salt = keccak(bytes.fromhex(first.address[2:] + second.address[2:]))
        pair = scene.main.adopt(created2(factory.address, salt, _PAIR_CODE_HASH), "UniswapV2Pair", self.role)
        self.market = Market(pair, (first, second), Pool())

    @property
    def open(self) -> bool:
        """Whether it was ever filled."""
        return self.market.pool.shares > 0

    @property
    def pair(self) -> str:
        """The pair's address, lower case."""
        return self.market.pair.address

    def create_pair(self, stage: Stage) -> None:
        """Queue the pair's creation."""
        first, second = (asset.address for asset in self.market.assets)
        stage.make_room(_PAIR_GAS)
        stage.call(self.maker, stage.contracts["factory"], "createPair", first, second, gas=_PAIR_GAS)
        stage.deed(address_of(self.maker), "created", self.role)

    def filled(self, stage: Stage, amount: int, other_amount: int) -> None:
        """Write down the first liquidity, whose tokens the ledger has at the pair already."""
        put = (amount, other_amount) if self.market.assets[0] is self.token else (other_amount, amount)
        who, shares = address_of(self.maker), self.market.pool.deposit(*put)
        stage.ledger.move(stage.height, self.pair, ZERO_ADDRESS, ZERO_ADDRESS, LOCKED)
        stage.ledger.move(stage.height, self.pair, ZERO_ADDRESS, who, shares)
        self._know(stage)
        stage.deed(who, "added liquidity", self.role, shares=shares, amount0=put[0], amount1=put[1])

    def emptied(self, stage: Stage, recipient: str, shares: int) -> tuple[int, int]:
        """Write down that the maker gave shares back to ``recipient``'s profit: token and other amount paid out."""
        who, paid = address_of(self.maker), self.market.pool.withdraw(shares)
        stage.ledger.move(stage.height, self.pair, who, self.pair, shares)
        stage.ledger.burn(stage.height, self.pair, self.pair, shares)
        for asset, amount in zip(self.market.assets, paid, strict=True):
            stage.ledger.move(stage.height, asset.address, self.pair, recipient, amount)
        self._know(stage)
        return paid if self.market.assets[0] is self.token else (paid[1], paid[0])

    def quote(self, sold: Asset, amount: int) -> int:
        """What ``amount`` would buy."""
        return self.market.pool.quote(self.market.side(sold), amount)

    def swap(self, stage: Stage, who: str, sold: Asset, amount: int, **more: int) -> int:
        """Write down a swap, but no movement: ``amount`` reaches the pair, what is returned leaves it.

        ``more`` is told of it beside that, such as what a tax takes on the way.
        """
        paid = self.market.pool.swap(self.market.side(sold), amount)
        bought = self.other if sold is self.token else self.token
        self._know(stage)
        stage.deed(
            who, "swapped", self.role, sold=sold.role, bought=bought.role, amount_in=amount, amount_out=paid, **more
        )
        return paid

    def _know(self, stage: Stage) -> None:
        stage.know(self.role, "getReserves", answer=(*self.market.pool.reserves, stage.now % 2**32))
