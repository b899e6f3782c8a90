"""Compiles the synthetic chains' contracts into artifacts/*.json and sources/; ``--check`` compares instead of writing.

Three kinds, listed in contracts/catalog.json: our own (contracts/*.sol), those compiled as they stand in a
package (Uniswap v2 must come out as the very bytes its package publishes), and those whose package
publishes the build without the source (Uniswap v3), taken as published.

Compilers and packages come from npm, pinned in contracts/package.json, into ``.cache/contracts``. Each
contract is compiled on its own, from exactly the sources stored for it, so what is stored is enough to
compile it again. Settings are fixed and our own code carries no metadata hash, so equal sources give equal
bytes on every machine. Exit codes: 0 written or equal, 1 something differs, 2 the tools are missing or a
source does not compile.
"""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CONTRACTS = ROOT / "caia_worldgen" / "contracts"
CACHE = ROOT / ".cache" / "contracts"
WANTED = ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"]
IMPORT = re.compile(r"""^\s*(?:import|\}\s*from)\b[^"';]*["']([^"']+)["']""", re.MULTILINE)
REMEDY = "python scripts/compile_contracts.py"


class BuildFault(Exception):
    """The tools are missing or a source does not compile; one line for people."""


@dataclass(frozen=True, slots=True)
class Target:
    """One contract. ``package`` is empty for our own; ``compiler`` and ``entry`` are where no source is published."""

    name: str
    package: str = ""
    compiler: str = ""
    entry: str = ""
    published: str = ""


def main(arguments: list[str]) -> int:
    """Write or, with ``--check``, compare artifacts and sources. Returns the exit code."""
    unknown = [argument for argument in arguments if argument != "--check"]
    if unknown:
        print(f"unknown argument {unknown[0]!r}; next: {REMEDY} [--check]", file=sys.stderr)
        return 2
    try:
        built = build(install(CACHE))
    except BuildFault as fault:
        print(fault, file=sys.stderr)
        return 2
    if arguments:
        different = differences(CONTRACTS, built)
        for line in different:
            print(line)
        return 1 if different else 0
    for name in present(CONTRACTS).keys() - built.keys():
        (CONTRACTS / name).unlink()
    for name, data in built.items():
        (CONTRACTS / name).parent.mkdir(parents=True, exist_ok=True)
        (CONTRACTS / name).write_bytes(data)
    size = sum(map(len, built.values()))
    print(f"{len(built)} files, {size / 1e6:.2f} MB, in {CONTRACTS.relative_to(ROOT)}")
    return 0


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
    # nested: a package then finds its own version of another, whatever else is installed
    options = ["--install-strategy=nested", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-fund"]
    command = [npm, "install", *options, "--no-audit"]
    ran = subprocess.run(command, cwd=cache, capture_output=True, text=True, check=False)
    if ran.returncode:
        copy.unlink()
        raise BuildFault(f"npm install failed in {cache}: {' '.join(ran.stderr.split())[:300]}")
    return modules


def build(modules: Path, only: Collection[str] = ()) -> dict[str, bytes]:
    """Path below ``CONTRACTS`` -> bytes: an artifact for each contract, and the packages' sources they need.

    ``only`` keeps the contracts of those names. Raises ``BuildFault``.
    """
    catalog = json.loads((CONTRACTS / "catalog.json").read_bytes())
    targets = [target for target in _targets(catalog) if not only or target.name in only]
    sources = {target.name: _closure(target, modules) for target in targets if target.entry}
    with ThreadPoolExecutor(2) as pool:
        batches = [[t for t in targets if t.compiler == version] for version in catalog["compilers"]]
        compiled = pool.map(lambda batch: _compile(batch, sources, catalog["compilers"], modules), batches)
    outputs = {name: artifact for batch in compiled for name, artifact in batch.items()}
    licence = (modules / "@uniswap" / "v2-core" / "LICENSE").read_bytes()
    built = {"sources/LICENSE.GPL-3.0": licence}
    for target in targets:
        artifact = outputs.get(target.name) or {}
        if target.published:
            others = [_creation(other, modules) for other in targets if other.published and other != target]
            artifact = _as_published(target, artifact, others, modules)
        content = {**artifact, "entry": target.entry, "package": _pinned(target.package, modules)}
        built[f"artifacts/{target.name}.json"] = (json.dumps(content, sort_keys=True, indent=1) + "\n").encode()
        for name, text in sources.get(target.name, {}).items():
            if target.package or name.startswith("@"):
                built[f"sources/{target.compiler}/{name}"] = text.encode()
    return built


def present(folder: Path) -> dict[str, bytes]:
    """What is committed, as ``build`` names it."""
    paths = [*folder.glob("artifacts/*.json"), *folder.glob("sources/**/*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if path.is_file()}


def differences(folder: Path, built: Mapping[str, bytes]) -> list[str]:
    """One line per file that is missing, left over or other than what was built."""
    found = present(folder)
    return [
        f"{name}: differs from what its sources give; next: {REMEDY}"
        for name in sorted(found.keys() | built.keys())
        if found.get(name) != built.get(name)
    ]


def zero_words(code: bytes) -> list[list[int]]:
    """[start, length] of each 32-byte zero that runtime code pushes: where immutables are written at deployment."""
    found, at = [], 0
    while at < len(code):
        pushed = code[at] - 0x5F if 0x60 <= code[at] <= 0x7F else 0
        if pushed == 32 and code[at + 1 : at + 33] == bytes(32):
            found.append([at + 1, 32])
        at += 1 + pushed
    return found


def _targets(catalog: Mapping[str, Any]) -> Iterator[Target]:
    for path in sorted(CONTRACTS.glob("*.sol")):
        yield Target(path.stem, compiler=catalog["own"], entry=path.name)
    for name, fields in sorted(catalog["packaged"].items()):
        yield Target(name, **fields)


def _closure(target: Target, modules: Path) -> dict[str, str]:
    """Source name -> text of everything the target imports, itself included, sorted by name."""
    found: dict[str, str] = {}
    waiting = [target.entry]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = _find(name, target.package, modules).read_text(encoding="utf-8")
        for asked in IMPORT.findall(found[name]):
            near = posixpath.normpath(posixpath.join(posixpath.dirname(name), asked))
            waiting.append(near if asked.startswith(".") else asked)
    return dict(sorted(found.items()))


def _find(name: str, package: str, modules: Path) -> Path:
    """Where a source lies: our own folder, the package, what the package brought along, or beside it."""
    home = modules / package
    inside = [home / name, home / "node_modules" / name] if package else [CONTRACTS / name]
    for place in (*inside, modules / name):
        if place.is_file():
            return place
    raise BuildFault(f"no source {name!r} in {package or CONTRACTS.name}")


def _compile(
    batch: list[Target], sources: Mapping[str, Mapping[str, str]], compilers: Mapping[str, Any], modules: Path
) -> dict[str, dict[str, Any]]:
    """Artifacts of targets that share a compiler, each compiled alone from its own sources."""
    if not batch:
        return {}
    compiler = compilers[batch[0].compiler]
    jobs = [_job(target, sources[target.name], compiler["settings"]) for target in batch]
    command = ["node", str(CONTRACTS / "compile.js"), str(modules), compiler["module"]]
    ran = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True, check=False)
    if ran.returncode:
        raise BuildFault(f"solc {batch[0].compiler} did not run: {' '.join(ran.stderr.split())[:300]}")
    answer = json.loads(ran.stdout)
    made = {}
    for target, output in zip(batch, answer["outputs"], strict=True):
        faults = [found["formattedMessage"] for found in output.get("errors", ()) if found["severity"] == "error"]
        if faults:
            raise BuildFault(" ".join(faults[0].split())[:400])
        contract = output["contracts"][target.entry][target.name]
        deployed = contract["evm"]["deployedBytecode"]
        places = [place for places in deployed.get("immutableReferences", {}).values() for place in places]
        made[target.name] = {
            "abi": contract["abi"],
            "bytecode": "0x" + contract["evm"]["bytecode"]["object"],
            "deployed_bytecode": "0x" + deployed["object"],
            "immutable_references": sorted([place["start"], place["length"]] for place in places),
            "settings": compiler["settings"],
            "solc": answer["version"],
            "sources": list(sources[target.name]),
        }
    return made


def _job(target: Target, sources: Mapping[str, str], settings: Mapping[str, Any]) -> dict[str, Any]:
    wanted = [*WANTED, *(["evm.deployedBytecode.immutableReferences"] if target.compiler != "0.5.16" else [])]
    return {
        "language": "Solidity",
        "sources": {name: {"content": text} for name, text in sources.items()},
        "settings": {**settings, "outputSelection": {target.entry: {target.name: wanted}}},
    }


def _published(target: Target, modules: Path) -> Any:
    return json.loads((modules / target.package / target.published).read_bytes())


def _creation(target: Target, modules: Path) -> bytes:
    return bytes.fromhex(_published(target, modules)["bytecode"].removeprefix("0x"))


def _as_published(target: Target, compiled: Mapping[str, Any], others: list[bytes], modules: Path) -> dict[str, Any]:
    """The package's own build. Raises ``BuildFault`` when its own source, where there is one, gives anything else.

    ``others`` are creation codes that this one may carry: the immutables in there are not its own.
    """
    build_file = _published(target, modules)
    runtime = build_file.get("deployedBytecode") or build_file["evm"]["deployedBytecode"]["object"]
    published = {
        "abi": build_file["abi"],
        "bytecode": "0x" + build_file["bytecode"].removeprefix("0x"),
        "deployed_bytecode": "0x" + runtime.removeprefix("0x"),
    }
    if not compiled:
        code = bytes.fromhex(runtime.removeprefix("0x"))
        carried = [code.find(other) for other in others if other in code]
        return {
            **published,
            "immutable_references": zero_words(code[: min(carried, default=len(code))]),
            "settings": {},
            "solc": _solc_of(code),
            "sources": [],
        }
    for field, value in published.items():
        if compiled[field] != value:
            raise BuildFault(f"{target.name}: {field} compiled from {target.package} is not what it publishes")
    return dict(compiled)


def _solc_of(code: bytes) -> str:
    """The compiler version in the metadata at the end of ``code``: three numbers behind a CBOR "solc" key."""
    at = code.rindex(b"\x64solc\x43") + 6
    return ".".join(map(str, code[at : at + 3]))


def _pinned(package: str, modules: Path) -> str:
    """The package with its installed version, as npm writes it; empty for our own."""
    if not package:
        return ""
    return f"{package}@{json.loads((modules / package / 'package.json').read_bytes())['version']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
