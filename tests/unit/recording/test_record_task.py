"""One task recorded whole, or its world left as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.core.gold import GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Toolset
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording import record_task as record_module
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_wish import Wish
from caia_replay.recording.live_web import LiveWeb, Manners, Player
from caia_replay.recording.pool import GOLD, read_pool
from caia_replay.recording.record_task import Done, record_task
from caia_replay.store.world_folder import WorldFolder, open_draft, save_task
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld
from tests.live_draft import draft, served

TERMS, NEWS = "https://docs.lantern.example/terms", "https://news.example/lantern"
PAGES = {
    TERMS: ("The smallest stake is 4200 tokens.", "2025-01-05T00:00:00Z"),
    NEWS: ("Lantern opened a second office.", "2025-02-05T00:00:00Z"),
}
STEP = GoldStep("url_fetching", {"url": TERMS})
NEWS_CALL = f'{{"url": "{NEWS}"}}'
RESULT = "match($1.text, 'stake is ([0-9]+)')"


def record(folder: WorldFolder, players: tuple[Player, ...] = (), **more: Any) -> tuple[Done, list[str]]:
    """The world's task recorded from ``PAGES``, and what was said."""
    said: list[str] = []
    with served(PAGES) as host_map:
        manners = Manners(Keys({}), pause_s=0.0, host_map=host_map, **more)
        wish = Wish(folder, folder.task("t1"), "live", "")
        return record_task(wish, manners, said.append, players), said


def files(folder: WorldFolder) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.path.rglob("*")) if path.is_file()}


def test_a_task_that_asks_no_chain_needs_no_node(tmp_path: Path) -> None:
    """Its pages are recorded as of its moment, and it replays without anybody."""
    folder = draft(tmp_path, [STEP], RESULT)
    done, said = record(folder)
    assert done.answer == "4200" and said[0] == "t1: 4200, replayed offline" and said[1].startswith("sealed ")
    recorded = open_draft(folder.path)
    with FrozenWorld(recorded) as world, WorldToolset(world.task(recorded.task("t1"))) as tools:
        assert run_gold(recorded.task("t1").gold, tools).answer == "4200"
    assert [one.by for one in read_pool(folder.path / "tasks" / "t1")] == [GOLD]


def test_a_recording_that_fails_changes_nothing(tmp_path: Path) -> None:
    """The page is not there, or says something else than the chain looks for."""
    missing = draft(tmp_path / "a", [GoldStep("url_fetching", {"url": "https://gone.example/x"})], RESULT)
    before = files(missing)
    with pytest.raises(CheckFailed, match=r"step 1 \(url_fetching\) was"):
        record(missing)
    assert files(missing) == before
    other = draft(tmp_path / "b", [STEP], "match($1.text, 'never said')")
    before = files(other)
    with pytest.raises(CheckFailed, match="nothing was changed"):
        record(other)
    assert files(other) == before


def test_what_players_are_told_is_pooled(tmp_path: Path) -> None:
    """The union is kept; who asked what is in the log, the gold chain last; a second one adds to it."""
    folder = draft(tmp_path, [STEP], RESULT)

    def read_news(tools: Toolset) -> None:
        assert tools.call("url_fetching", f'{{"url": "{NEWS}"}}').result is not None

    record(folder, (Player("reader#1", read_news),))
    place = folder.path / "tasks" / "t1"
    assert [one.by for one in read_pool(place)] == ["reader#1", GOLD]
    asked = {item.uri for item in Cassette.open(place / "http.json").interactions}
    assert {f"https://r.jina.ai/{TERMS}", f"https://r.jina.ai/{NEWS}"} <= asked
    record(open_draft(folder.path), (Player("reader#2", read_news),))
    assert [one.by for one in read_pool(place)] == ["reader#1", GOLD, "reader#2"]
    assert {item.uri for item in Cassette.open(place / "http.json").interactions} == asked


def test_a_recording_that_breaks_after_it_was_written_is_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bodies beside the cassette too: the same command must not find a world that was edited."""
    folder = draft(tmp_path, [STEP], RESULT)
    record(folder)
    before = files(folder)

    def stopped(path: Path, chain: str) -> Any:
        (folder.path / "tasks" / "t1" / "bodies").mkdir()
        (folder.path / "tasks" / "t1" / "bodies" / "a.bin").write_bytes(b"x")
        raise KeyboardInterrupt

    monkeypatch.setattr(record_module, "seal_recorded", stopped)
    with pytest.raises(KeyboardInterrupt):
        record(open_draft(folder.path), (Player("reader#1", lambda tools: tools.call("url_fetching", NEWS_CALL)),))
    assert files(folder) == before and not (folder.path / "tasks" / "t1" / "bodies").exists()


def test_a_player_that_cannot_have_something_ends_nothing(tmp_path: Path) -> None:
    """A host without its key, an address that is none, a chain that is not recorded: each is that player's miss."""
    folder = draft(tmp_path, [STEP], RESULT)
    served_as = []

    def play(tools: Toolset) -> None:
        calls = [
            ("web_search", '{"query": "lantern"}'),
            ("url_fetching", f'{{"url": "https://a.example/{"x" * 70_000}"}}'),
            ("balance_query", '{"address": "0x0000000000000000000000000000000000000001"}'),
            ("url_fetching", NEWS_CALL),
        ]
        served_as.extend(str(tools.call(*call).served) for call in calls)

    done, _ = record(folder, (Player("reader#1", play),))
    assert done.answer == "4200" and served_as[-1] == "HIT" and set(served_as[:3]) <= {"MISS", "ERROR"}


def present(folder: WorldFolder) -> list[Path]:
    """Every file but the indexes of .cache/http, which are disposable."""
    found = (path for path in folder.path.parent.parent.rglob("*") if path.is_file())
    return sorted(path for path in found if path.parent.name != "http")


def test_what_is_not_settled_is_not_written(tmp_path: Path) -> None:
    """Neither in the world nor beside it, but for the indexes of .cache/http, which are disposable."""
    folder = draft(tmp_path, [STEP], "$1.title")
    present = lambda: sorted(path for path in tmp_path.rglob("*") if path.parent.name != "http" and path.is_file())  # noqa: E731
    before = present()
    with served(PAGES) as host_map:
        manners = Manners(Keys({}), pause_s=0.0, host_map=host_map)
        with LiveWeb(folder, folder.task("t1"), manners) as live:
            assert live.run({}).answer == "A page"
    assert present() == before


def test_extra_requests_are_recorded_beside(tmp_path: Path) -> None:
    """Those that no tool makes, also one that nobody answers well; a second recording at once is refused."""
    folder = draft(tmp_path, [STEP], "$1.title")
    extra = HttpRequest("GET", "https://r.jina.ai/https://absent.example/")
    with served(PAGES) as host_map:
        manners = Manners(Keys({}), pause_s=0.0, host_map=host_map)
        with LiveWeb(folder, folder.task("t1"), manners, extra=[extra]) as live:
            assert live.is_wider
            live.run({})
            with pytest.raises(BadInput, match="another recording"), LiveWeb(folder, folder.task("t1"), manners):
                pass
            live.settle()
    text = (folder.path / "tasks" / "t1" / "http.json").read_text()
    assert "absent.example" in text and (folder.path / "tasks" / "t1" / "pool.json").is_file()


def test_what_cannot_be_recorded_is_told(tmp_path: Path) -> None:
    """A task without a chain and nobody who plays; one at a block, without a node."""
    with pytest.raises(BadInput, match="has no tool-chain"):
        record(draft(tmp_path / "a", [], ""))
    folder = draft(tmp_path / "b", [STEP], RESULT)
    save_task(folder.path, replace(folder.task("t1"), anchor=Anchor("ethereum", 7, 1_748_800_000)))
    with pytest.raises(BadInput, match="needs a node"):
        record(folder)


def test_what_leaks_is_left_out_and_named(tmp_path: Path) -> None:
    """The page is read, seen to leak, and not written; steps without a result are recorded for a judge."""
    folder = draft(tmp_path, [STEP], "")
    done, said = record(
        folder, leaks=lambda exchange: "it quotes the question" if b"stake" in exchange.reply.body else ""
    )
    assert done.answer == "" and "t1: what its calls brought, replayed offline" in said
    assert [line for line in said if line.startswith("not kept:") and line.endswith("it quotes the question")]
    written = Cassette.open(folder.path / "tasks" / "t1" / "http.json").interactions
    assert not [item for item in written if b"stake" in item.body]
