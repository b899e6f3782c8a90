from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.errors import BadInput
from caia_replay.recording.suite_edit import (
    SuiteFile,
    edited,
    entry_faults,
    is_day,
    next_minor,
    read_suite,
    with_task,
    without_task,
)
from caia_replay.store.plain import build, thawed, toml_text


def said(text: str) -> Suite:
    return build(Suite, tomllib.loads(text), "suite.toml")


def filed(text: str) -> SuiteFile:
    return SuiteFile(Path("suite.toml"), text, said(text))


WRITTEN = """\
# Ours; ask before you change it.
id = "s"
version = '1.4.2' # as of spring

[[entries]] # the first
id = "a"
added = "2026-01-01" # a day

# What policies read.
[recipes.x]
question = "q"
query = "version = '1'"
pattern = "p"
"""


def test_a_change_of_the_shipped_suite_is_written_as_the_builder_would(shipped: Path) -> None:
    """Added or retired, a file as the builder wrote it is what writing the whole suite anew gives, byte for byte."""
    suite = read_suite(shipped).suite
    file = SuiteFile(shipped / "suite.toml", toml_text(thawed(suite)), suite)
    for after in (
        with_task(file, "new", "2026-12-01"),
        *(without_task(file, entry.id, "2026-12-01") for entry in file.suite.entries),
    ):
        assert after.version == "1.1.0"
        assert edited(file.text, file.suite, after) == toml_text(thawed(after))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_stay(end: str) -> None:
    """Whatever people wrote around the entries is there afterwards, and only two lines differ for a retired task."""
    file = filed(WRITTEN.replace("\n", end))
    for after, more in ((with_task(file, "b", "2026-02-01"), 4), (without_task(file, "a", "2026-02-01"), 1)):
        found = edited(file.text, file.suite, after)
        assert thawed(said(found)) == thawed(after)
        old, new = file.text.splitlines(), found.splitlines()
        assert len(new) == len(old) + more
        assert set(old) - set(new) == {"version = '1.4.2' # as of spring"}
        assert 'version = "1.5.0" # as of spring' in new


@pytest.mark.parametrize(
    "text",
    [
        'id = "s"\nversion = "1.0.0"\nentries = [{ id = "a", added = "2026-01-01" }]\n',
        'entries = [\n  { id = "a", added = "2026-01-01" },\n]\n"version" = "1.0.0"\nid = "s"\n',
        'id = "s"\nversion = "1.0.0"\nentries = []\n',
        'id = "s"\nversion = """1.0.0"""\n[[ entries ]]\nid = "a"\nadded = "2026-01-01"',
        'id = "s"\nversion = "1.0.0"\n[[entries]]\nid = "a"\nadded = "2026-01-01"',
    ],
)
def test_a_file_of_another_form_says_the_same_in_ours(text: str) -> None:
    """However the entries are written, the file says exactly the changed suite afterwards."""
    file = filed(text)
    after = with_task(file, "b", "2026-02-01")
    assert thawed(said(edited(text, file.suite, after))) == thawed(after)
    if file.suite.entries:
        after = without_task(file, "a", "2026-02-01")
        assert thawed(said(edited(text, file.suite, after))) == thawed(after)


def test_a_task_is_added_as_the_last_and_retired_in_its_place() -> None:
    """The order of runs does not change, and a retired task is run no more."""
    file = filed(WRITTEN)
    both = with_task(file, "b", "2026-02-01")
    assert both.active() == ("a", "b")
    after = without_task(replace(file, suite=both), "a", "2026-03-01")
    assert (after.active(), after.version) == (("b",), "1.6.0")
    assert after.entries == (SuiteEntry("a", "2026-01-01", "2026-03-01"), SuiteEntry("b", "2026-02-01"))


@pytest.mark.parametrize(
    ("task", "on", "words"),
    [
        ("a", "2025-12-31", "was added on 2026-01-01"),
        ("a", "2026-1-31", "no day"),
        ("a", "20260131", "no day"),
        ("a", "2026-02-30", "no day"),
        ("aa", "2026-02-01", "nearest: a"),
    ],
)
def test_a_task_retires_on_a_day_that_can_be(task: str, on: str, words: str) -> None:
    """A day of the calendar in one form, not before the task joined, of a task that is there."""
    with pytest.raises(BadInput, match=words):
        without_task(filed(WRITTEN), task, on)


def test_nothing_is_added_or_retired_twice() -> None:
    """An id that is there, and a task that is retired, are refused."""
    file = filed(WRITTEN)
    with pytest.raises(BadInput, match="already"):
        with_task(file, "a", "2026-02-01")
    gone = replace(file, suite=without_task(file, "a", "2026-02-01"))
    with pytest.raises(BadInput, match="retired on 2026-02-01"):
        without_task(gone, "a", "2026-02-02")


@pytest.mark.parametrize("version", ["1", "1.0", "v1.0.0", "1.0.0-beta", "1.02.0", ""])
def test_a_version_that_has_no_next_is_one_line(version: str) -> None:
    """Only MAJOR.MINOR.PATCH can be raised."""
    file = filed(WRITTEN)
    with pytest.raises(BadInput, match="MAJOR"):
        next_minor(replace(file, suite=replace(file.suite, version=version)))


def test_a_place_in_the_suite_is_read_strictly() -> None:
    """Days that are none, a retirement before the joining, and an id that is there twice are each a fault."""
    assert not list(entry_faults(None, 0))
    assert not list(entry_faults(SuiteEntry("a", "2026-01-01", "2026-01-01"), 1))
    assert len(list(entry_faults(SuiteEntry("a", "2026-01-32"), 2))) == 2
    assert len(list(entry_faults(SuiteEntry("a", "2026-01-02", "2026-01-01"), 1))) == 1
    assert is_day("2024-02-29") and not is_day("2023-02-29")
