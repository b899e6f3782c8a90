"""The commands that record and import."""

from __future__ import annotations

from pathlib import Path

from tests.cli_shell import Shell


def test_import_prestate_builds_a_snapshot_once(shell: Shell, real_data: Path) -> None:
    """The real block becomes a snapshot that lints clean; a second import into it is refused."""
    source = real_data / "mainnet-22244135"
    code, out, err = shell("import", "prestate", source, "--out", "real")
    assert (code, err) == (0, "")
    assert "125" in out
    assert shell("lint", "real")[0] == 0
    code, _, err = shell("import", "prestate", source, "--out", "real")
    assert (code, err.count("\n")) == (2, 1)
