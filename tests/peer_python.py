"""The environments with programs of other people, each installed once per checkout from its own lock."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]


def peer_python(name: str) -> Path:
    """The interpreter of one, named as scripts/peers.sh does. Skips where pip cannot bring it; with REQUIRE_CLIENTS=1
    fails there."""
    place = _ROOT / ".cache"
    place.mkdir(exist_ok=True)
    held = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = subprocess.run(
            ["sh", "scripts/peers.sh", name], cwd=_ROOT, capture_output=True, text=True, timeout=600, check=False
        )
    finally:
        os.close(held)
    if ran.returncode and os.environ.get("REQUIRE_CLIENTS") == "1":
        pytest.fail(ran.stderr[-500:])
    if ran.returncode:
        pytest.skip(f"the peers cannot be installed: {ran.stderr.strip()[-200:]}")
    return _ROOT / ran.stdout.splitlines()[-1]


def brought_python(name: str) -> Path:
    """The same where it was brought before; elsewhere skips and says how, and with REQUIRE_CLIENTS=1 brings it."""
    if os.environ.get("REQUIRE_CLIENTS") != "1" and not (_ROOT / ".cache" / name / ".installed").is_file():
        pytest.skip(f"needs what this brings once: sh scripts/peers.sh {name}")
    return peer_python(name)
