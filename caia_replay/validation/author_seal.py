"""A world's seal as an author of tasks meets it: tasks and suite.toml may differ from it, recordings may not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.errors import SealBroken
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import SEAL, digest_files, manifest_digest
from caia_replay.validation.suite_edit import SUITE

_TASK_FILE: Final = re.compile(r"tasks/[^/]+/task\.toml")


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
