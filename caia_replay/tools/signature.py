"""Human-readable Solidity signatures: ``balanceOf(address)(uint256)``, ``Transfer(address indexed from, ...)``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from eth_abi import abi
from eth_abi.exceptions import DecodingError, EncodingError, ParseError
from eth_abi.grammar import normalize, parse
from eth_utils.crypto import keccak

from caia_replay.errors import ToolError

_HEAD = re.compile(r"\s*(?:function\s+|event\s+)?([A-Za-z_$][\w$]*)\s*\(")
# Far beyond any ABI in use; the grammar's parser needs time and stack that grow with both.
_MAX_CHARS = 4_000
_MAX_NESTING = 12
_RETURNS = re.compile(r"\s*(?:(?:public|external|view|pure|payable)\s+)*(?:returns\s*)?\(")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``name`` is ``arg0`` and so on where the signature gives none."""

    type: str
    name: str
    indexed: bool


@dataclass(frozen=True)
class Signature:
    """A parsed function or event. ``outputs`` is empty for events."""

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]

    @cached_property
    def canonical(self) -> str:
        """The text that is hashed: ``transfer(address,uint256)``."""
        return f"{self.name}({','.join(parameter.type for parameter in self.inputs)})"

    @cached_property
    def hash(self) -> bytes:
        """Keccak-256 of the canonical text: an event's topic, and a function's selector in its first 4 bytes."""
        return keccak(text=self.canonical)


@lru_cache(maxsize=1024)
def parse_signature(text: str) -> Signature:
    """A function or event signature. Raises ``ToolError`` with an example when it does not parse."""
    head = _HEAD.match(text)
    if not head or len(text) > _MAX_CHARS:
        raise _malformed(text)
    inside, rest = _balanced(text, head.end() - 1)
    returns = _RETURNS.match(rest)
    outputs, tail = _balanced(rest, returns.end() - 1) if returns else ("", rest)
    if tail.strip(" ;") and not re.fullmatch(r"\s*(?:(?:public|external|view|pure|payable|anonymous)\s*)*;?", tail):
        raise _malformed(text)
    return Signature(head[1], _parameters(inside, text), _parameters(outputs, text))


def parse_event(text: str) -> Signature:
    """An event's signature. Raises ``ToolError`` also for what cannot be found or told apart in logs."""
    signature = parse_signature(text)
    if re.search(r"\)\s*anonymous\W*$", text):
        raise ToolError(f"{signature.canonical} is anonymous: its logs lack its hash and cannot be found by it")
    if signature.outputs:
        raise ToolError(f"{signature.canonical} has return types, which no event has; give it as function")
    names = [parameter.name for parameter in signature.inputs]
    if len(set(names)) < len(names):
        raise ToolError(f"two arguments of {signature.canonical} have one name: {', '.join(names)[:200]}")
    return signature


def encode_call(signature: Signature, arguments: Sequence[Any]) -> str:
    """Calldata as 0x text. Raises ``ToolError`` naming what the types want."""
    types = [parameter.type for parameter in signature.inputs]
    if len(types) != len(arguments):
        raise ToolError(f"{signature.canonical} takes {len(types)} arguments, got {len(arguments)}")
    values = [_typed(kind, value) for kind, value in zip(types, arguments, strict=True)]
    try:
        return "0x" + (signature.hash[:4] + abi.encode(types, values)).hex()
    except (EncodingError, OverflowError, TypeError, ValueError) as fault:
        raise ToolError(f"arguments do not fit {signature.canonical}: {fault}") from fault


def decode_outputs(signature: Signature, data: str) -> list[Any]:
    """Return values as JSON: integers as decimal text, bytes and addresses as 0x text."""
    types = [parameter.type for parameter in signature.outputs]
    try:
        return [plain(value) for value in abi.decode(types, bytes.fromhex(data[2:]))]
    except (DecodingError, ValueError, OverflowError) as fault:
        raise ToolError(f"the contract's reply does not decode as ({','.join(types)}): {fault}") from fault


def decode_event(signature: Signature, topics: Sequence[str], data: str) -> Mapping[str, Any]:
    """A log's arguments by name; indexed dynamic types stay the 0x hash that the chain keeps."""
    indexed = [parameter for parameter in signature.inputs if parameter.indexed]
    plain_inputs = [parameter for parameter in signature.inputs if not parameter.indexed]
    if len(topics) != len(indexed) + 1:
        raise ToolError(f"the log has {len(topics) - 1} indexed arguments, {signature.canonical} has {len(indexed)}")
    try:
        body = abi.decode([parameter.type for parameter in plain_inputs], bytes.fromhex(data[2:]))
        values = {parameter.name: plain(value) for parameter, value in zip(plain_inputs, body, strict=True)}
        for parameter, topic in zip(indexed, topics[1:], strict=True):
            dynamic = parameter.type in ("string", "bytes") or parameter.type[-1] in ")]"
            raw = bytes.fromhex(topic[2:])
            values[parameter.name] = topic if dynamic else plain(abi.decode([parameter.type], raw)[0])
    except (DecodingError, ValueError, OverflowError) as fault:
        raise ToolError(f"the log does not decode as {signature.canonical}: {fault}") from fault
    return {parameter.name: values[parameter.name] for parameter in signature.inputs}


def plain(value: Any) -> Any:
    """A decoded value as JSON: integers as exact decimal text, bytes as 0x text, tuples as lists."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else str(value)


def _typed(kind: str, value: Any) -> Any:
    if kind.endswith("]") and isinstance(value, (list, tuple)):
        inner = kind[: kind.rindex("[")]
        return [_typed(inner, item) for item in value]
    if kind.startswith("(") and isinstance(value, (list, tuple)):
        parts = [parameter.type for parameter in _parameters(kind[1:-1], kind)]
        return tuple(_typed(part, item) for part, item in zip(parts, value, strict=False))
    if isinstance(value, str):
        if kind.startswith(("uint", "int")):
            try:
                return int(value, 16) if value.lower().startswith("0x") else int(value)
            except ValueError:
                raise ToolError(f"{value[:80]!r} is no whole number for {kind}") from None
        if kind.startswith("bytes"):
            try:
                return bytes.fromhex(value.removeprefix("0x"))
            except ValueError:
                raise ToolError(f"{value[:80]!r} is no 0x text for {kind}") from None
        if kind == "bool" and value.lower() in ("true", "false"):
            return value.lower() == "true"
    return value


def _balanced(text: str, start: int) -> tuple[str, str]:
    """The inside of the parenthesis opening at ``start``, and what follows it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth > _MAX_NESTING:
            raise _malformed(text)
        if depth == 0:
            return text[start + 1 : at], text[at + 1 :]
    raise _malformed(text)


def _split(inside: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(inside):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(inside[begin:at])
            begin = at + 1
    return [*parts, inside[begin:]] if inside.strip() else []


def _parameters(inside: str, whole: str) -> tuple[Parameter, ...]:
    found = []
    for at, part in enumerate(_split(inside)):
        part = part.strip()
        if part.startswith("(") or part.startswith("tuple("):
            body, rest = _balanced(part, part.index("("))
            suffix = re.match(r"(?:\[\d*\])*", rest)
            array = suffix[0] if suffix else ""
            kind = "(" + ",".join(parameter.type for parameter in _parameters(body, whole)) + ")" + array
            words = rest[len(array) :].split()
        else:
            kind, *words = part.split() or [""]
        names = [word for word in words if word not in ("indexed", "memory", "calldata", "payable")]
        if re.search(r"\d{10}", kind) or kind.count("[") > _MAX_NESTING:
            raise ToolError(f"{kind[:80]!r} is no type that a contract could return or take")
        try:
            kind = normalize(kind)  # type: ignore[no-untyped-call]
            parse(kind).validate()
        except (ParseError, ValueError, TypeError) as fault:
            raise ToolError(f"{kind[:80]!r} is no Solidity type in {whole[:200]!r}") from fault
        if len(names) > 1:
            raise _malformed(whole)
        found.append(Parameter(kind, names[0] if names else f"arg{at}", "indexed" in words))
    return tuple(found)


def _malformed(text: str) -> ToolError:
    return ToolError(
        f"{text[:200]!r} is no signature; write balanceOf(address)(uint256) "
        "or Transfer(address indexed from, address indexed to, uint256 value)"
    )
