"""The law of X's provider over many draws, in three networks."""

from __future__ import annotations

import pytest

from tests.x_law import Court


@pytest.mark.soak
def test_the_law_over_many_draws() -> None:
    """Inside what was recorded the answer is the living one, outside it is a miss; most draws are inside."""
    shares = [Court(f"soak {number}").hold(1_700) for number in range(3)]
    assert sum(shares) / len(shares) >= 0.7
