"""A task recorded, sealed and judged: what is confirmed, contradicted, or for nobody to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay import task_recording
from caia_replay.core.gold import GoldStep
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording.capture_wish import Wish
from caia_replay.recording.live_web import Manners
from caia_replay.store.world_folder import open_world
from caia_replay.task_recording import Pool, record_and_judge
from tests.live_draft import draft, served

PAGE = "https://docs.lantern.example/terms"
PAGES = {PAGE: ("The smallest stake is 4200 tokens.", "2025-01-05T00:00:00Z")}
STEP = GoldStep("url_fetching", {"url": PAGE})
RESULT = "match($1.text, 'stake is ([0-9]+)')"


@pytest.fixture
def led(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every recording asks ``PAGES`` on this machine."""

    def manners(*arguments: object, **more: object) -> Manners:
        return Manners(*arguments, host_map=_HERE, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(task_recording, "Manners", manners)


_HERE: dict[str, str] = {}


def record(root: Path, result: str, value: str, pool: Pool | None = None) -> list[str]:
    folder = draft(root, [STEP], result, [value])
    said: list[str] = []
    with served(PAGES) as host_map:
        _HERE.clear()
        _HERE.update(host_map)
        record_and_judge(Wish(folder, folder.task("t1"), "live", ""), pool or Pool(), 0.0, said.append)
    return said


def test_an_answer_that_the_recording_bears_out_is_confirmed(tmp_path: Path, led: None) -> None:
    """And the world is sealed."""
    said = record(tmp_path, RESULT, "4200")
    assert said[-1] == "t1: confirmed: the recorded chain gives what the suite says"
    assert open_world(str(tmp_path / "cassettes" / "draft")).seal.digest in said[-2]


def test_an_answer_that_the_recording_contradicts_is_told_and_kept(tmp_path: Path, led: None) -> None:
    """The recording is what was found; whose answer is right is for people."""
    with pytest.raises(CheckFailed, match=r"gives 4200 .*expected 17"):
        record(tmp_path, RESULT, "17")
    assert (tmp_path / "cassettes" / "draft" / "tasks" / "t1" / "http.json").is_file()


def test_without_a_result_nothing_is_claimed(tmp_path: Path, led: None) -> None:
    """The steps' recordings are for a judge."""
    assert record(tmp_path, "", "4200")[-1] == "t1: unverifiable: no chain of calls yields its answer"


def test_policies_play_beside_the_gold_chain(tmp_path: Path, led: None) -> None:
    """Each as often as it is told to, before the chain."""
    said = record(tmp_path, RESULT, "4200", Pool(("policy/oracle",), runs=2))
    assert said[-1].startswith("t1: confirmed")
    pool = (tmp_path / "cassettes" / "draft" / "tasks" / "t1" / "pool.json").read_text()
    assert "react+policy/oracle#1" in pool and "react+policy/oracle#2" in pool


def test_nobody_plays_in_a_synthetic_recording(tmp_path: Path) -> None:
    """Its origin is no internet."""
    folder = draft(tmp_path, [STEP], RESULT)
    with pytest.raises(BadInput, match="living internet"):
        record_and_judge(Wish(folder, folder.task("t1"), "synthetic", ""), Pool(("policy/oracle",)), 0.0, print)
