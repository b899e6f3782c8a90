"""Everything the services say of markets, in one place: coins, prices, supplies, caps and ranks at any moment.

Supplies of coins that live on a chain come from the ledger, at the newest block of the moment:

    total        minted less burnt on the coin's own network; what is bridged is locked there and not counted twice
                 (of the native coin: what the genesis gave out less the base fees burnt since, by the headers)
    circulating  the total less what vesting contracts, the airdrop and the treasury hold
    market cap   circulating supply times price, in whole dollars, cut
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from caia_worldgen.market.coin import Coin, coins_of
from caia_worldgen.market.price import E8, Candle, Derivatives, Prices, sum_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage
from caia_worldgen.venue import HOUR_S

_DAY_HOURS: Final = 24


@dataclass(frozen=True, slots=True)
class Supply:
    """In smallest units; ``most`` is None where more can be made at any time."""

    total: int
    circulating: int
    most: int | None


class MarketBook:
    """A told story's markets. Read-only; answers are pure functions of coin and moment.

    The chain must be living while it is made, and may end afterwards.
    """

    def __init__(self, scene: Scene) -> None:
        self.seed = scene.seed
        self.coins = coins_of(scene)
        self.prices = Prices(scene, self.coins)
        self.derivatives = Derivatives(scene.seed, self.prices)
        self._by_id = {coin.id: coin for coin in self.coins}
        self._ledger = scene.main.ledger
        self._calendar = scene.main.calendar
        self._locked = sorted(
            {made.address for role, made in scene.main.contracts.items() if role.endswith(" vesting")}
            | {made.address for role, made in scene.main.contracts.items() if role == "airdrop"}
            | {scene.people.address("treasury")}
        )
        self._native_supplies = _native_supplies(scene.main)

    def coin(self, id: str) -> Coin | None:
        """The coin of an id, or None."""
        return self._by_id.get(id)

    def at_address(self, network: str, address: str) -> Coin | None:
        """The coin whose token lies at an address (any case) of a network, or None."""
        wanted = (network, address.lower())
        return next((coin for coin in self.coins if wanted in coin.platforms), None)

    def listed(self, moment: int) -> tuple[Coin, ...]:
        """The coins that have a price at a moment, by id."""
        return tuple(coin for coin in self.coins if coin.listed_at <= moment)

    def supply(self, coin: Coin, moment: int) -> Supply:
        """A coin's supply at the end of the newest block of a moment."""
        if coin.role == "native":
            left = self._native_supplies[self._calendar.at(moment)]
            return Supply(left, left, None)
        if not coin.platforms:
            worth = Rng(f"market/{self.seed}/{coin.role}/worth").odd(30_000_000, 12_000_000_000) * E8
            listed = self.prices.price_e8(coin, coin.listed_at) or 1
            most = Rng(f"market/{self.seed}/{coin.role}/supply").odd(worth // listed, worth // listed) * coin.unit
            return Supply(most, most * Rng(f"market/{self.seed}/{coin.role}/out").number(350, 980) // 1_000, most)
        block, token = self._calendar.at(moment), coin.platforms[0][1]
        total = self._ledger.supply(token, block)
        held = sum(self._ledger.balance(token, holder, block) for holder in self._locked)
        return Supply(total, total - held, None if coin.role in ("dollar", "wrapped") else total)

    def cap_usd(self, coin: Coin, moment: int) -> int:
        """Market cap in whole dollars; 0 before the coin was listed."""
        return self._worth_usd(coin, self.supply(coin, moment).circulating, moment)

    def fully_diluted_usd(self, coin: Coin, moment: int) -> int:
        """The worth of the greatest possible supply, or of the total one where there is no greatest."""
        supply = self.supply(coin, moment)
        return self._worth_usd(coin, supply.total if supply.most is None else supply.most, moment)

    def ranking(self, moment: int) -> tuple[Coin, ...]:
        """The listed coins by market cap, largest first; ties by id."""
        return tuple(sorted(self.listed(moment), key=lambda coin: (-self.cap_usd(coin, moment), coin.id)))

    def day(self, coin: Coin, moment: int) -> Candle:
        """The 24 hours before the hour of ``moment`` as one candle, or as many of them as the coin has."""
        hour, first = self.prices.hour_of(moment), self.prices.hour_of(coin.listed_at)
        last = max(first + 1, hour)
        return sum_of([self.prices.candle(coin, at) for at in range(max(first, last - _DAY_HOURS), last)])

    def change_ppm(self, coin: Coin, moment: int, hours: int) -> int | None:
        """By how much the price moved within ``hours``, in millionths; None when it is not listed that long."""
        before = moment - hours * HOUR_S
        if before < coin.listed_at:
            return None
        then, now = self.prices.price_e8(coin, before), self.prices.price_e8(coin, moment)
        return None if not then or now is None else (now - then) * 1_000_000 // then

    def _worth_usd(self, coin: Coin, amount: int, moment: int) -> int:
        price = self.prices.price_e8(coin, moment)
        return 0 if price is None else amount * price // coin.unit // E8


def _native_supplies(stage: Stage) -> tuple[int, ...]:
    """What is left of the native coin at the end of each block."""
    supplies = []
    left = stage.genesis_supply_wei
    for block in range(stage.height):
        header = stage.ask("eth_getBlockByNumber", hex(block), False)
        left -= int(header["baseFeePerGas"], 16) * int(header["gasUsed"], 16)
        supplies.append(left)
    return tuple(supplies)
