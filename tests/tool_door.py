"""``serve tools`` in this process, and clients that do in it what a run of our own agents did."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from caia_replay.agents.external import EXTERNAL_AGENT
from caia_replay.canonical import canonical_bytes
from caia_replay.interop.tool_server import ToolServer
from caia_replay.loopback import LoopbackServer
from caia_replay.runner.desk import Desk
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder

try:
    from caia_replay.interop.mcp_door import McpDoor as mcp_door
except ImportError:  # the extra is not installed, and its tests are skipped

    def mcp_door(desk: Desk) -> None:  # type: ignore[no-redef]
        return None


ask = partial(httpx2.request, verify=False, timeout=600)
"""A request of its own line, that reads no certificates first."""
Script = tuple[tuple[tuple[str, str], ...], str]
"""Calls, as (tool, canonical arguments), and what is said at the end."""


class Served:
    """A plan that is served, in a thread: its address, and how it ended."""

    def __init__(self, plan: RunPlan, folder: WorldFolder, out: Path, idle_s: float, resume: bool) -> None:
        self.url = ""
        self.done: Finished | None = None
        self.fault: BaseException | None = None
        self.desk: Desk
        self._ready, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(plan, folder, out, idle_s, resume), daemon=True)
        self._thread.start()
        assert self._ready.wait(300)
        if not self.url and self.fault is not None:
            raise self.fault

    def _serve(self, plan: RunPlan, folder: WorldFolder, out: Path, idle_s: float, resume: bool) -> None:
        def play(stage: Any, journal: Any, watch: Any) -> None:
            self.desk = Desk(stage, journal, watch, idle_s)
            with LoopbackServer(ToolServer(self.desk, mcp_door(self.desk))) as server:
                self.url = server.url
                self._ready.set()
                try:
                    self.desk.play()
                finally:
                    self._end.wait(300)

        try:
            self.done = replay(plan, folder, out, workers=1, resume=resume, replace=False, clients=play)
        except BaseException as fault:  # noqa: BLE001 -- raised where it is waited for
            self.fault = fault
        self._ready.set()

    def stop(self) -> None:
        """Break off what is not played, and wait for the end."""
        self.desk.close()
        self._end.set()
        self._thread.join(600)

    def finish(self) -> Finished:
        """The run folder, once all is played."""
        self._end.set()
        self._thread.join(600)
        if self.fault is not None:
            raise self.fault
        assert self.done is not None
        return self.done


def external_plan(folder: WorldFolder, **options: Any) -> RunPlan:
    return make_plan(folder, model="external/script", agent=EXTERNAL_AGENT, **{"runs": 1, **options})


@contextmanager
def served(
    folder: WorldFolder, out: Path, idle_s: float = 600.0, resume: bool = False, **options: Any
) -> Iterator[Served]:
    """A plan that is served; what is not played when the block ends is broken off."""
    one = Served(external_plan(folder, **options), folder, out, idle_s, resume)
    try:
        yield one
    finally:
        one.stop()


def scripts(run: Path, plan: RunPlan) -> list[Script]:
    """What each run of a folder did, in the plan's order."""
    found = []
    for task, cell, attempt in plan.episodes():
        with Trajectories(run / cell.folder) as records:
            steps = records.json(task, attempt)["steps"]
        calls = tuple(
            (step["tool"], canonical_bytes(json.loads(step["arguments"])).decode())
            for step in steps
            if step["kind"] == "tool"
        )
        found.append((calls, steps[-1]["content"]))
    return found


def begin(url: str, task: str = "") -> dict[str, Any]:
    reply = ask("POST", f"{url}/sessions", json={"task": task} if task else {})
    assert reply.status_code == 201, reply.text
    taken: dict[str, Any] = reply.json()
    return taken


def play(url: str, session: str, script: Script) -> None:
    """Do what a script says, over plain HTTP."""
    with httpx2.Client(base_url=f"{url}/sessions/{session}", verify=False, timeout=600) as client:
        for tool, arguments in script[0]:
            reply = client.post(f"/tools/{tool}", content=arguments, headers={"content-type": "application/json"})
            assert reply.status_code == 200, reply.text
        assert client.post("/answer", json={"answer": script[1]}).json()["stop"] == "answered"


def together(jobs: Sequence[Callable[[], None]], seed: int) -> None:
    """Do them all at once, begun in an order of the seed's."""
    faults: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as fault:  # noqa: BLE001 -- raised below
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in random.Random(seed).sample(threads, len(threads)):
        thread.start()
    for thread in threads:
        thread.join(600)
    if faults:
        raise faults[0]


def facts(run: Path, plan: RunPlan) -> list[Mapping[str, Any]]:
    """The verdict of every run, and what it adopted, in the plan's order."""
    found: list[Mapping[str, Any]] = []
    for task, cell, attempt in plan.episodes():
        with Trajectories(run / cell.folder) as records:
            record = records.json(task, attempt)
        attack = record["attack"]
        names = ("exposed", "opened", "adopted", "adopted_authoritative_text", "adopted_attack", "resisted", "seen")
        found.append({"score": record["score"], "specs": record["specs"], **{name: attack[name] for name in names}})
    return found
