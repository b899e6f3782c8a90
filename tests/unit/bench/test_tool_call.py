"""The rows of the tools, over an economy built for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.bench import tool_call
from caia_replay.bench.chain import contract_call
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import BadInput
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.short_economy import ShortEconomy


def test_every_tool_has_its_rows_beside_a_floor(short_economy: ShortEconomy, monkeypatch: pytest.MonkeyPatch) -> None:
    """p50 and p99 of every tool of the catalog, told and not judged; the command's start is held to its limit."""
    monkeypatch.setattr(tool_call, "_CALLS", 1)
    monkeypatch.setattr(tool_call, "_STARTS", 1)
    *told, start = tool_call.rows(str(short_economy.report.world))
    assert [row.name for row in told] == [f"{name} {part}" for name in CATALOG for part in ("p50", "p99")]
    assert all(row.value > 0 and row.floor > 0 and row.limit is None and row.unit == "us" for row in told)
    assert start.limit is not None and start.limit * start.floor == pytest.approx(150, abs=1)


def test_what_a_call_took_from_the_world_is_asked_again(short_economy: ShortEconomy) -> None:
    """A reply, a search and a lease with its reads are parts that another world of the task answers alike."""
    folder = open_world(str(short_economy.report.world))
    asked = contract_call(folder)
    with FrozenWorld(folder) as frozen:
        watched = tool_call.WatchedWorld(frozen, asked.task, NO_OVERLAY)
        reply = watched.answer(HttpRequest("GET", tool_call.COINS))
        found = watched.search("token", 3)
        posts = watched.search_posts("token", 3)
        with watched.fork(asked.block) as fork:
            read = fork.rpc("eth_call", [asked.transaction, "latest"])
            assert (fork.block, fork.writes) == (asked.block, False)
        assert [part(frozen.task(asked.task)) for part in watched.parts] == [reply, found, posts, [read]]


def test_a_world_without_coins_is_refused(shipped: Path) -> None:
    """A world that recorded no market names nothing to ask for, which is said and not measured as zero."""
    with pytest.raises(BadInput, match="to name things by"):
        list(tool_call.rows(str(shipped)))
