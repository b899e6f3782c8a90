"""An HTTP API that nobody here has rules for: recorded once, it is served exactly, wherever a world is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import Miss
from caia_replay.interop.gateway import MISSED, Gateway
from caia_replay.loopback import LoopbackServer
from caia_replay.recording.record import Recorder
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.validation.lint import lint
from caia_replay.validation.verify import verify_suite
from caia_replay.world.world import FrozenWorld, TaskWorld
from tests.cli_shell import Shell
from tests.loan_library import LOANS, MOMENT, ORIGIN, library, write_world

OLD = "http://old.library.example:8080"
ASKED = [
    HttpRequest("GET", f"{ORIGIN}/loans"),
    HttpRequest("GET", f"{ORIGIN}/loans?branch=north"),
    HttpRequest("GET", f"{ORIGIN}/loans/404"),
    HttpRequest("POST", f"{ORIGIN}/search", b'{"title": "Emma"}', {"content-type": "application/json"}),
    HttpRequest("GET", f"{OLD}/loans/7"),
]


@pytest.fixture(scope="module")
def loans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, TaskWorld, dict[HttpRequest, bytes]]]:
    """The world recorded and sealed, its task's view, and what the library's own server said."""
    world = write_world(tmp_path_factory.mktemp("loans"))
    told = {}
    with library() as here, Recorder(world / "http" / "own.json", {ORIGIN: here, OLD: here}) as client:
        for one in ASKED:
            reply = client.request(one.method, one.url, content=one.body, headers=one.headers)
            told[_plain(one)] = reply.content
    seal_world(world)
    folder = open_world(str(world))
    with FrozenWorld(folder) as frozen:
        yield world, frozen.task(folder.task("oldest")), told


def _plain(request: HttpRequest) -> HttpRequest:
    """A request without headers, which no dictionary takes."""
    return HttpRequest(request.method, request.url, request.body)


def test_what_was_recorded_is_served_in_the_world(loans: tuple[Path, TaskWorld, dict[HttpRequest, bytes]]) -> None:
    """Every request gets the bytes it was answered with, as a HIT; one that differs in a value is a miss."""
    _, world, told = loans
    for request, body in told.items():
        reply, served = world.answer(request)
        assert (reply.body, served) == (body, Served.HIT)
    for other in (f"{ORIGIN}/loans?branch=south", f"{ORIGIN}/loans/8", "https://old.library.example:8080/loans/7"):
        with pytest.raises(Miss):
            world.answer(HttpRequest("GET", other))


def test_it_is_served_by_a_tool_the_gateway_and_a_transport(
    loans: tuple[Path, TaskWorld, dict[HttpRequest, bytes]],
) -> None:
    """One recording, three ways to it, the same bytes; lint and verify agree that the world is whole."""
    path, world, told = loans
    with WorldToolset(world, ["url_fetching"]) as tools:
        shown = tools.call("url_fetching", json.dumps({"url": f"{ORIGIN}/loans"}))
        refused = tools.call("url_fetching", json.dumps({"url": f"{ORIGIN}/loans/404"}))
        missed = tools.call("url_fetching", json.dumps({"url": f"{ORIGIN}/loans/8"}))
    assert (
        shown.served is Served.HIT and shown.result is not None and json.loads(shown.result["text"])["loans"] == LOANS
    )
    assert refused.served is Served.ERROR and "404" in str(refused.error) and missed.served is Served.MISS
    recordings = Recordings([Cassette.open(path / "http" / "own.json")])
    with LoopbackServer(Gateway(world)) as server, httpx2.Client(trust_env=False) as client:
        assert client.get(f"{server.url}/old.library.example:8080/loans/8").status_code == MISSED
        for request, body in told.items():
            served = client.request(
                request.method, f"{server.url}/{request.url.partition('://')[2]}", content=request.body
            )
            assert served.content == body
            with httpx2.Client(transport=ReplayTransport(recordings, Cursor())) as replayed:
                assert replayed.request(request.method, request.url, content=request.body).content == body
    assert list(lint(path)) == []
    assert [one.solved for one in verify_suite(open_world(str(path)))] == [True]


def test_a_recording_of_later_is_not_shown(tmp_path: Path) -> None:
    """A reply whose Date lies after the task's moment is a miss that names both times."""
    path = write_world(tmp_path)
    with library() as here, Recorder(path / "http" / "own.json", {ORIGIN: here}, tells_time=True) as client:
        client.get(f"{ORIGIN}/loans")
    seal_world(path)
    folder = open_world(str(path))
    with FrozenWorld(folder) as frozen:
        world = frozen.task(folder.task("oldest"))
        assert world.clock.now == MOMENT
        with pytest.raises(Miss, match=r"after the task's moment"):
            world.answer(HttpRequest("GET", f"{ORIGIN}/loans"))


def test_a_world_without_pages_is_replayed_clean(
    loans: tuple[Path, TaskWorld, dict[HttpRequest, bytes]], shell: Shell
) -> None:
    """Without --arm only the clean arm is played, and one line says why."""
    asked = ("replay", "--suite", loans[0], "--model", "policy/oracle", "--runs", "1")
    code, told, _ = shell(*asked)
    assert code == 0 and "--arm clean: no page is recorded in loans" in told
    assert [path.name for path in Path("runs/policy-oracle").iterdir() if path.is_dir()] == ["clean-tools"]
