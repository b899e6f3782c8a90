"""Other people's vcrpy cassettes, YAML or JSON, read by vcrpy's own loaders and nothing taken on trust.

vcrpy opens what is missing or broken as an empty cassette, keeps the last of two equal keys, and follows aliases
without end. So the text is walked first, event by event, within bounds; then vcrpy's safe loader builds it; then every
field is held to the format.
"""

from __future__ import annotations

from binascii import a2b_base64
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vcr.serialize import deserialize
from vcr.serializers import jsonserializer, yamlserializer

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import FORMAT_VERSION, Headers, Interaction
from caia_replay.errors import BadInput, one_line
from caia_replay.store.plain_file import require_few_values

# vcrpy's own parser: what is walked here is what its loader builds.
yaml = yamlserializer.yaml

MAX_FILE_BYTES = 64 * 2**20
MAX_DEPTH = 50
MAX_VALUES = 2_000_000
"""Of JSON."""
MAX_NODES = 600_000
"""Of YAML, whose loader takes a kilobyte for each: 10,000 exchanges of a usual size have half as many."""
# Long numbers take quadratic time to read in base 60, which YAML has.
_MOST_DIGITS = 200
_NUMBER = frozenset("0123456789_:+-")
_BINARY = "tag:yaml.org,2002:binary"


def read_vcr(path: Path) -> list[Interaction]:
    """The interactions of a vcrpy cassette as recorded: bodies still encoded, credentials and all headers there.

    Raises ``BadInput``, naming the file, when it is missing, no plain file, over ``MAX_FILE_BYTES``, not UTF-8, neither
    strict JSON nor safe YAML within bounds, or not format version 1.
    """
    try:
        if path.exists() and not path.is_file():
            raise BadInput("is not a plain file", where=path)
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=path) from None
    if len(data) > MAX_FILE_BYTES:
        raise BadInput(f"has more than {MAX_FILE_BYTES} bytes", where=path)
    if not data.strip():
        raise BadInput("is empty", where=path)
    if data.startswith(BOM_UTF8):  # a YAML loader takes it off, and would take JSON behind it for YAML
        raise BadInput("begins with a byte order mark", where=path)
    try:
        text = data.decode("utf-8")
        requests, responses = deserialize(text, _Checked())[:2]
        return [_interaction(*pair, f"interaction {i}") for i, pair in enumerate(zip(requests, responses, strict=True))]
    except BadInput as error:
        raise BadInput(error.what, where=path) from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, yaml.YAMLError) as error:
        raise BadInput(f"not a vcrpy cassette: {one_line(str(error)):.200}", where=path) from None


class _Checked:
    """vcrpy's serialisers behind a check of the text before them and of the shape after them."""

    def deserialize(self, text: str) -> dict[str, Any]:
        if text.lstrip().startswith("{"):
            require_few_values(text.encode("utf-8", "surrogatepass"), MAX_VALUES)
            strict_json(text)
            value = jsonserializer.deserialize(text)
        else:
            _require_tame(text)
            value = yamlserializer.deserialize(text)
        if isinstance(value, list):
            raise BadInput("is a list: the form from before vcrpy 1.0, which nothing here reads")
        top = _members(value, "the cassette", {"version", "interactions"}, {"metadata"})
        if type(top["version"]) is not int or top["version"] != FORMAT_VERSION:
            raise BadInput(f"version is {top['version']!r:.40}, not {FORMAT_VERSION}")
        if not isinstance(top["interactions"], list):
            raise BadInput("interactions is not a list")
        exchanges = [_exchange(item, f"interaction {i}") for i, item in enumerate(top["interactions"])]
        return {"version": FORMAT_VERSION, "interactions": exchanges}


@dataclass(slots=True)
class _Node:
    """A list or mapping that is being walked; ``size`` is what it unfolds to, aliases written out."""

    is_mapping: bool
    anchor: str | None
    size: int = 1
    children: int = 0
    keys: set[str] = field(default_factory=set)

    @property
    def at_key(self) -> bool:
        return self.is_mapping and self.children % 2 == 0


def _require_tame(text: str) -> None:
    """Raise ``BadInput`` for YAML that nests, unfolds or counts without bound, or that repeats a key."""
    sizes: dict[str, int] = {}
    stack: list[_Node] = [_Node(False, None)]
    for count, event in enumerate(yaml.parse(text, Loader=yamlserializer._CassetteLoader)):
        if count > MAX_NODES:
            raise BadInput(f"line {_line(event)}: more than {MAX_NODES} values; split the cassette")
        here, size = stack[-1], 0
        anchor = getattr(event, "anchor", None)
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if here.at_key:
                raise BadInput(f"line {_line(event)}: a key is not a text")
            if len(stack) > MAX_DEPTH:
                raise BadInput(f"line {_line(event)}: nested more than {MAX_DEPTH} deep")
            stack.append(_Node(isinstance(event, yaml.MappingStartEvent), anchor))
            continue
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            done = stack.pop()
            here, size, anchor = stack[-1], done.size, done.anchor
        elif isinstance(event, yaml.ScalarEvent):
            size = len(event.value) + 1
            _check_scalar(event, here)
        elif isinstance(event, yaml.AliasEvent):
            if here.at_key or anchor not in sizes:
                raise BadInput(f"line {_line(event)}: alias {anchor!r:.40} stands for a key, for itself or for nothing")
            size, anchor = sizes[anchor], None
        else:
            continue
        if anchor is not None:
            sizes[anchor] = size
        here.size += size
        here.children += 1
        if here.size > MAX_FILE_BYTES:
            raise BadInput(f"line {_line(event)}: unfolds to more than {MAX_FILE_BYTES} bytes")


def _check_scalar(event: Any, here: _Node) -> None:
    value = event.value
    is_plain = not event.style  # None or an empty text, by which parser is installed
    if len(value) > _MOST_DIGITS and (is_plain or event.tag) and _NUMBER.issuperset(value):
        raise BadInput(f"line {_line(event)}: a number of {len(value)} characters")
    if event.tag == _BINARY:
        # The loader drops what is not base64, and would hand over less than was recorded.
        try:
            a2b_base64("".join(value.split()), strict_mode=True)
        except ValueError as error:
            raise BadInput(f"line {_line(event)}: binary data that is not base64: {error}") from None
    if here.at_key:
        if value in here.keys:
            raise BadInput(f"line {_line(event)}: key {value!r:.60} appears twice in one mapping")
        if value == "<<":
            raise BadInput(f"line {_line(event)}: merges mappings, which no recorder writes")
        here.keys.add(value)


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _exchange(value: Any, where: str) -> dict[str, Any]:
    both = _members(value, where, {"request", "response"})
    request = _members(both["request"], f"{where}: request", {"method", "uri", "body", "headers"})
    for name in ("method", "uri"):
        if not isinstance(request[name], str):
            raise BadInput(f"{where}: {name} is not text")
    try:
        urlsplit(request["uri"])
    except ValueError:  # whose message shows the URL, where credentials live
        raise BadInput(f"{where}: its URL cannot be taken apart") from None
    response = both["response"]
    if isinstance(response, dict) and "status_code" in response:  # what vcrpy wrote for httpx before version 6
        old = _members(response, f"{where}: response", {"status_code", "headers", "content"}, {"http_version"})
        status, body = {"code": old["status_code"], "message": None}, old["content"]
    else:
        new = _members(response, f"{where}: response", {"status", "headers", "body"}, {"url", "protocol"})
        status = _members(new["status"], f"{where}: status", {"code"}, {"message"})
        body = None if new["body"] is None else _members(new["body"], f"{where}: reply body", {"string"})["string"]
    if type(status["code"]) is not int:
        raise BadInput(f"{where}: status code is {status['code']!r:.40}, not an integer")
    if not isinstance(body, (str, bytes, type(None))):
        raise BadInput(f"{where}: reply body is neither text nor bytes")
    return {
        "request": request | {"headers": _headers(request["headers"], f"{where}: request headers")},
        "response": {
            "status": {"code": status["code"], "message": status.get("message") or ""},
            "headers": _headers(response["headers"], f"{where}: reply headers"),
            "body": {"string": body or b""},
            "request_headers": _headers(request["headers"], f"{where}: request headers"),
        },
    }


def _members(value: Any, where: str, names: set[str], optional: frozenset[str] | set[str] = frozenset()) -> Any:
    if not isinstance(value, Mapping):
        raise BadInput(f"{where} is not a mapping")
    odd = [name for name in value if name not in names | optional] + sorted(names - value.keys())
    if odd:
        raise BadInput(f"{where} {'has an unknown' if odd[0] in value else 'lacks the'} field {odd[0]!r:.60}")
    return value


def _headers(value: Any, where: str) -> dict[str, list[str]]:
    if not isinstance(value, Mapping):
        raise BadInput(f"{where} are not a mapping")
    found: dict[str, list[str]] = {}
    for name, lines in value.items():
        if not isinstance(name, str):
            raise BadInput(f"{where}: {name!r:.60} is not a header name")
        listed = lines if isinstance(lines, (list, tuple)) else [lines]
        texts = [line.decode("utf-8") if isinstance(line, bytes) else line for line in listed]
        if not all(isinstance(text, str) for text in texts):
            raise BadInput(f"{where}: {name} is not a list of texts")
        if texts:
            found.setdefault(name.lower(), []).extend(text.strip(" \t") for text in texts)
    return found


def _interaction(request: Any, response: dict[str, Any], where: str) -> Interaction:
    body, request_body = response["body"]["string"], request.body_bytes or b""
    if isinstance(body, str) or not isinstance(request_body, bytes):
        raise BadInput(f"{where}: a body holds half of a surrogate pair, or is neither text nor bytes")
    kept: Headers = {name: tuple(lines) for name, lines in response["request_headers"].items()}
    return Interaction(
        method=request.method,
        uri=request.uri,
        request_body=request_body,
        request_headers=kept,
        status=response["status"]["code"],
        reason=response["status"]["message"],
        headers={name: tuple(lines) for name, lines in response["headers"].items()},
        body=body,
    )
