"""What stands on a chain that may be taken for the right thing."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as some

from caia_replay.origin.execution.decoy import look_alike

ADDRESSES = some.integers(0, 2**160 - 1).map(lambda number: f"0x{number:040x}")


@given(ADDRESSES, ADDRESSES)
def test_a_look_alike_has_both_ends(address: str, wallet: str) -> None:
    """Four digits at each, others between, and another one for every victim."""
    fake = look_alike(address, wallet)
    assert re.fullmatch("0x[0-9a-f]{40}", fake) and fake != address
    assert (fake[:6], fake[-4:]) == (address[:6], address[-4:])
    assert look_alike(address, address) != fake or wallet == address
