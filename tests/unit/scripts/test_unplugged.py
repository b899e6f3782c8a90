"""scripts/unplugged.sh with real network namespaces."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "unplugged.sh"
OUTWARD = "import socket; s = socket.socket(); s.settimeout(5); s.connect(('192.0.2.1', 443))"
INWARD = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname(), 5)"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", str(SCRIPT), *command], capture_output=True, text=True)


def test_loopback_works_and_nothing_else() -> None:
    """No other host has a route; exit code and arguments are the command's own; no command at all is refused."""
    try:
        subprocess.run(["unshare", "-rn", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"this machine gives no network namespaces: {fault}")
    assert run(sys.executable, "-c", INWARD).returncode == 0
    outward = run(sys.executable, "-c", OUTWARD)
    assert outward.returncode != 0 and "Network is unreachable" in outward.stderr
    assert run("sh", "-c", "exit 7").returncode == 7
    assert run("printf", "%s|", "a b", "'").stdout == "a b|'|"
    refused = run()
    assert refused.returncode == 2 and "scripts/unplugged.sh make replay" in refused.stderr
