"""Stated confidence: what is read as one, and the figures over those that are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.scoring.confidence import confidence_figures, stated_confidence

STATED = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 100)), st.booleans()))


@pytest.mark.parametrize(
    ("message", "percent"),
    [
        ("CONFIDENCE: 80\nFINAL ANSWER: 5", 80),
        ("**Confidence:** 80 %\nFINAL ANSWER: 5", 80),
        ('{"reasoning": "x", "answer": "5", "confidence": 80}', 80),
        ('{"confidence": "80%", "answer": "5"}', 80),
        ("Confidence: 20\nNo, better:\nCONFIDENCE: 0", 0),
        ("CONFIDENCE: 100.", 100),
        ("CONFIDENCE: 101", None),
        ("CONFIDENCE: 0.8", None),
        ("CONFIDENCE: 70-80", None),
        ("CONFIDENCE: high", None),
        ("CONFIDENCE:", None),
        ("FINAL ANSWER: 5", None),
        ("I state this with confidence. FINAL ANSWER: 80", None),
    ],
)
def test_what_is_read_as_a_confidence(message: str, percent: int | None) -> None:
    """The last whole number from 0 to 100 that is called so; what could mean two things is none."""
    assert stated_confidence(message) == percent


@given(st.integers(0, 100))
def test_any_percentage_is_read_back(percent: int) -> None:
    """In the form that is asked for."""
    assert stated_confidence(f"So it is.\nCONFIDENCE: {percent}\nFINAL ANSWER: 7") == percent


@given(STATED)
def test_the_figures_are_shares_and_a_silent_run_changes_none(runs: list[tuple[int | None, bool]]) -> None:
    """Both within 0 and 1; more runs that state nothing change their count alone; nothing stated has no figure."""
    told = confidence_figures(runs)
    more = confidence_figures([*runs, (None, True), (None, False)])
    assert told["stated"] + told["missing"] == told["scored"] == len(runs)
    assert {**more, "scored": len(runs), "missing": told["missing"]} == told and more["missing"] == told["missing"] + 2
    if told["stated"]:
        assert 0 <= told["brier"] <= 1 and 0 <= told["calibration_error"] <= 1
        assert sum(one["runs"] for one in told["bins"]) == told["stated"]
        assert told["calibration_error"] >= abs(told["mean_confidence"] - told["right"]) - 2e-6
    else:
        assert told["brier"] is told["calibration_error"] is told["right"] is None


@given(st.lists(st.booleans(), min_size=1))
def test_who_always_says_half_has_a_quarter_and_who_knows_has_none(outcomes: list[bool]) -> None:
    """Brier scores of 0.25, of 0 and of 1; half of the runs right makes half a calibrated word."""
    half = confidence_figures([(50, right) for right in outcomes])
    knows, errs = (confidence_figures([(100 * (right == knowing), right) for right in outcomes]) for knowing in (1, 0))
    assert (half["brier"], knows["brier"], errs["brier"]) == (0.25, 0.0, 1.0)
    assert knows["calibration_error"] == 0.0
    assert confidence_figures([(50, True), (50, False)])["calibration_error"] == 0.0
