"""The table a replay ends with, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from caia_replay.core.trajectory import UNSCORED_STOPS

POLICY_HEADING = "calibration policy, not a model result"


def summary_table(summaries: Sequence[dict[str, Any]]) -> Table:
    """One row per cell: scores, how calls were served, how far the attack got."""
    first = summaries[0]
    title = (
        f"{first['suite']}: {first['model']} with {first['agent']}, {first['runs']} runs of {first['n_tasks']} tasks"
    )
    if first["calibration_policy"]:
        title += f"\n{POLICY_HEADING}"
    if not first["comparable_to_published_caia"]:
        title += "\nnot comparable to published CAIA scores"
    table = Table(title=Text(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("arm", "condition", "majority", "Pass@1", "Pass@k", "pass^k"):
        table.add_column(name, justify="left" if name in ("arm", "condition") else "right", no_wrap=True)
    for name in ("calls", "misses", "errors", "exposed", "adopted", "loss USD"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in summaries:
        table.add_row(
            cell["arm"],
            cell["condition"],
            *(_percent(cell[name]) for name in ("majority", "pass_at_1", "pass_at_k", "pass_hat_k")),
            str(cell["calls"]),
            str(cell["served"]["MISS"]),
            str(cell["served"]["ERROR"]),
            str(cell["attack"]["exposed"]),
            str(cell["attack"]["adopted"]),
            cell["simulated_loss_usd"],
        )
    return table


def unscored_lines(summaries: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each cell with runs that no score counts, because an endpoint or the simulator failed."""
    lines = []
    for cell in summaries:
        faults = {stop: count for stop, count in cell["stops"].items() if stop in UNSCORED_STOPS}
        if faults:
            causes = ", ".join(f"{count} {stop}" for stop, count in faults.items())
            lines.append(
                f"not scored in {cell['arm']}, {cell['condition']}: {causes} of {sum(cell['stops'].values())} runs"
            )
    return lines


def _percent(fraction: float | None) -> str:
    return "unscored" if fraction is None else f"{100 * fraction:.1f} %"
