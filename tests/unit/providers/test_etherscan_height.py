"""The newest block at a moment, by the headers of the shipped six-task chain and of one real block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss
from caia_replay.providers.etherscan_height import Heights, nearest_block, newest_block, timestamp


@pytest.fixture(scope="module")
def chain(shipped: Path) -> Snapshot:
    return Snapshot.open(shipped.parents[1] / "chain_snapshots" / "mini")


def test_the_newest_block_is_the_last_one_before_a_moment(chain: Snapshot) -> None:
    """At its own moment and until the next one is made."""
    times = [timestamp(chain, number) for number in range(61)]
    for number in range(60):
        assert newest_block(chain, times[number], False) == number
        assert newest_block(chain, times[number + 1] - 1, False) == number
    assert newest_block(chain, times[60], True) == 60


def test_what_follows_the_last_header_is_not_known(chain: Snapshot) -> None:
    """Nor what was before the first one."""
    for moment in (timestamp(chain, 60) + 1, timestamp(chain, 0) - 1):
        with pytest.raises(Miss):
            newest_block(chain, moment, True)


def test_the_nearest_block(chain: Snapshot) -> None:
    """Before or after a moment, of those there are; where there is none it is a miss."""
    times = [timestamp(chain, number) for number in range(61)]
    assert nearest_block(chain, times[30] + 1, after=False, newest=40) == 30
    assert nearest_block(chain, times[30] + 1, after=True, newest=40) == 31
    assert {nearest_block(chain, times[30], after, 40) for after in (False, True)} == {30}
    assert nearest_block(chain, times[60], after=False, newest=40) == 40
    assert nearest_block(chain, times[0] - 9, after=True, newest=40) == 0
    for moment, after in ((times[40] + 1, True), (times[0] - 1, False)):
        with pytest.raises(Miss):
            nearest_block(chain, moment, after, 40)


class Quick:
    """A chain of four blocks a second, pinned at blocks 50 and 100, with the headers beside them."""

    name, chain_id, heights, reconstructed = "quick", 5, ((50, 50), (100, 100)), {101: ("timestamp",)}
    seconds = {48: 9, 49: 9, 50: 10, 51: 10, 52: 10, 53: 10, 54: 11, 100: 25, 101: 25}

    def header(self, number: int) -> dict[str, Any]:
        if number not in self.seconds:
            raise Miss("block", str(number), self.name)
        return {"timestamp": hex(self.seconds[number])}


def test_blocks_of_one_second_are_all_looked_at() -> None:
    """The last of those is the newest; one whose successor is not known is it only where the world stands."""
    chain: Any = Quick()
    assert newest_block(chain, 10, False) == newest_block(chain, 10, True) == 53
    assert nearest_block(chain, 10, after=False, newest=100) == 53
    assert nearest_block(chain, 10, after=True, newest=100) == 50
    # The time of block 101 was computed: nobody knows it.
    assert newest_block(chain, 25, True) == 100
    with pytest.raises(Miss):
        newest_block(chain, 25, False)
    assert (Heights({"": chain}).known("5", 25), Heights({"": chain}).known("5", 25, anchored=False)) == (100, None)


def test_a_recorded_successor_of_the_same_second_is_newer() -> None:
    """Also where the world stands."""
    chain: Any = Quick()
    chain.reconstructed, chain.seconds = {}, {**Quick.seconds, 102: 26}
    assert newest_block(chain, 25, True) == 101


def test_chains_are_found_by_their_id(chain: Snapshot) -> None:
    """In decimal digits; one nobody recorded is a miss that names those there are."""
    heights = Heights({"any name": chain})
    assert heights.at("700177", timestamp(chain, 7)) == 7
    assert heights.known("700177", timestamp(chain, 60) + 1) is None
    with pytest.raises(Miss) as miss:
        heights.at("1", 5)
    assert miss.value.detail.nearest == "700177"


@pytest.mark.real
def test_of_one_recorded_block_only_its_own_moment_is_known(real_block: Path) -> None:
    """A second later another block may have been made."""
    chain = Snapshot.open(real_block.parents[1] / "chain_snapshots" / "mainnet-22244135")
    block = 22_244_135
    moment = timestamp(chain, block)
    assert newest_block(chain, moment, True) == block
    # The header before it was computed, the one after it was not recorded.
    for unknown in (moment + 1, moment - 1, moment - 12):
        with pytest.raises(Miss):
            newest_block(chain, unknown, True)
    with pytest.raises(Miss):
        timestamp(chain, block - 1)
