"""A copy of the shipped world to make hostile, something outside of it to guard, and commands run under bounds."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from caia_replay.store.seal import write_seal

TASK = "mini6-base-fee-bound"
CANARY = "OUTSIDE-CANARY-51b9"
SERVER = Path(__file__).with_name("command_server.py")


@dataclass(frozen=True)
class Done:
    """A command's end: exit code, negative for a signal, and what it wrote."""

    code: int
    out: str
    errors: str


@dataclass(frozen=True)
class Ground:
    """``root`` is what the stranger sent: a world, its snapshot. ``outside`` is none of its business."""

    root: Path
    outside: Path

    @property
    def world(self) -> Path:
        return self.root / "cassettes" / "mini-6"

    @property
    def own(self) -> Path:
        """A task's own cassette."""
        return self.world / "tasks" / TASK / "http.json"

    def seal(self) -> None:
        """What a stranger can always do: seal what they made."""
        write_seal(self.world, self.root / "chain_snapshots", ["mini"])

    def files(self) -> dict[str, bytes]:
        """Every plain file in sight but indexes, with its bytes."""
        return {
            str(path): path.read_bytes()
            for folder in (self.root, self.outside)
            for path in sorted(folder.rglob("*"))
            if not path.is_symlink() and path.is_file() and ".cache" not in path.parts
        }


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a command line in a folder, under a bound on memory and a distant one on time."""
    place = tmp_path_factory.mktemp("server")
    out, errors = place / "out", place / "errors"
    with subprocess.Popen([sys.executable, str(SERVER)], stdin=-1, stdout=-1, text=True, bufsize=1) as process:
        assert process.stdin is not None and process.stdout is not None

        def run(folder: Path, *arguments: object) -> Done:
            order = {"arguments": [*map(str, arguments)], "folder": str(folder), "out": str(out), "errors": str(errors)}
            process.stdin.write(json.dumps(order) + "\n")  # type: ignore[union-attr]
            code = json.loads(process.stdout.readline())  # type: ignore[union-attr]
            return Done(code, *(path.read_bytes().decode("utf-8", "replace") for path in (out, errors)))

        yield run
        process.stdin.close()


@pytest.fixture
def ground(tmp_path: Path, shipped: Path) -> Ground:
    """A fresh copy of the shipped world below its root, and a folder outside."""
    root, outside = tmp_path / "sent", tmp_path / "outside"
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(shipped.parents[1] / name, root / name)
    outside.mkdir()
    (outside / "private.json").write_text(json.dumps({"version": 1, "interactions": [], "canary": CANARY}))
    return Ground(root, outside)
