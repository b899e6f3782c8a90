"""Worlds sealed after a recording into a snapshot that they share."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from caia_replay.chain.snapshot_schema import reseal
from caia_replay.recording.world_seal import seal_worlds
from caia_replay.store.world_folder import open_draft, open_world


def changed(mini: Path) -> None:
    manifest = mini / "chain_snapshots" / "mini" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "source": "recorded again"}))
    reseal(manifest.parent)


def test_every_world_on_the_chain_is_sealed_with_it(mini: Path) -> None:
    """The one it was recorded for and the one beside it; what fits already is not touched."""
    one, two = mini / "cassettes" / "mini-6", mini / "cassettes" / "twin"
    shutil.copytree(one, two)
    assert list(seal_worlds(open_draft(one), "mini")) == []
    changed(mini)
    said = list(seal_worlds(open_draft(one), "mini"))
    assert [line.split(": ")[0] for line in said] == [f"sealed {one}", f"sealed {two}"]
    assert open_world(str(one)).seal.digest and open_world(str(two)).seal.digest


def test_an_edited_or_incomplete_world_is_left_to_its_owner(mini: Path) -> None:
    """Edits are not blessed by the way, and a world that lacks another chain is named."""
    one, two, three = (mini / "cassettes" / name for name in ("mini-6", "edited", "short"))
    shutil.copytree(one, two)
    (two / "suite.toml").write_text((two / "suite.toml").read_text() + "# more")
    shutil.copytree(one, three)
    (three / "world.toml").write_text((three / "world.toml").read_text().replace('["mini"]', '["mini", "other"]'))
    (three / "seal.json").unlink()
    changed(mini)
    said = list(seal_worlds(open_draft(one), "mini"))
    assert said[0].startswith("not sealed: ") and "edited/suite.toml" in said[0]
    assert said[1].startswith("sealed ") and "also stands on other, not recorded" in said[2]
