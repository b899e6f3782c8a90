"""Anvil and the Python for WASI, installed by npm: the machine's own, or one that comes with a node from PyPI.

Everything is written beside its place and moved there whole, so a killed set-up leaves nothing that looks installed.
What was downloaded is kept in npm's cache until the next try.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from caia_replay.chain.anvil_binary import ANVIL_VERSION, find_anvil
from caia_replay.child_process import ChildProcess
from caia_replay.errors import BadInput, Interrupted
from caia_replay.home import HOME_VARIABLE, SETUP, checkout, home
from caia_replay.sandbox.module import find_python

WHAT: Final = f"Anvil {ANVIL_VERSION} and the Python for WASI"
_PINS: Final = Path(__file__).parent
_MOVED: Final = ("@foundry-rs", "@antonz")
"""What npm puts below node_modules/."""
_OLDEST_NODE: Final = 20
"""npm leaves the binary out, without a word, under a node older than its package asks for."""
_TELL_EVERY_S: Final = 4.0

Say = Callable[[str], None]


def found() -> tuple[Path, Path] | None:
    """Anvil and the Python for WASI, where both are the pinned ones; else None."""
    try:
        return find_anvil(), find_python()
    except BadInput:
        return None


def bring(say: Say) -> tuple[Path, Path]:
    """Install what is missing, and say every few seconds how far that is; where the two lie.

    Raises ``BadInput`` where npm and pip cannot bring them, and ``Interrupted`` when the user stops it.
    """
    if here := found():
        return here
    place = _place()
    with _alone(place):
        if here := found():  # another process brought them while this one waited
            return here
        work = place / ".setup"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            _install(work, place / "node_modules", say)
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted; next: {SETUP} goes on from here") from None
        finally:
            shutil.rmtree(work, ignore_errors=True)
    find_python()
    return find_anvil(), find_python()


def _place() -> Path:
    """The checkout, or HOME: the folder that gets node_modules/."""
    place = checkout() or home()
    if place is None:
        raise BadInput("this user has no home folder", next_command=f"{HOME_VARIABLE}=/any/folder {SETUP}")
    try:
        place.mkdir(parents=True, exist_ok=True)
        writable = os.access(place, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if not writable:
        raise BadInput("cannot be written", where=place, next_command=f"{HOME_VARIABLE}=/any/folder {SETUP}")
    return place


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """One set-up at a time in one place."""
    folder = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _install(work: Path, modules: Path, say: Say) -> None:
    npm, environment = _npm(work, say)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(_PINS / name, work / name)
    say(f"installing {WHAT} into {modules}")
    # Not npm ci: see docs/decisions/0001-one-lock-and-npm-install.md.
    options = ["install", "--no-save", "--include=optional", "--loglevel=error", "--no-audit", "--no-fund"]
    _run([*npm, *options], environment, work, "npm", say)
    modules.mkdir(exist_ok=True)
    for name in _MOVED:
        brought = work / "node_modules" / name
        if not brought.is_dir():
            raise BadInput(f"npm finished without {name}", next_command=SETUP)
        shutil.rmtree(modules / name, ignore_errors=True)
        brought.rename(modules / name)


def _npm(work: Path, say: Say) -> tuple[Sequence[str], Mapping[str, str]]:
    """How npm is called, and with which environment."""
    environment = dict(os.environ)
    if not environment.get("HOME"):
        environment["npm_config_cache"] = str(work.parent / ".npm")
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is not None and node is not None and _major(node) >= _OLDEST_NODE:
        return [npm], environment
    say(f"no npm with node {_OLDEST_NODE} or newer here: installing node from PyPI (used once, then removed)")
    wanted = ["--no-deps", "--require-hashes", "-r", str(_PINS / "requirements-node.lock")]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile"]
    _run([*pip, "--target", str(work / "node"), *wanted], environment, work, "pip", say)
    script = next((work / "node").glob("*/lib/node_modules/npm/bin/npm-cli.js"), None)
    binary = next((path for path in (work / "node").glob("*/bin/node*") if path.stem == "node"), None)
    if script is None or binary is None:
        raise BadInput("PyPI's node holds no npm", next_command=f"install node {_OLDEST_NODE} or newer, then {SETUP}")
    path = os.pathsep.join([str(binary.parent), environment.get("PATH", os.defpath)])
    return [str(binary), str(script)], {**environment, "PATH": path}


def _major(node: str) -> int:
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return 0
    told = re.match(r"v(\d+)\.", done.stdout)
    return int(told[1]) if told else 0


def _run(command: Sequence[str], environment: Mapping[str, str], work: Path, name: str, say: Say) -> None:
    """Run a command in ``work`` to its end. Raises ``BadInput`` with its last words where it fails."""
    begun = time.monotonic()
    words = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(work), *command]
    child = ChildProcess(words, environment, name)
    try:
        while not child.ended(_TELL_EVERY_S):
            say(f"  {time.monotonic() - begun:.0f} s, {_megabytes(work):.0f} MB so far")
        if child.exit_code != 0:
            advice = f"{SETUP} tries again; or put Anvil {ANVIL_VERSION} on PATH"
            raise BadInput(f"{name} could not install {WHAT}: {child.last_words()}", next_command=advice)
    finally:
        child.stop()


def _megabytes(folder: Path) -> float:
    """What lies in a folder that is being written to."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(Path(above, name)).st_size
            except OSError:  # npm renamed it just now
                continue
    return total / 1e6
