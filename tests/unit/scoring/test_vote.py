"""The majority vote."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.vote import Ballot, majority

RIGHT, OTHER, SILENT = Ballot("a", True), Ballot("b", False), Ballot(None, False)
ballots = st.lists(st.sampled_from([RIGHT, OTHER, SILENT]), min_size=1, max_size=9)


@settings(max_examples=100)
@given(ballots, st.randoms(use_true_random=False))
def test_order_never_matters(cast: list[Ballot], random: object) -> None:
    """The same ballots in any order elect the same answer."""
    shuffled = list(cast)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert majority(cast) == majority(shuffled)


@settings(max_examples=100)
@given(ballots)
def test_a_majority_is_more_than_half_of_all_runs(cast: list[Ballot]) -> None:
    """Right exactly when the right answer has more than half of all runs, silent ones counted."""
    assert majority(cast).correct == (2 * cast.count(RIGHT) > len(cast))


def test_a_tie_is_no_majority() -> None:
    """Two against two elects nothing, and nothing is wrong."""
    vote = majority([RIGHT, RIGHT, OTHER, OTHER])
    assert (vote.correct, vote.reading) == (False, None)


def test_silent_runs_count_in_the_denominator() -> None:
    """Two right answers beside three silent runs are no majority; three beside two are."""
    assert not majority([RIGHT] * 2 + [SILENT] * 3).correct
    assert majority([RIGHT] * 3 + [SILENT] * 2).correct


def test_silence_is_never_elected() -> None:
    """A majority of silence elects nothing."""
    assert majority([SILENT] * 5).reading is None


def test_no_runs_is_no_vote() -> None:
    """Nothing scored is not a wrong answer."""
    with pytest.raises(ValueError, match="at least one"):
        majority([])
