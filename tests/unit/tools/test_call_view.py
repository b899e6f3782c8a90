"""A call's own view of the world, and Python for the model."""

from __future__ import annotations

import gc
import json
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.reader.provider import page_request
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.limits import LIMITS
from caia_replay.sandbox.module import PYTHON_VARIABLE
from caia_replay.tools import tool_context
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.code_execution import code_execution
from caia_replay.tools.tool_context import Session, ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.live_draft import draft
from tests.odd_threads import guest_threads
from tests.tool_draw.execution import outcome
from tests.unit.tools.conftest import Desk


def test_a_call_bears_the_class_of_its_weakest_part(late: Desk) -> None:
    """Nothing touched is computed, a fork outweighs a hit, a ranking both; null is never an answer."""
    view = ToolContext(late.world)
    assert view.served is Served.COMPUTED
    view.page(next(iter(late.world.pages())).url)
    assert view.served is Served.HIT
    with view.fork():
        pass
    assert view.served is Served.FORK
    view.search("token", 1)
    assert view.served is Served.RANKED
    assert view.altered_by == ()
    with pytest.raises(Miss):
        view.require(None, "transaction", "0x12")
    assert view.require(0, "x", "y") == 0
    assert view.require("", "x", "y") == ""
    assert int(view.recorded_header(late.task.anchor.block)["number"], 16) == view.anchor.block
    assert view.unrecorded_fields(late.task.anchor.block) == frozenset()
    with pytest.raises(Miss):
        view.recorded_header(10_000)
    with pytest.raises(Miss, match="has no posts"):
        view.search_posts("bridge", 5)
    with pytest.raises(Miss, match="post not recorded: 5"):
        view.post("5")


def test_a_planted_answer_marks_the_call_and_a_recorded_one_does_not(late: Desk) -> None:
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
        view = ToolContext(frozen.task(task, overlay))
        assert ask(view)
        assert view.altered_by == ((attack,) if attack else ())
        assert view.served in (Served.HIT, Served.RANKED)


def test_a_chain_without_tables_is_missing_and_an_unknown_one_is_refused(tmp_path: Path, late: Desk) -> None:
    """A task may stand at a moment alone, in a world that recorded nothing of its chain: no reader of it may crash."""
    folder = draft(tmp_path)
    with FrozenWorld(folder) as world:
        view = ToolContext(world.task(folder.task("t1")))
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
    recorded = ToolContext(late.world)
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


def test_only_so_many_runs_have_an_interpreter_at_once(started: list[Counted], monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one waits until a run is closed, or forgotten."""
    monkeypatch.setattr(tool_context, "_places", tool_context._places_for(2))
    first, second = Session(), Session()
    for session in (first, second, first):
        session.interpreter(5)
    waiting = threading.Thread(target=lambda: Session().interpreter(9), daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive() and [found.now for found in started] == [5, 5]
    first.close()
    waiting.join()
    del second
    for _ in range(5):
        Session().interpreter(7)
    assert [found.now for found in started] == [5, 5, 9, *[7] * 5]


def test_runs_that_nobody_closed_or_can_reach_keep_no_place(
    started: list[Counted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their places are found when somebody waits, though nothing else makes the collector run."""
    monkeypatch.setattr(tool_context, "_places", tool_context._places_for(2))
    monkeypatch.setattr(tool_context, "_FORGOTTEN_S", 0.01)
    gc.disable()
    try:
        for _ in range(3):
            forgotten: list[object] = [kept := Session()]
            kept.interpreter(5)
            forgotten.append(forgotten)
            del forgotten, kept
    finally:
        gc.enable()
    assert [found.now for found in started] == [5, 5, 5]


@pytest.fixture
def coder(frozen: FrozenWorld, sandbox: CompiledFolder) -> Iterator[Desk]:
    """The first task, with the compiled interpreter at hand; its run is closed in the end."""
    made = Desk(frozen, frozen.folder.suite.active()[0])
    yield made
    made.tools.close()


def test_code_is_computed(coder: Desk) -> None:
    """What is printed and the last value; the date is the task's; an exception is a result; memory is limited."""
    reply = coder.call("code_execution", code="x = 40\nprint('so')\nx + 2")
    assert reply.served is Served.COMPUTED and reply.altered_by == ()
    assert reply.result == {"stdout": "so\n42\n", "stderr": "", "note": None}
    code = "import datetime, time\nprint(int(time.time())); datetime.datetime.now(datetime.UTC).isoformat()"
    moment = utc_text(coder.world.clock.now).replace("Z", "+00:00")
    result = coder.call("code_execution", code=code).result
    assert result is not None and result["stdout"] == f"{coder.world.clock.now}\n'{moment}'\n"
    reply = coder.call("code_execution", code="prices = {}\nprices['BTC']")
    assert reply.served is Served.COMPUTED and reply.result is not None
    assert reply.result["stderr"].endswith("KeyError: 'BTC'\n") and reply.result["note"] is None
    result = coder.call("code_execution", code="len(bytes(100 * 2**20))\nbytes(300 * 2**20)").shown()
    assert result["stderr"].endswith("MemoryError\n") and result["note"] is None
    with pytest.raises(ToolError, match="half a character at position 1"):
        code_execution(ToolContext(coder.world), "'\ud800'")


def test_arithmetic_is_right(coder: Desk) -> None:
    """Integers, floats, decimals, fractions and texts print as they do in the Python that tests it."""
    rng = Random("code_execution")
    for _ in range(60):
        arguments, printed = outcome(rng)
        reply = coder.call("code_execution", **arguments)
        assert reply.result == {"stdout": printed, "stderr": "", "note": None}, arguments


def test_a_run_keeps_its_variables_and_no_others(coder: Desk, frozen: FrozenWorld) -> None:
    """Calls of one toolset go on from each other; after a stop variables are gone; closing leaves no thread."""
    coder.call("code_execution", code="kept = [1]")
    assert coder.call("code_execution", code="kept.append(2); kept").shown()["stdout"] == "[1, 2]\n"
    with WorldToolset(coder.world) as other:
        reply = other.call("code_execution", json.dumps({"code": "'kept' in globals()"}))
    assert reply.shown()["stdout"] == "False\n"
    coder.call("code_execution", code="kept = 1")
    result = coder.call("code_execution", code="import os\nprint('so far', flush=True)\nos._exit(5)").shown()
    assert result["stdout"] == "so far\n"
    assert result["note"] == (
        "The code was stopped: it ended the interpreter with exit code 5. "
        "A new interpreter is used from now on: variables are gone."
    )
    wanted = {"stdout": "False\n", "stderr": "", "note": None}
    assert coder.call("code_execution", code="'kept' in globals()").shown() == wanted
    before = guest_threads()
    coder.tools.close()
    assert guest_threads() == before - 1


def test_what_was_cut_is_said(coder: Desk) -> None:
    """How much there was; code that cannot be taken is refused before an interpreter starts; the limits are told."""
    code = "import sys; print('x' * 20_000); sys.stderr.write('y' * 5_000 + 'z'); None"
    result = coder.call("code_execution", code=code).shown()
    assert result["stdout"] == "x" * LIMITS.stdout_bytes and result["stderr"] == "y" * 3_999 + "z"
    wanted = "stdout had 20,001 bytes; the first 10,000 are shown. stderr had 5,001 bytes; the last 4,000 are shown."
    assert result["note"] == wanted
    for code, words in [
        ("", "code is empty"), (" \n\t", "code is empty"), ("#" * 200_001, "200,001 bytes; 200,000 are the most"),
    ]:  # fmt: skip
        before = guest_threads()
        reply = coder.call("code_execution", code=code)
        assert reply.served is Served.ERROR and reply.error is not None and words in reply.error["message"]
        assert guest_threads() == before
    told = CATALOG["code_execution"].spec.description
    numbers = {int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", told)}
    assert {LIMITS.fuel, LIMITS.memory_bytes // 2**20, LIMITS.stdout_bytes, LIMITS.stderr_bytes} <= numbers


def test_without_the_sandbox_no_code_is_run(coder, monkeypatch, tmp_path_factory) -> None:
    """Another file in the interpreter's place ends the run, as a missing Anvil does; nothing else runs the code."""
    mark = tmp_path_factory.mktemp("mark") / "ran"
    other = mark.with_name("python.wasm")
    other.write_bytes(b"\0asm\1\0\0\0")
    monkeypatch.setenv(PYTHON_VARIABLE, str(other))
    with pytest.raises(BadInput, match="caia-replay setup"):
        coder.call("code_execution", code=f"open({str(mark)!r}, 'w')")
    assert not mark.exists()
