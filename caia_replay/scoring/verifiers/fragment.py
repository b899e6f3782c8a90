"""ABI fragments in text: Solidity's words, bare signatures and JSON entries, with canonical types.

Types follow the contract ABI specification of Solidity; reading is one pass and never recurses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fragment:
    """A function, event or error as stated between ``start`` and ``end``.

    ``kind`` is None where neither the fragment nor the word beside it tells it.
    ``inputs`` and ``outputs`` are canonical types; ``outputs`` is None where nothing tells what is returned.
    """

    kind: str | None
    name: str
    inputs: tuple[str, ...]
    indexed: tuple[bool, ...]
    outputs: tuple[str, ...] | None
    start: int = 0
    end: int = 0

    def signature(self) -> str:
        """The text its selector is the hash of."""
        return f"{self.name}({','.join(self.inputs)})"

    def label(self) -> str:
        """One text for equal fragments."""
        indexed = "".join("i" if one else "-" for one in self.indexed) if any(self.indexed) else ""
        returned = "" if self.outputs is None else f"({','.join(self.outputs)})"
        return " ".join(part for part in (self.kind or "", self.signature(), indexed, returned) if part)


_KINDS = ("function", "event", "error")
_HEAD = re.compile(r"(?<![\w$.])(?:(?P<kind>function|event|error)\s+)?(?P<name>[A-Za-z_$][\w$]{0,100})\s?(?=\()")
_NAMED_KIND = r"(?:custom\s+)?(?P<kind>function|method|event|error|modifier|constructor|struct|函数|方法|事件|错误)"
_KIND_BEFORE = re.compile(
    rf"(?<![\w-]){_NAMED_KIND}(?:\s+(?:signature|called|named))?[\s:：\"'`*]{{1,4}}$", re.IGNORECASE
)
_KIND_AFTER = re.compile(
    rf"[\s\"'`*]{{1,4}}(?:is\s+(?:an?|the)\s+|是(?:一个)?)?(?:solidity\s+)?{_NAMED_KIND}(?![\w-])", re.IGNORECASE
)
_SAME_KIND = {"method": "function", "函数": "function", "方法": "function", "事件": "event", "错误": "error"}
_TOKEN = re.compile(r"\s*(?:(?P<word>[A-Za-z_$][\w$.]*)|(?P<array>\[\s*\d*\s*\])|(?P<mark>[(),]))")
_PLAIN = re.compile(
    r"address|bool|string|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|"
    r"160|168|176|184|192|200|208|216|224|232|240|248|256)?|u?fixed(?:\d{1,3}x\d{1,2})?|function|byte"
)
_ALIASES = {"uint": "uint256", "int": "int256", "fixed": "fixed128x18", "ufixed": "ufixed128x18", "byte": "bytes1"}
_ALIASES |= {"function": "bytes24"}
_PLACES = frozenset(("memory", "calldata", "storage", "payable"))
_AFTER = re.compile(
    r"(?:\s+(?:external|public|internal|private|view|pure|payable|nonpayable|virtual|override|anonymous))*\s*"
    r"(?:(?:returns?|->|→|:)\s*(?=\())?"
)
_RETURNS = re.compile(r"(?:returns?|->|→|:)\s*$")
_OBJECT = re.compile(r"[\[{]")
_TRIES = 8
"""Places at which JSON is tried to begin."""


def fragments(text: str) -> tuple[Fragment, ...]:
    """Every fragment ``text`` states, in order: those of its JSON, and Solidity's outside of it."""
    found: list[Fragment] = []
    rest, at, tries = text, 0, 0
    while tries < _TRIES and (start := _OBJECT.search(rest, at)):
        tries += 1
        value, end = _json(rest, start.start())
        entries = [] if value is None else list(_entries(value))
        if entries:
            found += [_placed(entry, start.start(), end) for entry in entries]
            rest = rest[: start.start()] + " " * (end - start.start()) + rest[end:]
            at = end
        else:
            at = start.end()
    return tuple(sorted([*found, *_written(rest)], key=lambda one: one.start))


def _placed(entry: Fragment, start: int, end: int) -> Fragment:
    return Fragment(entry.kind, entry.name, entry.inputs, entry.indexed, entry.outputs, start, end)


def _json(text: str, start: int) -> tuple[Any, int]:
    decoder = json.JSONDecoder()
    for spelled in (text, text.replace("'", '"').replace("True", "true").replace("False", "false")):
        try:
            value, end = decoder.raw_decode(spelled, start)
        except (ValueError, RecursionError):
            continue
        return value, end  # both spellings are equally long
    return None, start


def _entries(value: Any) -> Iterator[Fragment]:
    """The fragments of a JSON value: an entry, a list of entries, or either under one name such as "abi"."""
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, Mapping):
            continue
        if isinstance(item.get("name"), str) and isinstance(item.get("inputs"), list):
            entry = _entry(item)
            if entry:
                yield entry
            continue
        for inner in item.values():
            for deeper in inner if isinstance(inner, list) else [inner]:
                if isinstance(deeper, Mapping) and isinstance(deeper.get("inputs"), list) and (entry := _entry(deeper)):
                    yield entry
                elif isinstance(deeper, str):
                    yield from _written(deeper)


def _entry(item: Mapping[str, Any]) -> Fragment | None:
    inputs = [_json_type(part, 0) for part in item["inputs"]]
    outputs = [_json_type(part, 0) for part in item["outputs"]] if isinstance(item.get("outputs"), list) else None
    kind, name = item.get("type"), item.get("name")
    if not isinstance(name, str) or None in inputs or (outputs is not None and None in outputs):
        return None
    name, _, _ = name.partition("(")
    indexed = tuple(isinstance(part, Mapping) and part.get("indexed") is True for part in item["inputs"])
    lines = None if outputs is None else tuple(str(one) for one in outputs)
    return Fragment(kind if isinstance(kind, str) else None, name, tuple(str(one) for one in inputs), indexed, lines)


def _json_type(part: Any, depth: int) -> str | None:
    if isinstance(part, str):
        part = {"type": part}
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str) or depth > 20:
        return None
    name = part["type"].replace(" ", "")
    base, bracket, arrays = name.partition("[")
    if base == "tuple":
        inner = [_json_type(one, depth + 1) for one in part.get("components") or ()]
        if None in inner:
            return None
        return f"({','.join(str(one) for one in inner)}){bracket}{arrays}"
    plain = _plain(base)
    return None if plain is None else plain + bracket + arrays


def _plain(word: str) -> str | None:
    return _ALIASES.get(word, word) if _PLAIN.fullmatch(word) else None


def _written(text: str) -> Iterator[Fragment]:
    """Solidity's fragments. Words before brackets are prose unless what is in them are types."""
    at = 0
    while head := _HEAD.search(text, at):
        named = head["name"] not in (*_KINDS, "returns", "tuple")
        inputs = _parameters(text, head.end()) if named else None
        if inputs is None:
            at = head.end()
            continue
        types, indexed, known, end = inputs
        after = _AFTER.match(text, end)
        outputs = None
        if after and _RETURNS.search(text, end, after.end()) and (parameters := _parameters(text, after.end())):
            outputs, end = parameters[0], parameters[3]
        at = end
        kind = head["kind"] or _kind_beside(text, head.start(), end)
        if head["kind"] or known or not types:
            yield Fragment(kind, head["name"], types, indexed, outputs, head.start(), end)


def _kind_beside(text: str, start: int, end: int) -> str | None:
    """The kind that the word before a fragment or after it tells ("the transfer(address) event")."""
    found = _KIND_BEFORE.search(text, max(0, start - 40), start) or _KIND_AFTER.match(text, end, end + 40)
    word = found["kind"].lower() if found else None
    return _SAME_KIND.get(word, word) if word else None


def _parameters(text: str, start: int) -> tuple[tuple[str, ...], tuple[bool, ...], bool, int] | None:
    """Types in the brackets that open at ``start``, which are indexed, whether any type is known, and the end.

    None when the brackets hold prose or do not close. A type that only its contract knows (a struct or enum by
    name) is kept as it is spelled with a "?": it equals no canonical type.
    """
    stack: list[list[str]] = []
    flags: list[bool] = []
    words: list[str] = []
    known, current, at = False, "", start
    while token := _TOKEN.match(text, at):
        at = token.end()
        if token["word"]:
            words.append(token["word"])
            if len(words) > 5:
                return None
        elif token["array"]:
            if words and not current:
                plain = _plain(words[0])
                current, known = plain or words[0] + "?", known or plain is not None
            if not current:
                return None
            current += token["array"].replace(" ", "")
        elif token["mark"] == "(":
            if current or (words and words != ["tuple"]):
                return None
            words = []
            stack.append([])
        else:
            if not stack:
                return None
            if words or current:
                named = _finish(words, current)
                if named is None:
                    return None
                known = known or not named.endswith("?")
                stack[-1].append(named)
                if len(stack) == 1:
                    flags.append("indexed" in words)
            elif stack[-1] or token["mark"] == ",":
                return None
            words, current = [], ""
            if token["mark"] == ")":
                done = stack.pop()
                if not stack:
                    return tuple(done), tuple(flags), known, at
                current = f"({','.join(done)})"
    return None


def _finish(words: list[str], current: str) -> str | None:
    """One parameter's type from its words ("uint256 indexed amount"), ``current`` where it is a tuple or array."""
    extra = [word for word in words if word != "indexed" and word not in _PLACES]
    if current:
        return current if len(extra) <= (1 if current[0] == "(" else 2) else None
    if not extra or len(extra) > 2:
        return None
    return _plain(extra[0]) or extra[0] + "?"
