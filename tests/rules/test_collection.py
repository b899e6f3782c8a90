"""What pytest collects is a function of the commit: every process and every worker sees the same list."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

SHORT = re.compile(r"[\x20-\x7e]{1,160}")
"""What stands in the brackets of a test's name."""


def start(root: Path, tests: Path, seed: int, folder: Path) -> subprocess.Popen[str]:
    """A process that lists what it collects, with a hash seed and a working folder of its own."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "soak or not soak", "--rootdir", str(root)]
    return subprocess.Popen(
        [*command, "-c", str(root / "pyproject.toml"), str(tests)],
        cwd=folder, env=os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def collected(root: Path, tests: Path, folder: Path) -> tuple[list[str], list[str]]:
    """The names of all tests as two processes list them, the second of which begins two seconds later."""
    first = start(root, tests, 1, root)
    time.sleep(2)
    second = start(root, tests, 2, folder)
    told = [[line for line in one.communicate()[0].splitlines() if "::" in line] for one in (first, second)]
    return told[0], told[1]


@pytest.mark.check
def test_every_process_collects_the_same_tests(root: Path, tmp_path: Path) -> None:
    """Other hash seeds, working folders and clocks: the same names in the same order, each short and printable."""
    first, second = collected(root, root / "tests", tmp_path)
    differing = [pair for pair in zip(first, second) if pair[0] != pair[1]]
    assert len(first) > 1_000 and (differing[:3], len(first)) == ([], len(second))
    long = [name for name in first if "[" in name and not SHORT.fullmatch(name[name.index("[") + 1 : -1])]
    assert not long, "\n".join(long[:20])
    assert len(set(first)) == len(first)


@pytest.mark.parametrize(
    "unsteady", ["str(__import__('time').time_ns())", "*{'one', 'two', 'six', 'ten'}", "str(__import__('os').getcwd())"]
)
@pytest.mark.check
def test_the_rule_sees_what_it_forbids(root: Path, tmp_path: Path, unsteady: str) -> None:
    """A clock, the order of a set or the working folder in a parameter makes the lists differ."""
    (tmp_path / "test_unsteady.py").write_text(
        f"import pytest\n@pytest.mark.parametrize('one', [{unsteady}])\ndef test_one(one): ...\n"
    )
    first, second = collected(root, tmp_path, tmp_path)
    assert first and first != second
