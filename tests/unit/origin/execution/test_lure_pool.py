"""Pools in which a worthless token can be bought by the right calls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from caia_replay.origin.contracts.swap import v2_out
from caia_replay.origin.execution.lure_pool import _DEEP, _needed

AMOUNTS = some.integers(10**6, 10**27)


@given(AMOUNTS, AMOUNTS)
def test_no_limit_of_the_question_protects(spent: int, least: int) -> None:
    """What a pool so filled pays for what is spent is more than the least that is asked for, and not absurdly so."""
    tokens = _needed(spent, least, _DEEP * spent)
    bought = v2_out(spent, _DEEP * spent, tokens)
    assert least < bought * 100 // 105 + 1 and bought <= least * 107 // 100 + 1
