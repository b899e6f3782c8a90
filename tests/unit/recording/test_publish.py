from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.canonical import digest_bytes
from caia_replay.core.attack import Offer
from caia_replay.errors import BadInput, SealBroken
from caia_replay.recording.publish import publish
from caia_replay.recording.published_file import FORM, read_published
from caia_replay.recording.withheld import is_withheld
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import load_task, open_world, save_task, seal_world
from tests.published_world import ALIAS, ANSWER, IMAGE, OWN, QUESTION, SHARED, page, search, small_world, whole


def told(folder: Path) -> dict[str, str]:
    return {name: file.kind for name, file in read_published(folder).contents.files.items()}


def test_no_byte_of_an_answer_is_published(tmp_path: Path) -> None:
    """Bodies stand there as digest and length; requests, statuses and the world's own files as they are."""
    world = small_world(tmp_path, tags=("own",))
    done = publish(world, tmp_path / "pub", keep_questions=True)
    data = whole(done.path)
    for item in (*SHARED, *OWN):
        assert item.body not in data and digest_bytes(item.body).encode() in data
    assert IMAGE[5:] not in data and not list(done.path.rglob("*.bin"))
    assert (
        world.seal.digest.encode() in data
        and (done.path / "world.toml").read_bytes() == (world.path / "world.toml").read_bytes()
    )
    assert (done.answers, done.cassettes, done.left_out, done.withheld_tasks) == (7, 2, (), ())
    assert QUESTION.encode() in data and ANSWER.encode() in data


@pytest.mark.parametrize(("tags", "keep"), [(("caia",), True), (("caia", "x"), False), (("own",), False)])
def test_words_that_are_not_the_publishers_are_withheld(tmp_path: Path, tags: tuple[str, ...], keep: bool) -> None:
    """CAIA's always, others' unless they are said to be kept; digests stand in their place."""
    done = publish(small_world(tmp_path, tags=tags), tmp_path / "pub", keep_questions=keep)
    data = whole(done.path)
    assert all(word.encode() not in data for word in (QUESTION[:40], ANSWER, ALIAS))
    assert is_withheld(load_task(done.path / "tasks" / "t-one")) and done.withheld_tasks == ("t-one",)
    assert told(done.path)["tasks/t-one/task.toml"] == "withheld"


def test_a_task_that_no_suite_names_is_withheld_too(tmp_path: Path) -> None:
    """A folder under tasks is sealed and published whether or not it is run."""
    world = small_world(tmp_path)
    task = replace(world.task("t-one"), id="spare", tags=("caia",), question="A secret sentence of another owner here.")
    save_task(world.path, task)
    seal_world(world.path)
    done = publish(open_world(str(world.path)), tmp_path / "pub", keep_questions=True)
    assert b"secret sentence" not in whole(done.path) and "spare" in done.withheld_tasks


def test_requests_and_files_that_repeat_a_question_are_not_told(tmp_path: Path) -> None:
    """An agent's search for the question itself is counted and left out; so are campaigns, which speak of it."""
    world = small_world(tmp_path, own=(*OWN, search(QUESTION), search(QUESTION[:70])))
    (world.path / "overlays").mkdir()
    (world.path / "overlays" / "lies.toml").write_text('campaign = "lies"\n')
    save_targets(world.path, [Offer("t-one", "lights", "It is {planted}.")])
    (world.path / "tasks" / "t-one" / "pool.json").write_text(json.dumps({"asked": [QUESTION]}))
    (world.path / "import.json").write_text('{"notes": []}\n')
    seal_world(world.path)
    done = publish(open_world(str(world.path)), tmp_path / "pub")
    assert (done.withheld_requests, done.answers) == (2, 7)
    assert done.left_out == ("overlays/lies.toml", "targets.toml", "tasks/t-one/pool.json")
    assert b"lighthouses on the northern" not in whole(done.path) and told(done.path)["import.json"] == "copied"
    assert any("2 requests repeat" in line for line in done.lines)


def test_a_tool_chain_that_repeats_its_question_is_refused(tmp_path: Path) -> None:
    """It cannot be left out, so nothing is published."""
    with pytest.raises(BadInput, match="repeats a question"):
        publish(small_world(tmp_path, query=QUESTION), tmp_path / "pub")
    assert not (tmp_path / "pub").exists()


def test_an_address_with_a_key_is_refused(tmp_path: Path) -> None:
    """A value like a key stops it unless it is said to be harmless; the message does not repeat it."""
    key = "Zq81xKp07TmWv3Ld9RyB5nHs2"
    world = small_world(tmp_path, shared=(page(f"list?of={key}", "x"),))
    with pytest.raises(BadInput, match="may be a credential") as caught:
        publish(world, tmp_path / "pub")
    assert key not in str(caught.value) and not (tmp_path / "pub").exists()
    assert publish(world, tmp_path / "pub", harmless={key}).answers == 4


def test_an_unscrubbed_recording_is_refused(tmp_path: Path) -> None:
    """What the recorder would have scrubbed is not handed around, in a request or in a reply's headers."""
    for number, item in enumerate((
        replace(OWN[2], request_headers={"authorization": ("Bearer abcdefghijkl-123",)}),
        replace(OWN[0], headers={"set-cookie": ("session=1234567890",)}),
    )):  # fmt: skip
        with pytest.raises(BadInput, match="may be a credential"):
            publish(small_world(tmp_path / str(number), own=(item,)), tmp_path / "pub")


def test_secrets_that_are_named_are_looked_for(tmp_path: Path) -> None:
    """A value listed as secret in any written file stops all of it."""
    world = small_world(tmp_path, shared=(page("hush-value-1", "x"),))
    with pytest.raises(BadInput, match="credential of 12 characters"):
        publish(world, tmp_path / "pub", secrets={"hush-value-1"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cassettes"]


def test_nothing_is_written_over_and_nothing_unsealed_goes_out(tmp_path: Path) -> None:
    """An existing folder, a place inside the world and an edited world are refused."""
    world = small_world(tmp_path)
    (tmp_path / "there").mkdir()
    with pytest.raises(BadInput, match="nothing is written over"):
        publish(world, tmp_path / "there")
    with pytest.raises(BadInput, match="lies inside the world"):
        publish(world, world.path / "pub")
    (world.path / "world.toml").write_text("id = 'x'\n")
    with pytest.raises(SealBroken):
        publish(world, tmp_path / "pub")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cassettes", "there"]


def test_the_same_world_gives_the_same_bytes(tmp_path: Path) -> None:
    """A publication is a pure function of the world; its chains are named by digest and copied only when asked."""
    world = small_world(tmp_path)
    assert whole(publish(world, tmp_path / "a").path) == whole(publish(world, tmp_path / "b").path)
    assert read_published(tmp_path / "a").contents.chain_files == {} and (tmp_path / "a" / FORM).is_file()


def test_a_chain_is_copied_when_asked(shipped: Path, tmp_path: Path) -> None:
    """The shipped world stands on one chain: its manifest's digest is always told, its files only then."""
    world = open_world(str(shipped))
    plain = publish(world, tmp_path / "plain", keep_questions=True)
    assert plain.chains == () and not (plain.path / "chain_snapshots").exists()
    done = publish(world, tmp_path / "pub", keep_questions=True, chains=True)
    contents = read_published(done.path).contents
    assert done.chains == ("mini",) and contents.chains == read_published(plain.path).contents.chains
    assert contents.chain_files["mini"]["manifest.json"] == contents.chains["mini"]
    assert {path.name for path in (done.path / "chain_snapshots" / "mini").iterdir()} == set(
        contents.chain_files["mini"]
    )
    assert "targets.toml" not in done.left_out and (done.path / "targets.toml").is_file()
