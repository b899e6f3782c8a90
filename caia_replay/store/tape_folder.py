"""Model tapes on disk: what a model's endpoint answered, run by run, found by name from the current folder.

model_tapes/<name>/  tape.json   <agent>/<arm>-<condition>/<task>/<attempt>.json

tape.json says which model was recorded on which suite, and carries a digest of every run file and one of itself. Run
files are read when they are asked for, and held against their digest then.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import digest, digest_bytes, pretty_bytes, strict_json
from caia_replay.core.model import Price, RunKey
from caia_replay.core.tape import TapedTurn
from caia_replay.errors import BadInput, SealBroken, nearest
from caia_replay.home import world_roots
from caia_replay.store.ledger import require_dollars
from caia_replay.store.plain import build, thawed
from caia_replay.store.plain_file import folders_below, read_plain, require_few_values
from caia_replay.store.tape_file import MOST_BYTES, MOST_VALUES, is_name, parse_run, run_path

HEADER: Final = "tape.json"
TAPE_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class TapeHeader:
    """A tape without its run files: ``model`` is the label of what was recorded, ``price`` what its tokens cost.

    ``parameters`` are what its requests held besides the conversation, None on tapes of before that was kept.
    ``runs`` holds the digest of each run's file, in the order of ``run_order``. ``tools`` are those that were offered
    where they were fewer than all.
    """

    name: str
    suite: str
    model: str
    price: Price | None
    runs: Mapping[RunKey, str]
    parameters: Mapping[str, Any] | None = None
    tools: tuple[str, ...] = ()


def header_bytes(header: TapeHeader) -> bytes:
    """The file's bytes: a pure function of the header."""
    body: dict[str, Any] = {
        "version": TAPE_VERSION,
        "name": header.name,
        "suite": header.suite,
        "model": header.model,
        "price": None if header.price is None else asdict(header.price),
        "runs": [{**asdict(key), "digest": header.runs[key]} for key in sorted(header.runs, key=run_order)],
        **({} if header.parameters is None else {"parameters": thawed(header.parameters)}),
        **({"tools": list(header.tools)} if header.tools else {}),
    }
    return pretty_bytes({**body, "digest": digest(body)})


def read_header(path: Path) -> TapeHeader:
    """A tape's header. Raises ``SealBroken`` when it is not as it was written, ``BadInput`` when it is no tape's."""
    value = restore(path, path.parent)
    try:
        data = read_plain(path)
        require_few_values(data, MOST_VALUES)
        content = strict_json(data)
        version, sealed = content["version"], content.pop("digest")
    except OSError as fault:
        raise SealBroken(f"cannot be read: {fault.strerror}", where=path, next_command=value) from fault
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SealBroken(f"is no tape's: {fault}", where=path, next_command=value) from fault
    if type(version) is not int or version != TAPE_VERSION:
        raise BadInput(f"tape version {version!r:.40}, wanted {TAPE_VERSION}", where=path)
    if sealed != digest(content) or pretty_bytes({**content, "digest": sealed}) != data:
        raise SealBroken("differs from what was recorded", where=path, next_command=value)
    written = build(_Written, content, path)
    runs = {RunKey(run.task, run.arm, run.condition, run.agent, run.attempt): run.digest for run in written.runs}
    if list(runs) != sorted(runs, key=run_order) or len(runs) != len(written.runs):
        raise BadInput("runs are not in order, or listed twice", where=path)
    require_dollars(written.price, path)
    told = (written.price, runs, written.parameters, written.tools)
    return TapeHeader(written.name, written.suite, written.model, *told)


@dataclass(frozen=True, slots=True)
class _Run(RunKey):
    digest: str


@dataclass(frozen=True, slots=True)
class _Written:
    version: int
    name: str
    suite: str
    model: str
    price: Price | None
    runs: tuple[_Run, ...]
    parameters: Mapping[str, Any] | None = None
    tools: tuple[str, ...] = ()


def run_order(key: RunKey) -> tuple[str, str, str, str, int]:
    """How runs are listed: as their files lie."""
    return key.agent, key.arm, key.condition, key.task, key.attempt


def restore(file: Path, tape: Path) -> str:
    """What to do about a ``file`` of ``tape`` that is not as it was recorded; nothing can be recorded onto it."""
    return f"put {file} back as it was shared, or rm -r {shlex.quote(str(tape))} and record it again"


FOLDER: Final = "model_tapes"

RECORD: Final = "caia-replay replay --model MODEL --record-model NAME"


@dataclass(frozen=True, slots=True)
class TapeFolder:
    """An opened tape."""

    path: Path
    header: TapeHeader

    @property
    def runs(self) -> Mapping[RunKey, str]:
        """The recorded runs in order, each with its file's digest."""
        return self.header.runs

    @property
    def price(self) -> Price | None:
        """What the recorded model's tokens cost, where that was known."""
        return self.header.price

    @property
    def identity(self) -> Mapping[str, Any]:
        """The recorded model's name and parameters, as certificates cover them."""
        return {"name": self.header.model, "parameters": thawed(self.header.parameters)}

    def turns(self, key: RunKey) -> Sequence[TapedTurn] | None:
        """Every turn of one run, in order; None when the run was never recorded.

        Raises ``SealBroken`` when the run's file is not as it was recorded, ``BadInput`` when it is no run's.
        """
        if key not in self.runs:
            return None
        path = self.path / run_path(key)
        found, turns = parse_run(_read(self.path, run_path(key), self.runs[key]), path)
        if found != key:
            raise BadInput("is another run, by its metadata", where=path)
        return turns

    def nearest(self, key: RunKey) -> str:
        """The recorded run most like ``key``, in words; empty when there is none."""
        if not self.runs:
            return ""
        task = nearest(key.task, {run.task for run in self.runs})
        best = max(
            sorted(self.runs, key=run_order, reverse=True),
            key=lambda run: (
                run.task == key.task,
                run.task == task,
                run.agent == key.agent,
                run.condition == key.condition,
                run.arm == key.arm,
                -abs(run.attempt - key.attempt),
            ),
        )
        return in_words(best)


def in_words(key: RunKey) -> str:
    """A run as messages name it."""
    return f"task {key.task}, arm {key.arm}, condition {key.condition}, agent {key.agent}, attempt {key.attempt}"


def open_tape(name: str, start: Path) -> TapeFolder:
    """The tape ``name`` in model_tapes/, here or above ``start`` or installed; its listing checked, no run read yet.

    Raises ``BadInput`` for a name that is no tape's, and ``SealBroken`` naming the first file missing or not listed.
    """
    known: list[str] = []
    for folder in world_roots(start):
        tapes = folder / FOLDER
        if is_name(name) and os.path.lexists(tapes / name):
            return read_tape(tapes / name)
        known += [found.name for found in sorted(tapes.glob("*")) if is_name(found.name)]
    raise BadInput(
        f"no model tape {name!r:.90}",
        where=start / FOLDER,
        nearest=nearest(name, known) or ", ".join(known) or "none here",
        next_command=RECORD,
    )


def read_tape(path: Path) -> TapeFolder:
    """The tape in the folder ``path``. Raises as ``open_tape``."""
    if path.is_symlink() or not path.is_dir():
        raise BadInput("is a link or no folder, and no tape", where=path, next_command=RECORD)
    header = read_header(path / HEADER)
    if header.name != path.name:
        what = f"the tape is named {header.name!r}, its folder {path.name!r}"
        raise BadInput(what, where=path / HEADER, next_command=f"mv {path} {path.with_name(header.name)}")
    try:
        files = {run_path(key) for key in header.runs}
    except BadInput as fault:
        raise BadInput(fault.what, where=path / HEADER) from None
    present = set(tape_files(path)) - {HEADER}
    for name in sorted(present ^ files):
        file = path / name
        if name in files:
            raise SealBroken("a run file is missing", where=file, next_command=restore(file, path))
        wrong = "the file is not listed in tape.json"
        raise SealBroken(wrong, where=file, next_command=f"rm {shlex.quote(str(file))}")
    return TapeFolder(path, header)


def tape_names(start: Path) -> list[str]:
    """The tapes that can be named from the folder ``start``: those below it, and those below the folders above it."""
    places = (folder / FOLDER for folder in (start, *start.parents))
    found = {header.parent.name for place in places for header in place.glob(f"*/{HEADER}")}
    return sorted(name for name in found if is_name(name))


def tape_about(name: str, start: Path) -> str:
    """What a tape holds, in a line: its model, suite, agents, cells, tasks and attempts; or why it cannot be read."""
    try:
        header = open_tape(name, start).header
    except BadInput as fault:
        return f"cannot be read: {fault.what}"
    agents, cells = ({each(run) for run in header.runs} for each in (_agent, _cell))
    tasks, attempts = {run.task for run in header.runs}, max((run.attempt for run in header.runs), default=0)
    whose = f"{header.model} on {header.suite} with {', '.join(sorted(agents))}"
    return f"{whose}: {', '.join(sorted(cells))}; {len(tasks)} tasks, up to {attempts} runs of each"


def _agent(run: RunKey) -> str:
    return run.agent


def _cell(run: RunKey) -> str:
    return f"{run.arm}-{run.condition}"


def tape_files(folder: Path) -> Iterator[str]:
    """Every file below ``folder`` by relative path. Links are refused: a tape may not reach outside its folder."""
    for root, folders, names in folders_below(folder):
        for name in sorted((*names, *folders)):
            if (root / name).is_symlink():
                raise BadInput("links are not allowed in a tape", where=root / name)
        yield from ((root / name).relative_to(folder).as_posix() for name in names)


def _read(tape: Path, name: str, wanted: str) -> bytes:
    path, told = tape / name, restore(tape / name, tape)
    try:
        data = read_plain(path, MOST_BYTES)
    except OSError as fault:
        raise SealBroken(f"cannot be read: {fault.strerror}", where=path, next_command=told) from fault
    if digest_bytes(data) != wanted:
        raise SealBroken("differs from what was recorded", where=path, next_command=told)
    return data
