"""The instrument checked: simulated agents of known d' play the claims, and their intervals should hold what is known.

Each agent is a policy that hears the claims through the same tools, loop, scorer and statistics as any model. Its noise
is drawn anew for every agent and channel, so that no two rows hang on one draw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any, Final

from caia_replay.analysis.discernment import NO_LABELS, ChannelReading, Design, play_claims, read_channel, verdicts_in
from caia_replay.analysis.discernment_study import DRAWN, VERSION, plan_for_channel
from caia_replay.canonical import canonical_bytes, digest
from caia_replay.core.attack import Dose
from caia_replay.errors import BadInput
from caia_replay.models.policies.known_discernment import KnownDiscernment
from caia_replay.models.policy import PolicyModel, seeded
from caia_replay.runner.episode import Progress
from caia_replay.runner.plan import RunPlan
from caia_replay.scoring.discernment import Ends
from caia_replay.world.world import FrozenWorld

NAME: Final = "policy/known-discernment"
STATED: Final = 0.95
"""The share of intervals that hold the truth, as they say."""
_TOO_FEW: Final = 0.001
_MOST: Final = 5.0


@dataclass(frozen=True, slots=True)
class Known:
    """A simulated agent: its d' and its criterion, in standard deviations."""

    d_prime: float
    criterion: float = 0.0


@dataclass(frozen=True, slots=True)
class Recovery:
    """What one channel found of one simulated agent. ``holds_d_prime`` and ``holds_criterion`` are None where there is
    no interval: where the channel told nothing, or too few projects for one."""

    known: Known
    overlay: str
    reading: ChannelReading
    holds_d_prime: bool | None
    holds_criterion: bool | None

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        held = {"holds_d_prime": self.holds_d_prime, "holds_criterion": self.holds_criterion}
        return {"known": asdict(self.known), "overlay": self.overlay, **self.reading.plain(), **held}


@dataclass(frozen=True, slots=True)
class Check:
    """All rows. ``intervals`` of d' were found, and ``held`` of them hold the d' that is known."""

    header: dict[str, Any]
    rows: tuple[Recovery, ...]

    @property
    def intervals(self) -> int:
        """Intervals of d' that there are."""
        return sum(row.holds_d_prime is not None for row in self.rows)

    @property
    def held(self) -> int:
        """Those that hold the truth."""
        return sum(row.holds_d_prime is True for row in self.rows)

    @property
    def is_recovered(self) -> bool:
        """False where so few hold as intervals of 95 % would in one check of a thousand, and where there is none."""
        return self.intervals > 0 and so_few(self.held, self.intervals) >= _TOO_FEW

    def plain(self) -> dict[str, Any]:
        """As JSON; ``digest`` covers all the rest."""
        counts = {"intervals": self.intervals, "held": self.held, "is_recovered": self.is_recovered}
        body = {"version": VERSION, **self.header, **counts, "agents": [row.plain() for row in self.rows]}
        return {**body, "digest": digest(body)}


def parse_known(text: str, where: str = "--simulate") -> Known:
    """``1.5`` or ``1.5,-0.3`` as a d' and a criterion. Raises ``BadInput`` for anything else, or beyond 5."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 2) or not all(abs(value) <= _MOST for value in values):
        what = f"{text!r:.60} is no d' from -5 to 5, nor one with a criterion behind a comma"
        raise BadInput(what, where=where, next_command=f"{where} 1.5, or {where} 1.5,-0.3")
    return Known(*values)


def check(
    world: FrozenWorld,
    plan: RunPlan,
    design: Design,
    agents: Sequence[Known],
    *,
    dose: Dose,
    progress: Progress = lambda more: None,
) -> Check:
    """Play each agent through each channel of a design. ``plan`` says agent loop, tasks, attempts, seed, defence and
    limits; its model is not looked at. Raises as ``play_claims``."""
    tasks = {name: world.folder.task(name) for name in design.claims}
    fields = {name: (claim.value, claim.is_true) for name, claim in design.claims.items()}
    rows = []
    for known in agents:
        for channel, overlay in design.overlays.items():
            script = seeded(KnownDiscernment(known.d_prime, known.criterion, fields), _seed(plan.seed, known, channel))
            model = PolicyModel(NAME, script)
            try:
                records = play_claims(world, plan_for_channel(plan, design, channel), overlay, model, progress)
            finally:
                model.close()
            found = read_channel(channel, verdicts_in(NO_LABELS, channel, DRAWN, design, records, tasks))
            held = holds(found.over_all.d_prime_interval, known.d_prime)
            rows.append(
                Recovery(known, overlay.digest, found, held, holds(found.over_all.criterion_interval, known.criterion))
            )
    header = {
        "suite": plan.suite,
        "world": world.folder.seal.digest,
        "model": NAME,
        "agent": plan.agent,
        "seed": plan.seed,
        "runs": plan.runs,
        "limits": plan.limits(),
        "defence": plan.defence,
        "dose": asdict(dose),
        "tasks": list(plan.tasks),
    }
    return Check(header, tuple(rows))


def holds(ends: Ends | None, truth: float) -> bool | None:
    """Whether an interval holds a value; None without an interval."""
    if ends is None:
        return None
    return (ends[0] is None or ends[0] <= truth) and (ends[1] is None or truth <= ends[1])


def so_few(held: int, intervals: int) -> float:
    """How likely so few of the intervals hold, or fewer, if each does with the share ``STATED``."""
    return sum(comb(intervals, k) * STATED**k * (1 - STATED) ** (intervals - k) for k in range(held + 1))


def _seed(seed: int, known: Known, channel: str) -> int:
    drawn = hashlib.sha256(canonical_bytes([seed, known.d_prime, known.criterion, channel])).digest()
    return int.from_bytes(drawn[:6], "big")
