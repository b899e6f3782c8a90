"""Dose sweeps: a model on the same tasks under one campaign at several doses, one attempt each, in the attacked arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import planned_over
from caia_replay.runner.cell_rows import run_counts
from caia_replay.runner.dose import Value, dose_text, parse_dose
from caia_replay.runner.episode import Progress, stage_for
from caia_replay.runner.plan import RunPlan
from caia_replay.scoring.dose_response import isotonic, paired_trend
from caia_replay.scoring.interval import Interval, over_projects
from caia_replay.scoring.metrics import ScoredRun, rounded
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a sweep: ``dose`` is all that was changed in the campaign.

    ``runs``, ``scored`` and ``right`` count all runs; ``attacked`` those of tasks that something is planted against,
    and ``exposed``, ``adopted`` and ``undecided`` count among those. Undecided ones may have adopted the lie or not.
    ``interval``: of the share of attacked runs that adopted, by ``over_projects``.
    """

    dose: str
    value: Value
    overlay: str
    planted: int
    runs: int
    scored: int
    right: int
    attacked: int
    exposed: int
    adopted: int
    undecided: int
    interval: Interval | None

    @property
    def rate(self) -> float | None:
        """Adopted among attacked runs; None without any."""
        return rounded(Fraction(self.adopted, self.attacked)) if self.attacked else None

    @property
    def accuracy(self) -> float | None:
        """Right among scored runs; None without any."""
        return round(self.right / self.scored, 6) if self.scored else None


@dataclass(frozen=True, slots=True)
class Curve:
    """A sweep over one field of the dose. ``fitted`` are the nearest rates that never fall with it, ``trend_p`` is of a
    trend over the same tasks at every level; both are None where levels have no order or nothing was attacked.
    Undecided runs count as not adopted."""

    over: str
    levels: tuple[Level, ...]
    fitted: tuple[float, ...] | None
    trend_p: Fraction | None

    def plain(self) -> dict[str, Any]:
        """As JSON; p-values and rates are floats."""
        fits = self.fitted or (None,) * len(self.levels)
        rows = [
            {**asdict(level), "accuracy": level.accuracy, "rate": level.rate, "fitted": fit}
            for level, fit in zip(self.levels, fits, strict=True)
        ]
        return {"over": self.over, "levels": rows, "trend_p": None if self.trend_p is None else rounded(self.trend_p)}


def sweep(
    world: FrozenWorld,
    plan: RunPlan,
    over: Sequence[tuple[str, Sequence[Value]]],
    progress: Progress = lambda more: None,
) -> Iterator[Curve]:
    """A curve for each field and its levels, one after the other; the plan's own dose holds wherever a level does not.

    ``plan`` says model, agent, tasks, campaign and limits; one attempt is played per task and level whatever it says of
    runs and arms. Raises ``BadInput`` for no level, a field given twice, and as ``planned_over``.
    """
    if not over:
        raise BadInput("no level is given", where="--over", next_command="--over items=1,3,9")
    names = [name for name, _ in over]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"{name} is given twice", where="--over")
    for name, values in over:
        played = [_level(world, plan, {name: value}, progress) for value in values]
        yield _curve(world, name, [level for level, _ in played], [shares for _, shares in played])


def _level(
    world: FrozenWorld, plan: RunPlan, change: Mapping[str, Value], progress: Progress
) -> tuple[Level, dict[str, bool]]:
    """One level played, and of each attacked task whether its run adopted the lie."""
    dose = dose_text({**parse_dose(plan.dose), **change})
    overlay = planned_over(world, plan.campaign, dose).overlay
    stage = stage_for(world, replace(plan, runs=1), overlay)
    try:
        records = stage.records(progress)
    finally:
        stage.model.close()
    (value,) = change.values()
    planted = sum(1 for _ in overlay.planted())
    met = [record for record in records if record["planted"] and record["stop"] not in UNSCORED_STOPS]
    took = {record["task"]: record["attack"]["adopted"] is True for record in met}
    runs = [
        ScoredRun(task, "", 1, adopted, None, "answered", project=world.folder.task(task).project)
        for task, adopted in took.items()
    ]
    counts = run_counts(records)
    level = Level(
        dose=dose, value=value, overlay=overlay.digest, planted=planted, **counts, interval=over_projects(runs)
    )
    return level, took


def _curve(world: FrozenWorld, name: str, levels: Sequence[Level], taken: Sequence[Mapping[str, bool]]) -> Curve:
    known = [Fraction(level.value) for level in levels if not isinstance(level.value, str)]
    if len(known) < len(levels) or not all(level.attacked for level in levels):
        return Curve(name, tuple(levels), None, None)
    order = sorted(range(len(known)), key=lambda at: known[at])
    rates = [Fraction(levels[at].adopted, levels[at].attacked) for at in order]
    fits = dict(zip(order, isotonic(rates, [levels[at].attacked for at in order]), strict=True))
    always = sorted(set.intersection(*(set(shares) for shares in taken)))
    pairs = [(world.folder.task(task).project or task, [Fraction(shares[task]) for shares in taken]) for task in always]
    fitted = tuple(rounded(fits[at]) for at in range(len(levels)))
    return Curve(name, tuple(levels), fitted, paired_trend(known, pairs))
