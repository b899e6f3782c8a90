"""Why recordings are played by transports here, and not by vcrpy, which wrote them.

``use_cassette`` replaces methods of the HTTP libraries for the whole process and puts back, at its end, whatever it
found at its beginning. Runs that overlap therefore read the cassette of the run that began last; the run that ends
first opens the network to all others; and when not the last begun ends first, a patch stays after all have ended. No
thread and no task is spared. The tests below hold the order of the steps fixed, so that they show this every time,
and put transports through the same steps, where nothing of it happens.

They assert what vcrpy does today. When one fails because vcrpy has become right, that is good news, not a fault.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import aiohttp
import httpx2
import pytest
import vcr
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.patch import reset_patchers

from caia_replay.cassette.aiohttp_adapter import replay_client_session
from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.errors import Miss

RUNS = 16
REQUESTS = 200
QUESTIONS = 20

MISSES = (CannotOverwriteExistingCassetteException, Miss)

Asked = list[tuple[int, str]]
"""Questions and what each was answered; empty for a miss."""


class Live(ThreadingHTTPServer):
    """The network, on loopback: what gets here has escaped, and is counted."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reached = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Live)
        self.server.reached += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"live")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def live() -> Iterator[Live]:
    """A server that every recording was made from."""
    with Live() as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def paths(live: Live, tmp_path: Path) -> list[Path]:
    """A cassette for each run: the same questions with answers of its own, but for the one that has its number."""
    found = [tmp_path / f"{run}.json" for run in range(RUNS)]
    for run, path in enumerate(found):
        write_cassette(
            path,
            [
                Interaction("GET", f"{live.url}/{question}", b"", {}, 200, "OK", {}, f"run {run}".encode())
                for question in range(QUESTIONS)
                if question != run
            ],
        )
    return found


@pytest.fixture(autouse=True)
def unpatched() -> Iterator[None]:
    """What vcrpy leaves behind does not reach the next test; its own way back leaves out aiohttp."""
    with pytest.MonkeyPatch.context() as patch:
        for patcher in reset_patchers():
            patch.setattr(patcher.getter(), patcher.attribute, patcher.new)
        patch.setattr(aiohttp.ClientSession, "_request", aiohttp.ClientSession._request)
        yield


def plain(path: Path) -> AbstractContextManager[object]:
    """vcrpy's player, in the mode that is meant to record nothing, and as forgiving as it can be."""
    return vcr.VCR(serializer="json", record_mode="none").use_cassette(str(path), allow_playback_repeats=True)


def recorded(path: Path) -> Recordings:
    """The same for our player."""
    return Recordings([Cassette.open(path)])


@contextmanager
def plain_httpx2(path: Path) -> Iterator[httpx2.Client]:
    with plain(path), httpx2.Client() as client:
        yield client


@contextmanager
def our_httpx2(path: Path) -> Iterator[httpx2.Client]:
    with httpx2.Client(transport=ReplayTransport(recorded(path), Cursor())) as client:
        yield client


@asynccontextmanager
async def plain_aiohttp(path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    with plain(path):
        async with aiohttp.ClientSession() as session:
            yield session


@asynccontextmanager
async def our_aiohttp(path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with replay_client_session(recorded(path), Cursor()) as session:
        yield session


def answer(client: httpx2.Client, url: str) -> str:
    """The text of one reply; empty for a miss."""
    try:
        return client.get(url).text
    except MISSES:
        return ""


async def async_answer(session: aiohttp.ClientSession, url: str) -> str:
    """The same for aiohttp."""
    try:
        async with session.get(url) as reply:
            return await reply.text()
    except MISSES:
        return ""


def thread_run(
    open_client: Callable[[Path], AbstractContextManager[httpx2.Client]], path: Path, url: str
) -> Generator[Asked, None, None]:
    """A run in steps: it begins; asks its two hundred requests; asks one more; ends."""
    with open_client(path) as client:
        yield []
        yield [(at % QUESTIONS, answer(client, f"{url}/{at % QUESTIONS}")) for at in range(REQUESTS)]
        yield [(QUESTIONS - 1, answer(client, f"{url}/{QUESTIONS - 1}"))]


async def task_run(
    open_client: Callable[[Path], AbstractAsyncContextManager[aiohttp.ClientSession]], path: Path, url: str
) -> AsyncGenerator[Asked, None]:
    """The same for aiohttp."""
    async with open_client(path) as session:
        yield []
        yield [(at % QUESTIONS, await async_answer(session, f"{url}/{at % QUESTIONS}")) for at in range(REQUESTS)]
        yield [(QUESTIONS - 1, await async_answer(session, f"{url}/{QUESTIONS - 1}"))]


def in_threads(runs: list[Generator[Asked, None, None]]) -> tuple[list[Asked], list[Asked]]:
    """All begin in order; all ask at once; the first ends; the others ask once more, and end in order.

    Gives what each was answered, and what the others were answered after the end of the first.
    """
    threads = [ThreadPoolExecutor(1) for _ in runs]
    step = [partial(thread.submit, next, run, []) for thread, run in zip(threads, runs)]
    try:
        for begin in step:
            begin().result()
        asked = [pending.result() for pending in [ask() for ask in step]]
        threads[0].submit(runs[0].close).result()
        more = [ask().result() for ask in step[1:]]
        for end in step[1:]:
            end().result()
        return asked, more
    finally:
        for thread in threads:
            thread.shutdown()


async def in_tasks(runs: list[AsyncGenerator[Asked, None]]) -> tuple[list[Asked], list[Asked]]:
    """The same in the tasks of one event loop."""
    for run in runs:
        await anext(run)
    asked = await asyncio.gather(*map(anext, runs))
    await runs[0].aclose()
    more = [await anext(run) for run in runs[1:]]
    for run in runs[1:]:
        await run.aclose()
    return asked, more


def judged(asked: list[Asked], first: int = 0) -> Counter[str]:
    """How often runs got what they had to, another run's answer, a miss of what they hold, or the network."""
    found: Counter[str] = Counter()
    for run, answers in enumerate(asked, first):
        for question, text in answers:
            if text == ("" if question == run else f"run {run}"):
                found["right"] += 1
            elif text == "live":
                found["escaped"] += 1
            elif not text:
                found["false miss"] += 1
            else:
                found["another's answer" if question != run else "an answer to what was never recorded"] += 1
    return found


OTHERS = RUNS - 1
EACH = REQUESTS // QUESTIONS
WRONG = {
    "right": REQUESTS,
    "another's answer": OTHERS * (REQUESTS - 2 * EACH),
    "an answer to what was never recorded": OTHERS * EACH,
    "false miss": OTHERS * EACH,
}
"""Only the run that began last is right; all others read its cassette."""


def test_vcrpy_in_threads_answers_from_other_runs_and_lets_requests_out(paths: list[Path], live: Live) -> None:
    """Of 3,200 requests 200 are answered rightly; when one run ends, the others reach the network; a patch stays."""
    asked, more = in_threads([thread_run(plain_httpx2, path, live.url) for path in paths])
    assert judged(asked) == WRONG and sum(WRONG.values()) == 3_200
    assert judged(more, first=1) == {"escaped": OTHERS} and live.reached == OTHERS
    with httpx2.Client() as outside:
        assert answer(outside, f"{live.url}/0") == f"run {RUNS - 2}" and live.reached == OTHERS


def test_vcrpy_in_tasks_answers_from_other_runs_and_lets_requests_out(paths: list[Path], live: Live) -> None:
    """The same in the tasks of one event loop, through aiohttp."""

    async def steps() -> tuple[list[Asked], list[Asked], str]:
        asked, more = await in_tasks([task_run(plain_aiohttp, path, live.url) for path in paths])
        async with aiohttp.ClientSession() as outside:
            return asked, more, await async_answer(outside, f"{live.url}/0")

    asked, more, stayed = asyncio.run(steps())
    assert judged(asked) == WRONG
    assert judged(more, first=1) == {"escaped": OTHERS} and live.reached == OTHERS
    assert stayed == f"run {RUNS - 2}"


def test_transports_on_the_same_steps_are_right(paths: list[Path], live: Live) -> None:
    """In threads and in tasks every request gets its own run's answer or its own miss, and none gets out."""
    for asked, more in (
        in_threads([thread_run(our_httpx2, path, live.url) for path in paths]),
        asyncio.run(in_tasks([task_run(our_aiohttp, path, live.url) for path in paths])),
    ):
        assert judged(asked) == {"right": RUNS * REQUESTS}
        assert judged(more, first=1) == {"right": OTHERS}
    assert live.reached == 0
    with httpx2.Client() as outside:
        assert answer(outside, f"{live.url}/0") == "live" and live.reached == 1
