"""A run's world is found by what the run says of it, or is not there; and it is told when it is another by now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.run_world import has_changed, world_of


def test_a_world_is_found_from_the_folder_or_is_not_here(shipped: Path, tmp_path: Path) -> None:
    """By the suite's name from where the command stands; a name nobody has is None, and no name is bad input."""
    found = world_of(tmp_path, {"suite": "mini-6"}, shipped.parents[1])
    assert found is not None and found.path.resolve() == shipped.resolve()
    assert world_of(tmp_path, {"suite": "no-such-suite"}, tmp_path) is None
    with pytest.raises(BadInput, match="no suite's name"):
        world_of(tmp_path, {"suite": 7}, tmp_path)


def test_another_world_than_the_certificates_is_told(shipped: Path, tmp_path: Path) -> None:
    """Equal digests are the same world; one cell that names another is enough to differ."""
    world = world_of(tmp_path, {"suite": "mini-6"}, shipped.parents[1])
    assert world is not None
    index = {"cells": [{"arm": "clean", "condition": "tools", "folder": "clean-tools"}]}
    cell = tmp_path / "clean-tools"
    cell.mkdir()
    for digest, changed in ((world.seal.digest_without_overlays, False), ("0" * 64, True)):
        (cell / "certificate.json").write_text(json.dumps({"world": digest}))
        assert has_changed(tmp_path, index, world) is changed
