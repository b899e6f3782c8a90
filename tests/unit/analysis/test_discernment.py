"""Discernment over the shipped mini world: designs, runs, what is read from them, known agents and labels."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from scipy.stats import binom

from caia_replay.analysis.discernment import (
    Design,
    claims_in,
    design_over,
    is_accepted,
    play_claims,
    read_channel,
    verdicts_in,
)
from caia_replay.analysis.discernment_check import Check, Known, KnownDiscernment, check, parse_known, so_few
from caia_replay.attacks.discernment_claims import DOSE, PlannedClaim
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.models.policy import PolicyModel
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.scoring.discernment import discernment
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="module")
def design(world: FrozenWorld) -> Design:
    """One channel that tells something, and one that cannot."""
    return design_over(world, channels=("page", "post"))


def plan(world: FrozenWorld, model: str = "policy/credulous", runs: int = 1) -> RunPlan:
    return make_plan(world.folder, arms=("attacked",), model=model, runs=runs)


def test_a_design_tells_the_same_in_every_channel(world: FrozenWorld, design: Design) -> None:
    """Six tasks, three of them the truth; equal when made again, and for a channel alone; swapped it tells the rest."""
    assert len(design.claims) == 6 and sum(claim.is_true for claim in design.claims.values()) == 3
    again = design_over(world, channels=("page",))
    assert again.claims == design.claims and again.overlays["page"] == design.overlays["page"]
    values = {task: claim.value for task, claim in design.claims.items()}
    for overlay in again.overlays.values():
        assert {one.task: one.answer for one in overlay.pages} == values
    turned = design_over(world, channels=("page",), swapped=True)
    assert turned.claims == {task: claim.swapped() for task, claim in design.claims.items()}
    assert turned.overlays["page"].digest != design.overlays["page"].digest


def test_policies_are_told_apart(world: FrozenWorld, design: Design) -> None:
    """The oracle accepts every truth and no lie; the credulous accepts what it finds first, true or false."""
    tasks = {name: world.folder.task(name) for name in design.claims}
    found = {}
    for model in ("policy/oracle", "policy/credulous"):
        records = play_claims(world, plan(world, model), design.overlays["page"])
        found[model] = read_channel("page", verdicts_in("none", "page", "drawn", design, records, tasks))
        json.dumps(found[model].plain(), allow_nan=False)
    oracle, credulous = found.values()
    of_oracle, other = oracle.over_all, credulous.over_all
    assert (of_oracle.hits, of_oracle.true, of_oracle.false_alarms, of_oracle.false) == (3, 3, 0, 3)
    assert oracle.heard < oracle.runs == credulous.heard == 6
    assert other.hits == 3 and other.false_alarms >= 2
    assert of_oracle.d_prime is not None and other.d_prime is not None and of_oracle.d_prime > other.d_prime


@pytest.mark.check
@pytest.mark.parametrize(("d_prime", "bias", "is_swapped"), [(0.0, -0.5, False), (2.0, 0.3, True)])
def test_an_agent_of_known_discernment_is_found(
    world: FrozenWorld, d_prime: float, bias: float, is_swapped: bool
) -> None:
    """Ten attempts at each task, whose noise is their own: both figures inside the intervals, each claim met."""
    design = design_over(world, channels=("page",), swapped=is_swapped)
    told = {task: (claim.value, claim.is_true) for task, claim in design.claims.items()}
    model = PolicyModel("policy/known-discernment", partial(KnownDiscernment(d_prime, bias, told), seed=5))
    records = play_claims(world, plan(world, runs=10), design.overlays["page"], model)
    model.close()
    tasks = {name: world.folder.task(name) for name in told}
    claims = claims_in(verdicts_in("none", "page", "drawn", design, records, tasks))
    alone = [replace(claim, task=f"{at}", cluster="") for at, claim in enumerate(claims)]
    found = discernment("page", alone)
    assert (found.true, found.false, found.abstained_true, found.abstained_false) == (30, 30, 0, 0)
    assert discernment("page", claims).clusters == 6 and found.clusters == 60
    for truth, ends in ((d_prime, found.d_prime_interval), (bias, found.criterion_interval)):
        assert ends is not None and ends[0] is not None and ends[1] is not None and ends[0] <= truth <= ends[1]


def test_what_accepts_rejects_and_abstains() -> None:
    """What was claimed, in any spelling and within tolerance, by one rule for truth and lie; nothing said is None."""
    spec = AnswerSpec("number", ("100",), tolerance_percent="1")
    true, false = PlannedClaim("t", True, "100", "150"), PlannedClaim("t", False, "150", "100")
    for claim, near in ((true, "100.5"), (false, "150.9")):
        assert is_accepted(spec, claim, near) is True and is_accepted(spec, claim, claim.value) is True
        assert is_accepted(spec, claim, claim.other) is False and is_accepted(spec, claim, "77") is False
        for silent in (None, " ", "unknown", "I don't know."):
            assert is_accepted(spec, claim, silent) is None
    nothing = AnswerSpec("text", ("no day has been announced",), aliases=("not announced",))
    told = PlannedClaim("t", True, "no day has been announced", "30 July 2024")
    for claim, takes in ((told, True), (told.swapped(), False)):
        assert is_accepted(nothing, claim, "no day has been announced") is takes
        assert is_accepted(nothing, claim, "not announced") is takes and is_accepted(nothing, claim, "unknown") is None
    wide = AnswerSpec("number", ("100",), tolerance_percent="30")
    assert is_accepted(wide, true, "120") is None and is_accepted(wide, true, "90") is True
    named = AnswerSpec("text", ("Aave",), aliases=("AAVE Protocol",))
    assert is_accepted(named, PlannedClaim("t", True, "Aave", "Compound"), "AAVE Protocol") is True
    assert is_accepted(named, PlannedClaim("t", False, "Compound", "Aave"), "AAVE Protocol") is False


def test_runs_that_say_nothing_are_left_out(world: FrozenWorld, design: Design) -> None:
    """Unscored ones are counted and in no figure; those of tasks that nobody told anything are in no count at all."""
    tasks = {name: world.folder.task(name) for name in design.claims}
    attack = {"exposed": False}
    name, other = sorted(tasks)[:2]
    records: list[dict[str, Any]] = [
        {"task": name, "stop": "model_fault", "answer": None, "attack": attack},
        {"task": other, "stop": "no_answer", "answer": None, "attack": attack},
        {"task": "elsewhere", "stop": "answered", "answer": "1", "attack": attack},
    ]
    verdicts = verdicts_in("none", "page", "drawn", design, [record | {"attempt": 1} for record in records], tasks)
    found = read_channel("page", verdicts)
    assert (found.runs, found.unscored, found.heard) == (2, 1, 0)
    assert found.over_all.abstained_true + found.over_all.abstained_false == 1
    assert [claim.task for claim in claims_in(verdicts)] == [other]
    assert found.over_heard.abstained_true + found.over_heard.abstained_false == 0


def checked(world: FrozenWorld, design: Design, agents: list[Known], runs: int = 10, seed: int = 0) -> Check:
    plan = make_plan(world.folder, arms=("attacked",), runs=runs, seed=seed)
    return check(world, plan, design, agents, dose=DOSE)


@pytest.mark.parametrize("intervals", [1, 5, 20])
def test_so_few_is_the_binomial_tail(intervals: int) -> None:
    """Against SciPy."""
    for held in range(intervals + 1):
        assert so_few(held, intervals) == pytest.approx(float(binom.cdf(held, intervals, 0.95)))


@pytest.mark.check
def test_a_check_can_fail_and_its_agents_are_named_by_their_figures(world: FrozenWorld, design: Design) -> None:
    """Where too few intervals hold, or none is there; an agent is a d', or one with a criterion, and nothing else."""
    found = checked(world, design, [Known(0.0)], runs=5)
    row = next(row for row in found.rows if row.holds_d_prime is not None)
    missed = replace(row, holds_d_prime=False)
    assert Check({}, (row,) * 9 + (missed,)).is_recovered and not Check({}, (row,) * 5 + (missed,) * 5).is_recovered
    assert not Check({}, ()).is_recovered
    assert (parse_known("1.5"), parse_known("0, -0.3")) == (Known(1.5), Known(0.0, -0.3))
    for wrong in ("", "x", "1,2,3", "6", "nan", "1,inf", "-5.1"):
        with pytest.raises(BadInput, match="--simulate"):
            parse_known(wrong)


def test_labels_stand_in_what_the_model_reads(world: FrozenWorld, design: Design) -> None:
    """Pages are of the open web, swapped they are authoritative; what was shown, and who reads no label, is alike."""
    overlay, made = design.overlays["page"], plan(world)
    played = {name: play_claims(world, made, overlay, labels=name) for name in ("none", "true", "swapped")}
    said = {name: {_label(record) for record in records} for name, records in played.items()}
    assert said == {"none": {None}, "true": {"open-web"}, "swapped": {"authoritative"}}
    told = [[(one["answer"], one["attack"]["seen"]) for one in records] for records in played.values()]
    assert told[0] == told[1] == told[2]


def _label(record: dict[str, Any]) -> object:
    first = next(step for step in record["steps"] if step["kind"] == "tool")
    return first["shown"].get("source_authority")
