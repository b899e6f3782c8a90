"""A vendor's own description of its API (OpenAPI 3.0, JSON or YAML) as a judge of requests and replies.

``VendorDescription.load(real_data / "openapi" / NAME)`` reads it in place. Every method takes a whole URL, finds the
described path for it (a literal one before one with parameters), and returns faults in words; no fault is an empty
list. A URL that no described path fits is a fault too: ask ``covers`` first where that is no surprise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

_WHOLE = "urn:vendor"
_FORMATS = FormatChecker(formats=())
_WORDS = {"integer": re.compile(r"-?\d+"), "number": re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?"),
          "boolean": re.compile("true|false")}  # fmt: skip


@_FORMATS.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    if isinstance(value, str):
        datetime.fromisoformat(value)
    return True


class VendorDescription:
    """One vendor's description. Read-only."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        whole = Resource(contents=_as_json_schema(document), specification=DRAFT202012)
        self._registry = Registry().with_resource(_WHOLE, whole)
        self._bases = sorted({urlsplit(item["url"]).path.rstrip("/") for item in document.get("servers", ())}) or [""]
        schemes = document.get("components", {}).get("securitySchemes", {}).values()
        self._keys = {scheme["name"] for scheme in schemes if scheme.get("in") == "query"}

    @classmethod
    def load(cls, path: Path) -> VendorDescription:
        """Read a ``.json``, ``.yaml`` or ``.yml`` file."""
        text = path.read_text("utf-8")
        return cls(json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader))

    def covers(self, method: str, url: str) -> bool:
        """Whether some described operation fits."""
        return self._found(method, url) is not None

    def request_faults(self, method: str, url: str) -> list[str]:
        """What the description has against a request: path, missing and unknown parameters, types, enumerations."""
        found = self._found(method, url)
        if found is None:
            return [f"no described operation for {method} {url}"]
        template, inside = found
        pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
        given = {("query", name): value for name, value in pairs} | {("path", name): inside[name] for name in inside}
        faults = [] if len({name for name, _ in pairs}) == len(pairs) else ["a parameter is given twice"]
        known = {}
        for parameter in self._parameters(template, method):
            place = (parameter["in"], parameter["name"])
            known[place] = parameter
            if parameter.get("required") and place not in given and place[0] in ("query", "path"):
                faults.append(f"{template}: required {place[0]} parameter {place[1]} is missing")
        for (kind, name), value in given.items():
            if (kind, name) in known:
                faults += [f"{template}: {name}={value}: {fault}" for fault in self._value(known[kind, name], value)]
            elif kind == "query" and name not in self._keys:
                faults.append(f"{template}: parameter {name} is not described")
        return faults

    def reply_faults(self, method: str, url: str, status: int, body: Any) -> list[str]:
        """What the description has against a reply's parsed JSON: required keys, types, enumerations, formats."""
        pointer = self._reply_pointer(method, url, status)
        if pointer is None:
            return [f"no described reply with status {status} for {method} {url}"]
        judge = Draft202012Validator({"$ref": pointer}, registry=self._registry, format_checker=_FORMATS)
        return [f"{fault.json_path}: {fault.message:.200}" for fault in judge.iter_errors(body)]

    def _found(self, method: str, url: str) -> tuple[str, dict[str, str]] | None:
        """The described path of a URL and its path parameters."""
        path, fits = urlsplit(url).path.rstrip("/"), []
        for template, operations in self._document["paths"].items():
            if method.lower() in operations:
                for base in self._bases:
                    inside = _fit(base + template, path)
                    if inside is not None:
                        fits.append((len(inside), template, inside))
        return min(fits, key=lambda fit: fit[:2])[1:] if fits else None

    def _parameters(self, template: str, method: str) -> Iterator[Mapping[str, Any]]:
        item = self._document["paths"][template]
        for parameter in (*item.get("parameters", ()), *item[method.lower()].get("parameters", ())):
            yield self._resolved(parameter)

    def _resolved(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        """An object of the document, behind its reference."""
        while "$ref" in item:
            found: Any = self._document
            for step in item["$ref"].removeprefix("#/").split("/"):
                found = found[unquote(step).replace("~1", "/").replace("~0", "~")]
            item = found
        return item

    def _value(self, parameter: Mapping[str, Any], text: str) -> list[str]:
        schema = self._resolved(parameter.get("schema", {}))
        if schema.get("type") == "array":
            single = {"schema": schema.get("items", {})}
            try:
                parts = [str(part) for part in json.loads(text)] if text.startswith("[") else text.split(",")
            except ValueError:
                return ["is no list"]
            return [fault for part in parts for fault in self._value(single, part)]
        kind = schema.get("type", "string")
        if kind in _WORDS and not _WORDS[kind].fullmatch(text):
            return [f"is no {kind}"]
        value = json.loads(text) if kind in _WORDS else text
        judge = Draft202012Validator(_as_json_schema(schema), registry=self._registry)
        return [fault.message for fault in judge.iter_errors(value)]

    def _reply_pointer(self, method: str, url: str, status: int) -> str | None:
        """Where the schema of a reply stands in the document."""
        found = self._found(method, url)
        if found is None:
            return None
        replies = self._document["paths"][found[0]][method.lower()]["responses"]
        name = next((name for name in replies if str(name) in (str(status), "default")), None)
        if name is None:
            return None
        parts, reply = ["paths", found[0], method.lower(), "responses", str(name)], replies[name]
        if "$ref" in reply:
            parts, reply = reply["$ref"].removeprefix("#/").split("/"), self._resolved(reply)
        kind = next((kind for kind in reply.get("content", ()) if "json" in kind), None)
        if kind is None or "schema" not in reply["content"][kind]:
            return None
        steps = (quote(step.replace("~", "~0").replace("/", "~1")) for step in (*parts, "content", kind, "schema"))
        return f"{_WHOLE}#/{'/'.join(steps)}"


def _fit(template: str, path: str) -> dict[str, str] | None:
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
    found = re.fullmatch(pattern, path)
    return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}


def _as_json_schema(item: Any) -> Any:
    """OpenAPI 3.0's own words in those of JSON Schema: nullable, and bounds that exclude themselves."""
    if isinstance(item, list):
        return [_as_json_schema(part) for part in item]
    if not isinstance(item, Mapping):
        return item
    made = {str(name): _as_json_schema(part) for name, part in item.items()}
    if made.get("nullable") is True:
        if isinstance(made.get("type"), str):
            made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list):
            made["enum"] = [*made["enum"], None]
    for bound in ("Minimum", "Maximum"):
        if isinstance(made.get(f"exclusive{bound}"), bool) and made.pop(f"exclusive{bound}"):
            made[f"exclusive{bound}"] = made.pop(bound.lower())
    return made
