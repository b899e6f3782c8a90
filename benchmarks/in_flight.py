"""Memory of runs in flight: each in a thread of its own, waiting for its model after three turns.

Measured in a fresh process per size, as the growth of its resident memory from the moment the world is open. What a
thread costs by itself is in it, as it would be in any program that waits for as many servers at once.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any, Final

from benchmarks.row import Row

COUNTS: Final = (100, 1_000)
GROWTH_LIMIT: Final = 1.2
_WAIT_S = 120.0


def rows() -> Iterator[Row]:
    """Memory of the largest number of runs, and what a run costs there beside the smallest."""
    few, many = COUNTS
    measured = {count: _in_a_process(count) for count in COUNTS}
    each = {count: memory / count for count, memory in measured.items()}
    yield Row(f"{many} runs in flight, memory", measured[many] / 1e6, "MB", measured[few] / 1e6)
    yield Row(f"a run in flight, of {many}", each[many] / 1e3, "kB", each[few] / 1e3, GROWTH_LIMIT)


def growth(count: int) -> int:
    """Bytes that ``count`` runs add to this process while all of them wait for their fourth completion."""
    from benchmarks.harness import CALLS, ThreeCalls
    from caia_replay.agents.resolve import resolve_agent
    from caia_replay.core.agent import Budget
    from caia_replay.models.policies.conversation import Wire, tool_results
    from caia_replay.models.policy import PolicyModel
    from caia_replay.runner.episode import EpisodeContext
    from caia_replay.runner.plan import make_plan
    from caia_replay.store.world_folder import open_world
    from caia_replay.world.world import NO_OVERLAY, FrozenWorld

    reached, measured = Barrier(count + 1, timeout=_WAIT_S), Barrier(count + 1, timeout=_WAIT_S)

    class Waiting(ThreeCalls):
        """Holds its last completion back until all runs are there and have been measured."""

        def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
            if len(tool_results(messages)) == len(CALLS):
                reached.wait()
                measured.wait()
            return super().respond(messages, tools)

    folder = open_world("mini-6")
    plan = make_plan(folder, arms=("clean",), model="policy/bench", runs=1)
    task, cell = folder.task(plan.tasks[0]), plan.cells[0]
    records: list[dict[str, Any]] = []
    with FrozenWorld(folder) as world:
        plain = PolicyModel("policy/bench", lambda brief, key: ThreeCalls())
        waiting = PolicyModel("policy/bench", lambda brief, key: Waiting())
        agent = resolve_agent("react")
        EpisodeContext(plan, world, plain, agent, {"clean": NO_OVERLAY}, Budget()).run(task, cell, 1)
        stage = EpisodeContext(plan, world, waiting, agent, {"clean": NO_OVERLAY}, Budget())
        before = _resident()
        threads = [
            Thread(target=lambda at=at: records.append(stage.run(task, cell, at)), daemon=True) for at in range(count)
        ]
        for thread in threads:
            thread.start()
        try:
            reached.wait()
            grown = _resident() - before
            measured.wait()
        except BrokenBarrierError:
            raise SystemExit(f"{count} runs were not in flight together within {_WAIT_S:g} s") from None
        for thread in threads:
            thread.join()
        plain.close()
        waiting.close()
    if [record["stop"] for record in records] != ["answered"] * count:
        raise SystemExit("a run in flight did not end as it should")
    return grown


def _in_a_process(count: int) -> int:
    command = [sys.executable, "-m", "benchmarks.in_flight", str(count)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)


def _resident() -> int:
    """This process's resident memory in bytes (Linux)."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * 4096


if __name__ == "__main__":
    print(growth(int(sys.argv[1])))
