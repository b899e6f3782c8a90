"""Campaigns over worlds, for tests: planned, and as a file of the world's own."""

from __future__ import annotations

from pathlib import Path

from caia_replay.core.overlay import Overlay
from caia_replay.runner.campaign import planned_over
from caia_replay.store.overlay_file import save_overlay, written
from caia_replay.store.world_folder import WorldFolder, open_world, seal_world
from caia_replay.world.world import FrozenWorld


def planned(folder: WorldFolder, name: str = "edited") -> Overlay:
    """What the campaign adds to a world."""
    with FrozenWorld(folder) as world:
        return planned_over(world, name).overlay


def kept(world: Path, name: str = "edited") -> Path:
    """The campaign written into the world's folder, which is sealed again; where it stands."""
    save_overlay(world, written(planned(open_world(str(world)), name)))
    seal_world(world)
    return world / "overlays" / f"{name}.toml"
