"""What the rules read: the package's modules, their imports, and the tracked files."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("caia_replay", "caia_worldgen", "benchmarks")


@dataclass(frozen=True, slots=True)
class Import:
    """``module`` (dotted) names ``target`` at ``line``; ``target`` is dotted and absolute, or ``.`` when relative.

    ``top`` is True when importing the module runs the import.
    """

    module: str
    target: str
    line: int
    top: bool


def module_name(path: Path) -> str:
    """The dotted name of a package file; a folder's ``__init__.py`` bears the folder's name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_imports(module: str, tree: ast.Module) -> Iterator[Import]:
    """Every import of a module, those inside functions and import_module("...") calls too."""
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                targets = [alias.name for alias in names]
            case ast.ImportFrom(level=level) if level:
                targets = ["."]
            case ast.ImportFrom(module=str(source), names=names):
                targets = [f"{source}.{alias.name}" for alias in names]
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(source)), *_],
            ):
                targets = [source]
            case _:
                continue
        yield from (Import(module, target, node.lineno, id(node) not in lazy) for target in targets)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project folder."""
    return ROOT


@pytest.fixture(scope="session")
def modules() -> dict[str, Path]:
    """Dotted name to file of every module of the three packages, sorted."""
    return {module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


@pytest.fixture(scope="session")
def imports(modules: dict[str, Path]) -> list[Import]:
    """Every import in the three packages, in file order."""
    return [found for name, path in modules.items() for found in read_imports(name, ast.parse(path.read_bytes()))]


@pytest.fixture(scope="session")
def read_source() -> Callable[[str, str], list[Import]]:
    """The imports of a module given by name and source text, for tests of the rules themselves."""
    return lambda module, source: list(read_imports(module, ast.parse(source)))


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Files that are, or would be, committed; outside a repository every file that .gitignore does not name."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:
        ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()} | {".git"}
        paths = [path for path in ROOT.rglob("*") if not ignored & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in paths if path.is_file())
