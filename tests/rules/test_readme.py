"""Every command the README shows is one that works as written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from caia_replay.store.world_folder import open_world

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEAVY = {"setup", "test", "lint", "soak", "bench", "verify"}
"""Targets whose recipe is only expanded here: they set up, run this very test, or are steps of .ci/run."""


def commands(text: str) -> list[str]:
    """The lines of the README's sh blocks, comments left out."""
    lines = [line.split(" #")[0].strip() for block in BLOCK.findall(text) for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def split(line: str) -> tuple[dict[str, str], list[str]]:
    """``NAME=value`` words before the command as environment, and the command's words."""
    words = shlex.split(line)
    count = next((at for at, word in enumerate(words) if not re.match(r"[A-Z_]+=", word)), len(words))
    return dict(word.split("=", 1) for word in words[:count]), words[count:]


def expanded(root: Path, words: list[str]) -> list[str]:
    """The caia-replay command lines a make command would run; AssertionError when make refuses it."""
    run = subprocess.run(["make", "-s", "-n", *words[1:]], cwd=root, capture_output=True, text=True)
    assert run.returncode == 0, f"{shlex.join(words)}: {run.stderr}"
    return [line for line in run.stdout.splitlines() if shlex.split(line)[0].endswith("caia-replay")]


def shortened(words: list[str], place: Path, number: int) -> list[str]:
    """The same replay of one task, once; run folders lie in ``place``, those without a name by ``number``."""
    words = [str(place / word) if word.startswith("runs/") else word for word in words]
    if words[0] != "replay":
        return words
    task = open_world(words[words.index("--suite") + 1]).suite.active()[0]
    out = () if "--out" in words else ("--out", str(place / str(number)))
    return [*words, "--runs", "1", "--task", task, *out]


@pytest.mark.check
def test_every_command_of_the_readme_runs(root: Path, tmp_path: Path) -> None:
    """Each make line expands and each command behind it exits 0; a live model without its key exits 2 with one line."""
    # One test for all of them, so that parallel test workers do not repeat the work.
    keyless = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    faults: list[str] = []
    shown = commands((root / "README.md").read_text("utf-8"))
    for at, line in enumerate(shown):
        extra, words = split(line)
        if words[0] not in {"make", "caia-replay", ".venv/bin/caia-replay"}:
            faults.append(f"{line}: the README shows make and caia-replay commands alone")
            continue
        real = [words] if words[0] != "make" else [shlex.split(found) for found in expanded(root, words)]
        if words[0] == "make" and HEAVY & set(words[1:]):
            continue
        live = any(key.startswith("OPENAI_") for key in extra)
        for command in real:
            arguments = shortened(command[1:], tmp_path, at)
            call = [str(Path(sys.executable).with_name("caia-replay")), *arguments]
            run = subprocess.run(call, cwd=root, env=keyless, capture_output=True, text=True)
            if live and (run.returncode, run.stderr.count("\n")) != (2, 1):
                faults.append(f"{line}: without its key exit {run.returncode}, not 2 with one line:\n{run.stderr}")
            elif not live and run.returncode != 0:
                faults.append(f"{line}: exit {run.returncode}\n{run.stderr}")
    assert shown, "the README shows no command"
    assert not faults, "\n".join(faults)


def test_the_two_commands_are_shown(root: Path) -> None:
    """make replay and make test stand in the README by themselves, as a newcomer would type them."""
    assert {"make replay", "make test"} <= set(commands((root / "README.md").read_text("utf-8")))
