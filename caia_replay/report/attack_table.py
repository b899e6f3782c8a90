"""What an attack did, in the terminal: families beside each other, arms told from each other, adoption by dose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from caia_replay.errors import one_line
from caia_replay.report.terminal import percent, plain_table


def attack_tables(summaries: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """A table for each cell in which several families attacked; of one, the summary's rows say all."""
    for cell in summaries:
        if len(cell["by_attack"]) > 1:
            yield attack_table(cell)


def spared_lines(summaries: Sequence[Mapping[str, Any]], lying: Collection[str], campaign: str) -> list[str]:
    """A line for each cell of the ``lying`` arms some of whose tasks the campaign plants nothing against."""
    return [
        one_line(
            f"{cell['arm']}, {cell['condition']}: campaign {campaign} plants against "
            f"{cell['attack']['attacked_tasks']} of {cell['n_tasks']} tasks; "
            f"why not against the others: caia-replay attack diff --campaign {campaign}"
        )
        for cell in summaries
        if cell["arm"] in lying and cell["attack"]["attacked_tasks"] < cell["n_tasks"]
    ]


def attack_table(cell: Mapping[str, Any]) -> Table:
    """A row for each family: how many runs it attacked, reached and won, and the shares; docs/metrics.md has them."""
    title = Text(one_line(f"{cell['arm']}, {cell['condition']}"))
    figures = ("exposed", "adopted", "by\nauthority", "unde-\ncided", "if\nexposed", "of\nattacked", "first\nstep")
    table = plain_table(("attack",), ("runs", *figures))
    table.title, table.title_justify = title, "left"
    for name, row in cell["by_attack"].items():
        counts = ("attacked_runs", "exposed", "adopted", "adopted_authoritative_text", "undecided")
        shares = (percent(row[rate]["rate"], "-") for rate in ("if_exposed", "intention_to_treat"))
        step = row["median_first_step"]
        table.add_row(
            Text(one_line(name)), *(str(row[count]) for count in counts), *shares, "-" if step is None else f"{step:g}"
        )
    return table


def arm_lines(arms: Mapping[str, Any]) -> list[str]:
    """A line for each pair of arms in arms.json: what the first is less the second, a mean over tasks."""
    return [one_line(_line(pair)) for pair in arms["comparisons"]]


def _line(pair: Mapping[str, Any]) -> str:
    head = f"{pair['arm']} minus {pair['against']}, {pair['condition']}"
    accuracy, loss = pair["accuracy"], pair["loss_usd"]
    if accuracy is None:
        return f"{head}: no task was scored in both"
    parts = [f"Pass@1 {_points(accuracy)}"]
    for name, words in (("adopted", "adopted"), ("adopted_authoritative_text", "by authoritative text")):
        if pair[name] is not None and (name == "adopted" or pair[name]["difference"]):
            parts.append(f"{words} {_points(pair[name])}")
    if loss is not None:
        parts.append(f"loss of a first attempt {_signed_usd(loss['difference'])}")
    if "placebo" in pair:
        parts.append(_margin(pair["placebo"]))
    return f"{head}: {'; '.join(parts)}"


def _points(effect: Mapping[str, Any]) -> str:
    ends = effect["interval"]
    between = "too few projects for an interval" if ends is None else f"95 % {_signed(ends[0])} to {_signed(ends[1])}"
    return f"{_signed(effect['difference'])} points ({between}; p = {effect['p_holm']:.3g}, Holm)"


def _margin(placebo: Mapping[str, Any]) -> str:
    margin = f"{100 * placebo['margin']:g} points"
    if placebo["is_within"] is None:
        return f"whether within {margin} cannot be told of so few projects"
    return f"within {margin}" if placebo["is_within"] else f"not shown to be within {margin}"


def _signed(share: float) -> str:
    return f"{100 * share + 0.0:+.1f}"


def _signed_usd(amount: str) -> str:
    return f"{'-' if amount.startswith('-') else '+'}${amount.removeprefix('-')}"
