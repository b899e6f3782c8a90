"""Run folders: a journal of finished runs that becomes the run folder in one rename.

<out>.partial/   plan.json   <cell>/trajectories/<task>/<attempt>.json        while running
<out>/           run.json index.json
                 <cell>/{results.parquet, steps.parquet, summary.json, certificate.json, trajectories/}
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from caia_replay.canonical import pretty_bytes, strict_json
from caia_replay.errors import BadInput
from caia_replay.store.seal import write_atomic

INDEX = "index.json"


class Journal:
    """Finished runs of one plan, each in its own file, so that a stop loses at most the runs in flight."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = out.with_name(out.name + ".partial")

    def start(self, plan_digest: str, *, resume: bool, replace: bool) -> None:
        """Make the journal ready.

        A finished ``out`` is ``BadInput`` unless ``replace``. An unfinished journal is continued with
        ``resume``, thrown away with ``replace``, and ``BadInput`` otherwise or when its plan differs.
        """
        if self.out.exists() and not replace:
            raise BadInput("a finished run is there", where=self.out, next_command="choose another --out")
        if self.path.exists() and resume:
            found = read_json(self.path / "plan.json").get("digest")
            if found != plan_digest:
                raise BadInput("the unfinished run there has another plan or world", where=self.path)
            return
        if resume and not self.out.exists():
            raise BadInput("there is nothing to resume", where=self.path, next_command="leave --resume out")
        if self.path.exists():
            if not replace:
                raise BadInput("an unfinished run is there", where=self.path, next_command="add --resume")
            shutil.rmtree(self.path)
        write_atomic(self.path / "plan.json", pretty_bytes({"digest": plan_digest}))

    def record_path(self, cell: str, task: str, attempt: int) -> Path:
        """Where one run's record is."""
        return self.path / cell / "trajectories" / task / f"{attempt}.json"

    def has(self, cell: str, task: str, attempt: int) -> bool:
        """Whether a run is finished."""
        return self.record_path(cell, task, attempt).is_file()

    def save(self, record: dict[str, Any], cell: str) -> None:
        """Keep a finished run; whole or not at all."""
        path = self.record_path(cell, record["task"], record["attempt"])
        write_atomic(path, pretty_bytes(record))

    def load(self, cell: str, task: str, attempt: int) -> dict[str, Any]:
        """A finished run's record."""
        return read_json(self.record_path(cell, task, attempt))

    def finish(self) -> None:
        """Turn the journal into the run folder; what was at ``out`` is replaced by one rename."""
        (self.path / "plan.json").unlink()
        old = self.out.with_name(self.out.name + ".old")
        shutil.rmtree(old, ignore_errors=True)
        if self.out.exists():
            self.out.rename(old)
        self.path.rename(self.out)
        shutil.rmtree(old, ignore_errors=True)


def open_index(run: Path) -> dict[str, Any]:
    """A finished run's index. Raises ``BadInput`` when ``run`` is no run folder."""
    if not (run / INDEX).is_file():
        unfinished = run.with_name(run.name + ".partial").is_dir()
        raise BadInput(
            "not a finished run folder",
            where=run,
            nearest=f"{run}.partial, which is unfinished" if unfinished else "",
            next_command="caia-replay replay --out DIR",
        )
    return read_json(run / INDEX)


def trajectory_files(cell: Path) -> Iterator[Path]:
    """A cell's trajectory files in path order."""
    yield from sorted((cell / "trajectories").glob("*/*.json"))


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a run folder. Raises ``BadInput`` naming the file."""
    try:
        content = strict_json(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise BadInput(f"cannot be read as JSON: {fault}", where=path) from fault
    if not isinstance(content, dict):
        raise BadInput("is no JSON object", where=path)
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object, sorted and atomic."""
    write_atomic(path, pretty_bytes(content))
