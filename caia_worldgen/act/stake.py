"""Staking: two pools that pay stakers by the second, one of which promises more than it was given.

The first pays its own token until about the middle of the story and runs dry: whoever claims last is refused, until
the treasury sends what is missing. The second pays another project's token until after the end. Every figure comes
from ``contracts.staking``, which computes as the deployed pool does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.contracts.payout import Pool
from caia_worldgen.people import Person, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Contract, Stage


@dataclass(frozen=True, slots=True)
class Terms:
    """A pool as it is planned. ``last`` is its end in per cent of the story, ``funded`` the part of its rewards, in
    per cent, that it is given at first."""

    staked: str
    paid: str
    last: int
    funded: int


POOLS: Final = (Terms("arena", "arena", 62, 55), Terms("storage", "index", 108, 100))
"""The first runs dry."""

_RUSH: Final = 66
_RELIEF: Final = 76
_EXCESS: Final = 30
"""Per cent of the story at which all claim of the first pool, the treasury helps, and somebody unstakes too much."""
_ROOM: Final = 1_500_000
"""Gas of the rush; a block has it besides its ordinary limit."""
_CHANCES: Final = {"stake": 48, "unstake": 22, "claim": 30}
"""Per cent, in the order in which they are drawn."""


@dataclass(slots=True)
class Farm:
    """One pool: ``name`` is its role among the contracts, ``books`` what it must hold."""

    name: str
    staked: Asset
    paid: Asset
    contract: Contract
    books: Pool


class Stake:
    """Two pools, their stakers, and the treasury that funds them."""

    def __init__(self) -> None:
        self._farms: list[Farm] = []

    def open(self, scene: Scene) -> None:
        """The pools exist and hold rewards; a few people stake at once."""
        stage, rng = scene.main, scene.rng("stake")
        founders, treasury = scene.people.roles["founders"], scene.people.roles["treasury"]
        start = stage.now
        for terms in POOLS:
            staked, paid = scene.assets[terms.staked], scene.assets[terms.paid]
            end = stage.calendar.midnight(scene.scale.days * terms.last // 100)
            whole = stage.ledger.supply(paid.address) * rng.number(60, 240) // 10_000
            rate = whole // (end - start)
            arguments = (staked.address, paid.address, rate, end)
            name = f"{terms.staked} staking pool"
            made = stage.deploy(founders, "StakingPool", arguments, name)
            farm = Farm(name, staked, paid, made, Pool(rate, end, stage.now))
            self._farms.append(farm)
            for function, answer in zip(("stakeToken", "rewardToken", "ratePerSecond", "end"), arguments, strict=True):
                stage.know(name, function, answer=(answer,))
            stage.deed(address_of(founders), "opened", name, rate_per_s=rate, end=end)
            given = min(rate * (end - start) * terms.funded // 100, scene.balance(stage, paid, address_of(treasury)))
            self._fund(scene, stage, farm, treasury, given)
            for person in rng.some(self._owners(scene, staked), 4):
                self._stake(scene, stage, rng, farm, person)

    def play(self, scene: Scene, stage: Stage) -> None:
        """Somebody comes to a pool; the milestones of the first pool."""
        if stage is not scene.main:
            return
        rng, dry = scene.rng(f"stake/{stage.height}"), self._farms[0]
        if self._is(scene, stage, _EXCESS):
            for farm in self._farms:
                self._overdraw(scene, stage, farm)
        if self._is(scene, stage, _RUSH):
            stage.make_room(_ROOM)
            for person in self._stakers(scene, dry):
                self._claim(scene, stage, rng, dry, person)
        if self._is(scene, stage, _RELIEF):
            owed = sum(dry.books.earned(who, stage.now) for who in sorted(dry.books.staked))
            missing = owed - self._available(scene, stage, dry)
            treasury = scene.people.roles["treasury"]
            if 0 < missing <= scene.balance(stage, dry.paid, address_of(treasury)):
                self._fund(scene, stage, dry, treasury, missing)
        if rng.happens(20 + 28 // scene.scale.main_blocks):
            drawn, farm = rng.number(1, 100), rng.one(self._farms)
            for name, percent in _CHANCES.items():
                drawn -= percent
                if drawn <= 0:
                    people = self._owners(scene, farm.staked) if name == "stake" else self._stakers(scene, farm)
                    actions = {"stake": self._stake, "unstake": self._unstake, "claim": self._claim}
                    if people:
                        actions[name](scene, stage, rng, farm, rng.one(people))
                    break

    def _stake(self, scene: Scene, stage: Stage, rng: Rng, farm: Farm, person: Person) -> None:
        amount = scene.balance(stage, farm.staked, person.address) * rng.number(15, 70) // 100
        if amount < farm.staked.unit:
            return
        scene.approve(stage, person.wallet, farm.staked, farm.contract.address)
        stage.call(person.wallet, farm.contract, "stake", amount)
        stage.ledger.move(stage.height, farm.staked.address, person.address, farm.contract.address, amount)
        farm.books.stake(person.address, amount, stage.now)
        self._did(stage, farm, person.address, "staked", amount)

    def _unstake(self, scene: Scene, stage: Stage, rng: Rng, farm: Farm, person: Person) -> None:
        held = farm.books.staked[person.address]
        amount = held if rng.happens(35) else held * rng.number(10, 80) // 100
        if amount == 0:
            return
        stage.call(person.wallet, farm.contract, "unstake", amount)
        stage.ledger.move(stage.height, farm.staked.address, farm.contract.address, person.address, amount)
        farm.books.stake(person.address, -amount, stage.now)
        self._did(stage, farm, person.address, "unstaked", amount)

    def _claim(self, scene: Scene, stage: Stage, rng: Rng, farm: Farm, person: Person) -> None:
        amount = farm.books.earned(person.address, stage.now)
        if amount == 0:
            return
        if amount > self._available(scene, stage, farm):
            self._refused(stage, farm, person, "Unfunded", "claim")
            return
        stage.call(person.wallet, farm.contract, "claim")
        farm.books.claim(person.address, stage.now)
        stage.ledger.move(stage.height, farm.paid.address, farm.contract.address, person.address, amount)
        self._did(stage, farm, person.address, "claimed", amount)

    def _overdraw(self, scene: Scene, stage: Stage, farm: Farm) -> None:
        """The one with most at stake asks for more than that."""
        stakers = self._stakers(scene, farm)
        if stakers:
            largest = max(stakers, key=lambda person: farm.books.staked[person.address])
            amount = farm.books.staked[largest.address] * 11 // 10 + 1
            self._refused(stage, farm, largest, "NotEnoughStaked", "unstake", amount)

    def _fund(self, scene: Scene, stage: Stage, farm: Farm, treasury: LocalAccount, amount: int) -> None:
        scene.transfer(stage, treasury, farm.paid, farm.contract.address, amount)
        stage.deed(address_of(treasury), "funded", farm.name, amount=amount)

    def _available(self, scene: Scene, stage: Stage, farm: Farm) -> int:
        """What the pool can pay: stakes of the same token are not its own."""
        held = scene.balance(stage, farm.paid, farm.contract.address)
        return held - farm.books.total if farm.paid is farm.staked else held

    def _owners(self, scene: Scene, asset: Asset) -> list[Person]:
        crowd = scene.people.crowd
        return [person for person in crowd if scene.balance(scene.main, asset, person.address) > 10 * asset.unit]

    def _stakers(self, scene: Scene, farm: Farm) -> list[Person]:
        return [person for person in scene.people.crowd if farm.books.staked.get(person.address, 0) > 0]

    def _is(self, scene: Scene, stage: Stage, percent: int) -> bool:
        return stage.height == stage.calendar.blocks_of(scene.scale.days * percent // 100)[0]

    def _refused(self, stage: Stage, farm: Farm, person: Person, error: str, function: str, *arguments: int) -> None:
        stage.call(person.wallet, farm.contract, function, *arguments, succeeds=False)
        stage.deed(person.address, "was refused", farm.name, function=function, error=error)

    def _did(self, stage: Stage, farm: Farm, who: str, verb: str, amount: int) -> None:
        """Write down a deed, and what holds until the pool is touched again, or by this staker."""
        stage.deed(who, verb, farm.name, amount=amount)
        books = farm.books
        stage.know(farm.name, "totalStaked", answer=(books.total,))
        stage.know(farm.name, "rewardPerUnit", answer=(books.per_unit,))
        stage.know(farm.name, "touchedAt", answer=(books.touched_at,))
        stage.know(farm.name, "stakedOf", who, answer=(books.staked[who],))
        stage.know(farm.name, "pendingOf", who, answer=(books.pending[who],))
        stage.know(farm.name, "paidPerUnitOf", who, answer=(books.seen[who],))
        if stage.now >= books.end:  # nothing is earned any more: what is owed changes by claims alone
            stage.know(farm.name, "earned", who, answer=(books.pending[who],))
