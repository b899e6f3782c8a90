"""The living web for the length of one recording: opened once, written once, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.core.gold import GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import BadInput
from caia_replay.recording.api_key import Keys
from caia_replay.recording.live_web import LiveWeb, Manners
from caia_replay.store.world_folder import WorldFolder
from tests.live_draft import draft, served

PAGE = "https://docs.lantern.example/terms"
PAGES = {PAGE: ("The smallest stake is 4200 tokens.", "2025-01-05T00:00:00Z")}
STEP = GoldStep("url_fetching", {"url": PAGE})


def files(folder: WorldFolder) -> list[Path]:
    """Every file but the indexes of .cache/http, which are disposable."""
    found = (path for path in folder.path.parent.parent.rglob("*") if path.is_file())
    return sorted(path for path in found if path.parent.name != "http")


def test_what_is_not_settled_is_not_written(tmp_path: Path) -> None:
    """Neither in the world nor beside it."""
    folder = draft(tmp_path, [STEP], "$1.title")
    before = files(folder)
    with served(PAGES) as host_map:
        manners = Manners(Keys({}), pause_s=0.0, host_map=host_map)
        with LiveWeb(folder, folder.task("t1"), manners) as live:
            assert live.run({}).answer == "A page"
    assert files(folder) == before


def test_extra_requests_are_recorded_beside(tmp_path: Path) -> None:
    """Those that no tool makes; one that nobody answers well is left out of no account."""
    folder = draft(tmp_path, [STEP], "$1.title")
    extra = HttpRequest("GET", "https://r.jina.ai/https://absent.example/")
    with served(PAGES) as host_map:
        manners = Manners(Keys({}), pause_s=0.0, host_map=host_map)
        with LiveWeb(folder, folder.task("t1"), manners, extra=[extra]) as live:
            assert live.is_wider
            live.run({})
            live.settle()
    text = (folder.path / "tasks" / "t1" / "http.json").read_text()
    assert "absent.example" in text and (folder.path / "tasks" / "t1" / "pool.json").is_file()


def test_two_recordings_at_once_are_refused(tmp_path: Path) -> None:
    """vcrpy patches its process: the second would record the first."""
    folder = draft(tmp_path, [STEP], "$1.title")
    manners = Manners(Keys({}), pause_s=0.0)
    second = LiveWeb(folder, folder.task("t1"), manners)
    with LiveWeb(folder, folder.task("t1"), manners), pytest.raises(BadInput, match="another recording"), second:
        pass
