"""How long a recorded chain takes to open, and forge on it beside forge on a cache of its own."""

from __future__ import annotations

import os
import subprocess
import time
from hashlib import sha256
from pathlib import Path
from statistics import median

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, StorageRow, write_snapshot
from caia_replay.interop.rpc_node import MissLog
from caia_replay.interop.rpc_record import RpcRecording, record_command
from caia_replay.interop.rpc_serve import serving
from tests.foundry_origin import LAST, archive, forge_project

pytestmark = pytest.mark.check

SLOTS, MOST_OPEN_S = 100_000, 0.1
PAIRS, MOST_OF_WARM = 5, 1.3
CACHING = 'rpc_storage_caching = { chains = "all", endpoints = "all" }\n\n[fuzz]'
COMMAND = ["forge", "test", "--no-match-test", "recorded_one"]
"""All tests but the one that names the chain id: forge keeps no cache of a development chain."""


def test_a_hundred_thousand_slots_open_at_once(tmp_path: Path) -> None:
    """The snapshot is checked and open within a tenth of a second of the processor."""
    words = [sha256(str(number).encode()).digest() for number in range(SLOTS)]
    rows = [StorageRow(words[at % 500][:20], word, 5, 5, word) for at, word in enumerate(words)]
    info = SnapshotInfo("big", 1, {0: "cancun"}, ((5, 5),), "live", "made here")
    write_snapshot(tmp_path / "big", info, SnapshotRows(storage=rows))
    taken = []
    for _ in range(5):
        start = time.process_time()
        Snapshot.open(tmp_path / "big")
        taken.append(time.process_time() - start)
    assert min(taken) < MOST_OPEN_S, taken


def test_forge_is_as_fast_as_on_its_own_cache(
    anvil_binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole project takes at most 1.3 times as long as with forge's warm cache, at the median of pairs."""
    folder, environment = forge_project(tmp_path / "project")
    settings = folder / "foundry.toml"
    settings.write_text(settings.read_text("utf-8").replace("[fuzz]", CACHING), "utf-8")
    for name, value in {**environment, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)

    def seconds(url: str, **more: str) -> float:
        start = time.perf_counter()
        told = subprocess.run(COMMAND, env={**os.environ, "ETH_RPC_URL": url, **more}, capture_output=True, check=False)
        assert told.returncode == 0, told.stdout[-2000:]
        return time.perf_counter() - start

    with archive(anvil_binary, folder, 7117) as node:
        place = folder / "chain_snapshots" / "harbour"
        record_command(RpcRecording(node.url, place, COMMAND), print)
        seconds(node.url)  # warms the cache
        assert list((tmp_path / ".foundry" / "cache" / "rpc").glob("7117/*"))
        snapshot = Snapshot.open(place)
        with serving(snapshot, MissLog(snapshot.name, LAST)) as url:
            pairs = [(seconds(url, FOUNDRY_NO_STORAGE_CACHING="true"), seconds(node.url)) for _ in range(PAIRS)]
    assert median(ours / warm for ours, warm in pairs) <= MOST_OF_WARM, pairs
