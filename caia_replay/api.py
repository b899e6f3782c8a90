"""The Python API: what ``import caia_replay`` shows. docs/python.md has it by example.

Everything else in the package may change without notice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from caia_replay.analysis.finished_run import FinishedRun, open_run
from caia_replay.cassette.egress import egress_guard
from caia_replay.core.overlay import Overlay
from caia_replay.core.score import Score
from caia_replay.core.task import Task
from caia_replay.core.tool import ToolReply, Toolset
from caia_replay.core.trajectory import UNFINISHED_STOPS
from caia_replay.errors import BadInput, CaiaReplayError, nearest
from caia_replay.models.resolve import endpoint_hosts
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.episode import asked, require_arm, toolset_in
from caia_replay.runner.executor import workers_for
from caia_replay.runner.model_default import defaults_of
from caia_replay.runner.plan import DEFAULT_ARMS, DEFAULT_CAMPAIGN, NO_TOOLS, make_plan
from caia_replay.runner.replay import replay as play
from caia_replay.scoring.verifiers import verify
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import FrozenWorld

__all__ = [
    "BadInput",
    "CaiaReplayError",
    "Run",
    "Score",
    "Suite",
    "Task",
    "ToolReply",
    "Toolset",
    "open_suite",
    "read_run",
    "replay",
]

DEFAULT_SUITE: Final = "synthetic-178"


class Suite:
    """A suite's tasks and their frozen world. Close it, or use it as a context manager: its tools may start nodes."""

    def __init__(self, folder: WorldFolder) -> None:
        self._folder = folder
        self._world: FrozenWorld | None = None
        self._overlays: dict[tuple[str, str], Overlay] = {}

    def __enter__(self) -> Suite:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every node that its tools started; may be called twice."""
        if self._world is not None:
            self._world.close()
            self._world = None

    @property
    def id(self) -> str:
        """The suite's name."""
        return self._folder.suite.id

    @property
    def about(self) -> str:
        """What it is, in words."""
        return self._folder.info.about

    @property
    def path(self) -> Path:
        """Its world folder."""
        return self._folder.path

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Its active tasks, in suite order."""
        return tuple(self._folder.task(name) for name in self._folder.suite.active())

    def task(self, name: str) -> Task:
        """One task by its id. Raises ``BadInput`` with the nearest one."""
        return self._folder.task(name)

    def asked(self, task: str) -> str:
        """A task's question as every agent is told it: with the moment it is asked at and the form of its answer."""
        return asked(self._folder.task(task))

    @contextmanager
    def tools(
        self, task: str, arm: str = "clean", *, campaign: str = DEFAULT_CAMPAIGN, defence: str = ""
    ) -> Iterator[Toolset]:
        """The tools of one task in one arm, as an agent is given them; what they start ends with the block.

        Raises ``BadInput`` for what is no task, arm, campaign or defence.
        """
        require_arm(arm)
        found = self._folder.task(task)
        if self._world is None:
            self._world = FrozenWorld(self._folder)
        if (arm, campaign) not in self._overlays:
            self._overlays[arm, campaign] = overlays_for(self._world, (arm,), campaign)[arm]
        with toolset_in(arm, self._world.task(found, self._overlays[arm, campaign]), defence=defence) as tools:
            yield tools

    def score(self, task: str, answer: str | None) -> Score:
        """The verdict on an answer to a task: what an agent would submit, without FINAL ANSWER."""
        found = self._folder.task(task)
        return verify(found.answer, answer, found.question)


class Run:
    """A finished run, read whole, computed again and found to agree with itself."""

    def __init__(self, found: FinishedRun) -> None:
        self._found = found

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._found.path

    @property
    def digest(self) -> str | None:
        """Of all its certificates; None where some run is not certified. Equal ones are equal runs."""
        found: str | None = self._found.index["digest"]
        return found

    @property
    def certificates(self) -> Mapping[str, Mapping[str, Any]]:
        """By cell, such as ``attacked-tools``."""
        return {cell.folder: cell.certificate for cell in self._found.cells}

    @property
    def results(self) -> pa.Table:
        """One row for each run of a task, all cells; ``.to_pandas()`` where pandas is installed."""
        return self._table("results.parquet")

    @property
    def steps(self) -> pa.Table:
        """One row for each model turn and tool call, all cells."""
        return self._table("steps.parquet")

    def trajectory(self, task: str, attempt: int = 1, cell: str = "clean-tools") -> dict[str, Any]:
        """One run's record: prompt, steps, answer, verdict. ``cell`` is its arm and condition, as in ``certificates``.
        Raises ``BadInput`` where there is none."""
        known = tuple(self.certificates)
        if cell not in known:
            raise BadInput(f"no cell {cell!r:.80}; there are: {', '.join(known)}", nearest=nearest(cell, known))
        with Trajectories(self.path / cell) as found:
            return found.json(task, attempt)

    def _table(self, name: str) -> pa.Table:
        return pa.concat_tables([pq.read_table(self.path / cell.folder / name) for cell in self._found.cells])


def open_suite(name: str | Path = DEFAULT_SUITE) -> Suite:
    """A suite by its name, looked for from the current folder upwards, or by its world folder. Raises ``BadInput``."""
    return Suite(open_world(str(name)))


def replay(
    model: str,
    suite: str | Path = DEFAULT_SUITE,
    *,
    out: str | Path,
    tasks: Sequence[str] = (),
    arms: Sequence[str] = DEFAULT_ARMS,
    conditions: Sequence[str] | None = None,
    agent: str | None = None,
    runs: int = 5,
    workers: int | None = None,
    concurrency: int | None = None,
    resume: bool = False,
    **options: Any,
) -> Run:
    """Play a model over a suite, as ``caia-replay replay`` does, and read what it leaves in the new folder ``out``.

    ``agent`` and the option ``tools`` are by default the model's. ``options``: tools, seed, campaign, dose, defence,
    confidence, and the limits turns, calls, tokens and usd of one run. Runs that broke off are played again with
    ``resume``. Raises ``BadInput`` for what the command refuses, and for runs that are to be played again.
    """
    folder = open_world(str(suite))
    default = defaults_of(model)
    bare = conditions is not None and tuple(conditions) == (NO_TOOLS,)
    options = {"tools": () if bare else default.tools, **options}
    chosen = agent or default.agent
    plan = make_plan(
        folder, tasks=tasks, arms=arms, conditions=conditions, model=model, agent=chosen, runs=runs, **options
    )
    how: dict[str, Any] = {"workers": workers or workers_for(plan), "concurrency": concurrency, "resume": resume}
    with egress_guard(endpoint_hosts(model, os.environ)):
        done = play(plan, folder, Path(out), replace=False, **how)
    if done.unfinished:
        what = (
            f"{done.unfinished} runs broke off ({', '.join(UNFINISHED_STOPS)}): {'; '.join(filter(None, done.causes))}"
        )
        raise BadInput(what, where=done.out, next_command="the same call with resume=True")
    return read_run(done.out)


def read_run(path: str | Path) -> Run:
    """A finished run. Raises ``BadInput`` for a folder that is none, is damaged or disagrees with itself."""
    return Run(open_run(Path(path), Path.cwd(), needs_world=False))
