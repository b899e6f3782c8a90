"""Recorded traffic made a tape: kept run by run while a replay goes on, then moved to its place, all of it or none."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import digest_bytes
from caia_replay.core.model import Price, RunKey
from caia_replay.core.tape import TapedTurn
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import UNFINISHED, write_atomic
from caia_replay.store.tape_file import MOST_BYTES, fitting, is_name, parse_run, run_path, tape_bytes
from caia_replay.store.tape_folder import (
    FOLDER,
    HEADER,
    RECORD,
    TapeFolder,
    TapeHeader,
    header_bytes,
    in_words,
    read_tape,
    run_order,
    tape_files,
)

_ASIDE: Final = ".old"


@dataclass(frozen=True, slots=True)
class TapeWriter:
    """Keeps runs in ``folder``, each in its own file, whole or not at all; several processes may share a folder."""

    folder: Path

    def keep(self, key: RunKey, turns: Sequence[TapedTurn]) -> None:
        """Keep one run, in place of what was kept of it before; of one too long for a file its first turns.

        Raises ``BadInput`` for a key that names no file.
        """
        write_atomic(self.folder / run_path(key), tape_bytes(key, fitting(key, turns)))


def require_room(
    name: str, root: Path, *, suite: str, model: str, runs: Collection[RunKey], tools: Sequence[str] = ()
) -> None:
    """Raise ``BadInput`` when ``runs`` could not be published as the tape ``name``; ask before they are paid for."""
    path = _place(name, root)
    for key in runs:
        run_path(key)
    if os.path.lexists(path):
        twice = sorted(runs & _of_same(path, suite, model, tools).runs.keys(), key=run_order)
        if twice:
            raise _twice(path, twice[0])


def publish(
    recorded: Path,
    name: str,
    root: Path,
    *,
    suite: str,
    model: str,
    price: Price | None,
    parameters: Mapping[str, Any] | None = None,
    tools: Sequence[str] = (),
    again: Collection[RunKey] = (),
    expected: Collection[RunKey] | None = None,
) -> Path:
    """Move the runs that a ``TapeWriter`` kept in ``recorded`` to model_tapes/``name`` below ``root``.

    They become a tape, or join the one of that name when it is of the same suite, model and tools and has none of them
    but those of ``again``, which were played once more and replace the first. Each run of ``expected`` must be kept or
    on that tape. All is there or nothing; what an earlier call was killed in is taken up. Raises ``BadInput`` else.
    """
    path = _place(name, root)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    with _held(root / FOLDER):
        _mend(path)
        old = _of_same(path, suite, model, tools) if os.path.lexists(path) else None
        there = old.runs if old else {}
        runs = dict(_finished(recorded))
        lost = sorted(set(expected or ()) - runs.keys() - there.keys(), key=run_order)
        if lost:
            raise BadInput(f"{len(lost)} runs were not kept: {in_words(lost[0])}", where=recorded, next_command=RECORD)
        twice = [key for key in runs if there.get(key, runs[key]) != runs[key] and key not in again]
        if twice:
            raise _twice(path, twice[0])
        if not runs:
            if old is None:
                raise BadInput("holds no run, and a tape without one is none", where=recorded, next_command=RECORD)
            shutil.rmtree(recorded, ignore_errors=True)
            return path
        if old is not None:  # what was kept first stands for all of a tape
            price, parameters = old.price or price, old.header.parameters
        header = TapeHeader(name, suite, model, price, {**there, **runs}, parameters, tuple(tools))
        stage = path.with_name(f".{name}.{os.getpid()}{UNFINISHED}")
        try:
            _fill(stage, recorded, runs)
            if old is not None:
                _fill(stage, path, old.runs)
            write_atomic(stage / HEADER, header_bytes(header))
            if old is not None:
                path.rename(path.with_name(f".{name}.{os.getpid()}{_ASIDE}"))
            stage.rename(path)
        finally:
            _mend(path)
    shutil.rmtree(recorded)
    return path


def _finished(recorded: Path) -> Iterator[tuple[RunKey, str]]:
    """The runs kept in ``recorded``, each with its file's digest."""
    for name in sorted(name for name in tape_files(recorded) if not name.rpartition("/")[2].startswith(".")):
        path = recorded / name
        try:
            data = read_plain(path, MOST_BYTES)
        except OSError as fault:
            raise BadInput(f"cannot be read: {fault.strerror}", where=path) from fault
        key, _ = parse_run(data, path)
        if run_path(key) != name:
            raise BadInput(f"is of another run: {in_words(key)}", where=path)
        yield key, digest_bytes(data)


def _fill(stage: Path, folder: Path, runs: Iterable[RunKey]) -> None:
    """Put the files of ``runs`` from ``folder`` into ``stage`` but for those there; links do, for none changes."""
    for name in map(run_path, runs):
        place = stage / name
        if place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(folder / name, place)
        except OSError:
            shutil.copyfile(folder / name, place)


def _mend(path: Path) -> None:
    """Clear away what a killed ``publish`` left, and put back the tape that it had set aside."""
    left = re.compile(rf"\.{re.escape(path.name)}\.[0-9]+(?:{re.escape(UNFINISHED)}|{re.escape(_ASIDE)})")
    for found in sorted(found for found in path.parent.iterdir() if left.fullmatch(found.name)):
        if found.name.endswith(_ASIDE) and not os.path.lexists(path):
            found.rename(path)
        else:
            shutil.rmtree(found)


def _of_same(path: Path, suite: str, model: str, tools: Sequence[str]) -> TapeFolder:
    tape = read_tape(path)
    header = tape.header
    told, wanted = ", ".join(header.tools) or "all", ", ".join(tools) or "all"
    for what, there, here in (("suite", header.suite, suite), ("model", header.model, model), ("tools", told, wanted)):
        if there != here:
            raise BadInput(f"the tape is of {what} {there!r}, not {here!r}", where=path, next_command="another name")
    return tape


def _place(name: str, root: Path) -> Path:
    if is_name(name):
        return root / FOLDER / name
    raise BadInput(f"{name!r:.90} cannot name a tape", nearest="A-Z, a-z, 0-9, dot, dash, underscore")


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold ``folder`` against other processes that publish into it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _twice(path: Path, key: RunKey) -> BadInput:
    return BadInput(f"the tape has that run already: {in_words(key)}", where=path, next_command="another name")
