from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.errors import ToolError
from caia_replay.tools.block_range import block_or_time, block_range
from caia_replay.tools.call_view import CallView
from caia_replay.world.clock import utc_text
from tests.chain_world import ANCHOR

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld


def test_times_mean_the_blocks_that_lie_between_them(chain_world: ChainWorld) -> None:
    """For moments around every block: the first not before the beginning, the last not after the end."""
    view, times = CallView(chain_world.world), [chain_world.time(number) for number in range(ANCHOR + 1)]
    for moment in (at + more for at in times[2:-1] for more in (-1, 0, 1)):
        first = min(number for number, made in enumerate(times) if made >= moment)
        last = max(number for number, made in enumerate(times) if made <= moment)
        assert block_range(view, "origin", utc_text(moment), None, None) == (first, ANCHOR)
        assert block_range(view, "origin", None, utc_text(moment), 0) == (0, last)
        assert block_or_time(view, "origin", utc_text(moment)) == last


def test_a_date_is_its_first_second_or_its_last(chain_world: ChainWorld) -> None:
    """The day of now reaches from its first block to the newest, and never beyond now."""
    view = CallView(chain_world.world)
    day = utc_text(view.now)[:10]
    first, last = block_range(view, "origin", day, day, None)
    assert last == ANCHOR == block_or_time(view, "origin", day) and first <= 1


def test_heights_and_nothing_have_their_usual_meaning(chain_world: ChainWorld) -> None:
    """Numbers, texts of numbers, latest, and null."""
    view = CallView(chain_world.world)
    assert block_range(view, "origin", "3", "0x7", None) == (3, 7)
    assert block_range(view, "origin", None, 7, None) == (7, 7)
    assert block_range(view, "origin", None, None, 0) == (0, ANCHOR)
    assert block_or_time(view, "origin", "latest") == block_or_time(view, "origin", None) == ANCHOR


@pytest.mark.parametrize(
    ("first", "last"), [(9, 3), (0, ANCHOR + 1), (-1, 3), ("2999-01-01", None), (0, "1999-01-01"), ("soon", None)]
)
def test_what_is_no_range_by_now_is_told(chain_world: ChainWorld, first: int | str, last: int | str | None) -> None:
    """Backwards, later than now, before the chain, or no time at all."""
    with pytest.raises(ToolError):
        block_range(CallView(chain_world.world), "origin", first, last, None)
