"""A journal: what was answered is never asked twice, whatever cut the capture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.reply_journal import JournaledNode


class Echo:
    """Stands for a node: answers each call with its own parameters, and counts."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def ask_all(self, calls: Any) -> list[Any]:
        self.asked += calls
        return [{"told": list(params)} for _, params in calls]


def opened(path: Path, owner: str = "toy 1") -> tuple[Echo, JournaledNode]:
    echo = Echo()
    return echo, JournaledNode(echo, path, owner)  # type: ignore[arg-type]


def test_an_answer_is_asked_for_once(tmp_path: Path) -> None:
    """Within a run, within a batch, and after the next start; results come in order."""
    echo, journal = opened(tmp_path / "a" / "journal")
    with journal:
        assert journal.ask_all([("x", [1]), ("x", [2]), ("x", [1])]) == [{"told": [1]}, {"told": [2]}, {"told": [1]}]
        assert journal.ask("x", 2) == {"told": [2]}
        assert len(echo.asked) == 2 == journal.asked
    echo, journal = opened(tmp_path / "a" / "journal")
    with journal:
        assert journal.resumed == 2 and journal.ask_all([("x", [2]), ("y", [1])])[0] == {"told": [2]}
        assert echo.asked == [("y", [1])]


def test_every_cut_keeps_the_whole_lines_before_it(tmp_path: Path) -> None:
    """Cut at any byte, the next capture goes on with each answer that was written out, and no other."""
    path = tmp_path / "journal"
    with opened(path)[1] as journal:
        journal.ask_all([("x", [number]) for number in range(4)])
    data = path.read_bytes()
    ends = [at for at, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        with opened(path)[1] as journal:
            assert journal.resumed == max(sum(end < cut for end in ends) - 1, 0)
            assert journal.ask("x", 3) == {"told": [3]}
    path.write_bytes(data + b'["x", [9], {"told"\xff\n')
    with opened(path)[1] as journal:
        assert journal.resumed == 4


def test_another_capture_begins_anew(tmp_path: Path) -> None:
    """Answers of another chain or task are not taken for this one's."""
    path = tmp_path / "journal"
    with opened(path)[1] as journal:
        journal.ask("x", 1)
    with opened(path, "toy 2")[1] as journal:
        assert journal.resumed == 0
    with opened(path)[1] as journal:
        assert journal.resumed == 0


def test_two_captures_never_share_a_journal(tmp_path: Path) -> None:
    """The second is refused while the first runs; a discarded journal leaves no file."""
    path = tmp_path / "journal"
    with opened(path)[1] as journal:
        with pytest.raises(BadInput, match="another capture"):
            opened(path)
        journal.discard()
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    """A file where a folder should be is named."""
    (tmp_path / "a").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        opened(tmp_path / "a" / "journal")
