"""What a fleet is going to take, how far it is, and how its entries ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from rich.table import Table

from caia_replay.errors import CaiaReplayError, CheckFailed, Interrupted
from caia_replay.fleet.conduct import Outcome
from caia_replay.fleet.estimate import STAND_IN, Estimate
from caia_replay.fleet.matrix import Entry, Fleet
from caia_replay.fleet.reuse import Found
from caia_replay.fleet.status import run_ends
from caia_replay.report.live_line import LiveLine
from caia_replay.report.terminal import count, plain_table
from caia_replay.store.run_folder import is_run


def found_lines(fleet: Fleet, found: Mapping[str, Found]) -> Iterable[str]:
    """What is there of every entry, and what becomes of it."""
    width = max(len(entry.name) for entry in fleet.entries)
    return (f"{entry.name:<{width}}  {found[entry.name].kind}: {found[entry.name].why}" for entry in fleet.entries)


def estimate_table(estimates: Sequence[Estimate]) -> Table:
    """A row a model and one of all; hours are the longest, since models run beside each other."""
    table = plain_table(("model",), ("to play", "calls", "tokens", "USD", "hours"))
    table.add_column("from")
    for each in estimates:
        table.add_row(each.model.name, *_figures(each), "; ".join(each.sources) or "nothing is left to play")
    if len(estimates) > 1:
        left, runs = (sum(number) for number in zip(*((one.taken.runs, one.runs) for one in estimates), strict=True))
        calls, tokens = sum(one.taken.calls for one in estimates), sum(one.taken.tokens for one in estimates)
        known = [one.usd for one in estimates if one.model.is_live and one.usd is not None]
        hours = [one.hours for one in estimates if one.hours is not None]
        usd = _usd(sum(known, Decimal(0))) if known else "-"
        told = (f"{left} of {runs}", f"{round(calls):,}", f"{tokens:,}", usd, _hours(max(hours, default=None)))
        table.add_row("all", *told, "dollars: of models that are asked")
    return table


def estimate_notes(fleet: Fleet, estimates: Sequence[Estimate]) -> Iterable[str]:
    """What the table rests on, and what stands against running it."""
    if any(one.hours is not None for one in estimates):
        seconds = f"{fleet.seconds_a_completion.normalize():f} s"
        yield f"hours: {seconds} a completion (seconds_a_completion), 20 requests at once without concurrency"
    if any(f"with {STAND_IN}" in source for one in estimates for source in one.sources):
        yield (
            f"a rehearsal with {STAND_IN}: its turns and texts, and in every prompt the tools' descriptions, which a "
            "policy is not sent; a model may take more turns"
        )
    for one in estimates:
        name = one.model.name
        if one.model.is_live and one.usd is None:
            refused = "" if fleet.ceiling is None else ", so max_usd cannot be kept and fleet run will refuse"
            then = f'price = {{ prompt = "1.25", completion = "10" }} under [model."{name}"]'
            yield f"{name}: no price is known{refused}; next: {then}"
        if one.model.why_not:
            yield f"{name}: cannot be asked as things are, and fleet run will refuse: {one.model.why_not}"
    known = sum((one.usd for one in estimates if one.model.is_live and one.usd is not None), Decimal(0))
    if fleet.ceiling is not None:
        more = "; the fleet will stop there" if known > fleet.ceiling else ""
        yield f"ceiling: {fleet.ceiling} USD{more}"


def entry_line(entry: Entry) -> LiveLine:
    """Of all runs of an entry that are there, whoever played them."""
    line = LiveLine(entry.plan)
    for end in run_ends(entry):
        line.add(end)
    return line


def outcome_table(outcomes: Sequence[Outcome], lines: Sequence[LiveLine], paid: Mapping[str, Decimal]) -> Table:
    """A row an entry: what was there, how it ended, what it paid, and how right all of its runs are."""
    table = plain_table(("entry", "was", "ended"), ("scored", "USD"))
    for title in ("right (fooled)", "why"):
        table.add_column(title)
    for one, line in zip(outcomes, lines, strict=True):
        scored = f"{line.scored}/{line.total}"
        usd = _usd(paid[one.entry.name]) if one.entry.name in paid else "-"
        why = one.found.why if one.found.kind == "reused" else one.ending.why
        table.add_row(one.entry.name, one.found.kind, _ended(one), scored, usd, line.right(), why)
    return table


def report_line(fleet: Fleet) -> Iterable[str]:
    """The command that reports what is finished; its globs leave out what is not."""
    suites = dict.fromkeys(entry.plan.suite for entry in fleet.entries if is_run(entry.out))
    if suites:
        yield f"next: caia-replay report {' '.join(f'{fleet.folder}/*-{suite}' for suite in suites)}"


def fleet_ending(outcomes: Sequence[Outcome], lines: Sequence[LiveLine], again: str) -> CaiaReplayError | None:
    """What a fleet ends with where not all of it is whole; ``again`` is the command that goes on."""
    hows = [one.ending.how for one in outcomes]
    ended = {how: hows.count(how) for how in dict.fromkeys(hows) if how != "whole"}
    if ended:
        told = ", ".join(f"{number} {how}" for how, number in ended.items())
        return Interrupted(f"{told} of {count(len(hows), 'entry') if len(hows) == 1 else f'{len(hows)} entries'}; "
                           f"next: see to what the table says, then {again}")  # fmt: skip
    if any(not line.scored for line in lines):
        return CheckFailed("in some entries no run was scored; the table says why")
    return None


def _ended(one: Outcome) -> str:
    return f"{one.ending.how} ({one.ending.broken} to play again)" if one.ending.broken else one.ending.how


def _figures(each: Estimate) -> tuple[str, ...]:
    taken = each.taken
    usd = "-" if each.usd is None else _usd(each.usd)
    return f"{taken.runs} of {each.runs}", f"{round(taken.calls):,}", f"{taken.tokens:,}", usd, _hours(each.hours)


def _usd(amount: Decimal) -> str:
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.2g}"


def _hours(hours: Fraction | None) -> str:
    return "-" if hours is None else f"{float(hours):.2g}" if hours < 100 else f"{float(hours):.0f}"
