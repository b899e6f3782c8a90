"""Studies of discernment over the shipped mini world, what became of each claim, and what labels did to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from caia_replay.analysis.discernment import Design, Verdict, design_over, label_effects, play_claims, verdicts_in
from caia_replay.analysis.discernment_study import (
    BOTH,
    Study,
    designs_over,
    dose_named,
    plan_for_channel,
    runs_of,
    study,
)
from caia_replay.errors import BadInput
from caia_replay.models.policies.conversation import Wire, answer_message, call_message, tool_results
from caia_replay.models.policy import PolicyModel
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.world.world import FrozenWorld


def plan(world: FrozenWorld, model: str = "policy/credulous", tasks: tuple[str, ...] = (), seed: int = 0) -> RunPlan:
    return make_plan(world.folder, arms=("attacked",), model=model, runs=1, tasks=tasks, seed=seed)


def played(world: FrozenWorld, made: RunPlan, *, swapped: bool = True, shuffles: int = 49) -> Study:
    return study(world, made, designs_over(world, made, ("page", "post"), swapped), shuffles=shuffles)


@pytest.mark.check
def test_swapped_every_task_is_told_both(world: FrozenWorld) -> None:
    """The oracle takes the truth whichever it is told, the credulous what it is told; counts add up."""
    for model, apart, believed in (("policy/oracle", 6, 0), ("policy/credulous", 0, 6)):
        found = played(world, plan(world, model))
        rows = {row.telling: row.reading for row in found.rows if row.channel == "page"}
        assert [rows[name].runs for name in ("drawn", "swapped", "both")] == [6, 6, 12]
        both = rows[BOTH].over_all
        assert both.true == both.false == 6 and both.clusters == rows["drawn"].over_all.clusters == 6
        for count in ("hits", "false_alarms", "true", "false"):
            parts = [getattr(rows[name].over_all, count) for name in ("drawn", "swapped")]
            assert getattr(both, count) == sum(parts)
        assert rows[BOTH].heard == rows["drawn"].heard + rows["swapped"].heard
        swap = next(one for one in found.swaps if one.channel == "page")
        assert (swap.pairs, swap.told_apart, swap.believed_both) == (6, apart, believed)
        assert swap.heard == 6 if believed else swap.heard < 6
        assert swap.rejected_both == swap.reversed == swap.undecided == 0


def test_a_channel_that_tells_nothing_says_why(world: FrozenWorld) -> None:
    """It is played over no task, and counts them by the reason; without swapping there is no pair of tellings."""
    made = plan(world)
    found = played(world, made, swapped=False)
    post = next(row for row in found.rows if row.channel == "post")
    assert post.left_out == {"the world has no social network": 6} and post.reading.runs == 0 and post.shuffled is None
    assert found.swaps == () and {row.telling for row in found.rows} == {"drawn"}
    designs = designs_over(world, made, ("page", "post"), False)
    assert plan_for_channel(made, designs["drawn"], "post").tasks == () and runs_of(made, designs) == 6
    assert runs_of(made, designs_over(world, made, ("page",), True)) == 12


def test_the_clock_takes_the_digest(world: FrozenWorld) -> None:
    """Where a limit of real time ended a run another machine need not repeat it: counted, and no digest."""
    found = played(world, plan(world), swapped=False)
    clocked = replace(found, verdicts=(replace(found.verdicts[0], stop="wall_limit"), *found.verdicts[1:])).plain()
    assert clocked["digest"] is None and clocked["uncertified"] == {"wall_limit": 1}
    assert dose_named("items=3") == replace(dose_named(""), items=3)
    with pytest.raises(BadInput, match="itms"):
        dose_named("itms=3")


def test_runs_that_say_nothing_are_in_no_pair_of_either(world: FrozenWorld) -> None:
    """An agent without calls left never hears a claim; what it says of none is undecided."""
    found = played(world, replace(plan(world), calls=1, turns=1))
    (swap,) = (one for one in found.swaps if one.channel == "page")
    assert (swap.pairs, swap.undecided) == (6, 6)
    both = next(row for row in found.rows if row.telling == BOTH and row.channel == "page")
    assert both.reading.over_all.d_prime is None and both.shuffled is None
    json.dumps(found.plain(), allow_nan=False)


ONE = Verdict("true", "page", "drawn", "t", "", 1, True, "5", "answered", True, True)


class ByLabel:
    """Searches, and submits what it was told where the search says that it is authoritative, else something else."""

    def __init__(self, claim: str) -> None:
        self._claim = claim

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """By the label alone."""
        results = tool_results(messages)
        if not results:
            return call_message("web_search", {"query": "supply"}, {}, 1)
        return answer_message(self._claim if results[0]["source_authority"] == "authoritative" else "9" * 60)


@pytest.fixture(scope="module")
def design(world: FrozenWorld) -> Design:
    """One channel over it."""
    return design_over(world, channels=("page",))


def test_who_goes_by_labels_is_found(world: FrozenWorld, design: Design) -> None:
    """Every claim is accepted under swapped labels and none under true ones: 100 points, at six tasks' least p."""
    verdicts = by_label(world, design, "true") + by_label(world, design, "swapped")
    (swapped,) = label_effects(verdicts)
    assert (swapped.labels, swapped.against) == ("swapped", "true")
    assert swapped.accepted_more is not None and swapped.accepted_more.mean == 1
    assert swapped.accepted_more.tasks == 6 and swapped.accepted_more.p == Fraction(2, 2**6)
    assert swapped.plain()["accepted_more"] == 1.0 and json.dumps(swapped.plain(), allow_nan=False)


def by_label(world: FrozenWorld, design: Design, labels: str, seed: int = 0) -> list[Verdict]:
    """The verdicts on who goes by labels alone."""
    model = PolicyModel("by-label", lambda brief, key: ByLabel(design.claims[key.task].value))
    records = play_claims(world, plan(world, seed=seed), design.overlays["page"], model, labels=labels)
    model.close()
    tasks = {name: world.folder.task(name) for name in design.claims}
    return verdicts_in(labels, "page", "drawn", design, records, tasks)


def test_effects_compare_the_same_claims_in_the_same_attempts() -> None:
    """Those scored under both treatments; an abstention is no acceptance; no pair is no effect."""
    other = replace(ONE, labels="swapped", accepted=None)
    faulty = replace(ONE, labels="swapped", task="u", stop="model_fault", accepted=None)
    (found,) = label_effects([ONE, replace(ONE, task="u"), other, faulty])
    assert found.accepted_more is not None
    assert (found.accepted_more.mean, found.accepted_more.tasks) == (-1, 1)
    (nothing,) = label_effects([ONE, replace(other, attempt=2)])
    assert nothing.accepted_more is None and nothing.plain()["accepted_more"] is None
    assert label_effects([ONE]) == () == label_effects([])
