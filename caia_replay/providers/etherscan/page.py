"""Lists out of recorded pages: which blocks the pages prove to hold all rows of, and the rows of a window.

Pages of one list (equal range, order and length) that follow one another are one run. A run that ends with a page
that is not full knows all of its range; any other knows every block but the one it stopped in, of which it has the
rows up to there. Lists of newest rows grow at their head, so pages of those are one run only when they were recorded
at one moment. What a run knows ends where it was recorded: a later block is unknown to it. Runs that
disagree prove nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from caia_replay.core.provider import Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, utc
from caia_replay.providers.etherscan.request import Window, block_of, ends, moment_of, question_of, rows_of

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
    """By its Date, and not before its newest row: it knows nothing later."""


def runs_of(recorded: Sequence[Recorded], now: int, height: Height) -> list[Run]:
    """What recordings of one family prove. Replies that are no list, or whose rows cannot be read, prove nothing."""
    groups: defaultdict[tuple[Any, ...], dict[int, _Page]] = defaultdict(dict)
    for found in recorded:
        page = _page(found)
        if page is not None:
            at = page.window
            key = (at.first, at.last, at.descending, at.offset, page.moment if at.descending else None)
            kept = groups[key].setdefault(at.page, page)
            if kept is not page:
                # Recorded twice: the later one goes on, and the other is a run that must not disagree.
                older, groups[key][at.page] = sorted((kept, page), key=lambda one: one.moment or 0)
                groups[*key, len(groups)][at.page] = older
    return [run for pages in groups.values() for run in _runs(pages, now, height)]


def window_of(runs: Sequence[Run], asked: Window, now: int, newest: int | None) -> list[Row]:
    """The rows of a window as they stood at ``now``. Raises ``Miss`` when the runs do not prove them, or disagree.

    ``newest`` is the newest block at ``now`` where it is known: nothing is above it.
    """
    rows, proven, complete = _walked(runs, asked, asked.last if newest is None else min(asked.last, newest), now)
    wanted = f"rows {asked.start} to {asked.stop} of blocks {asked.first} to {asked.last} at {utc(now)}"
    if len(runs) > 1 and _disagree(runs, rows, proven, now):
        raise Miss("http", wanted, "recorded pages", "pages that contradict each other")
    if not complete and len(rows) < asked.stop:
        known = "; ".join(sorted({f"blocks {run.first} to {run.last}" for run in runs if run.first <= run.last}))
        raise Miss("http", wanted, "recorded pages", known or "no page of this list")
    return rows[asked.start : asked.stop]


def _walked(runs: Sequence[Run], asked: Window, last: int, now: int) -> tuple[list[Row], tuple[int, int], bool]:
    """Rows from where the list begins, as far as runs touch or the window reaches; the blocks of which these are all
    rows; and whether no row follows. Every run is looked at once."""
    down = asked.descending
    ordered = sorted(runs, key=lambda run: -run.last if down else run.first)
    rows: list[Row] = []
    at, place, best = last if down else asked.first, 0, Run(0, -1, (), None, (), False)
    while asked.first <= at <= last:
        while place < len(ordered) and (ordered[place].last >= at if down else ordered[place].first <= at):
            run = ordered[place]
            if not place or (run.first < best.first if down else run.last > best.last):
                best = run
            place += 1
        proven = (at + 1, last) if down else (asked.first, at - 1)
        if not best.first <= at <= best.last:
            return rows + _broken(runs, at, now, down), proven, False
        inside = [row for row in best.rows if (asked.first if down else at) <= block_of(row) <= (at if down else last)]
        fits = [row for row in inside if moment_of(row) <= now]
        rows += reversed(fits) if down else fits
        proven = (max(asked.first, best.first), last) if down else (asked.first, min(last, best.last))
        if len(fits) < len(inside) and not down:
            return rows, (asked.first, last), True
        if len(rows) >= asked.stop:
            return rows, proven, False
        at = best.first - 1 if down else best.last + 1
    return rows, (asked.first, last), True


def _disagree(runs: Sequence[Run], rows: Sequence[Row], proven: tuple[int, int], now: int) -> bool:
    """Whether a run has other transactions in blocks that another one proved, whatever else it tells of them."""

    def value(of: Sequence[Row], first: int, last: int) -> list[tuple[int, str]]:
        return sorted((block_of(row), str(row.get("hash") or row.get("transactionHash")))
                      for row in of if first <= block_of(row) <= last and moment_of(row) <= now)  # fmt: skip

    truth = value(rows, *proven)
    for run in runs:
        first, last = max(run.first, proven[0]), min(run.last, proven[1])
        if first <= last:
            same = truth[bisect_left(truth, (first, "")) : bisect_left(truth, (last + 1, ""))]
            if value(run.rows, first, last) != same:
                return True
    return False


def _broken(runs: Sequence[Run], block: int, now: int, descending: bool) -> list[Row]:
    """The most that is known of a block no run knows whole, as a list in that order begins with it."""
    parts = [run.broken_rows for run in runs if run.broken == block and run.descending == descending]
    return [row for row in max(parts, key=len, default=()) if moment_of(row) <= now]


def _page(found: Recorded) -> _Page | None:
    """A recorded page; None where it is no list, or where its rows answer another question than its own."""
    rows, window = rows_of(found.reply), question_of(found.request).window()
    if rows is None or window is None:
        return None
    try:
        blocks, moments = [block_of(row) for row in rows], [moment_of(row) for row in rows]
    except ValueError:
        return None
    if any(one != sorted(one, reverse=window.descending) for one in (blocks, moments)):
        return None
    if not all(window.first <= block <= window.last for block in blocks):
        return None
    said = answered_at(found.reply)
    return _Page(window, rows, max([*moments, *([] if said is None else [said])], default=None))


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
    """The newest block a run can know of; None where it knows all there was at ``now``.

    A minute's age is age: a block may have been made in it.
    """
    # What is on a full page of the oldest rows does not change: the last page says how far the list was seen.
    moment = pages[-1].moment
    if moment is None or moment >= now:
        return None if moment is not None else newest_row
    block = height(moment)
    return newest_row if block is None else block
