"""One task recorded whole, or its world left as it was; who asked what, and how well that serves others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Cassette
from caia_replay.core.gold import GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Served, Toolset
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording import task as record_module
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_request import CaptureRequest
from caia_replay.recording.live_web import HttpPolicy, LiveWeb, Player
from caia_replay.recording.pool import GOLD, POOL, Call, Contribution, Depth, pool_bytes, pool_depths, read_pool, totals
from caia_replay.recording.task import record_task
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


def record(folder: WorldFolder, players: tuple[Player, ...] = (), **more: Any) -> tuple[str, list[str]]:
    """The world's task recorded from ``PAGES``, and what was said."""
    said: list[str] = []
    with served(PAGES) as host_map:
        policy = HttpPolicy(Keys({}), pause_s=0.0, host_map=host_map, **more)
        capture = CaptureRequest(folder, folder.task("t1"), "live", "")
        return record_task(capture, policy, said.append, players)[1], said


def files(folder: WorldFolder) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.path.rglob("*")) if path.is_file()}


def test_a_task_that_asks_no_chain_needs_no_node(tmp_path: Path) -> None:
    """Its pages are recorded as of its moment; the union of what players asked is kept, with who asked what."""
    folder = draft(tmp_path, [STEP], RESULT)
    answer, said = record(folder)
    assert answer == "4200" and said[0] == "t1: 4200, replayed offline" and said[1].startswith("sealed ")
    recorded = open_draft(folder.path)
    with FrozenWorld(recorded) as world, WorldToolset(world.task(recorded.task("t1"))) as tools:
        assert run_gold(recorded.task("t1").gold, tools).answer == "4200"
    assert [one.by for one in read_pool(folder.path / "tasks" / "t1")] == [GOLD]
    folder = draft(tmp_path / "b", [STEP], RESULT)

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

    answer, _ = record(folder, (Player("reader#1", play),))
    assert answer == "4200" and served_as[-1] == "HIT" and set(served_as[:3]) <= {"MISS", "ERROR"}


def test_what_is_not_settled_is_not_written(tmp_path: Path) -> None:
    """What was not settled is not written; extra requests are recorded beside; a second recording is refused."""
    folder = draft(tmp_path, [STEP], "$1.title")
    present = lambda: sorted(path for path in tmp_path.rglob("*") if path.parent.name != "http" and path.is_file())  # noqa: E731
    before = present()
    with served(PAGES) as host_map:
        policy = HttpPolicy(Keys({}), pause_s=0.0, host_map=host_map)
        with LiveWeb(folder, folder.task("t1"), policy) as live:
            assert live.run({}).answer == "A page"
    assert present() == before
    folder = draft(tmp_path, [STEP], "$1.title")
    extra = HttpRequest("GET", "https://r.jina.ai/https://absent.example/")
    with served(PAGES) as host_map:
        policy = HttpPolicy(Keys({}), pause_s=0.0, host_map=host_map)
        with LiveWeb(folder, folder.task("t1"), policy, extra=[extra]) as live:
            assert live.is_wider
            live.run({})
            with pytest.raises(BadInput, match="another recording"), LiveWeb(folder, folder.task("t1"), policy):
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
    answer, said = record(
        folder, leaks=lambda exchange: "it quotes the question" if b"stake" in exchange.reply.body else ""
    )
    assert answer == "" and "t1: what its calls brought, replayed offline" in said
    assert [line for line in said if line.startswith("not kept:") and line.endswith("it quotes the question")]
    written = Cassette.open(folder.path / "tasks" / "t1" / "http.json").interactions
    assert not [item for item in written if b"stake" in item.body]


NAMES = st.sampled_from(["gold", "react+gpt-5#1", "text-react+recorded/a#2"])
CALLS = st.builds(Call, st.text(max_size=20), st.text(max_size=50), st.sampled_from([str(one) for one in Served]))
CONTRIBUTIONS = st.builds(
    Contribution,
    NAMES,
    st.lists(CALLS, max_size=3).map(tuple),
    st.lists(st.text(alphabet="0123456789abcdef", max_size=8), max_size=3).map(tuple),
    st.dictionaries(st.text(max_size=10), st.text(max_size=10), max_size=2),
)


@given(st.lists(CONTRIBUTIONS, max_size=5))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, made: list[Contribution]) -> None:
    """Law: in the order of first names, the last contribution of each; two writings are equal bytes."""
    place = tmp_path_factory.getbasetemp() / "pool"
    place.mkdir(exist_ok=True)
    (place / POOL).write_bytes(pool_bytes(made))
    first = (place / POOL).read_bytes()
    read = read_pool(place)
    last = {one.by: one for one in made}
    assert [one.by for one in read] == list(last)
    assert [(one.calls, one.used, dict(one.left_out)) for one in read] == [
        (one.calls, one.used, dict(one.left_out)) for one in last.values()
    ]
    (place / POOL).write_bytes(pool_bytes(read))
    assert (place / POOL).read_bytes() == first


@pytest.mark.parametrize(
    "told",
    [
        b"", b"[]", b"{}", b'{"version": 2, "contributions": []}', b'{"version": 1, "contributions": [{}]}',
        b'{"version": 1, "contributions": [{"by": "a\\nb", "calls": [], "used": [], "left_out": {}}]}',
        b'{"version": 1, "contributions": [{"by": "a", "calls": [], "used": [], "left_out": {"x": 1}}]}',
    ],
)  # fmt: skip
def test_a_broken_log_is_one_line(tmp_path: Path, told: bytes) -> None:
    """Whoever wrote it; that there is none is no fault."""
    assert read_pool(tmp_path) == ()
    (tmp_path / POOL).write_bytes(told)
    with pytest.raises(BadInput, match="no log of a pooled recording"):
        read_pool(tmp_path)


SITES = {f"https://site{number}.example/": (f"Page {number}.", "2025-01-05T00:00:00Z") for number in range(4)}


def reads(*numbers: int) -> Player:
    """A player that reads these pages."""

    def play(tools: Toolset) -> None:
        for number in numbers:
            tools.call("url_fetching", f'{{"url": "https://site{number}.example/"}}')

    return Player(f"reads {'+'.join(map(str, numbers))}", play)


def pooled(tmp_path: Path, *players: Player) -> WorldFolder:
    folder = draft(tmp_path, [GoldStep("url_fetching", {"url": "https://site0.example/"})], "$1.title")
    with served(SITES) as host_map:
        capture = CaptureRequest(folder, folder.task("t1"), "live", "")
        record_task(capture, HttpPolicy(Keys({}), pause_s=0.0, host_map=host_map), lambda _: None, players)
    return open_draft(folder.path)


def test_misses_fall_as_recordings_accumulate(tmp_path: Path) -> None:
    """Counted by hand: three agents of two pages each, the gold chain's in all depths; totals are sums by depth."""
    folder = pooled(tmp_path / "a", reads(0, 1), reads(1, 2), reads(2, 0))
    # Depth 0: gold has page 0. Depth 1: each other agent once. Depth 2: both others.
    assert list(pool_depths(folder)) == [
        Depth("t1", 0, 3, 6, 1 + 2 + 1),
        Depth("t1", 1, 6, 12, (0 + 1) + (1 + 1) + (1 + 0)),
        Depth("t1", 2, 3, 6, 0),
    ]
    assert list(pool_depths(pooled(tmp_path / "b", reads(0, 3)))) == []
    depths = [Depth("a", 0, 2, 10, 5), Depth("a", 1, 2, 10, 1), Depth("b", 0, 3, 6, 3)]
    assert totals(depths) == [Depth("all", 0, 5, 16, 8), Depth("all", 1, 2, 10, 1)]
    assert totals(depths)[0].rate == 0.5 and Depth("c", 0, 0, 0, 0).rate == 0
