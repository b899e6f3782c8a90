"""Seals: every file of a world folder by digest, so that an edit nobody declared is seen.

``seal.json`` lists each file below its folder with its SHA-256, pins the manifest of each chain
snapshot the world stands on, and carries a digest of itself. Its bytes are a pure function of what
it lists, so that any one changed byte anywhere, in the seal too, is a ``SealBroken``.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caia_replay.canonical import digest, digest_bytes, pretty_bytes, strict_json
from caia_replay.errors import BadInput, SealBroken
from caia_replay.home import restore
from caia_replay.store.plain_file import folders_below, open_plain, read_plain

SEAL = "seal.json"
MANIFEST = "manifest.json"
"""A chain snapshot's own seal."""
SEAL_VERSION = 1
UNFINISHED = ".partial"
"""How the name of a file ends that is still being written; before it come a dot, the name and the process."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A checked seal. ``digest`` stands for every byte of the world and of its snapshots."""

    files: dict[str, str]
    chains: dict[str, str]
    digest: str

    @property
    def digest_without_overlays(self) -> str:
        """Stands for the world as it is when no campaign is applied; what a certificate covers in every arm."""
        files = {
            name: sealed
            for name, sealed in self.files.items()
            if not name.startswith("overlays/") and name != "targets.toml"
        }
        return digest({"files": files, "chains": self.chains})


def check_seal(folder: Path, snapshots: Path, recording: bool = False) -> Seal:
    """Compare every file with its seal. Raises ``SealBroken`` for the first difference in path order.

    ``snapshots`` is the folder that holds the chains; a chain's manifest must be the pinned one.
    ``recording`` leaves the chains out, which have seals of their own: whoever records one changes it.
    """
    next_command = f"caia-replay lint --seal {folder}"
    undo = "to undo: {}, to accept: " + next_command
    path = folder / SEAL
    try:
        data = read_plain(path)
    except FileNotFoundError:
        raise SealBroken("the world is not sealed", where=path, next_command=next_command) from None
    except OSError as fault:
        raise SealBroken(f"cannot be read: {fault.strerror}", where=path, next_command=next_command) from fault
    sealed = _parse(path, data, next_command)
    present = digest_files(folder)
    for name in sorted(present.keys() | sealed.files.keys()):
        if name not in sealed.files:
            raise SealBroken("file is not in the seal", where=folder / name, next_command=next_command)
        if name not in present:
            raise SealBroken("sealed file is missing", where=folder / name, next_command=restore(folder / name))
        if present[name] != sealed.files[name]:
            raise SealBroken(
                "file differs from its seal", where=folder / name, next_command=undo.format(restore(folder / name))
            )
    for chain, wanted in sealed.chains.items() if not recording else ():
        if manifest_digest(snapshots, chain) != wanted:
            raise SealBroken(
                f"not the snapshot that {folder.name} was sealed with",
                where=snapshots / chain / MANIFEST,
                next_command=next_command,
            )
    return sealed


def write_seal(folder: Path, snapshots: Path, chains: Iterable[str]) -> Seal:
    """Seal what is there now, atomically. Raises ``BadInput`` when a chain's manifest is missing."""
    body = {
        "version": SEAL_VERSION,
        "files": digest_files(folder),
        "chains": {chain: manifest_digest(snapshots, chain) for chain in sorted(chains)},
    }
    whole = digest(body)
    write_atomic(folder / SEAL, pretty_bytes({**body, "digest": whole}))
    return Seal(body["files"], body["chains"], whole)  # type: ignore[arg-type]


def digest_files(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below ``folder`` but the seal, by relative POSIX path, sorted.

    Links are refused: a sealed world may not reach outside its folder. Raises ``BadInput`` as ``folders_below``, too.
    """
    found: dict[str, str] = {}
    for root, folders, names in folders_below(folder):
        for name in (*names, *folders):
            path = root / name
            if path.is_symlink():
                raise BadInput("links are not allowed in a world", where=path)
        for name in names:
            path = root / name
            if path != folder / SEAL:
                found[path.relative_to(folder).as_posix()] = digest_file(path)
    return dict(sorted(found.items()))


def digest_file(path: Path) -> str:
    """SHA-256 of a plain file, read piece by piece. Raises ``BadInput`` when it is another kind or cannot be read.

    A pipe or a device in its place is not waited for.
    """
    try:
        with open_plain(path) as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from fault


def manifest_digest(snapshots: Path, chain: str) -> str:
    """SHA-256 of a snapshot's manifest bytes, which in turn name every table file's digest."""
    path = snapshots / chain / MANIFEST
    try:
        return digest_bytes(read_plain(path))
    except OSError as fault:
        message = "manifest of a chain this world stands on is missing: chain_snapshots/ belongs beside cassettes/"
        raise SealBroken(message, where=path, next_command=restore(path)) from fault


def write_atomic(path: Path, data: bytes) -> None:
    """Write to a temporary name beside ``path`` and rename: nobody ever reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as fault:
        temporary.unlink(missing_ok=True)
        raise OSError(fault.errno, fault.strerror, str(path)) from fault  # a full disk names no file by itself


def _parse(path: Path, data: bytes, next_command: str) -> Seal:
    try:
        content = strict_json(data)
        if content["version"] != SEAL_VERSION:
            raise SealBroken(f"seal version {content['version']!r}, wanted {SEAL_VERSION}", where=path)
        body = {key: value for key, value in content.items() if key != "digest"}
        if pretty_bytes(content) != data or content["digest"] != digest(body):
            raise SealBroken("the seal itself was changed", where=path, next_command=next_command)
        return Seal(dict(content["files"]), dict(content["chains"]), content["digest"])
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SealBroken("the seal itself was changed", where=path, next_command=next_command) from fault
