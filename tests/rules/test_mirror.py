"""tests/unit mirrors the package: one test file per module, one module per test file."""

from __future__ import annotations

import ast
from pathlib import Path


def says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring or ``...``."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def only_shapes(tree: ast.Module) -> bool:
    """Whether a module declares types alone: every function in it is a Protocol member without a body."""
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return all(says_nothing(statement) for function in functions for statement in function.body)


def test_every_module_has_its_test_file(root: Path, modules: dict[str, Path]) -> None:
    """caia_replay/a/b.py has tests/unit/a/test_b.py; core's pure type declarations need none."""
    missing = []
    for path in (path for path in modules.values() if path.name != "__init__.py"):
        inside = path.relative_to(root / "caia_replay")
        if inside.parts[0] == "core" and only_shapes(ast.parse(path.read_bytes())):
            continue
        wanted = root / "tests" / "unit" / inside.parent / f"test_{inside.name}"
        if not wanted.exists():
            missing.append(f"{path.relative_to(root)}: no {wanted.relative_to(root)}")
    assert not missing, "\n".join(missing)


def test_every_test_file_has_its_module(root: Path) -> None:
    """A file under tests/unit is named after a module that exists, or after a shell script."""
    orphans = []
    for path in sorted((root / "tests" / "unit").rglob("*.py")):
        inside = path.relative_to(root / "tests" / "unit")
        if path.name == "conftest.py":
            continue
        home = (root if inside.parts[0] == "scripts" else root / "caia_replay") / inside.parent
        wanted = home / path.name.removeprefix("test_")
        is_shell = inside.parts[0] == "scripts" and wanted.with_suffix(".sh").exists()
        if not path.name.startswith("test_") or not (wanted.exists() or is_shell):
            orphans.append(f"{path.relative_to(root)}: no module of that name")
    assert not orphans, "\n".join(orphans)


def test_types_alone_are_told_from_code() -> None:
    """A dataclass and a Protocol are declarations; one method with a body makes a module code."""
    shapes = "class A:\n    x: int\nclass P:\n    def f(self):\n        'What it does.'\n        ...\n"
    assert only_shapes(ast.parse(shapes))
    assert not only_shapes(ast.parse(shapes + "    def g(self):\n        return 1\n"))
