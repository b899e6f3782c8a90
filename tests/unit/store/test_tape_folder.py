"""Tapes as folders: found by name, every byte sealed, made and added to whole, and never half."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from caia_replay.core.model import RunKey
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store import plain_file, tape_file, tape_publication
from caia_replay.store.tape_file import run_path
from caia_replay.store.tape_folder import FOLDER, open_tape, read_tape, tape_about, tape_names
from caia_replay.store.tape_publication import TapeWriter, publish, require_room
from tests.damage import nested
from tests.kept_tape import PRICE, everything, kept, key, made, turns


def test_a_tape_is_found_by_name_from_any_folder_below(tmp_path: Path) -> None:
    """What was kept is read again, with the label, suite and price of the publication; the journal's copy is gone."""
    path = made(tmp_path, key(attempt=1), key(attempt=2))
    assert path == tmp_path / FOLDER / "tape" and not (tmp_path / "run.partial" / "tape").exists()
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    tape = open_tape("tape", below)
    assert (tape.header.model, tape.header.suite, tape.price) == ("m", "s", PRICE)
    assert list(tape.runs) == [key(attempt=1), key(attempt=2)]
    assert tape.turns(key(attempt=2)) == turns("a") and tape.turns(key("t-2")) is None
    assert [found.name for found in (tmp_path / FOLDER).iterdir()] == ["tape"]


def test_unknown_names_are_told_with_the_nearest_and_a_folder_has_its_own(tmp_path: Path) -> None:
    """A name that leads elsewhere is as unknown as any other; the name is part of what is sealed."""
    made(tmp_path, key())
    for name in ("tpae", "../tape", "tape/", "", ".", "tape/react", "/"):
        with pytest.raises(BadInput, match=r"no model tape .*nearest: tape; next: caia-replay replay"):
            open_tape(name, tmp_path)
    path = made(tmp_path, key())
    path.rename(path.with_name("other"))
    with pytest.raises(BadInput, match="named 'tape', its folder 'other'"):
        open_tape("other", tmp_path)


def test_the_nearest_run_shares_as_much_as_any(tmp_path: Path) -> None:
    """The same task before all else, then agent, arm and attempt; where there is no such task, the one most like it."""
    tape = read_tape(
        made(tmp_path, key("a-1", 1), key("a-1", 4), key("a-1", 4, agent="caia"), key("b-2", 1, "attacked"))
    )
    assert tape.nearest(key("a-1", 5)) == "task a-1, arm clean, condition tools, agent react, attempt 4"
    assert tape.nearest(key("a-1", 1, agent="caia")).endswith(
        "task a-1, arm clean, condition tools, agent caia, attempt 4"
    )
    assert tape.nearest(key("b-3", 1)).startswith("task b-2, arm attacked")


def test_any_changed_byte_is_refused_by_name(tmp_path: Path) -> None:
    """One byte changed, taken out or put in, anywhere: the file is named, at the latest when it is read."""
    path, source = made(tmp_path, key(), key("t-2")), random.Random(7)
    for file in sorted(item for item in path.rglob("*") if item.is_file()):
        before = file.read_bytes()
        for _ in range(60):
            at = source.randrange(len(before))
            other = bytes([before[at] ^ source.randrange(1, 256)])
            cut = source.choice(
                [before[:at] + other + before[at + 1 :], before[:at] + before[at + 1 :], before + other]
            )
            file.write_bytes(cut)
            with pytest.raises(BadInput) as caught:
                tape = read_tape(path)
                for item in tape.runs:
                    tape.turns(item)
            assert str(file) in str(caught.value) and caught.value.exit_code == 2
        file.write_bytes(before)


def test_a_missing_or_added_file_is_refused_by_name(tmp_path: Path) -> None:
    """When the tape is opened, before any run is read."""
    path = made(tmp_path, key(), key("t-2"))
    run = path / "react" / "clean-tools" / "t-1" / "1.json"
    shutil.copy(run, run.with_name("2.json"))
    with pytest.raises(SealBroken, match=r"2\.json: the file is not listed"):
        open_tape("tape", tmp_path)
    run.with_name("2.json").unlink()
    run.unlink()
    with pytest.raises(SealBroken, match=r"t-1/1\.json: a run file is missing"):
        open_tape("tape", tmp_path)
    (path / "tape.json").unlink()
    with pytest.raises(SealBroken, match=r"tape\.json: cannot be read"):
        open_tape("tape", tmp_path)


def test_links_pipes_and_folders_are_refused(tmp_path: Path) -> None:
    """In the place of a run, of its folder, of tape.json or of the tape itself; a pipe is not waited for."""
    path = made(tmp_path, key())
    run = path / "react" / "clean-tools" / "t-1" / "1.json"
    for place in (run, run.parent, path / "react", path / "tape.json"):
        elsewhere = tmp_path / "elsewhere"
        place.rename(elsewhere)
        place.symlink_to(elsewhere)
        with pytest.raises(BadInput, match=r"links are not allowed|tape\.json"):
            read_tape(path).turns(key())
        place.unlink()
        if elsewhere.is_file():
            os.mkfifo(place)
            with pytest.raises(BadInput, match="no plain file"):
                read_tape(path).turns(key())
            place.unlink()
        elsewhere.rename(place)
    assert read_tape(path).turns(key())
    with nested(path / "react", 40), pytest.raises(BadInput, match="nested more than 32 deep"):
        read_tape(path)
    (tmp_path / FOLDER / "link").symlink_to(path)
    with pytest.raises(BadInput, match="is a link"):
        open_tape("link", tmp_path)


def test_what_to_do_about_a_damaged_tape_helps(tmp_path: Path) -> None:
    """Nothing can be recorded onto it: it goes first. Only what is too much goes alone."""
    path = made(tmp_path, key())
    extra = path / "notes.txt"
    extra.write_text("")
    with pytest.raises(SealBroken, match=rf"next: rm {re.escape(str(extra))}$"):
        read_tape(path)
    extra.unlink()
    run = path / run_path(key())
    data = run.read_bytes()
    told = rf"next: put {re.escape(str(run))} back as it was shared, or rm -r {re.escape(str(path))} and record"
    run.write_bytes(data + b" ")
    with pytest.raises(SealBroken, match=told):
        read_tape(path).turns(key())
    run.unlink()
    with pytest.raises(SealBroken, match=told):
        read_tape(path)
    (path / "tape.json").unlink()
    with pytest.raises(SealBroken, match=rf"or rm -r {re.escape(str(path))} and record"):
        read_tape(path)


def test_tapes_are_named_from_here_and_above(tmp_path: Path) -> None:
    """Each once, by name; folders without a tape and hidden ones are none."""
    path = made(tmp_path, key())
    below = tmp_path / "a" / "b"
    shutil.copytree(path, below / FOLDER / "other")
    (below / FOLDER / "empty").mkdir()
    shutil.copytree(path, below / FOLDER / ".hidden")
    assert tape_names(below) == ["other", "tape"] and tape_names(tmp_path) == ["tape"]


def test_a_tape_says_in_a_line_what_it_holds(tmp_path: Path) -> None:
    """Model, suite, agents, cells and counts, so that its runs can be asked for; a damaged one says why it cannot."""
    path = made(tmp_path, key(), key(attempt=3), key("t-2", arm="attacked"), key("t-2", agent="caia"))
    assert tape_about("tape", tmp_path) == (
        "m on s with caia, react: attacked-tools, clean-tools; 2 tasks, up to 3 runs of each"
    )
    (path / "tape.json").write_text("{")
    assert tape_about("tape", tmp_path).startswith("cannot be read: ")


def test_equal_runs_make_equal_bytes(tmp_path: Path) -> None:
    """Whatever the order in which runs were kept and published."""
    one = made(tmp_path / "one", key("a"), key("b"), key("a", 10))
    made(tmp_path / "two", key("b"))
    two = made(tmp_path / "two", key("a", 10), key("a"))
    assert everything(one) == everything(two)


def test_runs_join_a_tape_of_the_same_suite_and_model(tmp_path: Path) -> None:
    """New runs are added, the old stay; the price that is known stays known."""
    require_room("tape", tmp_path, suite="s", model="m", runs={key()})
    made(tmp_path, key(), word="old")
    require_room("tape", tmp_path, suite="s", model="m", runs={key("t-2"), key(attempt=2)})
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
