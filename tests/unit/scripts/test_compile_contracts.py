"""The committed artifacts against their sources, as far as no network is needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from caia_worldgen.artifact import artifact_names, load_artifact


@pytest.fixture(scope="module")
def script(loaded: Callable[[str], ModuleType]) -> ModuleType:
    return loaded("compile_contracts")


def artifacts(script: ModuleType) -> dict[str, dict[str, object]]:
    return {path.stem: json.loads(path.read_text()) for path in (script.CONTRACTS / "artifacts").glob("*.json")}


def test_every_contract_has_its_artifact(script: ModuleType) -> None:
    """One artifact per source of ours and per entry of the catalog; ours by the pinned compiler, without metadata."""
    pinned = json.loads((script.CONTRACTS / "package.json").read_text())["dependencies"]
    catalog = json.loads((script.CONTRACTS / "catalog.json").read_text())
    own = {path.stem for path in script.CONTRACTS.glob("*.sol")}
    found = artifacts(script)
    assert set(found) == own | set(catalog["packaged"])
    for name, artifact in found.items():
        if name in own:
            assert str(artifact["solc"]).startswith(pinned["solc"] + "+")
            assert "64736f6c6343" not in str(artifact["deployed_bytecode"])
        else:
            package, _, version = str(artifact["package"]).rpartition("@")
            assert (package, version) == (catalog["packaged"][name]["package"], pinned[package])


def test_stored_sources_are_exactly_what_artifacts_name(script: ModuleType) -> None:
    """No artifact names a source that is not stored, nothing is stored that none names, and all is under 3 MB."""
    named = set()
    for artifact in artifacts(script).values():
        version = str(artifact["solc"]).split("+")[0]
        named |= {f"sources/{version}/{name}" for name in artifact["sources"]}  # type: ignore[attr-defined]
    own = {f"sources/0.8.37/{path.name}" for path in script.CONTRACTS.glob("*.sol")}
    stored = {name for name in script.present(script.CONTRACTS) if name.endswith(".sol")}
    assert named == stored | own
    assert sum(map(len, script.present(script.CONTRACTS).values())) < 3_000_000


@pytest.mark.parametrize("name", artifact_names())
def test_immutables_of_published_code_are_found_as_the_compiler_names_them(script: ModuleType, name: str) -> None:
    """Zero words that code pushes are its immutables: where the compiler says so too, both agree."""
    found = load_artifact(name)
    if name == "UniswapV3Factory":  # carries its pool's creation code, whose immutables are not its own
        at = found.deployed.index(load_artifact("UniswapV3Pool").bytecode)
        assert all(start < at for start, _ in found.immutables) and found.immutables
    elif name != "Launchpad":  # carries its token's creation code, which the compiler knows of
        assert script.zero_words(found.deployed) == [list(place) for place in found.immutables]


def test_a_changed_missing_or_left_over_file_is_named(script: ModuleType, tmp_path: Path) -> None:
    """Each difference is one line with the command that repairs it."""
    for name in ("artifacts/A.json", "artifacts/Old.json", "sources/1/a.sol"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"1")
    wanted = {"artifacts/A.json": b"2", "artifacts/New.json": b"3", "sources/1/a.sol": b"1"}
    found = script.differences(tmp_path, wanted)
    assert [line.split(":")[0].split("/")[1] for line in found] == ["A.json", "New.json", "Old.json"]
    assert all("compile_contracts.py" in line for line in found)


def test_missing_tools_and_unknown_arguments_are_told(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anything but --check exits 2 and writes nothing; without npm the command says so and exits 2."""
    assert script.main(["--force"]) == 2
    assert "--check" in capsys.readouterr().err
    monkeypatch.setattr(script, "CACHE", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.main(["--check"]) == 2
    assert "npm" in capsys.readouterr().err
