"""Lists out of recorded pages: which blocks the pages prove to hold all rows of, and the rows of a window.

Pages of one list (equal range, order and length) that follow one another are one run. A run that ends with a page
that is not full knows all of its range; any other knows every block but the one it stopped in, of which it has the
rows up to there. Lists of newest rows grow at their head, so pages of those are one run only when they were recorded
at one moment. What a run knows ends where it was recorded: a later block is unknown to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from caia_replay.core.provider import Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, is_of_now, utc
from caia_replay.providers.etherscan_question import Window, block_of, ends, moment_of, question_of, rows_of

Row = dict[str, Any]
Height = Callable[[int], int | None]
"""The newest block at a moment, or None where nobody knows."""


@dataclass(frozen=True, slots=True)
class Run:
    """All rows of blocks ``first`` to ``last`` (none when it runs backwards), and some of one block beside them."""

    first: int
    last: int
    rows: Sequence[Row]
    broken: int | None
    """The block it stopped in."""
    broken_rows: Sequence[Row]
    """What it has of that block, as the list gives them."""
    descending: bool


@dataclass(frozen=True, slots=True)
class _Page:
    window: Window
    rows: list[Row]
    moment: int | None
    of_now: bool


def runs_of(recorded: Sequence[Recorded], now: int, height: Height) -> list[Run]:
    """What recordings of one family prove. Replies that are no list, or whose rows cannot be read, prove nothing."""
    groups: defaultdict[tuple[Any, ...], dict[int, _Page]] = defaultdict(dict)
    for found in recorded:
        page = _page(found, now)
        if page is not None:
            at = page.window
            key = (at.first, at.last, at.descending, at.offset, page.moment if at.descending else None)
            groups[key].setdefault(at.page, page)
    return [run for pages in groups.values() for run in _runs(pages, now, height)]


def window_of(runs: Sequence[Run], asked: Window, now: int, newest: int | None) -> list[Row]:
    """The rows of a window as they stood at ``now``. Raises ``Miss`` when the runs do not prove them.

    ``newest`` is the newest block at ``now`` where it is known: nothing is above it.
    """
    last = asked.last if newest is None else min(asked.last, newest)
    rows, complete = _walked_down(runs, asked, last, now) if asked.descending else _walked_up(runs, asked, last, now)
    if not complete and len(rows) < asked.stop:
        known = "; ".join(sorted({f"blocks {run.first} to {run.last}" for run in runs if run.first <= run.last}))
        wanted = f"rows {asked.start} to {asked.stop} of blocks {asked.first} to {asked.last} at {utc(now)}"
        raise Miss("http", wanted, "recorded pages", known or "no page of this list")
    return rows[asked.start : asked.stop]


def _walked_up(runs: Sequence[Run], asked: Window, last: int, now: int) -> tuple[list[Row], bool]:
    rows: list[Row] = []
    at = asked.first
    while at <= last:
        beside = [run for run in runs if run.first <= at <= run.last]
        if not beside:
            rows += _broken(runs, at, now, descending=False)
            return rows, False
        run = max(beside, key=lambda run: run.last)
        for row in run.rows:
            if at <= block_of(row) <= last:
                if moment_of(row) > now:
                    return rows, True
                rows.append(row)
        if len(rows) >= asked.stop:
            return rows, False
        at = run.last + 1
    return rows, True


def _walked_down(runs: Sequence[Run], asked: Window, last: int, now: int) -> tuple[list[Row], bool]:
    rows: list[Row] = []
    at = last
    while at >= asked.first:
        beside = [run for run in runs if run.first <= at <= run.last]
        if not beside:
            rows += _broken(runs, at, now, descending=True)
            return rows, False
        run = min(beside, key=lambda run: run.first)
        fits = [row for row in run.rows if asked.first <= block_of(row) <= at and moment_of(row) <= now]
        rows += reversed(fits)
        if len(rows) >= asked.stop:
            return rows, False
        at = run.first - 1
    return rows, True


def _broken(runs: Sequence[Run], block: int, now: int, descending: bool) -> list[Row]:
    """The most that is known of a block no run knows whole, as a list in that order begins with it."""
    parts = [run.broken_rows for run in runs if run.broken == block and run.descending == descending]
    return [row for row in max(parts, key=len, default=()) if moment_of(row) <= now]


def _page(found: Recorded, now: int) -> _Page | None:
    rows, window = rows_of(found.reply), question_of(found.request).window()
    if rows is None or window is None:
        return None
    try:
        newest = max((moment_of(row) for row in rows), default=None)
        if [block_of(row) for row in rows] != sorted(map(block_of, rows), reverse=window.descending):
            return None
    except ValueError:
        return None
    said = answered_at(found.reply)
    moments = [moment for moment in (said, newest) if moment is not None]
    return _Page(window, rows, max(moments, default=None), is_of_now(found, now))


def _runs(pages: dict[int, _Page], now: int, height: Height) -> list[Run]:
    """Pages of one list, by number, as runs. One that does not begin with the first page knows only its inside."""
    found: list[Run] = []
    numbers = sorted(pages)
    while numbers:
        run = [pages[numbers.pop(0)]]
        while numbers and numbers[0] == run[-1].window.page + 1 and len(run[-1].rows) == run[-1].window.offset:
            run.append(pages[numbers.pop(0)])
        made = _run(run, now, height)
        if made is not None:
            found.append(made)
    return found


def _run(pages: Sequence[_Page], now: int, height: Height) -> Run | None:
    window, rows = pages[0].window, [row for page in pages for row in page.rows]
    blocks = [block_of(row) for row in rows]
    whole = ends(len(pages[-1].rows), window.offset)
    first, last, broken = window.first, window.last, None
    if window.page > 1:
        # An empty page far out proves nothing of where the list ended.
        if not rows:
            return None
        first, last = (first, blocks[0] - 1) if window.descending else (blocks[0] + 1, last)
    if not whole:
        if not rows:
            return None
        broken = blocks[-1]
        first, last = (broken + 1, last) if window.descending else (first, broken - 1)
    reached = _reached(pages, now, height, max(blocks, default=-1))
    last = last if reached is None else min(last, reached)
    inside = [row for row, block in zip(rows, blocks, strict=True) if first <= block <= last]
    begins_inside = window.page == 1 or (broken is not None and broken != blocks[0])
    rest = [row for row, block in zip(rows, blocks, strict=True) if block == broken] if begins_inside else []
    return Run(
        first, last, inside[::-1] if window.descending else inside, broken if rest else None, rest, window.descending
    )


def _reached(pages: Sequence[_Page], now: int, height: Height, newest_row: int) -> int | None:
    """The newest block a run can know of; None where it knows all there was at ``now``."""
    if all(page.of_now or (page.moment is not None and page.moment >= now) for page in pages):
        return None
    moments = [page.moment for page in pages]
    oldest = None if None in moments else min(moment for moment in moments if moment is not None)
    block = None if oldest is None else height(oldest)
    return newest_row if block is None else block
