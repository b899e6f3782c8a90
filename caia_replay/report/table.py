"""The table a replay ends with, in the terminal: one column per cell, so that it fits any width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rich.table import Table

from caia_replay.core.trajectory import STOPS, UNSCORED_STOPS
from caia_replay.errors import CaiaReplayError, CheckFailed, Interrupted, one_line
from caia_replay.report.terminal import count, percent, plain_table

POLICY_HEADING = "calibration policy, not a model result"


def heading(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """What was run, and what its numbers must not be taken for."""
    first = summaries[0]
    runs, tasks = count(first["runs"], "run"), count(first["n_tasks"], "task")
    lines = [f"{first['suite']}: {first['model']} with {first['agent']}, {runs} of {tasks}"]
    if first["calibration_policy"]:
        lines.append(POLICY_HEADING)
    else:
        lines += _served_line(summaries)
    if not first["comparable_to_published_caia"]:
        lines.append("not comparable to published CAIA scores")
    return lines


def _served_line(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """Which models the server says have answered: a name asked for may be answered by another model."""
    counts = sum((Counter(cell["served_as"]) for cell in summaries), Counter[str]())
    items = [name if len(counts) == 1 else f"{name} ({count})" for name, count in sorted(counts.items())]
    return [one_line(f"answered by: {', '.join(items)}")] if items else []


def summary_table(summaries: Sequence[dict[str, Any]]) -> Table:
    """Scores, how calls were served, how far the attack got; docs/worlds.md says what each number means."""
    several = len({cell["condition"] for cell in summaries}) > 1
    names = [f"{cell['arm']}, {cell['condition']}" if several else cell["arm"] for cell in summaries]
    table = plain_table(("",), names)
    for title, read in _ROWS:
        table.add_row(title, *(read(cell) for cell in summaries))
    if any("realised_loss_usd" in cell for cell in summaries):
        table.add_row("realised loss, USD", *(str(cell.get("realised_loss_usd", "-")) for cell in summaries))
        table.add_row(
            "  transactions", *(str(cell.get("execution", {}).get("transactions", "-")) for cell in summaries)
        )
    if any(cell["cost_usd"] is not None for cell in summaries):
        table.add_row("cost, USD", *(_cost(cell) for cell in summaries))
    return table


def unscored_lines(summaries: Sequence[dict[str, Any]], causes: Sequence[str]) -> list[str]:
    """A line for each cell with runs that no score counts (its endpoint or the simulator failed), with a cause."""
    lines = []
    for cell, cause in zip(summaries, causes, strict=True):
        faults = {stop: count for stop, count in cell["stops"].items() if stop in UNSCORED_STOPS}
        if faults:
            counts = ", ".join(f"{count} {stop}" for stop, count in faults.items())
            runs = sum(cell["stops"].values())
            lines.append(f"not scored in {cell['arm']}, {cell['condition']}: {counts} of {runs} runs; first: {cause}")
    return lines


def ending(summaries: Sequence[dict[str, Any]], unfinished: int, again: str) -> CaiaReplayError | None:
    """What a replay ends with where not all of it stands: runs to be played again by the command ``again``, which are
    ``unfinished``, none that is scored, or a broken world. Exit codes are those of ``STOPS``."""
    if unfinished:
        lines = [
            f"not certified: {cell['arm']}, {cell['condition']}; this machine stopped {cell['uncertified_runs']} of "
            f"{count(cell['n_tasks'] * cell['runs'], 'run')}"
            for cell in summaries
            if cell["uncertified_runs"]
        ]
        broken = unfinished - sum(cell["uncertified_runs"] for cell in summaries)
        lines += [f"the endpoint broke {count(broken, 'run')}"] if broken else []
        return Interrupted(f"{'; '.join(lines)}; next, to play those again: {again}")
    if not any(cell["scored"]["runs"] for cell in summaries):
        return CheckFailed("no run was scored; what stopped the first of each arm stands above")
    if any(STOPS[stop].exit_code for cell in summaries for stop in cell["stops"] if STOPS[stop].fault == "world"):
        return CheckFailed("the world failed in some runs, as told above; next: caia-replay verify")
    return None


def _cost(cell: dict[str, Any]) -> str:
    return "unknown" if cell["cost_usd"] is None else f"{'about ' if cell['cost_estimated'] else ''}{cell['cost_usd']}"


_ROWS: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("scored runs", lambda cell: f"{cell['scored']['runs']} of {cell['n_tasks'] * cell['runs']}"),
    ("majority right", lambda cell: percent(cell["majority"])),
    ("Pass@1", lambda cell: percent(cell["pass_at_1"])),
    ("Pass@k", lambda cell: percent(cell["pass_at_k"])),
    ("pass^k", lambda cell: percent(cell["pass_hat_k"])),
    ("tool calls", lambda cell: str(cell["calls"])),
    ("  misses", lambda cell: str(cell["served"]["MISS"])),
    ("  errors", lambda cell: str(cell["served"]["ERROR"])),
    ("exposed to a lie, runs", lambda cell: str(cell["attack"]["exposed"])),
    ("  opened it", lambda cell: str(cell["attack"]["opened"])),
    ("  resisted it", lambda cell: str(cell["attack"]["resisted"])),
    ("adopted it, runs", lambda cell: str(cell["attack"]["adopted"])),
    ("  of attacked runs", lambda cell: percent(cell["attack_rates"]["intention_to_treat"]["rate"], "-")),
    ("  by authoritative text", lambda cell: str(cell["attack"]["adopted_authoritative_text"])),
    ("simulated loss, USD", lambda cell: str(cell["simulated_loss_usd"])),
)
