"""No file is too long to be read in one sitting."""

from __future__ import annotations

import warnings
from pathlib import Path

LIMIT = 400
WISH = 300


def test_no_file_is_over_the_limit(root: Path) -> None:
    """No Python file or script has over 400 lines; package files over 300 are named in a warning."""
    folders = ("caia_replay", "caia_worldgen", "benchmarks", "tests", "scripts")
    files = sorted(path for folder in folders for path in (root / folder).rglob("*") if path.is_file())
    lengths = {
        str(path.relative_to(root)): path.read_text("utf-8").count("\n")
        for path in files
        if path.suffix in {".py", ".sh"}
    }
    long = sorted(f"{name}: {lines} lines" for name, lines in lengths.items() if lines > WISH)
    if wished := [line for line in long if not line.startswith(("tests", "scripts"))]:
        warnings.warn(f"over {WISH} lines: {'; '.join(wished)}", stacklevel=1)
    over = [f"{name}: {lines} lines, limit {LIMIT}" for name, lines in sorted(lengths.items()) if lines > LIMIT]
    assert not over, "\n".join(over)
