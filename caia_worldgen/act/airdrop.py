"""The airdrop: a project gives tokens to part of the crowd, each to be fetched with a Merkle proof before a deadline.

Most fetch theirs within some weeks; some try twice, or what is not theirs, or too late; what is left goes back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.calendar import DAY_S
from caia_worldgen.contracts.payout import leaf, proof, root
from caia_worldgen.people import Person, address_of
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Contract, Stage

PROJECT: Final = "social"
CONTRACT: Final = "airdrop"
RECIPIENTS: Final = 40

_OPENS_DAY: Final = (15, 22)
_LASTS_DAYS: Final = (34, 43)
_FETCHED_PERCENT: Final = 76
_TWICE_PERCENT: Final = 14


@dataclass(frozen=True, slots=True)
class _Allotment:
    """Leaf ``index`` of the tree."""

    index: int
    person: Person
    amount: int


class Airdrop:
    """One distributor; everything that will be tried with it is drawn when it opens, moment by moment."""

    def __init__(self) -> None:
        self._opens = 0
        self._plan: list[tuple[int, Callable[[Stage], None]]] = []
        self._allotments: list[_Allotment] = []
        self._leaves: list[bytes] = []
        self._claimed: set[int] = set()
        self._deadline = 0

    def open(self, scene: Scene) -> None:
        """Nothing yet, but the day is known."""
        rng = scene.rng("airdrop/opening")
        self._opens = scene.main.calendar.midnight(rng.number(*_OPENS_DAY)) + rng.number(0, DAY_S // 3)

    def play(self, scene: Scene, stage: Stage) -> None:
        """The distributor opens on its day; afterwards what was planned for this block happens."""
        if stage is not scene.main:
            return
        if stage.reaches(self._opens):
            self._begin(scene, stage)
        for moment, happen in self._plan:
            if stage.reaches(moment):
                happen(stage)

    def _begin(self, scene: Scene, stage: Stage) -> None:
        rng, asset, treasury = scene.rng("airdrop/plan"), scene.assets[PROJECT], scene.people.roles["treasury"]
        supply = stage.ledger.supply(asset.address)
        chosen = rng.some(scene.people.crowd, RECIPIENTS + 1)
        outsider = chosen.pop()
        for index, person in enumerate(chosen):
            self._allotments.append(_Allotment(index, person, supply * rng.number(40_000_000, 900_000_000) // 10**12))
        self._leaves = [leaf(one.index, one.person.address, one.amount) for one in self._allotments]
        deadline = self._deadline = scene.main.calendar.midnight(stage.day + rng.number(*_LASTS_DAYS))
        total = sum(one.amount for one in self._allotments)
        terms = (asset.address, root(self._leaves), deadline, treasury.address)
        made = stage.deploy(treasury, "AirdropDistributor", terms, CONTRACT)
        scene.transfer(stage, treasury, asset, made.address, total)
        stage.know(CONTRACT, "merkleRoot", answer=(root(self._leaves),))
        stage.know(CONTRACT, "deadline", answer=(deadline,))
        stage.deed(
            address_of(treasury), "opened airdrop", PROJECT,
            root="0x" + root(self._leaves).hex(), deadline=deadline, total=total, recipients=RECIPIENTS,
        )  # fmt: skip
        for one in self._allotments:
            stage.know(CONTRACT, "isClaimed", one.index, answer=(False,))
            stage.deed(one.person.address, "was allotted", PROJECT, index=one.index, amount=one.amount)
        self._draw(scene, stage, deadline, outsider)

    def _draw(self, scene: Scene, stage: Stage, deadline: int, outsider: Person) -> None:
        """Who does what when: claims come thick at first and thin later."""
        rng, made, first = scene.rng("airdrop/moments"), stage.contracts[CONTRACT], stage.now + DAY_S
        last, treasury = deadline - 3 * DAY_S, scene.people.roles["treasury"]
        late, others = [], []
        for one in self._allotments:
            mine = one.person.wallet
            if one.index and rng.happens(_FETCHED_PERCENT):  # somebody never fetches it
                moment = min(rng.number(first, last) for _ in range(rng.number(1, 2)))
                sender = mine if rng.happens(90) else rng.one(scene.people.crowd).wallet
                self._plan.append((moment, partial(self._claim, scene, made, sender, one)))
                others.append(one)
                if rng.happens(_TWICE_PERCENT) or len(others) == 1:
                    again = moment + rng.number(1, 2) * DAY_S
                    self._plan.append((again, partial(self._fail, made, mine, one, one, "claimed already")))
            else:
                late.append(one)
        stranger = _Allotment(others[0].index, outsider, others[0].amount)
        more = _Allotment(late[0].index, late[0].person, late[0].amount * 10)
        self._plan += [
            (rng.number(first, last), partial(self._fail, made, outsider.wallet, others[0], stranger, "wrong proof")),
            (rng.number(first, last), partial(self._fail, made, late[0].person.wallet, late[0], more, "wrong proof")),
            (deadline + rng.number(1, DAY_S), partial(self._fail, made, late[-1].person.wallet, late[-1], late[-1],
                                                       "closed")),
            (rng.number(first, last), partial(self._fail_sweep, made, treasury, "still open")),
            (deadline + DAY_S, partial(self._fail_sweep, made, outsider.wallet, "not the owner")),
            (deadline + 3 * DAY_S, partial(self._sweep, scene, made, treasury)),
        ]  # fmt: skip

    def _claim(self, scene: Scene, made: Contract, sender: LocalAccount, one: _Allotment, stage: Stage) -> None:
        path = proof(self._leaves, one.index)
        stage.call(sender, made, "claim", one.index, one.person.address, one.amount, path)
        stage.ledger.move(stage.height, scene.assets[PROJECT].address, made.address, one.person.address, one.amount)
        self._claimed.add(one.index)
        stage.know(CONTRACT, "isClaimed", one.index, answer=(True,))
        stage.deed(address_of(sender), "claimed", PROJECT,
                   index=one.index, account=one.person.address, amount=one.amount)  # fmt: skip

    def _fail(
        self, made: Contract, sender: LocalAccount, real: _Allotment, said: _Allotment, reason: str, stage: Stage
    ) -> None:
        """A claim of what ``said`` says, with the proof of what is ``real``; an earlier check may refuse it sooner."""
        if stage.now > self._deadline:
            reason = "closed"
        elif said.index in self._claimed:
            reason = "claimed already"
        path = proof(self._leaves, real.index)
        stage.call(sender, made, "claim", said.index, said.person.address, said.amount, path, succeeds=False)
        stage.deed(address_of(sender), "failed to claim", PROJECT, index=said.index, reason=reason)

    def _fail_sweep(self, made: Contract, sender: LocalAccount, reason: str, stage: Stage) -> None:
        stage.call(sender, made, "sweep", succeeds=False)
        stage.deed(address_of(sender), "failed to sweep", PROJECT, reason=reason)

    def _sweep(self, scene: Scene, made: Contract, treasury: LocalAccount, stage: Stage) -> None:
        asset, who = scene.assets[PROJECT], address_of(treasury)
        rest = scene.balance(stage, asset, made.address)
        stage.call(treasury, made, "sweep")
        stage.ledger.move(stage.height, asset.address, made.address, who, rest)
        stage.deed(who, "swept airdrop", PROJECT, amount=rest)
