"""What the ``fork`` fixture gives a test: a chain to write to, with web3 over it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from caia_replay.chain import scratch_chain

if TYPE_CHECKING:
    from web3 import Web3


class ScratchChain(scratch_chain.ScratchChain):
    """``chain.scratch_chain.ScratchChain``, unusable when the test is over."""

    @functools.cached_property
    def web3(self) -> Web3:
        """A ``web3.Web3`` over this chain; web3 itself is imported when this is first asked for."""
        from web3 import Web3

        from caia_replay.interop.web3_provider import ScratchProvider

        return Web3(ScratchProvider(self))
