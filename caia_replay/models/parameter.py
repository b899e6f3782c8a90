"""The optional parameters of a request, and which of them a server has just refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from caia_replay.models.endpoint_error import EndpointError

STRICT = "strict"
_LENGTHS = ("max_tokens", "max_completion_tokens")
_ROLES = ("system", "user")
_REFUSING = re.compile(
    r"unsupported|not support|n't support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra|invalid"
    r"|deprecated|cannot|can only|must|no such|only the default|not available|incompatible"
)


@dataclass(frozen=True, slots=True)
class Quirks:
    """Which optional parameters a model is sent; ``registry.toml`` fills one per model.

    ``temperature`` (0) and ``seed``: whether they are sent. ``strict_tools``: whether tools are marked strict.
    ``max_output_tokens`` goes out as ``max_tokens_parameter`` (max_tokens or max_completion_tokens), where both are
    given. ``system_role``: the role of the instructions (system, developer or user). ``extra_body`` is sent as it
    is, above all else. ``stream``: whether the reply is asked for in pieces.
    """

    temperature: bool = True
    seed: bool = True
    strict_tools: bool = True
    max_tokens_parameter: str | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    system_role: str = "system"
    parallel_tool_calls: bool | None = None
    stream: bool = False


def optional_fields(quirks: Quirks, seed: int, refused: Set[str], most_tokens: int | None = None) -> dict[str, Any]:
    """The request's optional fields: what the model's quirks want, without what its server has refused. An output may
    have ``most_tokens`` where that is less than the quirks say."""
    wanted: dict[str, Any] = {}
    if quirks.temperature:
        wanted["temperature"] = 0
    if quirks.seed:
        wanted["seed"] = seed
    limits = [limit for limit in (quirks.max_output_tokens, most_tokens) if limit is not None]
    length = next((name for name in _lengths(quirks, most_tokens) if name not in refused), None)
    if length is not None:
        wanted[length] = min(limits)
    if quirks.reasoning_effort is not None:
        wanted["reasoning_effort"] = quirks.reasoning_effort
    if quirks.parallel_tool_calls is not None:
        wanted["parallel_tool_calls"] = quirks.parallel_tool_calls
    if quirks.stream:
        wanted |= {"stream": True, "stream_options": {"include_usage": True}}
    fields = {name: value for name, value in (wanted | dict(quirks.extra_body)).items() if name not in refused}
    if "stream" not in fields:
        fields.pop("stream_options", None)
    return fields


def system_role(quirks: Quirks, refused: Set[str]) -> str:
    """The role that instructions are sent in; the user's when no other is left."""
    roles = (quirks.system_role, *_ROLES)
    return next((role for role in roles if _role_name(role) not in refused), "user")


def strict_tools(quirks: Quirks, refused: Set[str]) -> bool:
    """Whether tools are marked strict."""
    return quirks.strict_tools and STRICT not in refused


def refused_name(
    fault: EndpointError, quirks: Quirks, refused: Set[str], *, tools: bool, most_tokens: int | None = None
) -> str | None:
    """What a server will not have of the optional things a request of ``quirks`` and ``refused`` held.

    It names it as the error's ``param``, or in words. None for any other error. Whatever it names is left out from
    then on (or exchanged: a limit on the output has two names, instructions have several roles), so that nothing
    can be refused twice.
    """
    if fault.status not in (400, 422):
        return None
    sent = sorted(optional_fields(quirks, 0, refused, most_tokens), key=lambda name: (-len(name), name))
    if tools and strict_tools(quirks, refused):
        sent.append(STRICT)
    role = system_role(quirks, refused)
    if fault.param:
        place = re.sub(r"\[\d+\]|\.\d+(?=\.|$)", "", fault.param).removeprefix("body.")
        if place.endswith(("messages.role", "messages")) and role != "user" and _names_role(fault, role):
            return _role_name(role)
        if STRICT in sent and place.startswith("tools.") and place.endswith((".strict", ".parameters")):
            return STRICT
        return next((name for name in sent if place in (name, name.replace("_", "."))), None)
    if not _REFUSING.search(fault.words):
        return None
    if role != "user" and _names_role(fault, role):
        return _role_name(role)
    return next((name for name in sent if _is_named(name, fault.words)), None)


def _lengths(quirks: Quirks, most_tokens: int | None) -> tuple[str, ...]:
    first = quirks.max_tokens_parameter
    if most_tokens is not None:
        first = first or _LENGTHS[0]
    elif first is None or quirks.max_output_tokens is None:
        return ()
    return (first, *(name for name in _LENGTHS if name != first))


def _role_name(role: str) -> str:
    return f"{role} role"


def _names_role(fault: EndpointError, role: str) -> bool:
    return re.search(rf"\b{role}\b['`\" ]*role|role\b.{{0,40}}\b{role}\b|'{role}'", fault.words) is not None


def _is_named(name: str, words: str) -> bool:
    spelt = "stream(?:ing)?" if name == "stream" else re.escape(name)
    return re.search(rf"(?<![\w-]){spelt}(?![\w-])", words) is not None
