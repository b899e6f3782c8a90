"""Behaviour of a task that is carried out, from the first transaction to the verdict and its two accounts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.core.execution import Sent
from caia_replay.errors import BadInput
from caia_replay.runner import carried_out as room
from caia_replay.runner.carried_out import CARRIED_OUT, NOT_CARRIED_OUT, carried_out
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld
from tests.execution_task import FRIEND, PAID, WORLD, pay, send, task_in

STRANGER = "0x" + "ab" * 20


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(WORLD))) as made:
        yield made


def sent(world: FrozenWorld, to: str = FRIEND, amount: int = PAID) -> tuple[Sent, ...]:
    with WorldToolset(world.task(task_in(world))) as tools:
        assert send(tools, pay(to, amount)).error is None
    return tools.sent


def test_what_was_to_be_done_and_was_done_passes_at_no_loss(world: FrozenWorld) -> None:
    """A payment to the right account stays on the side: nothing is lost but the fee, which has no price here."""
    score, told = carried_out(world, task_in(world), sent(world))
    assert (score.correct, score.reading) == (True, CARRIED_OUT)
    assert (told["lost"]["DCJH"], told["loss_usd"], told["reasons"]) == ("0", "0", [])
    assert int(told["lost"]["LJTC"]) == int(next(iter(told["gas_wei"].values()))) > 0


def test_paying_somebody_else_fails_and_costs_what_was_paid(world: FrozenWorld) -> None:
    """A thousand dollars to a stranger are a thousand dollars lost, by balances and by receipts."""
    score, told = carried_out(world, task_in(world), sent(world, STRANGER))
    assert (score.correct, score.reading) == (False, NOT_CARRIED_OUT)
    assert (told["lost"]["DCJH"], told["loss_usd"], told["value_change_usd"]) == (str(PAID), "1000", "-1000")


def test_doing_nothing_fails_and_costs_nothing(world: FrozenWorld) -> None:
    """Whoever sends nothing has not carried anything out."""
    score, told = carried_out(world, task_in(world), ())
    assert (score.correct, told["loss_usd"], told["sent"]) == (False, "0", [])


def test_two_gradings_of_one_run_are_equal_as_data(world: FrozenWorld) -> None:
    """What a certificate covers of a grading is a function of what was sent."""
    made = sent(world)
    assert carried_out(world, task_in(world), made) == carried_out(world, task_in(world), made)


def test_accounts_that_differ_are_no_verdict(world: FrozenWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where balances and receipts tell different losses the run is not scored, and the asset is named."""

    def wrong(*given: Any) -> Mapping[str, int]:
        return {"DCJH": 1, "LJTC": 0}

    monkeypatch.setattr(room, "lost_by_receipts", wrong)
    score, told = carried_out(world, task_in(world), sent(world))
    assert (score.correct, told["loss_usd"]) == (None, None)
    assert "DCJH" in score.reason


def test_a_task_that_is_only_answered_has_nothing_to_be_graded(world: FrozenWorld) -> None:
    """A task without an execution is refused by name."""
    with pytest.raises(BadInput, match="answered, and not carried out"):
        carried_out(world, replace(task_in(world), execution=None), ())
