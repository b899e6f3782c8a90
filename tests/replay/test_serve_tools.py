"""``serve tools`` as a user meets it: its page run as it stands, a stop and a resume, a client that starts it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from caia_replay.store.run_folder import read_json
from tests.tool_door import begin, play

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "serve-tools.md"
BIN = Path(sys.executable).parent
ENV = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
TASK = "mini6-supply"


@contextmanager
def command(mini: Path, line: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A ``serve tools`` command as it runs, and its address; killed where the block leaves it running."""
    with subprocess.Popen(
        shlex.split(line), cwd=mini, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            told = ""
            while not (found := re.search(r"(http://[0-9.:]+)/sessions;", told)):
                told += process.stdout.readline() or pytest.fail(process.communicate()[1])
            yield process, found[1]
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.check
def test_the_page_plays_a_plan_to_its_end(mini: Path) -> None:
    """Every block of docs/serve-tools.md but the clients' files, in order; then the commands about what came of it."""
    pytest.importorskip("mcp")
    page = PAGE.read_text("utf-8")
    (_, start), *blocks = re.findall(r"^```(sh|python)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with command(mini, start.replace("8123", "0") + " --runs 2") as (process, url):
        for kind, block in blocks:
            call = ["bash", "-c"] if kind == "sh" else [sys.executable, "-c"]
            ran = subprocess.run(
                [*call, block.replace("http://127.0.0.1:8123", url)],
                cwd=mini, env=ENV, capture_output=True, text=True, timeout=600,
            )  # fmt: skip
            assert ran.returncode == 0 and "NORU" in ran.stdout and "base_fee_per_gas_wei" in ran.stdout, ran
        out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert re.search(r"majority right +100.0 % +100.0 %", out) and "external agent" in out, out
    for line in re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE):
        ran = subprocess.run(shlex.split(line), cwd=mini, env=ENV, capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, ran
    assert "not proven: who made the calls" in ran.stdout
    for block in re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        assert json.loads(block)["mcpServers"]["caia-replay"]


@pytest.mark.check
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_a_stopped_command_goes_on(mini: Path, number: signal.Signals) -> None:
    """One line that says what is kept, exit 3; --resume plays what was in flight, and the rest, and nothing twice."""
    line = f"caia-replay serve tools --suite mini-6 --task {TASK}"
    script = ((("block_query", "{}"),), "12 NORU")
    with command(mini, line) as (process, url):
        play(url, begin(url)["session"], script)
        begin(url)
        process.send_signal(number)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 3 and "1 finished run of 2 kept" in err and err.strip().endswith("--resume")
    with command(mini, f"{line} --resume") as (process, url):
        play(url, begin(url)["session"], script)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert read_json(mini / "runs" / "external-agent" / "index.json")["digest"]


def appears(file: Path) -> None:
    """Wait for a file that another process writes whole."""
    for _ in range(12_000):
        if file.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"{file} was never written")


@pytest.mark.check
def test_a_client_that_kills_the_command_leaves_a_whole_run_folder(mini: Path) -> None:
    """Clients wait two seconds after closing stdin: what the command started writes the runs all the same."""
    pytest.importorskip("mcp")
    options = ("--mcp", "stdio", "--suite", "mini-6", "--arm", "clean", "--task", TASK)
    command = [str(BIN / "caia-replay"), "serve", "tools", *options]
    with subprocess.Popen(command, cwd=mini, env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin and server.stdout
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        block = {"name": "block_query", "arguments": {"block": 1}}
        for number, (method, params) in enumerate((("initialize", hello), ("tools/call", block))):
            asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(asked).encode() + b"\n")
            server.stdin.flush()
            assert json.loads(server.stdout.readline())["id"] == number
        server.kill()
    appears(mini / "runs" / "external-agent" / "index.json")


@pytest.mark.check
def test_a_client_that_starts_the_command_plays_a_run_each_time(mini: Path) -> None:
    """Over stdin and stdout; the last one leaves the run folder, and a client that goes is client_gone."""
    pytest.importorskip("mcp")
    from mcp import Client, StdioServerParameters

    arguments = ["serve", "tools", "--mcp", "stdio", "--suite", "mini-6", "--task", TASK, "--name", "own"]
    server = StdioServerParameters(command=str(BIN / "caia-replay"), args=arguments, env=dict(ENV), cwd=mini)

    async def session(answers: bool) -> Any:
        async with Client(server) as client:
            await client.call_tool("block_query", {"block": 1})
            return (await client.call_tool("submit_answer", {"answer": "56039000"})).content if answers else None

    for answers in (True, False):
        asyncio.run(asyncio.wait_for(session(answers), 600))
    run = mini / "runs" / "external-own"
    appears(run / "index.json")  # the client may have killed the command before
    stops = [read_json(run / f"{arm}-tools" / "summary.json")["stops"] for arm in ("clean", "attacked")]
    assert stops == [{"answered": 1}, {"client_gone": 1}]
