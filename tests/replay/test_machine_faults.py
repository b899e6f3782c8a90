"""A machine that fails under a replay: the right certificate, or none, and then the right one after all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.machine_faults import answered, certificate_of, played, replayed

pytestmark = pytest.mark.check


def require_namespaces() -> None:
    """Skip where this user may make no namespaces."""
    try:
        subprocess.run(["unshare", "-rm", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs Linux with user namespaces")


def test_a_broken_machine_certifies_nothing(mini: Path, tmp_path: Path) -> None:
    """Without loopback no node is heard: exit code 3 and no certificate; resumed on a sound machine, the right one."""
    require_namespaces()
    assert played("", mini, tmp_path / "whole").code == 0
    replayed("no loopback", mini, tmp_path / "broken", certificate_of(tmp_path / "whole" / "run"))


def test_a_broken_machine_proves_and_answers_nothing(mini: Path) -> None:
    """verify and call end with exit code 3 and one line where Anvil cannot run; no task counts as unsolvable."""
    require_namespaces()
    answered("no loopback", ("verify", "--suite", "mini-6"), mini)
    answered("no loopback", ("call", "block_query", "{}", "--task", "mini6-supply"), mini)
