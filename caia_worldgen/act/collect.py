"""Collectibles: two collections, minted by one creator and traded on a market for native coin.

NFTs are no tokens of the ledger, and native coin moves without events: what was paid is in the deeds, who owns what in
the views. Prices and fees are in wei.
"""

from __future__ import annotations

from typing import Final

from eth_account.signers.local import LocalAccount

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Contract, Stage

MARKET: Final = "nft market"
COLLECTIONS: Final = {"portraits": "Portraits", "relics": "Relics"}
"""Role in the story -> what the collection calls itself."""

_FIRST: Final = 7
_MOST: Final = 90
_PURSE_WEI: Final = 8 * 10**18
"""What one person spends on collectibles, less what came back: people need their coin for other things too."""
_PRICES: Final = (40 * 10**15, 2_400 * 10**15)
_ACTION_PERCENT: Final = 50
_FAILURE_DAYS: Final = (24, 49, 74, 99)
_BPS: Final = 10_000

Item = tuple[str, int]
"""A collection's role and a number in it."""


class Collect:
    """Mints, listings, sales and gifts, and purchases that fail."""

    def __init__(self) -> None:
        self._made: dict[str, Contract] = {}
        self._owners: dict[Item, str] = {}
        self._listed: dict[Item, tuple[str, int]] = {}
        self._spent: dict[str, int] = {}
        self._wallets: dict[str, LocalAccount] = {}
        self._approved: set[tuple[str, str]] = set()
        self._fee_bps = 0

    def open(self, scene: Scene) -> None:
        """The market, both collections and their first items."""
        stage, rng = scene.main, scene.rng("collect")
        creator, founders = scene.people.roles["collector"], scene.people.roles["founders"]
        self._wallets = {address_of(owner): owner for owner in (creator, *(one.wallet for one in scene.people.crowd))}
        self._fee_bps = rng.number(150, 425)
        stage.deploy(founders, "NftMarket", (self._fee_bps, scene.people.address("treasury")), MARKET)
        stage.know(MARKET, "feeBps", answer=(self._fee_bps,))
        for role, kind in COLLECTIONS.items():
            project = scene.projects[role] = scene.namer.project(kind)
            terms = (project.name, project.ticker, creator.address, f"https://{project.site}/item/")
            self._made[role] = stage.deploy(creator, "Collectible", terms, f"{role} collection")
            stage.deed(address_of(creator), "opened collection", role, name=project.name, fee_bps=self._fee_bps)
            for _ in range(_FIRST):
                self._mint(scene, stage, rng, role)

    def play(self, scene: Scene, stage: Stage) -> None:
        """In half of the blocks one thing happens; a failed purchase on known days."""
        if stage is not scene.main:
            return
        rng = scene.rng(f"collect/{stage.height}")
        if any(stage.reaches(stage.calendar.midnight(day)) for day in _FAILURE_DAYS):
            self._fail_to_buy(scene, stage, rng)
        elif rng.happens(_ACTION_PERCENT):
            self._act(scene, stage, rng)

    def _act(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        rolled = rng.number(1, 100)
        role = rng.one(sorted(COLLECTIONS))
        if rolled <= 16 and self._count(role) < _MOST:
            self._mint(scene, stage, rng, role)
        elif rolled <= 50:
            self._list(stage, rng)
        elif rolled <= 84:
            self._buy(scene, stage, rng)
        elif rolled <= 90:
            self._cancel(stage, rng)
        elif rolled <= 95:
            self._give(scene, stage, rng)
        else:
            self._fail_to_buy(scene, stage, rng)

    def _mint(self, scene: Scene, stage: Stage, rng: Rng, role: str) -> None:
        creator, number = scene.people.roles["collector"], self._count(role) + 1
        owner = rng.one(scene.people.crowd).address if rng.happens(55) else address_of(creator)
        stage.call(creator, self._made[role], "mint", owner)
        stage.know(f"{role} collection", "totalSupply", answer=(number,))
        self._own(stage, (role, number), owner)
        stage.deed(address_of(creator), "minted", role, id=number, owner=owner)

    def _list(self, stage: Stage, rng: Rng) -> None:
        item = rng.one(sorted(self._owners))
        owner, price, (role, number) = self._owners[item], rng.odd(*_PRICES), item
        if (role, owner) not in self._approved:
            self._approved.add((role, owner))
            market = stage.contracts[MARKET].address
            stage.call(self._wallets[owner], self._made[role], "setApprovalForAll", market, True)
            stage.know(f"{role} collection", "isApprovedForAll", owner, market, answer=(True,))
        stage.call(
            self._wallets[owner], stage.contracts[MARKET], "list", self._made[role].address, number, price
        )  # fmt: skip
        self._set_listing(stage, item, (owner, price))
        stage.deed(owner, "listed", role, id=number, price_wei=price)

    def _cancel(self, stage: Stage, rng: Rng) -> None:
        if self._listed:
            item = rng.one(sorted(self._listed))
            seller, _ = self._listed[item]
            stage.call(
                self._wallets[seller], stage.contracts[MARKET], "cancel", self._made[item[0]].address, item[1]
            )  # fmt: skip
            self._set_listing(stage, item, None)
            stage.deed(seller, "unlisted", item[0], id=item[1])

    def _buy(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        person, item = rng.one(scene.people.crowd), self._for_sale(rng)
        if item is None:
            return
        (seller, price), (role, number), buyer = self._listed[item], item, person.address
        if seller == buyer or self._spent.get(buyer, 0) + price > _PURSE_WEI:
            return
        fee = price * self._fee_bps // _BPS
        stage.call(
            person.wallet, stage.contracts[MARKET], "buy", self._made[role].address, number, value_wei=price
        )  # fmt: skip
        self._spent[buyer] = self._spent.get(buyer, 0) + price
        self._spent[seller] = self._spent.get(seller, 0) - price + fee
        self._set_listing(stage, item, None)
        self._own(stage, item, buyer)
        stage.deed(buyer, "purchased", role, id=number, seller=seller, price_wei=price, fee_wei=fee)

    def _fail_to_buy(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Too little money; or the seller gave the item away and the listing is stale."""
        person, stale = rng.one(scene.people.crowd), [item for item in sorted(self._listed) if self._stale(item)]
        item = rng.one(stale) if stale and rng.happens(40) else self._for_sale(rng)
        if item is None:
            return
        (_, price), (role, number) = self._listed[item], item
        paid, reason = (price, "stale listing") if self._stale(item) else (price - price // 50, "too little money")
        if self._spent.get(person.address, 0) + paid > _PURSE_WEI:
            return
        stage.call(
            person.wallet, stage.contracts[MARKET], "buy", self._made[role].address, number,
            value_wei=paid, succeeds=False,
        )  # fmt: skip
        stage.deed(person.address, "failed to purchase", role, id=number, price_wei=price, paid_wei=paid, reason=reason)

    def _give(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        item, friend = rng.one(sorted(self._owners)), rng.one(scene.people.crowd).address
        owner = self._owners[item]
        if friend != owner:
            stage.call(self._wallets[owner], self._made[item[0]], "transferFrom", owner, friend, item[1])
            self._own(stage, item, friend)
            stage.deed(owner, "gave", item[0], id=item[1], recipient=friend)

    def _for_sale(self, rng: Rng) -> Item | None:
        found = [item for item in sorted(self._listed) if not self._stale(item)]
        return rng.one(found) if found else None

    def _stale(self, item: Item) -> bool:
        return self._listed[item][0] != self._owners[item]

    def _count(self, role: str) -> int:
        return sum(item[0] == role for item in self._owners)

    def _own(self, stage: Stage, item: Item, owner: str) -> None:
        before, (role, number) = self._owners.get(item), item
        self._owners[item] = owner
        stage.know(f"{role} collection", "ownerOf", number, answer=(owner,))
        for holder in sorted({before or owner, owner}):
            count = sum(self._owners[one] == holder for one in self._owners if one[0] == role)
            stage.know(f"{role} collection", "balanceOf", holder, answer=(count,))

    def _set_listing(self, stage: Stage, item: Item, listing: tuple[str, int] | None) -> None:
        if listing is None:
            del self._listed[item]
        else:
            self._listed[item] = listing
        stage.know(MARKET, "listings", self._made[item[0]].address, item[1], answer=listing or (ZERO_ADDRESS, 0))
