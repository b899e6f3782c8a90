"""Progress bars: on a terminal only, so that logs stay readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[int], None]]:
    """A bar over ``total`` runs on stderr; yields the function to call with how many more are done."""
    console = Console(stderr=True)
    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("replaying", total=total)
        yield lambda count: bar.advance(task, count)
