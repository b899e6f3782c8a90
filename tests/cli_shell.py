"""The command line in this process, standing in a copy of the shipped world's root."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.cli import main
from caia_replay.store.world_folder import open_world


class Shell:
    """The command in this process: exit code, stdout and stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        shown = self._capsys.readouterr()
        return int(caught.value.code or 0), shown.out, shown.err


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], mini: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell standing in a copy of the shipped world's root, without any model's key."""
    monkeypatch.chdir(mini)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return Shell(capsys)


@pytest.fixture
def task(shipped: Path) -> str:
    """The first task's id."""
    return open_world(str(shipped)).suite.active()[0]
