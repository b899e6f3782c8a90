"""Discernment as tables: a row for each channel, what swapping showed, and simulated agents beside what is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from caia_replay.analysis.discernment import ChannelReading, LabelEffect
from caia_replay.analysis.discernment_check import STATED, Check
from caia_replay.analysis.discernment_study import BOTH, Row, Study, Swap
from caia_replay.report.terminal import plain_table
from caia_replay.scoring.discernment import Ends

_COUNTS = ("claims", "heard", "true accepted", "false accepted", "abstained")
_SWAPS = ("told apart", "believed both", "rejected both", "reversed", "undecided")


def study_table(study: Study) -> Table:
    """A row for each channel, telling and treatment of labels, with intervals of 95 %. Abstained are of true claims and
    of false ones. ``inf`` ends an interval that the counts do not bound. Where no run was shown a claim there was
    nothing to discern, and the figures are hyphens."""
    labelled = any(row.labels != "none" for row in study.rows)
    value = len({row.telling for row in study.rows}) > 1
    words = ("channel", *["labels"] * labelled, *["telling"] * value)
    figures = (*_COUNTS, "d' [95 %]", "criterion [95 %]", "d' if shuffled", "p")
    table = plain_table(words, figures, no_wrap=False)
    for row in study.rows:
        if not row.reading.runs:
            continue
        names = (row.channel, *[row.labels] * labelled, *[row.telling] * value)
        table.add_row(*names, *_counts(row.reading), *_figures(row))
    return table


def swap_table(swaps: Sequence[Swap]) -> Table:
    """What became of tasks that were told both the truth and a lie, pair by pair; what agents say who heard neither is
    what they found elsewhere."""
    labelled = any(swap.labels != "none" for swap in swaps)
    table = plain_table(("channel", *["labels"] * labelled), ("pairs", "heard", *_SWAPS), no_wrap=False)
    for swap in (one for one in swaps if one.pairs):
        names = (swap.channel, *[swap.labels] * labelled)
        counts = (swap.told_apart, swap.believed_both, swap.rejected_both, swap.reversed, swap.undecided)
        table.add_row(*names, *map(str, (swap.pairs, swap.heard, *counts)))
    return table


def label_table(effects: Sequence[LabelEffect]) -> Table:
    """How many more claims were accepted, in percentage points, under one treatment of labels than under another."""
    figures = ("tasks", "accepted more (points) [95 %]", "p")
    table = plain_table(("channel", "labels", "against"), figures, no_wrap=False)
    for one in effects:
        found = one.accepted_more
        if found is not None:
            ends = None if found.interval is None else tuple(float(100 * end) for end in found.interval)
            figure = _figure(float(100 * found.mean), None if ends is None else (ends[0], ends[1]))
            names = (one.channel, one.labels, one.against, str(found.tasks))
            table.add_row(*names, figure, f"{float(found.p):.4f}")
    return table


def study_lines(study: Study) -> Iterator[str]:
    """A line for each thing that a reader of the table must know: channels that tell some tasks nothing or reached
    nobody, and runs that no figure counts."""
    size = len(study.header["tasks"])
    for channel, rows in _by_channel(study):
        for why, count in rows[0].left_out.items():
            yield f"{channel}: {count} of {size} tasks are told nothing: {why}"
        runs, heard, unscored = (
            sum(getattr(row.reading, name) for row in rows) for name in ("runs", "heard", "unscored")
        )
        if runs and not heard:
            yield f"{channel}: no run was shown a claim, so nothing could be discerned"
        if unscored:
            yield f"{channel}: {unscored} of {runs} runs are not scored"


def _by_channel(study: Study) -> Iterator[tuple[str, list[Row]]]:
    played = [row for row in study.rows if row.telling != BOTH]
    for channel in dict.fromkeys(row.channel for row in played):
        yield channel, [row for row in played if row.channel == channel]


def check_table(check: Check) -> Table:
    """A row for each simulated agent and channel; whether the interval holds the value that is known."""
    names = ("known d'", *_COUNTS, "d' [95 %]", "holds", "known criterion", "criterion [95 %]", "holds")
    table = plain_table(("channel",), names, no_wrap=False)
    for row in check.rows:
        found = row.reading.over_all
        table.add_row(
            row.reading.channel,
            f"{row.known.d_prime:g}",
            *_counts(row.reading),
            _figure(found.d_prime, found.d_prime_interval),
            _yes(row.holds_d_prime),
            f"{row.known.criterion:g}",
            _figure(found.criterion, found.criterion_interval),
            _yes(row.holds_criterion),
        )
    return table


def check_line(check: Check) -> str:
    """How many intervals hold, beside how many should."""
    share = f"{100 * STATED:g} % are stated"
    return f"{check.held} of {check.intervals} intervals of d' hold what is known; {share}"


def _counts(reading: ChannelReading) -> tuple[str, ...]:
    found = reading.over_all
    return (
        str(reading.runs),
        str(reading.heard),
        f"{found.hits} of {found.true}",
        f"{found.false_alarms} of {found.false}",
        f"{found.abstained_true}, {found.abstained_false}",
    )


def _figures(row: Row) -> tuple[str, ...]:
    found, shuffled = row.reading.over_all, row.shuffled
    if not row.reading.heard or shuffled is None:
        return ("-",) * 4
    return (
        _figure(found.d_prime, found.d_prime_interval),
        _figure(found.criterion, found.criterion_interval),
        _ends((shuffled.low, shuffled.high)),
        f"{float(shuffled.p):.4f}",
    )


def _figure(value: float | None, ends: Ends | None) -> str:
    return _number(value) if ends is None else f"{_number(value)} {_ends(ends)}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"


def _ends(ends: Ends | None) -> str:
    if ends is None:
        return "-"
    low, high = ends
    return f"[{'-inf' if low is None else _number(low)}, {'inf' if high is None else _number(high)}]"


def _yes(held: bool | None) -> str:
    return "-" if held is None else "yes" if held else "no"
