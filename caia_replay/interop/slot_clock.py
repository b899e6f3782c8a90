"""Which times an Ethereum mainnet block can have, from the rule that slots are twelve seconds: a check, not a value.

Since the merge a block fills one slot, and a slot has a block or none. So a later block is at least twelve seconds
later for each number between, and every time is a whole number of slots from the beacon chain's genesis.
"""

from __future__ import annotations

from typing import Final

SLOT_S: Final = 12
GENESIS: Final = 1_606_824_023
"""The beacon chain's genesis, from which slots are counted (consensus specifications)."""
KNOWN: Final = ((15_537_394, 1_663_224_179), (22_244_135, 1_744_355_675))
"""Blocks and their times from their headers: the first after the merge, and one of April 2025."""
MOST_MISSED_PERCENT: Final = 3
"""More slots than this were never empty over a long stretch: 0.8 per cent were between the two known blocks."""


def bounds(block: int) -> tuple[int, int] | None:
    """The earliest and latest second that ``block`` can be of, both inside; None before the merge."""
    if block < KNOWN[0][0]:
        return None
    first, last = 0, 2**62
    for number, second in KNOWN:
        between = SLOT_S * abs(block - number)
        longest = between * 100 // (100 - MOST_MISSED_PERCENT)
        least, most = (between, longest) if block >= number else (-longest, -between)
        first, last = max(first, second + least), min(last, second + most)
    return first, last


def contradiction(block: int, second: int) -> str | None:
    """Why ``block`` cannot be of ``second``, in words; None where it can, and before the merge."""
    span = bounds(block)
    if span is None:
        return None
    if not span[0] <= second <= span[1]:
        side, far = ("early", span[0] - second) if second < span[0] else ("late", second - span[1])
        return f"block {block} cannot be of that time: {far / 3600:.1f} hours too {side}"
    if (second - GENESIS) % SLOT_S:
        return f"no slot begins at that second, so no block is of it (block {block} was named)"
    return None
