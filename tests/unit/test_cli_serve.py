"""The commands that serve a world."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
from click.testing import CliRunner

from caia_replay.cli import main
from caia_replay.store.world_folder import open_world


def test_the_gateway_serves_until_it_is_stopped_and_tells_what_it_served(mini: Path) -> None:
    """One address is printed; a stop ends it with exit code 0, the counts and each miss with its nearest recording."""
    task = open_world(str(mini / "cassettes" / "mini-6")).suite.active()[0]
    command = [sys.executable, "-c", "from caia_replay.cli import main; main()", "serve", "gateway", "--task", task]
    with subprocess.Popen(command, cwd=mini, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert url is not None
            with httpx2.Client(trust_env=False, timeout=30) as client:
                assert client.get(url[0]).json()["task"] == task
                assert client.get(f"{url[0]}/r.jina.ai/https://nowhere.example/").status_code == 501
            process.terminate()  # as Ctrl-C; but a job in the background may have been started deaf to that
            told, faults = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, faults
    assert "served: MISS 1" in told and "missed: GET https://r.jina.ai/https://nowhere.example/" in told


def test_a_port_that_is_taken_and_a_task_nobody_has_are_bad_input(mini: Path, monkeypatch: object) -> None:
    """One line and exit code 2."""
    monkeypatch.chdir(mini)  # type: ignore[attr-defined]
    task = open_world("mini-6").suite.active()[0]
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = str(held.getsockname()[1])
        taken = CliRunner().invoke(main, ["serve", "gateway", "--task", task, "--port", port])
    unknown = CliRunner().invoke(main, ["serve", "gateway", "--task", f"{task}-not"])
    assert (taken.exit_code, unknown.exit_code) == (2, 2)
    assert f"port {port} cannot be had" in taken.output and task in unknown.output
