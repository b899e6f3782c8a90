"""A replayed HTTP hit beside a transport that returns a constant, and beside stock vcrpy."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import vcr

from caia_replay.bench.row import Row, side_by_side
from caia_replay.canonical import pretty_bytes
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport

SIZES = (10, 100, 1_000)
_ADDED_LIMIT_US = 25.0
_PEER_LIMIT_AT_1000 = 150.0
_ROUNDS, _CALLS, _PEER_ROUNDS = 15, 200, 5


class ConstantTransport(httpx2.BaseTransport):
    """The floor: the cheapest thing an httpx2 client can get."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._headers = httpx2.Headers({"content-type": "application/json"})

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The same reply to everything."""
        return httpx2.Response(200, headers=self._headers, content=self._body)


def rows() -> Iterator[Row]:
    """The last of N recordings, asked again and again through a keep-alive client."""
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder, f"{size}.json")
            path.write_bytes(cassette(size))
            yield from _measure(path, size)


def cassette(size: int) -> bytes:
    """``size`` recorded GETs with replies of 600 bytes."""
    interactions = [
        {
            "request": {"method": "GET", "uri": url(at), "body": None, "headers": {}},
            "response": {
                "status": {"code": 200, "message": "OK"},
                "headers": {"content-type": ["application/json"]},
                "body": {"string": '{"prices":[' + ",".join(["[1700000000000,1.25]"] * 29) + "]}"},
            },
        }
        for at in range(size)
    ]
    return pretty_bytes({"version": 1, "interactions": interactions})


def url(at: int) -> str:
    """The address of recording ``at``."""
    return f"https://api.example/coins/coin-{at}/history?date=01-02-2025&localization=false"


def _measure(path: Path, size: int) -> Iterator[Row]:
    opened = Cassette.open(path)
    body = opened.interactions[-1].body
    wanted = url(size - 1)
    replay = httpx2.Client(transport=ReplayTransport(Recordings([opened]), Cursor()))
    floor = httpx2.Client(transport=ConstantTransport(body))
    with replay, floor:
        spent = side_by_side(
            {"replay": lambda: replay.get(wanted), "floor": lambda: floor.get(wanted)}, rounds=_ROUNDS, calls=_CALLS
        )
    limit = (spent["floor"] + _ADDED_LIMIT_US) / spent["floor"]
    yield Row(f"replayed GET, {size} recordings", spent["replay"], "us", spent["floor"], round(limit, 3))
    peer = _stock_vcrpy(path, wanted)
    judged = _PEER_LIMIT_AT_1000 if size == SIZES[-1] else None
    yield Row(f"stock vcrpy, {size} recordings, floor is ours", peer, "us", spent["replay"], judged, at_least=True)


def _stock_vcrpy(path: Path, wanted: str) -> float:
    player = vcr.VCR(serializer="json", record_mode=vcr.mode.NONE)
    with (
        player.use_cassette(str(path), allow_playback_repeats=True),
        httpx2.Client() as client,
    ):
        return side_by_side({"vcrpy": lambda: client.get(wanted)}, rounds=_PEER_ROUNDS)["vcrpy"]
