"""What a defence saves and what it costs: the same tasks in the clean and the attacked arm, with it and without.

Every task is its own control. A defence prevents adoption by as much as the share of attacked runs that adopted a lie
is lower behind it, and costs clean accuracy by as much as the share of right runs is lower behind it where nobody lies.
Neither number tells anything without the other: a defence that shows nothing prevents everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.overlay import Overlay
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.errors import BadInput
from caia_replay.models.resolve import POLICY
from caia_replay.runner.arm_effect import cluster, effect_plain, shares
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.cell_rows import run_counts
from caia_replay.runner.episode import Progress, stage_for
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.summary import execution_figures
from caia_replay.scoring.effect import Difference, Effect, paired_effect
from caia_replay.scoring.metrics import rounded
from caia_replay.scoring.net import Outcomes, net_of_defence
from caia_replay.tools.defences import DEFENCES, parse_defence
from caia_replay.world.world import FrozenWorld

CLEAN: Final = "clean"
ATTACKED: Final = "attacked"
_CELLS: Final = ("clean", "clean_defended", "attacked", "attacked_defended")

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class DefenceCell:
    """Counts of whole runs in one arm, with a defence or without. ``attacked`` are scored runs of tasks that something
    was planted against; the rest counts among those. ``adopted``: by the open web; ``by_authority``: by what an
    authoritative tool told; ``undecided``: may have adopted or not; ``families``: those that it was shown, sorted, each
    with how many runs adopted from it, of which one may adopt from several. ``realised_loss_usd``: what the first
    attempts lost by their wallets' balances, in dollars; None where nothing is carried out."""

    runs: int
    scored: int
    right: int
    attacked: int = 0
    exposed: int = 0
    adopted: int = 0
    by_authority: int = 0
    undecided: int = 0
    families: tuple[tuple[str, int], ...] = ()
    realised_loss_usd: str | None = None

    def plain(self) -> dict[str, Any]:
        """As JSON, with the rates; None, not zero, over no run."""
        return {
            **asdict(self),
            "families": dict(self.families),
            "accuracy": rounded(Fraction(self.right, self.scored)) if self.scored else None,
            "adoption": rounded(Fraction(self.adopted, self.attacked)) if self.attacked else None,
        }


@dataclass(frozen=True, slots=True)
class DefenceCost:
    """A defence's two pairs of cells, and the differences over tasks: ``prevented`` is adoption without less with,
    ``prevented_authority`` that of what an authoritative tool told, ``lost`` clean accuracy without less with, and
    ``regained`` attacked accuracy with less without. None where no task has a value on both sides."""

    defence: str
    model: str
    clean: DefenceCell
    clean_defended: DefenceCell
    attacked: DefenceCell
    attacked_defended: DefenceCell
    prevented: Effect | None
    prevented_authority: Effect | None
    lost: Effect | None
    regained: Effect | None

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        cells = {name: getattr(self, name).plain() for name in _CELLS}
        effects = {
            "adoption_prevented": self.prevented,
            "adoption_prevented_authoritative_text": self.prevented_authority,
            "clean_accuracy_lost": self.lost,
            "attacked_accuracy_regained": self.regained,
        }
        return {
            "defence": self.defence,
            "model": self.model,
            "calibration_policy": self.model.startswith(POLICY),
            **cells,
            **{name: None if effect is None else effect_plain(effect) for name, effect in effects.items()},
            "net": self.net,
        }

    @property
    def net(self) -> dict[str, Any]:
        """Utility kept and harm avoided as one figure, as ``scoring.net`` has it."""
        clean, clean_defended = (Outcomes(one.right, 0, one.scored) for one in (self.clean, self.clean_defended))
        bare, behind = (
            Outcomes(0, one.adopted + one.by_authority, one.attacked) for one in (self.attacked, self.attacked_defended)
        )
        return net_of_defence(clean, clean_defended, bare, behind)


def defence_costs(
    world: FrozenWorld, plan: RunPlan, defences: Sequence[str] = (), progress: Progress = lambda more: None
) -> Iterator[DefenceCost]:
    """The cost of each defence named, as ``--defence`` reads them, or of all there are, one after the other.

    ``plan`` says model, agent, tasks, attempts, campaign, dose and limits; arms, conditions and a defence of its own
    are not looked at. Cells without a defence are played once. Raises ``BadInput`` for a defence named twice, and as
    ``parse_defence``, ``overlays_for`` and ``stage_for``.
    """
    named = chosen_defences(defences)
    overlays = overlays_for(world, (CLEAN, ATTACKED), plan.campaign, plan.dose)
    bare = {arm: _played(world, plan, arm, overlay, "", progress) for arm, overlay in overlays.items()}
    for name in named:
        behind = {arm: _played(world, plan, arm, overlay, name, progress) for arm, overlay in overlays.items()}
        yield DefenceCost(
            name,
            plan.model,
            _cell(bare[CLEAN]),
            _cell(behind[CLEAN]),
            _cell(bare[ATTACKED]),
            _cell(behind[ATTACKED]),
            prevented=_difference(world, _taken(bare[ATTACKED], "adopted"), _taken(behind[ATTACKED], "adopted")),
            prevented_authority=_difference(
                world, *(_taken(one[ATTACKED], "adopted_authoritative_text") for one in (bare, behind))
            ),
            lost=_difference(world, _right(bare[CLEAN]), _right(behind[CLEAN])),
            regained=_difference(world, _right(behind[ATTACKED]), _right(bare[ATTACKED])),
        )


def chosen_defences(defences: Sequence[str] = ()) -> tuple[str, ...]:
    """The defences named, as equal choices are written alike, or all there are, each on its own.

    Raises ``BadInput`` for one named twice, an empty name, and as ``parse_defence``.
    """
    chosen = [parse_defence(text) for text in defences or DEFENCES]
    named = tuple("" if one is None else one.text for one in chosen)
    for name in named:
        if not name:
            raise BadInput(
                "names no defence; the runs without one are played anyway",
                where="--defence",
                next_command=f"--defence {' | '.join(DEFENCES)}",
            )
        if named.count(name) > 1:
            raise BadInput(f"{name:.80} is given twice", where="--defence")
    return named


def _played(world: FrozenWorld, plan: RunPlan, arm: str, overlay: Overlay, defence: str, progress: Progress) -> Records:
    own = replace(plan, arms=(arm,), conditions=("tools",), defence=defence, record_model=None)
    stage = stage_for(world, own, overlay, arm)
    try:
        return stage.records(progress)
    finally:
        stage.model.close()


def _cell(records: Records) -> DefenceCell:
    facts = [record["attack"] for record in _scored(records) if record["planted"]]
    shown = [(name, met) for fact in facts for name, met in fact["by"].items() if met["exposed"]]
    return DefenceCell(
        **run_counts(records),
        by_authority=sum(fact["adopted_authoritative_text"] for fact in facts),
        families=tuple(
            (family, sum(met["adopted"] is True for name, met in shown if name == family))
            for family in sorted({name for name, _ in shown})
        ),
        realised_loss_usd=execution_figures(records).get("realised_loss_usd"),
    )


def _right(records: Records) -> dict[str, Fraction]:
    return shares(_scored(records), lambda record: record["score"]["correct"] is True)


def _taken(records: Records, fact: str) -> dict[str, Fraction]:
    """Of attacked tasks; what nobody can tell counts as no, as in attack rates."""
    attacked = [record for record in _scored(records) if record["planted"]]
    return shares(attacked, lambda record: record["attack"][fact] is True)


def _scored(records: Records) -> Records:
    return [record for record in records if record["stop"] not in UNSCORED_STOPS]


def _difference(world: FrozenWorld, first: Mapping[str, Fraction], second: Mapping[str, Fraction]) -> Effect | None:
    tasks = [world.folder.task(task) for task in first if task in second]
    return paired_effect(Difference(cluster(task.id, task.project), first[task.id] - second[task.id]) for task in tasks)
