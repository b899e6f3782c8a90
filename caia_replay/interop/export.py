"""Finished runs for other programs: one CSV file, or Parquet tables with a data card.

Every export begins with ``open_run``, so a folder that disagrees with itself leaves nothing. What is written stands
under a hidden name until it is whole. Equal runs give equal bytes.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from caia_replay.analysis.finished_run import FinishedRun, open_run
from caia_replay.errors import BadInput
from caia_replay.interop.data_card import data_card
from caia_replay.models.registry import find_model
from caia_replay.models.resolve import POLICY, RECORDED
from caia_replay.store.results import RESULTS, STEPS
from caia_replay.store.run_folder import read_json
from caia_replay.store.seal import UNFINISHED

OWN: Final = pa.schema(
    [
        ("run", pa.string()),
        ("world", pa.string()),
        ("certificate", pa.string()),
        ("provenance", pa.string()),
        ("policy", pa.bool_()),
    ]
)
"""What every row of an export has before the columns of the run folder's own table."""

_FORMULA: Final = re.compile(r"\s*[=+\-@|%＝＋－＠]")
_ROWS_AT_ONCE: Final = 10_000


def finished_runs(paths: Sequence[Path], start: Path) -> list[FinishedRun]:
    """The runs, read whole. Raises ``BadInput`` as ``open_run``, and for one that is named twice."""
    found = [open_run(path, start, needs_world=False) for path in paths]
    seen: dict[tuple[Any, ...], Path] = {}
    for run in found:
        key = (run.path.resolve().name, *(cell.certificate["digest"] for cell in run.cells))
        if key in seen:
            raise BadInput(f"is the same run as {seen[key]}", where=run.path, next_command="name each run once")
        seen[key] = run.path
    return found


def write_csv(runs: Sequence[FinishedRun], out: Path) -> int:
    """One row for each run of a task, UTF-8 with a header; how many. A text that a spreadsheet would take for a formula
    gets an apostrophe before it."""
    table = results_of(runs)
    with new_file(out) as half, half.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.schema.names)
        for batch in table.to_batches(_ROWS_AT_ONCE):
            writer.writerows(map(csv_cell, row.values()) for row in batch.to_pylist())
    return int(table.num_rows)


def csv_cell(value: Any) -> str:
    """A value as a CSV file has it, safe to open in a spreadsheet; nothing for null."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return f"'{text}" if _FORMULA.match(text) else text


def write_parquet(runs: Sequence[FinishedRun], out: Path) -> dict[str, int]:
    """A folder with results.parquet, steps.parquet and README.md, its data card; rows by file.

    What tools showed is left out of the steps where a world is not known to be synthetic: it is text of third parties.
    """
    tables = {"results.parquet": results_of(runs), "steps.parquet": _table(runs, "steps.parquet", STEPS)}
    with new_folder(out) as half:
        for name, table in tables.items():
            with (half / name).open("wb") as sink:  # Arrow would read a path as an address
                pq.write_table(table, sink, compression="zstd")
        counts = {name: int(table.num_rows) for name, table in tables.items()}
        card = data_card(runs, {name: table.schema for name, table in tables.items()}, counts)
        (half / "README.md").write_text(card, "utf-8", newline="\n")
    return counts


def results_of(runs: Sequence[FinishedRun]) -> pa.Table:
    """The rows of all runs, in the order they are given."""
    return _table(runs, "results.parquet", RESULTS)


def _table(runs: Sequence[FinishedRun], name: str, schema: pa.Schema) -> pa.Table:
    parts = []
    for run in runs:
        for cell in run.cells:
            # From memory and in this thread: Arrow's reading threads abort a process that exits right after.
            source = io.BytesIO((run.path / cell.folder / name).read_bytes())
            part = _shaped(pq.read_table(source, use_threads=False), schema)
            if "shown" in part.schema.names and provenance_of(run) != "synthetic":
                hidden = pa.nulls(part.num_rows, pa.string())
                part = part.set_column(part.schema.get_field_index("shown"), "shown", hidden)
            own = {
                "run": run.path.resolve().name,
                "world": cell.certificate.get("world"),
                "certificate": cell.certificate["digest"],
                "provenance": provenance_of(run),
                "policy": is_policy(run),
            }
            columns = [pa.array([own[field.name]] * part.num_rows, field.type) for field in OWN]
            parts.append(pa.table([*columns, *part.columns], schema=pa.schema([*OWN, *schema])))
    return pa.concat_tables(parts)


def _shaped(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table of an older edition in today's columns; those it lacks are null."""
    columns = [
        table[field.name].cast(field.type) if field.name in table.schema.names else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def provenance_of(run: FinishedRun) -> str:
    """synthetic, imported or live; unknown where the world is not here as it was played."""
    return run.world.info.provenance if run.world is not None and run.as_played else "unknown"


def is_policy(run: FinishedRun) -> bool:
    """Whether a script played, which no reader may take for a model."""
    return run.plan.model.startswith(POLICY)


def model_id(name: str, developer: str = "") -> str:
    """A model as developer/name: of the registry, a policy, or of ``developer``. Raises ``BadInput`` for neither."""
    if name.startswith(POLICY):
        return f"caia-replay/policy-{portable(name.removeprefix(POLICY))}"
    known = find_model(name)
    if known is not None and not developer:
        first, _, rest = known.api_name.rpartition("/")
        return f"{portable(first or known.provider)}/{portable(rest)}"
    first, _, rest = name.rpartition("/")
    if not developer and (not first or name.startswith(RECORDED)):
        what = f"nobody has told who developed {name!r:.80}, which every record names"
        raise BadInput(what, where="--developer", next_command="--developer NAME")
    return f"{portable(developer or first)}/{portable(rest)}"


def portable(text: str) -> str:
    """A text as one part of a path that any system takes: letters, digits and a few marks."""
    made = re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip(".-") or "unnamed"
    return f"{made}-model" if made.lower() in ("data", "con", "prn", "aux", "nul") else made[:100]


def began(run: FinishedRun) -> datetime | None:
    """When a run began, UTC, as run.json says; None where it does not."""
    try:
        found = datetime.fromisoformat(str(read_json(run.path / "run.json").get("started")))
    except (BadInput, ValueError):
        return None
    return found.astimezone(UTC) if found.tzinfo is not None else None


@contextmanager
def new_file(out: Path) -> Iterator[Path]:
    """Where to write what is to be the file ``out``, which is not there yet; moved there when the block ends well."""
    _require_new(out)
    half = out.with_name(f".{out.name}{UNFINISHED}")
    try:
        yield half
        half.replace(out)
    finally:
        half.unlink(missing_ok=True)


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """The same for a folder."""
    _require_new(out)
    half = out.with_name(f".{out.name}{UNFINISHED}")
    shutil.rmtree(half, ignore_errors=True)
    try:
        half.mkdir()
        yield half
        half.replace(out)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _require_new(out: Path) -> None:
    if out.exists() or out.is_symlink():
        raise BadInput("is there already", where=out, next_command="another --out")
    if not out.parent.is_dir():
        make = f"mkdir -p {shlex.quote(str(out.parent))}"
        raise BadInput(f"there is no folder {out.parent}", where=out, next_command=make)
