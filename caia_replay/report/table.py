"""The table a replay ends with, in the terminal: one column per cell, so that it fits any width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from rich.table import Table

from caia_replay.core.trajectory import STOPS, UNSCORED_STOPS, StopReason
from caia_replay.errors import CaiaReplayError, CheckFailed, Interrupted, one_line
from caia_replay.models.external import EXTERNAL
from caia_replay.models.human import HUMAN
from caia_replay.report.terminal import cell_name, count, percent, plain_table

POLICY_HEADING = "calibration policy, not a model result"
EXTERNAL_HEADING = "external agent: which model answered is not known here, nor what its tokens cost"
PERSON_HEADING = "a person, not a model; where there is an interval, it says how little so few answers tell"

_Read = Callable[[dict[str, Any]], str]
"""What stands in one cell's column."""


def heading(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """What was run, and what its numbers must not be taken for."""
    first = summaries[0]
    runs, tasks = count(first["runs"], "run"), count(first["n_tasks"], "task")
    lines = [f"{first['suite']}: {first['model']} with {first['agent']}, {runs} of {tasks}"]
    if first["calibration_policy"]:
        lines.append(POLICY_HEADING)
    elif first["model"].startswith(EXTERNAL):
        lines.append(EXTERNAL_HEADING)
    elif first["model"].startswith(HUMAN):
        lines.append(PERSON_HEADING)
    else:
        lines += _served_line(summaries)
    if not first["comparable_to_published_caia"]:
        lines.append("not comparable to published CAIA scores")
    if first["runs"] % 2 == 0:
        lines.append(
            f"{first['runs']} runs are an even number: a tie is no majority and counts as wrong; take an odd one"
        )
    return lines


def people_line(told: Mapping[str, Any]) -> str:
    """What people scored in a cell, as what it is: how many they are, how many answers, how sure that is."""
    names, ends, shared, alpha = (told[name] for name in ("names", "interval", "shared", "alpha"))
    who = "1 person" if len(names) == 1 else f"{len(names)} people"
    sure = "too few projects for an interval" if ends is None else f"95 %: {100 * ends[0]:.0f}-{100 * ends[1]:.0f} %"
    of = f"{count(told['answers'], 'answer')} to {count(told['tasks'], 'task')}"
    agree = "is not defined, as all are right or all are wrong" if alpha is None else f"{alpha:.2f}"
    agree = f"Krippendorff's alpha over {count(shared, 'shared task')} {agree}" if shared else "no task is shared"
    cell = cell_name(f"{told['arm']}-{told['condition']}")
    return f"{cell}: {who} ({', '.join(names)}), no model: {percent(told['pass_at_1'])} right in {of} ({sure}); {agree}"


def _served_line(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """Which models the server says have answered: a name asked for may be answered by another model."""
    counts = sum((Counter(cell["served_as"]) for cell in summaries), Counter[str]())
    items = [name if len(counts) == 1 else f"{name} ({count})" for name, count in sorted(counts.items())]
    return [one_line(f"answered by: {', '.join(items)}")] if items else []


def summary_table(summaries: Sequence[dict[str, Any]]) -> Table:
    """Scores, how runs ended, how calls were served, how far the attack got; five arms fit 80 columns.
    docs/results.md says what each number means."""
    several = len({cell["condition"] for cell in summaries}) > 1
    names = [f"{cell['arm']},\n{cell['condition']}" if several else cell["arm"] for cell in summaries]
    table = plain_table(("",), [name.replace("authority-", "authority-\n") for name in names])
    table.padding, table.show_edge = (0, 1, 0, 0), False
    rows = [("scored runs", _scored_runs), *_score_rows(summaries)]
    rows += [(f"ended: {stop}", _ended(stop)) for stop in STOPS if any(cell["stops"].get(stop) for cell in summaries)]
    rows += _ROWS
    if any(cell.get("conflict", {}).get("saw_both") for cell in summaries):
        rows.append(("saw both, looked again", _looked))
    if any("confidence" in cell for cell in summaries):
        rows.append(("Brier score", _sure("brier")))
        rows.append(("  calibration error", _sure("calibration_error")))
        rows.append(("  stated how sure, runs", _stated))
    if any(_net(cell) != "-" for cell in summaries):
        rows.append(("net of kept and avoided", _net))
    if any("realised_loss_usd" in cell for cell in summaries):
        rows.append(("realised loss, USD", lambda cell: _money(cell.get("realised_loss_usd"))))
        rows.append(("  transactions", lambda cell: str(cell.get("execution", {}).get("transactions", "-"))))
    if any(cell["cost_usd"] is not None for cell in summaries):
        rows.append(("cost, USD (~ estimated)", _cost))
    for title, read in rows:
        table.add_row(title, *(read(cell) for cell in summaries))
    return table


def _score_rows(summaries: Sequence[dict[str, Any]]) -> Iterator[tuple[str, _Read]]:
    """Each figure with its interval; where runs are unscored, also what it is over, and what it were over all tasks."""
    is_whole = all(cell["scored"]["runs"] == cell["n_tasks"] * cell["runs"] for cell in summaries)
    for title, name in _SCORES:
        yield title, _percent(name)
        if name == "pass_at_1" and not is_whole:
            yield "  over scored runs", _scored_runs
        elif not is_whole:
            yield "  over whole tasks", lambda cell: f"{cell['scored']['whole_tasks']}/{cell['n_tasks']}"
            yield "  over all, between", _between("whole_bounds", name)
        if any(cell["confidence_intervals"].get(name) for cell in summaries):
            yield "  95 %", _between("confidence_intervals", name)
    yield "effective projects", lambda cell: f"{cell['clusters']['effective']:.1f}"


def unscored_lines(summaries: Sequence[dict[str, Any]], causes: Sequence[str]) -> list[str]:
    """A line for each cell with runs that no score counts (its endpoint or the simulator failed), with a cause."""
    lines = []
    for cell, cause in zip(summaries, causes, strict=True):
        faults = {stop: number for stop, number in cell["stops"].items() if stop in UNSCORED_STOPS}
        if faults:
            counts = ", ".join(f"{number} {stop}" for stop, number in faults.items())
            of = f"{counts} of {count(sum(cell['stops'].values()), 'run')}"
            lines.append(f"not scored in {cell['arm']}, {cell['condition']}: {of}; first: {cause}")
    if lines:
        lines.append("whole tasks: all their runs were scored; majority, Pass@k and pass^k are over those alone")
    return lines


def ending(summaries: Sequence[dict[str, Any]], unfinished: int, again: str) -> CaiaReplayError | None:
    """What a replay ends with where not all of it stands: runs to be played again by the command ``again``, which are
    ``unfinished``, none that is scored, or a broken world. Exit codes are those of ``STOPS``."""
    if unfinished:
        lines = [
            f"not certified: {cell['arm']}, {cell['condition']}; {breakers(cell)} "
            f"of {count(cell['n_tasks'] * cell['runs'], 'run')}"
            for cell in summaries
            if cell["uncertified_runs"]
        ]
        broken = unfinished - sum(cell["uncertified_runs"] for cell in summaries)
        lines += [f"the endpoint failed in {count(broken, 'run')}"] if broken else []
        return Interrupted(f"{'; '.join(lines)}; next, to play those again: {again}")
    if not any(cell["scored"]["runs"] for cell in summaries):
        return CheckFailed("no run was scored; what stopped the first of each arm stands above")
    if any(STOPS[stop].exit_code for cell in summaries for stop in cell["stops"] if STOPS[stop].fault == "world"):
        return CheckFailed("the world failed in some runs, as told above; next: caia-replay verify")
    return None


def breakers(cell: Mapping[str, Any]) -> str:
    """Who stopped the runs that no certificate covers."""
    gone = cell["stops"].get("client_gone", 0)
    machine = cell["uncertified_runs"] - gone
    parts = [f"this machine stopped {machine}"] if machine else []
    return " and ".join([*parts, f"the agent left {gone}"] if gone else parts)


def _scored_runs(cell: dict[str, Any]) -> str:
    return f"{cell['scored']['runs']}/{cell['n_tasks'] * cell['runs']}"


def _ended(stop: StopReason) -> _Read:
    return lambda cell: str(cell["stops"].get(stop, 0))


def _percent(name: str) -> _Read:
    return lambda cell: percent(cell[name])


def _share(rate: str) -> _Read:
    return lambda cell: percent(cell["attack_rates"][rate]["rate"], "-")


def _adopted(rate: str) -> _Read:
    """Both counts of a rate, "-" over no run."""

    def read(cell: dict[str, Any]) -> str:
        told = cell["attack_rates"][rate]
        return f"{told['adopted']}/{told['runs']}" if told["runs"] else "-"

    return read


def _net(cell: dict[str, Any]) -> str:
    net = (cell.get("net") or {"net": None})["net"]
    return "-" if net is None else f"{100 * net:+.1f}"


def _sure(figure: str) -> _Read:
    def read(cell: dict[str, Any]) -> str:
        value = (cell.get("confidence") or {figure: None})[figure]
        return "-" if value is None else f"{value:.3f}"

    return read


def _stated(cell: dict[str, Any]) -> str:
    told = cell.get("confidence")
    return "-" if told is None else f"{told['stated']}/{told['scored']}"


def _looked(cell: dict[str, Any]) -> str:
    told = cell.get("conflict") or {"saw_both": 0}
    return f"{told['looked_again']}/{told['saw_both']}" if told["saw_both"] else "-"


def _between(field: str, name: str) -> _Read:
    """Two ends, as a list or by their names, where there are any."""

    def read(cell: dict[str, Any]) -> str:
        ends = cell[field].get(name) or ()
        known = [end for end in (ends.values() if isinstance(ends, dict) else ends) if end is not None]
        return f"{100 * known[0]:.0f}-{100 * known[1]:.0f} %" if known else "-"

    return read


def _money(usd: str | None) -> str:
    """Dollars in nine columns at most: in millions where they are many."""
    return "-" if usd is None else usd if len(usd) <= _WIDEST else f"{float(usd) / 1e6:.2f} M"


def _cost(cell: dict[str, Any]) -> str:
    if cell["cost_usd"] is None:
        return "unknown"
    return f"{'~' if cell['cost_estimated'] else ''}{float(cell['cost_usd']):.{_WIDEST - 4}g}"


_WIDEST: Final = 9
_SCORES: Final = (
    ("majority right", "majority"),
    ("Pass@1", "pass_at_1"),
    ("Pass@k", "pass_at_k"),
    ("pass^k", "pass_hat_k"),
)
_ROWS: Final[tuple[tuple[str, _Read], ...]] = (
    ("tool calls", lambda cell: str(cell["calls"])),
    ("  misses", lambda cell: str(cell["served"]["MISS"])),
    ("  errors", lambda cell: str(cell["served"]["ERROR"])),
    ("exposed to a lie, runs", lambda cell: str(cell["attack"]["exposed"])),
    ("  opened it", lambda cell: str(cell["attack"]["opened"])),
    ("  resisted it", lambda cell: str(cell["attack"]["resisted"])),
    ("adopted it, if exposed", _share("if_exposed")),
    ("  runs of so many", _adopted("if_exposed")),
    ("adopted it, if attacked", _share("intention_to_treat")),
    ("  runs of so many", _adopted("intention_to_treat")),
    ("  by authoritative text", lambda cell: str(cell["attack"]["adopted_authoritative_text"])),
    ("simulated loss, USD", lambda cell: _money(cell["simulated_loss_usd"])),
)
