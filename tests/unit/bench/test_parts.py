"""What stands behind the rows: that what is measured really does what it is measured at."""

from __future__ import annotations

import json
import os
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import http, table, tool_call
from benchmarks.harness import INSPECT, by_inspect
from benchmarks.http import ConstantTransport, cassette, rpc_call, url
from benchmarks.lookup import look_up, write_storage
from benchmarks.recording import Clock, Limited, least
from benchmarks.row import Row
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import read_snapshot, reseal
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.tools.catalog import CATALOG
from caia_worldgen.services.service import Asked
from tests.peer_python import peer_python
from tests.short_economy import ShortEconomy

PROJECT = Path(__file__).resolve().parents[3]


@pytest.mark.soak
def test_inspect_ai_plays_its_sample() -> None:
    """The peer really runs, where scripts/peers.sh has brought it; without it there is no figure."""
    assert by_inspect(Path("nowhere"), 2) is None
    place = PROJECT / INSPECT.parents[1]
    if os.environ.get("REQUIRE_CLIENTS") == "1":
        assert peer_python("inspect") == PROJECT / INSPECT
    elif not (place / ".installed").is_file():
        pytest.skip("needs scripts/peers.sh to have brought its programs once")
    milliseconds = by_inspect(PROJECT / INSPECT, 2)
    assert milliseconds is not None and milliseconds > 0


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


def test_the_synthetic_snapshot_is_an_ordinary_one(tmp_path: Path) -> None:
    """It has the rows asked for, opens verified, and sealing it anew changes no byte; a lacking row ends measuring."""
    write_storage(tmp_path / "bench", 9_001)
    Snapshot.open(tmp_path / "bench")
    assert len(read_snapshot(tmp_path / "bench")[1].storage) == 9_001
    before = {path.name: path.read_bytes() for path in (tmp_path / "bench").iterdir()}
    reseal(tmp_path / "bench")
    assert {path.name: path.read_bytes() for path in (tmp_path / "bench").iterdir()} == before
    write_storage(tmp_path / "few", 200)
    with pytest.raises(CheckFailed, match="found 0x0000"):
        look_up(tmp_path / "few", 400, 50)


ASKED = Asked("GET", "/x", {"n": "1"})


def test_a_limited_host_counts_by_the_minute() -> None:
    """It answers so many, tells the seconds that are left, and answers again after them; minutes are whole."""
    clock = Clock()
    host = Limited("https://one.example", 2, clock)
    assert [host.answer(ASKED, 0).status for _ in range(3)] == [200, 200, 429]
    told = int(host.answer(ASKED, 0).headers["Retry-After"])
    clock.wait(told - 2)
    assert host.answer(ASKED, 0).status == 429
    clock.wait(2)
    assert [host.answer(ASKED, 0).status for _ in range(3)] == [200, 200, 429]
    assert [least(requests, 30) for requests in (1, 30, 31, 60, 61, 300)] == [0, 0, 60, 60, 120, 540]


POSITIVE = st.floats(0.001, 1e6)


@given(POSITIVE, POSITIVE, POSITIVE)
def test_a_limit_is_kept_on_its_own_side(value: float, floor: float, limit: float) -> None:
    """A ratio is judged against its limit: at most, or for a peer at least."""
    ratio = value / floor
    assert Row("x", value, "us", floor, limit).ok == (ratio <= limit)
    assert Row("x", value, "us", floor, limit, at_least=True).ok == (ratio >= limit)
    assert Row("x", value, "us", floor).ok


def test_rows_print_and_a_broken_limit_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--json prints every row with its group; run returns False when a limit is broken; no group names the nearest."""
    monkeypatch.setitem(table.GROUPS, "http", lambda: iter([Row("fast", 1, "us", 1, 2), Row("slow", 3, "us", 1, 2)]))
    assert table.run(("http",), as_json=True) is False
    rows = json.loads(capsys.readouterr().out)
    assert [(row["group"], row["name"], row["ok"]) for row in rows] == [("http", "fast", True), ("http", "slow", False)]
    assert table.run(("http",), as_json=False) is False
    assert "NO" in capsys.readouterr().out
    with pytest.raises(BadInput, match="nearest: http"):
        table.run(("htp",), as_json=True)


@pytest.mark.soak
def test_every_tool_has_its_rows_beside_a_floor(short_economy: ShortEconomy, monkeypatch: pytest.MonkeyPatch) -> None:
    """p50 and p99 of every tool of the catalog, told and not judged; the command's start is held to its limit."""
    monkeypatch.setattr(tool_call, "_CALLS", 1)
    monkeypatch.setattr(tool_call, "_STARTS", 1)
    *told, start = tool_call.rows(str(short_economy.report.world))
    assert [row.name for row in told] == [f"{name} {part}" for name in CATALOG for part in ("p50", "p99")]
    assert all(row.value > 0 and row.floor > 0 and row.limit is None and row.unit == "us" for row in told)
    assert start.limit is not None and start.limit * start.floor == pytest.approx(150, abs=1)
