"""What one sees while models are replayed: for each a line that changes, or one every twentieth where there is no
terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from caia_replay.core.task import Task
from caia_replay.report.terminal import count, percent
from caia_replay.runner.run_end import RunEnd, Tally, Watch
from caia_replay.scoring.interval import over_projects
from caia_replay.scoring.metrics import ScoredRun

_STEPS = 20
"""Lines where there is no terminal, and how often the interval is computed anew."""


class LiveLine:
    """The words of the line, from what was told so far."""

    def __init__(self, total: int, tasks: Mapping[str, Task]) -> None:
        self.total, self.tally = total, Tally()
        self._tasks = tasks
        self._runs: list[ScoredRun] = []
        self._right = ""
        self._step = 0

    def add(self, end: RunEnd) -> bool:
        """Take one more run; whether another twentieth of all is done."""
        self.tally.add(end)
        if end.correct is not None:
            task = self._tasks[end.task]
            number = len(self._runs)
            one = ScoredRun(end.task, task.category, number, end.correct, None, "answered", project=task.project)
            self._runs.append(one)
        step = _STEPS * self.tally.runs // max(self.total, 1)
        is_new, self._step = step > self._step, step
        if is_new or not self._right:
            self._right = self._share()
        return is_new

    def words(self) -> str:
        """Such as ``20 in flight, 3 waiting, right 45.0 % (38.0 to 52.0 %), 120,000 tokens, $1.20``."""
        tally = self.tally
        parts = [f"{tally.in_flight} in flight"] if tally.in_flight else []
        parts += [f"{tally.waiting} waiting"] if tally.waiting else []
        parts += [f"{tally.refused} refused"] if tally.refused else []
        parts += [self._right] if self._right else []
        parts += [f"{tally.tokens:,} tokens"] if tally.tokens else []
        parts += [f"${tally.usd:.2f}"] if tally.usd is not None else []
        return ", ".join(parts)

    def whole(self, name: str = "") -> str:
        """With how many of all runs are done, for a line of its own."""
        done = f"{name}{': ' if name else ''}{self.tally.runs} of {count(self.total, 'run')} done"
        return f"{done}; {self.words()}" if self.words() else done

    def final(self, name: str) -> str:
        """``whole``, with the interval over all that was told."""
        self._right = self._share()
        return self.whole(name)

    def _share(self) -> str:
        if not self._runs:
            return ""
        share = percent(sum(run.correct is True for run in self._runs) / len(self._runs))
        ends = over_projects(self._runs)
        return f"right {share}" + (f" ({100 * ends[0]:.1f} to {100 * ends[1]:.1f} %)" if ends else "")


@contextmanager
def live_line(total: int, tasks: Mapping[str, Task], *, lines: bool) -> Iterator[tuple[Watch, Tally]]:
    """The line on stderr, over ``total`` runs; yields what is to be called as each ends, and what was told so far.

    Where stderr is no terminal there are plain lines if ``lines``, and nothing else.
    """
    with live_lines({"": (total, tasks)}, lines=lines) as (watch, tallies):
        yield partial(watch, ""), tallies[""]


@contextmanager
def live_lines(
    models: Mapping[str, tuple[int, Mapping[str, Task]]], *, lines: bool
) -> Iterator[tuple[Callable[[str, RunEnd], None], Mapping[str, Tally]]]:
    """As ``live_line``, a line for each of several models; what is yielded takes a model's name first."""
    console = Console(stderr=True)
    told = {name: LiveLine(*of) for name, of in models.items()}
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        shown = {name: bar.add_task(name or "planning", total=line.total, words="") for name, line in told.items()}

        def watch(name: str, end: RunEnd) -> None:
            line = told[name]
            is_new = line.add(end)
            bar.update(shown[name], advance=1, description=name or "replaying", words=line.words())
            if is_new and lines and not console.is_terminal:
                print(line.whole(name), file=sys.stderr, flush=True)

        yield watch, {name: line.tally for name, line in told.items()}
