"""The committed artifacts against their sources, as far as no network is needed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compile_contracts", ROOT / "scripts" / "compile_contracts.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_source_has_its_artifact(script: ModuleType) -> None:
    """One artifact per contract, made by the pinned compiler, without a metadata trailer."""
    pinned = json.loads((script.CONTRACTS / "package.json").read_text())["dependencies"]["solc"]
    artifacts = {path.stem: json.loads(path.read_text()) for path in (script.CONTRACTS / "artifacts").glob("*.json")}
    assert set(artifacts) == {path.stem for path in script.CONTRACTS.glob("*.sol")}
    for found in artifacts.values():
        assert found["solc"].startswith(pinned + "+")
        assert "a264697066735822" not in found["deployed_bytecode"]


def test_compiling_again_gives_the_committed_bytes(script: ModuleType) -> None:
    """Where the tools are installed already, --check finds nothing."""
    modules = script.CACHE / "node_modules"
    if not (modules / "solc").is_dir():
        pytest.skip("needs scripts/compile_contracts.py to have fetched its tools once")
    built = script.artifacts(modules)
    assert script.differences(script.CONTRACTS / "artifacts", built) == []


def test_a_changed_missing_or_left_over_artifact_is_named(script: ModuleType, tmp_path: Path) -> None:
    """Each difference is one line with the command that repairs it."""
    (tmp_path / "A.json").write_bytes(b"1")
    (tmp_path / "Old.json").write_bytes(b"1")
    found = script.differences(tmp_path, {"A.json": b"2", "New.json": b"3"})
    assert [line.split(":")[0].split("/")[1] for line in found] == ["A.json", "New.json", "Old.json"]
    assert all("compile_contracts.py" in line for line in found)


def test_an_unknown_argument_is_refused(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """Anything but --check exits 2 and writes nothing."""
    assert script.main(["--force"]) == 2
    assert "--check" in capsys.readouterr().err


def test_missing_tools_are_told_in_one_line(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without npm the command says so and exits 2."""
    monkeypatch.setattr(script, "CACHE", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.main(["--check"]) == 2
    assert "npm" in capsys.readouterr().err
