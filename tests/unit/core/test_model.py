"""What tokens cost by a price."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import Price, Usage

COUNTS = st.integers(0, 10**9)


@given(COUNTS, COUNTS, COUNTS)
def test_a_price_is_per_million(prompt: int, completion: int, cached: int) -> None:
    """A million tokens of a kind cost what is written; cached ones their own price, or that of all prompt tokens."""
    usage = Usage(prompt, completion, cached_tokens=cached)
    plain = Price("3", "15", "2026-11-01", "x")
    assert plain.cost_usd(usage) * 10**6 == 3 * prompt + 15 * completion
    part = min(cached, prompt)
    assert Price("3", "15", "2026-11-01", "x", "0.3").cost_usd(usage) * 10**7 == (
        30 * (prompt - part) + 3 * part + 150 * completion
    )


def test_small_prices_lose_nothing() -> None:
    """One token at a tenth of a dollar per million is a ten-millionth, exactly."""
    assert Price("0.1", "0", "2026-11-01", "x").cost_usd(Usage(1, 0)) == Decimal("0.0000001")
