"""What recording costs beside asking, what a host's limits cost beside the least they allow, and what growing costs.

The hosts are on this machine. Their limits run on a clock that only waiting and asking move, so nobody sleeps: a
window of a minute takes so many requests and refuses the rest with the seconds that are left of it (429, Retry-After).
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.utils import formatdate
from itertools import count
from pathlib import Path
from typing import Final

import httpx2

from benchmarks.row import Row, side_by_side
from caia_replay.canonical import canonical_bytes
from caia_replay.core.gold import GoldChain
from caia_replay.core.provider import HttpRequest
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import NO_BLOCK, Anchor, AnswerSpec, Task
from caia_replay.loopback import LoopbackServer
from caia_replay.recording.live_task import LiveTaskWorld
from caia_replay.recording.live_world import LiveWorld
from caia_replay.recording.rate_limit import PoliteTransport
from caia_replay.recording.record import Recorder
from caia_replay.store.world_folder import WorldFolder, WorldInfo, open_draft, save_task, save_world
from caia_worldgen.services.service import Answer, Asked, Services

REQUESTS: Final = 300
FEW: Final = 10
MANY: Final = 1_000
RECORDED: Final = 0.2
LIVED: Final = 0.08
"""Of the requests a second that asking makes, at the least: half of what was seen, for a slow disk."""
WAITED: Final = 1.2
"""Times the least that the limits allow."""
GROWN: Final = 1.2
PAUSE_S: Final = 0.5
_NOW: Final = 1_748_800_000
_DAY_S: Final = 86_400
_ASKED: Final = _NOW + 500 * _DAY_S
"""When it is recorded: after the task's moment, as the living web is."""
_MINUTE_S: Final = 60.0
_LATENCY_S: Final = 0.1
_LLAMA: Final = "https://api.llama.fi"
_READER: Final = "https://r.jina.ai/"
_ROUNDS: Final = 41


class Clock:
    """Seconds from 0, which pass when somebody says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class Limited:
    """A host that answers ``a_minute`` requests in a minute of ``clock`` from its first on; each takes a moment."""

    def __init__(self, origin: str, a_minute: int, clock: Clock) -> None:
        self.origins = (origin,)
        self._a_minute = a_minute
        self._clock = clock
        self._since = -math.inf
        self._answered = 0

    def answer(self, asked: Asked, now: int) -> Answer:
        """A kilobyte, or when to come again."""
        self._clock.wait(_LATENCY_S)
        if self._clock.now >= self._since + _MINUTE_S:
            self._since, self._answered = self._clock.now, 0
        if self._answered == self._a_minute:
            return self.busy(asked)
        self._answered += 1
        return Answer(200, {"of": asked.parameters.get("n", ""), "text": "x" * 1_000})

    def busy(self, asked: Asked) -> Answer:
        """The refusal."""
        left_s = self._since + _MINUTE_S - self._clock.now
        return Answer(429, {"error": "too many requests"}, {"Retry-After": str(math.ceil(left_s))})


class Llama:
    """Ten days of any chain."""

    origins = (_LLAMA,)

    def answer(self, asked: Asked, now: int) -> Answer:
        """The same for every chain."""
        return Answer(200, _history())

    def busy(self, asked: Asked) -> Answer:
        """Never asked for here."""
        return Answer(429, {})


def rows(requests: int = REQUESTS, few: int = FEW, many: int = MANY) -> Iterator[Row]:
    """Throughput, limits, growth."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _throughput(Path(folder), requests)
        yield _limited(Path(folder), requests, {"https://one.example": 30})
        yield _limited(Path(folder), requests, {"https://one.example": 30, "https://two.example": 75})
        yield _paused(requests)
        yield from _grown(Path(folder), few, many)


def _throughput(folder: Path, requests: int) -> Iterator[Row]:
    """Requests a second of a recorder and of a world that records, until all is written and proven."""
    urls = [f"{_LLAMA}/v2/historicalChainTvl/Chain{number}" for number in range(requests)]
    world = draft(folder / "throughput")
    with LoopbackServer(Services([Llama()], _ASKED)) as server:

        def asked() -> None:
            with httpx2.Client(trust_env=False) as client:
                for url in urls:
                    client.get(url.replace(_LLAMA, server.url))

        def recorded() -> None:
            with Recorder(folder / "recorded.json", server.host_map, tells_time=True) as client:
                for url in urls:
                    client.get(url)

        def lived() -> None:
            with (
                Recorder(folder / "lived.json", server.host_map, tells_time=True) as client,
                LiveWorld(world, {}, client, lambda _: "") as live,
            ):
                told = LiveTaskWorld(live, world.task("t1"))
                for url in urls:
                    told.answer(HttpRequest("GET", url))

        asked()  # what is made on first use belongs to nobody
        spent = {
            words: _seconds(play) for words, play in {"asked": asked, "recorded": recorded, "lived": lived}.items()
        }
    floor = requests / spent["asked"]
    for words, name, limit in (("a recorder", "recorded", RECORDED), ("a task's world", "lived", LIVED)):
        row = f"{requests} requests by {words}, floor is asking"
        yield Row(row, requests / spent[name], "requests/s", floor, limit, at_least=True)


def _limited(folder: Path, requests: int, a_minute: Mapping[str, int]) -> Row:
    """Simulated seconds of a recording whose requests go to the hosts in turn, beside the least they allow."""
    clock = Clock()
    hosts = [Limited(origin, limit, clock) for origin, limit in a_minute.items()]
    with (
        LoopbackServer(Services(hosts, _ASKED)) as server,
        Recorder(folder / "limited.json", server.host_map, wait=clock.wait) as client,
    ):
        for number in range(requests):
            for origin in a_minute:
                told = client.get(f"{origin}/x?n={number}")
                assert told.status_code == 200, told.status_code
    least_s = max(least(requests, limit) for limit in a_minute.values())
    limits = " and ".join(map(str, a_minute.values()))
    of = f"{len(a_minute)} hosts of {limits} a minute" if len(a_minute) > 1 else f"a host of {limits} a minute"
    return Row(f"{requests} requests to {of}, simulated", clock.now, "s", least_s, WAITED)


def least(requests: int, a_minute: int) -> float:
    """Seconds from the first request to the last, as fast as the limit allows: whole windows, and no moment more."""
    return (requests - 1) // a_minute * _MINUTE_S


def _paused(requests: int) -> Row:
    """Simulated seconds of requests to two live hosts in turn, each kept at its distance and neither at the other's."""
    clock = Clock()
    transport = PoliteTransport(
        httpx2.MockTransport(lambda _: httpx2.Response(200)), lambda _: True, pause_s=PAUSE_S, patience_s=0.0,
        keep_refusals=False, on_superseded=lambda: None, wait=clock.wait, clock=lambda: clock.now,
    )  # fmt: skip
    with httpx2.Client(transport=transport) as client:
        for number in range(requests):
            for origin in ("https://one.example", "https://two.example"):
                client.get(f"{origin}/x?n={number}")
    name = f"{requests} requests to each of 2 hosts, {PAUSE_S:g} s apart, simulated"
    return Row(name, clock.now, "s", (requests - 1) * PAUSE_S, WAITED)


def _grown(folder: Path, few: int, many: int) -> Iterator[Row]:
    """A new question to a world that was asked many before, beside one that was asked few; nothing goes over a wire."""
    for kind, ask in {"question to an API": _ask_api, "page": _ask_page}.items():
        subjects: dict[str, Callable[[], object]] = {}
        worlds: list[LiveWorld] = []
        with httpx2.Client(transport=httpx2.MockTransport(_internet)) as client:
            for size in (few, many):
                home = draft(folder / f"{kind.split()[0]}-{size}")
                worlds.append(LiveWorld(home, {}, client, lambda _: ""))
                subjects[str(size)] = _next(LiveTaskWorld(worlds[-1], home.task("t1")), ask)
                for _ in range(size - 1):
                    subjects[str(size)]()
            spent = side_by_side(subjects, rounds=_ROUNDS)
        for world in worlds:
            world.close()
        yield Row(
            f"a new {kind} after {many} others, floor is after {few}", spent[str(many)], "us", spent[str(few)], GROWN
        )


def _next(world: LiveTaskWorld, ask: Callable[[LiveTaskWorld, int], object]) -> Callable[[], object]:
    numbers = count()
    return lambda: ask(world, next(numbers))


def _ask_api(world: LiveTaskWorld, number: int) -> object:
    return world.answer(HttpRequest("GET", f"{_LLAMA}/v2/historicalChainTvl/Chain{number}"))


def _ask_page(world: LiveTaskWorld, number: int) -> object:
    return world.page(f"https://docs.example/{number}")


def _internet(request: httpx2.Request) -> httpx2.Response:
    """An archive without captures, a reader of any page, ten days of any chain."""
    url = str(request.url)
    told: object = _history()
    if "cdx" in url:
        told = []
    elif url.startswith(_READER):
        page = {"title": "A page", "url": url.removeprefix(_READER), "content": "Words of a page. " * 40,
                "publishedTime": "2025-01-05T00:00:00Z"}  # fmt: skip
        told = {"code": 200, "status": 20000, "data": page}
    headers = {"content-type": "application/json", "date": formatdate(_ASKED, usegmt=True)}
    return httpx2.Response(200, headers=headers, content=canonical_bytes(told))


def _history() -> Sequence[Mapping[str, int]]:
    today = _NOW // _DAY_S * _DAY_S
    return [{"date": today - _DAY_S * days, "tvl": 100 + days} for days in range(9, -1, -1)]


def draft(root: Path) -> WorldFolder:
    """A living world without recordings, of one task ``t1`` that stands at a moment."""
    world = root / "cassettes" / "bench"
    task = Task(
        id="t1", question="?", category="trend analysis", language="en", shape="caia",
        anchor=Anchor("ethereum", NO_BLOCK, _NOW), answer=AnswerSpec("number", ("5",)), gold=GoldChain((), ""),
        stake_usd="0", stake_reason="None.",
    )  # fmt: skip
    suite = Suite("bench", "0.0.0", (SuiteEntry("t1", "2026-11-22"),), {})
    save_world(world, WorldInfo("bench", "live", (), False, "A world for a bench"), suite)
    save_task(world, task)
    return open_draft(world)


def _seconds(play: Callable[[], None]) -> float:
    began = time.perf_counter()
    play()
    return time.perf_counter() - began
