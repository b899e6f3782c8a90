"""Policies as models: the same client, the same wire, a transport of their own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.message import Message
from caia_replay.core.model import Brief, RunKey, Usage
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput
from caia_replay.models.policies.conversation import Wire, answer_message, call_message
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.models.policies.transport import MOST_SESSIONS, PolicyTransport, tokens
from caia_replay.models.policy import PolicyModel, for_every_run, seeded

KEY = RunKey("t", "clean", "tools", "react", 1)
PROPERTIES = {"block": {"type": "integer"}, "chain": {"type": ["string", "null"]}}
TOOL = ToolSpec("block_query", "Reads.", {"type": "object", "properties": PROPERTIES}, "On-chain", "authoritative")
GOLD = GoldChain((GoldStep("block_query", {"block": 7}),), "$1.gas_used + 1")


class Echo:
    """Answers with its brief's question and the number of messages."""

    def __init__(self, brief: Brief) -> None:
        self._question = brief.question

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The question and how much was said."""
        return answer_message(f"{self._question} {len(messages)} {len(tools)}")


def test_the_oracle_plays_through_the_openai_client() -> None:
    """A gold call with every parameter present, then the answer computed from the tool's result."""
    model = PolicyModel("policy/oracle", for_every_run(OraclePolicy), needs_gold=True)
    session = model.session(KEY, Brief("How much?", gold=GOLD))
    talk = [Message("user", "How much?")]
    first = session.complete(talk, [TOOL])
    assert first.finish_reason == "tool_calls"
    assert first.message.tool_calls[0].arguments == '{"block":7,"chain":null}'
    talk += [first.message, Message("tool", '{"gas_used":41}', tool_call_id=first.message.tool_calls[0].id)]
    last = session.complete(talk, [TOOL])
    assert (last.message.content, last.finish_reason) == ("FINAL ANSWER: 42", "stop")
    model.close()


def test_equal_conversations_give_equal_completions() -> None:
    """Nothing in a completion depends on clock, session or order; usage follows the stated rule."""
    model = PolicyModel("policy/echo", for_every_run(Echo))
    sessions = [model.session(KEY, Brief("q")) for _ in range(3)]
    got = [session.complete([Message("user", "12345")], []) for session in sessions]
    assert got[0] == got[1] == got[2]
    assert got[0].usage == Usage(2, -(-len("FINAL ANSWER: q 1 0") // 4))
    model.close()


def test_many_sessions_at_once_never_mix() -> None:
    """Each run talks to its own script, whatever the threads do."""
    model = PolicyModel("policy/echo", for_every_run(Echo))

    def play(number: int) -> bool:
        session = model.session(KEY, Brief(f"question {number}"))
        return all(
            session.complete([Message("user", "x")] * turn, [TOOL]).message.content
            == f"FINAL ANSWER: question {number} {turn} 1"
            for turn in (1, 2, 3)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(play, range(40)))
    model.close()


def test_a_seeded_script_knows_its_run_and_seed() -> None:
    """Attempts differ by what the script makes of key and seed, and by nothing else."""
    model = PolicyModel("policy/echo", seeded(lambda brief, key, seed: Echo(Brief(f"{key.attempt * seed}")), 7))
    keys = [RunKey("t", "clean", "tools", "react", attempt) for attempt in (1, 2, 1)]
    said = [model.session(key, Brief("q")).complete([Message("user", "x")], []).message.content for key in keys]
    assert said == [f"FINAL ANSWER: {number} 1 0" for number in (7, 14, 7)]
    model.close()


def test_old_and_closed_sessions_are_let_go() -> None:
    """A long batch keeps the newest and piles up no scripts; a closed one goes at once; tokens cost nothing."""
    model = PolicyModel("policy/echo", for_every_run(Echo))
    for _ in range(MOST_SESSIONS + 20):
        newest = model.session(KEY, Brief("q"))
    assert len(model._transport._sessions) == MOST_SESSIONS and model.price is None
    other = model.session(KEY, Brief("q"))
    for _ in range(2):
        other.close()
        assert len(model._transport._sessions) == MOST_SESSIONS - 1
    assert newest.complete((Message("user", "hello"),), ()).message.content
    model.close()


def test_a_brief_that_does_not_fit_is_bad_input() -> None:
    """An oracle without gold steps is told at once."""
    with pytest.raises(BadInput, match="gold steps"):
        PolicyModel("policy/oracle", for_every_run(OraclePolicy)).session(KEY, Brief("q"))


BODY = {"model": "policy/fixed", "messages": [{"role": "user", "content": "q"}]}
URL = "http://p.invalid/v1/chat/completions"


def test_a_transport_speaks_chat_completions() -> None:
    """Every field of the protocol, none from a clock or chance; another session or path, or a dropped one, is 404."""
    transport = PolicyTransport()
    headers = dict(transport.open(Echo(Brief("three"))))
    with httpx2.Client(transport=transport, trust_env=False) as client:
        one, two = (client.post(URL, json=BODY, headers=headers) for _ in range(2))
        refused = [
            client.post(URL, json=BODY),
            client.post("http://p.invalid/v1/embeddings", json=BODY, headers=headers),
            client.get(URL, headers=headers),
        ]
        transport.drop(headers)
        transport.drop(headers)
        refused.append(client.post(URL, json=BODY, headers=headers))
    body = one.json()
    assert one.status_code == 200 and one.content == two.content
    assert body["object"] == "chat.completion" and body["created"] == 0
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "FINAL ANSWER: three 1 0"}
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    assert [reply.status_code for reply in refused] == [404] * 4 and "message" in refused[0].json()["error"]


def test_tokens_count_characters_by_the_stated_rule() -> None:
    """One per four characters of text, names and arguments, rounded up."""
    assert tokens([]) == 0 and tokens([{"content": "12345"}]) == 2 and tokens([{"content": None}]) == 0
    assert tokens([call_message("abcd", {}, {}, 1)]) == 2  # four of the name, two of {}
