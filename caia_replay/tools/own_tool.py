"""What a suite's own tool does: its one request, made of the arguments, and what is shown of the reply.

The reply is the world's, recorded like any other; what is not recorded is a miss as everywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final
from urllib.parse import quote, urlencode

from pydantic import Field

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.secret import SCRUBBED, is_secret
from caia_replay.core.own_tool import GAP, OwnTool
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.tool_context import ToolContext, refusal_words

_TYPES: Final[Mapping[str, type]] = {"text": str, "integer": int, "number": float, "boolean": bool}
_JSON: Final = "application/json"
_MANY: Final = 10_000
"""Characters of one text argument; an address is not longer."""


def function_of(tool: OwnTool) -> Callable[..., dict[str, Any]]:
    """The tool as a function whose signature and docstring are its schema, as those of the catalog are.

    Raises ``ValueError`` for a credential in its template: keys are put on when recording, and never stand in a file.
    """
    for name, value in (*tool.query.items(), *tool.headers.items()):
        if is_secret(name) and value != SCRUBBED:
            raise ValueError(f'tool {tool.name!r}: {name!r:.60} is a credential; write "{SCRUBBED}" for its value')

    def asked(world: ToolContext, **values: Any) -> dict[str, Any]:
        request = request_of(tool, values)
        reply = world.fetch(request)
        try:
            text = reply.body.decode("utf-8")
        except ValueError:
            raise Miss("http", f"{request.method} {request.url:.300}", "what was recorded is no text") from None
        if not 200 <= reply.status < 300:
            raise ToolError(f"{tool.name} was refused with status {reply.status}: {_words(text)}")
        if not tool.show:
            return {"text": text}
        try:
            content = strict_json(text)
        except ValueError as fault:
            raise Miss("http", f"{request.method} {request.url:.300}", "what was recorded is no JSON") from fault
        return {"value": shown(tool, content)}

    hints: dict[str, Any] = {}
    parameters = [inspect.Parameter("world", inspect.Parameter.POSITIONAL_ONLY)]
    for name, one in sorted(tool.parameters.items(), key=lambda pair: not pair[1].required):
        kind: Any = _TYPES[one.type] if one.required else _TYPES[one.type] | None
        hints[name] = Annotated[kind, Field(description=one.description)]
        default = inspect.Parameter.empty if one.required else None
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    asked.__name__, asked.__doc__, asked.__annotations__ = tool.name, tool.description, hints
    asked.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return asked


def request_of(tool: OwnTool, values: Mapping[str, Any]) -> HttpRequest:
    """The request for the arguments ``values``, None for those that were left out. Raises ``ToolError`` for an argument
    that an address cannot hold."""
    texts = {name: _text(value) for name, value in values.items() if value is not None}
    for name, text in texts.items():
        if len(text) > _MANY:
            raise ToolError(f"{name} has more than {_MANY} characters")
        if f"{{{name}}}" in tool.url and text in ("", ".", ".."):
            raise ToolError(f"{name} is {text!r}, which is no part of an address")
    url = GAP.sub(lambda found: quote(texts[found[1]], safe=""), tool.url)
    query = {name: _filled(text, texts) for name, text in tool.query.items() if _is_given(text, texts)}
    headers = {name.lower(): value for name, value in tool.headers.items()}
    if query:
        url = f"{url}?{urlencode(query)}"
    if tool.body is None:
        return HttpRequest(tool.method, url, b"", headers)
    body = _body(tool.body, values, texts)
    return HttpRequest(tool.method, url, canonical_bytes(body), {"content-type": _JSON, **headers})


def shown(tool: OwnTool, content: Any) -> Any:
    """What ``show`` selects of a reply's JSON. Raises ``ToolError`` for nothing, which is no empty value."""
    steps, is_list = tool.places()
    found = [content]
    for at, step in enumerate(steps):
        below: list[Any] = []
        for value in found:
            if step is None:
                below += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            elif _has(value, step):
                below.append(value[step])
        if not below and not (is_list and None in steps[: at + 1]):
            raise ToolError(f"the reply has nothing at {tool.show}")
        found = below
    return found if is_list else found[0]


def _has(value: Any, step: str | int) -> bool:
    if isinstance(step, int):
        return isinstance(value, list) and step < len(value)
    return isinstance(value, dict) and step in value


def _body(template: Any, values: Mapping[str, Any], texts: Mapping[str, str]) -> Any:
    if isinstance(template, Mapping):
        kept = {name: one for name, one in template.items() if not isinstance(one, str) or _is_given(one, texts)}
        return {name: _body(one, values, texts) for name, one in kept.items()}
    if isinstance(template, (list, tuple)):
        return [_body(one, values, texts) for one in template if not isinstance(one, str) or _is_given(one, texts)]
    if not isinstance(template, str):
        return template
    whole = GAP.fullmatch(template)
    return _filled(template, texts) if whole is None else _number(values[whole[1]])


def _is_given(template: str, texts: Mapping[str, str]) -> bool:
    """Whether every argument of a template was given; one that was left out takes its whole field with it."""
    return all(name in texts for name in GAP.findall(template))


def _filled(template: str, texts: Mapping[str, str]) -> str:
    return GAP.sub(lambda found: texts[found[1]], template)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(_number(value))


def _words(text: str) -> str:
    """What a refusal says, wherever its API puts it."""
    try:
        return refusal_words(strict_json(text))
    except ValueError:
        return text[:300]
