"""A machine that fails under a replay: the right certificate, or none, and then the right one after all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.machine_faults import answered, replayed

pytestmark = pytest.mark.check


def require_namespaces() -> None:
    """Skip where this user may make no namespaces."""
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs Linux with user namespaces")


@pytest.mark.parametrize("fault", ["no loopback", "few files", "anvil killed"])
def test_a_broken_machine_certifies_nothing(mini: Path, tmp_path: Path, fault: str) -> None:
    """Exit code 3 or 2 and no certificate, and what it left is played again to the right one; or that at once."""
    require_namespaces()
    replayed(fault, mini / "cassettes" / "mini-6", tmp_path)


def test_a_broken_machine_proves_and_answers_nothing(mini: Path) -> None:
    """verify and call end with exit code 3 and one line where Anvil cannot run; no task counts as unsolvable."""
    require_namespaces()
    answered("no loopback", ("verify", "--suite", "mini-6"), mini)
    answered("no loopback", ("call", "block_query", "{}", "--task", "mini6-supply"), mini)
