"""A task is written, admitted and retired, or its world is byte for byte as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import SuiteEntry
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording import suite_edit
from caia_replay.recording.suite_edit import read_suite
from caia_replay.recording.task_check import Scoring, check_tasks
from caia_replay.recording.task_life import admitted, new_task, retire_task
from caia_replay.recording.task_words import Words, canary_of
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import load_task, open_world, seal_world

SCORING = Scoring(check_spec, lambda answer, text: verify(answer, text).correct)
TOKEN = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
EVENT = "Transfer(address indexed from, address indexed to, uint256 value)"
CALL = {"contract": TOKEN, "event": EVENT, "from_block": 3, "to_block": 9}
WORDS = Words(
    "more-events",
    f"How many Transfer events did the official MARE token contract ({TOKEN}) emit on the Mini chain in blocks 3 to 9?",
    "on-chain analysis",
    "mini",
    30,
    stake_usd="900",
    stake_reason="A fee that is set by activity is wrong.",
)
ANSWER = AnswerSpec("number", ("19",))
GOLD = GoldChain((GoldStep("data_query", MappingProxyType(CALL)),), "count($1.events)")
NO_ANSWER, NO_GOLD = AnswerSpec("number", ()), GoldChain((), "")
DAY = "2026-12-01"


@pytest.fixture
def world(mini: Path) -> Path:
    return mini / "cassettes" / "mini-6"


@pytest.fixture
def files(world: Path) -> Callable[[], dict[Path, bytes]]:
    """What the world's folder holds now; a refusal leaves all of it as it was."""
    return lambda: {path: path.read_bytes() if path.is_file() else b"" for path in world.rglob("*")}


def test_a_finished_task_joins_its_suite(world: Path) -> None:
    """Its moment is its block's, its shape its recipe's, its canary its own; retired, only suite.toml changes."""
    change = new_task(world, WORDS, ANSWER, GOLD, DAY, SCORING)
    assert (change.before, change.after, change.tasks, change.lacks) == ("1.0.0", "1.1.0", 7, ())
    seal_world(world)
    folder = open_world(str(world))
    task = folder.task("more-events")
    assert folder.suite.entries[-1] == SuiteEntry("more-events", DAY)
    assert (task.anchor.timestamp, task.shape) == (1717184734, "event-count")
    assert task.canary == canary_of("mini-6", WORDS.id, WORDS.question)
    assert not check_tasks(world, SCORING, "more-events").tasks[0].faults


def test_a_retired_task_keeps_its_folder(world: Path) -> None:
    """Only suite.toml changes: its minor version, and the day."""
    change = retire_task(world, "mini6-supply", DAY)
    new = read_suite(world).suite
    assert (change.before, change.after, change.tasks) == ("1.0.0", "1.1.0", 5)
    assert "mini6-supply" not in new.active()


@pytest.mark.parametrize(("answer", "gold"), [(NO_ANSWER, NO_GOLD), (ANSWER, NO_GOLD), (NO_ANSWER, GOLD)])
def test_an_unfinished_task_says_so_and_joins_nothing(world: Path, answer: AnswerSpec, gold: GoldChain) -> None:
    """Its file begins with what is wanted, the suite is as it was, and with a day it is refused."""
    with pytest.raises(BadInput, match="joins no suite"):
        new_task(world, WORDS, answer, gold, DAY, SCORING)
    change = new_task(world, WORDS, answer, gold, None, SCORING)
    assert change.before == change.after and change.lacks
    assert read_suite(world).suite.version == "1.0.0"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"block": 61}, "block 61 of chain mini is not recorded; nearest: blocks 0 to 60"),
        ({"chain": "../mini"}, "no chain"), ({"category": "onchain analysis"}, "nearest: on-chain analysis"),
        ({"id": "mini6-supply"}, "is there already"),
        *(({"id": name}, "cannot name a task") for name in ("../up", "all", "")),
        ({"question": "\ud800"}, "no text"), ({"stake_reason": "\ud800"}, "cannot be written"),
    ],
)  # fmt: skip
def test_bad_words_are_one_line_and_write_nothing(
    world: Path, files: Callable[[], dict[Path, bytes]], change: dict[str, str], words: str
) -> None:
    """Wherever the fault is, also a null or a day that is none, the folder is byte for byte as it was."""
    before = files()
    for added in (DAY, None):
        with pytest.raises(BadInput) as caught:
            new_task(world, replace(WORDS, **change), ANSWER, GOLD, added, SCORING)  # type: ignore[arg-type]
        assert words in str(caught.value) and "\n" not in str(caught.value)
    nothing = GoldChain((GoldStep("data_query", MappingProxyType({"block": None})),), "$1.number")
    with pytest.raises(BadInput, match="a null"):
        new_task(world, WORDS, ANSWER, nothing, DAY, SCORING)
    with pytest.raises(BadInput, match="no day"):
        new_task(world, WORDS, ANSWER, GOLD, "today", SCORING)
    with pytest.raises(BadInput, match="no day"):
        admitted(world, "mini6-supply", SCORING, "2026-02-30")
    assert files() == before


def test_a_stop_between_the_two_files_undoes_the_first(
    world: Path, files: Callable[[], dict[Path, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or Ctrl-C, when the suite is written leaves no folder that no suite names."""
    before = files()
    for fault in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def stop(path: Path, data: bytes, fault: BaseException = fault) -> None:
            raise fault

        monkeypatch.setattr(suite_edit, "write_atomic", stop)
        with pytest.raises(type(fault)):
            new_task(world, WORDS, ANSWER, GOLD, DAY, SCORING)
        assert files() == before


def test_a_world_whose_recordings_changed_is_not_written(world: Path, files: Callable[[], dict[Path, bytes]]) -> None:
    """Every fault is a line, and nothing is written; nor where sealing would bless a changed recording."""
    before = files()
    asked = load_task(world / "tasks" / "mini6-event-count").question
    with pytest.raises(CheckFailed) as caught:
        words = replace(WORDS, stake_reason="", question=asked)
        new_task(world, words, AnswerSpec("number", ("20",)), GOLD, DAY, SCORING)
    lines = str(caught.value).splitlines()
    assert len(lines) == 4 and "same question as mini6-event-count" in lines[0] and "nothing was written" in lines[3]
    assert files() == before
    new_task(world, WORDS, ANSWER, GOLD, DAY, SCORING)
    retire_task(world, "mini6-supply", DAY)
    cassette = min(world.glob("http/*.json"))
    cassette.write_bytes(cassette.read_bytes() + b" ")
    before = files()
    with pytest.raises(BadInput, match="differs from its seal"):
        new_task(world, replace(WORDS, id="other"), ANSWER, GOLD, DAY, SCORING)
    with pytest.raises(BadInput, match="differs from its seal"):
        retire_task(world, "mini6-event-count", DAY)
    assert files() == before


def test_a_live_task_may_join_before_it_is_recorded(world: Path) -> None:
    """Its moment is left to be looked up by the recording, on a chain that nobody recorded yet as well."""
    for name in ("world.toml", "suite.toml"):
        text = (world / name).read_text().replace('provenance = "synthetic"', 'provenance = "live"')
        (world / name).write_text(re.sub(r"(?s)\n\[recipes\].*", "", text))
    seal_world(world)
    for name, chain, block in (("one", "ethereum", 17_000_000), ("two", "mini", 999)):
        words = replace(WORDS, id=name, chain=chain, block=block, question=f"{WORDS.question} ({name})")
        change = new_task(world, words, ANSWER, GOLD, DAY, SCORING)
        task = load_task(change.path.parent)
        assert (task.anchor.timestamp, task.shape) == (-1, name)
        assert "recorded" in change.waits
    assert read_suite(world).suite.active()[-2:] == ("one", "two")
