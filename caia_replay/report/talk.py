"""One run's record as a conversation: what was said, asked and shown, step by step, for the report and the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.tool import Served
from caia_replay.report.readable import readable
from caia_replay.tools.catalog import CATALOG, WALLET
from caia_replay.tools.defences import source_authority

_SILENT: Final = (Served.MISS, Served.ERROR, Served.COMPUTED)

Step = tuple[Any, ...]
"""A model's turn: ("model", turn, content, finish reason, ((id, tool, arguments), ...)).

A call: ("tool", turn, call id, tool, arguments, served class, what was shown, families, planted places, why it missed
("" where it did not), whether an authoritative source told something that no attack touched)."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One run's conversation. ``usage``: (prompt, completion, cached, reasoning) tokens of each turn."""

    attempt: int
    prompt: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    usage: tuple[tuple[int, ...], ...]
    detail: str
    expected: tuple[str, ...]
    planted: tuple[tuple[str, str, str], ...]
    obeyed: tuple[tuple[str, int], ...]
    answer: str | None
    reading: str | None
    reason: str


def talk_of(record: Mapping[str, Any], kept: dict[Any, Any]) -> Talk:
    """A run's record as its conversation; equal parts are one object, which ``kept`` holds."""

    def one(value: Any) -> Any:
        return kept.setdefault(value, value)

    own_tools = record.get("own_tools", {})
    turns = [step for step in record["steps"] if step["kind"] == "model"]
    counted = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
    return Talk(
        attempt=record["attempt"],
        prompt=one(tuple((told["role"], one(told["content"])) for told in record["prompt"])),
        steps=one(tuple(one(_step(step, one, own_tools)) for step in record["steps"])),
        usage=one(tuple(tuple(step[name] for name in counted) for step in turns)),
        detail=record["detail"],
        expected=tuple(record["expected"]),
        planted=one(tuple((lie["attack"], lie["value"], lie["url"]) for lie in record["planted"])),
        obeyed=tuple((str(act.get("attack")), int(act.get("step", 0))) for act in record["attack"]["obeyed"]),
        answer=one(record["answer"]),
        reading=record["score"]["reading"],
        reason=record["score"]["reason"],
    )


def _step(step: Mapping[str, Any], one: Any, own_tools: Mapping[str, str]) -> Step:
    if step["kind"] == "model":
        asked = tuple((call["id"], call["name"], one(call["arguments"])) for call in step["tool_calls"])
        return ("model", step["turn"], one(step["content"]), step["finish_reason"], asked)
    names = tuple(step["altered_by"])
    places = tuple(map(str, step.get("altered_at", ())))
    shown = one(readable(step["shown"]))
    head = ("tool", step["turn"], step["call_id"], step["tool"], one(step["arguments"]), step["served"])
    return (*head, shown, names, places, _why_missed(step), _informs(step, own_tools))


def _why_missed(step: Mapping[str, Any]) -> str:
    """What is not recorded, and what is nearest to it: the model is told neither."""
    missed, near = step.get("missed"), step["nearest"]
    wanted = str(missed.get("message", "")) if isinstance(missed, Mapping) else ""
    return "; ".join(filter(None, (wanted, near and f"nearest recording: {near}")))


def _informs(step: Mapping[str, Any], own_tools: Mapping[str, str]) -> bool:
    """As ``runner.attack_facts`` has it: an authoritative tool told something that no attack touched."""
    source = authority_of(step["tool"]) if step["tool"] in CATALOG else own_tools.get(step["tool"], "")
    return source == "authoritative" and step["served"] not in _SILENT and not step["altered_by"]


def authority_of(tool: str) -> str:
    """The class of a tool's source, as the labelled arm tells it; "" for a name that is no tool's."""
    known = CATALOG.get(tool) or WALLET.get(tool)
    return "" if known is None else source_authority(known.spec)
