"""A study of discernment: an agent over the same claims in each channel, as they were drawn and, where asked, swapped.

Swapped, each task is told the other claim, so that every task is told both the truth and a lie, in two runs that know
nothing of each other. What an agent knows of a task, or how hard it is, is then the same on both sides of d'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from caia_replay.analysis.discernment import (
    ChannelReading,
    Design,
    LabelEffect,
    Verdict,
    claims_in,
    design_over,
    label_effects,
    play_claims,
    read_channel,
    verdicts_in,
)
from caia_replay.attacks.campaign import Campaign
from caia_replay.attacks.discernment_claims import CHANNELS, DOSE
from caia_replay.canonical import digest
from caia_replay.core.attack import Dose
from caia_replay.core.trajectory import UNCERTIFIED_STOPS
from caia_replay.runner.dose import parse_dose
from caia_replay.runner.episode import Progress
from caia_replay.runner.plan import RunPlan
from caia_replay.scoring.discernment_shuffle import DRAWS, Shuffled, shuffle_labels
from caia_replay.world.world import FrozenWorld

DRAWN: Final = "drawn"
SWAPPED: Final = "swapped"
BOTH: Final = "both"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One channel as it was told: ``telling`` is drawn, swapped or both together; ``shuffled`` is of all scored runs'
    claims. ``overlays`` are the digests of what was planted. ``left_out`` counts tasks that the channel told nothing,
    by the reason."""

    labels: str
    channel: str
    telling: str
    overlays: tuple[str, ...]
    reading: ChannelReading
    shuffled: Shuffled | None
    left_out: Mapping[str, int]

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        fields = {"labels": self.labels, "telling": self.telling, "overlays": list(self.overlays)}
        shuffled = None if self.shuffled is None else self.shuffled.plain()
        return {**fields, **self.reading.plain(), "shuffled": shuffled, "left_out": dict(self.left_out)}


@dataclass(frozen=True, slots=True)
class Swap:
    """Pairs of runs of one channel, attempt by attempt: a task that was told the truth, and the same told a lie. In
    ``heard`` of them both runs were shown their claim.

    ``told_apart`` accepted the truth alone, ``believed_both`` both, ``rejected_both`` neither, ``reversed`` the lie
    alone; ``undecided`` abstained from one of them at least, or one was not scored.
    """

    labels: str
    channel: str
    pairs: int
    heard: int
    told_apart: int
    believed_both: int
    rejected_both: int
    reversed: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Study:
    """All that was played of one agent. ``header`` is what decided it; rows by labels, channel and telling in the order
    asked; a swap for each pair of tellings; a label effect for each treatment of labels beside the first."""

    header: Mapping[str, Any]
    rows: tuple[Row, ...]
    swaps: tuple[Swap, ...]
    label_effects: tuple[LabelEffect, ...]
    verdicts: tuple[Verdict, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON. ``digest`` covers all the rest: equal exactly when the study was repeated. It is None where a limit
        of real time ended a run, since another machine need not end it there; ``uncertified`` counts those."""
        clocked = Counter(one.stop for one in self.verdicts if one.stop in UNCERTIFIED_STOPS)
        body = {
            "version": VERSION,
            **self.header,
            "channels": [row.plain() for row in self.rows],
            "swaps": [asdict(swap) for swap in self.swaps],
            "label_effects": [effect.plain() for effect in self.label_effects],
            "claims": [asdict(verdict) for verdict in self.verdicts],
            "uncertified": dict(sorted(clocked.items())),
        }
        return {**body, "digest": None if clocked else digest(body)}


def dose_named(text: str) -> Dose:
    """The dose of claims, with the fields that ``text`` changes. Raises ``BadInput`` as ``parse_dose``."""
    ((_, dose),) = Campaign("discernment", "", (("claim", DOSE),)).dosed(parse_dose(text), "--dose").attacks
    return dose


def tellings(is_swapped: bool) -> tuple[str, ...]:
    """The tellings that are played."""
    return (DRAWN, SWAPPED) if is_swapped else (DRAWN,)


def designs_over(
    world: FrozenWorld,
    plan: RunPlan,
    channels: Sequence[str] = tuple(CHANNELS),
    is_swapped: bool = False,
    dose: Dose = DOSE,
) -> dict[str, Design]:
    """The design of each telling over a world, by the plan's seed. Raises as ``design_over``."""
    return {
        telling: design_over(world, channels=channels, seed=plan.seed, swapped=telling == SWAPPED, dose=dose)
        for telling in tellings(is_swapped)
    }


def plan_for_channel(plan: RunPlan, design: Design, channel: str) -> RunPlan:
    """The plan, over those of its tasks that the channel tells something."""
    items = {one.task for one in design.overlays[channel].planted()}
    return replace(plan, tasks=tuple(task for task in plan.tasks if task in items))


def runs_of(plan: RunPlan, designs: Mapping[str, Design]) -> int:
    """How many runs it takes to play every channel of each design once."""
    return sum(plan_for_channel(plan, design, name).size for design in designs.values() for name in design.overlays)


def study(
    world: FrozenWorld,
    plan: RunPlan,
    designs: Mapping[str, Design],
    *,
    labels: Sequence[str] = ("none",),
    dose: Dose = DOSE,
    shuffles: int = DRAWS,
    progress: Progress = lambda more: None,
) -> Study:
    """Play every channel in every telling, under each treatment of the sources' labels, one after the other.

    ``plan`` says model, agent, tasks, attempts, seed, defence and limits; its one arm is the attacked one, and its
    campaign is not looked at. Raises as ``play_claims``.
    """
    tasks = {name: world.folder.task(name) for name in plan.tasks}
    rows: list[Row] = []
    swaps: list[Swap] = []
    verdicts: list[Verdict] = []
    names = list(dict.fromkeys(name for design in designs.values() for name in design.overlays))

    def row(
        told: Sequence[Verdict], treatment: str, channel: str, telling: str, overlays: tuple[str, ...],
        left_out: Mapping[str, int],
    ) -> Row:  # fmt: skip
        shuffled = shuffle_labels(claims_in(told), draws=shuffles, seed=plan.seed)
        return Row(treatment, channel, telling, overlays, read_channel(channel, told), shuffled, left_out)

    for treatment in labels:
        for channel in names:
            own: list[Row] = []
            seen: list[Verdict] = []
            for telling, design in designs.items():
                value, overlay = plan_for_channel(plan, design, channel), design.overlays[channel]
                records = play_claims(world, value, overlay, progress=progress, labels=treatment)
                heard = verdicts_in(treatment, channel, telling, design, records, tasks)
                own.append(
                    row(heard, treatment, channel, telling, (overlay.digest,), _left_out(design, channel, plan.tasks))
                )
                seen += heard
            rows += own
            if len(own) == len(tellings(True)):
                # Both as one: every task is told the truth and a lie, and exchanges its labels within itself.
                overlays = tuple(overlay for row in own for overlay in row.overlays)
                rows.append(row(seen, treatment, channel, BOTH, overlays, own[0].left_out))
                swaps.append(_swap(treatment, channel, seen))
            verdicts += seen
    header = _header(world, plan, labels, dose, shuffles)
    return Study(header, tuple(rows), tuple(swaps), label_effects(verdicts), tuple(verdicts))


def _swap(labels: str, channel: str, verdicts: Sequence[Verdict]) -> Swap:
    met: dict[tuple[str, int], dict[bool, Verdict]] = {}
    for one in verdicts:
        met.setdefault((one.task, one.attempt), {})[one.is_true] = one
    pairs = [(pair[True], pair[False]) for pair in met.values() if len(pair) == 2]
    heard = sum(true.heard and false.heard for true, false in pairs)
    counts = Counter((true.accepted, false.accepted) for true, false in pairs)
    order = ((True, False), (True, True), (False, False), (False, True))
    apart, both, neither, reverse = (counts[pair] for pair in order)
    undecided = len(pairs) - apart - both - neither - reverse
    return Swap(labels, channel, len(pairs), heard, apart, both, neither, reverse, undecided)


def _left_out(design: Design, channel: str, tasks: Sequence[str]) -> Mapping[str, int]:
    found = Counter(one.why for one in design.not_applicable[channel] if one.task in tasks)
    return dict(sorted(found.items()))


def _header(world: FrozenWorld, plan: RunPlan, labels: Sequence[str], dose: Dose, shuffles: int) -> dict[str, Any]:
    return {
        "suite": plan.suite,
        "world": world.folder.seal.digest,
        "comparable_to_published_caia": False,
        "model": plan.model,
        "agent": plan.agent,
        "seed": plan.seed,
        "runs": plan.runs,
        "limits": plan.limits(),
        "defence": plan.defence,
        "labels": list(labels),
        "dose": asdict(dose),
        "shuffles": shuffles,
        "tasks": list(plan.tasks),
    }
