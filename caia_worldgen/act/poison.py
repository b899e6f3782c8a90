"""What strangers do to other people's wallets: look-alike tokens as dust, faked transfers, a contract that drains.

A look-alike address has the first four and the last four digits of somebody the victim really paid. The poisoner
makes it appear in the victim's history twice: in Transfer events of a token that is none, and in transfers of nothing
of the real dollar. Now and then somebody copies it from there and pays it.
"""

from __future__ import annotations

from typing import Final

from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.ledger import Movement
from caia_worldgen.people import Person, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST, Asset, Scene
from caia_worldgen.stage import Stage

_COPIED: Final = ("lend", "arena")
_COPY_DAY: Final = 27
_DUST_DAYS: Final = range(28, 70)
_SPOOF_DAY: Final = 9
_MISTAKE_DAYS: Final = (37, 64, 102)
_DRAIN_DAY: Final = 44
"""The drainer's contract is created on this day; people sign on the next, and are drained from two days later on."""
_VICTIMS: Final = 5
_SPOOFED: Final = "spoof token"
_ANSWERED: Final = 10**21
"""What the spoofing token says everybody owns."""


class Poison:
    """The copycat, the poisoner and the drainer."""

    def __init__(self) -> None:
        self._copies: dict[str, Asset] = {}
        self._lookalikes: dict[str, tuple[Person, str]] = {}
        self._victims: list[Person] = []
        self._revoked: set[str] = set()

    def open(self, scene: Scene) -> None:
        """Nothing is there yet."""

    def play(self, scene: Scene, stage: Stage) -> None:
        """Each of the three on their days."""
        if stage is not scene.main:
            return
        rng = scene.rng(f"poison/{stage.height}")
        if stage.height == stage.calendar.blocks_of(stage.day)[0]:
            self._copycat(scene, stage)
            self._drainer(scene, stage, rng)
            if stage.day == _SPOOF_DAY:
                self._make_spoof(scene, stage)
        often = max(7, 40 // scene.scale.main_blocks)
        if self._copies and stage.day in _DUST_DAYS and rng.happens(often):
            self._dust(scene, stage, rng)
        if _SPOOFED in stage.contracts:
            if rng.happens(often):
                self._spoof(scene, stage, rng)
            if self._lookalikes and rng.happens(often):
                self._send_nothing(scene, stage, rng)
            if stage.day in _MISTAKE_DAYS and stage.height == stage.calendar.blocks_of(stage.day)[-1]:
                self._mistake(scene, stage, rng)

    def _copycat(self, scene: Scene, stage: Stage) -> None:
        """Two tokens under the names of others: the contract is ordinary, the name is free for all."""
        if stage.day != _COPY_DAY:
            return
        maker, rng = scene.people.roles["copycat"], scene.rng("poison/copies")
        for role in _COPIED:
            project, supply = scene.projects[role], rng.odd(3_000_000, 900_000_000, digits=7) * 10**18
            terms = (project.name, project.ticker, supply, maker.address)
            token = stage.deploy(maker, "ProjectToken", terms, f"look-alike {role} token")
            self._copies[role] = Asset(f"look-alike {role}", project, token, 18)
            scene.born(stage, self._copies[role], address_of(maker), supply)
            stage.know(f"look-alike {role} token", "symbol", answer=(project.ticker,))
            stage.deed(address_of(maker), "copied", role, supply=supply, token=token.address)

    def _dust(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        maker, role = scene.people.roles["copycat"], rng.one(_COPIED)
        for person in rng.some(scene.people.crowd, rng.number(1, 3)):
            amount = rng.number(10**17, 9 * 10**20)
            scene.transfer(stage, maker, self._copies[role], person.address, amount)
            stage.deed(address_of(maker), "dusted", role, recipient=person.address, amount=amount)

    def _make_spoof(self, scene: Scene, stage: Stage) -> None:
        poisoner, dollar = scene.people.roles["poisoner"], scene.projects["dollar"]
        made = stage.deploy(poisoner, "SpoofToken", (dollar.name, dollar.ticker), _SPOOFED)
        stage.ledger.hollow.add(made.address)
        stage.know(_SPOOFED, "symbol", answer=(dollar.ticker,))
        stage.know(_SPOOFED, "maker", answer=(address_of(poisoner),))
        stage.deed(address_of(poisoner), "copied", "dollar", token=made.address)

    def _spoof(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Up to four of the day's real dollar transfers again, each to an address that looks like the real one."""
        people = {person.address: person for person in scene.people.crowd}
        dollar, poisoner = scene.assets["dollar"].address, scene.people.roles["poisoner"]
        first = stage.calendar.blocks_of(max(0, stage.day - 1))[0]
        seen = [one for one in stage.ledger.within(dollar, first, stage.height - 1) if _worth_it(one, list(people))]
        if not seen:
            return
        fakes = [(one, _lookalike(one)) for one in rng.some(seen, min(len(seen), rng.number(1, 4)))]
        senders, amounts = [one.sender for one, _ in fakes], [one.amount for one, _ in fakes]
        token = stage.contracts[_SPOOFED]
        stage.call(poisoner, token, "spoof", senders, [fake for _, fake in fakes], amounts)
        for one, fake in fakes:
            stage.ledger.move(stage.height, token.address, one.sender, fake, one.amount)
            stage.know(_SPOOFED, "balanceOf", fake, answer=(_ANSWERED,))
            self._lookalikes[fake] = people[one.sender], one.recipient
            seen_as = {"victim": one.sender, "imitated": one.recipient, "looks_like": fake}
            stage.deed(address_of(poisoner), "faked a transfer", "dollar", amount=one.amount, **seen_as)

    def _send_nothing(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """A real transfer of no dollars from the victim to the look-alike, which anybody may send."""
        fake = rng.one(list(self._lookalikes))
        victim, imitated = self._lookalikes[fake]
        dollar, poisoner = scene.assets["dollar"], scene.people.roles["poisoner"]
        stage.call(poisoner, dollar.contract, "transferFrom", victim.address, fake, 0)
        stage.ledger.move(stage.height, dollar.address, victim.address, fake, 0)
        figures = {"victim": victim.address, "imitated": imitated, "looks_like": fake}
        stage.deed(address_of(poisoner), "sent nothing", "dollar", **figures)

    def _mistake(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """A victim pays the look-alike real dollars; nobody has its key, so they are gone."""
        dollar = scene.assets["dollar"]
        candidates = [
            (fake, victim, imitated)
            for fake, (victim, imitated) in self._lookalikes.items()
            if scene.balance(stage, dollar, victim.address) > 10 * dollar.unit
        ]
        if candidates:
            fake, victim, imitated = rng.one(candidates)
            amount = scene.balance(stage, dollar, victim.address) * rng.number(8, 35) // 100
            scene.transfer(stage, victim.wallet, dollar, fake, amount)
            stage.deed(victim.address, "paid a look-alike", "dollar", looks_like=fake, meant=imitated, amount=amount)

    def _drainer(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """The bait, those who take it, one who thinks better of it, and the emptying of the rest."""
        drainer, after = scene.people.roles["drainer"], stage.day - _DRAIN_DAY
        token = scene.assets["dollar"]
        if after == 0:
            stage.deploy(drainer, "Drainer", (drainer.address,), "drainer")
            stage.know("drainer", "owner", answer=(address_of(drainer),))
        elif after == 1:
            trap = stage.contracts["drainer"]
            self._victims = rng.some(scene.people.crowd, _VICTIMS)
            for person in self._victims:
                stage.call(person.wallet, trap, "register")
                stage.call(person.wallet, token.contract, "approve", trap.address, MOST)
                stage.know("dollar token", "allowance", person.address, trap.address, answer=(MOST,))
                stage.deed(person.address, "approved the drainer", "dollar")
        elif after == 2 and self._victims:
            trap, careful = stage.contracts["drainer"], self._victims[-1]
            stage.call(careful.wallet, token.contract, "approve", trap.address, 0)
            stage.know("dollar token", "allowance", careful.address, trap.address, answer=(0,))
            stage.deed(careful.address, "revoked an approval", "dollar", spender=trap.address)
            self._revoked.add(careful.address)
        elif 3 <= after < 3 + len(self._victims):
            self._drain(scene, stage, token, self._victims[after - 3])
        elif after == 3 + _VICTIMS and self._victims:
            trap = stage.contracts["drainer"]
            amount = scene.balance(stage, token, trap.address)
            stranger = rng.one(scene.people.crowd)
            stage.call(stranger.wallet, trap, "withdraw", token.address, succeeds=False)
            stage.deed(stranger.address, "was refused", "drainer", error="NotOwner")
            stage.call(drainer, trap, "withdraw", token.address)
            stage.ledger.move(stage.height, token.address, trap.address, address_of(drainer), amount)
            stage.deed(address_of(drainer), "withdrew the loot", "dollar", amount=amount)

    def _drain(self, scene: Scene, stage: Stage, token: Asset, victim: Person) -> None:
        trap, drainer = stage.contracts["drainer"], scene.people.roles["drainer"]
        amount = 0 if victim.address in self._revoked else scene.balance(stage, token, victim.address)
        stage.call(drainer, trap, "drain", token.address, victim.address, succeeds=amount > 0)
        if amount:
            stage.ledger.move(stage.height, token.address, victim.address, trap.address, amount)
            stage.deed(address_of(drainer), "drained", "dollar", victim=victim.address, amount=amount)
        else:
            stage.deed(address_of(drainer), "was refused", "drainer", error="NothingToTake", victim=victim.address)


def _worth_it(one: Movement, people: list[str]) -> bool:
    return one.sender in people and one.recipient != ZERO_ADDRESS and one.amount > 0


def _lookalike(one: Movement) -> str:
    """The first four and last four digits of the one who was paid, and other digits between."""
    middle = keccak(text=f"look-alike/{one.sender}/{one.recipient}").hex()[-32:]
    return f"0x{one.recipient[2:6]}{middle}{one.recipient[-4:]}"
