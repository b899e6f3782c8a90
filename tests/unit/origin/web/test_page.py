"""What pages and posts are made of."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import pytest

from caia_replay.origin.web.page import Claim, Status


def test_a_claim_is_true_unless_it_says_otherwise() -> None:
    """Claims are frozen, true by default, and of four statuses."""
    claim = Claim("price", "coin", 5, "$1", Fraction(1), Fraction(1))
    assert claim.status == "true" and get_args(Status) == ("true", "stale", "mistaken", "rumour")
    with pytest.raises(AttributeError):
        claim.status = "stale"  # type: ignore[misc]
