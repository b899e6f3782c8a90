"""Compiled contracts: read from ``contracts/artifacts``, which scripts/compile_contracts.py writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from eth_abi import abi
from eth_utils.crypto import keccak

from caia_replay.canonical import strict_json
from caia_replay.errors import BadInput, nearest

FOLDER = Path(__file__).parent / "contracts" / "artifacts"
_REMEDY = "python scripts/compile_contracts.py"


@dataclass(frozen=True, slots=True)
class Artifact:
    """One contract. ``functions`` maps a function's name to its argument types."""

    name: str
    bytecode: bytes
    constructor: tuple[str, ...]
    functions: dict[str, tuple[str, ...]]
    solc: str

    def creation(self, arguments: Sequence[Any]) -> bytes:
        """The data of a deploying transaction."""
        return self.bytecode + abi.encode(self.constructor, arguments)

    def call(self, function: str, arguments: Sequence[Any]) -> bytes:
        """The data of a call. Raises ``BadInput`` for a function the contract does not have."""
        if function not in self.functions:
            raise BadInput(
                f"{self.name} has no function {function!r}",
                where=FOLDER / f"{self.name}.json",
                nearest=nearest(function, self.functions),
            )
        types = self.functions[function]
        return keccak(text=f"{function}({','.join(types)})")[:4] + abi.encode(types, arguments)


@cache
def load_artifact(name: str) -> Artifact:
    """The compiled contract ``name``. Raises ``BadInput`` when its artifact is missing or malformed."""
    path = FOLDER / f"{name}.json"
    try:
        content = strict_json(path.read_bytes())
        entries = content["abi"]
        functions = {entry["name"]: _types(entry) for entry in entries if entry["type"] == "function"}
        constructor = next((_types(entry) for entry in entries if entry["type"] == "constructor"), ())
        bytecode = bytes.fromhex(content["bytecode"].removeprefix("0x"))
        return Artifact(name, bytecode, constructor, functions, content["solc"])
    except OSError as fault:
        known = sorted(found.stem for found in FOLDER.glob("*.json"))
        raise BadInput(
            f"no artifact: {fault.strerror}", where=path, nearest=nearest(name, known), next_command=_REMEDY
        ) from fault
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise BadInput(f"is no compiled contract: {fault!r}", where=path, next_command=_REMEDY) from fault


def _types(entry: Any) -> tuple[str, ...]:
    return tuple(parameter["type"] for parameter in entry["inputs"])
