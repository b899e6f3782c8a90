"""An answer narrowed from recordings beside one that was recorded; recording beside asking; and what a world weighs.

The world is an economy's, as ``world build`` writes it: the questions are read off its own recordings.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from benchmarks.row import Row, side_by_side
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput
from caia_replay.loopback import LoopbackServer
from caia_replay.recording.record import Recorder
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import FrozenWorld, TaskWorld
from caia_worldgen.services.service import Answer, Asked, Services

ORIGIN: Final = "https://constant.example"
_ROUNDS, _CALLS = 9, 10
_REQUESTS: Final = 400
_HOUR_MS: Final = 3_600_000
_HOURS: Final = frozenset(("interval=1h", "limit=1000"))


class Constant:
    """A service that says one kilobyte to everything."""

    origins = (ORIGIN,)

    def answer(self, asked: Asked, now: int) -> Answer:
        """The same to everything."""
        return Answer(200, {"of": asked.parameters.get("n", ""), "text": "x" * 1_000})

    def busy(self, asked: Asked) -> Answer:
        """Never asked for here."""
        return Answer(429, {})


def rows(suite: str) -> Iterator[Row]:
    """Narrowing over the shipped economy, then recording, then size."""
    folder = open_world(suite)
    with FrozenWorld(folder) as world:
        task = max((folder.task(name) for name in folder.suite.active()), key=lambda task: task.anchor.timestamp)
        yield from _narrowed(world.task(task))
    yield _recording()
    yield from _weights(folder)


def _narrowed(world: TaskWorld) -> Iterator[Row]:
    """Each question is asked as it was recorded and as nobody recorded it; both from warm caches."""
    recorded = _first(world, "/api/v3/ticker/price")
    for words, path, changes in (
        ("five hundred recorded candles", "/api/v3/klines", _half),
        ("three days of a recorded price chart", "/market_chart/range", _day),
        ("one of the recorded prices now", "/simple/price", _one),
    ):
        asked = _first(world, path)
        other = changes(asked, world.clock.now)
        if world.answer(other)[1] is not Served.DERIVED:
            raise BadInput(f"{other.url} is not narrowed in this world")
        spent = side_by_side(
            {"narrowed": partial(world.answer, other), "hit": partial(world.answer, recorded)},
            rounds=_ROUNDS,
            calls=_CALLS,
        )
        yield Row(f"{words}, narrowed; floor is a hit", spent["narrowed"], "us", spent["hit"])


def _first(world: TaskWorld, path: str) -> HttpRequest:
    """The first recorded request to an endpoint; of candles, a window of hours."""
    for request, _ in world.world.recordings(world.task.id).requests():
        asked = urlsplit(request.url)
        if asked.path.endswith(path) and ("interval=" not in asked.query or set(asked.query.split("&")) >= _HOURS):
            return request
    raise BadInput(f"nothing of {path} is recorded in this world")


def _changed(request: HttpRequest, **parameters: object) -> HttpRequest:
    parts = urlsplit(request.url)
    query = dict(parse_qsl(parts.query)) | {name: str(value) for name, value in parameters.items() if value is not None}
    kept = {name: value for name, value in query.items() if parameters.get(name, "") is not None}
    return HttpRequest("GET", f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(kept)}")


def _half(request: HttpRequest, now: int) -> HttpRequest:
    """Five hundred closed candles before now."""
    last = now // 3_600 * _HOUR_MS
    return _changed(request, startTime=last - 510 * _HOUR_MS, endTime=last - 10 * _HOUR_MS - 1)


def _day(request: HttpRequest, now: int) -> HttpRequest:
    """Three days that ended yesterday."""
    return _changed(request, **{"from": now - 96 * 3_600, "to": now - 24 * 3_600})


def _one(request: HttpRequest, now: int) -> HttpRequest:
    ids = dict(parse_qsl(urlsplit(request.url).query))["ids"].split(",")
    return _changed(request, ids=ids[len(ids) // 2])


def _recording() -> Row:
    """Microseconds per request of one kilobyte, recorded and proven, beside the same client asking the same server."""
    urls = [f"{ORIGIN}/x?n={number}" for number in range(_REQUESTS)]
    with LoopbackServer(Services([Constant()], 0)) as server, tempfile.TemporaryDirectory() as folder:
        with httpx2.Client(trust_env=False) as client:
            began = time.perf_counter()
            for url in urls:
                client.get(url.replace(ORIGIN, server.url))
            plain_s = time.perf_counter() - began
        began = time.perf_counter()
        with Recorder(Path(folder, "x.json"), server.host_map) as recorder:
            for url in urls:
                recorder.get(url)
        spent_s = time.perf_counter() - began
    per = 1e6 / _REQUESTS
    return Row("recording a request, floor is asking", spent_s * per, "us", plain_s * per)


def _weights(folder: WorldFolder) -> Iterator[Row]:
    """The recordings of a world, and of one task's moment, beside its chains."""
    chains = sum(_size_mb(folder.snapshots / name) for name in folder.info.chains)
    yield Row("recordings of the world, floor is its chains", _size_mb(folder.path), "MB", chains)
    tasks = [_size_mb(folder.path / "tasks" / name) for name in folder.suite.active()]
    yield Row("recordings of one task's moment, floor is its chains", sum(tasks) / len(tasks), "MB", chains)


def _size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
