"""What the explorer knows of a contract: its interface, its sources, who created it; and signatures looked up in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from caia_replay.canonical import strict_json
from caia_replay.errors import Miss, ToolError, nearest
from caia_replay.tools.figure import reading
from caia_replay.tools.interface import asked_of_contract, implementation, misshapen, verified_entries
from caia_replay.tools.signature import Signature, parse_event, parse_signature

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

MOST_CHARACTERS: Final = 8_000
"""Of a source file that are told at once."""

_NAME: Final = re.compile(r"\s*(?:function\s+|event\s+)?([A-Za-z_$][\w$]*)\s*")

Entry = Mapping[str, Any]


def describe_abi(world: ToolContext, chain: str, contract: str) -> dict[str, Any]:
    """The verified interface as signatures, in the form that ``function`` and ``event`` take."""
    entries = verified_entries(world, chain, contract)
    if entries is None:
        return {"contract": contract, "chain": chain, "verified": False}
    texts: dict[str, list[str]] = {"function": [], "event": [], "error": [], "constructor": []}
    for entry in entries:
        if entry.get("type") in texts:
            texts[entry["type"]].append(_text(entry))
    return {
        "contract": contract,
        "chain": chain,
        "verified": True,
        "constructor": next(iter(texts["constructor"]), None),
        "functions": texts["function"],
        "events": texts["event"],
        "errors": texts["error"],
    }


def describe_source(world: ToolContext, chain: str, contract: str, file: str | None, offset: int) -> dict[str, Any]:
    """How a contract was compiled and its files with their sizes; with ``file`` a part of that file's text."""
    rows = asked_of_contract(world, chain, "getsourcecode", address=contract)
    if rows is None:
        return {"contract": contract, "chain": chain, "verified": False}
    row = _first(rows, contract)
    files = _files(row)
    if not files:
        return {"contract": contract, "chain": chain, "verified": False}
    if file is not None:
        return {"contract": contract, "chain": chain, **_part(files, file, offset)}
    proxy = {"0": False, "1": True}.get(str(row.get("Proxy")))
    return {
        "contract": contract,
        "chain": chain,
        "verified": True,
        "name": row.get("ContractName") or None,
        "compiler_version": row.get("CompilerVersion") or None,
        "optimized": {"0": False, "1": True}.get(str(row.get("OptimizationUsed"))),
        "optimizer_runs": _whole(row.get("Runs")),
        "evm_version": row.get("EVMVersion") or None,
        "license": row.get("LicenseType") or None,
        "constructor_arguments": row.get("ConstructorArguments") or None,
        "is_proxy": proxy,
        "implementation": (str(row.get("Implementation") or "").lower() or None) if proxy else None,
        "files": [{"name": name, "characters": len(text)} for name, text in sorted(files.items())],
    }


def describe_creation(world: ToolContext, chain: str, contract: str) -> dict[str, Any]:
    """Who created a contract, in which transaction and block. Raises ``ToolError`` where the explorer knows none."""
    rows = asked_of_contract(world, chain, "getcontractcreation", contractaddresses=contract)
    if not rows:
        raise ToolError(f"the explorer knows no creation of {contract} on {chain}: it is no contract at this moment")
    row = _first(rows, contract)
    return {
        "contract": contract,
        "chain": chain,
        "creator": str(row.get("contractCreator") or "").lower() or None,
        "factory": str(row.get("contractFactory") or "").lower() or None,
        "transaction": row.get("txHash"),
        "block": _whole(row.get("blockNumber")),
        "timestamp": _whole(row.get("timestamp")),
    }


def function_of(world: ToolContext, chain: str, contract: str, text: str, arguments: int) -> Signature:
    """The function that ``text`` names: with return types as it says, without them as the verified interface has it.

    Raises ``ToolError``, and ``Miss`` where the types are needed and no interface is recorded.
    """
    if not _NAME.fullmatch(text):
        asked = parse_signature(text)
        if asked.outputs:
            return asked
        name = asked.canonical
        found = [one for one in _named(world, chain, contract, "function", asked.name) if one.canonical == name]
    else:
        name = _bare(text)
        found = _named(world, chain, contract, "function", name)
        found = [one for one in found if len(one.inputs) == arguments] or found
    chosen = _only(found, name, "function")
    if not chosen.outputs:
        raise ToolError(f"{chosen.canonical} returns nothing; a view function with return types can be read")
    return chosen


def event_of(world: ToolContext, chain: str, contract: str, text: str) -> Signature:
    """The event that ``text`` names, by itself or, for a name alone, in the verified interface. Raises as above."""
    if not _NAME.fullmatch(text):
        return parse_event(text)
    return _only(_named(world, chain, contract, "event", _bare(text)), _bare(text), "event")


def _named(world: ToolContext, chain: str, contract: str, kind: str, name: str) -> list[Signature]:
    """All of one name, in the contract's interface or in that of the code behind a proxy."""
    known: list[str] = []
    verified = False
    behind = implementation(world, chain, contract, world.newest(chain))
    for address in (contract, *([] if behind is None else [behind])):
        try:
            entries = verified_entries(world, chain, address)
        except Miss as miss:
            wanted = f"the types of {name}, which only the interface of {address} tells; give them, such as {name}"
            example = "(address)(uint256)" if kind == "function" else "(address indexed from, uint256 value)"
            raise Miss("http", wanted + example, miss.detail.where, miss.detail.nearest) from miss
        verified = verified or entries is not None
        of_kind = [entry for entry in entries or () if entry.get("type") == kind and not entry.get("anonymous")]
        if found := [parse_signature(_text(entry)) for entry in of_kind if entry.get("name") == name]:
            return found
        known += [str(entry.get("name")) for entry in of_kind]
    if not verified:
        raise ToolError(f"{contract} is not verified, so the types of {name} are not known; give them in full")
    near = nearest(name, known)
    hint = f"; nearest: {near}" if near else ""
    raise ToolError(f"the interface of {contract} has no {kind} {name[:80]!r}{hint}")


def _only(found: Sequence[Signature], name: str, kind: str) -> Signature:
    if not found:
        raise ToolError(f"the interface has no {kind} {name}")
    if len(found) > 1:
        raise ToolError(f"there are {len(found)} of {name}, give one of: {', '.join(one.canonical for one in found)}")
    return found[0]


def _bare(text: str) -> str:
    named = _NAME.fullmatch(text)
    assert named is not None
    return named[1]


def _first(rows: Any, contract: str) -> Entry:
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        return rows[0]
    raise misshapen(contract)


def _files(row: Entry) -> dict[str, str]:
    """Source files by name: a single one, a JSON map of them, or a compiler's whole input in double braces."""
    text = row.get("SourceCode")
    if not isinstance(text, str) or not text.strip():
        return {}
    if not text.lstrip().startswith("{"):
        return {str(row.get("ContractFileName") or f"{row.get('ContractName')}.sol"): text}
    try:
        body = strict_json(text.strip()[1:-1] if text.lstrip().startswith("{{") else text)
        sources = body.get("sources", body)
        return {str(name): str(file["content"]) for name, file in sources.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as fault:
        raise misshapen("its sources") from fault


def _part(files: Mapping[str, str], file: str, offset: int) -> dict[str, Any]:
    wanted = file.strip()
    fits = [name for name in sorted(files) if name == wanted] or [
        name for name in sorted(files) if name.lower().endswith("/" + wanted.lower().removeprefix("/"))
    ]
    if len(fits) != 1:
        near = ", ".join(fits) or nearest(wanted, files) or ", ".join(sorted(files)[:20])
        raise ToolError(f"{file[:100]!r} is {'several' if fits else 'none'} of the {len(files)} files; nearest: {near}")
    text = files[fits[0]]
    if offset > len(text):
        raise ToolError(f"{fits[0]} has {len(text)} characters; offset {offset} lies behind them")
    end = min(len(text), offset + MOST_CHARACTERS)
    following = end if end < len(text) else None
    return {"file": fits[0], "characters": len(text), "offset": offset, "next_offset": following,
            "text": text[offset:end]}  # fmt: skip


def _text(entry: Entry) -> str:
    """An entry of an ABI as people write it, which ``signature`` reads again."""
    with reading("a contract's interface"):
        inside = ", ".join(_parameter(found) for found in entry.get("inputs", ()))
        outputs = ", ".join(_parameter(found) for found in entry.get("outputs", ()))
    mutability = str(entry.get("stateMutability") or "")
    words = f" {mutability}" if mutability in ("view", "pure", "payable") else ""
    returns = f" returns ({outputs})" if outputs else ""
    return f"{entry.get('name') or 'constructor'}({inside}){words}{returns}"


def _parameter(found: Mapping[str, Any]) -> str:
    kind = str(found["type"])
    if kind.startswith("tuple"):
        kind = f"({', '.join(_parameter(part) for part in found['components'])}){kind.removeprefix('tuple')}"
    words = (kind, "indexed" if found.get("indexed") else "", str(found.get("name") or ""))
    return " ".join(word for word in words if word)


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, str) and value.isdecimal() else None
