"""Studies of discernment over the shipped mini world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.canonical import digest, pretty_bytes
from caia_replay.errors import BadInput
from caia_replay.runner.discernment_study import BOTH, Study, designs_over, dose_named, runs_of, study, told_plan
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

MINI = Path(__file__).resolve().parents[3] / "cassettes" / "mini-6"


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    """The shipped mini world."""
    with FrozenWorld(open_world(str(MINI))) as opened:
        yield opened


def plan(world: FrozenWorld, model: str = "policy/credulous", tasks: tuple[str, ...] = (), seed: int = 0) -> RunPlan:
    return make_plan(world.folder, arms=("attacked",), model=model, runs=1, tasks=tasks, seed=seed)


def played(world: FrozenWorld, made: RunPlan, *, swapped: bool = True, shuffles: int = 49) -> Study:
    return study(world, made, designs_over(world, made, ("page", "post"), swapped), shuffles=shuffles)


def test_two_studies_are_one_file(world: FrozenWorld) -> None:
    """Byte for byte, with a digest over all the rest; another seed, model, draw of shuffles or task is another one."""
    first = played(world, plan(world)).plain()
    assert pretty_bytes(first) == pretty_bytes(played(world, plan(world)).plain())
    assert json.loads(pretty_bytes(first)) == first
    told = dict(first)
    assert told.pop("digest") == digest(told)
    name = world.folder.suite.active()[0]
    others = [plan(world, seed=1), plan(world, "policy/search-only"), plan(world, tasks=(name,))]
    digests = {played(world, other).plain()["digest"] for other in others}
    digests.add(played(world, plan(world), shuffles=50).plain()["digest"])
    assert len(digests | {first["digest"]}) == 5


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
    assert told_plan(made, designs["drawn"], "post").tasks == () and runs_of(made, designs) == 6
    assert runs_of(made, designs_over(world, made, ("page",), True)) == 12


def test_the_clock_takes_the_digest(world: FrozenWorld) -> None:
    """Where a limit of real time ended a run another machine need not repeat it: counted, and no digest."""
    found = played(world, plan(world), swapped=False)
    clocked = replace(found, verdicts=(replace(found.verdicts[0], stop="wall_limit"), *found.verdicts[1:])).plain()
    assert clocked["digest"] is None and clocked["uncertified"] == {"wall_limit": 1}


def test_runs_that_say_nothing_are_in_no_pair_of_either(world: FrozenWorld) -> None:
    """An agent without calls left never hears a claim; what it says of none is undecided."""
    found = played(world, replace(plan(world), calls=1, turns=1))
    (swap,) = (one for one in found.swaps if one.channel == "page")
    assert (swap.pairs, swap.undecided) == (6, 6)
    both = next(row for row in found.rows if row.telling == BOTH and row.channel == "page")
    assert both.reading.over_all.d_prime is None and both.shuffled is None
    json.dumps(found.plain(), allow_nan=False)


def test_doses_are_named_as_everywhere() -> None:
    """Fields that are given change, the others stay; what no dose has is refused."""
    assert dose_named("items=3") == replace(dose_named(""), items=3)
    with pytest.raises(BadInput, match="itms"):
        dose_named("itms=3")
