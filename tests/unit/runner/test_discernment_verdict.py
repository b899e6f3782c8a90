"""What became of each claim, and what labels did to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.model import Brief, RunKey
from caia_replay.models.policies.conversation import Wire, answer_message, call_message, tool_results
from caia_replay.models.policy import PolicyModel
from caia_replay.runner.discernment import Design, design_over, play_claims
from caia_replay.runner.discernment_verdict import Verdict, label_effects, verdicts_in
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

MINI = Path(__file__).resolve().parents[3] / "cassettes" / "mini-6"
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
def world() -> Iterator[FrozenWorld]:
    """The shipped mini world."""
    with FrozenWorld(open_world(str(MINI))) as opened:
        yield opened


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


def test_labels_by_lot_are_followed_as_they_fall(world: FrozenWorld, design: Design) -> None:
    """Over four seeds some searches are told to be authoritative and some are not, each task as its own lot has it."""
    found = [by_label(world, design, "shuffled", seed) for seed in range(4)]
    taken = [verdict.accepted for one in found for verdict in one]
    assert len(taken) == 24 and {True, False} == set(taken)
    assert len({tuple(verdict.accepted for verdict in one) for one in found}) > 1


def by_label(world: FrozenWorld, design: Design, labels: str, seed: int = 0) -> list[Verdict]:
    """The verdicts on who goes by labels alone."""
    model = PolicyModel("by-label", lambda brief, key: ByLabel(_claim(design, brief, key)))
    plan = make_plan(world.folder, arms=("attacked",), runs=1, seed=seed)
    records = play_claims(world, plan, design.overlays["page"], model, labels=labels)
    model.close()
    tasks = {name: world.folder.task(name) for name in design.claims}
    return list(verdicts_in(labels, "page", "drawn", design, records, tasks))


def _claim(design: Design, brief: Brief, key: RunKey) -> str:
    return design.claims[key.task].value


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


def test_a_verdict_is_of_a_told_run(design: Design, world: FrozenWorld) -> None:
    """Others have none; a run that is not scored has one that says nothing."""
    tasks = {name: world.folder.task(name) for name in design.claims}
    name = sorted(tasks)[0]
    record = {"task": name, "attempt": 1, "answer": design.claims[name].value, "attack": {"exposed": True}}
    told = [{**record, "stop": "answered"}, {**record, "stop": "model_fault"}, {**record, "task": "x", "stop": ""}]
    first, second = verdicts_in("none", "page", "drawn", design, told, tasks)
    assert first.accepted is True and first.is_scored and first.heard and first.value == design.claims[name].value
    assert second.accepted is None and not second.is_scored
