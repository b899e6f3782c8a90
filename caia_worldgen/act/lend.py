"""Lending: dollars lent against the wrapped native coin and against the exchange's token, at an oracle's prices.

Positions that sank below the liquidation limit at a posted price are the liquidator's; before the venue's crash some
people borrow all that their collateral allows. Every figure comes from ``contracts.lending``,
which computes as the deployed market does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.act.post_prices import PostPrices
from caia_worldgen.contracts.lending import BPS, Market
from caia_worldgen.people import Person, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST, Asset, Scene
from caia_worldgen.stage import Contract, Stage

COLLATERALS: Final = ("native", "exchange")
"""Roles of the assets against which dollars are lent, a market each."""

_TERMS_BPS: Final = {"native": (7_500, 8_000, 500), "exchange": (6_000, 6_500, 1_000)}
"""Largest loan, liquidation limit, the liquidator's bonus."""
_MOST_WRAPPED_WEI: Final = 14 * 10**18
"""What a person turns into collateral of the coins they pay fees with."""
_CHANCES: Final = {"lend": 22, "withdraw": 13, "borrow": 37, "repay": 16, "remove": 6, "overreach": 4, "snatch": 2}
"""Per cent, in the order in which they are drawn."""
_MILESTONES: Final = {20: "overreach", 42: "snatch", 48: "stretch", 54: "stretch", 55: "run", 77: "overreach"}
"""Per cent of the story -> what happens then for certain, in both markets; a crash comes from the 55th on."""

_STRETCHED: Final = 3
"""How many people borrow all they can at each such moment."""
_ROOM: Final = 2_000_000  # gas that all of them use at most, besides a block's ordinary limit
_AT_ONCE: Final = 16
"""How many liquidations an ordinary block has room for beside everything else; a crash may bring forty."""
_LIQUIDATION_GAS: Final = 130_000


@dataclass(slots=True)
class Desk:
    """One lending market: ``name`` is its role among the contracts, ``books`` what it must hold."""

    name: str
    collateral: Asset
    contract: Contract
    books: Market


class Lend:
    """Two markets, their lenders and borrowers, the price keeper and the liquidator."""

    def __init__(self) -> None:
        self._desks: list[Desk] = []
        self._prices = PostPrices(COLLATERALS)
        self._wrapped_wei: dict[str, int] = {}
        self._crowded: dict[int, int] = {}

    def open(self, scene: Scene) -> None:
        """The oracle has prices, the markets exist, the treasury lends to both."""
        stage, rng = scene.main, scene.rng("lend")
        founders, oracle, dollar = scene.people.roles["founders"], self._prices.open(scene), scene.assets["dollar"]
        for role in COLLATERALS:
            asset, rate = scene.assets[role], rng.number(310, 1_490)
            ltv, limit, bonus = _TERMS_BPS[role]
            tokens = (asset.address, dollar.address, oracle.address, asset.decimals, dollar.decimals)
            name = f"{role} lending market"
            made = stage.deploy(founders, "LendingMarket", (*tokens, ltv, limit, bonus, rate), name)
            books = Market(asset.unit, dollar.unit, ltv, limit, bonus, rate, touched_at=stage.now)
            desk = Desk(name, asset, made, books)
            self._desks.append(desk)
            stage.deed(address_of(founders), "opened", name, ltv_bps=ltv, liquidation_bps=limit, rate_bps=rate)
            for function, answer in (
                *(("collateral", asset.address), ("debt", dollar.address), ("oracle", oracle.address)),
                *(("ltvBps", ltv), ("liquidationBps", limit), ("bonusBps", bonus), ("rateBpsPerYear", rate)),
            ):
                stage.know(name, function, answer=(answer,))
            self._deposit(scene, stage, desk, scene.people.roles["treasury"], rng.odd(40_000, 90_000) * dollar.unit)

    def play(self, scene: Scene, stage: Stage) -> None:
        """Prices first, then the liquidator, then the people."""
        if stage is not scene.main:
            return
        self._prices.play(scene, stage)
        rng = scene.rng(f"lend/{stage.height}")
        for desk in self._desks:
            self._liquidate(scene, stage, rng, desk)
        for percent, name in _MILESTONES.items():
            if stage.height == stage.calendar.blocks_of(scene.scale.days * percent // 100)[0]:
                stage.make_room(_ROOM)
                for desk in self._desks:
                    self._does(name, scene, stage, rng, desk)
        if rng.happens(30 + 32 // scene.scale.main_blocks):
            drawn, desk = rng.number(1, 100), rng.one(self._desks)
            for name, percent in _CHANCES.items():
                drawn -= percent
                if drawn <= 0:
                    self._does(name, scene, stage, rng, desk)
                    break
        if stage.height == stage.calendar.blocks_of(stage.day)[-1] and rng.happens(30):
            self._sell_seized(scene, stage, rng.one(self._desks))

    def _does(self, name: str, scene: Scene, stage: Stage, rng: Rng, desk: Desk) -> None:
        if name == "run":
            self._run(stage, desk, scene.people.roles["treasury"])
            return
        books, asset, crowd = desk.books, desk.collateral, scene.people.crowd
        # coins are wrapped when they are needed, so anybody has some
        owners = [person for person in crowd if asset.role == "native" or scene.balance(stage, asset, person.address)]
        action, found = {
            "lend": (self._lend, crowd),
            "withdraw": (self._withdraw, _within(crowd, books.shares)),
            "borrow": (self._borrow, owners),
            "stretch": (self._stretch, owners),
            "repay": (self._repay, _within(crowd, books.scaled)),
            "remove": (self._remove, _within(crowd, books.collateral)),
            "overreach": (self._overreach, crowd),
            "snatch": (self._snatch, _within(crowd, books.scaled)),
        }[name]
        for person in rng.some(found, min(len(found), _STRETCHED if name == "stretch" else 1)):
            action(scene, stage, rng, desk, person)

    def _pair(self, desk: Desk) -> tuple[int, int]:
        return self._prices.price_e8(desk.collateral.role), self._prices.price_e8("dollar")

    def _lend(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        dollar = scene.assets["dollar"]
        amount = scene.balance(stage, dollar, person.address) * rng.number(15, 70) // 100
        if amount > 100 * dollar.unit:
            self._deposit(scene, stage, desk, person.wallet, amount)

    def _deposit(self, scene: Scene, stage: Stage, desk: Desk, owner: LocalAccount, amount: int) -> None:
        who, dollar = address_of(owner), scene.assets["dollar"]
        scene.approve(stage, owner, dollar, desk.contract.address)
        stage.call(owner, desk.contract, "deposit", amount)
        stage.ledger.move(stage.height, dollar.address, who, desk.contract.address, amount)
        shares = desk.books.deposit(who, amount, stage.now)
        self._did(stage, desk, who, "lent", amount=amount, shares=shares)

    def _withdraw(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        books, shares = desk.books, desk.books.shares[person.address]
        shares = shares if rng.happens(45) else shares * rng.number(10, 60) // 100
        if shares * (books.cash + books.total_debt(stage.now)) // books.total_shares > books.cash:
            self._refused(stage, desk, person.wallet, "NotEnoughCash", "withdraw", shares)
            return
        stage.call(person.wallet, desk.contract, "withdraw", shares)
        amount = books.withdraw(person.address, shares, stage.now)
        dollar = scene.assets["dollar"].address
        stage.ledger.move(stage.height, dollar, desk.contract.address, person.address, amount)
        self._did(stage, desk, person.address, "withdrew", amount=amount, shares=shares)

    def _run(self, stage: Stage, desk: Desk, owner: LocalAccount) -> None:
        """The largest lender wants all of it back while much of it is lent."""
        books, shares = desk.books, desk.books.shares[address_of(owner)]
        if shares * (books.cash + books.total_debt(stage.now)) // books.total_shares > books.cash:
            self._refused(stage, desk, owner, "NotEnoughCash", "withdraw", shares)

    def _borrow(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        """Bring collateral, then borrow a part of what it allows."""
        self._bring(scene, stage, rng, desk, person)
        self._take(scene, stage, desk, person, rng.number(45, 99))

    def _stretch(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        """Borrow nearly all that is allowed."""
        self._bring(scene, stage, rng, desk, person)
        self._take(scene, stage, desk, person, 99)

    def _bring(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        price = self._pair(desk)[0]
        wanted = rng.number(1_500, 45_000) * desk.collateral.unit * 10**8 // price
        self._wrap(scene, stage, desk.collateral, person, wanted)
        amount = min(wanted, scene.balance(stage, desk.collateral, person.address) * rng.number(60, 97) // 100)
        if amount * price > 200 * 10**8 * desk.collateral.unit:
            scene.approve(stage, person.wallet, desk.collateral, desk.contract.address)
            stage.call(person.wallet, desk.contract, "addCollateral", amount)
            stage.ledger.move(stage.height, desk.collateral.address, person.address, desk.contract.address, amount)
            desk.books.move_collateral(person.address, amount, stage.now)
            self._did(stage, desk, person.address, "added collateral", amount=amount)

    def _take(self, scene: Scene, stage: Stage, desk: Desk, person: Person, percent: int) -> None:
        dollar, room = scene.assets["dollar"], desk.books.most_borrowable(person.address, self._pair(desk), stage.now)
        loan = min(room * percent // 100, desk.books.cash * 3 // 5)
        if loan > 50 * dollar.unit:
            stage.call(person.wallet, desk.contract, "borrow", loan)
            desk.books.borrow(person.address, loan, stage.now)
            stage.ledger.move(stage.height, dollar.address, desk.contract.address, person.address, loan)
            self._did(stage, desk, person.address, "borrowed", amount=loan)

    def _wrap(self, scene: Scene, stage: Stage, asset: Asset, person: Person, wanted: int) -> None:
        """Turn some of a person's own coins into the wrapped token, within bounds."""
        before = self._wrapped_wei.get(person.address, 0)
        amount = min(wanted - scene.balance(stage, asset, person.address), _MOST_WRAPPED_WEI // 2)
        if asset.role == "native" and 0 < amount <= _MOST_WRAPPED_WEI - before:
            stage.call(person.wallet, asset.contract, "deposit", value_wei=amount)
            scene.born(stage, asset, person.address, amount)
            self._wrapped_wei[person.address] = before + amount
            stage.deed(person.address, "wrapped", "native", amount=amount)

    def _overreach(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        """Somebody asks for more than their collateral allows."""
        room = desk.books.most_borrowable(person.address, self._pair(desk), stage.now)
        amount = room + room // 9 + rng.number(20, 900) * scene.assets["dollar"].unit
        error = "NotEnoughCash" if amount > desk.books.cash else "OverLimit"
        self._refused(stage, desk, person.wallet, error, "borrow", amount)

    def _repay(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        """Pay all of it, and mostly fetch the collateral, or a part."""
        dollar, owed = scene.assets["dollar"], desk.books.debt_of(person.address, stage.now)
        owned = scene.balance(stage, dollar, person.address)
        amount = MOST if owned >= owed and rng.happens(60) else min(owned, owed) * rng.number(20, 80) // 100
        if amount < dollar.unit:
            return
        scene.approve(stage, person.wallet, dollar, desk.contract.address)
        stage.call(person.wallet, desk.contract, "repay", amount)
        paid = desk.books.repay(person.address, amount, stage.now)
        stage.ledger.move(stage.height, dollar.address, person.address, desk.contract.address, paid)
        self._did(stage, desk, person.address, "repaid", amount=paid)
        if amount == MOST and rng.happens(75):
            self._remove(scene, stage, rng, desk, person)

    def _remove(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        """Take back collateral that the debt does not need."""
        books, (price, dollar_price) = desk.books, self._pair(desk)
        owed_e8 = _up(books.debt_of(person.address, stage.now) * dollar_price, books.debt_unit)
        needed = _up(_up(owed_e8 * BPS, books.ltv_bps) * books.collateral_unit, price)
        free = books.collateral[person.address] - needed
        amount = free if not needed else free * rng.number(20, 90) // 100
        if amount <= 0:
            return
        stage.call(person.wallet, desk.contract, "removeCollateral", amount)
        books.move_collateral(person.address, -amount, stage.now)
        stage.ledger.move(stage.height, desk.collateral.address, desk.contract.address, person.address, amount)
        self._did(stage, desk, person.address, "removed collateral", amount=amount)

    def _liquidate(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk) -> None:
        """Repay half of a debt below the limit, or all when it is far below, as far as the collateral pays for it."""
        liquidator, books, dollar = scene.people.roles["liquidator"], desk.books, scene.assets["dollar"]
        taker, prices = address_of(liquidator), self._pair(desk)
        for who in sorted(books.scaled):
            health = books.health_bps(who, prices, stage.now)
            if health is None or health >= BPS or not rng.happens(85):
                continue
            owed = books.debt_of(who, stage.now)
            above = books.collateral[who] * prices[0] * books.debt_unit * BPS
            covered = above // (prices[1] * books.collateral_unit * (BPS + books.bonus_bps))
            wanted = owed if health < 9_300 or owed < 500 * dollar.unit else owed // 2
            amount = min(wanted, covered, scene.balance(stage, dollar, taker))
            if amount < dollar.unit:
                continue
            scene.approve(stage, liquidator, dollar, desk.contract.address)
            self._crowded[stage.height] = self._crowded.get(stage.height, 0) + 1
            if self._crowded[stage.height] > _AT_ONCE:
                stage.make_room(_LIQUIDATION_GAS)
            stage.call(liquidator, desk.contract, "liquidate", who, amount)
            paid, seized = books.liquidate(who, amount, prices, stage.now)
            stage.ledger.move(stage.height, dollar.address, taker, desk.contract.address, paid)
            stage.ledger.move(stage.height, desk.collateral.address, desk.contract.address, taker, seized)
            self._know(stage, desk, who)
            self._did(stage, desk, taker, "liquidated", borrower=who, repaid=paid, seized=seized, health_bps=health)

    def _snatch(self, scene: Scene, stage: Stage, rng: Rng, desk: Desk, person: Person) -> None:
        """The liquidator tries a position that is healthy."""
        health = desk.books.health_bps(person.address, self._pair(desk), stage.now)
        if health is not None and health >= BPS:
            liquidator, amount = scene.people.roles["liquidator"], rng.odd(100, 9_000) * scene.assets["dollar"].unit
            self._refused(stage, desk, liquidator, "Healthy", "liquidate", person.address, amount)

    def _sell_seized(self, scene: Scene, stage: Stage, desk: Desk) -> None:
        """What was seized is sold outside, through the exchange's wallet."""
        liquidator = scene.people.roles["liquidator"]
        owned = scene.balance(stage, desk.collateral, address_of(liquidator))
        if owned:
            scene.transfer(stage, liquidator, desk.collateral, scene.people.address("exchange"), owned)
            stage.deed(address_of(liquidator), "sent to exchange", desk.collateral.role, amount=owned)

    def _refused(
        self, stage: Stage, desk: Desk, actor: LocalAccount, error: str, function: str, *arguments: Any
    ) -> None:
        stage.call(actor, desk.contract, function, *arguments, succeeds=False)
        stage.deed(address_of(actor), "was refused", desk.name, function=function, error=error)

    def _did(self, stage: Stage, desk: Desk, who: str, verb: str, **figures: int | str) -> None:
        stage.deed(who, verb, desk.name, **figures)
        self._know(stage, desk, who)

    def _know(self, stage: Stage, desk: Desk, who: str) -> None:
        """What holds until the market is touched again; debts grow with time, so their scaled amounts are known."""
        books = desk.books
        for function, answer in (
            *(("storedIndex", books.index), ("touchedAt", books.touched_at), ("cash", books.cash)),
            *(("totalShares", books.total_shares), ("totalScaledDebt", books.total_scaled)),
        ):
            stage.know(desk.name, function, answer=(answer,))
        stage.know(desk.name, "sharesOf", who, answer=(books.shares.get(who, 0),))
        stage.know(desk.name, "collateralOf", who, answer=(books.collateral.get(who, 0),))
        stage.know(desk.name, "scaledDebtOf", who, answer=(books.scaled.get(who, 0),))


def _within(crowd: Sequence[Person], book: Mapping[str, int]) -> list[Person]:
    return [person for person in crowd if book.get(person.address, 0) > 0]


def _up(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)
