"""A suite as an author of tasks edits it: suite.toml changed by one task, and a seal that tasks may differ from.

An entry is added or retired, the version raised, and what people wrote kept. Versions are MAJOR.MINOR.PATCH. Tasks that
come or go are a minor change: the results of the others stay comparable. A changed question, answer or gold chain of a
task that is there is a major one. Anything else is a patch. Tasks and suite.toml may differ from the world's seal,
recordings may not.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.errors import BadInput, SealBroken, nearest
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import SEAL, digest_files, manifest_digest, write_atomic

SUITE: Final = "suite.toml"
_VERSION: Final = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TASK_FILE: Final = re.compile(r"tasks/[^/]+/task\.toml")


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A world's suite.toml as it is now: its text and what it says."""

    path: Path
    text: str
    suite: Suite

    def write(self, after: Suite) -> None:
        """Put ``after`` in its place, whole or not at all."""
        write_atomic(self.path, edited(self.text, self.suite, after).encode())


def read_suite(world: Path) -> SuiteFile:
    """suite.toml of a world folder. Raises ``BadInput``."""
    path = world / SUITE
    suite = build(Suite, read_toml(path), path)
    return SuiteFile(path, read_plain(path).decode(), suite)


def is_day(text: str) -> bool:
    """Whether a text is an ISO day, YYYY-MM-DD, that the calendar has."""
    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def require_day(text: str, option: str) -> None:
    """Raise ``BadInput`` for what is no day."""
    if not is_day(text):
        raise BadInput(
            f"{text!r:.40} is no day", where=option, nearest="YYYY-MM-DD", next_command=f"{option} 2026-11-20"
        )


def entry_faults(entry: SuiteEntry | None, count: int) -> Iterator[str]:
    """What is wrong with a task's place in a suite that names it ``count`` times; None: it has none."""
    if entry is None:
        return
    if count > 1:
        yield f"is {count} times in suite.toml"
    for field, day in (("added", entry.added), ("retired", entry.retired)):
        if day is not None and not is_day(day):
            yield f"{field!r} in suite.toml is {day!r:.40}, no day; wanted: YYYY-MM-DD"
    if entry.retired is not None and entry.retired < entry.added:
        yield f"was retired on {entry.retired}, before it was added on {entry.added}"


def with_task(file: SuiteFile, task_id: str, added: str) -> Suite:
    """The suite with one task more, as its last, of the next minor version. Raises ``BadInput``."""
    require_day(added, "--added")
    if any(entry.id == task_id for entry in file.suite.entries):
        raise BadInput(f"task {task_id!r} is in the suite already", where=file.path)
    entries = (*file.suite.entries, SuiteEntry(task_id, added))
    return replace(file.suite, version=next_minor(file), entries=entries)


def without_task(file: SuiteFile, task_id: str, on: str) -> Suite:
    """The suite with one task retired, of the next minor version. Raises ``BadInput``."""
    require_day(on, "--on")
    entry = next((one for one in file.suite.entries if one.id == task_id), None)
    if entry is None:
        known = nearest(task_id, (one.id for one in file.suite.entries if one.retired is None))
        raise BadInput(f"no task {task_id!r} in suite {file.suite.id}", where=file.path, nearest=known)
    if entry.retired is not None:
        raise BadInput(f"task {task_id!r} was retired on {entry.retired}", where=file.path)
    if is_day(entry.added) and on < entry.added:
        raise BadInput(f"task {task_id!r} was added on {entry.added}, after {on}", where="--on", nearest=entry.added)
    entries = tuple(replace(one, retired=on) if one is entry else one for one in file.suite.entries)
    return replace(file.suite, version=next_minor(file), entries=entries)


def next_minor(file: SuiteFile) -> str:
    """The version after a task came or went. Raises ``BadInput`` for one that is no MAJOR.MINOR.PATCH."""
    found = _VERSION.fullmatch(file.suite.version)
    if found is None:
        what = f"version {file.suite.version!r:.40} is no MAJOR.MINOR.PATCH"
        raise BadInput(what, where=file.path, nearest="1.0.0", next_command="mend it, then the same command again")
    return f"{found[1]}.{int(found[2]) + 1}.0"


def edited(text: str, before: Suite, after: Suite) -> str:
    """``text``, which says ``before``, saying ``after``: comments and order are kept, only what differs is written.

    A file in a form of its own (entries as one list in brackets) is written anew, in the form of every other.
    """
    lines = text.splitlines(keepends=True)
    _put_version(lines, after.version)
    for at, entry in enumerate(after.entries):
        if at >= len(before.entries):
            _append(lines, entry)
        elif entry != before.entries[at]:
            _put_retired(lines, entry)
    found = "".join(lines)
    try:
        if thawed(build(Suite, tomllib.loads(found), SUITE)) == thawed(after):
            return found
    except (ValueError, BadInput):
        pass
    return toml_text(thawed(after))


def _put_version(lines: list[str], version: str) -> None:
    for at, line in enumerate(lines):
        if line.startswith("["):
            return
        lines[at] = re.sub(r"^(version\s*=\s*)(\"[^\"]*\"|'[^']*')", rf'\g<1>"{version}"', line)


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """Where each ``[[entries]]`` begins, and where what it says ends: blank lines and comments after it are not its."""
    heads = [at for at, line in enumerate(lines) if line.startswith("[")] + [len(lines)]
    found = []
    for head, end in pairwise(heads):
        if lines[head].split("#")[0].strip() == "[[entries]]":
            while not lines[end - 1].split("#")[0].strip():
                end -= 1
            found.append((head, end))
    return found


def _append(lines: list[str], entry: SuiteEntry) -> None:
    blocks = _blocks(lines)
    if blocks:
        end = blocks[-1][1]
        lines[end - 1] = lines[end - 1].rstrip("\r\n") + "\n"
        lines[end:end] = ["\n", *toml_text({"entries": [thawed(entry)]}).splitlines(keepends=True)]


def _put_retired(lines: list[str], entry: SuiteEntry) -> None:
    for head, end in _blocks(lines):
        if tomllib.loads("".join(lines[head:end]))["entries"][0].get("id") == entry.id:
            lines[end - 1] = lines[end - 1].rstrip("\r\n") + "\n"
            lines.insert(end, f'retired = "{entry.retired}"\n')
            return


def recording_faults(world: Path) -> Iterator[str]:
    """Sealed files that were changed or are gone, but for task.toml and suite.toml, which are what an author writes."""
    sealed = _sealed(world)
    if sealed is None:
        return
    present, mend = digest_files(world), f"next: git checkout -- {world}, or caia-replay lint --seal {world}"
    for name, digest in sealed["files"].items():
        if name not in present:
            retire = "; a task is retired, not removed" if _TASK_FILE.fullmatch(name) else ""
            yield f"{world / name}: sealed file is missing{retire}; {mend}"
        elif present[name] != digest and name != SUITE and not _TASK_FILE.fullmatch(name):
            yield f"{world / name}: file differs from its seal; {mend}"
    snapshots = world.resolve().parent.parent / "chain_snapshots"
    for chain, digest in sealed["chains"].items():
        if manifest_digest(snapshots, chain) != digest:
            yield f"{snapshots / chain}: not the snapshot that {world.name} was sealed with; {mend}"


def unmoved(world: Path, version: str) -> dict[str, list[str]]:
    """By task, that its sealed file changed while suite.toml, and so the version, did not. A seal tells no more."""
    sealed = (_sealed(world) or {"files": {}})["files"]
    present = digest_files(world)
    if SUITE not in sealed or present.get(SUITE) != sealed[SUITE]:
        return {}
    changed = [
        name for name in sealed if _TASK_FILE.fullmatch(name) and present.get(name, sealed[name]) != sealed[name]
    ]
    text = (
        f"differs from its seal, and the suite's version is still {version}; next: in suite.toml raise its first "
        "number for a changed question, answer or gold chain, its last for anything else"
    )
    return {name.split("/")[1]: [text] for name in changed}


def _sealed(world: Path) -> Mapping[str, Any] | None:
    """What seal.json lists; None where there is no seal."""
    path = world / SEAL
    if not path.exists():
        return None
    try:
        found = strict_json(read_plain(path))
        return {part: {str(name): str(digest) for name, digest in found[part].items()} for part in ("files", "chains")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        next_command = f"caia-replay lint --seal {world}"
        raise SealBroken("the seal itself was changed", where=path, next_command=next_command) from fault
