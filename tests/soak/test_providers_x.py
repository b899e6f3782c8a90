"""The law of X's provider over many draws, in three networks."""

from __future__ import annotations

import pytest

from tests.x_law import Court

DRAWS = 1_700


@pytest.mark.soak
def test_the_law_over_many_draws() -> None:
    """Inside what was recorded the answer is the living one, outside it is a miss; most draws are inside."""
    shares = [Court(f"soak {number}").hold(DRAWS) for number in range(3)]
    print(f"{DRAWS * len(shares):,} draws, {', '.join(f'{share:.3f}' for share in shares)} inside")
    assert sum(shares) / len(shares) >= 0.7
