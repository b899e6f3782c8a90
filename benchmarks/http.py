"""A replayed HTTP exchange beside a transport that returns a constant, and beside stock vcrpy.

Recordings are half GETs, half JSON-RPC POSTs, and one large reply; the index they are served from is
built here, from a cassette on disk.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

import httpx2
import vcr

from benchmarks import cassette_open
from benchmarks.row import Row, side_by_side
from caia_replay.canonical import pretty_bytes
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.errors import Miss

SIZES = (10, 1_000, 10_000, 100_000)
_PEER_SIZES = (10, 1_000)
_OPENED = 10_000
_ADDED_LIMIT_US, _GROWTH_LIMIT, _PEER_LIMIT = 25.0, 1.2, 150.0
_ROUNDS, _CALLS = 125, 20
_LARGE_BYTES = 1_000_000
_SMALL = '{"prices":[' + ",".join(["[1700000000000,1.25]"] * 29) + "]}"
_LARGE_URL = "https://api.example/large"
_MATCHED = ["method", "scheme", "host", "port", "path", "query"]  # vcrpy's own choice
RPC_URL = "https://rpc.example/"


class ConstantTransport(httpx2.BaseTransport):
    """The floor: the cheapest thing an httpx2 client can get."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._headers = httpx2.Headers({"content-type": "application/json"})

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The same reply to everything."""
        return httpx2.Response(200, headers=self._headers, content=self._body)


def rows() -> Iterator[Row]:
    """Every size, its growth, stock vcrpy, then opening and memory."""
    with tempfile.TemporaryDirectory() as folder:
        smallest: dict[str, float] = {}
        for size in SIZES:
            path = Path(folder, f"{size}.json")
            path.write_bytes(cassette(size))
            spent = yield from _played(path, size)
            smallest = smallest or spent
            if size == SIZES[-1]:
                for kind, times in spent.items():
                    grown = f"{kind} over its floor: {size} recordings against {SIZES[0]}"
                    yield Row(grown, times, "x", smallest[kind], _GROWTH_LIMIT)
            if size == _OPENED:
                yield from cassette_open.rows(path)


def cassette(size: int) -> bytes:
    """A cassette of ``size`` interactions: GETs and POSTs in turn with small replies, the last reply 1 MB."""
    large = _interaction("GET", _LARGE_URL, None, "x" * _LARGE_BYTES)
    return _file([*(_post(at) if at % 2 else _get(at) for at in range(size - 1)), large])


def url(at: int) -> str:
    """The address of recording ``at``."""
    return f"https://api.example/coins/coin-{at}/history?date=01-02-2025&localization=false"


def rpc_call(at: int, number: int = 1) -> bytes:
    """The body of recording ``at``: an eth_call of 500 bytes; ``number`` is its JSON-RPC id."""
    call = {"to": f"0x{at:040x}", "data": "0x70a08231" + f"{at:064x}" * 6}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "eth_call", "params": [call, "latest"]}).encode()


def _file(interactions: list[dict[str, object]]) -> bytes:
    return pretty_bytes({"version": 1, "interactions": interactions})


def _get(at: int) -> dict[str, object]:
    return _interaction("GET", url(at), None, _SMALL)


def _post(at: int) -> dict[str, object]:
    return _interaction("POST", RPC_URL, rpc_call(at).decode(), '{"id":1,"jsonrpc":"2.0","result":"0x1"}')


def _interaction(method: str, uri: str, sent: str | None, reply: str) -> dict[str, object]:
    return {
        "request": {"method": method, "uri": uri, "body": sent, "headers": {}},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"]},
            "body": {"string": reply},
        },
    }


def _played(path: Path, size: int) -> Generator[Row, None, dict[str, float]]:
    """Rows of one size; returns how many times its floor each kind of hit costs, by its name."""
    index = CassetteIndex([Source.of(path)], path.parent / ".cache", path.stem)
    transport = ReplayTransport(Recordings.over(index.store(), (path.name,)), Cursor())
    small, large = _SMALL.encode(), b"x" * _LARGE_BYTES
    last_get, last_post = (size - 2) // 2 * 2, (size - 1) // 2 * 2 - 1
    numbers, fresh, other = count(1), count(0, 2), count(0, 2)
    body_of = partial(rpc_call, last_post)
    calls: dict[str, tuple[bytes, Callable[[httpx2.Client], object]]] = {
        "GET": (small, lambda client: client.get(url(last_get))),
        "POST": (small, lambda client: client.post(RPC_URL, content=body_of(next(numbers)))),
        "GET of 1 MB": (large, lambda client: client.get(_LARGE_URL)),
    }
    spent: dict[str, float] = {}
    ours: dict[str, float] = {}
    with httpx2.Client(transport=transport) as replay:
        for kind, (reply, call) in calls.items():
            with httpx2.Client(transport=ConstantTransport(reply)) as floor:
                found = side_by_side(
                    {"replay": partial(call, replay), "floor": partial(call, floor)}, rounds=_ROUNDS, calls=_CALLS
                )
            spent[kind] = found["replay"] / found["floor"]
            ours[kind] = found["replay"]
            limit = (found["floor"] + _ADDED_LIMIT_US) / found["floor"]
            yield Row(f"replayed {kind}, {size} recordings", found["replay"], "us", found["floor"], round(limit, 3))
        with httpx2.Client(transport=ConstantTransport(small)) as floor:
            if size > 2 * (1 + _ROUNDS * _CALLS):
                once = {"replay": lambda: replay.get(url(next(fresh))), "floor": lambda: floor.get(url(next(other)))}
                found = side_by_side(once, rounds=_ROUNDS, calls=_CALLS)
                yield Row(f"first use of an answer, {size} recordings", found["replay"], "us", found["floor"])
            missed = {"replay": lambda: _miss(replay), "floor": lambda: floor.get(url(last_get))}
            found = side_by_side(missed, rounds=5, calls=10)
            yield Row(f"miss, explained, {size} recordings", found["replay"], "us", found["floor"])
    if size in _PEER_SIZES:
        yield from _peer(path.parent, size, ours)
    return spent


def _miss(client: httpx2.Client) -> None:
    with suppress(Miss):
        client.get("https://api.example/coins/coin-0/history?date=03-02-2025&localization=false")
        raise AssertionError("a question nobody recorded was answered")


def _peer(folder: Path, size: int, ours: dict[str, float]) -> Iterator[Row]:
    """Stock vcrpy, the last of ``size`` of one kind; a POST is matched by its body, as vcrpy does only when told to."""
    asked: dict[str, tuple[list[str], Callable[[int], dict[str, object]], Callable[[httpx2.Client], object]]] = {
        "GET": (_MATCHED, _get, lambda client: client.get(url(size - 1))),
        "POST": ([*_MATCHED, "body"], _post, lambda client: client.post(RPC_URL, content=rpc_call(size - 1))),
    }
    for kind, (matched, recording, call) in asked.items():
        path = folder / f"{kind}-{size}.json"
        path.write_bytes(_file([recording(at) for at in range(size)]))
        player = vcr.VCR(serializer="json", record_mode=vcr.mode.NONE, match_on=matched)
        with player.use_cassette(str(path), allow_playback_repeats=True), httpx2.Client() as client:
            spent = side_by_side({"vcrpy": partial(call, client)}, rounds=3)["vcrpy"]
        judged = _PEER_LIMIT if size == _PEER_SIZES[-1] else None
        yield Row(f"stock vcrpy {kind}, {size} recordings, floor is ours", spent, "us", ours[kind], judged, True)
