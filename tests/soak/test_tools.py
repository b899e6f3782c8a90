"""The tools over many calls: in replay they say what they say over the living APIs. TOOL_CALLS changes the count."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from caia_replay.core.tool import Served
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.every_draw import every_draw
from tests.short_economy import ShortEconomy
from tests.tool_law import judged

CALLS = int(os.environ.get("TOOL_CALLS", "1000"))
"""Of each tool."""


@pytest.fixture(scope="module")
def frozen(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The 48 days' world, opened once."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.mark.soak
@pytest.mark.parametrize("tool", every_draw())
def test_the_law_over_many_calls(tool: str, frozen: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Whatever is drawn, the frozen world says what the living one says, or that it was not recorded."""
    verdict = judged(tool, every_draw()[tool], frozen, short_economy.origin, CALLS, seed=1)
    print(f"{tool}: {CALLS:,} calls, {dict(sorted(verdict.served.items()))}")
    assert verdict.wrong == []
    assert verdict.served.total() - verdict.served[str(Served.ERROR)] - verdict.served[str(Served.MISS)] >= CALLS / 2
