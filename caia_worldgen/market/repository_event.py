"""What the story makes visible in code repositories: releases that must precede a deed, issues that follow one.

A release that a deed needs is published some days before it: nobody votes on code that cannot be read. Deeds that lie
before the first week of the story had their release before it began.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage

_LENDER: Final = "lend"
_UPGRADE: Final = "upgrade the fee vault"
_ENDS: Final = ("defeated", "executed")


@dataclass(frozen=True, slots=True)
class Milestone:
    """A release that the story needs, or that tells of it. ``published_at`` in seconds; ``leap`` makes it a major."""

    role: str
    kind: str
    published_at: int
    notes: str
    leap: bool


@dataclass(frozen=True, slots=True)
class Report:
    """An issue that the story raises; ``closed_at`` is None while it stays open."""

    role: str
    kind: str
    opened_at: int
    closed_at: int | None
    title: str
    text: str
    labels: tuple[str, ...]


def milestones(scene: Scene) -> Iterator[Milestone]:
    """Every release that is tied to a deed, of all repositories."""
    main, begun, rng = scene.main, scene.main.calendar.times[0], Rng(f"github/{scene.seed}/milestones")

    def before(moment: int, low_days: int, high_days: int) -> int:
        return moment - rng.number(low_days * DAY_S, high_days * DAY_S)

    yield Milestone(_LENDER, "contracts", before(begun, 12, 40), "First fee vault: one fee, owned by the timelock.",
                    True)  # fmt: skip
    for deed in done(main.deeds, "proposed", _UPGRADE):
        yield Milestone(_LENDER, "contracts", before(_at(main, deed), 3, 9),
                        "Fee vault 2: a share of what is swept is burnt. Reviewed; the vote decides on the upgrade.",
                        True)  # fmt: skip
    yield Milestone("native", "launchpad", before(begun, 20, 45), "The launchpad as it will be deployed.", True)
    graduated = next(done(main.deeds, "graduated"), None)
    checked = begun + rng.number(9 * DAY_S, 16 * DAY_S) if graduated is None else before(_at(main, graduated), 2, 6)
    yield Milestone("native", "launchpad", checked,
                    "Adds the audit report of the launchpad: no critical finding, two notes on rounding of the curve.",
                    False)  # fmt: skip
    for deed in done(main.deeds, "opened airdrop"):
        yield Milestone(deed.subject, "contracts", before(_at(main, deed), 2, 8),
                        "Airdrop distributor with Merkle proofs.", True)  # fmt: skip
    crossing = next(done(main.deeds, "locked"), None)
    if crossing is not None:
        yield Milestone("bridge", "contracts", before(_at(main, crossing), 5, 20), "Vault and minter of the bridge.",
                        True)  # fmt: skip
    pool = next(done(scene.rollup.deeds, "created"), None)
    if pool is not None:
        yield Milestone("exchange", "contracts", before(_at(scene.rollup, pool), 5, 30),
                        "Deployment scripts for the roll-up.", False)  # fmt: skip


def reports(scene: Scene) -> Iterator[Report]:
    """Every issue that a deed raises, of all repositories."""
    main = scene.main
    for deed in done(main.deeds, "proposed"):
        ends = [
            _at(main, end) for verb in _ENDS for end in done(main.deeds, verb, deed.subject) if end.block > deed.block
        ]
        yield Report(_LENDER, "contracts", _at(main, deed) + 1_800, min(ends) + 3_600 if ends else None,
                     f"Vote: {deed.subject}", "The proposal is on chain; discussion goes here.",
                     ("governance",))  # fmt: skip
    fallen = [_at(main, deed) for deed in done(main.deeds, "liquidated")]
    if fallen:
        worst = max(fallen, key=lambda moment: sum(abs(other - moment) < DAY_S for other in fallen))
        yield Report(_LENDER, "contracts", worst + 5_400, worst + 9 * DAY_S, "Liquidations came within one hour",
                     "Several positions were liquidated after the price fell. Is the borrow limit too high?",
                     ("discussion", "risk"))  # fmt: skip
    for role in ("arena", "storage"):
        paid = [_at(main, deed) for deed in done(main.deeds, "funded", f"{role} staking pool")]
        refused = [_at(main, deed) for deed in done(main.deeds, "was refused", f"{role} staking pool")]
        if refused:
            later = [moment for moment in paid if moment > refused[0]]
            yield Report(role, "contracts", refused[0] + 2_700, min(later) + 7_200 if later else None,
                         "Claiming reverts: the pool holds too little", "The pool promised more than it holds.",
                         ("bug",))  # fmt: skip
    for deed in list(done(main.deeds, "failed to claim", "social"))[:1]:
        yield Report("social", "contracts", _at(main, deed) + 900, _at(main, deed) + 2 * DAY_S,
                     "Second claim of the airdrop is refused", "Works as intended? One claim each.",
                     ("question",))  # fmt: skip


def _at(stage: Stage, deed: ChainEvent) -> int:
    return stage.calendar.times[deed.block]
