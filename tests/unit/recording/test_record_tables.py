"""Statements, a Solana transaction and a repository's file, recorded months after the moment and replayed unplugged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.cassette import Cassette
from caia_replay.core.gold import GoldStep
from caia_replay.errors import CheckFailed
from caia_replay.recording import live_web
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_request import CaptureRequest
from caia_replay.recording.live_web import HttpPolicy
from caia_replay.recording.record import Recorder
from caia_replay.recording.task import record_task
from caia_replay.store.world_folder import WorldFolder, open_draft
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.validation.stale import stale_faults
from caia_replay.world.world import FrozenWorld
from caia_worldgen.services.service import Answer, Asked
from tests.live_draft import NOW, TODAY, Reply, answering, draft, reader_page
from tests.living_dune import Dune
from tests.living_solana import SIGNATURE, SolanaNode

KEY = "dune-" + "k3y" * 9
DAY_S = 86_400
TRADES = [(NOW - 3 * DAY_S + hour * 3_600, "harbour", f"0x{hour % 5:02x}", hour) for hour in range(120)]
CLOSED = "SELECT count(*) AS trades, count(DISTINCT trader) FROM dex.trades WHERE block_date < DATE '2025-06-01'"
FILE = "https://raw.githubusercontent.com/harbour/rates/main/tariff.json"
HOSTS = ("api.dune.com", "api.mainnet-beta.solana.com", "api.github.com", "r.jina.ai", "web.archive.org")


@contextmanager
def hosts(asked: list[str]) -> Iterator[dict[str, str]]:
    """The hosts on this machine, as they are ``TODAY``; the warehouse is slow."""
    dune, node = Dune(TRADES, pending=1), SolanaNode({SIGNATURE: NOW - DAY_S})

    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        parts = urlsplit(request.path)
        asked.append(request.path)
        told = Asked(request.command, parts.path, dict(parse_qsl(parts.query)), {}, body, "", parts.query)
        if parts.path.startswith("/api/v1/"):
            found = dune.answer(told, TODAY)
        elif parts.path.startswith("/repos/"):
            found = Answer(200, [{"commit": {"committer": {"date": "2025-03-01T12:00:00Z"}}}])
        elif unquote(request.path) == f"/{FILE}":
            found = Answer(200, reader_page(FILE, '{"smallest": 4200}'))
        elif request.command == "POST":
            found = node.answer(told, TODAY)
        else:
            found = Answer(200, [])  # the archive has no capture
        date = [("Content-Type", "application/json"), ("Date", formatdate(TODAY, usegmt=True))]
        return found.status, date, canonical_bytes(found.content)

    with answering(answer) as here:
        yield {f"https://{name}": here for name in HOSTS}


def record(folder: WorldFolder, said: list[str]) -> tuple[str, list[str]]:
    """The task recorded, its answer, and what was asked; ``said`` gets every line."""
    asked: list[str] = []
    with hosts(asked) as host_map, pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_web, "Recorder", partial(Recorder, tells_time=True))  # hosts of this machine tell it, too
        policy = HttpPolicy(Keys({"DUNE_API_KEY": KEY}), pause_s=0.0, host_map=host_map)
        capture = CaptureRequest(folder, folder.task("t1"), "live", "")
        return record_task(capture, policy, said.append)[1], asked


def unplugged(folder: WorldFolder) -> GoldRun:
    """The recorded chain, replayed from its files."""
    again = open_draft(folder.path)
    with FrozenWorld(again) as world, WorldToolset(world.task(again.task("t1"))) as tools:
        return run_gold(again.task("t1").gold, tools)


CASES = {
    "statement": (GoldStep("data_query", {"sql": CLOSED}), "$1.rows.0.0"),
    "transaction": (GoldStep("transaction_query", {"hash": SIGNATURE, "chain": "solana"}), "$1.slot"),
    "file": (GoldStep("url_fetching", {"url": FILE}), "match($1.text, 'smallest\": ([0-9]+)')"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_holds_of_the_moment_is_recorded_sealed_and_replayed(name: str, tmp_path: Path) -> None:
    """500 days later, with live provenance; the recorded answer is the replayed one, and no key is in any file."""
    step, result = CASES[name]
    folder = draft(tmp_path, [step], result)
    answer, asked = record(folder, [])
    midnight = NOW // DAY_S * DAY_S
    wanted = {"statement": str(sum(at < midnight for at, *_ in TRADES)), "transaction": "364000000", "file": "4200"}
    assert answer == wanted[name] == unplugged(folder).answer
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    items = Cassette.open(folder.path / "tasks" / "t1" / "http.json").interactions
    assert list(stale_faults(items, folder.task("t1").anchor, is_live=True)) == []
    if name == "statement":
        rows = [path for path in asked if path.endswith("results?limit=1000&offset=0")]
        assert len(rows) == 2, "an unfinished execution is asked again"
        assert len([one for one in items if "results" in one.uri]) == 1


@pytest.mark.parametrize(("sql", "why"), [
    ("SELECT count(*) FROM dex.trades", "ends the time of dex.trades"),
    ("SELECT count(*) FROM dex.trades WHERE block_date < DATE '2025-06-09'", "after the moment"),
    ("SELECT nothing FROM dex.trades WHERE block_date < DATE '2025-06-01'", "QUERY_STATE_FAILED"),
])  # fmt: skip
def test_what_does_not_is_refused_with_its_reason_and_changes_nothing(sql: str, why: str, tmp_path: Path) -> None:
    """An open statement, one that reads beyond the moment, and one that failed."""
    folder = draft(tmp_path, [GoldStep("data_query", {"sql": sql})], "$1.rows.0.0")
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    said: list[str] = []
    with pytest.raises(CheckFailed, match="cannot be recorded"):
        record(folder, said)
    assert why in "\n".join(said)
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before


def test_agents_are_told_of_both_in_living_worlds_alone(tmp_path: Path) -> None:
    """Below the descriptions of the two tools; a synthetic world's tools are as they were."""
    folder = draft(tmp_path, [CASES["statement"][0]], "$1.rows.0.0")
    with FrozenWorld(folder) as world, WorldToolset(world.task(folder.task("t1"))) as tools:
        told = {spec.name: spec.description for spec in tools.specs()}
    assert "dex.trades" in told["data_query"] and "Solana" in told["transaction_query"]
    assert not [name for name, text in told.items() if "Dune" in text and name != "data_query"]
