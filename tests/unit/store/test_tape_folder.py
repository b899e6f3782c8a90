"""Tapes as folders: found by name, every byte sealed."""

from __future__ import annotations

import os
import random
import re
import shutil
from pathlib import Path

import pytest

from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.tape_file import run_path
from caia_replay.store.tape_folder import FOLDER, open_tape, read_tape, tape_about, tape_names
from tests.kept_tape import PRICE, key, made, turns


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


def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path) -> None:
    """A name that leads elsewhere is as unknown as any other."""
    made(tmp_path, key())
    for name in ("tpae", "../tape", "tape/", "", ".", "tape/react", "/"):
        with pytest.raises(BadInput, match=r"no model tape .*nearest: tape; next: caia-replay replay"):
            open_tape(name, tmp_path)


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
    (tmp_path / FOLDER / "link").symlink_to(path)
    with pytest.raises(BadInput, match="is a link"):
        open_tape("link", tmp_path)


def test_a_folder_under_another_name_is_no_tape(tmp_path: Path) -> None:
    """The name is part of what is sealed."""
    path = made(tmp_path, key())
    path.rename(path.with_name("other"))
    with pytest.raises(BadInput, match="named 'tape', its folder 'other'"):
        open_tape("other", tmp_path)


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
