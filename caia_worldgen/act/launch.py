"""The launchpad: small tokens that anybody makes, sold and bought back along a curve; most die, a few get a pair.

What becomes of each token is drawn before the story begins. When one graduates, all that was raised and newly minted
tokens go into a v2 pair with the wrapped native coin, and its liquidity to a dead address; from then on it trades there
(``launch_pool``), and one of them is emptied by its creator. Money is native coin, in wei.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.act.launch_pool import LaunchPool, graduate
from caia_worldgen.calendar import DAY_S
from caia_worldgen.contracts.exchange import Curve
from caia_worldgen.people import Person, Project, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage, created

PAD: Final = "launchpad"

_COIN: Final = 10**18
_KINDS: Final = ("Cat", "Frog", "Moon", "Dog", "Rocket", "Club")
_EVERY_DAYS: Final = 7
_GRADUATING: Final = ((1, 2), (4, 5), (11, 12))
"""One of each pair of launches graduates: apart from the market's crash, when blocks are full of other things."""
_RUGGED: Final = 1
"""Which of them its creator empties."""
_PURSE_WEI: Final = 10 * _COIN
"""What one person puts into launches, less what came back."""
_CREATE_GAS: Final = 1_000_000
_BUY_GAS: Final = 300_000
_GRADUATE_GAS: Final = 3_400_000
_ACTION_PERCENT: Final = 55
_FEE_DAYS: Final = (31, 62, 93, 124)


@dataclass(slots=True)
class Launch:
    """One token. ``fate`` is "ignored", "fades", "sold out" or "graduates"; ``turns`` is the moment of it."""

    role: str
    project: Project
    creator: LocalAccount
    fate: str
    born: int
    turns: int
    rugged: int
    curve: Curve
    asset: Asset | None = None
    pool: LaunchPool | None = None

    @property
    def token(self) -> Asset:
        """The token, once it is born."""
        assert self.asset is not None
        return self.asset


class Launches:
    """The pad, and about one new token a week."""

    def __init__(self) -> None:
        self._launches: list[Launch] = []
        self._spent: dict[str, int] = {}
        self._goal_wei = 0
        self._fees_wei = 0
        self._born = 0

    def open(self, scene: Scene) -> None:
        """The pad is deployed; every launch of the story is planned."""
        stage, rng = scene.main, scene.rng("launch")
        self._goal_wei = rng.odd(17_000, 26_000) * 10**15
        terms = rng.odd(9_000, 18_000) * 10**6, rng.number(17, 43), rng.number(80, 140)
        base, slope, fee_bps = terms
        owner, router, native = scene.people.roles["launcher"], stage.contracts["router"], scene.assets["native"]
        arguments = (router.address, native.address, base, slope, self._goal_wei, fee_bps)
        stage.deploy(owner, "Launchpad", arguments, PAD)
        stage.deed(address_of(owner), "opened launchpad", PAD, base_wei=base, slope_wei=slope, fee_bps=fee_bps,
                   graduation_wei=self._goal_wei)  # fmt: skip
        for function, answer in (("graduationWei", self._goal_wei), ("feeBps", fee_bps), ("feesWei", 0)):
            stage.know(PAD, function, answer=(answer,))
        stage.know(PAD, "launched", answer=(0,))
        self._plan(scene, rng, Curve(*terms))

    def play(self, scene: Scene, stage: Stage) -> None:
        """In half of the blocks somebody buys or sells; births, turns of fate and collected fees on their days."""
        if stage is not scene.main:
            return
        rng = scene.rng(f"launch/{stage.height}")
        if rng.happens(_ACTION_PERCENT):
            self._act(scene, stage, rng)
        for launch in self._launches:
            if stage.reaches(launch.born):
                self._create(scene, stage, rng, launch)
            if stage.reaches(launch.born + DAY_S) and launch.fate == "fades":
                self._fail_to_buy(stage, launch, rng.one(scene.people.crowd), rng.odd(300, 900) * 10**15)
            if stage.reaches(launch.turns):
                self._turn(scene, stage, rng, launch)
            if stage.reaches(launch.turns + DAY_S) and launch.pool:
                self._fail_after_graduation(scene, stage, launch)
                launch.pool.trade(scene, stage, rng, buys=True)
            if stage.reaches(launch.rugged) and launch.pool:
                launch.pool.pull(scene, stage, launch.creator)
        if any(stage.reaches(stage.calendar.midnight(day)) for day in _FEE_DAYS):
            self._collect(scene, stage)

    def _plan(self, scene: Scene, rng: Rng, terms: Curve) -> None:
        midnight, count = scene.main.calendar.midnight, (scene.scale.days - 5) // _EVERY_DAYS + 1
        graduating = [rng.one(pair) for pair in _GRADUATING]
        fates = rng.some(("ignored", "fades", "sold out") * (count // 3 + 1), count)
        creators = rng.some(scene.people.crowd, count)
        for number in range(count):
            day = 3 + _EVERY_DAYS * number + rng.number(0, 3)
            fate = "graduates" if number in graduating else fates[number]
            lasts = rng.number(11, 15) if fate == "graduates" else rng.number(3, 9)
            # in the afternoon: other acts have their great days' work done in the morning
            turns = midnight(day + lasts) + rng.number(DAY_S // 2, DAY_S * 3 // 4)
            rugged = number == graduating[_RUGGED]
            creator = scene.people.roles["scammer"] if rugged else creators[number].wallet
            self._launches.append(
                Launch(
                    f"launch {number + 1}", scene.namer.project(rng.one(_KINDS)), creator, fate,
                    midnight(day) + rng.number(0, DAY_S // 2), turns,
                    turns + rng.number(5, 9) * DAY_S if rugged else 0,
                    Curve(terms.base_wei, terms.slope_wei, terms.fee_bps),
                )
            )  # fmt: skip

    def _create(self, scene: Scene, stage: Stage, rng: Rng, launch: Launch) -> None:
        pad, project, self._born = stage.contracts[PAD], launch.project, self._born + 1
        stage.call(launch.creator, pad, "create", project.name, project.ticker, gas=_CREATE_GAS)
        made = stage.adopt(created(pad.address, self._born), "LaunchToken", f"{launch.role} token")
        launch.asset = scene.assets[launch.role] = Asset(launch.role, project, made, 18)
        scene.projects[launch.role] = project
        stage.know(PAD, "launched", answer=(self._born,))
        stage.know(PAD, "tokens", self._born - 1, answer=(made.address,))
        for function, answer in (("name", project.name), ("symbol", project.ticker), ("launchpad", pad.address)):
            stage.know(f"{launch.role} token", function, answer=(answer,))
        self._know(stage, launch)
        stage.deed(address_of(launch.creator), "launched", launch.role, token=made.address, name=project.name)
        if launch.fate != "ignored":
            most = 6_600 if launch.rugged else 1_500
            self._buy(scene, stage, launch.creator, launch, rng.odd(most * 2 // 3, most) * 10**15)

    def _act(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Somebody trades something that is alive; now and then who is left in a dead one gets out."""
        living = [one for one in self._launches if one.asset and one.fate != "ignored"
                  and (one.pool or stage.now < one.turns)]  # fmt: skip
        dead = [one for one in self._launches if one.asset and one.fate in ("fades", "sold out")
                and stage.now >= one.turns]  # fmt: skip
        if dead and rng.happens(20):
            self._somebody_sells(scene, stage, rng, rng.one(dead))
        elif living:
            launch = rng.one(living)
            if launch.pool:
                launch.pool.trade(scene, stage, rng, buys=rng.happens(55))
            elif rng.happens(74):
                self._somebody_buys(scene, stage, rng, launch)
            else:
                self._somebody_sells(scene, stage, rng, launch)

    def _somebody_buys(self, scene: Scene, stage: Stage, rng: Rng, launch: Launch) -> None:
        """No more than its age allows: what graduates comes near the goal on its day, the rest stays below half."""
        largest = 2_900 // (1 + scene.scale.main_blocks // 4)  # more blocks a day, more and smaller purchases
        person, paid = rng.one(scene.people.crowd), rng.odd(40, largest) * 10**15
        part = 85 if launch.fate == "graduates" else 45
        due = self._goal_wei * part // 100 * (stage.now - launch.born) // (launch.turns - launch.born)
        if launch.curve.raised_wei + paid > max(due, self._goal_wei // 20) or self._left(person) < paid:
            return
        if rng.happens(5):
            self._fail_to_buy(stage, launch, person, paid)
        else:
            self._buy(scene, stage, person.wallet, launch, paid)

    def _somebody_sells(self, scene: Scene, stage: Stage, rng: Rng, launch: Launch) -> None:
        holders = [one for one in scene.people.crowd if scene.balance(stage, launch.token, one.address) > _COIN]
        if holders:
            person = rng.one(holders)
            owned = scene.balance(stage, launch.token, person.address)
            self._sell(stage, person.wallet, launch, owned if rng.happens(45) else owned * rng.number(10, 70) // 100)

    def _turn(self, scene: Scene, stage: Stage, rng: Rng, launch: Launch) -> None:
        """The creator sells out, or the crowd raises what is missing; the rest just end."""
        if launch.fate == "sold out":
            owned = scene.balance(stage, launch.token, address_of(launch.creator))
            if owned > _COIN:
                self._sell(stage, launch.creator, launch, owned)
        elif launch.fate == "graduates":
            for person in rng.some(scene.people.crowd, len(scene.people.crowd)):
                missing, curve = self._goal_wei - launch.curve.raised_wei, launch.curve
                paid = missing * 10_000 // (10_000 - curve.fee_bps) + rng.odd(3, 40) * 10**15
                if missing > 0 and self._left(person) > _COIN:
                    self._buy(scene, stage, person.wallet, launch, min(paid, self._left(person)))

    def _left(self, person: Person) -> int:
        return _PURSE_WEI - self._spent.get(person.address, 0)

    def _buy(self, scene: Scene, stage: Stage, buyer: LocalAccount, launch: Launch, paid: int) -> None:
        pad, who, token = stage.contracts[PAD], address_of(buyer), launch.token
        trade = launch.curve.buy(paid)
        graduates = launch.curve.raised_wei >= self._goal_wei
        if graduates:
            stage.make_room(_GRADUATE_GAS)
        gas = _GRADUATE_GAS if graduates else _BUY_GAS
        stage.call(buyer, pad, "buy", token.address, trade.amount, value_wei=paid, gas=gas)
        scene.born(stage, token, who, trade.amount)
        self._spent[who] = self._spent.get(who, 0) + paid
        self._charge(stage, trade.fee_wei)
        stage.deed(who, "bought", launch.role, paid_wei=paid, fee_wei=trade.fee_wei, amount=trade.amount)
        if graduates:
            launch.pool = graduate(scene, stage, pad, token, *launch.curve.graduation(), who)
        self._know(stage, launch)

    def _sell(self, stage: Stage, seller: LocalAccount, launch: Launch, amount: int) -> None:
        who, trade = address_of(seller), launch.curve.sell(amount)
        stage.call(seller, stage.contracts[PAD], "sell", launch.token.address, amount, trade.paid_wei)
        stage.ledger.burn(stage.height, launch.token.address, who, amount)
        self._spent[who] = self._spent.get(who, 0) - trade.paid_wei
        self._charge(stage, trade.fee_wei)
        self._know(stage, launch)
        stage.deed(who, "sold", launch.role, amount=amount, paid_wei=trade.paid_wei, fee_wei=trade.fee_wei)

    def _fail_to_buy(self, stage: Stage, launch: Launch, person: Person, paid: int) -> None:
        """Somebody asks for one unit more than the money buys by now."""
        wanted, pad = replace(launch.curve).buy(paid).amount + 1, stage.contracts[PAD]
        stage.call(person.wallet, pad, "buy", launch.token.address, wanted, value_wei=paid, succeeds=False)
        stage.deed(person.address, "failed to buy", launch.role, paid_wei=paid, reason="too little")

    def _fail_after_graduation(self, scene: Scene, stage: Stage, launch: Launch) -> None:
        """Somebody has not heard that the curve is closed."""
        for person in scene.people.crowd:
            owned = scene.balance(stage, launch.token, person.address)
            if owned:
                pad = stage.contracts[PAD]
                stage.call(person.wallet, pad, "sell", launch.token.address, owned, 0, succeeds=False)
                stage.deed(person.address, "failed to sell", launch.role, amount=owned, reason="graduated already")
                return

    def _collect(self, scene: Scene, stage: Stage) -> None:
        owner, amount = scene.people.roles["launcher"], self._fees_wei
        stage.call(owner, stage.contracts[PAD], "collectFees", owner.address)
        self._charge(stage, -amount)
        stage.deed(address_of(owner), "collected launch fees", PAD, amount_wei=amount)

    def _charge(self, stage: Stage, fee_wei: int) -> None:
        self._fees_wei += fee_wei
        stage.know(PAD, "feesWei", answer=(self._fees_wei,))

    def _know(self, stage: Stage, launch: Launch) -> None:
        pair = launch.pool.market.pair.address if launch.pool else ZERO_ADDRESS
        creator, curve = address_of(launch.creator), launch.curve
        answer = (creator, curve.sold, curve.raised_wei, pair)
        stage.know(PAD, "launches", launch.token.address, answer=answer)
        stage.know(f"{launch.role} token", "totalSupply", answer=(stage.ledger.supply(launch.token.address),))
