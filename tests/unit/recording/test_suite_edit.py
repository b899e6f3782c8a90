"""Suites changed by hand and by command, and the words and proofs that tasks are made of."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import AnswerSpec
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
from caia_replay.recording.task_words import Proof, canary_of, read_gold_file
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


@pytest.mark.parametrize(
    ("task", "on", "words"),
    [("a", "2025-12-31", "was added on 2026-01-01"), ("a", "2026-1-31", "no day"), ("a", "20260131", "no day"),
     ("a", "2026-02-30", "no day"), ("aa", "2026-02-01", "nearest: a")],
)  # fmt: skip
def test_a_task_retires_on_a_day_that_can_be(task: str, on: str, words: str) -> None:
    """A day of the calendar in one form, not before the task joined, of a task that is there, with a next version."""
    file = filed(WRITTEN)
    with pytest.raises(BadInput, match=words):
        without_task(file, task, on)
    assert not list(entry_faults(None, 0))
    assert not list(entry_faults(SuiteEntry("a", "2026-01-01", "2026-01-01"), 1))
    assert len(list(entry_faults(SuiteEntry("a", "2026-01-32"), 2))) == 2
    assert len(list(entry_faults(SuiteEntry("a", "2026-01-02", "2026-01-01"), 1))) == 1
    assert is_day("2024-02-29") and not is_day("2023-02-29")
    for version in ("1", "1.0", "v1.0.0", "1.0.0-beta", "1.02.0", ""):
        with pytest.raises(BadInput, match="MAJOR"):
            next_minor(replace(file, suite=replace(file.suite, version=version)))


ANSWER = AnswerSpec("number", ("19",))
GOLD = GoldChain((GoldStep("block_query", MappingProxyType({"block": 12})),), "$1.number")


def test_a_canary_is_its_tasks_own() -> None:
    """The same for the same task, another for another id, suite or question, and none of them says what it is of."""
    every = {canary_of(*parts) for parts in (("s", "a", "q"), ("s", "b", "q"), ("t", "a", "q"), ("s", "a", "p"))}
    assert len(every) == 4 and canary_of("s", "a", "q") in every
    assert all(re.fullmatch("CAIA-REPLAY-CANARY-[0-9a-f]{32}", one) for one in every)


def test_a_gold_file_is_read_strictly(tmp_path: Path) -> None:
    """Either table may be left out; anything else in it, and an empty file, are one line."""
    path = tmp_path / "gold.toml"
    path.write_text(toml_text({"answer": thawed(ANSWER), "gold": thawed(GOLD)}))
    assert read_gold_file(path) == (ANSWER, GOLD)
    path.write_text(toml_text({"gold": thawed(GOLD)}))
    assert read_gold_file(path) == (None, GOLD)
    path.write_text(toml_text({"answer": thawed(ANSWER)}))
    assert read_gold_file(path) == (ANSWER, None)
    for text, words in (
        ("", "neither"),
        ("[gould]", "unknown field 'gould'"),
        ("[answer]\nvalues = ['1']", "'answer.kind' is missing"),
        ("[answer]\nkind = 'numbr'\nvalues = ['1']", "nearest: number"),
        ("[gold]\nresult = 1\nsteps = []", "gold.result"),
        ("=", "not a TOML file"),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=re.escape(words)):
            read_gold_file(path)
    with pytest.raises(BadInput, match="missing"):
        read_gold_file(tmp_path / "none.toml")


def test_a_task_is_added_as_the_last_and_retired_in_its_place() -> None:
    """The order of runs does not change; nothing is added or retired twice."""
    file = filed(WRITTEN)
    both = replace(file, suite=with_task(file, "b", "2026-02-01"))
    assert both.suite.active() == ("a", "b")
    after = without_task(both, "a", "2026-03-01")
    assert (after.active(), after.version) == (("b",), "1.6.0")
    assert after.entries == (SuiteEntry("a", "2026-01-01", "2026-03-01"), SuiteEntry("b", "2026-02-01"))
    with pytest.raises(BadInput, match="already"):
        with_task(file, "a", "2026-02-01")
    with pytest.raises(BadInput, match="retired on 2026-03-01"):
        without_task(replace(both, suite=after), "a", "2026-03-02")


def test_a_proof_is_said_once(tmp_path: Path) -> None:
    """Options and a file may each say a half, and neither what the other does; nothing is made up; steps are strict."""
    path, step = tmp_path / "gold.toml", 'block_query {"block": 12}'
    assert Proof(["19"], steps=[step], result="$1.number").read() == (ANSWER, GOLD)
    path.write_text(toml_text({"answer": thawed(ANSWER)}))
    assert Proof(steps=[step], result="$1.number", file=path).read() == (ANSWER, GOLD)
    twice = [Proof(["1"], file=path), Proof(kind="date", file=path), Proof(unit="ETH", file=path)]
    gold = path.with_name("half.toml")
    gold.write_text(toml_text({"gold": thawed(GOLD)}))
    assert Proof(["19"], file=gold).read() == (ANSWER, GOLD)
    for proof in (*twice, Proof(steps=[step], file=gold), Proof(result="$1.number", file=gold)):
        with pytest.raises(BadInput, match="says it already"):
            proof.read()
    assert Proof().read() == (AnswerSpec("number", ()), GoldChain((), ""))
    assert Proof(kind="date", steps=[" block_query "]).read()[1].steps == (GoldStep("block_query", {}),)
    for wrong in ("block_query {", "block_query []", 'block_query {"a": 1, "a": 2}', "block_query NaN"):
        with pytest.raises(BadInput, match="--step"):
            Proof(steps=[wrong]).read()
