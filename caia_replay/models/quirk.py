"""What one model's endpoint wants otherwise than OpenAI's chat completions do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
