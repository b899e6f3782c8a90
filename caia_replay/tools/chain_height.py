"""Which block of a chain an argument means: a height, or a moment by recorded headers; never one still to come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.etherscan.height import nearest_block, timestamp
from caia_replay.tools.argument import moment_argument
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

_HEIGHT: Final = re.compile(r"[0-9]{1,20}|0x[0-9a-f]{1,16}")


def height_argument(world: ToolContext, chain: str, block: int | str | None, time: str | int | None = None) -> int:
    """The height that ``block`` (decimal, 0x or latest) or ``time`` names; without both the newest at this moment.

    A moment means the last block at or before it. Raises ``ToolError`` and ``Miss``.
    """
    if time is not None:
        if block is not None:
            raise ToolError("give block or time, not both")
        moment = moment_argument(time, world.now)
        found = block_at(world, chain, moment)
        if found is None:
            raise ToolError(f"{chain} begins at {utc_text(block_time(world, chain, 0))}; {utc_text(moment)} is earlier")
        return found
    newest = world.newest(chain)
    height = newest if block is None else _height(block, newest)
    if not 0 <= height <= newest:
        raise ToolError(f"block {height} of {chain} does not exist at this moment; the newest is {newest}")
    return height


def block_at(world: ToolContext, chain: str, moment: int) -> int | None:
    """The last block at or before ``moment``, of those there are now; None before a chain's first. Raises ``Miss``."""
    source = world.chain(chain)
    world.touch(Served.DERIVED)
    if source.heights[0][0] == 0 and moment < timestamp(source, 0):
        return None
    return nearest_block(source, moment, after=False, newest=world.newest(chain))


def block_time(world: ToolContext, chain: str, block: int) -> int:
    """When a block that ``height_argument`` gave was made, by its recorded header. Raises ``Miss``."""
    world.touch(Served.DERIVED)
    return timestamp(world.chain(chain), block)


def describe_block(world: ToolContext, chain: str, block: int) -> dict[str, Any]:
    """A block with its time, as the tools show it."""
    made = block_time(world, chain, block)
    return {"block": block, "timestamp": made, "time_utc": utc_text(made)}


def shown_block(world: ToolContext, chain: str, block: int) -> dict[str, Any]:
    """The same, with a time of null where it is not recorded."""
    try:
        return describe_block(world, chain, block)
    except Miss:
        return {"block": block, "timestamp": None, "time_utc": None}


def _height(block: int | str, newest: int) -> int:
    if not isinstance(block, str):
        return block
    text = block.strip(" \t\r\n'\"`").lower()
    if text == "latest":
        return newest
    if not _HEIGHT.fullmatch(text):
        raise ToolError(f"{block[:100]!r} is no block height; write 123, 0x7b or latest, or give a time as time")
    return int(text, 16) if text.startswith("0x") else int(text)
