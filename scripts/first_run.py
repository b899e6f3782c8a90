"""Writes into README.md what a bare ``make replay`` prints; with --check it only says whether that stands there.

The command's own words, but for what set-up says before it and blanks at the ends of lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?<=<!-- first-run: begin -->\n```text\n).*?(?=\n```\n<!-- first-run: end -->)", re.DOTALL)


def shown(output: str) -> str:
    """What the README shows of the command's output."""
    lines = [line.rstrip() for line in output.splitlines() if not line.startswith("setup:")]
    text = "\n".join(lines).strip("\n")
    return re.sub(r"\n{3,}", "\n\n", text)


def main(arguments: list[str]) -> int:
    """0 where README and command agree (after writing, they do), 1 where they do not."""
    named = ("MODEL", "SUITE", "TASKS", "TASK", "ARM", "CONDITION", "AGENT", "RUNS", "WORKERS", "OUT")
    bare = {name: value for name, value in os.environ.items() if name not in named}
    run = subprocess.run(["make", "replay"], cwd=ROOT, env=bare, capture_output=True, text=True)
    if run.returncode != 0:
        print(run.stderr, file=sys.stderr)
        return 1
    path = ROOT / "README.md"
    text, table = path.read_text("utf-8"), shown(run.stdout)
    found = BLOCK.search(text)
    if found is None:
        print("README.md has no block between first-run: begin and first-run: end", file=sys.stderr)
        return 1
    if arguments == ["--check"]:
        if found[0] != table:
            print(f"README.md shows another first run; next: python scripts/first_run.py\n{table}", file=sys.stderr)
        return int(found[0] != table)
    path.write_text(text[: found.start()] + table + text[found.end() :], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
