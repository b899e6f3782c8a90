"""Suites in this user's folder: added from a folder, a zip file or wheel, or an address; listed; removed.

Only sealed files are taken, and the copy is opened before it gets its place. A world that others stand on and those
worlds lie together, HOME/worlds/<name>/, each with the chains they need.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from typing import Final

from caia_replay.errors import BadInput, nearest
from caia_replay.home import HOME_VARIABLE, added_worlds, home, packaged_worlds, world_roots
from caia_replay.installation.download import download
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import SEAL, digest_files
from caia_replay.store.world_folder import WorldFolder, open_world

MOST_BYTES: Final = 8 << 30
"""Of what a file unpacks to."""
MOST_FILES: Final = 200_000
_PARTS: Final = ("cassettes", "chain_snapshots")
_BLOCK: Final = 1 << 20

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Listed:
    """One suite that commands find: where from, its digest and how many tasks it runs."""

    name: str
    source: str
    place: Path
    tasks: int
    digest: str


def add(source: str, digest: str, say: Say) -> list[Listed]:
    """Take every world of ``source`` in. ``digest`` is the SHA-256 that a file must have; an address needs one.

    Raises ``BadInput`` for what holds no world, for another digest, and for a name that is taken by another world.
    """
    digest = digest.removeprefix("sha256:").lower()
    with _unpacking() as (store, work):
        root = Path(source)
        if source.startswith(("http://", "https://")):
            root = download(source, digest, store.parent / "downloads", say)
        if root.is_file():
            _require_digest(root, digest)
            say(f"unpacking {root.name}")
            _unpack(root, work / "unpacked")
            root = work / "unpacked"
        found = _sealed_worlds(root)
        if not found:
            wanted = "a folder with cassettes/, one world's folder, a data wheel or a zip file of them"
            raise BadInput("no world is here", where=source, nearest=wanted, next_command="caia-replay worlds add PATH")
        taken = [one for group in _groups(found) for one in _take(group, store, work, say)]
    shutil.rmtree(store.parent / "downloads", ignore_errors=True)
    return taken


def listed(start: Path) -> Iterator[Listed]:
    """Every suite that is found from ``start``, the nearest of each name, seals checked."""
    seen = set[str]()
    added, packaged = added_worlds(), packaged_worlds()
    for root in world_roots(start):
        source = "added" if root in added else "packaged" if root in packaged else "here"
        for path in _worlds(root):
            if path.name not in seen:
                seen.add(path.name)
                yield _about(open_world(str(path)), source)


def remove(name: str) -> Path:
    """Remove a world that was added, and those that stand on it. Raises ``BadInput`` naming those there are."""
    holding = {path.name: root for root in added_worlds() for path in _worlds(root)}
    if name not in holding:
        known = nearest(name, holding) or ", ".join(sorted(holding)) or "none was added"
        raise BadInput(f"no added suite {name!r:.80}", nearest=known, next_command="caia-replay worlds list")
    shutil.rmtree(holding[name])
    return holding[name]


def _about(world: WorldFolder, source: str) -> Listed:
    return Listed(world.suite.id, source, world.path, len(world.suite.active()), world.seal.digest)


def _worlds(root: Path) -> list[Path]:
    return sorted(path.parent for path in (root / "cassettes").glob(f"*/{SEAL}"))


def _sealed_worlds(place: Path) -> list[WorldFolder]:
    """The world in a folder, or all below its cassettes/."""
    paths = [place] if (place / SEAL).is_file() else _worlds(place)
    return [open_world(str(path)) for path in paths]


def _groups(worlds: list[WorldFolder]) -> list[list[WorldFolder]]:
    """Each world that stands by itself, then those that stand on it."""
    alone = {world.info.id: [world] for world in worlds if world.base is None}
    for world in worlds:
        if world.base is not None:
            alone.setdefault(world.base.info.id, [world.base]).append(world)
    return list(alone.values())


def _take(group: list[WorldFolder], store: Path, work: Path, say: Say) -> list[Listed]:
    name, target = group[0].path.resolve().name, store / group[0].path.resolve().name
    if target.exists():
        here = {path.name: open_world(str(path)).seal.digest for path in _worlds(target)}
        if {world.path.resolve().name: world.seal.digest for world in group} == here:
            say(f"{name} is here already")
            return [_about(open_world(str(path)), "added") for path in _worlds(target)]
        raise BadInput(
            f"another {name} was added before", where=target, next_command=f"caia-replay worlds remove {name}"
        )
    for world in group:
        folder = world.path.resolve().name
        say(f"adding {folder}")
        for file in (SEAL, *world.seal.files):
            _copy(world.path / file, work / name / "cassettes" / folder / file)
        for chain in world.seal.chains:
            for file in digest_files(world.snapshots / chain):
                _copy(world.snapshots / chain / file, work / name / "chain_snapshots" / chain / file)
    for world in group:
        copied = open_world(str(work / name / "cassettes" / world.path.resolve().name))
        if copied.seal.digest != world.seal.digest:
            raise BadInput("changed while it was copied", where=world.path, next_command="the same command again")
    (work / name).rename(target)
    return [_about(open_world(str(path)), "added") for path in _worlds(target)]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(read_plain(source))


@contextmanager
def _unpacking() -> Iterator[tuple[Path, Path]]:
    """HOME/worlds, and a folder in it to work in."""
    place = home()
    if place is None:
        again = f"{HOME_VARIABLE}=/any/folder caia-replay worlds add PATH"
        raise BadInput("this user has no home folder", next_command=again)
    store = place / "worlds"
    store.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".adding-", dir=store) as work:
        yield store, Path(work)


def _require_digest(file: Path, digest: str) -> None:
    if not digest:
        return
    with file.open("rb") as stream:
        found = file_digest(stream, "sha256").hexdigest()
    if found != digest:
        raise BadInput(f"has the SHA-256 {found}, not {digest:.64}", where=file, next_command="another file")


def _unpack(file: Path, out: Path) -> None:
    """What a zip file holds below cassettes/ and chain_snapshots/, at its top or in one folder. Raises ``BadInput``."""
    left = MOST_BYTES
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist()[: MOST_FILES + 1]:
                parts = PurePosixPath(entry.filename).parts
                at = next((at for at, part in enumerate(parts[:2]) if part in _PARTS), None)
                if at is None or entry.is_dir():
                    continue
                if ".." in parts or any("\\" in part or ":" in part for part in parts):
                    raise BadInput(f"holds the path {entry.filename!r:.80}", where=file, next_command="another file")
                target = out.joinpath(*parts[at:])
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("xb") as written:
                    while block := source.read(_BLOCK):
                        left -= len(block)
                        if left < 0:
                            what = f"unpacks to more than {MOST_BYTES >> 30} GB"
                            raise BadInput(what, where=file, next_command="another file")
                        written.write(block)
            if len(archive.infolist()) > MOST_FILES:
                raise BadInput(f"holds more than {MOST_FILES} files", where=file, next_command="another file")
    except (zipfile.BadZipFile, NotImplementedError, EOFError, FileExistsError, RuntimeError) as fault:
        raise BadInput(f"is no zip file that can be read: {fault}", where=file, next_command="another file") from None
