"""The cast: drawn from the seed, the same for ever."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.mini.cast import PEOPLE, ROLES, draw_cast


def test_a_seed_means_the_same_names_for_ever() -> None:
    """Names and wallets of seed 1 are pinned: a change would replace every published world."""
    cast = draw_cast(1)
    assert (cast.protocol.name, cast.protocol.ticker, cast.payments.name) == (
        "Mareskal Protocol",
        "MARE",
        "Norumith Pay",
    )
    assert cast.address("exchange") == draw_cast(1).address("exchange")


def test_two_seeds_share_no_wallet() -> None:
    """Every role and person has another address under another seed."""
    first, second = (
        {str(one.address) for one in (*cast.wallets.values(), *cast.people)} for cast in map(draw_cast, (1, 2))
    )
    assert len(first) == len(second) == len(ROLES) + PEOPLE
    assert not first & second


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_the_two_tickers_differ(seed: int) -> None:
    """Whatever the seed, the two projects cannot be taken for one, and sites are in the reserved zone."""
    cast = draw_cast(seed)
    assert cast.protocol.ticker != cast.payments.ticker
    assert cast.protocol.site.endswith(".example") and cast.payments.site.endswith(".example")
