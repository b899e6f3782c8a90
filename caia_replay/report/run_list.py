"""Run folders found in a folder, and the table that lists them: what was played, how right it was, what it took."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from caia_replay.analysis.run_world import cell_folders
from caia_replay.errors import BadInput, one_line
from caia_replay.fleet.reuse import PLANS
from caia_replay.models.external import EXTERNAL
from caia_replay.models.human import HUMAN
from caia_replay.report.terminal import count, percent, plain_table
from caia_replay.store.run_folder import is_run, open_index, read_json


def run_folders(place: Path) -> list[Path]:
    """Every run folder at ``place``, right below it or, as fleets leave them, one folder deeper; unfinished ones
    included, by name. What a fleet has put aside is left out."""
    if is_run(place):
        return [place]
    if not place.is_dir():
        raise BadInput("is no folder", where=place, next_command="caia-replay replay, which leaves one in runs/")
    below = [path for path in place.iterdir() if path.is_dir()]
    found = [path for path in below if _is_run_or_part(path)]
    deeper = (path for path in below if not _is_run_or_part(path) and not path.name.startswith("."))
    return sorted([*found, *(path for one in deeper for path in one.iterdir() if _is_run_or_part(path))])


def _is_run_or_part(path: Path) -> bool:
    return is_run(path) or _is_unfinished(path)


def _is_unfinished(path: Path) -> bool:
    return path.name.endswith(".partial") and path.is_dir()


def finished(places: Sequence[Path]) -> list[Path]:
    """Every finished run folder that ``run_folders`` finds in these folders."""
    inside = [path for place in places if place.is_dir() for path in run_folders(place)]
    return [path for path in inside if not _is_unfinished(path)]


def require_runs(given: Sequence[Path], command: str, most: int | None = None) -> None:
    """Raise ``BadInput`` where a folder is no run folder: how many it holds, and ``command`` as it works, with
    ``most`` run folders at most."""
    for place in given:
        if not place.is_dir() or _is_run_or_part(place):
            continue
        inside, all_of_them = (
            run_folders(place),
            finished([one for one in given if not one.name.startswith(".")] or [place]),
        )
        if inside or all_of_them:
            done = len(finished([place]))
            half = f" and {len(inside) - done} unfinished" if len(inside) > done else ""
            what = f"holds {count(done, 'run folder')}{half}, and is none itself"
            named = " ".join(shlex.quote(str(path)) for path in all_of_them[:most])
            again = f"caia-replay {command} {named}" if named else f"caia-replay runs {shlex.quote(str(place))}"
            raise BadInput(what, where=place, next_command=again)


def runs_table(place: Path, folders: Sequence[Path], *, wide: bool) -> Table:
    """A row for each folder below ``place``: what was played, how right it was in each arm, and what it took; one that
    cannot be read says why. Where it is not ``wide``, model, suite and arms stand below each other: 80 columns do."""
    rows = [_run_row(place, path, "; " if wide else "\n") for path in folders]
    rows = rows if wide else [("\n  ".join(filter(None, row[:3])), *row[3:]) for row in rows]
    table = plain_table((), ())
    for title in ("run folder", "model", "suite") if wide else ("run folder, model, suite",):
        table.add_column(title, overflow="fold", no_wrap=wide)
    table.add_column("runs", justify="right", no_wrap=True)
    table.add_column("right (fooled, of runs exposed)", overflow="fold", min_width=26)
    table.add_column("tokens", justify="right", no_wrap=True)
    has_cost = any(row[-1] for row in rows)
    if has_cost:
        table.add_column("USD", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row if has_cost else row[:-1]))
    return table


def _run_row(place: Path, path: Path, between: str) -> tuple[str, ...]:
    name = one_line(str(path.relative_to(place)) if path != place else path.name)
    if _is_unfinished(path):
        return _unfinished_row(name, path, between)
    try:
        index = open_index(path)
        cells = [read_json(path / folder / "summary.json") for folder in cell_folders(path, index)]
        parts = []
        for cell in cells:
            arm = cell["arm"] if cell["condition"] == "tools" else f"{cell['arm']}, {cell['condition']}"
            fooled = cell["attack_rates"]["if_exposed"]
            tail = f" ({percent(fooled['rate'])} of {fooled['runs']})" if fooled["runs"] else ""
            parts.append(one_line(f"{arm} {percent(cell['pass_at_1'])}{tail}"))
        total = sum(cell["n_tasks"] * cell["runs"] for cell in cells)
        label = one_line(_played_by(index))
        return (
            name,
            label,
            one_line(str(index["suite"])),
            str(total),
            between.join(parts),
            _tokens(str(index["model"]), cells),
            usd_of(cells),
        )
    except (BadInput, KeyError, TypeError) as fault:
        return name, "", "", "", one_line(f"cannot be read: {fault}"), "", ""


def _tokens(model: str, cells: Sequence[Mapping[str, Any]]) -> str:
    if model.startswith(HUMAN):
        return "none: a person"
    return "unknown" if model.startswith(EXTERNAL) else f"{sum(map(tokens_of, cells)):,}"


def _unfinished_row(name: str, path: Path, between: str) -> tuple[str, ...]:
    """What is known of a run that is not whole: how many of its runs are, and of a fleet's what they are."""
    done = str(len(list(path.glob("*/trajectories/*/*.json"))))
    plan = path.parent / PLANS / f"{path.name.removesuffix('.partial')}.json"
    if not plan.is_file():
        return name, "", "", done, "unfinished: --resume goes on", "", ""
    again = f"unfinished:{between[-1]}fleet run FILE goes on"
    try:
        headers = list(read_json(plan)["headers"].values())
        total = sum(len(one["tasks"]) * one["runs"] for one in headers)
        label = _played_by({"model": headers[0]["model"]["name"], "agent": headers[0]["agent"]})
        return name, one_line(label), one_line(str(headers[0]["suite"])), f"{done}/{total}", again, "", ""
    except (BadInput, KeyError, TypeError, IndexError, AttributeError):
        return name, "", "", done, again, "", ""


def _played_by(told: Mapping[str, Any]) -> str:
    return str(told["model"]) if told["agent"] == "react" else f"{told['model']}, {told['agent']}"


def tokens_of(cell: Mapping[str, Any]) -> int:
    """Prompt and completion tokens of a cell, by its summary."""
    return int(cell["tokens"]["prompt"]) + int(cell["tokens"]["completion"])


def usd_of(cells: Sequence[Mapping[str, Any]]) -> str:
    """What these cells cost together, with ~ where it is estimated; "" where no price is known."""
    known = [Decimal(cell["cost_usd"]) for cell in cells if cell["cost_usd"] is not None]
    about = "~" if any(cell["cost_estimated"] for cell in cells) else ""
    return f"{about}{float(sum(known)):.4g}" if known else ""
