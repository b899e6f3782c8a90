"""The venue: a pure function of its seed, never without a price inside the story."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.venue import HOUR_S, Shock, Temper, Venue, walk

TEMPERS = st.builds(Temper, st.integers(1, 10**15), st.integers(0, 400_000), st.integers(-2_000, 2_000))


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=8), TEMPERS, st.integers(1, 120))
def test_a_walk_repeats_and_stays_positive(name: str, temper: Temper, hours: int) -> None:
    """Equal names walk equally; a longer walk begins with the shorter; each hour moves within its reach."""
    prices = walk(name, temper, hours)
    assert prices == walk(name, temper, hours) == walk(name, temper, hours + 9)[:hours]
    assert prices[0] == temper.first_price_e8 and min(prices) >= 1
    reach = temper.hourly_ppm * 165 // 100 + abs(temper.drift_ppm)
    for before, after in pairwise(prices):
        assert abs(after - before) <= before * reach // 1_000_000 + 1


def test_a_shock_moves_its_hour_alone() -> None:
    """A fall of forty per cent is seen in its hour; the walk before it is untouched."""
    calm = Temper(10**10, 100)
    prices, shaken = walk("x", calm, 50), walk("x", calm, 50, (Shock(20, -400_000),))
    assert prices[:20] == shaken[:20]
    assert 0.59 < shaken[20] / shaken[19] < 0.61
    assert walk("x", Temper(5, 0), 3, (Shock(1, -2_000_000),)) == (5, 1, 1)


def test_a_moment_has_the_price_of_its_hour() -> None:
    """Inside an hour the price stands; outside the story there is none."""
    venue = Venue(1000 * HOUR_S, {"AAA": (5, 6, 7), "AA": (1, 1, 1)})
    assert [venue.price_e8("AAA", 1000 * HOUR_S + moment) for moment in (0, HOUR_S - 1, HOUR_S, 3 * HOUR_S - 1)] == [
        5,
        5,
        6,
        7,
    ]
    assert venue.assets == ["AA", "AAA"] and venue.hourly("AAA") == (5, 6, 7)
    for moment in (1000 * HOUR_S - 1, 1003 * HOUR_S):
        with pytest.raises(ValueError, match="hours 0 to 2"):
            venue.price_e8("AAA", moment)
