"""A synthetic world's chain, grown again from the seed its world.toml names, for recording from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.store.world_folder import WorldInfo
from caia_worldgen.chain import OriginChain
from caia_worldgen.mini.build import WORLD
from caia_worldgen.mini.cast import draw_cast
from caia_worldgen.mini.story import genesis, tell

_ECONOMY: Final = re.compile(r"synthetic-[0-9]{1,6}")


@contextmanager
def synthetic_node(info: WorldInfo) -> Iterator[str]:
    """The RPC URL, on loopback, of a node on which everything that ever happened has happened.

    Raises ``BadInput`` for a world that no seed is known of, and for an economy: its chains are complete already.
    """
    if _ECONOMY.fullmatch(info.id):
        raise BadInput(
            f"the chains of {info.id} are recorded whole; there is nothing to record",
            next_command=f"caia-replay verify --suite {info.id}",
        )
    if info.id != WORLD or info.seed is None:
        raise BadInput(
            f"world {info.id} names no seed it can be grown from again",
            next_command="give its node: --rpc-url URL",
        )
    cast = draw_cast(info.seed)
    with OriginChain(genesis(cast)) as chain:
        tell(cast, chain)
        yield chain.url
