import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import pretty_bytes
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.seal import SEAL, check_seal, digest_files, manifest_digest, write_atomic, write_seal


def make_world(root: Path) -> tuple[Path, Path]:
    world, snapshots = root / "cassettes" / "w", root / "chain_snapshots"
    write_atomic(world / "world.toml", b'id = "w"\n')
    write_atomic(world / "http" / "pages.json", b'{"version": 1, "interactions": []}\n')
    write_atomic(world / "empty.json", b"")
    write_atomic(snapshots / "c" / "manifest.json", b'{"a": 1}\n')
    write_seal(world, snapshots, ["c"])
    return world, snapshots


@settings(max_examples=60, deadline=None)
@given(choice=st.data())
def test_any_changed_byte_is_seen(tmp_path_factory: pytest.TempPathFactory, choice: st.DataObject) -> None:
    """One changed, removed or added byte anywhere breaks the seal, modification time put back or not."""
    world, snapshots = make_world(tmp_path_factory.mktemp("w"))
    files = sorted(path for root in (world, snapshots) for path in root.rglob("*") if path.is_file())
    path = choice.draw(st.sampled_from(files))
    data, before = path.read_bytes(), path.stat()
    at = choice.draw(st.integers(0, len(data)))
    byte = bytes([choice.draw(st.integers(0, 255))])
    changed = choice.draw(
        st.sampled_from([data[:at] + byte + data[at + 1 :], data[:at] + data[at + 1 :], data[:at] + byte + data[at:]])
    )
    path.write_bytes(changed)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    if changed == data:
        check_seal(world, snapshots)
        return
    with pytest.raises(SealBroken) as caught:
        check_seal(world, snapshots)
    assert path.name in str(caught.value)


def test_removed_and_added_files_are_named(tmp_path: Path) -> None:
    """A file that is gone and a file nobody sealed are both refused by name."""
    world, snapshots = make_world(tmp_path)
    (world / "extra.json").write_text("x")
    with pytest.raises(SealBroken, match=r"extra\.json: file is not in the seal"):
        check_seal(world, snapshots)
    (world / "extra.json").unlink()
    (world / "http" / "pages.json").unlink()
    with pytest.raises(SealBroken, match=r"pages\.json: sealed file is missing"):
        check_seal(world, snapshots)
    (world / SEAL).unlink()
    with pytest.raises(SealBroken, match="not sealed"):
        check_seal(world, snapshots)


def test_a_seal_with_a_forged_entry_is_refused(tmp_path: Path) -> None:
    """Editing a digest inside the seal breaks the seal's own digest."""
    world, snapshots = make_world(tmp_path)
    seal = json.loads((world / SEAL).read_bytes())
    seal["files"]["world.toml"] = "sha256:" + "0" * 64
    (world / SEAL).write_bytes(pretty_bytes(seal))
    with pytest.raises(SealBroken, match="seal itself"):
        check_seal(world, snapshots)


def test_links_are_refused(tmp_path: Path) -> None:
    """A world may not reach outside its folder through a link."""
    world, _ = make_world(tmp_path)
    (world / "link").symlink_to(tmp_path)
    with pytest.raises(BadInput, match="links"):
        digest_files(world)


def test_sealing_twice_gives_equal_digests(tmp_path: Path) -> None:
    """The seal is a pure function of the files, and sealing an untouched world changes nothing."""
    world, snapshots = make_world(tmp_path)
    first = check_seal(world, snapshots)
    assert write_seal(world, snapshots, ["c"]).digest == first.digest
    assert manifest_digest(snapshots, "c") == first.chains["c"]


def test_a_missing_manifest_names_the_file(tmp_path: Path) -> None:
    """A world whose snapshot is gone says which manifest it wants."""
    world, snapshots = make_world(tmp_path)
    (snapshots / "c" / "manifest.json").unlink()
    with pytest.raises(SealBroken, match=r"manifest\.json"):
        check_seal(world, snapshots)


def test_a_campaign_does_not_count_where_it_is_not_applied(tmp_path: Path) -> None:
    """The digest without overlays moves with every file but an overlay; the seal's own digest with all."""
    world, snapshots = make_world(tmp_path)
    first = check_seal(world, snapshots)
    write_atomic(world / "overlays" / "x.toml", b"campaign = 1")
    second = write_seal(world, snapshots, ["c"])
    write_atomic(world / "world.toml", b'id = "other"')
    third = write_seal(world, snapshots, ["c"])
    assert first.digest_without_overlays == second.digest_without_overlays != third.digest_without_overlays
    assert len({first.digest, second.digest, third.digest}) == 3
