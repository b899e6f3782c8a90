"""Sealed worlds: found by name, every byte counted, and nothing outside their folder."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import pretty_bytes
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.plain import thawed
from caia_replay.store.plain_file import open_plain, read_plain
from caia_replay.store.seal import SEAL, check_seal, digest_files, manifest_digest, write_atomic, write_seal
from caia_replay.store.world_folder import (
    find_task,
    find_world,
    load_task,
    open_draft,
    open_world,
    read_info,
    save_task,
    save_world,
    seal_world,
    snapshots_of,
)
from tests.campaigns import kept


def make_world(root: Path) -> tuple[Path, Path]:
    world, snapshots = root / "cassettes" / "w", root / "chain_snapshots"
    write_atomic(world / "world.toml", b'id = "w"\n')
    write_atomic(world / "http" / "pages.json", b'{"version": 1, "interactions": []}\n')
    write_atomic(world / "empty.json", b"")
    write_atomic(snapshots / "c" / "manifest.json", b'{"a": 1}\n')
    write_seal(world, snapshots, ["c"])
    return world, snapshots


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
    write_atomic(world / "http" / "pages.json", b'{"version": 1, "interactions": []}\n')
    (snapshots / "c" / "manifest.json").unlink()
    with pytest.raises(SealBroken, match=r"manifest\.json"):
        check_seal(world, snapshots)
    (world / SEAL).unlink()
    with pytest.raises(SealBroken, match="not sealed"):
        check_seal(world, snapshots)


def test_forged_entries_and_links_are_refused_and_sealing_twice_is_equal(tmp_path: Path) -> None:
    """The seal is a pure function of the files, sealed itself, and reaches nowhere else."""
    world, snapshots = make_world(tmp_path)
    first = check_seal(world, snapshots)
    assert write_seal(world, snapshots, ["c"]).digest == first.digest
    assert manifest_digest(snapshots, "c") == first.chains["c"]
    world, snapshots = make_world(tmp_path)
    seal = json.loads((world / SEAL).read_bytes())
    seal["files"]["world.toml"] = "sha256:" + "0" * 64
    (world / SEAL).write_bytes(pretty_bytes(seal))
    with pytest.raises(SealBroken, match="seal itself"):
        check_seal(world, snapshots)
    world, _ = make_world(tmp_path)
    (world / "link").symlink_to(tmp_path)
    with pytest.raises(BadInput, match="links"):
        digest_files(world)


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


def test_a_suite_is_found_by_name_from_any_folder_below(mini: Path) -> None:
    """The current folder or one above holds cassettes/<suite>; a path works too."""
    below = mini / "a" / "b"
    below.mkdir(parents=True)
    assert find_world("mini-6", below) == mini / "cassettes" / "mini-6"
    assert find_world(str(mini / "cassettes" / "mini-6"), below).name == "mini-6"
    assert snapshots_of(mini / "cassettes" / "mini-6") == (mini / "chain_snapshots").resolve()
    with pytest.raises(BadInput, match="nearest: mini-6"):
        find_world("mini6", below)


def test_a_task_is_found_by_its_id_alone(mini: Path) -> None:
    """Its world is the one that holds it; an id in two worlds, or in none, is refused."""
    folder = open_world(str(mini / "cassettes" / "mini-6"))
    wanted = folder.suite.active()[0]
    assert find_task(wanted, mini).path.name == "mini-6"
    with pytest.raises(BadInput, match="nearest"):
        find_task(wanted + "x", mini)
    other = mini / "cassettes" / "other" / "tasks" / wanted
    other.mkdir(parents=True)
    with pytest.raises(BadInput, match="several suites"):
        find_task(wanted, mini)


def test_tasks_suites_and_worlds_are_written_as_they_are_read(mini: Path) -> None:
    """Saving what was loaded changes no byte, so a re-sealed world has the same digest."""
    world = mini / "cassettes" / "mini-6"
    folder = open_world(str(world))
    for name in folder.suite.active():
        save_task(world, folder.task(name))
    save_world(world, folder.info, folder.suite)
    assert seal_world(world).digest == folder.seal.digest
    assert thawed(read_info(world)) == thawed(folder.info)


def test_a_task_in_the_wrong_folder_is_refused(mini: Path) -> None:
    """A task's id is its folder's name."""
    world = mini / "cassettes" / "mini-6"
    task = open_world(str(world)).task(open_world(str(world)).suite.active()[0])
    save_task(world, replace(task, id="renamed"))
    (world / "tasks" / "renamed" / "task.toml").rename(world / "tasks" / task.id / "task.toml")
    with pytest.raises(BadInput, match="'renamed'"):
        load_task(world / "tasks" / task.id)


def test_unknown_tasks_and_campaigns_name_the_nearest(mini: Path) -> None:
    """What is not there is refused with what is."""
    kept(mini / "cassettes" / "mini-6")
    folder = open_world(str(mini / "cassettes" / "mini-6"))
    with pytest.raises(BadInput, match="nearest: " + folder.suite.active()[0]):
        folder.task(folder.suite.active()[0] + "s")
    with pytest.raises(BadInput, match="nearest: edited"):
        folder.overlay("editd")


def test_a_suite_cannot_name_folders_outside_its_world(mini: Path) -> None:
    """A stranger's suite whose task id climbs out of its folder is refused."""
    world = mini / "cassettes" / "mini-6"
    path = world / "suite.toml"
    first = open_world(str(world)).suite.active()[0]
    path.write_text(path.read_text().replace(f'id = "{first}"', 'id = "../../x"', 1))
    seal_world(world)
    with pytest.raises(BadInput, match="no folder name"):
        open_world(str(world))


def test_cassettes_come_with_the_tasks_own_first(shipped: Path) -> None:
    """A task's own recordings take precedence, then the shared ones; all of them are there once."""
    folder = open_world(str(shipped))
    for name in folder.suite.active():
        paths = folder.cassettes(name)
        assert paths[0] == folder.path / "tasks" / name / "http.json"
        assert sorted(paths) == sorted(folder.cassettes())


def test_a_planted_value_stands_in_its_page_once_written(mini: Path) -> None:
    """Changing a planted value in the overlay changes every place the page says it."""
    world = mini / "cassettes" / "mini-6"
    path = kept(world)
    planted = open_world(str(world)).overlay("edited").pages[0]
    path.write_text(path.read_text().replace(f'planted = "{planted.planted}"', 'planted = "987,654"'))
    with pytest.raises(SealBroken):
        open_world(str(world))
    seal_world(world)
    changed = open_world(str(world)).overlay("edited").pages[0]
    assert changed.page.text == planted.page.text.replace(planted.planted, "987,654")
    assert changed.page.text != planted.page.text


def test_a_draft_may_lack_its_seal_or_a_whole_chain_and_nothing_else(mini: Path) -> None:
    """For recording into; a sealed file that changed is refused as ever."""
    world = mini / "cassettes" / "mini-6"
    shutil.rmtree(mini / "chain_snapshots" / "mini")
    with pytest.raises(SealBroken):
        open_world(str(world))
    assert open_draft(world).task("mini6-supply").anchor.chain == "mini"
    with (world / "suite.toml").open("a") as file:
        file.write("# more")
    with pytest.raises(SealBroken):
        open_draft(world)
    (world / "seal.json").unlink()
    assert not open_draft(world).seal.digest


def test_only_plain_files_are_read_up_to_a_bound(tmp_path: Path) -> None:
    """Through a link too; one byte more, a pipe, a device, a folder and nothing at all are errors at once."""
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "b").symlink_to("a")
    assert read_plain(tmp_path / "a", 5) == read_plain(tmp_path / "b") == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes"):
        read_plain(tmp_path / "a", 4)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match="no plain file"):
            open_plain(path)
    with pytest.raises(FileNotFoundError):
        open_plain(tmp_path / "none")
