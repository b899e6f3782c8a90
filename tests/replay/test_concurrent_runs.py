"""Sixteen runs at once, each in its own world: no answer of another's, no place in a sequence lost, no way out."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from caia_replay.cassette import index as index_module
from caia_replay.cassette.aiohttp_adapter import replay_client_session
from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import replay_session
from caia_replay.cassette.transport import (
    AsyncReplayTransport,
    LegacyAsyncReplayTransport,
    LegacyReplayTransport,
    ReplayTransport,
)
from caia_replay.errors import Miss

RUNS = 16
REQUESTS = 200
QUESTIONS = 40
HOST = "https://api.example"

Ask = Callable[[str, str, bytes], bytes]
AsyncAsk = Callable[[str, str, bytes], Awaitable[bytes]]
Open = Callable[[Recordings, Cursor], Ask]
AsyncOpen = Callable[[Recordings, Cursor], AbstractAsyncContextManager[AsyncAsk]]


@dataclass(frozen=True)
class Request:
    """One request, and the body it must be answered with; None when it must be a miss."""

    method: str
    url: str
    body: bytes
    wanted: bytes | None


def answers(world: int, question: int) -> list[str]:
    """What a world answers to a question, in order: nothing, one answer, or two or three in sequence."""
    return [f"world {world}, question {question}, answer {at}" for at in range((question + world) % 4)]


def asked(question: int, number: int) -> tuple[str, str, bytes]:
    """Every second question is a GET, the others are JSON-RPC with the request's own id."""
    if question % 2:
        return "GET", f"{HOST}/price?question={question}", b""
    call = {"jsonrpc": "2.0", "id": number, "method": "eth_getBalance", "params": [hex(question), "latest"]}
    return "POST", f"{HOST}/rpc", json.dumps(call).encode()


def replied(question: int, number: int, answer: str) -> bytes:
    """The body of one answer."""
    if question % 2:
        return answer.encode()
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": answer}).encode()


def world_of(world: int) -> list[Interaction]:
    """A world's recordings. All worlds record the same URLs."""
    return [
        Interaction(*asked(question, at), {}, 200, "OK", {"content-type": ("text/plain",)}, replied(question, at, text))
        for question in range(QUESTIONS)
        for at, text in enumerate(answers(world, question))
    ]


def script(world: int, run: int) -> list[Request]:
    """A run's requests in its own random order, with what it must get, counted independently of the player."""
    draw = random.Random(run)
    counts = dict.fromkeys(range(QUESTIONS), 0)
    requests = []
    for at in range(REQUESTS):
        question, number = draw.randrange(QUESTIONS), 1_000_000 + run * REQUESTS + at
        texts = answers(world, question)
        wanted = replied(question, number, texts[min(counts[question], len(texts) - 1)]) if texts else None
        requests.append(Request(*asked(question, number), wanted))
        counts[question] += 1
    return requests


def by_httpx2(recordings: Recordings, cursor: Cursor) -> Ask:
    client = httpx2.Client(transport=ReplayTransport(recordings, cursor))
    return lambda method, url, body: client.request(method, url, content=body).content


def by_httpx(recordings: Recordings, cursor: Cursor) -> Ask:
    client = httpx.Client(transport=LegacyReplayTransport(recordings, cursor))
    return lambda method, url, body: client.request(method, url, content=body).content


def by_requests(recordings: Recordings, cursor: Cursor) -> Ask:
    session = replay_session(recordings, cursor)
    return lambda method, url, body: session.request(method, url, data=body).content


def asking(client: httpx2.AsyncClient | httpx.AsyncClient) -> AsyncAsk:
    async def ask(method: str, url: str, body: bytes) -> bytes:
        return (await client.request(method, url, content=body)).content

    return ask


@asynccontextmanager
async def by_async_httpx2(recordings: Recordings, cursor: Cursor) -> AsyncIterator[AsyncAsk]:
    async with httpx2.AsyncClient(transport=AsyncReplayTransport(recordings, cursor)) as client:
        yield asking(client)


@asynccontextmanager
async def by_async_httpx(recordings: Recordings, cursor: Cursor) -> AsyncIterator[AsyncAsk]:
    async with httpx.AsyncClient(transport=LegacyAsyncReplayTransport(recordings, cursor)) as client:
        yield asking(client)


@asynccontextmanager
async def by_aiohttp(recordings: Recordings, cursor: Cursor) -> AsyncIterator[AsyncAsk]:
    async with replay_client_session(recordings, cursor) as session:

        async def ask(method: str, url: str, body: bytes) -> bytes:
            async with session.request(method, url, data=body or None) as reply:
                return await reply.read()

        yield ask


def checked(*values: Any) -> Any:
    """A case that only make check runs."""
    return pytest.param(*values, marks=pytest.mark.check)


SCRIPTS = {world: script(world, run=world) for world in range(RUNS)}


def play(ask: Ask, requests: list[Request], before_each: Callable[[], object] = lambda: None) -> list[bytes | None]:
    """What a run gets, None for a miss."""
    got: list[bytes | None] = []
    for request in requests:
        before_each()
        try:
            got.append(ask(request.method, request.url, request.body))
        except Miss:
            got.append(None)
    return got


def in_threads(asks: list[Ask], scripts: list[list[Request]]) -> list[list[bytes | None]]:
    """What each run gets in a thread of its own, while all take every step together."""
    together = threading.Barrier(len(asks), timeout=600)
    with ThreadPoolExecutor(len(asks)) as pool:
        return list(pool.map(lambda ask, requests: play(ask, requests, together.wait), asks, scripts))


async def in_tasks(
    open_client: AsyncOpen, worlds: list[Recordings], scripts: list[list[Request]]
) -> list[list[bytes | None]]:
    """The same in the tasks of one loop, which change places between any two requests."""

    async def run(ask: AsyncAsk, requests: list[Request]) -> list[bytes | None]:
        got: list[bytes | None] = []
        for request in requests:
            await asyncio.sleep(0)
            try:
                got.append(await ask(request.method, request.url, request.body))
            except Miss:
                got.append(None)
        return got

    async with asyncio.timeout(600), AsyncExitStack() as stack:
        asks = [await stack.enter_async_context(open_client(world, Cursor())) for world in worlds]
        return await asyncio.gather(*map(run, asks, scripts))


def wanted(requests: list[Request]) -> list[bytes | None]:
    """What a run must get."""
    return [request.wanted for request in requests]


class Network:
    """What this process does with sockets and names while it is watched; pipes of an event loop are not counted."""

    def __init__(self) -> None:
        self.acts: list[str] | None = None
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.acts is None or not event.startswith("socket."):
            return
        if event == "socket.__new__" and arguments[1] == socket.AF_UNIX:
            return
        self.acts.append(event)


@pytest.fixture(scope="module")
def watched() -> Network:
    """The one watch of this module: an audit hook stays for as long as the process."""
    return Network()


@pytest.fixture
def network(watched: Network) -> Iterator[list[str]]:
    """The acts seen since the test began."""
    watched.acts = []
    yield watched.acts
    watched.acts = None


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that are interrupted fifty times as often as usual; oftener, a busy machine does little else.

    None of them is traced for coverage: Python lets a thread die that begins while another installs its trace function,
    and all the others would wait for it.
    """
    before, trace = sys.getswitchinterval(), threading.gettrace()
    threading.settrace(None)  # type: ignore[arg-type]  # as Python's own documentation has it
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)
    threading.settrace(trace)  # type: ignore[arg-type]


def own_worlds() -> list[Recordings]:
    """A world of its own for each run."""
    return [Recordings([Cassette(f"world {world}", "", tuple(world_of(world)))]) for world in range(RUNS)]


def test_the_scripts_ask_what_the_proof_needs() -> None:
    """Every run has hits, misses, repeated ids' questions and sequences, and no two worlds answer alike."""
    every = [request for requests in SCRIPTS.values() for request in requests]
    assert len(every) == RUNS * REQUESTS == 3200
    assert all(10 < sum(request.wanted is None for request in requests) < 190 for requests in SCRIPTS.values())
    assert {request.method for request in every} == {"GET", "POST"}
    said = [{request.wanted for request in requests} - {None} for requests in SCRIPTS.values()]
    assert sum(map(len, said)) == len(set().union(*said))
    assert all(any(b"answer 2" in request.wanted for request in r if request.wanted) for r in SCRIPTS.values())


def test_the_watch_sees_what_it_forbids(network: list[str]) -> None:
    """A socket, a connection and a look-up on loopback are each seen; the pipes of an event loop are not."""
    asyncio.run(asyncio.sleep(0))
    assert network == []
    socket.getaddrinfo("127.0.0.1", 9)
    with socket.socket() as used:
        used.connect_ex(("127.0.0.1", 0))
    assert [act for act in network if act != "socket.gethostbyname"] == [
        "socket.getaddrinfo",
        "socket.__new__",
        "socket.connect",
    ]


@pytest.mark.parametrize("open_client", [by_httpx2, checked(by_httpx), checked(by_requests)])
def test_runs_in_threads_stay_in_their_worlds(open_client: Open, network: list[str], hurried: None) -> None:
    """Sixteen threads of two hundred requests, a world each: every reply is the right one, and no socket is opened."""
    asks = [open_client(world, Cursor()) for world in own_worlds()]
    scripts = list(SCRIPTS.values())
    assert in_threads(asks, scripts) == [wanted(requests) for requests in scripts]
    assert network == []


@pytest.mark.parametrize("open_client", [by_async_httpx2, checked(by_async_httpx), checked(by_aiohttp)])
def test_runs_in_tasks_stay_in_their_worlds(open_client: AsyncOpen, network: list[str]) -> None:
    """The same in sixteen tasks of one event loop."""
    scripts = list(SCRIPTS.values())
    assert asyncio.run(in_tasks(open_client, own_worlds(), scripts)) == [wanted(requests) for requests in scripts]
    assert network == []


WORLD = 3
SHARED = [script(WORLD, run) for run in range(RUNS)]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A folder with one world's cassette."""
    write_cassette(tmp_path / "world.json", world_of(WORLD))
    return tmp_path


def indexed(folder: Path) -> Recordings:
    """The answers of that cassette, read from an index beside it."""
    index = CassetteIndex([Source.of(folder / "world.json")], folder / "index", "world")
    assert index.path is not None
    return Recordings.over(index.store(), ("world",))


@pytest.mark.parametrize(
    ("open_client", "kept_bytes"),
    [checked(by_httpx2, index_module.KEPT_BYTES), (by_httpx2, 20_000), checked(by_requests, 20_000)],
)
def test_runs_that_share_an_index_share_no_place_in_it(
    open_client: Open,
    kept_bytes: int,
    network: list[str],
    hurried: None,
    recorded: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sixteen threads read one index: each plays every sequence from its start, even while answers are dropped."""
    monkeypatch.setattr(index_module, "KEPT_BYTES", kept_bytes)
    recordings = indexed(recorded)
    asks = [open_client(recordings, Cursor()) for _ in range(RUNS)]
    assert in_threads(asks, SHARED) == [wanted(requests) for requests in SHARED]
    assert network == []


@pytest.mark.check
@pytest.mark.parametrize("open_client", [by_async_httpx2, by_aiohttp])
def test_tasks_that_share_an_index_share_no_place_in_it(
    open_client: AsyncOpen, network: list[str], recorded: Path
) -> None:
    """The same in sixteen tasks of one event loop."""
    worlds = [indexed(recorded)] * RUNS
    assert asyncio.run(in_tasks(open_client, worlds, SHARED)) == [wanted(requests) for requests in SHARED]
    assert network == []


def in_one_process(folder: str, runs: range) -> list[list[bytes | None]]:
    """What some runs get in a process that opens the index for itself."""
    recordings = indexed(Path(folder))
    return [play(by_httpx2(recordings, Cursor()), SHARED[run]) for run in runs]


@pytest.mark.check
def test_processes_that_share_an_index_share_no_place_in_it(recorded: Path) -> None:
    """Two processes, eight runs each, meet before there is an index."""
    halves = [(str(recorded), range(half, RUNS, 2)) for half in range(2)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap(in_one_process, halves, chunksize=1)
    assert found == [[wanted(SHARED[run]) for run in runs] for _, runs in halves]
