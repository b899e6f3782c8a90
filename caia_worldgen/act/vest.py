"""Vesting: founders, investors and advisers get their tokens over time, and nothing before a cliff.

Each grant is a contract of its own, funded from the founders' share on the first day. Its terms are in its "granted"
deed, from which ``schedule_of`` makes the schedule again: what vests when is known for all time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.calendar import DAY_S
from caia_worldgen.contracts.payout import Schedule
from caia_worldgen.event import ChainEvent
from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Contract, Stage

GRANTS: Final = (
    ("exchange", "founders", -210, 365, 1_460, 62_000),
    ("exchange", "investors", -120, 150, 730, 41_000),
    ("lend", "founders", -30, 120, 720, 58_000),
    ("lend", "investors", -90, 100, 360, 37_000),
    ("lend", "advisers", -60, 76, 150, 9_000),
    ("storage", "founders", 0, 60, 540, 66_000),
    ("storage", "investors", -45, 92, 270, 33_000),
    ("arena", "investors", 14, 28, 84, 44_000),
    ("arena", "advisers", 0, 35, 105, 7_000),
    ("compute", "founders", -400, 180, 1_095, 71_000),
    ("compute", "investors", 7, 50, 300, 29_000),
    ("feeds", "founders", -15, 90, 600, 55_000),
    ("feeds", "advisers", -20, 40, 110, 11_000),
)
"""Project, group, day of the start, days to cliff and end, millionths of the supply; each before a jitter."""

_FUNDS: Final = ("seed fund", "venture fund")
_RELEASES_PERCENT: Final = 30
"""Of a block in which somebody looks at a grant."""
_EARLY_S: Final = 2 * DAY_S


@dataclass(slots=True)
class Grant:
    """One vesting contract and how much of it was paid out."""

    role: str
    beneficiary: LocalAccount
    asset: Asset
    contract: Contract
    schedule: Schedule
    released: int = 0


def schedule_of(granted: ChainEvent) -> Schedule:
    """The schedule of a "granted" deed."""
    return Schedule(*(granted.figure(name) for name in ("start", "cliff", "duration_s", "total")))


class Vest:
    """Grants of six projects; who is granted releases at the cliff, at the end and now and then between."""

    def __init__(self) -> None:
        self._grants: list[Grant] = []

    def open(self, scene: Scene) -> None:
        """Every contract is deployed and funded."""
        rng = scene.rng("vest")
        people = iter(rng.some(scene.people.crowd, len(GRANTS)))
        for project, group, start, cliff, duration, ppm in GRANTS:
            funded_by = scene.people.roles[rng.one(_FUNDS)]
            beneficiary = funded_by if group == "investors" else next(people).wallet
            first_day, asset = start + rng.number(-4, 4), scene.assets[project]
            begins = scene.main.calendar.midnight(first_day)
            cliff_at = begins + (cliff + rng.number(-3, 3)) * DAY_S
            owned = scene.balance(scene.main, asset, scene.people.address("founders"))
            total = scene.main.ledger.supply(asset.address) * (ppm + rng.number(-2_500, 2_500)) // 1_000_000
            schedule = Schedule(begins, cliff_at, (duration + rng.number(-9, 9)) * DAY_S, min(total, owned))
            self._grant(scene, scene.main, f"{project} {group} vesting", beneficiary, asset, schedule)

    def play(self, scene: Scene, stage: Stage) -> None:
        """Releases at known moments and by chance; some people try too early, and get nothing."""
        if stage is not scene.main:
            return
        rng, released = scene.rng(f"vest/{stage.height}"), set()
        for grant in self._grants:
            moments = (grant.schedule.cliff, grant.schedule.end, grant.schedule.cliff - _EARLY_S)
            if any(stage.reaches(moment) for moment in moments):
                self._release(stage, grant)
                released.add(grant.role)
        if rng.happens(_RELEASES_PERCENT):
            grant = self._looked_at(rng, stage)
            if grant.role not in released and grant.released < grant.schedule.total:
                self._release(stage, grant)

    def _looked_at(self, rng: Rng, stage: Stage) -> Grant:
        """Mostly one whose cliff is over."""
        grants = [grant for grant in self._grants if grant.schedule.cliff <= stage.now]
        return rng.one(grants if grants and rng.happens(92) else self._grants)

    def _grant(
        self, scene: Scene, stage: Stage, role: str, beneficiary: LocalAccount, asset: Asset, terms: Schedule
    ) -> None:
        founders, lasts = scene.people.roles["founders"], terms.duration
        arguments = (beneficiary.address, terms.start, lasts, terms.cliff - terms.start)
        contract = stage.deploy(founders, "VestingSchedule", arguments, role)
        scene.transfer(stage, founders, asset, contract.address, terms.total)
        self._grants.append(Grant(role, beneficiary, asset, contract, terms))
        who = address_of(beneficiary)
        for function, answer in (("start", terms.start), ("cliff", terms.cliff), ("duration", lasts)):
            stage.know(role, function, answer=(answer,))
        stage.know(role, "end", answer=(terms.end,))
        stage.know(role, "owner", answer=(who,))
        stage.know(role, "released(address)", asset.address, answer=(0,))
        for moment in (terms.cliff - 1, terms.cliff, *(terms.start + lasts * part // 7 for part in range(1, 8))):
            # what the contract owns and what it has paid are the total together, so this holds whatever is released
            vested = (terms.vested(moment),)
            stage.know(role, "vestedAmount(address,uint64)", asset.address, moment, answer=vested)
        stage.deed(
            address_of(founders), "granted", role, project=asset.role, beneficiary=who,
            start=terms.start, cliff=terms.cliff, duration_s=lasts, total=terms.total,
        )  # fmt: skip

    def _release(self, stage: Stage, grant: Grant) -> None:
        who, vested = address_of(grant.beneficiary), grant.schedule.vested(stage.now)
        amount, grant.released = vested - grant.released, vested
        stage.call(grant.beneficiary, grant.contract, "release(address)", grant.asset.address)
        stage.ledger.move(stage.height, grant.asset.address, grant.contract.address, who, amount)
        stage.know(grant.role, "released(address)", grant.asset.address, answer=(vested,))
        stage.deed(who, "released", grant.role, amount=amount)
