"""The majority vote."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.vote import Ballot, majority

RIGHT, OTHER, SILENT = Ballot("a", True), Ballot("b", False), Ballot(None, False)
NEARLY, THIRD = Ballot("a'", True), Ballot("c", False)
ballots = st.lists(st.sampled_from([RIGHT, NEARLY, OTHER, THIRD, SILENT]), min_size=1, max_size=9)


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
    vote = majority(cast)
    assert vote.correct == (2 * (cast.count(RIGHT) + cast.count(NEARLY)) > len(cast))
    assert vote.reading is None or 2 * vote.votes > vote.runs == len(cast)


@settings(max_examples=100)
@given(ballots)
def test_a_wrong_answer_is_elected_by_its_reading(cast: list[Ballot]) -> None:
    """Exactly when more than half of all runs read the same; right and wrong are never elected together."""
    vote = majority(cast)
    elected = [wrong.reading for wrong in (OTHER, THIRD) if 2 * cast.count(wrong) > len(cast)]
    assert ([vote.reading] if vote.reading and not vote.correct else []) == elected


def test_right_answers_are_one_answer_however_they_are_read() -> None:
    """42 and 42.1 within a tolerance: right four times is elected, as the commoner reading, the first by text."""
    vote = majority([RIGHT, RIGHT, NEARLY, NEARLY, OTHER])
    assert (vote.correct, vote.reading, vote.votes) == (True, "a", 4)
    assert majority([RIGHT, NEARLY, NEARLY]).reading == "a'"


def test_wrong_answers_near_each_other_are_two() -> None:
    """Four wrong runs of two readings elect nothing."""
    vote = majority([OTHER, OTHER, THIRD, THIRD, RIGHT])
    assert (vote.correct, vote.reading, vote.votes) == (False, None, 2)


def test_one_reading_with_two_verdicts_is_two_answers() -> None:
    """What a reading leaves out may decide: two right and two wrong runs of five that read the same elect nothing."""
    vote = majority([RIGHT, RIGHT, Ballot("a", False), Ballot("a", False), OTHER])
    assert (vote.correct, vote.reading, vote.votes) == (False, None, 2)


def test_a_right_run_without_a_reading_still_counts() -> None:
    """A verdict that needed no reading elects the right answer, which then has no text."""
    assert majority([Ballot(None, True)] * 2 + [OTHER]).correct
    assert majority([Ballot(None, True)] * 2 + [OTHER]).reading is None


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
