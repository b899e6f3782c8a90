"""Why recordings are played by transports here, and not by vcrpy, which wrote them.

``use_cassette`` replaces methods of the HTTP libraries for the whole process and puts back, at its end, whatever it
found at its beginning. The first test asserts what vcrpy does today: when it fails because vcrpy has become right, that
is good news. That transports are right in threads, tasks and processes, ``test_concurrent_runs.py`` proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import aiohttp
import httpx2
import pytest
import vcr
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.patch import reset_patchers

from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.errors import Miss
from tests.live_draft import answering

RUNS = 3
Open = Callable[[Path], AbstractContextManager[httpx2.Client]]


@pytest.fixture
def url() -> Iterator[str]:
    """The network, on loopback: what gets here has escaped."""
    with answering(lambda asked, body: (200, [], b"live")) as address:
        yield address


@pytest.fixture
def paths(url: str, tmp_path: Path) -> list[Path]:
    """A cassette for each run: the same questions with answers of its own, but for the one that has its number."""
    found = [tmp_path / f"{run}.json" for run in range(RUNS)]
    for run, path in enumerate(found):
        reply = f"run {run}".encode()
        asked = [f"{url}/{question}" for question in range(RUNS + 1) if question != run]
        write_cassette(path, [Interaction("GET", one, b"", {}, 200, "OK", {}, reply) for one in asked])
    return found


@pytest.fixture(autouse=True)
def unpatched() -> Iterator[None]:
    """What vcrpy leaves behind does not reach the next test; its own way back leaves out aiohttp."""
    with pytest.MonkeyPatch.context() as patch:
        for patcher in reset_patchers():
            patch.setattr(patcher.getter(), patcher.attribute, patcher.new)
        patch.setattr(aiohttp.ClientSession, "_request", aiohttp.ClientSession._request)
        yield


@contextmanager
def plain(path: Path) -> Iterator[httpx2.Client]:
    """vcrpy's player, in the mode that is meant to record nothing, and as forgiving as it can be."""
    player = vcr.VCR(serializer="json", record_mode="none")
    with player.use_cassette(str(path), allow_playback_repeats=True), httpx2.Client() as client:
        yield client


@contextmanager
def ours(path: Path) -> Iterator[httpx2.Client]:
    """Our player."""
    with httpx2.Client(transport=ReplayTransport(Recordings([Cassette.open(path)]), Cursor())) as client:
        yield client


def answers(client: httpx2.Client, url: str) -> list[str]:
    """What each question is answered; a miss is empty."""
    found = []
    for question in range(RUNS + 1):
        try:
            found.append(client.get(f"{url}/{question}").text)
        except (CannotOverwriteExistingCassetteException, Miss):
            found.append("")
    return found


def steps(open_client: Open, paths: list[Path], url: str) -> tuple[list[list[str]], list[list[str]], list[str]]:
    """All begin in order and ask; the first ends and the others ask again; all end, and somebody else asks."""
    runs = [ExitStack() for _ in paths]
    clients = [run.enter_context(open_client(path)) for run, path in zip(runs, paths, strict=True)]
    asked = [answers(client, url) for client in clients]
    runs[0].close()
    more = [answers(client, url) for client in clients[1:]]
    for run in runs[1:]:
        run.close()
    with httpx2.Client() as outside:
        return asked, more, answers(outside, url)


def own(run: int) -> list[str]:
    """A run's own answers."""
    return ["" if question == run else f"run {run}" for question in range(RUNS + 1)]


def test_vcrpy_answers_from_other_runs_and_lets_requests_out(paths: list[Path], url: str) -> None:
    """All read the last run's cassette; when one run ends, the others reach the network; a patch stays at the end."""
    asked, more, stayed = steps(plain, paths, url)
    assert asked == [own(RUNS - 1)] * RUNS
    assert more == [["live"] * (RUNS + 1)] * (RUNS - 1)
    assert stayed == own(RUNS - 2)


def test_transports_on_the_same_steps_are_right(paths: list[Path], url: str) -> None:
    """Every request gets its own run's answer or its own miss, and what is outside is not touched."""
    asked, more, stayed = steps(ours, paths, url)
    assert asked == [own(run) for run in range(RUNS)]
    assert more == [own(run) for run in range(1, RUNS)] and stayed == ["live"] * (RUNS + 1)
