"""Names: unique within a world, fresh in each, safe to print."""

from __future__ import annotations

import re
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.origin import naming
from caia_replay.origin.naming import WORLDS, Namer

SEEDS = st.integers(0, 10**9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_no_two_names_of_a_world_can_be_taken_for_each_other(seed: int) -> None:
    """Fifty projects and thirty people differ in their first letters, so tickers, slugs and sites differ too."""
    namer = Namer(seed)
    projects = [namer.project("Exchange") for _ in range(50)]
    people = [namer.person() for _ in range(30)]
    for names in (
        [one.ticker for one in projects],
        [one.id for one in projects],
        [*(one.name.lower()[:3] for one in projects), *(name[:3] for name in people)],
    ):
        assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[B-Z]{4}", one.ticker) for one in projects)
    assert all(re.sub("[aeiou]", "", one.name.split()[0]).upper() == one.ticker for one in projects)
    assert all(one.site.endswith(".example") and re.fullmatch(r"[a-z.-]+", one.site) for one in projects)
    assert all(re.fullmatch(r"[a-z]+\d{0,2}", name) for name in people)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, WORLDS - 1))
def test_two_seeds_share_no_name(seed: int, apart: int) -> None:
    """Names and tickers of two worlds are disjoint, however many each uses; the same seed gives the same ones."""
    one, other, again = ([Namer(number).word() for _ in range(1)] for number in (seed, seed + apart, seed))
    assert one == again and one != other
    first, second = ({word for namer in [Namer(number)] for _ in range(80) for word in namer.word()}
                     for number in (seed, seed + apart))  # fmt: skip
    assert not first & second


def test_every_four_belongs_to_one_seed() -> None:
    """The step visits every four once, or two seeds could meet."""
    assert gcd(naming._STEP, naming._FOURS) == 1


def test_a_world_without_names_left_says_so() -> None:
    """More names than a world's share is an error, not another world's name."""
    namer = Namer(1)
    with pytest.raises(BadInput, match="at most"):
        for _ in range(naming.SHARE + 1):
            namer.word()
