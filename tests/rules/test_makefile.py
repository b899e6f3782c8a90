"""What the make targets pass on, read from make's own expansion."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

VARIABLES = ("MODEL", "SUITE", "TASKS", "ARM", "CONDITION", "AGENT", "RUNS", "WORKERS", "OUT")


def expansion(root: Path, *words: str) -> list[str]:
    """The last command make would run, in words, with no variable set from outside."""
    outside = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    run = subprocess.run(["make", "-s", "-n", *words], cwd=root, env=outside, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return shlex.split(run.stdout.splitlines()[-1])


def test_replay_without_variables(root: Path) -> None:
    """A bare make replay passes the documented defaults; folder, workers, agent and condition are the command's."""
    words = "replay --model policy/credulous --suite synthetic-178 --arm clean,attacked --runs 5"
    assert expansion(root, "replay")[1:] == shlex.split(words)


@pytest.mark.parametrize("tasks", ["one two", "one,two", "one, two"])
def test_replay_with_variables(root: Path, tasks: str) -> None:
    """Every variable arrives, TASKS split at spaces and commas, OUT with its spaces kept."""
    words = expansion(root, "replay", f"TASKS={tasks}", "OUT=a folder", "WORKERS=2", "MODEL=gpt-5")
    pairs = list(zip(words[2::2], words[3::2], strict=True))
    assert [value for option, value in pairs if option == "--task"] == ["one", "two"]
    assert {("--out", "a folder"), ("--workers", "2"), ("--model", "gpt-5")} <= set(pairs)


def test_a_person_plays_once(root: Path) -> None:
    """A person has one run of each task where a model has five; a draw arrives."""
    words = expansion(root, "replay", "MODEL=human/ana", "DRAW=tenth")
    assert words[-2:] == ["--runs", "1"] and words[words.index("--draw") + 1] == "tenth"


def test_every_target_sets_up_first(root: Path) -> None:
    """Each target but set-up itself depends on ready or everything, so that any is enough on a fresh machine."""
    text = (root / "Makefile").read_text("utf-8")
    rules = dict(re.findall(r"^([a-z]+):(.*)$", text, re.MULTILINE))
    assert set(rules) == set(re.findall(r"[a-z]+", re.findall(r"^\.PHONY:(.*)$", text, re.MULTILINE)[0]))
    assert {"everything", "ready", "setup"} == {name for name, needs in rules.items() if not needs.strip()}
    assert {needs.strip() for needs in rules.values()} == {"", "everything", "ready"}
    assert "test" in {name for name, needs in rules.items() if needs.strip() == "everything"}


def test_a_twin_is_built_from_a_seed(root: Path) -> None:
    """At full size, into a folder named after the seed unless another is given."""
    assert expansion(root, "world", "SEED=7")[1:] == shlex.split("world build --seed 7 --size full --out twins/7")
    assert expansion(root, "world", "SEED=7", "SIZE=small", "OUT=there")[-3:] == ["small", "--out", "there"]
