"""Policies as models: the same client, the same wire, a transport of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from caia_replay.core.message import Message
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.conversation import Wire, answer_message, call_message
from caia_replay.models.policy import MOST_SESSIONS, PolicyModel, PolicyTransport, tokens

KEY = RunKey("t", "clean", "tools", "react", 1)


class Echo:
    """Answers with its brief's question and the number of messages."""

    def __init__(self, brief: PolicyHints) -> None:
        self._question = brief.question

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The question and how much was said."""
        return answer_message(f"{self._question} {len(messages)} {len(tools)}")


def test_old_and_closed_sessions_are_let_go() -> None:
    """A long batch keeps the newest and piles up no scripts; a closed one goes at once; tokens cost nothing."""
    model = PolicyModel("policy/echo", lambda brief, key: Echo(brief))
    for _ in range(MOST_SESSIONS + 20):
        newest = model.session(KEY, PolicyHints("q"))
    assert len(model._transport._sessions) == MOST_SESSIONS and model.price is None
    other = model.session(KEY, PolicyHints("q"))
    for _ in range(2):
        other.close()
        assert len(model._transport._sessions) == MOST_SESSIONS - 1
    assert newest.complete((Message("user", "hello"),), ()).message.content
    model.close()


BODY = {"model": "policy/fixed", "messages": [{"role": "user", "content": "q"}]}
URL = "http://p.invalid/v1/chat/completions"


def test_a_transport_speaks_chat_completions() -> None:
    """Every field of the protocol, none from a clock or chance; another session or path, or a dropped one, is 404."""
    transport = PolicyTransport()
    headers = dict(transport.open(Echo(PolicyHints("three"))))
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
