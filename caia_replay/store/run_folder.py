"""Run folders: a journal of finished runs that becomes the run folder in one rename.

<out>.partial/   plan.json   <cell>/trajectories/<task>/<attempt>.json        while running
<out>/           run.json index.json arms.json
                 <cell>/{results.parquet, steps.parquet, summary.json, certificate.json, trajectories.zip}

A run is one file while it is a journal, since a rename is the one act that no crash leaves half done, on any file
system; whole, the runs of a cell are one file.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from caia_replay.canonical import canonical_bytes, pretty_bytes, strict_json
from caia_replay.core.trajectory import UNFINISHED_STOPS
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import read_plain, require_few_values
from caia_replay.store.seal import MANIFEST, SEAL, UNFINISHED, write_atomic
from caia_replay.store.trajectory_file import LOOSE, MOST_BYTES, MOST_VALUES, TRAJECTORIES, Trajectories

INDEX = "index.json"
RECORD_FIELDS = frozenset(
    ("task", "attempt", "steps", "stop", "answer", "score", "served", "tokens", "waited_s", "attack")
)
"""Without these a file in a journal is no finished run."""
PLAN = "plan.json"
AGAIN = "again.json"
HANDOVER_S = 2.0
"""How long a journal may stay held by the workers of a replay that was killed: they end when they notice."""


class Journal:
    """Finished runs of one plan, each in its own file, so that a stop loses at most the runs in flight."""

    def __init__(self, out: Path) -> None:
        if out.name in ("", ".."):
            raise BadInput("names no run folder of its own", where=out, next_command="--out DIR")
        # A rename would replace a link by the folder: go where it points.
        self.out = out.resolve() if out.is_symlink() else out
        self.path = self.out.with_name(self.out.name + ".partial")
        self._lock: int | None = None

    def start(self, plan_digest: str, *, resume: bool, replace: bool) -> None:
        """Make the journal ready, and hold it until ``finish``, ``release`` or this process's end.

        A finished ``out`` is ``BadInput`` unless ``replace``; an empty folder is no run. An unfinished journal that
        holds a finished run is continued with ``resume`` and ``BadInput`` without, when its plan differs or when
        another process holds it: what was played, and paid for, is never thrown away unasked. A run folder that
        was left ``resumable`` is continued in the same way. Runs whose end another try need not have are played again.
        """
        reopened = self.check(replace=replace, resume=resume)
        if reopened:
            _require_plan(self.out, plan_digest)
            self.out.rename(self.path)
        if resume and not self.path.exists():
            raise BadInput("there is nothing to resume", where=self.path, next_command="leave --resume out")
        self.path.mkdir(parents=True, exist_ok=True)
        self._hold()
        kept = list(self.path.iterdir())
        if kept and resume:
            _require_plan(self.path, plan_digest)
            for half_written in self.path.rglob(f".*{UNFINISHED}"):  # by whatever was killed while it wrote
                half_written.unlink()
            (self.path / INDEX).unlink(missing_ok=True)
            self._unpack()
            broken = [path for path in self._records() if _stop_of(path) in UNFINISHED_STOPS]
            if reopened:  # kept on disk: this process may be stopped before they are finished
                names = sorted(path.relative_to(self.path).as_posix() for path in broken)
                write_atomic(self.path / AGAIN, pretty_bytes({"again": names}))
            for path in broken:
                path.unlink()
            return
        if any(self._records()):
            self.release()
            again = f"go on with --resume (make: RESUME=1), or rm -r {self.path}"
            raise BadInput("an unfinished run is there", where=self.path, next_command=again)
        for path in kept:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        write_atomic(self.path / PLAN, pretty_bytes({"digest": plan_digest}))

    @property
    def lock_fd(self) -> int:
        """The file descriptor of the journal's lock, after ``start()``; a child that inherits it keeps the lock."""
        assert self._lock is not None, "start() first"
        return self._lock

    def release(self) -> None:
        """Let another process have the journal."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def check(self, *, replace: bool, resume: bool) -> bool:
        """Whether a finished folder is to be gone on with. Raises ``BadInput`` for an ``out`` that cannot be used."""
        reopened = resume and not self.path.exists() and is_run(self.out) and (self.out / PLAN).is_file()
        self._check_out(replace or reopened)
        return reopened

    def _check_out(self, replace: bool) -> None:
        for folder in self.out.resolve().parents:
            if any((folder / name).is_file() for name in (SEAL, MANIFEST)):
                raise BadInput(f"lies inside {folder}, which is sealed", where=self.out, next_command="another --out")
        if is_run(self.out):
            if not replace:
                raise BadInput("a finished run is there", where=self.out, next_command="choose another --out")
        elif self.out.exists() and not (self.out.is_dir() and not any(self.out.iterdir())):
            raise BadInput("what is there is no run folder", where=self.out, next_command="choose another --out")

    def _hold(self) -> None:
        """Lock the folder itself: the lock goes with it through the rename, and with the processes that die."""
        patience = time.monotonic() + HANDOVER_S
        while not self._held():
            if time.monotonic() > patience:
                raise BadInput("another replay is writing there", where=self.path, next_command="choose another --out")
            time.sleep(0.02)

    def _held(self) -> bool:
        try:
            self._lock = os.open(self.path, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = os.fstat(self._lock).st_ino == self.path.stat().st_ino
        except (BlockingIOError, FileNotFoundError):
            mine = False
        if not mine:
            self.release()
        return mine

    def record_path(self, cell: str, task: str, attempt: int) -> Path:
        """Where one run's record is."""
        return self.path / cell / LOOSE / task / f"{attempt}.json"

    def _records(self) -> Iterator[Path]:
        return self.path.glob(f"*/{LOOSE}/*/*.json")

    def _unpack(self) -> None:
        """Put every run that a finished folder has in one file into a file of its own again."""
        for packed in sorted(self.path.glob(f"*/{TRAJECTORIES}")):
            with Trajectories(packed.parent) as found:
                for name, data in found:
                    target = packed.parent / LOOSE / name
                    if target.parent.parent != packed.parent / LOOSE or ".." in target.parts:
                        raise BadInput("is no run's name", where=packed / name, next_command="remove it")
                    write_atomic(target, data)
            packed.unlink()

    def is_again(self, cell: str, task: str, attempt: int) -> bool:
        """Whether a run was in a run folder already, and is played once more because of how it ended there."""
        if not (self.path / AGAIN).is_file():
            return False
        place = self.record_path(cell, task, attempt).relative_to(self.path).as_posix()
        return place in read_json(self.path / AGAIN).get("again", ())

    def has(self, cell: str, task: str, attempt: int) -> bool:
        """Whether a run is finished."""
        return self.record_path(cell, task, attempt).is_file()

    def save(self, record: dict[str, Any], cell: str) -> None:
        """Keep a finished run; whole or not at all."""
        path = self.record_path(cell, record["task"], record["attempt"])
        write_atomic(path, canonical_bytes(record))

    def load(self, cell: str, task: str, attempt: int) -> dict[str, Any]:
        """A finished run's record. Raises ``BadInput`` when the file is not that run's."""
        path = self.record_path(cell, task, attempt)
        record = read_json(path)
        if not record.keys() >= RECORD_FIELDS or (record["task"], record["attempt"]) != (task, attempt):
            raise BadInput("is not the record of this run", where=path, next_command="remove it, then add --resume")
        return record

    def finish(self, *, resumable: bool = False) -> None:
        """Turn the journal into the run folder; what was at ``out`` steps aside until the new one stands there.

        A ``resumable`` one keeps its plan, so that runs it holds can be played again.
        """
        (self.path / AGAIN).unlink(missing_ok=True)
        for loose in self.path.glob(f"*/{LOOSE}"):
            if (loose.parent / TRAJECTORIES).exists():
                shutil.rmtree(loose)
        old = self.out.with_name(f".{self.out.name}.{os.getpid()}.old")
        if self.out.exists():
            self.out.rename(old)
        self.path.rename(self.out)
        if not resumable:
            (self.out / PLAN).unlink()  # not before the rename: without its plan a journal cannot be resumed
        self.release()
        if old.exists():
            shutil.rmtree(old)


def _require_plan(folder: Path, plan_digest: str) -> None:
    if read_json(folder / PLAN).get("digest") != plan_digest:
        raise BadInput(
            "the unfinished run there has another plan or world",
            where=folder,
            next_command="repeat the options it was started with, or choose another --out",
        )


def _stop_of(record: Path) -> Any:
    """Why a run stopped; None where the file does not say: ``load`` will refuse it."""
    try:
        return read_json(record).get("stop")
    except BadInput:
        return None


def is_run(path: Path) -> bool:
    """Whether a finished run is at ``path``."""
    return (path / INDEX).is_file()


def open_index(run: Path) -> dict[str, Any]:
    """A finished run's index. Raises ``BadInput`` when ``run`` is no run folder."""
    if not is_run(run):
        unfinished = run.with_name(run.name + ".partial").is_dir()
        begun = unfinished or (run.name.endswith(".partial") and (run / PLAN).is_file())
        raise BadInput(
            "not a finished run folder",
            where=run,
            nearest=f"{run}.partial, which is unfinished" if unfinished else "",
            next_command="the command it was begun with, and --resume" if begun else "caia-replay replay --out DIR",
        )
    return read_json(run / INDEX)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a run folder. Raises ``BadInput`` naming the file; a pipe in its place is not waited for."""
    try:
        data = read_plain(path, MOST_BYTES)
        require_few_values(data, MOST_VALUES)
        content = strict_json(data)
    except (OSError, ValueError) as fault:
        raise BadInput(f"cannot be read as JSON: {fault}", where=path) from fault
    if not isinstance(content, dict):
        raise BadInput("is no JSON object", where=path)
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object, sorted and atomic."""
    write_atomic(path, pretty_bytes(content))
