"""A range of blocks as arguments name it: by heights or by dates, both ends included, none still to come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, moment_argument
from caia_replay.tools.chain_height import block_at, height_argument
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

_HEIGHT: Final = re.compile(r"\s*(?:[0-9]{1,20}|0x[0-9a-f]{1,16}|latest)\s*", re.IGNORECASE)
_CLOCK: Final = re.compile(r":|ago|now", re.IGNORECASE)


def block_range(
    world: ToolContext, chain: str, first: int | str | None, last: int | str | None, usual_first: int | None
) -> tuple[int, int]:
    """First and last block. ``last`` is the newest where it is None, ``first`` then ``usual_first``, or else ``last``.

    A date means its first second as the beginning and its last as the end; a time means itself.
    Raises ``ToolError`` for an end before the beginning or after now, and ``Miss`` where no header tells the time.
    """
    end = _height(world, chain, last, ends=True)
    begin = (end if usual_first is None else usual_first) if first is None else _height(world, chain, first, ends=False)
    if begin > end:
        raise ToolError(f"blocks {begin} to {end} are no range: the end comes before the beginning")
    return begin, end


def block_or_time(world: ToolContext, chain: str, block: int | str | None) -> int:
    """One block: a height, or the last one of a date or at a time; the newest for None. Raises as above."""
    return _height(world, chain, block, ends=True)


def _height(world: ToolContext, chain: str, value: int | str | None, *, ends: bool) -> int:
    if value is None or isinstance(value, int) or _HEIGHT.fullmatch(value):
        return height_argument(world, chain, value)
    moment = moment_argument(value, world.now, "a block's time")
    if ends and not _CLOCK.search(value):
        moment = min(world.now, moment + DAY_S - 1)
    found = block_at(world, chain, moment if ends else moment - 1)
    height = (-1 if found is None else found) + (0 if ends else 1)
    if not 0 <= height <= world.newest(chain):
        raise ToolError(
            f"{chain} has no block {'by' if ends else 'from'} {utc_text(moment)} that is there at this moment"
        )
    return height
