"""A call's own view of the world, and the one interpreter of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Post
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.reader import page_request
from caia_replay.tools.call_view import CallView
from caia_replay.tools.session import Session
from caia_replay.world.world import FrozenWorld
from tests.live_draft import draft
from tests.unit.tools.conftest import Bench


def test_a_call_bears_the_class_of_its_weakest_part(late: Bench) -> None:
    """Nothing touched is computed, a fork outweighs a hit, a ranking both; null is never an answer."""
    view = CallView(late.world)
    assert view.served is Served.COMPUTED
    view.page(next(iter(late.world.pages())).url)
    assert view.served is Served.HIT
    with view.fork():
        pass
    assert view.served is Served.FORK
    view.search("token", 1)
    assert view.served is Served.RANKED
    assert view.altered_by == ()
    view = CallView(late.world)
    with pytest.raises(Miss):
        view.require(None, "transaction", "0x12")
    assert view.require(0, "x", "y") == 0
    assert view.require("", "x", "y") == ""
    view = CallView(late.world)
    assert int(view.recorded_header(late.task.anchor.block)["number"], 16) == view.anchor.block
    assert view.unrecorded_fields(late.task.anchor.block) == frozenset()
    with pytest.raises(Miss):
        view.recorded_header(10_000)
    view = CallView(late.world)
    with pytest.raises(Miss, match="has no posts"):
        view.search_posts("bridge", 5)
    with pytest.raises(Miss, match="post not recorded: 5"):
        view.post("5")


def test_a_planted_answer_marks_the_call_and_a_recorded_one_does_not(late: Bench) -> None:
    """What an overlay answers over HTTP, as a page or as a post is noted with its attack; nothing else is."""
    frozen, task = late.world.world, late.task
    url = "https://api.coingecko.com/api/v3/simple/price?ids=x"
    overlay = Overlay(
        "c",
        (PlantedPage("seo-page", "t", "7", Page("https://evil.example/", "Zzyzx", "zzyzx is 7", 1)),),
        "",
        (PlantedPost("rumour", "t", "7", Post("7", "eve", "zzyzx is 7", 1, "7")),),
        (PlantedBody("feed", "t", "7", "GET", url, "", "[7]"),),
    )
    recorded = frozen.corpus[0].url
    for ask, attack in (
        (lambda view: view.fetch(HttpRequest("GET", url)), "feed"),
        (lambda view: view.fetch(page_request("https://evil.example/")), "seo-page"),
        (lambda view: view.page("https://evil.example/"), "seo-page"),
        (lambda view: view.search("zzyzx", 3), "seo-page"),
        (lambda view: view.post("7"), "rumour"),
        (lambda view: view.fetch(page_request(recorded)), ""),
        (lambda view: view.search("treasury", 3), ""),
    ):
        view = CallView(frozen.task(task, overlay))
        assert ask(view)
        assert view.altered_by == ((attack,) if attack else ())
        assert view.served in (Served.HIT, Served.RANKED)


def test_a_chain_without_tables_is_missing_and_an_unknown_one_is_refused(tmp_path: Path, late: Bench) -> None:
    """A task may stand at a moment alone, in a world that recorded nothing of its chain: no reader of it may crash."""
    folder = draft(tmp_path)
    with FrozenWorld(folder) as world:
        view = CallView(world.task(folder.task("t1")))
        for read in (
            lambda: view.chain("ethereum"),
            lambda: view.recorded_header(1),
            lambda: view.unrecorded_fields(1),
            lambda: view.require(None, "block", "1"),
        ):
            with pytest.raises(Miss):
                read()
        with pytest.raises(ToolError, match="no chain 'solana'"):
            view.chain("solana")
    recorded = CallView(late.world)
    assert recorded.chain(late.task.anchor.chain) is recorded.chains[late.task.anchor.chain]


class Counted:
    """An interpreter that only counts."""

    started: list[Counted]

    def __init__(self, now: int, cache: object = None) -> None:
        self.now, self.closed = now, 0
        self.started.append(self)

    def close(self) -> None:
        self.closed += 1
        if self.now < 0:
            raise RuntimeError("it would not end")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Counted]:
    """Every interpreter that a session starts, in order."""
    stands_in = ModuleType("caia_replay.sandbox.interpreter")
    Counted.started = []
    stands_in.Interpreter = Counted
    monkeypatch.setitem(sys.modules, "caia_replay.sandbox.interpreter", stands_in)
    return Counted.started


def test_one_interpreter_for_all_calls_of_a_run(started: list[Counted]) -> None:
    """None before it is asked for; another run has its own; each is closed once, a broken one too."""
    session = Session()
    session.close()
    assert started == []
    first, second = Session(), Session()
    assert first.interpreter(5) is first.interpreter(5)
    assert second.interpreter(7) is not first.interpreter(5)
    assert [found.now for found in started] == [5, 7]
    session = Session()
    session.interpreter(5)
    session.close()
    session.close()
    broken = Session()
    broken.interpreter(-1)
    with pytest.raises(RuntimeError):
        broken.close()
    broken.close()
    assert [found.closed for found in started] == [0, 0, 1, 1]
