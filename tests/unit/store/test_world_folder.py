import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.plain import thawed
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
    with pytest.raises(BadInput, match="nearest: seo-heavy"):
        folder.overlay("seo-heavi")


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
    planted = open_world(str(world)).overlay("seo-heavy").pages[0]
    path.write_text(path.read_text().replace(f'planted = "{planted.planted}"', 'planted = "987,654"'))
    with pytest.raises(SealBroken):
        open_world(str(world))
    seal_world(world)
    changed = open_world(str(world)).overlay("seo-heavy").pages[0]
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
