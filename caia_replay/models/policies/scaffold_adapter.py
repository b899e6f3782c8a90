"""Policies under agents that do not speak native tool calls: what they read, and how what they say is put.

A policy speaks OpenAI's native tool calls, as under ``react``. Every other agent has its own message forms, so a
dialect stands between: from one request it makes the conversation that the policy would have had natively, asks the
policy, and puts the answer in the agent's form. It keeps nothing between requests, as no model may. The law: whatever
is called and answered, the policy sees the same results as natively.

Lines of JSON are split at line feeds alone: canonical JSON escapes those, and no other character that ends a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from caia_replay.canonical import canonical_bytes
from caia_replay.models.policies.conversation import Policy, Wire, no_answer_message, parsed

TOOLS_LINE = "Tools (one JSON object per line):"
RESULTS_LINE = "Results (one JSON object per line):"
EVIDENCE_LINE = "Evidence (one JSON object per line):"
PLAN_NOW = "Make the plan now."
ANSWER_NOW = "Answer now."
OBSERVATION = "Observation: "
PLAN = "1. Answer the question with the tools."

_FINAL = "FINAL ANSWER:"
_ACTION = re.compile(r"^\s*(?:action|observation)", re.IGNORECASE)

Translate = Callable[[Policy, Sequence[Wire], Sequence[Wire]], dict[str, Any]]
"""One request put to a policy: the policy, the request's ``messages`` and ``tools``; the assistant's message."""


class TranslatedPolicy:
    """A policy that reads and writes one agent's message forms."""

    def __init__(self, policy: Policy, translate: Translate) -> None:
        self._policy = policy
        self._translate = translate

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """What the policy says, in the agent's form."""
        return self._translate(self._policy, messages, tools)


def in_dialect_of(agent: str, policy: Policy) -> Policy:
    """``policy`` as the agent called ``agent`` needs it; unchanged for an agent of native tool calls."""
    translate = _DIALECTS.get(agent)
    return policy if translate is None else TranslatedPolicy(policy, translate)


def _text_react(policy: Policy, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
    """Thought, Action, Action Input and Observation, one call a message; the tools stand in the system message.

    The conversation is played again from its beginning: a policy is pure, so that equal results bring it to where it
    was. Calls that it makes at once are made one by one, and it hears of them together, as natively.
    """
    offered = [tool for line in _lines_after(TOOLS_LINE, _text(messages, "system")) if (tool := _tool(line))]
    native: list[Wire] = [message for message in messages if message.get("role") in ("system", "user")][:2]
    asked = next((at for at, message in enumerate(messages) if message.get("role") == "user"), len(messages))
    observed = [
        message["content"].removeprefix(OBSERVATION)
        for message in messages[asked + 1 :]
        if message.get("role") == "user" and str(message.get("content")).startswith(OBSERVATION)
    ]
    while True:
        said = policy.respond(native, offered)
        calls = said.get("tool_calls") or ()
        if not calls:
            return no_answer_message(_answered(said) if _final_line(said) else _spoken(said))
        if len(calls) > len(observed):
            function = calls[len(observed)]["function"]
            text = f"Thought: {_spoken(said)}\nAction: {function['name']}\nAction Input: {function['arguments']}"
            return {"role": "assistant", "content": text}
        native += [said, *(_result(call["id"], text) for call, text in zip(calls, observed))]
        observed = observed[len(calls) :]


def _caia(policy: Policy, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
    """Native calls beside a decision object; then a synthesis that knows the evidence alone.

    There the tools are those which the evidence names: a policy sends every parameter, so their names are known.
    """
    lines = _first_user_text(messages).split("\n")
    if lines[-1] != ANSWER_NOW or EVIDENCE_LINE not in lines:
        said = policy.respond(messages, tools)
        decision = "tool_call" if said.get("tool_calls") else "synthesis"
        content = {"decision": decision, "reasoning": _spoken(said)}
        return {**said, "content": canonical_bytes(content).decode("utf-8", "replace")}
    at = len(lines) - 1 - lines[::-1].index(EVIDENCE_LINE)
    native: list[Wire] = [{"role": "user", "content": "\n".join(lines[:at]).rstrip()}]
    known: dict[str, Wire] = {}
    for line in lines[at + 1 : -1]:
        evidence = parsed(line)
        if isinstance(evidence, Mapping) and "tool_output" in evidence:
            call = _evidenced_call(evidence)
            arguments = parsed(call["function"]["arguments"])
            if isinstance(arguments, Mapping):
                known[call["function"]["name"]] = {name: {} for name in arguments}
            native += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                _result(call["id"], _as_text(evidence["tool_output"])),
            ]
    said = policy.respond(native, [_native_tool(name, properties) for name, properties in known.items()])
    reply = {"reasoning": _spoken(said), "answer": _final_line(said).removeprefix(_FINAL).strip()}
    return no_answer_message(canonical_bytes(reply).decode("utf-8", "replace"))


def _plan_execute(policy: Policy, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
    """A plan of one step, which the policy plays natively; its result is the synthesiser's."""
    lines = _first_user_text(messages).split("\n")
    if lines[-1] == PLAN_NOW:
        return no_answer_message(PLAN)
    if lines[-1] == ANSWER_NOW and RESULTS_LINE in lines:
        at = len(lines) - 1 - lines[::-1].index(RESULTS_LINE)
        results = [found for line in lines[at + 1 : -1] if isinstance(found := parsed(line), Mapping)]
        said = {"content": results[-1].get("result") if results else ""}
        # Where a budget cut the step off, its result is what tools said: theirs is no answer of the policy's.
        return no_answer_message(_answered(said) if _final_line(said) else "The step has no answer.")
    return policy.respond(messages, tools)


_DIALECTS: Mapping[str, Translate] = MappingProxyType(
    {"caia": _caia, "plan-execute": _plan_execute, "text-react": _text_react}
)


def _spoken(said: Wire) -> str:
    """What a message says beside its calls, on one line that reads as neither an action nor an observation."""
    text = " ".join(str(said.get("content") or "").split())
    if not text:
        return "The script's next call." if said.get("tool_calls") else "The script says nothing."
    return f"Said: {text}" if _ACTION.match(text) else text


def _final_line(said: Wire) -> str:
    """The last line of what a message says, where it is a final answer; "" elsewhere."""
    last = str(said.get("content") or "").rstrip("\n").rpartition("\n")[2]
    return " ".join(last.split()) if last.startswith(_FINAL) else ""


def _answered(said: Wire) -> str:
    """A message with a final answer: the evidence it states, on one line, and the answer on the last."""
    evidence = str(said.get("content") or "").rstrip("\n").rpartition("\n")[0]
    shown = " ".join(evidence.split())
    return f"{shown}\n{_final_line(said)}" if shown else _final_line(said)


def _text(messages: Sequence[Wire], role: str) -> str:
    return next((str(message.get("content") or "") for message in messages if message.get("role") == role), "")


def _first_user_text(messages: Sequence[Wire]) -> str:
    return _text(messages, "user").rstrip("\n")


def _lines_after(marker: str, text: str) -> list[str]:
    """The lines after the last line that is ``marker``, up to an empty one."""
    lines = text.split("\n")
    if marker not in lines:
        return []
    after = lines[len(lines) - lines[::-1].index(marker) :]
    return after[: after.index("")] if "" in after else after


def _tool(line: str) -> dict[str, Any] | None:
    """One line's tool as the ``tools`` array holds it; None for a line that is none."""
    found = parsed(line)
    if not isinstance(found, Mapping) or not isinstance(found.get("name"), str):
        return None
    parameters = found.get("parameters")
    if not isinstance(parameters, Mapping) or not isinstance(parameters.get("properties", {}), Mapping):
        return None
    return {"type": "function", "function": dict(found)}


def _native_tool(name: str, properties: Wire) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


def _evidenced_call(evidence: Wire) -> dict[str, Any]:
    function = {"name": str(evidence.get("tool_name")), "arguments": _as_text(evidence.get("tool_input"))}
    return {"id": str(evidence.get("call_id")), "type": "function", "function": function}


def _result(identity: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": identity}


def _as_text(value: Any) -> str:
    """A text as it is, any other JSON in its canonical form."""
    return value if isinstance(value, str) else canonical_bytes(value).decode("utf-8", "replace")
