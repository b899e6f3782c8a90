"""Carrying a task out: what a policy does with an answer that it believes.

The policy inside finds its answer as in any other task; then the recipe's acts are made with it, and the answer is
submitted after them. The policy inside never sees them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from caia_replay.core.model import PolicyHints
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.conversation import Policy, Wire, call, is_error, offered, parsed

_ACT: Final = "act_"
_FINAL: Final = "FINAL ANSWER:"


class ActingPolicy:
    """``policy``, which makes the acts of its recipe, one a turn, before it submits an address.

    It ends acting with the first act that fails, and submits its answer all the same. Where the recipe has no acts, a
    tool of theirs is not offered, or the answer is no address, it is ``policy`` byte for byte. Raises ``BadInput`` when
    the acts do not fit the question.
    """

    def __init__(self, policy: Policy, brief: PolicyHints) -> None:
        recipe = brief.recipe if brief.recipe and brief.recipe.acts else None
        self._policy = policy
        self._recipe = FilledRecipe(recipe, brief.question) if recipe else None

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """What the policy says to everything but its acts; the next act, where it answers."""
        if self._recipe is None:
            return self._policy.respond(messages, tools)
        said = self._policy.respond([message for message in messages if not _is_of_act(message)], tools)
        answer = _answer(said)
        acts = self._recipe.acts(answer) if answer else []
        known = offered(tools)
        results = [message.get("content") for message in messages if _is_result_of_act(message)]
        ended = len(results) >= len(acts) or any(is_error(parsed(text)) for text in results)
        if ended or any(tool not in known for tool, _ in acts):
            return said
        tool, arguments = acts[len(results)]
        made = call(tool, arguments, known[tool], f"{_ACT}{len(results) + 1}")
        return {"role": "assistant", "content": None, "tool_calls": [made]}


def _answer(said: Wire) -> str:
    """The answer that a message submits; "" where it calls tools or gives none."""
    last = str(said.get("content") or "").rpartition("\n")[2]
    return last.removeprefix(_FINAL).strip() if last.startswith(_FINAL) and not said.get("tool_calls") else ""


def _is_result_of_act(message: Wire) -> bool:
    return message.get("role") == "tool" and str(message.get("tool_call_id")).startswith(_ACT)


def _is_of_act(message: Wire) -> bool:
    calls = message.get("tool_calls") or ()
    return _is_result_of_act(message) or any(str(one.get("id")).startswith(_ACT) for one in calls)
