"""The transport behind policies, driven by an ordinary httpx2 client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from caia_replay.models.policies.conversation import Wire, answer_message, call_message
from caia_replay.models.policies.transport import PolicyTransport, tokens


class Fixed:
    """Always answers 3."""

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The answer."""
        return answer_message("3")


BODY = {"model": "policy/fixed", "messages": [{"role": "user", "content": "q"}]}


def test_it_speaks_chat_completions() -> None:
    """The reply has every field of the protocol, none of them from a clock or chance."""
    transport, policy = PolicyTransport(), Fixed()
    headers = dict(transport.open(policy))
    with httpx2.Client(transport=transport, trust_env=False) as client:
        one, two = (client.post("http://p.invalid/v1/chat/completions", json=BODY, headers=headers) for _ in range(2))
    body = one.json()
    assert one.content == two.content and body["object"] == "chat.completion" and body["created"] == 0
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "FINAL ANSWER: 3"}
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]


def test_unknown_sessions_and_paths_are_404() -> None:
    """A request of no session, or to another path, is refused in OpenAI's error shape."""
    transport, policy = PolicyTransport(), Fixed()
    headers = dict(transport.open(policy))
    with httpx2.Client(transport=transport, trust_env=False) as client:
        replies = [
            client.post("http://p.invalid/v1/chat/completions", json=BODY),
            client.post("http://p.invalid/v1/embeddings", json=BODY, headers=headers),
            client.get("http://p.invalid/v1/chat/completions", headers=headers),
        ]
    assert [reply.status_code for reply in replies] == [404] * 3
    assert "message" in replies[0].json()["error"]


def test_a_dropped_policy_is_asked_no_more() -> None:
    """Its session is unknown from then on; dropping it again is nothing."""
    transport = PolicyTransport()
    headers = dict(transport.open(Fixed()))
    with httpx2.Client(transport=transport, trust_env=False) as client:
        before = client.post("http://p.invalid/v1/chat/completions", json=BODY, headers=headers)
        transport.drop(headers)
        transport.drop(headers)
        after = client.post("http://p.invalid/v1/chat/completions", json=BODY, headers=headers)
    assert (before.status_code, after.status_code) == (200, 404)


def test_tokens_count_characters_by_the_stated_rule() -> None:
    """One per four characters of text, names and arguments, rounded up."""
    assert tokens([]) == 0 and tokens([{"content": "12345"}]) == 2 and tokens([{"content": None}]) == 0
    assert tokens([call_message("abcd", {}, {}, 1)]) == 2  # four of the name, two of {}
