"""Behaviour of finding the pinned Anvil."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.chain import anvil_binary
from caia_replay.errors import BadInput


def script(folder: Path, text: str) -> Path:
    """A program called anvil that prints ``text``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "anvil"
    path.write_text(f"#!/bin/sh\necho '{text}'\n")
    path.chmod(0o755)
    return path


def test_the_named_binary_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment variable beats PATH and node_modules."""
    named = script(tmp_path, f"anvil Version: {anvil_binary.ANVIL_VERSION}")
    monkeypatch.setenv(anvil_binary.ANVIL_VARIABLE, str(named))
    assert anvil_binary.find_anvil() == named


@pytest.mark.parametrize("text", ["anvil Version: 1.4.0", "something else", "anvil Version: 1.7.10"])
def test_a_named_binary_of_another_version_is_bad_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    """Behaviour changes between versions, so the wrong one is refused with the remedy."""
    monkeypatch.setenv(anvil_binary.ANVIL_VARIABLE, str(script(tmp_path, text)))
    with pytest.raises(BadInput, match=r"Anvil 1\.7\.1 is needed.*next: make setup"):
        anvil_binary.find_anvil()


def test_another_version_on_the_path_is_passed_by(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user's own Anvil does not hide the pinned one of the project."""
    monkeypatch.delenv(anvil_binary.ANVIL_VARIABLE, raising=False)
    expected = anvil_binary.find_anvil()
    monkeypatch.setenv("PATH", str(script(tmp_path, "anvil Version: 9.9.9").parent))
    found = anvil_binary.find_anvil()
    assert found != tmp_path / "anvil"
    assert found.name == expected.name


def test_a_named_binary_that_is_missing_is_bad_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A wrong path in the variable is told, not silently replaced."""
    monkeypatch.setenv(anvil_binary.ANVIL_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(BadInput, match="names no file"):
        anvil_binary.find_anvil()
