"""Tapes made and added to: whole, and never half."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from caia_replay.core.model import RunKey
from caia_replay.errors import BadInput
from caia_replay.store import plain_file, tape_file, tape_publication
from caia_replay.store.tape_file import run_path
from caia_replay.store.tape_folder import FOLDER, open_tape, read_tape
from caia_replay.store.tape_publication import TapeWriter, publish, require_room
from tests.kept_tape import PRICE, everything, kept, key, made, turns


def test_equal_runs_make_equal_bytes(tmp_path: Path) -> None:
    """Whatever the order in which runs were kept and published."""
    one = made(tmp_path / "one", key("a"), key("b"), key("a", 10))
    made(tmp_path / "two", key("b"))
    two = made(tmp_path / "two", key("a", 10), key("a"))
    assert everything(one) == everything(two)


def test_runs_join_a_tape_of_the_same_suite_and_model(tmp_path: Path) -> None:
    """New runs are added, the old stay; the price that is known stays known."""
    made(tmp_path, key(), word="old")
    publish(kept(tmp_path, key("t-2"), word="new"), "tape", tmp_path, suite="s", model="m", price=None)
    tape = open_tape("tape", tmp_path)
    assert [tape.turns(item) for item in (key(), key("t-2"))] == [turns("old"), turns("new")] and tape.price == PRICE


def refusals() -> Iterable[tuple[str, dict[str, str], RunKey, str]]:
    yield "tape", {"suite": "other", "model": "m"}, key("t-2"), "the tape is of suite 's', not 'other'"
    yield "tape", {"suite": "s", "model": "other"}, key("t-2"), "the tape is of model 'm', not 'other'"
    yield "tape", {"suite": "s", "model": "m"}, key(), "has that run already: task t-1"
    yield "../x", {"suite": "s", "model": "m"}, key(), "cannot name a tape"
    yield "", {"suite": "s", "model": "m"}, key(), "cannot name a tape"


@pytest.mark.parametrize(("name", "label", "run", "told"), [*refusals()])
def test_what_does_not_fit_leaves_everything_as_it_was(
    tmp_path: Path, name: str, label: dict[str, str], run: RunKey, told: str
) -> None:
    """Asked before a replay or after it: BadInput, the tape untouched, and what was recorded still there."""
    path = made(tmp_path, key())
    before, recorded = everything(path), kept(tmp_path, run, word="other")
    with pytest.raises(BadInput, match=told):
        require_room(name, tmp_path, runs={run}, **label)
    with pytest.raises(BadInput, match=told):
        publish(recorded, name, tmp_path, price=None, suite=label["suite"], model=label["model"])
    assert everything(path) == before and len(everything(recorded)) == 1
    assert [found.name for found in (tmp_path / FOLDER).iterdir()] == ["tape"]


def test_there_is_room_for_what_is_new(tmp_path: Path) -> None:
    """A new name, or other runs of the same model and suite."""
    require_room("tape", tmp_path, suite="s", model="m", runs={key()})
    made(tmp_path, key())
    require_room("tape", tmp_path, suite="s", model="m", runs={key("t-2"), key(attempt=2)})


def test_nothing_and_strange_things_are_not_published(tmp_path: Path) -> None:
    """A folder without a run, with a run in another's place, or with another file is refused."""
    recorded = tmp_path / "run.partial" / "tape"
    recorded.mkdir(parents=True)
    with pytest.raises(BadInput, match="holds no run"):
        made(tmp_path)
    TapeWriter(recorded).keep(key(), turns("a"))
    run = recorded / "react" / "clean-tools" / "t-1" / "1.json"
    shutil.copy(run, run.with_name("2.json"))
    with pytest.raises(BadInput, match=r"2\.json: is of another run: task t-1.* attempt 1"):
        made(tmp_path)
    run.with_name("2.json").write_text("{}")
    with pytest.raises(BadInput, match=r"2\.json: is no run of a tape"):
        made(tmp_path)
    assert not list((tmp_path / FOLDER).iterdir())


@pytest.mark.parametrize("step", ["_fill", "write_atomic"])
def test_a_full_disk_leaves_no_half_tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Whichever step fails, the tape is the old one whole, and what was recorded is published by the next try."""
    path = made(tmp_path, key(), word="old")
    before, recorded = everything(path), kept(tmp_path, key("t-2"), word="new")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(tape_publication, step, full)
        with pytest.raises(OSError, match="No space"):
            publish(recorded, "tape", tmp_path, suite="s", model="m", price=PRICE)
    assert everything(path) == before and [found.name for found in (tmp_path / FOLDER).iterdir()] == ["tape"]
    publish(recorded, "tape", tmp_path, suite="s", model="m", price=PRICE)
    assert len(open_tape("tape", tmp_path).runs) == 2


def test_a_killed_publication_is_taken_up(tmp_path: Path) -> None:
    """Killed with the old tape set aside, or after all but the journal's copy was done: the next try ends it."""
    path = made(tmp_path, key(), word="old")
    path.rename(path.with_name(".tape.999999.old"))
    (tmp_path / FOLDER / ".tape.999999.partial" / "react").mkdir(parents=True)
    recorded = kept(tmp_path, key("t-2"), word="new")
    copy = tmp_path / "copy"
    shutil.copytree(recorded, copy)
    publish(recorded, "tape", tmp_path, suite="s", model="m", price=PRICE)
    whole = everything(path)
    assert len(read_tape(path).runs) == 2 and [found.name for found in path.parent.iterdir()] == ["tape"]
    shutil.copytree(copy, half := tmp_path / "half")
    next(half.rglob("*.json")).unlink()
    for again in (copy, recorded, half):  # still there, gone, and killed while it was cleared away
        assert publish(again, "tape", tmp_path, suite="s", model="m", price=PRICE) == path
    assert everything(path) == whole and not copy.exists() and not half.exists()


def test_a_run_that_was_not_kept_is_told_before_anything_moves(tmp_path: Path) -> None:
    """Each expected run is in the journal's tape or on the old one, also where the journal has none left."""
    path = made(tmp_path, key(), word="old")
    before, recorded = everything(path), kept(tmp_path, key("t-2"), word="new")
    for folder in (recorded, tmp_path / "none"):
        with pytest.raises(BadInput, match=r"2 runs were not kept: task t-3, .* attempt 1; next: caia-replay replay"):
            wanted = {key(), key("t-3", 1), key("t-3", 2)}
            publish(folder, "tape", tmp_path, suite="s", model="m", price=PRICE, expected=wanted)
    assert everything(path) == before and len(everything(recorded)) == 1
    publish(recorded, "tape", tmp_path, suite="s", model="m", price=PRICE, expected={key(), key("t-2")})
    publish(recorded, "tape", tmp_path, suite="s", model="m", price=PRICE, expected={key(), key("t-2")})
    assert len(read_tape(path).runs) == 2


def test_what_was_kept_can_be_read_however_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run larger than other files may be is published and read; of one too large for a tape, its first turns."""
    many = turns("a" * 3_000) * 5
    monkeypatch.setattr(plain_file.read_plain, "__defaults__", (10_000,))
    folder = tmp_path / "tape"
    TapeWriter(folder).keep(key(), many)
    monkeypatch.setattr(tape_file, "MOST_BYTES", 10_000)
    monkeypatch.setattr(tape_publication, "MOST_BYTES", 10_000)
    TapeWriter(folder).keep(key("t-2"), many)
    monkeypatch.undo()
    monkeypatch.setattr(plain_file.read_plain, "__defaults__", (10_000,))
    tape = read_tape(publish(folder, "tape", tmp_path, suite="s", model="m", price=PRICE))
    assert tape.turns(key()) == many and (tmp_path / FOLDER / "tape" / run_path(key("t-2"))).stat().st_size <= 10_000
    assert tape.turns(key("t-2")) == many[:2]


def test_a_run_kept_again_replaces_the_first(tmp_path: Path) -> None:
    """A run that was played again after a stop is on the tape once, and what a killed writer left is not."""
    folder = kept(tmp_path, key(), word="first")
    (folder / "react" / "clean-tools" / "t-1" / ".1.json.99.partial").write_text("{")
    path = made(tmp_path, key(), word="second")
    assert read_tape(path).turns(key()) == turns("second") and len(everything(path)) == 2


def test_runs_that_were_played_once_more_take_their_place(tmp_path: Path) -> None:
    """Refused as runs there already, unless it is said that they come again; then the others stay as they were."""
    made(tmp_path, key(), key("t-2"), word="first")
    with pytest.raises(BadInput):
        publish(kept(tmp_path, key(), word="anew"), "tape", tmp_path, suite="s", model="m", price=PRICE)
    more = kept(tmp_path, key(), key("t-2"), word="anew")
    with pytest.raises(BadInput, match="has that run already: task t-2"):
        publish(more, "tape", tmp_path, suite="s", model="m", price=PRICE, again={key()})
    shutil.rmtree(more)
    path = publish(
        kept(tmp_path, key(), word="anew"), "tape", tmp_path, suite="s", model="m", price=PRICE, again={key()}
    )
    found = read_tape(path)
    assert (found.turns(key()), found.turns(key("t-2"))) == (turns("anew"), turns("first"))
