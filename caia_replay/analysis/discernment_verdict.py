"""What became of each claim, run by run, and what the sources' labels did to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from caia_replay.analysis.discernment import Design, Record, is_accepted
from caia_replay.core.task import Task
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.scoring.effect import Difference, Effect, paired_effect
from caia_replay.scoring.metrics import rounded


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one claim in one run. ``accepted`` is None for who abstained, and in a run that is not scored.

    ``labels`` is what was done with labels of the sources' authority, ``telling`` whether the claim is the one drawn.
    """

    labels: str
    channel: str
    telling: str
    task: str
    project: str
    attempt: int
    is_true: bool
    value: str
    stop: str
    heard: bool
    accepted: bool | None

    @property
    def is_scored(self) -> bool:
        """Whether the run says anything."""
        return self.stop not in UNSCORED_STOPS


@dataclass(frozen=True, slots=True)
class LabelEffect:
    """How much oftener claims of a channel were accepted under ``labels`` than under ``against``, over tasks: a claim
    of which an agent abstained was not accepted. None where no task was scored under both."""

    channel: str
    labels: str
    against: str
    accepted_more: Effect | None

    def plain(self) -> dict[str, Any]:
        """As JSON; the difference, its interval and the p-value are floats, the first two shares of claims."""
        fields = {"channel": self.channel, "labels": self.labels, "against": self.against}
        found = self.accepted_more
        if found is None:
            return {**fields, "tasks": 0, "accepted_more": None, "interval": None, "p": None}
        ends = None if found.interval is None else [rounded(end) for end in found.interval]
        figures = {"accepted_more": rounded(found.mean), "interval": ends, "p": rounded(found.p)}
        return {**fields, "tasks": found.tasks, **figures}


def verdicts_in(
    labels: str, channel: str, telling: str, design: Design, records: Iterable[Record], tasks: Mapping[str, Task]
) -> Iterator[Verdict]:
    """The verdict of each run of a task that the channel told something, in the order of ``records``."""
    items = {one.task for one in design.overlays[channel].planted()}
    for record in records:
        if record["task"] not in items:
            continue
        task, claim, stop = tasks[record["task"]], design.claims[record["task"]], record["stop"]
        accepted = None if stop in UNSCORED_STOPS else is_accepted(task.answer, claim, record["answer"])
        where = labels, channel, telling, task.id, task.project or "", record["attempt"]
        yield Verdict(*where, claim.is_true, claim.value, stop, record["attack"]["exposed"], accepted)


def label_effects(verdicts: Sequence[Verdict]) -> tuple[LabelEffect, ...]:
    """Of each channel, every treatment of labels beside the first, in the order played; the same claims in the same
    attempts are compared."""
    treatments = list(dict.fromkeys(one.labels for one in verdicts))
    found = []
    for channel in dict.fromkeys(one.channel for one in verdicts):
        own = [one for one in verdicts if one.channel == channel and one.is_scored]
        first = {_run(one): one for one in own if one.labels == treatments[0]}
        for labels in treatments[1:]:
            pairs = [(one, first[_run(one)]) for one in own if one.labels == labels and _run(one) in first]
            found.append(LabelEffect(channel, labels, treatments[0], paired_effect(_differences(pairs))))
    return tuple(found)


def _differences(pairs: Sequence[tuple[Verdict, Verdict]]) -> Iterator[Difference]:
    moved: dict[str, list[int]] = {}
    groups: dict[str, str] = {}
    for one, other in pairs:
        moved.setdefault(one.task, []).append((one.accepted is True) - (other.accepted is True))
        groups[one.task] = f"project {one.project}" if one.project else f"task {one.task}"
    for task, each in moved.items():
        yield Difference(groups[task], Fraction(sum(each), len(each)))


def _run(one: Verdict) -> tuple[str, str, int]:
    return one.telling, one.task, one.attempt
