"""A chain snapshot that was published beside a suite, put where the suite's world finds it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from caia_replay.errors import BadInput
from caia_replay.recording.published_file import CHAINS, FORM, Published
from caia_replay.store.plain_file import open_plain
from caia_replay.store.seal import MANIFEST, UNFINISHED, digest_file


def install_chain(found: Published, chain: str, target: Path) -> bool:
    """Copy the published files of ``chain`` to the folder ``target``; False when that is there already, and stays.

    Raises ``BadInput``, and leaves nothing, when a file is a link, is no plain file, or is not the one that was sealed.
    """
    if os.path.lexists(target):
        return False
    files = found.contents.chain_files[chain]
    if files.get(MANIFEST) != found.contents.chains[chain]:
        raise BadInput(f"the files of chain {chain} are not of the manifest that was sealed", where=found.folder / FORM)
    stage = target.with_name(f".{target.name}.{os.getpid()}{UNFINISHED}")
    try:
        stage.mkdir(parents=True)
        for name, digest in sorted(files.items()):
            _copy(found.folder, f"{CHAINS}/{chain}/{name}", stage / name)
            if digest_file(stage / name) != digest:
                raise BadInput("was changed since it was published", where=found.folder / CHAINS / chain / name)
        stage.rename(target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return True


def _copy(folder: Path, name: str, target: Path) -> None:
    path = folder / name
    if any(step.is_symlink() for step in (path, path.parent, path.parent.parent)):
        raise BadInput("is a link, or lies behind one", where=path)
    try:
        source = open_plain(path)
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from None
    with source, target.open("xb") as copy:
        shutil.copyfileobj(source, copy)
