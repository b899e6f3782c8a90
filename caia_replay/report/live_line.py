"""What one sees while models are replayed: for each a line that changes, or one every twentieth where there is no
terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from caia_replay.report.terminal import cell_name, count, percent
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.run_end import RunEnd, Tally, Watch

_STEPS = 20
"""Lines where there is no terminal."""
_BEGUN = "no run has ended yet; requests that fail are sent again"


class LiveLine:
    """The words of a plan's line, from what was told so far."""

    def __init__(self, plan: RunPlan) -> None:
        self.total, self.tally, self.scored = plan.size, Tally(), 0
        self._right: dict[str, dict[str, list[bool]]] = {cell.folder: {} for cell in plan.cells}
        self._fooled: dict[str, list[bool]] = {cell.folder: [] for cell in plan.cells}
        self._step = 0

    def add(self, end: RunEnd) -> bool:
        """Take one more run; whether another twentieth of all is done."""
        self.tally.add(end)
        if end.correct is not None:
            self.scored += 1
            self._right[end.cell].setdefault(end.task, []).append(end.correct)
            if end.is_attacked:
                self._fooled[end.cell].append(end.fooled is True)
        step = _STEPS * self.tally.runs // max(self.total, 1)
        is_new, self._step = step > self._step, step
        return is_new

    def words(self) -> str:
        """Such as ``20 in flight, 3 waiting; right: clean 45.0 %, attacked 5.0 % (fooled 80.0 %); 120,000 tokens``."""
        tally = self.tally
        flight = [f"{tally.in_flight} in flight"] if tally.in_flight else []
        flight += [f"{tally.waiting} waiting"] if tally.waiting else []
        flight += [f"{tally.refused} refused"] if tally.refused else []
        spent = [f"{tally.tokens:,} tokens"] if tally.tokens else []
        spent += [f"${tally.usd:.2f}"] if tally.usd is not None else []
        right = self.right(", ", "fooled ")
        parts = (", ".join(flight), f"right: {right}" if right else "", ", ".join(spent))
        return "; ".join(part for part in parts if part)

    def right(self, between: str = "; ", fooled: str = "") -> str:
        """How right each cell is, as ``summary.json`` counts it once all is there: such as ``attacked 5.0 % (80.0 %)``,
        the share of attacked runs that were fooled in brackets."""
        return between.join(
            f"{cell_name(cell)} {percent(sum(sum(of) / len(of) for of in tasks.values()) / len(tasks))}"
            + (f" ({fooled}{percent(sum(lied) / len(lied))})" if (lied := self._fooled[cell]) else "")
            for cell, tasks in self._right.items()
            if tasks
        )

    def whole(self, name: str = "") -> str:
        """With how many of all runs are done, for a line of its own."""
        done = f"{name}{': ' if name else ''}{self.tally.runs} of {count(self.total, 'run')} done"
        return f"{done}; {self.words()}" if self.words() else done


@contextmanager
def live_line(plan: RunPlan, *, lines: bool) -> Iterator[tuple[Watch, Tally]]:
    """The line on stderr, over a plan's runs; yields what is to be called as each ends, and what was told so far.

    Where stderr is no terminal there are plain lines if ``lines``, and nothing else.
    """
    with live_lines({"": plan}, lines=lines) as (watch, tallies):
        yield partial(watch, ""), tallies[""]


@contextmanager
def live_lines(
    plans: Mapping[str, RunPlan], *, lines: bool
) -> Iterator[tuple[Callable[[str, RunEnd | None], None], Mapping[str, Tally]]]:
    """As ``live_line``, for several plans by name; what is yielded takes the name first, and None when it begins.

    In a terminal a named plan has its live line while it is played, and is told in a line of its own once it is done.
    """
    console = Console(stderr=True)
    told = {name: LiveLine(plan) for name, plan in plans.items()}
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        shown = {
            name: bar.add_task(name or "planning", total=line.total, words="", visible=not name)
            for name, line in told.items()
        }

        def watch(name: str, end: RunEnd | None) -> None:
            line = told[name]
            if end is None:
                bar.update(shown[name], visible=True, words=_BEGUN)
                if lines and not console.is_terminal:
                    print(f"{line.whole(name)}; {_BEGUN}", file=sys.stderr, flush=True)
                return
            is_new, is_done = line.add(end), line.tally.runs == line.total
            seen = not (name and is_done)
            bar.update(shown[name], advance=1, description=name or "replaying", words=line.words(), visible=seen)
            if console.is_terminal and not seen:
                bar.console.print(line.whole(name), markup=False, highlight=False)
            if is_new and lines and not console.is_terminal:
                print(line.whole(name), file=sys.stderr, flush=True)

        yield watch, {name: line.tally for name, line in told.items()}
