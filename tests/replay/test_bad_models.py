"""Whole runs against a server that speaks the protocol badly: each ends as named, loses no step and harms no other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.errors import BadInput
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.retry import Patience
from caia_replay.runner.certificate import certify
from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.plan import Cell, make_plan
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.bad_server import WAYS, BadServer, client_sockets

if TYPE_CHECKING:
    from types import TracebackType

TASK = "mini6-base-fee-bound"
CELL = Cell("clean", "tools")
TURNS = 6
SHORT_S, LONG_S = 0.4, 60.0
"""Deadlines: for ways that only a deadline ends, and for all others."""
FIRST = {way.ends: name for name, way in reversed(WAYS.items())}.values()
"""One way to each end; the others are for make check."""


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world, open."""
    with FrozenWorld(open_world(str(shipped))) as opened:
        yield opened


@dataclass
class Scene:
    """A bad server, a model that asks it and a stage; waits are noted instead of waited."""

    world: FrozenWorld
    way: str
    waits: list[float] = field(default_factory=list)

    def __enter__(self) -> Scene:
        self.server = BadServer(self.way)
        self.threads = set(threading.enumerate())
        timeout_s = SHORT_S if WAYS[self.way].ends.endswith("timeout") else LONG_S
        patience = Patience(longest_s=10, total_s=8, sleep=self.waits.append)
        self.model = OpenAICompatibleModel(
            "m", self.server.base_url, "sk-secret-0123456789", timeout_s=timeout_s, max_retries=4, patience=patience
        )
        plan = make_plan(self.world.folder, tasks=[TASK], arms=["clean"], model="m", runs=1)
        bare = {"clean": NO_OVERLAY, "attacked": NO_OVERLAY}
        self.stage = EpisodeContext(plan, self.world, self.model, resolve_agent("react"), bare, Budget(turns=TURNS))
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self.model.close()
        self.server.close()

    def run(self, attempt: int) -> dict[str, Any]:
        """One run's record."""
        return self.stage.run(self.world.folder.task(TASK), CELL, attempt)


def turns(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The model's steps."""
    return [step for step in record["steps"] if step["kind"] == "model"]


def test_there_are_many_ways() -> None:
    """More than twice the twenty-five that were asked for, each under its own name."""
    assert len(WAYS) > 60 and {way.ends.partition(":")[0] for way in WAYS.values()} == {
        *("answered", "model_fault", "refused", "truncated", "turn_budget", "no_answer", "context_overflow")
    }


@pytest.mark.parametrize("way", [way if way in FIRST else pytest.param(way, marks=pytest.mark.check) for way in WAYS])
def test_a_run_ends_as_named_and_loses_nothing(way: str, world: FrozenWorld, tmp_path: Path) -> None:
    """Its record opens and holds every step before; no socket or thread stays; the next run is as good as any."""
    with Scene(world, way) as scene:
        record = scene.run(1)
        stop, _, reason = WAYS[way].ends.partition(": ")
        assert record["stop"] == stop, record["detail"]
        assert not reason or record["detail"].startswith(f"{reason}: "), record["detail"]
        assert "sk-secret" not in str(record)

        journal = Journal(tmp_path / "run")
        journal.start("sha256:x", resume=False, replace=False)
        journal.save(record, CELL.folder)
        assert journal.load(CELL.folder, TASK, 1) == record
        journal.release()

        first, second = record["steps"][:2]
        assert first["tool_calls"][0]["id"] == second["call_id"] == "call_a" and second["served"] == "HIT"
        assert len(turns(record)) == 1 if reason or stop == "context_overflow" else len(turns(record)) > 1
        assert sum(scene.waits) <= 8

        scene.server.way = "good"
        after = scene.run(2)
        assert after["stop"] == "answered" and after["score"]["correct"], after["detail"]
        scene.model.close()
        assert client_sockets(scene.server.port) == 0
        handlers = {thread for thread in threading.enumerate() if "process_request_thread" in thread.name}
        assert set(threading.enumerate()) - scene.threads - handlers == set()


@pytest.mark.parametrize("way", ["storm_of_429", "dies_in_a_stream", "duplicate_call_ids", "loops"])
def test_equal_servers_give_equal_certificates(way: str, world: FrozenWorld) -> None:
    """Ports, waits and clocks are in no certified record."""
    digests = []
    for _ in range(2):
        with Scene(world, way) as scene:
            digests.append(certify({}, [scene.run(1)])["digest"])
    assert digests[0] == digests[1]


@pytest.mark.parametrize("way", ["duplicate_call_ids", "missing_call_ids", "loops", "arguments_are_an_object",
                                 "the_form_before_tools", "stream_to_an_unstreamed_request"])  # fmt: skip
def test_a_call_in_another_form_or_with_another_s_id_is_executed(world: FrozenWorld, way: str) -> None:
    """Arguments as an object, an old form and pieces of a stream reach the tool alike; each call has its own id."""
    with Scene(world, way) as scene:
        record = scene.run(1)
    steps = [step for step in record["steps"] if step["kind"] == "tool"]
    assert (record["steps"][3]["kind"], record["steps"][3]["served"]) == ("tool", "HIT")
    ids = [step["call_id"] for step in steps]
    assert len(set(ids)) == len(ids)
    if way in ("duplicate_call_ids", "missing_call_ids", "loops"):
        assert len(ids) >= 4 and {step["served"] for step in steps} == {"HIT"}


def test_waiting_is_bounded_and_told(world: FrozenWorld) -> None:
    """A storm is waited out within the budget, as asked; a wait of a day or a year not at all; silence once more."""
    with Scene(world, "storm_of_429") as scene:
        record = scene.run(1)
        assert scene.waits == [3.0, 3.0] and "slow down" in record["detail"] and scene.server.tries(1) == 3
    for way in ("wait_for_a_day", "wait_until_next_year"):
        with Scene(world, way) as scene:
            assert "asks for a wait of" in scene.run(1)["detail"] and scene.waits == [] and scene.server.tries(1) == 1
    with Scene(world, "trickles_body") as scene:
        scene.run(1)
        assert scene.server.tries(1) == 2


def test_missing_usage_is_estimated_and_marked(world: FrozenWorld) -> None:
    """Counts that cannot be believed never become zeros."""
    with Scene(world, "usage_is_nonsense") as scene:
        record = scene.run(1)
    assert record["tokens"]["reported"] is False
    assert turns(record)[1]["prompt_tokens"] > 1_000 and turns(record)[1]["completion_tokens"] == 5


def test_a_rejected_key_ends_the_command(world: FrozenWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other run would end alike: it is the user's to mend, in one line without the key."""
    way = WAYS["good"]
    refuse = type(way)(lambda x: x.error("401 Unauthorized", "bad key sk-secret-0123456789"), "answered")
    monkeypatch.setitem(WAYS, "good", refuse)
    with (
        Scene(world, "good") as scene,
        pytest.raises(BadInput, match="OPENAI_API_KEY: the server rejected the key") as no,
    ):
        scene.run(1)
    assert "sk-secret" not in str(no.value)
