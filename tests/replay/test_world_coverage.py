"""The measures of what a world answers count what they say they count."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def measured(*arguments: str) -> list[str]:
    """The lines that the script prints of the small world."""
    script = str(PROJECT / "scripts" / "world_coverage.py")
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.check
def test_the_explorers_misses_are_all_told_by_reason() -> None:
    """The reasons' counts sum to the misses, the classes' to the calls; the share is theirs."""
    head, served, *reasons, judged = measured("explorer", "mini-6", "--calls", "1")
    counts = {name: int(count) for name, count in (one.split(" ") for one in served.split(", "))}
    calls = int(re.fullmatch(r"explorer: (\d+) calls at 6 moments of mini-6", head)[1])  # type: ignore[index]
    assert sum(counts.values()) == calls > 200
    assert sum(int(line.split()[0]) for line in reasons) == counts["MISS"] > 0
    assert judged == f"misses {100 * counts['MISS'] / calls:.2f} %; limit: at most 3 %: not reached"


@pytest.mark.check
def test_every_call_of_a_quick_start_is_told() -> None:
    """Of each client how many calls were served, each other one with its reason, and the share over all clients."""
    lines = measured("quick-starts", "mini-6")
    heads = [re.fullmatch(r"[a-z_-]+: (\d+) of (\d+) calls served", line) for line in lines]
    served, asked = (sum(int(found[at]) for found in heads if found) for at in (1, 2))
    assert len([line for line in lines if line.startswith("  ")]) == asked - served
    assert f"served {100 * served / asked:.2f} %; limit: at least 95 %: not reached" in lines


def test_size_counts_hosts_and_bytes() -> None:
    """Hosts of APIs and pages, the megabytes of world and chain and their sum, each beside its limit."""
    *parts, hosts, all_hosts, whole = measured("size", "mini-6")
    assert re.fullmatch(r"\d+ hosts of APIs, \d+ hosts of pages", hosts)
    assert all_hosts.endswith("limit: at least 400: not reached") and whole.endswith("at most 100 MB: reached")
    total = sum(float(part.split(": ")[1].removesuffix(" MB")) for part in parts)
    assert len(parts) == 2 and abs(total - float(whole.split(" ")[0])) < 0.11


def test_what_is_no_suite_is_refused() -> None:
    """One line and exit code 2."""
    script = str(PROJECT / "scripts" / "world_coverage.py")
    done = subprocess.run([sys.executable, script, "size", "nowhere"], capture_output=True, text=True, cwd=PROJECT)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
