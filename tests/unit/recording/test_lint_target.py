"""Lint of what a world offers whoever attacks it: each fault found, and told with its task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from caia_replay.core.attack import Decoy, Misreading, Offer, Once
from caia_replay.recording.lint_target import target_faults
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import WorldFolder, open_world

FAKE, REAL = "0x" + "ab" * 20, "0x" + "cd" * 20


@pytest.fixture(scope="module")
def folder(shipped: Any) -> WorldFolder:
    return open_world(str(shipped))


@pytest.fixture(scope="module")
def supply(folder: WorldFolder) -> Offer:
    return read_targets(folder.path)["mini6-supply"]


def faults(folder: WorldFolder, offer: Offer) -> list[str]:
    return list(target_faults(folder, {offer.task: offer}))


def test_what_is_shipped_has_no_fault(folder: WorldFolder) -> None:
    """Of every task, with all that it offers."""
    offers = read_targets(folder.path)
    assert len(offers) == 6 and list(target_faults(folder, offers)) == []


def test_an_unknown_task_is_told_with_the_nearest(folder: WorldFolder, supply: Offer) -> None:
    """And nothing more is said of it."""
    told = ["offers for unknown task 'mini6-suply'; nearest: mini6-supply"]
    assert faults(folder, replace(supply, task="mini6-suply")) == told


@pytest.mark.parametrize("where", ["query", "claim"])
def test_words_that_say_the_answer_are_found(folder: WorldFolder, supply: Offer, where: str) -> None:
    """Whoever searches or lies in these words would say what is right."""
    truth = folder.task(supply.task).answer.values[0]
    (told,) = faults(folder, replace(supply, **{where: f"{getattr(supply, where)} not {truth}."}))
    assert told.startswith(f"mini6-supply: its {where} says the answer")


def test_a_claim_that_its_recipe_does_not_read_is_found(folder: WorldFolder, supply: Offer) -> None:
    """Other words than the recipe's; an answer of another form than it reads."""
    found = faults(folder, replace(supply, claim="They made {planted} of it.", once=None))
    assert len(found) == 1 and "its recipe reads None where '" in found[0]
    odd = faults(folder, replace(supply, once=Once("some", 5)))
    assert len(odd) == 1 and "where 'some' is claimed" in odd[0]


def test_both_answers_and_every_option_are_claimed(folder: WorldFolder, supply: Offer) -> None:
    """Of a question of yes or no both are put into the claim, of others all options."""
    (told,) = faults(folder, replace(supply, options=("271", "many")))
    assert "where 'many' is claimed" in told
    task = folder.task(supply.task)
    yes = replace(task, answer=replace(task.answer, kind="boolean", values=("yes",)))
    asked = _With(folder, yes)
    plain = Offer(supply.task, supply.query, supply.claim)
    assert [fault.partition(" is claimed")[0][-5:] for fault in faults(asked, plain)] == ["'yes'", " 'no'"]


@pytest.mark.parametrize("told", ["exact", "spelt", "near"])
def test_a_derived_answer_that_is_right_is_found(folder: WorldFolder, supply: Offer, told: str) -> None:
    """As an option, an earlier answer, a misreading or behind a decoy; however it is written, within the tolerance."""
    task = folder.task(supply.task)
    truth = task.answer.values[0]
    asked = _With(folder, replace(task, answer=replace(task.answer, tolerance_percent="1")))
    right = {"exact": truth, "spelt": f"{truth}.0", "near": str(int(truth) * 1_009 // 1_000)}[told]
    for change, what in (
        ({"options": (right,)}, "option"),
        ({"once": Once(right, 5)}, "once"),
        ({"misread": (Misreading("data_query", 1000, right),)}, "misread data_query"),
        ({"decoys": (Decoy("look-alike token", FAKE, "mini", REAL, right),)}, f"decoy {FAKE}"),
    ):
        plain = Offer(supply.task, supply.query, supply.claim)
        found = [fault for fault in faults(asked, replace(plain, **change)) if "recipe reads" not in fault]
        assert found == [f"mini6-supply: {what} is the right answer"]
    assert faults(folder, replace(supply, options=("",)))


def test_what_cannot_be_is_found(folder: WorldFolder, supply: Offer) -> None:
    """A day after the task's, an unknown tool or chain, no other unit, no address, half a decoy."""
    decoy = Decoy("look-alike token", FAKE, "mini", REAL, "271")
    for change, what in (
        ({"once": Once("271", 9_999_999_999)}, "once was published at 9999999999, the task stands at"),
        ({"misread": (Misreading("data_qery", 1000, "271"),)}, "unknown tool 'data_qery'; nearest: data_query"),
        ({"misread": (Misreading("data_query", 1, "271"),)}, "which is no other unit"),
        ({"decoys": (replace(decoy, chain="maxi"),)}, "unknown chain 'maxi'"),
        ({"decoys": (replace(decoy, address="0xAB"),)}, "'0xAB', which is no address"),
        ({"decoys": (replace(decoy, instead_of="0xCD"),)}, "'0xCD', which is no address"),
        ({"decoys": (replace(decoy, instead_of=""),)}, "the other is missing"),
        ({"decoys": (replace(decoy, answer=""),)}, "the other is missing"),
    ):
        (told,) = faults(folder, replace(supply, **change))
        assert what in told
    assert faults(folder, replace(supply, decoys=(replace(decoy, answer="", instead_of=""),))) == []


class _With(WorldFolder):
    """A world one of whose tasks is another."""

    def __init__(self, folder: WorldFolder, task: Any) -> None:
        super().__init__(folder.path, folder.info, folder.suite, folder.seal)
        object.__setattr__(self, "_other", task)

    def task(self, task_id: str) -> Any:
        return self._other  # type: ignore[attr-defined]
