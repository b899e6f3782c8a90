from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.chain_height import block_at, height_argument, shown_block, told_block
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld


def test_heights_have_one_meaning_however_they_are_written(chain_world: ChainWorld) -> None:
    """Decimal, 0x, quoted and upper-case; latest and nothing are the newest of this moment."""
    view = CallView(chain_world.world)
    for text in (10, "10", "0xa", "0xA", " 10 ", "'10'", "0X0A"):
        assert height_argument(view, "origin", text) == 10
    for nothing in (None, "latest", "Latest"):
        assert height_argument(view, "origin", nothing) == chain_world.task.anchor.block


@pytest.mark.parametrize("text", ["0x" + "f" * 6000, "9" * 5000, "0b11", "1_0", "\u0663", "007x", "-1", "pending", ""])
def test_what_is_no_height_is_refused(chain_world: ChainWorld, text: str) -> None:
    """Nothing else is guessed at, and no length of it breaks the call; nor is a block that is still to come."""
    view = CallView(chain_world.world)
    for block in (text, -1, chain_world.task.anchor.block + 1, 10**30):
        with pytest.raises(ToolError):
            height_argument(view, "origin", block)


def test_a_moment_means_the_last_block_by_then(chain_world: ChainWorld) -> None:
    """By the living node's headers: a second before a block is still the one before it."""
    view = CallView(chain_world.world)
    for height in range(1, chain_world.task.anchor.block + 1):
        made = chain_world.time(height)
        assert block_at(view, "origin", made) == height
        assert block_at(view, "origin", made - 1) == height - 1
        assert height_argument(view, "origin", None, utc_text(made)) == height
        assert told_block(view, "origin", height) == {"block": height, "timestamp": made, "time_utc": utc_text(made)}
        assert shown_block(view, "origin", height) == told_block(view, "origin", height)
    assert view.served is Served.DERIVED


def test_a_moment_before_the_chain_and_one_to_come_are_told(chain_world: ChainWorld) -> None:
    """The first names when the chain began, the second what time it is; a block and a time at once are refused."""
    view, now = CallView(chain_world.world), chain_world.task.anchor.timestamp
    assert block_at(view, "origin", chain_world.time(0) - 1) is None
    with pytest.raises(ToolError, match="begins at 2023-11-14T22:13:20Z"):
        height_argument(view, "origin", None, "2020-01-01")
    with pytest.raises(ToolError, match="has not come yet"):
        height_argument(view, "origin", None, now + 1)
    with pytest.raises(ToolError, match="not both"):
        height_argument(view, "origin", 3, now)


def test_another_chain_stands_at_its_own_newest_block(short_world: FrozenWorld) -> None:
    """A task of one chain reads the other up to its own moment, never past it; past its last header it is a miss."""
    for name in short_world.folder.suite.active():
        task = short_world.folder.task(name)
        view = CallView(short_world.task(task))
        for chain, source in view.chains.items():
            last = source.heights[-1][1]
            if chain != task.anchor.chain and told_block(view, chain, last)["timestamp"] < task.anchor.timestamp:
                with pytest.raises(Miss, match=str(last + 1)):  # nobody recorded what followed
                    height_argument(view, chain, None)
                continue
            newest = height_argument(view, chain, None)
            assert told_block(view, chain, newest)["timestamp"] <= task.anchor.timestamp
            if newest < source.heights[-1][1] and chain != task.anchor.chain:
                assert told_block(view, chain, newest + 1)["timestamp"] > task.anchor.timestamp
                with pytest.raises(ToolError):
                    height_argument(view, chain, newest + 1)
