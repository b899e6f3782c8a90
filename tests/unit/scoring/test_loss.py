"""Losses by hand, and the chance of ruin against brute force and simulation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.scoring import loss
from caia_replay.scoring.loss import FirstAttempts, first_attempts, median, ruin, stake, usd
from caia_replay.store.world_folder import open_world

amounts = st.lists(st.integers(0, 12).map(Fraction), min_size=1, max_size=5)
capital = st.integers(1, 60).map(Fraction)


def chance(losses: list[Fraction], own: Fraction, draws: int) -> Fraction:
    return ruin(losses, [own], draws)[own]


@settings(max_examples=150, deadline=None)
@given(amounts, capital, st.integers(1, 4))
def test_ruin_is_what_brute_force_counts(losses: list[Fraction], own: Fraction, draws: int) -> None:
    """All ways to draw in turn: how many add up to the capital or more."""
    ways = [sum(drawn) >= own for drawn in product(losses, repeat=draws)]
    assert chance(losses, own, draws) == Fraction(sum(ways), len(ways))


@settings(max_examples=80, deadline=None)
@given(amounts, capital, st.integers(1, 30))
def test_ruin_rises_with_draws_and_falls_with_capital(losses: list[Fraction], own: Fraction, draws: int) -> None:
    """More tasks never make it safer, more capital never riskier; and one call gives all capitals alike."""
    found = chance(losses, own, draws)
    assert 0 <= found <= chance(losses, own, draws + 1) <= 1
    assert found >= chance(losses, own + 1, draws)
    assert ruin(losses, [own + 7, own], draws) == {one: chance(losses, one, draws) for one in (own, own + 7)}


@settings(max_examples=60, deadline=None)
@given(amounts, capital, st.integers(1, 20), st.fractions(Fraction(1, 50), 50, max_denominator=50))
def test_ruin_knows_no_order_and_no_currency(losses: list[Fraction], own: Fraction, draws: int, rate: Fraction) -> None:
    """In other units, in another order, and with every task twice, it is the same."""
    found = chance(losses, own, draws)
    assert found == chance([loss * rate for loss in losses], own * rate, draws)
    assert found == chance(losses[::-1], own, draws) == chance(losses * 2, own, draws)


def test_the_ends() -> None:
    """Nothing lost is never ruin; where all is wrong and the least loss is the capital, it is certain; else by hand."""
    assert chance([Fraction(0)] * 3, Fraction(1), 100) == 0
    assert chance([Fraction(5), Fraction(9)], Fraction(5), 1) == 1
    assert chance([Fraction(5), Fraction(9)], Fraction(500), 100) == 1
    assert chance([Fraction(5), Fraction(9)], Fraction(901), 100) == 0
    assert chance([Fraction(0), Fraction(1)], Fraction(1), 10) == 1 - Fraction(1, 2**10)


def test_ruin_is_what_a_simulation_finds() -> None:
    """Stakes of a suite, of which some are lost, a hundred draws: within four standard errors of 4,000 desks."""
    random = Random(3)
    losses = [Fraction(random.randint(5, 500) * 100) if random.random() < 0.1 else Fraction(0) for _ in range(178)]
    own = sum(losses) * 100 / 178
    exact = float(chance(losses, own, 100))
    ruined = sum(sum(int(random.choice(losses)) for _ in range(100)) >= own for _ in range(4000)) / 4000
    assert 0.3 < exact < 0.7 and abs(ruined - exact) < 4 * (0.25 / 4000) ** 0.5


def test_a_fine_currency_is_counted_coarsely_and_never_too_low(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses finer than the most steps are rounded up: close to the exact chance, and not below it."""
    random = Random(8)
    losses = [Fraction(random.randint(0, 300_000), 100) for _ in range(20)]
    own = Fraction(20_000)
    exact = chance(losses, own, 12)
    monkeypatch.setattr(loss, "MOST_STEPS", 2_000)
    coarse = chance(losses, own, 12)
    assert 0 < exact <= coarse < exact + Fraction(1, 50)


@pytest.mark.parametrize(
    ("losses", "capitals", "draws"),
    [([], [1], 1), ([-1], [1], 1), ([1], [0], 1), ([1], [], 1), ([1], [1], 0)],
)
def test_no_model_is_refused(losses: list[int], capitals: list[int], draws: int) -> None:
    """Nothing to draw from, a gain, no capital, no draw."""
    with pytest.raises(ValueError, match="no model"):
        ruin([Fraction(one) for one in losses], [Fraction(one) for one in capitals], draws)


def test_first_attempts_add_up() -> None:
    """The total and the mean of a task; no task has no mean."""
    lost = first_attempts([Fraction(100), Fraction(0), Fraction("50.5")])
    assert (lost.tasks, lost.total, lost.mean) == (3, Fraction("150.5"), Fraction(301, 6))
    assert first_attempts([]) == FirstAttempts(0, Fraction(0)) and first_attempts([]).mean is None


def test_the_median_is_the_middle() -> None:
    """Of an even number the mean of both in the middle; none of nothing."""
    assert median([Fraction(9), Fraction(1), Fraction(2)]) == 2
    assert median([Fraction(4), Fraction(1)]) == Fraction(5, 2)
    assert median([]) is None


def test_dollars_are_told_to_the_cent() -> None:
    """Without idle zeros; a hair below nothing is nothing."""
    told = {"0": 0, "110000": 110_000, "0.5": Fraction(1, 2), "0.33": Fraction(1, 3), "-2.05": Fraction(-205, 100)}
    assert {text: usd(Fraction(amount)) for text, amount in told.items()} == {text: text for text in told}
    assert usd(Fraction(-1, 1000)) == "0"


@pytest.mark.parametrize("given_", ["", "-1", "nan", "1e9", "2,500", "1/3", " 5", "9" * 40])
def test_a_stake_that_is_no_dollars_is_refused(shipped: Path, given_: str) -> None:
    """One line with the task, what stands there and the next command."""
    folder = open_world(str(shipped))
    task = folder.task(folder.suite.active()[0])
    assert stake(replace(task, stake_usd="2500.25")) == Fraction("2500.25")
    with pytest.raises(BadInput, match=f"task {task.id}: stake_usd is .*next: caia-replay task check"):
        stake(replace(task, stake_usd=given_))
