"""The peer's side, which only its own interpreter can run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from caia_replay.bench import inspect_sample
from tests.peer_python import peer_python


def test_a_sample_prints_its_milliseconds(tmp_path: Path) -> None:
    """One figure on stdout; its own log says that the samples ran, which the script itself demands."""
    command = [str(peer_python()), "-P", str(inspect_sample.__file__), "1", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert float(ran.stdout.split()[-1]) > 0
    assert list(tmp_path.glob("*.eval"))
