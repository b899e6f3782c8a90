from pathlib import Path

import httpx2
import pytest

from caia_replay.bench import cassette_open, http
from caia_replay.bench.http import ConstantTransport, cassette, rpc_call, url
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport


def test_what_is_measured_really_replays(tmp_path: Path) -> None:
    """The benched client gets the recorded bodies of a GET, a POST with another id, and the floor the same body."""
    path = tmp_path / "c.json"
    path.write_bytes(cassette(25))
    opened = Cassette.open(path)
    body = next(item.body for item in opened.interactions if item.uri == url(22))
    with (
        httpx2.Client(transport=ReplayTransport(Recordings([opened]), Cursor())) as replay,
        httpx2.Client(transport=ConstantTransport(body)) as floor,
    ):
        assert replay.get(url(22)).content == floor.get(url(22)).content == body
        assert replay.post(http.RPC_URL, content=rpc_call(23, 7)).json() == {"id": 7, "jsonrpc": "2.0", "result": "0x1"}
        assert len(body) > 500
        assert len(rpc_call(23)) < 1000


def test_the_group_measures_all_it_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At small sizes: hits, misses, growth, vcrpy, opening and memory are all there, with positive figures."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in {"SIZES": (10, 40), "_OPENED": 40, "_PEER_SIZES": (10,), "_ROUNDS": 2, "_CALLS": 3}.items():
        monkeypatch.setattr(http, name, value)
    monkeypatch.setattr(cassette_open, "PROCESSES", 1)
    rows = list(http.rows())
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    for told in (
        "replayed GET, 40 recordings", "replayed POST, 10 recordings", "replayed GET of 1 MB, 40 recordings",
        "first use of an answer, 40 recordings", "miss, explained, 10 recordings", "open 40 interactions",
        "GET over its floor: 40 recordings against 10", "stock vcrpy POST, 10 recordings", "all played",
    ):  # fmt: skip
        assert any(told in name for name in names), told
    assert all(row.value > 0 and row.floor > 0 for row in rows if row.unit != "MB")
    judged = [row for row in rows if row.limit is not None]
    assert len(judged) >= 10
