"""The tools of an arm: what an agent is given there, on whichever overlay stands over its world."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from caia_replay.core.tool import Toolset
from caia_replay.errors import BadInput, nearest
from caia_replay.runner.plan import ARMS
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.defences import LABELLED, Labelled, parse_defence
from caia_replay.world.world import TaskWorld


def require_arm(arm: str) -> None:
    """Raise ``BadInput`` for what is no arm."""
    if arm not in ARMS:
        raise BadInput(
            f"unknown arm {arm!r:.80}",
            where="--arm",
            nearest=nearest(arm, ARMS),
            next_command=f"--arm {' | '.join(ARMS)}",
        )


def tools_in(arm: str) -> tuple[str, ...]:
    """The names of the tools that an arm has, in catalog order: all of them, or those of authoritative sources."""
    return tuple(name for name, tool in CATALOG.items() if arm != "authority-only" or tool.authority == "authoritative")


def names_in(arm: str, names: Collection[str] | None = None) -> list[str]:
    """The tools of an arm, narrowed to ``names``."""
    return [name for name in tools_in(arm) if names is None or name in names]


def apply_defence(arm: str, tools: Toolset, defence: str = "") -> Toolset:
    """What an agent is given of ``tools`` in an arm, behind a defence where one is named. Raises as
    ``parse_defence``."""
    chosen = parse_defence(defence)
    guarded = tools if chosen is None else chosen.over(tools)
    is_labelled = chosen is not None and chosen.name == LABELLED
    return Labelled(guarded) if arm == "labelled" and not is_labelled else guarded


@contextmanager
def toolset_in(
    arm: str, world: TaskWorld, names: Collection[str] | None = None, defence: str = ""
) -> Iterator[Toolset]:
    """The arm's tools over one task's world, narrowed to ``names``, behind a defence where one is named; what a run
    started ends with the block. Raises as ``parse_defence``."""
    with WorldToolset(world, names_in(arm, names)) as tools:
        yield apply_defence(arm, tools, defence)
