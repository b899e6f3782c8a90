"""Behaviour of a world that stands on another one's recordings: they are its own, and those it was sealed
with."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.world_folder import WorldFolder, open_world, save_task, save_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld


def standing_on(root: Path, name: str = "upper", base: str | None = "mini-6", digest: str | None = None) -> Path:
    """A world beside mini-6 with its first task under another name, and no recordings of its own."""
    folder = open_world(str(root / "cassettes" / "mini-6"))
    made = root / "cassettes" / name
    first = folder.suite.active()[0]
    task = replace(folder.task(first), id="upper-1")
    found = digest or folder.seal.digest_without_overlays
    info = replace(folder.info, id=name, base=base, base_digest=found)
    entries = tuple(replace(one, id="upper-1") for one in folder.suite.entries if one.id == first)
    save_world(made, info, replace(folder.suite, id=name, entries=entries))
    save_task(made, task)
    seal_world(made)
    return made


def searched(folder: WorldFolder, task: str) -> tuple[Served, str]:
    with FrozenWorld(folder) as world, WorldToolset(world.task(folder.task(task))) as tools:
        reply = tools.call("web_search", json.dumps({"query": "supply", "limit": 5}))
    return reply.served, json.dumps(reply.result, default=dict)


def test_a_base_s_recordings_are_the_world_s_own(mini: Path) -> None:
    """The same question in both worlds is answered alike, though the upper one has no cassette."""
    upper = open_world(str(standing_on(mini)))
    assert not (upper.path / "http").exists()
    lower = open_world(str(mini / "cassettes" / "mini-6"))
    assert searched(upper, "upper-1") == searched(lower, lower.suite.active()[0])
    assert searched(upper, "upper-1")[0] is Served.RANKED


def test_the_base_s_bytes_are_part_of_what_is_sealed(mini: Path) -> None:
    """Overlays and targets of a base may change; one sealed again or edited elsewhere is not the one meant."""
    upper, lower = standing_on(mini), mini / "cassettes" / "mini-6"
    (lower / "targets.toml").unlink(missing_ok=True)
    seal_world(lower)
    assert open_world(str(upper)).base is not None
    suite = lower / "suite.toml"
    suite.write_text(suite.read_text() + "\n")
    with pytest.raises(SealBroken, match="differs from its seal"):
        open_world(str(upper))
    seal_world(lower)
    with pytest.raises(SealBroken, match="not the world that upper was sealed with"):
        open_world(str(upper))


def test_a_base_is_another_world_beside_this_one(mini: Path) -> None:
    """None that is not there, no path, not the world itself, none with a base of its own; each is told in a line."""
    for base, words in (("nowhere", "not beside it"), ("../mini-6", "no other"), ("upper", "no other")):
        with pytest.raises(BadInput, match=words):
            open_world(str(standing_on(mini, base=base)))
    upper = standing_on(mini)
    digest = open_world(str(upper)).seal.digest_without_overlays
    with pytest.raises(BadInput, match="bases are no chain"):
        open_world(str(standing_on(mini, "third", "upper", digest)))
    shutil.rmtree(mini / "cassettes" / "mini-6")
    with pytest.raises(BadInput, match="mini-6, which is not beside it"):
        open_world(str(upper))
