"""Forms for tools, made of their schemas, and what a person typed into one as the JSON that a model would have written.

A field that is left empty is left out, as a model may leave it out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput
from caia_replay.intake.html import Html, tag

_WHOLE: Final = re.compile(r"[+-]?\d{1,78}")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
_FLAGS: Final = {"yes": True, "no": False}
_WORDS: Final = {"integer": "a whole number", "number": "a number", "string": "text", "array": "a list"}


def field_name(tool: str, parameter: str) -> str:
    """What the field of a parameter is called in the form."""
    return f"arg {tool} {parameter}"


def tool_form(spec: ToolSpec, fields: Mapping[str, str], *, is_open: bool) -> Html:
    """A tool's part of the form: what it does, a field for each parameter, and the button that calls it. It stands open
    where it was used last, and where something is typed in it."""
    first, _, rest = spec.description.partition("\n")
    return tag(
        "details",
        tag("summary", tag("b", spec.name), f": {first}"),
        tag("p", rest) if rest.strip() else None,
        [_field(spec.name, name, schema, fields) for name, schema in _properties(spec).items()],
        tag("button", f"Call {spec.name}", type="submit", name="do", value=f"call {spec.name}"),
        class_="tool",
        open=is_open or any(fields.get(field_name(spec.name, name), "").strip() for name in _properties(spec)),
    )


def read_arguments(spec: ToolSpec, fields: Mapping[str, str]) -> str:
    """The arguments of a call as JSON text. Raises ``BadInput`` naming the field that cannot be read."""
    found = {}
    for name, schema in _properties(spec).items():
        text = fields.get(field_name(spec.name, name), "")
        if text.strip():
            found[name] = _value(name, schema, text if "\n" in text.strip() else text.strip())
    return canonical_bytes(found).decode()


def _properties(spec: ToolSpec) -> Mapping[str, Mapping[str, Any]]:
    return spec.parameters.get("properties") or {}


def _kinds(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a value may be: the alternatives but null."""
    return [one for one in schema.get("anyOf") or [schema] if one.get("type") != "null"]


def _field(tool: str, name: str, schema: Mapping[str, Any], fields: Mapping[str, str]) -> Html:
    key = field_name(tool, name)
    given, kinds = fields.get(key, ""), _kinds(schema)
    choices = [str(one) for kind in kinds for one in kind.get("enum") or ()]
    if any(kind.get("type") == "boolean" for kind in kinds) and len(kinds) == 1:
        choices = list(_FLAGS)
    types = [str(kind.get("type", "")) for kind in kinds]
    words = " or ".join(dict.fromkeys(_WORDS.get(one, one) for one in types if one)) or "JSON"
    control = (
        tag("select", [tag("option", one, value=one, selected=one == given) for one in ("", *choices)], name=key)
        if choices
        # A browser drops a line break right after the tag: an own one keeps the text's.
        else tag("textarea", f"\n{given}", name=key, rows=6 if name == "code" else 1, class_="code", spellcheck="false")
    )
    told = f"{name} ({'one of these' if choices else words})"
    return tag("p", tag("label", tag("b", told), f" {schema.get('description', '')}", control))


def _value(name: str, schema: Mapping[str, Any], text: str) -> Any:
    kinds = _kinds(schema)
    types = {kind.get("type") for kind in kinds}
    if types == {"boolean"}:
        if text not in _FLAGS:
            raise BadInput(f"{name}: yes or no is wanted, not {text!r:.60}", where="form")
        return _FLAGS[text]
    if types & {"integer", "number"} and _WHOLE.fullmatch(text):
        return int(text)
    if "number" in types and _NUMBER.fullmatch(text):
        return float(text)
    if types & {"array", "object"} and text.lstrip()[:1] in ("[", "{"):
        try:
            return strict_json(text)
        except ValueError as fault:
            raise BadInput(f"{name}: this is not JSON: {fault}", where="form") from None
    if "string" in types or not types - {None}:
        return text
    if "array" in types:
        items = next(kind for kind in kinds if kind.get("type") == "array").get("items") or {"type": "string"}
        return [_value(name, items, one.strip()) for one in text.splitlines() if one.strip()]
    wanted = " or ".join(_WORDS.get(str(one), str(one)) for one in sorted(map(str, types)))
    raise BadInput(f"{name}: {wanted} is wanted, not {text!r:.60}", where="form")
