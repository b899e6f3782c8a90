"""Sizes: known by name, the same days at each."""

from __future__ import annotations

import pytest

from caia_replay.errors import BadInput
from caia_replay.origin.scale import SCALES, scale_named


def test_every_size_tells_the_same_days() -> None:
    """At least 120 days, and from size to size only the blocks of a day grow."""
    assert len({scale.days for scale in SCALES.values()}) == 1 and SCALES["full"].days >= 120
    for name in ("main_blocks", "rollup_blocks"):
        grown = [getattr(SCALES[size], name) for size in ("small", "quarter", "half", "full")]
        assert grown == sorted(grown)
    assert SCALES["full"].days * SCALES["full"].main_blocks >= 2_000
    assert SCALES["quarter"].main_blocks * 4 == SCALES["half"].main_blocks * 2 == SCALES["full"].main_blocks


def test_an_unknown_size_names_the_nearest() -> None:
    """A typing error is told with what was meant."""
    assert scale_named("half").name == "half"
    with pytest.raises(BadInput, match="nearest: small"):
        scale_named("smal")
