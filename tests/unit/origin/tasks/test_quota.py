"""How many of a suite's tasks are of which category and source."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.tasks.quota import CAIA, CHINESE, WHOLE, shares


def test_both_of_caias_counts_are_kept() -> None:
    """By category as the paper counts its 178 tasks, and by what answers them; 26 are in Chinese."""
    by_category, by_source = Counter[str](), Counter[str]()
    for (category, source), count in CAIA.items():
        by_category[category] += count
        by_source[source] += count
    assert by_category == {
        "on-chain analysis": 77, "project discovery": 49, "tokenomics": 23, "overlap": 14, "trend analysis": 8,
        "general knowledge": 7,
    }  # fmt: skip
    assert by_source == {
        "point look-up": 24, "aggregate": 22, "contract metadata": 20, "supply and unlocks": 23, "DeFi metrics": 24,
        "project facts": 40, "other chain": 13, "market price": 5, "general knowledge": 7,
    }  # fmt: skip
    assert WHOLE == 178 and CHINESE == 26


def test_shares_of_the_whole_are_the_proportions() -> None:
    """178 of them are the table itself; what is left over goes to the largest remainder."""
    assert shares(WHOLE, CAIA) == dict(CAIA)
    assert shares(10, {"overlap": 1, "tokenomics": 2}) == {"overlap": 3, "tokenomics": 7}


@given(st.integers(0, 400), st.dictionaries(st.text(max_size=3), st.integers(1, 90), min_size=1))
def test_shares_add_up(count: int, proportions: dict[str, int]) -> None:
    """Whatever the proportions, the whole is the whole, and no share is a unit away from its part of it."""
    found, whole = shares(count, proportions), sum(proportions.values())
    assert sum(found.values()) == count and found.keys() == proportions.keys()
    assert all(abs(found[key] * whole - count * part) < whole for key, part in proportions.items())
