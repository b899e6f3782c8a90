"""Compiles caia_replay/origin/contracts/*.sol into artifacts/*.json; ``--check`` compares instead of writing.

The compiler and the OpenZeppelin sources come from npm, pinned in contracts/package.json, into
``.cache/contracts``. Settings are fixed and the metadata hash is left out, so equal sources give equal
bytes on every machine. Exit codes: 0 written or equal, 1 an artifact differs, 2 the tools are missing
or a source does not compile.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CONTRACTS = ROOT / "caia_replay" / "origin" / "contracts"
CACHE = ROOT / ".cache" / "contracts"
SETTINGS = {
    "optimizer": {"enabled": True, "runs": 200},
    "evmVersion": "cancun",
    "metadata": {"bytecodeHash": "none", "appendCBOR": False},
    "outputSelection": {"*": {"*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"]}},
}


class BuildFault(Exception):
    """The tools are missing or a source does not compile; one line for people."""


def main(arguments: list[str]) -> int:
    """Write or, with ``--check``, compare the artifacts. Returns the exit code."""
    unknown = [argument for argument in arguments if argument != "--check"]
    if unknown:
        print(f"unknown argument {unknown[0]!r}; next: python scripts/compile_contracts.py [--check]", file=sys.stderr)
        return 2
    try:
        built = artifacts(install(CACHE))
    except BuildFault as fault:
        print(fault, file=sys.stderr)
        return 2
    folder = CONTRACTS / "artifacts"
    if not arguments:
        for name, data in built.items():
            folder.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
        print(f"{len(built)} artifacts in {folder.relative_to(ROOT)}")
        return 0
    different = differences(folder, built)
    for line in different:
        print(line)
    return 1 if different else 0


def install(cache: Path) -> Path:
    """npm's node_modules with the pinned tools, installed into ``cache`` unless they are there already."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise BuildFault("npm and node are needed to compile contracts; next: install Node.js 20 or newer")
    wanted = (CONTRACTS / "package.json").read_bytes()
    modules, copy = cache / "node_modules", cache / "package.json"
    if modules.is_dir() and copy.is_file() and copy.read_bytes() == wanted:
        return modules
    cache.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(wanted)
    options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-fund", "--no-audit"]
    ran = subprocess.run([npm, "install", *options], cwd=cache, capture_output=True, text=True, check=False)
    if ran.returncode:
        copy.unlink()
        raise BuildFault(f"npm install failed in {cache}: {' '.join(ran.stderr.split())[:300]}")
    return modules


def artifacts(modules: Path) -> dict[str, bytes]:
    """File name -> bytes: abi, creation and deployed bytecode, compiler version, for each contract of ours."""
    sources = {path.name: {"content": path.read_text(encoding="utf-8")} for path in sorted(CONTRACTS.glob("*.sol"))}
    job = json.dumps({"language": "Solidity", "sources": sources, "settings": SETTINGS})
    command = ["node", str(CONTRACTS / "compile.js"), str(modules)]
    ran = subprocess.run(command, input=job, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise BuildFault(f"solc did not run: {' '.join(ran.stderr.split())[:300]}")
    output = json.loads(ran.stdout)
    faults = [found["formattedMessage"] for found in output.get("errors", ()) if found["severity"] == "error"]
    if faults:
        raise BuildFault(" ".join(faults[0].split())[:400])
    return {
        f"{path.stem}.json": _artifact(output["contracts"][path.name][path.stem], output["version"])
        for path in sorted(CONTRACTS.glob("*.sol"))
    }


def differences(folder: Path, built: Mapping[str, bytes]) -> list[str]:
    """One line per artifact that is missing, left over or other than what was built."""
    present = {path.name: path.read_bytes() for path in folder.glob("*.json")} if folder.is_dir() else {}
    return [
        f"{folder.name}/{name}: differs from its source; next: python scripts/compile_contracts.py"
        for name in sorted(present.keys() | built.keys())
        if present.get(name) != built.get(name)
    ]


def _artifact(contract: Mapping[str, Any], version: str) -> bytes:
    content = {
        "abi": contract["abi"],
        "bytecode": "0x" + contract["evm"]["bytecode"]["object"],
        "deployed_bytecode": "0x" + contract["evm"]["deployedBytecode"]["object"],
        "solc": version,
    }
    return (json.dumps(content, sort_keys=True, indent=1) + "\n").encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
