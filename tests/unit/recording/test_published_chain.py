from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.publish import publish
from caia_replay.recording.published_chain import install_chain
from caia_replay.recording.published_file import Published, read_published
from caia_replay.store.seal import digest_files
from caia_replay.store.world_folder import open_world, snapshots_of


@pytest.fixture
def found(shipped: Path, tmp_path: Path) -> Published:
    """The shipped world with its chain, published."""
    world = open_world(str(shipped))
    return read_published(publish(world, tmp_path / "pub", chains=True).path)


def test_a_chain_is_put_in_its_place(found: Published, shipped: Path, tmp_path: Path) -> None:
    """File by file what was published; a second time it stays as it is."""
    target = tmp_path / "chain_snapshots" / "mini"
    assert install_chain(found, "mini", target)
    assert digest_files(target) == digest_files(snapshots_of(shipped) / "mini")
    (target / "note").write_text("mine")
    assert not install_chain(found, "mini", target) and (target / "note").read_text() == "mine"


def test_a_changed_file_leaves_nothing(found: Published, tmp_path: Path) -> None:
    """Edited, replaced by a link, missing, or under another manifest: refused, and no folder is left."""
    target = tmp_path / "chain_snapshots" / "mini"
    folder = found.folder / "chain_snapshots" / "mini"
    path = next(path for path in sorted(folder.iterdir()) if path.suffix == ".parquet")
    data = path.read_bytes()
    path.write_bytes(data + b"x")
    with pytest.raises(BadInput, match="was changed since"):
        install_chain(found, "mini", target)
    path.unlink()
    with pytest.raises(BadInput, match="cannot be read"):
        install_chain(found, "mini", target)
    (tmp_path / "copy").write_bytes(data)
    path.symlink_to(tmp_path / "copy")
    with pytest.raises(BadInput, match="is a link"):
        install_chain(found, "mini", target)
    other = replace(found.contents, chains={"mini": "sha256:" + "0" * 64})
    with pytest.raises(BadInput, match="manifest that was sealed"):
        install_chain(replace(found, contents=other), "mini", target)
    assert not target.exists() and not list(tmp_path.glob("chain_snapshots/.*"))
