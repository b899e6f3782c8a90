"""Clients that other people wrote for node, installed once per checkout from a lock, and driven by a script."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import digest_bytes

_ROOT = Path(__file__).resolve().parents[1]
_FIXTURES = _ROOT / "tests" / "fixtures"
_STAMP = ".installed"


def installed(name: str = "npm_clients", wanted: Path | None = None, path: str | None = None) -> Path:
    """The folder with the node_modules of the lock in ``wanted``, or else in tests/fixtures/NAME.

    npm runs with the node that ``path``, a PATH, finds: it leaves out what does not run on that one.

    Skips where npm cannot give them, and fails there with REQUIRE_CLIENTS=1.
    """
    place = _ROOT / ".cache" / name
    place.mkdir(parents=True, exist_ok=True)
    held = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        problem = _install(wanted or _FIXTURES / name, place, path or os.environ["PATH"])
    finally:
        os.close(held)
    if problem and os.environ.get("REQUIRE_CLIENTS") == "1":
        pytest.fail(problem)
    if problem:
        pytest.skip(problem)
    return place


def driven(script: str, *arguments: str, folder: Path) -> Any:
    """What a module script prints as JSON; ``arguments`` are its ``process.argv`` from 2 on."""
    path = folder / f"drive-{digest_bytes(script.encode())[7:19]}.mjs"
    path.write_text(script, "utf-8")
    ran = subprocess.run(
        ["node", path.name, *arguments], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


def _install(wanted: Path, place: Path, path: str) -> str:
    """Why the clients are not there; empty when they are."""
    lock = (wanted / "package-lock.json").read_bytes()
    stamp = place / _STAMP
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        return "node and npm are not on the path"
    if stamp.exists() and stamp.read_text("utf-8") == digest_bytes(lock):
        return ""
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(wanted / name, place / name)
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    try:
        environment = {**os.environ, "PATH": path}
        ran = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
    except subprocess.TimeoutExpired:
        return "npm did not answer"
    if ran.returncode:
        return f"npm cannot install the test clients: {ran.stderr.strip()[-200:]}"
    stamp.write_text(digest_bytes(lock), "utf-8")
    return ""
