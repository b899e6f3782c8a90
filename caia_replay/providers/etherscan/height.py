"""Which block is the newest at a moment, by recorded headers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import utc

_MOST_KEPT: Final = 4_096


class Heights:
    """The chains an explorer knows, by chain id in decimal digits. Answers are kept: headers do not change."""

    def __init__(self, chains: Mapping[str, ChainSource]) -> None:
        self.chains = {str(chain.chain_id): chain for chain in chains.values()}
        self._newest = lru_cache(_MOST_KEPT)(
            lambda id, moment, anchored: newest_block(self.chain(id), moment, anchored)
        )

    def chain(self, chain_id: str) -> ChainSource:
        """The tables of a chain. Raises ``Miss`` when there are none."""
        if chain_id not in self.chains:
            raise Miss("http", f"chain {chain_id}", "recorded chains", ", ".join(sorted(self.chains)))
        return self.chains[chain_id]

    def at(self, chain_id: str, moment: int, anchored: bool = True) -> int:
        """The newest block at ``moment``, as ``newest_block``. Raises ``Miss``."""
        return self._newest(chain_id, moment, anchored)

    def known(self, chain_id: str, moment: int, anchored: bool = True) -> int | None:
        """The same, or None."""
        try:
            return self.at(chain_id, moment, anchored)
        except Miss:
            return None


def newest_block(chain: ChainSource, moment: int, anchored: bool) -> int:
    """The last block not after ``moment``: the one whose successor is later.

    Chains make several blocks a second, so where no successor is recorded a block made at the moment itself is only
    taken as the last one if ``moment`` is where the world stands (``anchored``): that is what was captured. Raises
    ``Miss`` otherwise: what follows the last recorded header may have been made before ``moment`` as well.
    """
    numbers = _dated(chain)
    at = bisect_right(numbers, moment, key=lambda number: timestamp(chain, number))
    if at:
        newest = numbers[at - 1]
        if _is_told(chain, newest + 1):
            return newest
        if anchored and timestamp(chain, newest) == moment and any(newest == last for _, last in chain.heights):
            return newest
    raise Miss("block", f"the newest block at {utc(moment)}", chain.name, f"{len(numbers)} headers")


def _dated(chain: ChainSource) -> Sequence[int]:
    """The blocks of which it is known when they were made, ascending."""
    computed = {number for number in chain.reconstructed if _is_computed(chain, number)}
    return [number for number in chain.numbers if number not in computed] if computed else chain.numbers


def nearest_block(chain: ChainSource, moment: int, after: bool, newest: int) -> int:
    """The last block not after ``moment``, or the first not before it, of those up to ``newest``, which is known to
    be the newest there is. Raises ``Miss``, also where there is none: how a vendor words that is recorded or nothing.
    """
    last = timestamp(chain, newest)
    if moment > last and after:
        raise Miss("block", f"the first block from {utc(moment)} on", chain.name, f"block {newest} is the newest")
    if after and chain.heights[0][0] == 0 and moment < timestamp(chain, 0):
        return 0
    before = newest if moment >= last else newest_block(chain, moment, anchored=False)
    if not after:
        return before
    if timestamp(chain, before) < moment:
        return before + 1
    while before > 0 and timestamp(chain, before - 1) == moment:
        before -= 1
    return before


def timestamp(chain: ChainSource, number: int) -> int:
    """When a block was made. Raises ``Miss``, also where the header's time was computed and not recorded."""
    if _is_computed(chain, number):
        raise Miss("block", f"when block {number} was made", chain.name, "a time that was computed")
    return int(chain.header(number)["timestamp"], 16)


def _is_told(chain: ChainSource, number: int) -> bool:
    try:
        timestamp(chain, number)
    except Miss:
        return False
    return True


def _is_computed(chain: ChainSource, number: int) -> bool:
    return "timestamp" in chain.reconstructed.get(number, ())
