"""Acts around a policy: made once it believes an address, and never seen by it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import PolicyHints
from caia_replay.core.suite import Recipe, RecipeAct
from caia_replay.models.policies.acting import ActingPolicy
from caia_replay.models.policies.conversation import Wire, answer_message, call_message, no_answer_message
from tests.unit.models.policies.conftest import tools_of

ACTS = (
    RecipeAct("send_transaction", {"to": "{answer}", "arguments": ["= {amount} * 100"]}),
    RecipeAct("send_transaction", {"to": "0x1", "arguments": [["{answer}"]]}),
    RecipeAct("wallet_state", {}),
)
RECIPE = Recipe(r"Pay (?P<amount>\d+)", "pay", r"send to (?P<answer>\S+)", acts=ACTS)
BRIEF = PolicyHints("Pay 12", RECIPE)
PLAIN = replace(BRIEF, recipe=replace(RECIPE, acts=None))
TOOLS = tools_of(web_search="query limit", url_fetching="url cursor", send_transaction="to arguments value",
                 wallet_state="")  # fmt: skip
ADDRESS = "0x" + "Ab" * 20
FAILED = {"error": {"type": "tool_error", "message": "would revert"}}


class Inside:
    """Calls ``web_search`` some times, then says its last word; notes what it saw."""

    def __init__(self, last: Wire, calls: int = 1) -> None:
        self._last, self._calls = dict(last), calls
        self.saw: list[list[Wire]] = []

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        self.saw.append(list(messages))
        made = sum(message["role"] == "tool" for message in messages)
        return self._last if made >= self._calls else call_message("web_search", {"query": "q"}, {}, made + 1)


def play(policy: Any, results: Sequence[Any] = (), tools: Sequence[Wire] = TOOLS) -> list[Wire]:
    """The conversation to its end; calls are answered by ``results`` in order, and then by empty ones."""
    messages: list[Wire] = [{"role": "user", "content": "Pay 12"}]
    left = list(results)
    while True:
        said = policy.respond(messages, tools)
        messages.append(said)
        if not said.get("tool_calls"):
            return messages
        for one in said["tool_calls"]:
            told = left.pop(0) if left else {}
            messages.append({"role": "tool", "content": json.dumps(told), "tool_call_id": one["id"]})


def acts_in(messages: Sequence[Wire]) -> list[tuple[str, str, Any]]:
    """The acts made, as (id, tool, arguments), each in a turn of its own."""
    turns = [message["tool_calls"] for message in messages if message.get("tool_calls")]
    made = [calls for calls in turns if calls[0]["id"].startswith("act_")]
    assert all(len(calls) == 1 for calls in made)
    return [(one["id"], one["function"]["name"], json.loads(one["function"]["arguments"])) for (one,) in made]


def test_acts_come_between_the_last_result_and_the_answer() -> None:
    """In order, filled in with the address, and with null for what they leave out."""
    talk = play(ActingPolicy(Inside(answer_message(ADDRESS, "so it says")), BRIEF))
    to = ADDRESS.lower()
    assert acts_in(talk) == [
        ("act_1", "send_transaction", {"to": to, "arguments": ["1200"], "value": None}),
        ("act_2", "send_transaction", {"to": "0x1", "arguments": [[to]], "value": None}),
        ("act_3", "wallet_state", {}),
    ]
    assert talk[-1] == answer_message(ADDRESS, "so it says") and talk[1]["tool_calls"][0]["id"] == "call_1"


@given(st.integers(0, 3), st.lists(st.sampled_from([{}, {"hash": "0x1"}, FAILED]), max_size=4))
def test_the_policy_inside_never_sees_an_act(calls: int, outcomes: list[Any]) -> None:
    """It is asked what it would be asked without acts, and what it says is submitted, however the acts end."""
    inside, alone = Inside(answer_message(ADDRESS), calls), Inside(answer_message(ADDRESS), calls)
    talk = play(ActingPolicy(inside, BRIEF), [{}] * calls + outcomes)
    plain = play(alone, [{}] * calls)
    assert inside.saw[: calls + 1] == alone.saw and all(seen == alone.saw[-1] for seen in inside.saw[calls:])
    assert talk[-1] == plain[-1]
    failed = [number for number, told in enumerate(outcomes[: len(ACTS)], start=1) if told == FAILED]
    assert len(acts_in(talk)) == (failed[0] if failed else len(ACTS))


NO_ADDRESS = st.text(max_size=50) | st.sampled_from(
    [ADDRESS[:-1], f"{ADDRESS}0", f"{ADDRESS} or 0x1", "unknown", "= 1"]
)
LAST = st.builds(answer_message, NO_ADDRESS, st.text(max_size=20)) | st.text(max_size=50).map(no_answer_message)


@given(LAST, st.integers(0, 2))
def test_without_an_address_it_is_the_policy_itself(last: dict[str, Any], calls: int) -> None:
    """Any other answer, and none, is passed on word by word."""
    assert play(ActingPolicy(Inside(last, calls), BRIEF)) == play(Inside(last, calls))


def test_without_acts_or_a_tool_of_theirs_it_is_the_policy_itself() -> None:
    """Also where an address is believed: nothing is begun that cannot be ended."""
    alone = play(Inside(answer_message(ADDRESS)))
    for brief in (PLAIN, replace(BRIEF, recipe=replace(RECIPE, acts=())), replace(BRIEF, recipe=None)):
        assert play(ActingPolicy(Inside(answer_message(ADDRESS)), brief)) == alone
    for without in ("send_transaction", "wallet_state"):
        tools = [tool for tool in TOOLS if tool["function"]["name"] != without]
        assert play(ActingPolicy(Inside(answer_message(ADDRESS)), BRIEF), tools=tools) == alone
