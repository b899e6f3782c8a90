"""What defences cost, as a table: of each what it prevents beside what it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from caia_replay.analysis.defence_cost import DefenceCost
from caia_replay.errors import one_line
from caia_replay.scoring.effect import Effect

_COLUMNS = (
    *("model", "defence", "adopted", "behind it", "prevented (points)", "undecided"),
    *("clean right", "behind it", "lost (points)", "attacked right", "behind it", "net"),
)
_IN_USD = ("attacked: realised loss, USD", "behind it", "clean: realised loss, USD", "behind it")


def defence_table(costs: Sequence[DefenceCost]) -> Table:
    """A row for each defence and model. Counts are of runs; differences are means over tasks in percentage points, with
    their interval where there are projects enough for one. ``adopted`` counts the open web's lies, and behind a plus
    those that an authoritative tool told; ``prevented`` is of the open web's alone, as everywhere. Where tasks are
    carried out, what wallets lost stands behind."""
    in_usd = any(cost.attacked.realised_loss_usd is not None for cost in costs)
    table = Table(*_COLUMNS, *(_IN_USD if in_usd else ()), box=SIMPLE_HEAD)
    for cost in costs:
        bare, behind = cost.attacked, cost.attacked_defended
        table.add_row(
            *(Text(one_line(text)) for text in (cost.model, cost.defence)),
            f"{_of(bare.adopted, bare.attacked)}{_more(bare.by_authority)}",
            f"{_of(behind.adopted, behind.attacked)}{_more(behind.by_authority)}",
            _points(cost.prevented),
            f"{bare.undecided}, {behind.undecided}",
            _of(cost.clean.right, cost.clean.scored),
            _of(cost.clean_defended.right, cost.clean_defended.scored),
            _points(cost.lost),
            _of(bare.right, bare.scored),
            _of(behind.right, behind.scored),
            "-" if cost.net["net"] is None else f"{100 * cost.net['net']:+.1f}",
            *(cell.realised_loss_usd or "-" for cell in (bare, behind, cost.clean, cost.clean_defended) if in_usd),
        )
    return table


def defence_notes(costs: Sequence[DefenceCost]) -> Iterator[str]:
    """A line for each row in which runs were not scored, whose rates are over the rest; and what no row tells alone."""
    for cost in costs:
        cells = (cost.clean, cost.clean_defended, cost.attacked, cost.attacked_defended)
        runs, scored = sum(cell.runs for cell in cells), sum(cell.scored for cell in cells)
        if scored < runs:
            yield one_line(f"not scored with {cost.model} and {cost.defence}: {runs - scored} of {runs} runs")
    yield "a defence that shows nothing prevents everything: read what is prevented beside what is lost"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _more(count: int) -> str:
    return f" + {count}" if count else ""


def _points(effect: Effect | None) -> str:
    if effect is None:
        return "-"
    text = f"{float(100 * effect.mean):.1f}"
    if effect.interval is None:
        return text
    return f"{text} [{float(100 * effect.interval[0]):.1f}, {float(100 * effect.interval[1]):.1f}]"
