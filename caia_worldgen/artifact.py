"""Compiled contracts: read from ``contracts/artifacts``, which scripts/compile_contracts.py writes.

What a scenario needs to deploy and call them and to read their events, and what an explorer needs to
show them: the sources each was compiled from, and whether code found on a chain is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from eth_abi import abi as codec
from eth_utils.crypto import keccak

from caia_replay.canonical import strict_json
from caia_replay.errors import BadInput, nearest

CONTRACTS = Path(__file__).parent / "contracts"
FOLDER = CONTRACTS / "artifacts"
_REMEDY = "python scripts/compile_contracts.py"
_DYNAMIC = ("string", "bytes")


@dataclass(frozen=True, slots=True)
class Function:
    """One function. ``signature`` is its name with the argument types, tuples written out."""

    signature: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def selector(self) -> bytes:
        """The first four bytes of a call."""
        return keccak(text=self.signature)[:4]


@dataclass(frozen=True, slots=True)
class Event:
    """One event. ``names``, ``types`` and ``indexed`` are equally long, in the order of declaration."""

    signature: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    indexed: tuple[bool, ...]

    @property
    def topic0(self) -> str:
        """The first topic of its logs, 0x and 64 hex digits."""
        return "0x" + keccak(text=self.signature).hex()

    def decode(self, log: Mapping[str, Any]) -> dict[str, Any]:
        """Argument name -> value of a JSON-RPC log; an indexed string, bytes, array or tuple is its 32-byte hash."""
        topics = iter(log["topics"][1:])
        plain = [kind for kind, marked in zip(self.types, self.indexed, strict=True) if not marked]
        values = iter(codec.decode(plain, bytes.fromhex(log["data"][2:])))
        return {
            name: _topic(kind, next(topics)) if marked else next(values)
            for name, kind, marked in zip(self.names, self.types, self.indexed, strict=True)
        }


@dataclass(frozen=True, slots=True)
class Artifact:
    """One contract.

    ``functions`` is keyed by full signature, ``events`` by name, ``errors`` (four-byte selectors) by name.
    ``immutables`` are (start, length) in ``deployed``. ``settings`` and ``sources`` (names, which
    ``source`` reads) are empty for a contract whose package publishes no source.
    """

    name: str
    bytecode: bytes
    deployed: bytes
    constructor: tuple[str, ...]
    functions: dict[str, Function]
    events: dict[str, Event]
    errors: dict[str, bytes]
    immutables: tuple[tuple[int, int], ...]
    solc: str
    entry: str
    package: str
    sources: tuple[str, ...]
    settings: dict[str, Any]
    abi: list[dict[str, Any]]

    def creation(self, arguments: Sequence[Any]) -> bytes:
        """The data of a deploying transaction."""
        return self.bytecode + codec.encode(self.constructor, arguments)

    def function(self, name: str) -> Function:
        """By name, or by full signature where a name is overloaded. Raises ``BadInput`` when there is not one."""
        if name in self.functions:
            return self.functions[name]
        found = [function for function in self.functions.values() if function.signature.split("(")[0] == name]
        if len(found) == 1:
            return found[0]
        known = [function.signature for function in found] or list(self.functions)
        wrong = f"{self.name} has several functions {name!r}" if found else f"{self.name} has no function {name!r}"
        closest = ", ".join(known) if found else nearest(name, {*known, *(text.split("(")[0] for text in known)})
        raise BadInput(wrong, where=FOLDER / f"{self.name}.json", nearest=closest)

    def call(self, function: str, arguments: Sequence[Any]) -> bytes:
        """The data of a call; a struct is a tuple. Raises ``BadInput`` for a function the contract does not have."""
        found = self.function(function)
        return found.selector + codec.encode(found.inputs, arguments)

    def decode(self, function: str, data: bytes) -> tuple[Any, ...]:
        """What a call returned, one value per output."""
        return tuple(codec.decode(self.function(function).outputs, data))

    def logs(self, event: str, logs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The arguments of every log of that event, whichever contract emitted it. Raises ``BadInput``."""
        if event not in self.events:
            where = FOLDER / f"{self.name}.json"
            raise BadInput(f"{self.name} has no event {event!r}", where=where, nearest=nearest(event, self.events))
        found = self.events[event]
        marked = 1 + sum(found.indexed)
        wanted = (log for log in logs if len(log["topics"]) == marked and log["topics"][0] == found.topic0)
        return [found.decode(log) for log in wanted]

    def runtime_matches(self, deployed: bytes) -> bool:
        """Whether code found on a chain is this contract's, whatever its immutables were set to."""
        return len(deployed) == len(self.deployed) and self._masked(deployed) == self._masked(self.deployed)

    def source(self, name: str) -> str:
        """The text of one of ``sources``. Raises ``BadInput`` when it is not stored."""
        if name not in self.sources:
            where = FOLDER / f"{self.name}.json"
            raise BadInput(f"{self.name} has no source {name!r}", where=where, nearest=nearest(name, self.sources))
        own = not self.package and not name.startswith("@")
        path = CONTRACTS / name if own else CONTRACTS / "sources" / self.solc.split("+")[0] / name
        try:
            return path.read_text(encoding="utf-8")
        except OSError as fault:
            raise BadInput(f"no source: {fault.strerror}", where=path, next_command=_REMEDY) from fault

    def _masked(self, code: bytes) -> bytes:
        masked = bytearray(code)
        for start, length in self.immutables:
            masked[start : start + length] = bytes(length)
        return bytes(masked)


def artifact_names() -> list[str]:
    """Every contract there is, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def load_artifact(name: str) -> Artifact:
    """The compiled contract ``name``. Raises ``BadInput`` when its artifact is missing or malformed."""
    path = FOLDER / f"{name}.json"
    try:
        return _artifact(name, strict_json(path.read_bytes()))
    except OSError as fault:
        known = artifact_names()
        raise BadInput(
            f"no artifact: {fault.strerror}", where=path, nearest=nearest(name, known), next_command=_REMEDY
        ) from fault
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise BadInput(f"is no compiled contract: {fault!r}", where=path, next_command=_REMEDY) from fault


def _artifact(name: str, content: Any) -> Artifact:
    entries = content["abi"]
    by_kind: dict[str, list[Any]] = {"function": [], "event": [], "error": [], "constructor": []}
    for entry in entries:
        by_kind.setdefault(entry["type"], []).append(entry)
    functions = [Function(_signature(entry), _types(entry), _types(entry, "outputs")) for entry in by_kind["function"]]
    return Artifact(
        name,
        bytecode=bytes.fromhex(content["bytecode"].removeprefix("0x")),
        deployed=bytes.fromhex(content["deployed_bytecode"].removeprefix("0x")),
        constructor=next(map(_types, by_kind["constructor"]), ()),
        functions={function.signature: function for function in functions},
        events={entry["name"]: _event(entry) for entry in by_kind["event"]},
        errors={entry["name"]: keccak(text=_signature(entry))[:4] for entry in by_kind["error"]},
        immutables=tuple((start, length) for start, length in content["immutable_references"]),
        solc=content["solc"],
        entry=content["entry"],
        package=content["package"],
        sources=tuple(content["sources"]),
        settings=content["settings"],
        abi=entries,
    )


def _event(entry: Any) -> Event:
    inputs = entry["inputs"]
    # an unnamed argument is known by its place
    names = tuple(parameter["name"] or str(place) for place, parameter in enumerate(inputs))
    return Event(_signature(entry), names, _types(entry), tuple(parameter["indexed"] for parameter in inputs))


def _signature(entry: Any) -> str:
    return f"{entry['name']}({','.join(_types(entry))})"


def _types(entry: Any, side: str = "inputs") -> tuple[str, ...]:
    return tuple(_type(parameter) for parameter in entry[side])


def _type(parameter: Any) -> str:
    kind: str = parameter["type"]
    if not kind.startswith("tuple"):
        return kind
    return f"({','.join(map(_type, parameter['components']))}){kind.removeprefix('tuple')}"


def _topic(kind: str, topic: str) -> Any:
    word = bytes.fromhex(topic[2:])
    return word if kind in _DYNAMIC or kind.endswith(("]", ")")) else codec.decode([kind], word)[0]
