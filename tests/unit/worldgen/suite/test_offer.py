"""What tasks offer whoever attacks them, and where each lie leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.attack import AttackSurface
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.errors import CheckFailed
from caia_replay.scoring.verifiers import verify
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.mini.build import MiniReport, history_of
from caia_worldgen.mini.story import Told
from caia_worldgen.suite.offer import MOST_APART, TIMES, is_other, offers_over
from tests.offer_law import offer_faults


@pytest.fixture(scope="module")
def world(built: MiniReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as opened:
        yield opened


@pytest.fixture(scope="module")
def tasks(world: FrozenWorld) -> tuple[Task, ...]:
    return tuple(world.folder.task(name) for name in world.folder.suite.active())


@pytest.fixture(scope="module")
def plain(world: FrozenWorld, tasks: tuple[Task, ...]) -> tuple[AttackSurface, ...]:
    """The offers of the small world in the tasks' order, without what is derived."""
    offers = read_targets(world.folder.path)
    return tuple(replace(offers[task.id], once=None, misread=(), decoys=()) for task in tasks)


@pytest.mark.check
def test_every_lie_leads_where_it_is_said_to(
    world: FrozenWorld, tasks: tuple[Task, ...], plain: tuple[AttackSurface, ...], told: Told
) -> None:
    """What the build wrote is what comes of it again, each answer is wrong, and no two tasks had the same once."""
    asked: list[tuple[int, int]] = []
    offers = offers_over(world, tasks, plain, history_of(told), lambda at, of: asked.append((at, of)))
    assert {offer.task: offer for offer in offers} == dict(read_targets(world.folder.path))
    assert asked == [(at, 6) for at in range(6)]
    assert [
        fault for task, offer in zip(tasks, offers, strict=True) for fault in offer_faults(world, task, offer)
    ] == []
    once = [offer.once.answer for offer in offers if offer.once]
    assert len(set(once)) == len(once) >= 2
    assert sum(bool(offer.misread) for offer in offers) >= 2
    for task, offer in zip(tasks, offers, strict=True):
        assert all(one.times == TIMES and task.answer.kind == "number" for one in offer.misread)
        assert offer.once is None or offer.once.published < task.anchor.timestamp


def test_a_gold_chain_that_ends_elsewhere_is_told(
    world: FrozenWorld, tasks: tuple[Task, ...], plain: tuple[AttackSurface, ...], told: Told
) -> None:
    """A wrong truth is no ground to lie on."""
    wrong = replace(tasks[0], answer=replace(tasks[0].answer, values=("7",)))
    with pytest.raises(CheckFailed, match=f"{wrong.id}: the answer is '7', the tools say"):
        offers_over(world, (wrong,), plain[:1], history_of(told))


@given(
    st.decimals(-(10**9), 10**9, places=4), st.integers(-30, 30) | st.integers(-(10**10), 10**10), st.integers(0, 20)
)
def test_another_number_is_one_that_the_verifier_rejects(truth: Decimal, off: int, percent: int) -> None:
    """Whatever the tolerance, ``off`` per cent from the truth; and no further off than anybody would believe."""
    told = round(truth * (100 + off) / 100, 4)
    spec = AnswerSpec("number", (f"{truth:f}",), tolerance_percent=str(percent))
    if is_other(spec, f"{told:f}"):
        assert verify(spec, f"{told:f}").correct is False
        one, other = abs(Fraction(f"{truth:f}")), abs(Fraction(f"{told:f}"))
        assert not one or not other or (other <= one * MOST_APART and one <= other * MOST_APART)


@pytest.mark.parametrize(
    ("spec", "told", "other"),
    [
        (AnswerSpec("number", ("5",)), "", False), (AnswerSpec("number", ("5",)), "five", False),
        (AnswerSpec("number", ("5",)), "5.0", False), (AnswerSpec("number", ("5",)), "50000001", False),
        (AnswerSpec("address", ("0xab",)), "0xAB", False), (AnswerSpec("address", ("0xab",)), "0xac", True),
        (AnswerSpec("text", ("Ada",), aliases=("A. L.",)), "a. l. ", False),
        (AnswerSpec("boolean", ("no",)), "yes", True), (AnswerSpec("date", ("2024-05-31",)), "May 31, 2024", False),
    ],
)  # fmt: skip
def test_what_could_count_as_right_is_no_other_answer(spec: AnswerSpec, told: str, other: bool) -> None:
    """Nor what is no answer of its kind."""
    assert is_other(spec, told) is other
